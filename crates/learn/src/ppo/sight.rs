//! What a network of this family sees: of chess, or of an endgame.

use rules::{Board, Material};
use serde::{Deserialize, Serialize};

use crate::{
    Endgame, Folding, LearnError,
    chess::{ChessSight, MoveSight},
    endgames::EndgameSight,
    net::plain::extents::Extents,
};

/// What a network sees, and how it tells moves apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Sight {
    /// Chess on 8×8.
    Chess {
        /// What it sees.
        sees: ChessSight,
        /// How it tells moves apart.
        moves: MoveSight,
    },
    /// An endgame of few men without pawns.
    Endgame {
        /// The men, such as `KRK`.
        material: String,
        /// The size of the board.
        board: usize,
    },
}

impl Sight {
    /// That of an endgame.
    pub(super) fn of_endgame(material: Material, board: Board) -> Sight {
        Sight::Endgame {
            material: material.to_string(),
            board: board.size(),
        }
    }

    /// How large the tables of networks are that see so.
    pub(super) fn extents(&self) -> Result<Extents, LearnError> {
        match self {
            Sight::Chess { sees, moves } => Ok(sees.extents(*moves)),
            Sight::Endgame { .. } => Ok(self.endgame()?.1.extents()),
        }
    }

    /// The endgame and how it is seen.
    ///
    /// # Errors
    /// When it is not an endgame, or not one that the compact form holds.
    pub(super) fn endgame(&self) -> Result<(Endgame, EndgameSight), LearnError> {
        let Sight::Endgame { material, board } = self else {
            return Err(LearnError::NeedsEndgame);
        };
        let material: Material = material.parse().map_err(|_| LearnError::Weights)?;
        let board = Board::new(*board).map_err(|_| LearnError::Weights)?;
        let endgame = Endgame::new(material, board, Folding::Full)?;
        let sight = EndgameSight::new(&endgame.rules);
        Ok((endgame, sight))
    }
}
