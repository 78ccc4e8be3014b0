//! What a network of two hidden layers takes in of a position: which of its inputs are on, and which rows of its
//! last table score a move.
//!
//! Everything is read off the sets of squares of [`Scene::sight`](super::Scene::sight), from the mover's side. A move
//! has no row of its own: it is the sum of what it has in common with others (the man and the square it leaves, the
//! man and the square it reaches, what it captures and at what risk, what it threatens, how it answers the last move),
//! so that what is learned of one recapture goes for all of them.

use rules::{Bitboard, Color, Role, Square, attacks};

use super::{SIGHTS, move_number::parts};
use crate::net::plain::{Lists, extents::Extents};

// Inputs: men and attacked squares of each kind, both squares of the last two moves, …
const ATTACKS: usize = 12 * 64;
const LAST: usize = 2 * ATTACKS;
// … what the last move captured, castling rights, the file of en passant, and black to move.
const CAPTURED: usize = LAST + 4 * 64;
const CASTLING: usize = CAPTURED + 5;
const PASSANT: usize = CASTLING + 4;
const BLACK: usize = PASSANT + 8;
const INPUTS: usize = BLACK + 1;

/// Rows that a move adds up.
pub(super) const ROWS_A_MOVE: usize = 5;
// Man and square left; man and square reached; …
const REACHED: usize = 6 * 64;
// … man, what it captures, whether pawns, others or nobody attack the square reached, and is it protected; …
const RISK: usize = REACHED + 6 * 64;
// … man, was it attacked and protected before, does it check, become a queen, threaten more than itself; …
const AIM: usize = RISK + 6 * 7 * 3 * 2;
// … man, does it recapture, flee from the man that moved last, go on with or take back the own last move.
const ANSWER: usize = AIM + 6 * 32;
/// The rows of loss, draw and win come last.
pub(super) const ENDINGS: usize = ANSWER + 6 * 32;

/// How large the tables are.
pub(super) const EXTENTS: Extents = Extents {
    inputs: INPUTS,
    rows: ENDINGS + 3,
    rows_a_move: ROWS_A_MOVE,
};

/// What men are worth, only to tell a threat from an exchange.
const WORTH: [u8; 6] = [1, 3, 3, 5, 9, 20];

/// A position at a glance.
pub(super) struct Glance<'s> {
    sight: &'s [u64],
    own: Bitboard,
    occupied: Bitboard,
    king: Option<Square>,
    by_others: Bitboard,
    /// What the man that moved last attacks.
    by_last: Bitboard,
}

impl<'s> Glance<'s> {
    /// # Panics
    /// When these are not the sets of one position.
    pub fn new(sight: &'s [u64]) -> Glance<'s> {
        assert_eq!(sight.len(), SIGHTS);
        let all = |sets: &[u64]| Bitboard(sets.iter().fold(0, |all, set| all | set));
        let (own, theirs) = (all(&sight[..6]), all(&sight[6..12]));
        let occupied = own | theirs;
        let last = Bitboard(sight[18]).first();
        let by_last = last.and_then(|square| {
            let man = sight[6..12]
                .iter()
                .position(|&men| Bitboard(men).contains(square))?;
            Some(attacks::attacks(
                square,
                Role::ALL[man].of(Color::Black),
                occupied,
            ))
        });
        Glance {
            sight,
            own,
            occupied,
            king: Bitboard(sight[11]).first(),
            by_others: all(&sight[35..40]),
            by_last: by_last.unwrap_or(Bitboard::EMPTY),
        }
    }

    /// Adds the inputs that are on.
    pub fn inputs(&self, inputs: &mut Lists) {
        let mut squares = |first: usize, sets: &[u64]| {
            for (kind, &set) in sets.iter().enumerate() {
                for square in Bitboard(set) {
                    inputs.push(first + 64 * kind + square as usize, 1.0);
                }
            }
        };
        squares(0, &self.sight[..12]);
        squares(ATTACKS, &self.sight[28..40]);
        squares(LAST, &self.sight[17..21]);
        let mut flag = |input: usize, on: bool| {
            if on {
                inputs.push(input, 1.0);
            }
        };
        for kind in 0..5 {
            flag(CAPTURED + kind, self.sight[21 + kind] != 0);
        }
        for right in 0..4 {
            flag(CASTLING + right, self.sight[12 + right] != 0);
        }
        if let Some(square) = Bitboard(self.sight[16]).first() {
            flag(PASSANT + square.file() as usize, true);
        }
        flag(BLACK, self.sight[26] != 0);
        inputs.end();
    }

    /// The rows of a move, by its number. Of a number that no legal move has, they are those of some move or other.
    pub fn rows(&self, number: usize) -> [u16; ROWS_A_MOVE] {
        let (from, to, becomes) = parts(number);
        let set = |place: usize| Bitboard(self.sight[place]);
        let man = (0..6).find(|&man| set(man).contains(from)).unwrap_or(5);
        let promotes = man == 0 && to.rank() as usize == 7;
        let becomes = match (promotes, becomes) {
            (true, None) => Role::Queen,
            (true, Some(role)) => role,
            _ => Role::ALL[man],
        };
        let mut capture = (6..12)
            .find(|&man| set(man).contains(to))
            .map_or(0, |man| man - 5);
        if man == 0 && set(16).contains(to) {
            capture = 1;
        }
        let (pawns, others) = (set(34).contains(to), self.by_others.contains(to));
        let danger = if pawns { 2 } else { usize::from(others) };
        let occupied = self.occupied.without(from);
        let protected = self.protected(to, from, occupied);
        let attacked = set(34).contains(from) || self.by_others.contains(from);
        let was_protected = self.protected(from, from, self.occupied);
        let aims = attacks::attacks(to, becomes.of(Color::White), occupied.with(to));
        let check = self.king.is_some_and(|king| aims.contains(king));
        let worth = WORTH[becomes as usize - 1];
        let more = (0..5)
            .filter(|&man| WORTH[man] > worth)
            .fold(Bitboard::EMPTY, |all, man| all | set(6 + man));
        let threat = (aims & more).any();
        let last = |place: usize, square: Square| set(place).contains(square);
        let flags = |flags: [bool; 5]| {
            flags
                .iter()
                .fold(0, |all, &flag| 2 * all + usize::from(flag))
        };
        let rows = [
            64 * man + from as usize,
            REACHED + 64 * man + to as usize,
            RISK + ((man * 7 + capture) * 3 + danger) * 2 + usize::from(protected),
            AIM + 32 * man
                + flags([
                    attacked,
                    was_protected,
                    check,
                    promotes && becomes == Role::Queen,
                    threat,
                ]),
            ANSWER
                + 32 * man
                + flags([
                    last(18, to),
                    self.by_last.contains(from),
                    last(20, from),
                    last(19, to) && last(20, from),
                    self.sight[21..26].iter().any(|&set| set != 0),
                ]),
        ];
        rows.map(|row| row as u16)
    }

    /// Does another own man than the one on `except` attack a square?
    fn protected(&self, square: Square, except: Square, occupied: Bitboard) -> bool {
        let set = |man: usize| Bitboard(self.sight[man]).without(except);
        let straight = attacks::rook_attacks(square, occupied) & (set(3) | set(4));
        let slant = attacks::bishop_attacks(square, occupied) & (set(2) | set(4));
        let steps = attacks::king_attacks(square) & set(5);
        let jumps = attacks::knight_attacks(square) & set(1);
        let pawns = attacks::pawn_attacks(Color::Black, square) & set(0);
        ((straight | slant | steps | jumps | pawns) & self.own).any()
    }
}

#[cfg(test)]
mod tests {
    use rules::{Game, Position, Rules};

