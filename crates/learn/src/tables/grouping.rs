//! What a learner of document D knows of moves: a value for every move of every position, or one for all
//! moves that lead to positions of the same features.
//!
//! The paper leaves the second to the future: positions that look alike might share what is learned of them.
//! Here a move is worth what the group is worth that it leads to: the positions with black to move in which
//! document S's features for the endgame have the same values. Mates are a group of their own, and so are other
//! ends of the game.

use play::features::{Feature, View};
use rand_chacha::ChaCha8Rng;
use rules::{BoardEnding, FewMen};
use serde::{Deserialize, Serialize};

use crate::{ActionValues, Endgame, LearnError, Taken, learner::below, tables::q::Node};

/// Which moves share a value, besides those that are images of one another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grouping {
    /// None.
    None,
    /// Those that lead to positions of the same features.
    Features,
}

/// The values of moves.
#[derive(Clone, Debug)]
pub(crate) struct MoveValues {
    /// By position and move, or by group, of which each has one "move".
    pub table: ActionValues,
    groups: Option<Groups>,
}

impl MoveValues {
    /// All moves of an endgame, every value `initial`.
    ///
    /// # Errors
    /// When there are no features for the endgame.
    pub fn new(
        endgame: &Endgame,
        grouping: Grouping,
        initial: f32,
    ) -> Result<MoveValues, LearnError> {
        let groups = match grouping {
            Grouping::None => None,
            Grouping::Features => Some(Groups::new(endgame)?),
        };
        let states = groups
            .as_ref()
            .map_or_else(|| endgame.index.states(), Groups::count);
        Ok(MoveValues {
            table: ActionValues::new(states, initial),
            groups,
        })
    }

    /// The best move of a position, the first of equals, and its value.
    #[inline]
    pub fn best(&self, endgame: &Endgame, node: &Node) -> (usize, f32) {
        let Some(groups) = &self.groups else {
            return self.table.best(node.number);
        };
        let mut best = (0, f32::NEG_INFINITY);
        for action in 0..node.moves {
            let value = self.table.best(groups.after(endgame, node, action)).1;
            if value > best.1 {
                best = (action, value);
            }
        }
        best
    }

    /// One of the best moves of a position, drawn by lot.
    pub fn best_by_lot(&self, endgame: &Endgame, node: &Node, random: &mut ChaCha8Rng) -> usize {
        let Some(groups) = &self.groups else {
            return self.table.best_by_lot(node.number, node.moves, random);
        };
        let value = |action| self.table.best(groups.after(endgame, node, action)).1;
        let values: Vec<f32> = (0..node.moves).map(value).collect();
        let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut equals = (0..node.moves).filter(|&action| values[action] == most);
        let lot = below(random, equals.clone().count());
        equals.nth(lot).unwrap_or(0)
    }

    /// Takes a move.
    #[inline]
    pub fn take(&mut self, endgame: &Endgame, node: &Node, action: usize) -> Taken {
        match &self.groups {
            None => self.table.meet(node.number, node.moves).action(action),
            Some(groups) => {
                let group = groups.after(endgame, node, action);
                self.table.meet(group, 1).action(0)
            }
        }
    }

    /// Has a move of this position, or one like it, been taken?
    pub fn has_met(&self, endgame: &Endgame, node: &Node) -> bool {
        match &self.groups {
            None => self.table.has_met(node.number),
            Some(groups) => (0..node.moves)
                .any(|action| self.table.has_met(groups.after(endgame, node, action))),
        }
    }

    /// Asks memory for what will be looked up of a position soon.
    #[inline]
    pub fn announce(&self, number: usize) {
        if self.groups.is_none() {
            self.table.announce(number);
        }
    }
}

/// Groups of positions with black to move.
#[derive(Clone, Debug)]
struct Groups {
    features: &'static [Feature],
}

/// The number of the group of mates, and that of all other ends of the game; the features' come after them.
const MATE: usize = 0;
const DRAWN: usize = 1;
const FEATURES: usize = 2;

impl Groups {
    fn new(endgame: &Endgame) -> Result<Groups, LearnError> {
        let board = endgame.rules.board();
        let name = endgame.rules.material().to_string();
        let features = Feature::of_document_s(&name).filter(|_| board.is_standard());
        let features = features.ok_or_else(|| LearnError::BadSetting {
            name: "grouping".into(),
            value: "features".into(),
            why: format!(
                "there are features for KQK, KRK and KBBK on 8×8, not for {name} on {board}"
            ),
        })?;
        Ok(Groups { features })
    }

    /// How many groups there can be.
    fn count(&self) -> usize {
        let values = self.features.iter().map(|feature| feature.values());
        FEATURES + values.product::<usize>()
    }

    /// The group that a move leads to.
    fn after(&self, endgame: &Endgame, node: &Node, action: usize) -> usize {
        let men = endgame.rules.after(node.men, node.targets.nth(action));
        self.number(endgame, men)
    }

    /// The group of a position.
    fn number(&self, endgame: &Endgame, men: FewMen) -> usize {
        match endgame.rules.ending(men, &endgame.rules.targets(men)) {
            Some(BoardEnding::Checkmate) => return MATE,
            Some(_) => return DRAWN,
            None => {}
        }
        let Some(view) = View::of_few_men(&endgame.rules, men) else {
            return DRAWN;
        };
        let digit = |number, feature: &Feature| number * feature.values() + feature.value(&view);
        FEATURES + self.features.iter().fold(0, digit)
    }
}

#[cfg(test)]
mod tests {
    use rules::{Board, Position};

    use super::*;
    use crate::Folding;

    fn endgame(material: &str, board: Board) -> Endgame {
        Endgame::new(material.parse().unwrap(), board, Folding::Flips).unwrap()
    }

    #[test]
    fn positions_of_the_same_features_are_one() {
        let endgame = endgame("KRK", Board::STANDARD);
        let groups = Groups::new(&endgame).unwrap();
        let number = |fen: &str| {
            let men = endgame.rules.compact(&Position::from_fen(fen).unwrap());
            groups.number(&endgame, men.unwrap())
        };
        // Document S's own example: which of the far files the rook stands on makes no difference …
        let far = number("8/8/8/3k4/7R/3K4/8/8 b - - 0 1");
        assert_eq!(far, number("8/8/8/3k4/6R1/3K4/8/8 b - - 0 1"));
        assert!(far >= FEATURES && far < groups.count());
        // … that it can be taken does.
        assert_ne!(far, number("8/8/8/3k4/4R3/8/3K4/8 b - - 0 1"));
        assert_eq!(number("k6R/8/1K6/8/8/8/8/8 b - - 0 1"), MATE);
        assert_eq!(number("k7/1R6/2K5/8/8/8/8/8 b - - 0 1"), DRAWN);
    }

    #[test]
    fn only_endgames_with_features_can_be_grouped() {
        for (name, board) in [("KBNK", Board::STANDARD), ("KRK", Board::new(5).unwrap())] {
            let error = MoveValues::new(&endgame(name, board), Grouping::Features, 0.0);
            let error = error.unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
