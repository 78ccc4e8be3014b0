//! The endgame a learner plays: its rules, and numbers for its positions.

use rand::Rng;
use rules::{
    Board, Color, FewMen, FewMenError, FewMenIndex, FewMenRules, FewMove, Material, Symmetry,
    Targets,
};
use serde::{Deserialize, Serialize};

/// Which positions a table holds once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Folding {
    /// Every position for itself.
    None,
    /// The four flips of document D: files and ranks keep their nature.
    Flips,
    /// All eight symmetries of the board.
    Full,
}

impl Folding {
    /// The group of symmetries.
    pub fn symmetries(self) -> &'static [Symmetry] {
        match self {
            Folding::None => &Symmetry::ALL[..1],
            Folding::Flips => &Symmetry::FLIPS,
            Folding::Full => &Symmetry::ALL,
        }
    }
}

/// An endgame on a board, with the numbering of its positions.
#[derive(Clone, Debug)]
pub struct Endgame {
    /// What is legal.
    pub rules: FewMenRules,
    /// Numbers for positions.
    pub index: FewMenIndex,
}

impl Endgame {
    /// The endgame of `material` on `board`, positions numbered under `folding`.
    ///
    /// # Errors
    /// When there are pawns or more than five men.
    pub fn new(material: Material, board: Board, folding: Folding) -> Result<Endgame, FewMenError> {
        let rules = FewMenRules::new(material, board)?;
        let index = FewMenIndex::new(&rules, folding.symmetries());
        Ok(Endgame { rules, index })
    }

    /// A random position with white to move in which the game is not over, and its moves.
    pub fn random_start(&self, random: &mut (impl Rng + ?Sized)) -> (FewMen, Targets) {
        loop {
            let men = self.rules.random(Color::White, random);
            let (men, _) = self.index.canonical(men);
            let targets = self.rules.targets(men);
            if self.rules.ending(men, &targets).is_none() {
                return (men, targets);
            }
        }
    }

    /// The position after a move, turned to its standard image.
    #[inline]
    pub fn after(&self, men: FewMen, m: FewMove) -> FewMen {
        self.index.canonical(self.rules.after(men, m)).0
    }
}

impl Endgame {
    /// Carries a move in the standard image of a position back to the position itself.
    pub fn unfold(
        &self,
        men: FewMen,
        canonical: FewMen,
        symmetry: Symmetry,
        m: FewMove,
    ) -> Option<FewMove> {
        let back = |square| symmetry.inverse().square(self.rules.board(), square);
        let from = back(canonical.from(m)?);
        // Men of one kind may have changed places, so the man is found by where it stands.
        let man = match m.man {
            0 => 0,
            _ => 1 + men.others.iter().position(|&square| square == Some(from))? as u8,
        };
        Some(FewMove {
            man,
            to: back(m.to),
        })
    }
}