    use super::*;
    use crate::imitation::{Scene, network::numbers};

    /// The last position of a game, and the rows of its moves by their names.
    fn seen(moves: &str) -> (Lists, Vec<(String, [usize; ROWS_A_MOVE])>) {
        let mut game = Game::new(Position::start(), Rules::none());
        for san in moves.split_whitespace() {
            let m = game.position().parse_san(san).expect("a move");
            game.play(m).expect("legal");
        }
        let moments: Vec<_> = game.moments().take(Scene::MOMENTS).collect();
        let sight = Scene::of(&moments).sight();
        let glance = Glance::new(&sight);
        let mut inputs = Lists::default();
        glance.inputs(&mut inputs);
        let position = game.position();
        let legal = position.legal_moves();
        let rows = numbers(position.turn(), &legal)
            .into_iter()
            .map(|number| glance.rows(number as usize).map(usize::from));
        let names = legal.iter().map(|&m| position.san(m).to_string());
        (inputs, names.zip(rows).collect())
    }

    #[test]
    fn what_a_move_captures_risks_and_answers() {
        let (_, moves) = seen("e4 e5 Nf3 Nc6 Bb5 a6 Bxc6");
        let rows = |name: &str| {
            let found = moves.iter().find(|(san, _)| san == name);
            found.unwrap_or_else(|| panic!("{name} in {moves:?}")).1
        };
        // A pawn takes back a bishop that nobody protects, on a square that is its own pawns' as well.
        let [left, reached, risk, _, answer] = rows("dxc6");
        let (d2, c3) = (Square::D2 as usize, Square::C3 as usize);
        assert_eq!((left, reached), (d2, REACHED + c3), "as the mover sees it");
        assert_eq!(risk, RISK + 3 * 6 + 1);
        assert_eq!(answer, ANSWER + 0b11001, "it recaptures, and flees");
        // A queen that threatens nothing goes where a knight takes it.
        let [_, _, risk, aim, answer] = rows("Qg5");
        assert_eq!(risk, RISK + ((4 * 7) * 3 + 1) * 2);
        assert_eq!(aim, AIM + 32 * 4 + 0b01000, "it was protected");
        assert_eq!(answer, ANSWER + 32 * 4 + 1);
        // The pawn on b7 flees from the bishop.
        assert_eq!(rows("b5")[4], ANSWER + 0b01001);
    }

    #[test]
    fn everything_has_a_place_in_the_tables() {
        for moves in ["", "e4 a6 e5 d5", "e4 a6 e5 d5 exd6 h6 dxc7 h5"] {
            let (inputs, moves) = seen(moves);
            assert!(inputs.rows(0).iter().all(|&row| usize::from(row) < INPUTS));
            let firsts = [0, REACHED, RISK, AIM, ANSWER, ENDINGS];
            for (name, rows) in moves {
                for (row, ends) in rows.iter().zip(firsts.windows(2)) {
                    assert!((ends[0]..ends[1]).contains(row), "{name}: {rows:?}");
                }
            }
        }
    }
}
