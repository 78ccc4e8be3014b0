//! A position to learn from, in forty bytes.

use pgn_reader::shakmaty::{CastlingSide, Setup};
use rules::{Bitboard, Board, Chess, Color, Position, Role, ShakmatyPosition as _, Square};

use super::{PackedMove, mix::mix};

/// A position of a game, what was played in it and how the game ended, in forty bytes.
///
/// Everything is seen by the side to move: its own men go up the board, so for black the board is
/// turned upside down. Three bit sets number the kind of man on every square (1 pawn to 6 king), a
/// fourth says which are the mover's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct PackedPosition {
    mine: u64,
    kinds: [u64; 3],
    /// Bits 0 to 3: castling rights (mover's king side, queen side, opponent's the same); bit 4:
    /// black is to move; bits 5 and 6: how the game ended for the mover.
    state: u8,
    /// The square behind a pawn that can be taken en passant; 0 for none.
    en_passant: u8,
    last: PackedMove,
    before_last: PackedMove,
    played: PackedMove,
}

/// How a game ended for one side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// Lost.
    Loss,
    /// Drawn.
    Draw,
    /// Won.
    Win,
}

/// How many planes a network sees; see [`PackedPosition::planes`].
pub const PLANES: usize = 21;

impl PackedPosition {
    /// Packs a position of the 8×8 board in which `played` was played, after `last` and, before
    /// that, `before_last`; these three as white sees them.
    #[inline]
    pub fn new(
        chess: &Chess,
        before_last: PackedMove,
        last: PackedMove,
        played: PackedMove,
        ending: Option<Ending>,
    ) -> PackedPosition {
        let (board, turn) = (chess.board(), chess.turn());
        let black = turn == Color::Black;
        let view = |set: Bitboard| if black { set.0.swap_bytes() } else { set.0 };
        let moved = |m: PackedMove| if black { m.mirrored() } else { m };
        let castles = chess.castles();
        let right = |color, side| u8::from(castles.has(color, side));
        let castling = right(turn, CastlingSide::KingSide)
            | (right(turn, CastlingSide::QueenSide) << 1)
            | (right(!turn, CastlingSide::KingSide) << 2)
            | (right(!turn, CastlingSide::QueenSide) << 3);
        let ending = match ending {
            None => 0,
            Some(Ending::Loss) => 1,
            Some(Ending::Draw) => 2,
            Some(Ending::Win) => 3,
        };
        PackedPosition {
            mine: view(board.by_color(turn)),
            kinds: [
                view(board.pawns() | board.bishops() | board.queens()),
                view(board.knights() | board.bishops() | board.kings()),
                view(board.rooks() | board.queens() | board.kings()),
            ],
            state: castling | (u8::from(black) << 4) | (ending << 5),
            en_passant: chess.legal_ep_square().map_or(0, |square| {
                if black {
                    square.flip_vertical() as u8
                } else {
                    square as u8
                }
            }),
            last: moved(last),
            before_last: moved(before_last),
            played: moved(played),
        }
    }

    /// Who is to move.
    pub const fn turn(&self) -> Color {
        if self.state & 16 == 0 {
            Color::White
        } else {
            Color::Black
        }
    }

    /// The squares of a kind of man as the mover sees them: the mover's own, the opponent's.
    #[inline]
    pub const fn men(&self, role: Role) -> (Bitboard, Bitboard) {
        let code = role as u8;
        let mut set = u64::MAX;
        let mut bit = 0;
        while bit < 3 {
            let kind = self.kinds[bit];
            set &= if code & (1 << bit) == 0 { !kind } else { kind };
            bit += 1;
        }
        (Bitboard(set & self.mine), Bitboard(set & !self.mine))
    }

