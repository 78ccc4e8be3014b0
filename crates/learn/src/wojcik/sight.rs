//! What the networks see.

use rules::{Bitboard, Color, Position, Role, Square};

use super::network_of;
use crate::games::{PackedMove, PackedPosition};

/// Numbers that a network sees: 64 for each kind of piece, in an order that the paper does not state: that of
/// [`Observation::WojcikSquares`](crate::chess::Observation).
pub const INPUTS: usize = 384;

/// The document's 384 numbers, by those that are not zero: 1 where a man of the mover stands, −1 where
/// one of the opponent does. Which square comes first is told by the [`Code`].
#[derive(Clone, Copy, Debug)]
pub struct Sight {
    /// The places of the mover's men, then of the opponent's.
    men: [u16; 64],
    own: u8,
    all: u8,
}

impl Sight {
    /// What is seen of a position.
    pub fn of(position: &PackedPosition, code: Code) -> Sight {
        let order = code.reading(position.turn());
        let mut sight = Sight {
            men: [0; 64],
            own: 0,
            all: 0,
        };
        let sides = Role::ALL.map(|role| position.men(role));
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

    /// The same with the files exchanged.
    pub(super) fn wings_exchanged(mut self) -> Sight {
        let men = &mut self.men[..usize::from(self.all)];
        men.iter_mut().for_each(|place| *place ^= 7);
        self
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

/// How squares are counted and what a network's answers mean. The document's own way is the default: inputs are read
/// from A8 for white and from H1 for black, answers are counted from A8 whoever moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Code {
    /// Are the answers for black counted from H1, as the inputs are?
    pub turned: bool,
    /// Are inputs and answers for black counted from A1? Then a position and the same one with the colours exchanged
    /// look the same. From H1 they are each other's image in a mirror that stands between the wings.
    pub mirrored: bool,
    /// Do only those squares compete that some legal move leaves (the picker) or reaches (the others)?
    pub legal: bool,
}

/// All squares compete.
pub(super) const ALL: u64 = u64::MAX;

/// What turns a square, given as the mover sees it with the board *reflected* for black, into its place when squares are
/// counted from here, as black or white sees the board.
mod from {
    pub const A8_FOR_WHITE: u16 = 56;
    pub const A8_FOR_BLACK: u16 = 0;
    pub const H1_FOR_BLACK: u16 = 63;
    pub const A1_FOR_BLACK: u16 = 56;
}

impl Code {
    /// What turns a square into its place among the inputs.
    fn reading(self, turn: Color) -> u16 {
        match turn {
            Color::White => from::A8_FOR_WHITE,
            Color::Black if self.mirrored => from::A1_FOR_BLACK,
            Color::Black => from::H1_FOR_BLACK,
        }
    }

    /// The number of a square among the answers, given as the mover sees it with the board reflected for black.
    #[inline]
    pub(super) fn answer(self, square: Square, turn: Color) -> usize {
        let order = match turn {
            Color::Black if !self.turned && !self.mirrored => from::A8_FOR_BLACK,
            turn => self.reading(turn),
        };
        square as usize ^ usize::from(order)
    }

    /// The answers of a network that compete in a position, a bit each.
    pub(super) fn competing(self, network: usize, position: &Position) -> u64 {
        if !self.legal {
            return ALL;
        }
        let turn = position.turn();
        let mut competing = 0;
        for m in position.legal_moves() {
            if network == 0 || network == network_of(m.role()) {
                let m = PackedMove::new(m);
                let square = if network == 0 { m.from() } else { m.to() };
                let seen = turn.fold_wb(square, square.flip_vertical());
                competing |= 1 << self.answer(seen, turn);
            }
        }
        competing
    }
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
                let sight = Sight::of(&packed(game.position()), Code::default());
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
            let code = |turned| Code {
                turned,
                ..Code::default()
            };
            assert_eq!(code(false).answer(square, turn), fixed);
            assert_eq!(code(true).answer(square, turn), turned);
        }
    }

    #[test]
    fn only_squares_of_legal_moves_compete() {
        let code = Code {
            turned: true,
            legal: true,
            ..Code::default()
        };
        // In check from e1: the king steps aside or the knight comes between.
        let position = Position::from_fen("7k/8/8/8/8/8/P5N1/r6K w - - 0 1").expect("sound");
        let squares = |squares: &[Square]| {
            let bits = squares
                .iter()
                .map(|&s| 1_u64 << code.answer(s, Color::White));
            bits.sum::<u64>()
        };
        assert_eq!(
            code.competing(0, &position),
            squares(&[Square::H1, Square::G2])
        );
        assert_eq!(code.competing(1, &position), squares(&[Square::H2]));
        assert_eq!(code.competing(5, &position), squares(&[Square::E1]));
        assert_eq!(code.competing(6, &position), 0, "no pawn may move");
        assert_eq!(Code::default().competing(6, &position), ALL);
    }

    #[test]
    fn mirrored_colours_exchanged_look_the_same() {
        let code = Code {
            mirrored: true,
            ..Code::default()
        };
        let sights = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1",
        ]
        .map(|fen| {
            let position = Position::from_fen(fen).expect("sound");
            let mut seen = [0_i8; INPUTS];
            let sight = Sight::of(&packed(&position), code);
            sight.own().iter().for_each(|&i| seen[usize::from(i)] = 1);
            sight
                .others()
                .iter()
                .for_each(|&i| seen[usize::from(i)] = -1);
            seen
        });
        assert_eq!(sights[0], sights[1]);
        // As the mover sees it, a knight leaves c3 in both.
        let answers = [Color::White, Color::Black].map(|turn| code.answer(Square::C3, turn));
        assert_eq!(answers, [42, 42]);
    }
}
