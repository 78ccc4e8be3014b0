//! Training positions as document S makes them: games played backwards from mates.
//!
//! A mate is drawn by lot, then moves are taken back, white's and black's in turn, down to a depth
//! that grows from game to game up to the limit and starts again. Of the moves that can be taken
//! back the kind (which man, in which direction, how far) that was taken back least often so far is
//! chosen, and no position comes twice in a game. Nothing is captured: all men stay on the board.

use std::collections::{HashMap, HashSet};

use rand_chacha::ChaCha8Rng;
use rules::{BoardEnding, Color, FewMen, Role, attacks};

use crate::{Endgame, learner::below};

/// A kind of move: which man, and by how many files and ranks.
type Operator = (u8, i8, i8);

/// Plays games backwards.
pub struct RetroPlay {
    /// How often each kind of move was taken back.
    used: HashMap<Operator, u32>,
    depth: u32,
    deepest: u32,
}

impl RetroPlay {
    /// Games of at most `deepest` moves of each side.
    pub fn new(deepest: u32) -> RetroPlay {
        RetroPlay {
            used: HashMap::new(),
            depth: 0,
            deepest: deepest.max(1),
        }
    }

    /// The positions of one game played backwards, black to move, from the mate on.
    pub fn game(&mut self, endgame: &Endgame, random: &mut ChaCha8Rng) -> Vec<FewMen> {
        self.depth = self.depth % self.deepest + 1;
        let mut men = mate(endgame, random);
        let mut path = vec![men];
        let mut met = HashSet::from([men]);
        for _ in 0..self.depth {
            let Some(white) = self.back(endgame, men, &met, random) else {
                break;
            };
            met.insert(white);
            let Some(black) = self.back(endgame, white, &met, random) else {
                break;
            };
            met.insert(black);
            path.push(black);
            men = black;
        }
        path
    }

    /// Takes back a move of the side that is not to move.
    fn back(
        &mut self,
        endgame: &Endgame,
        men: FewMen,
        met: &HashSet<FewMen>,
        random: &mut ChaCha8Rng,
    ) -> Option<FewMen> {
        let mut least = (u32::MAX, Vec::new());
        for (operator, before) in moves_back(endgame, men) {
            if met.contains(&before) {
                continue;
            }
            let used = self.used.get(&operator).copied().unwrap_or(0);
            if used < least.0 {
                least = (used, Vec::new());
            }
            if used == least.0 {
                least.1.push((operator, before));
            }
        }
        let (operator, before) = *least.1.get(below(random, least.1.len().max(1)))?;
        *self.used.entry(operator).or_default() += 1;
        Some(before)
    }
}

/// A mate drawn by lot.
fn mate(endgame: &Endgame, random: &mut ChaCha8Rng) -> FewMen {
    loop {
        let men = endgame.rules.random(Color::Black, random);
        if endgame.rules.ending(men, &endgame.rules.targets(men)) == Some(BoardEnding::Checkmate) {
            return men;
        }
    }
}

/// The positions that a move of the side not to move may have led from.
fn moves_back(endgame: &Endgame, men: FewMen) -> Vec<(Operator, FewMen)> {
    let rules = &endgame.rules;
    let mover = !men.turn;
    let occupied = men.occupied();
    let king = men.king(mover);
    let mut movers = vec![(0u8, king, attacks::king_attacks(king))];
    for (i, piece) in rules.others().into_iter().enumerate() {
        let (Some(piece), Some(from)) = (piece, men.others[i]) else {
            continue;
        };
        if piece.color == mover {
            let set = match piece.role {
                Role::Queen => attacks::queen_attacks(from, occupied),
                Role::Rook => attacks::rook_attacks(from, occupied),
                Role::Bishop => attacks::bishop_attacks(from, occupied),
                _ => attacks::knight_attacks(from),
            };
            movers.push((1 + i as u8, from, set));
        }
    }
    let mut all = Vec::new();
    for (man, from, set) in movers {
        for to in set & rules.board().squares() & !occupied {
            let mut before = men;
            before.turn = mover;
            match (man, mover) {
                (0, Color::White) => before.white_king = to,
                (0, Color::Black) => before.black_king = to,
                _ => before.others[usize::from(man) - 1] = Some(to),
            }
            if rules.is_possible(before) {
                let (a, b) = (u32::from(from) as i8, u32::from(to) as i8);
                all.push(((man, (b & 7) - (a & 7), (b >> 3) - (a >> 3)), before));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rules::Board;

    use super::*;
    use crate::Folding;

    #[test]
    fn every_move_taken_back_can_be_played() {
        for material in ["KQK", "KRK", "KBBK", "KBNK"] {
            let material = material.parse().unwrap();
            let endgame = Endgame::new(material, Board::STANDARD, Folding::Full).unwrap();
            let mut random = ChaCha8Rng::seed_from_u64(1);
            for _ in 0..20 {
                let mut men = mate(&endgame, &mut random);
                for _ in 0..6 {
                    let back = moves_back(&endgame, men);
                    for &(_, before) in &back {
                        assert!(endgame.rules.position(before).is_ok(), "{before:?}");
                        let targets = endgame.rules.targets(before);
                        let mut after = targets.iter().map(|m| endgame.rules.after(before, m));
                        assert!(after.any(|after| after == men), "{before:?} to {men:?}");
                    }
                    let Some(&(_, before)) = back.get(below(&mut random, back.len().max(1))) else {
                        break;
                    };
                    men = before;
                }
            }
        }
    }

    #[test]
    fn games_get_longer_and_kinds_of_moves_take_turns() {
        let endgame = Endgame::new("KRK".parse().unwrap(), Board::STANDARD, Folding::Full).unwrap();
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut play = RetroPlay::new(10);
        let lengths: Vec<usize> = (0..20)
            .map(|_| play.game(&endgame, &mut random).len())
            .collect();
        assert!(
            lengths[..10].is_sorted() && lengths[9] == 11 && lengths[10] == 2,
            "{lengths:?}"
        );
        for _ in 0..300 {
            let path = play.game(&endgame, &mut random);
            let different: HashSet<_> = path.iter().collect();
            assert_eq!(different.len(), path.len());
        }
        // Without the rule, single steps of the king would be far ahead of all others.
        let used = |operator: Operator| play.used[&operator];
        assert!(used((1, 0, 1)) * 4 > used((0, 0, 1)) && used((1, 0, 1)) < used((0, 0, 1)) * 4);
    }
}