    /// The squares with a man on them, as the mover sees them.
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.kinds[0] | self.kinds[1] | self.kinds[2])
    }

    /// Castling rights: the mover's on the king's side and on the queen's, then the opponent's.
    pub fn castling(&self) -> [bool; 4] {
        std::array::from_fn(|right| self.state & (1 << right) != 0)
    }

    /// The square a pawn can be taken on en passant, as the mover sees it.
    pub const fn en_passant(&self) -> Option<Square> {
        match self.en_passant {
            0 => None,
            square => Some(Square::new(square as u32)),
        }
    }

    /// The opponent's last move, as the mover sees it.
    pub const fn last(&self) -> PackedMove {
        self.last
    }

    /// The mover's own move before that, as the mover sees it.
    pub const fn before_last(&self) -> PackedMove {
        self.before_last
    }

    /// What was played, as the mover sees it: `e2e4` for white's king's pawn, and for black's, which
    /// really went from e7 to e5.
    pub const fn played(&self) -> PackedMove {
        self.played
    }

    /// How the game ended for the mover; nothing when that is not known.
    pub const fn ending(&self) -> Option<Ending> {
        match self.state >> 5 {
            1 => Some(Ending::Loss),
            2 => Some(Ending::Draw),
            3 => Some(Ending::Win),
            _ => None,
        }
    }

    /// What a network sees: 21 sets of squares from the mover's side. Pawns, knights, bishops, rooks,
    /// queens and king of the mover (0 to 5) and of the opponent (6 to 11); castling rights, each the
    /// whole board or nothing (12 to 15); en passant (16); where the last move came from and went to
    /// (17, 18), and the one before (19, 20).
    #[inline]
    pub fn planes(&self) -> [u64; PLANES] {
        let mut planes = [0; PLANES];
        for role in Role::ALL {
            let kind = role as usize - 1;
            let (mine, theirs) = self.men(role);
            planes[kind] = mine.0;
            planes[kind + 6] = theirs.0;
        }
        for right in 0..4 {
            planes[12 + right] = u64::from(self.state >> right & 1).wrapping_neg();
        }
        let square = |square: Square| 1 << square as u32;
        planes[16] = self.en_passant().map_or(0, square);
        for (plane, m) in [(17, self.last), (19, self.before_last)] {
            if !m.is_none() {
                planes[plane] = square(m.from());
                planes[plane + 1] = square(m.to());
            }
        }
        planes
    }

    /// A number that positions share when they are the same: men, side to move, castling rights and
    /// a possible capture en passant. What led to it does not count.
    #[inline]
    pub fn key(&self) -> u64 {
        let rest = u64::from(self.state & 31) | (u64::from(self.en_passant) << 8);
        let [a, b, c] = self.kinds;
        mix(mix(mix(mix(self.mine, a), b), c), rest)
    }

    /// The position on the board as it stood, with its clocks at nought.
    pub fn position(&self) -> Position {
        let turn = self.turn();
        let back = |square: Square| turn.fold_wb(square, square.flip_vertical());
        let mut setup = Setup {
            turn,
            ..Setup::empty()
        };
        for role in Role::ALL {
            let (mine, theirs) = self.men(role);
            for (men, color) in [(mine, turn), (theirs, !turn)] {
                for square in men {
                    setup.board.set_piece_at(back(square), role.of(color));
                }
            }
        }
        let rooks = [Square::H1, Square::A1, Square::H8, Square::A8];
        for (has, rook) in self.castling().into_iter().zip(rooks) {
            if has {
                setup.castling_rights.toggle(back(rook));
            }
        }
        setup.ep_square = self.en_passant().map(back);
        Position::from_setup(Board::STANDARD, setup).expect("it was packed from a position")
    }
}

#[cfg(test)]
mod tests {
    use play::Dice;

    use super::*;

    fn packed(position: &Position) -> PackedPosition {
        let none = PackedMove::NONE;
        PackedPosition::new(position.chess(), none, none, none, None)
    }

