//! What the networks see.

use rules::{Bitboard, Color, Role, Square};

use crate::games::PackedPosition;

/// Numbers that a network sees: 64 for each kind of piece.
pub const INPUTS: usize = 384;

/// The kinds of pieces in the order of the inputs, which the paper does not state: that of
/// [`Observation::WojcikSquares`](crate::chess::Observation).
const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

/// The document's 384 numbers, by those that are not zero: 1 where a man of the mover stands, −1 where
/// one of the opponent does. A8 comes first for white, H1 for black.
#[derive(Clone, Copy, Debug)]
pub struct Sight {
    /// The places of the mover's men, then of the opponent's.
    men: [u16; 64],
    own: u8,
    all: u8,
}

impl Sight {
    /// What is seen of a position.
    pub fn of(position: &PackedPosition) -> Sight {
        let order = reading(position.turn());
        let mut sight = Sight {
            men: [0; 64],
            own: 0,
            all: 0,
        };
        let sides = ROLES.map(|role| position.men(role));
        sight.add(sides.map(|(own, _)| own), order);
        sight.own = sight.all;
        sight.add(sides.map(|(_, others)| others), order);
        sight
    }

    /// Adds the men of a side, by their kinds.
    fn add(&mut self, men: [Bitboard; 6], order: u16) {
        for (place, men) in (0..).step_by(64).zip(men) {
            for square in men {
                self.men[usize::from(self.all)] = place + (square as u16 ^ order);
                self.all += 1;
            }
        }
    }

    /// The numbers that are 1.
    pub fn own(&self) -> &[u16] {
        &self.men[..usize::from(self.own)]
    }

    /// The numbers that are −1.
    pub fn others(&self) -> &[u16] {
        &self.men[usize::from(self.own)..usize::from(self.all)]
    }
}

/// What turns a square as the mover sees it, with the board *reflected* for black, into its place when
/// squares are read from A8 (white) or from H1 (black).
fn reading(turn: Color) -> u16 {
    match turn {
        Color::White => 56,
        Color::Black => 63,
    }
}

/// The number of a square among a network's answers, given as the mover sees it with the board
/// reflected for black. The document counts from A8 whoever moves; `turned` reads the answers for
/// black from H1, as it reads the inputs.
#[inline]
pub(super) fn answer(square: Square, turn: Color, turned: bool) -> usize {
    let order = match (turn, turned) {
        (Color::White, _) => 56,
        (Color::Black, false) => 0,
        (Color::Black, true) => 63,
    };
    square as usize ^ order
}

#[cfg(test)]
mod tests {
    use rules::{Game, Position, Rules};

    use super::*;
    use crate::games::PackedMove;

    fn packed(position: &Position) -> PackedPosition {
        let none = PackedMove::NONE;
        PackedPosition::new(position.chess(), none, none, none, None)
    }

    #[test]
    fn it_is_the_observation_of_the_environment() {
        use crate::chess::Observation;
        let observation = Observation::WojcikSquares;
        let mut dice = play::Dice::new(1);
        for _ in 0..20 {
            let mut game = Game::new(Position::start(), Rules::fide());
            while game.outcome().is_none() && game.plies() < 120 {
                let mut expected = vec![0_i8; INPUTS];
                observation.write(&game, game.position().turn(), &mut expected);
                let sight = Sight::of(&packed(game.position()));
                let mut seen = vec![0_i8; INPUTS];
                for &place in sight.own() {
                    seen[usize::from(place)] += 1;
                }
                for &place in sight.others() {
                    seen[usize::from(place)] -= 1;
                }
                assert_eq!(seen, expected, "{}", game.position().fen());
                let moves = game.position().legal_moves();
                game.play_legal(moves[dice.below(moves.len())]);
            }
        }
    }

    #[test]
    fn answers_are_counted_from_a8_for_both_sides() {
        // As the mover sees it, black's e7 is e2.
        for (square, turn, fixed, turned) in [
            (Square::A8, Color::White, 0, 0),
            (Square::H1, Color::White, 63, 63),
            (Square::E2, Color::White, 52, 52),
            (Square::E2, Color::Black, 12, 51), // e7 is 12 from A8, and the 51st from H1
            (Square::A1, Color::Black, 0, 63),
            (Square::G1, Color::Black, 6, 57), // black castles to 6, the document says
        ] {
            assert_eq!(answer(square, turn, false), fixed);
            assert_eq!(answer(square, turn, true), turned);
        }
    }
}
