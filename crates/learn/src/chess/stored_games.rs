use std::path::Path;

use play::Dice;
use rules::{Game, Move, PgnErrorKind, PgnReader, Position, Rules};

use super::{ChessError, start::open};

/// The games of a file, to begin new ones from their positions.
pub(crate) struct StoredGames {
    games: Vec<(Position, Box<[Move]>)>,
    /// How many positions there are up to the end of each game, the last of each left out.
    ends: Vec<usize>,
}

impl StoredGames {
    /// Reads PGN. Games with an error are passed over, because files in the wild have them.
    pub fn read(path: &Path) -> Result<StoredGames, ChessError> {
        let refuse = |why: String| ChessError::File {
            path: path.to_owned(),
            why,
        };
        let mut stored = StoredGames {
            games: Vec::new(),
            ends: Vec::new(),
        };
        let mut positions = 0;
        let mut first_error = None;
        for pgn in PgnReader::new(open(path)?, Rules::none()) {
            match pgn {
                Ok(pgn) if pgn.game.plies() > 0 => {
                    positions += pgn.game.plies();
                    let moves = pgn.game.moves().collect();
                    stored.games.push((pgn.game.start().clone(), moves));
                    stored.ends.push(positions);
                }
                Ok(_) => {}
                Err(error) if matches!(error.kind, PgnErrorKind::Io(_)) => {
                    return Err(refuse(error.to_string()));
                }
                Err(error) => {
                    first_error.get_or_insert(error);
                }
            }
        }
        match (stored.games.is_empty(), first_error) {
            (false, _) => Ok(stored),
            (true, Some(error)) => Err(refuse(format!("no game can be read; {error}"))),
            (true, None) => Err(refuse("there is no game with a move in it (PGN)".into())),
        }
    }

    /// Plays `game` up to a position of a stored one that a move was played in: each with equal
    /// chance.
    pub fn begin(&self, game: &mut Game, seed: u64) {
        let total = self.ends.last().copied().unwrap_or_default();
        let draw = Dice::new(seed).below(total);
        let index = self.ends.partition_point(|&end| end <= draw);
        let (start, moves) = &self.games[index];
        let plies = moves.len() - (self.ends[index] - draw);
        game.restart(start.clone());
        for &m in &moves[..plies] {
            game.play_legal(m);
        }
    }
}