    /// Every position of random games, with castling, promotions and captures en passant among them.
    fn positions(mut check: impl FnMut(&Position)) {
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "k7/3PPP2/8/8/8/8/3ppp2/K7 w - - 0 1",
        ];
        let mut dice = Dice::new(1);
        for start in starts {
            for _ in 0..30 {
                let mut position = Position::from_fen(start).unwrap();
                for _ in 0..120 {
                    check(&position);
                    let moves = position.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    position.play(moves[dice.below(moves.len())]);
                }
            }
        }
    }

    #[test]
    fn a_position_comes_back_as_it_was() {
        assert_eq!(size_of::<PackedPosition>(), 40);
        let mut en_passant = 0;
        positions(|position| {
            let back = packed(position).position();
            let placement = |fen: String| fen.rsplitn(3, ' ').nth(2).unwrap().to_owned();
            assert_eq!(placement(back.fen()), placement(position.fen()));
            en_passant += usize::from(position.en_passant().is_some());
        });
        assert!(en_passant > 10);
    }

    #[test]
    fn every_legal_move_comes_back_as_it_was() {
        positions(|position| {
            for m in position.legal_moves() {
                let packed = PackedMove::new(m);
                assert_eq!(packed.unpack(position.chess()), Some(m), "{position}");
                assert_eq!(packed.mirrored().mirrored(), packed);
            }
        });
    }

    /// A position and the one with colours exchanged look the same to who is to move, moves included.
    #[test]
    fn both_colours_see_the_same() {
        positions(|position| {
            let mirrored = position.mirrored();
            assert_eq!(packed(position).planes(), packed(&mirrored).planes());
            assert_ne!(packed(position).key(), packed(&mirrored).key());
            for m in position.legal_moves() {
                let seen = PackedMove::new(m).mirrored();
                assert!(
                    seen.unpack(mirrored.chess())
                        .is_some_and(|m| mirrored.is_legal(m))
                );
            }
        });
    }

    #[test]
    fn planes_show_men_rights_and_the_last_two_moves() {
        // 1. e4 c5 2. e5 d5: white may take en passant; black's last move was d7d5, white's e4e5.
        let mut position = Position::start();
        let mut moves = Vec::new();
        for uci in ["e2e4", "c7c5", "e4e5", "d7d5"] {
            let m = position.parse_uci(uci).unwrap();
            moves.push(PackedMove::new(m));
            position.play(m);
        }
        let played = PackedMove::new(position.parse_uci("e5d6").unwrap());
        let ending = Some(Ending::Win);
        let packed = PackedPosition::new(position.chess(), moves[2], moves[3], played, ending);
        let planes = packed.planes();
        let bit = |square: Square| 1_u64 << square as u32;
        assert_eq!(planes[0].count_ones(), 8);
        assert_eq!(planes[0] & bit(Square::E5), bit(Square::E5));
        assert_eq!(planes[5], bit(Square::E1));
        assert_eq!(planes[11], bit(Square::E8));
        assert_eq!(planes[12..16], [u64::MAX; 4]);
        assert_eq!(planes[16], bit(Square::D6));
        assert_eq!(planes[17..19], [bit(Square::D7), bit(Square::D5)]);
        assert_eq!(planes[19..21], [bit(Square::E4), bit(Square::E5)]);
        assert_eq!((packed.played(), packed.ending()), (played, ending));
        // Black sees its own king's pawn go from e2 to e4.
        let mut position = Position::start();
        position.play(position.parse_uci("g1f3").unwrap());
        let played = PackedMove::new(position.parse_uci("e7e5").unwrap());
        let none = PackedMove::NONE;
        let packed = PackedPosition::new(position.chess(), none, none, played, None);
        assert_eq!(
            (packed.played().from(), packed.played().to()),
            (Square::E2, Square::E4)
        );
        assert_eq!(packed.turn(), Color::Black);
        assert_eq!(packed.planes()[17..], [0; 4]);
    }
}
