//! Distances to mate by search, without a table of exact answers.
//!
//! Document S labels its training positions by search; so does this. A position is searched to one
//! move, to two, to three, until there is a mate, depth first, over white's moves and all of black's
//! answers. What has been found about a position is remembered (within so many moves there is a
//! mate, within so many there is none), as a transposition table remembers it. It knows the rules
//! and nothing else.

use rules::{BoardEnding, Color, FewMen};

use crate::Endgame;

/// A search for mates that remembers.
pub struct MateSearch {
    /// By number of the position, white to move: no mate within so many moves.
    refuted: Vec<u8>,
    /// There is a mate within so many moves.
    proved: Vec<u8>,
}

impl MateSearch {
    /// A search that knows nothing yet.
    pub fn new(endgame: &Endgame) -> MateSearch {
        let states = endgame.index.states();
        MateSearch {
            refuted: vec![0; states],
            proved: vec![u8::MAX; states],
        }
    }

    /// White's moves to mate, at most `longest`; black may be to move.
    pub fn distance(&mut self, endgame: &Endgame, men: FewMen, longest: u8) -> Option<u8> {
        if men.turn == Color::White {
            return (1..=longest).find(|&moves| self.within(endgame, men, moves));
        }
        let targets = endgame.rules.targets(men);
        match endgame.rules.ending(men, &targets) {
            Some(BoardEnding::Checkmate) => return Some(0),
            Some(_) => return None,
            None => {}
        }
        let mut most = 0;
        for m in targets.iter() {
            let next = endgame.after(men, m);
            if next.others[..endgame.rules.others_count()].contains(&None) {
                return None;
            }
            most = most.max(self.distance(endgame, next, longest)?);
        }
        Some(most)
    }

    /// Does white, to move, mate within so many moves?
    fn within(&mut self, endgame: &Endgame, men: FewMen, moves: u8) -> bool {
        let (men, _, number) = endgame.index.canonical_and_index(men);
        if self.refuted[number] >= moves {
            return false;
        }
        if self.proved[number] <= moves {
            return true;
        }
        let found = endgame.rules.targets(men).iter().any(|m| {
            let next = endgame.rules.after(men, m);
            let answers = endgame.rules.targets(next);
            match endgame.rules.ending(next, &answers) {
                Some(BoardEnding::Checkmate) => true,
                Some(_) => false,
                None => {
                    moves > 1
                        && answers.iter().all(|answer| {
                            let then = endgame.rules.after(next, answer);
                            !then.others[..endgame.rules.others_count()].contains(&None)
                                && self.within(endgame, then, moves - 1)
                        })
                }
            }
        });
        if found {
            self.proved[number] = moves;
        } else {
            self.refuted[number] = moves;
        }
        found
    }
}
