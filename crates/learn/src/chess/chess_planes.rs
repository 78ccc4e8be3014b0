//! Our own observation: planes of 8×8 for a convolutional network, each part switchable.

use std::fmt;

use play::{Key, Settings, SpecError};
use rules::{Bitboard, CastlingSide, Color, Moment, Role};

use super::{Number, View, view::seen_square};

/// Which planes a network sees. As text: `planes:history=8,repetitions=on,clock=off`.
///
/// A plane has the mover's own first rank first, each rank from the a-file on. In this order:
///
/// | part | planes | what |
/// |---|---|---|
/// | `history` | 12 for each of the last positions | the mover's pawns, knights, bishops, rooks, queens and king, then the other's; the position on the board first, zeros where the game is too young |
/// | `repetitions` | 2 after the men of each position | ones when it had occurred twice, three times |
/// | `castling` | 4 | ones where the mover may castle short, long, the other short, long |
/// | `en-passant` | 1 | the square on which a pawn can be taken in passing |
/// | `clock` | 1 | plies since the last capture or pawn move; hundredths where numbers have fractions |
/// | `moves` | 1 | moves of the game so far; hundredths where numbers have fractions |
/// | `colour` | 1 | ones when the mover is black |
/// | `board` | 1 | ones on the squares that belong to the board, for small ones |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChessPlanes {
    /// How many of the last positions are shown, from 1.
    pub history: usize,
    /// Does each come with how often it had occurred?
    pub repetitions: bool,
    /// Castling rights.
    pub castling: bool,
    /// The square of a capture en passant.
    pub en_passant: bool,
    /// The half-move clock.
    pub clock: bool,
    /// The number of the move.
    pub moves: bool,
    /// The colour of the mover.
    pub colour: bool,
    /// The squares of the board.
    pub board: bool,
}

impl Default for ChessPlanes {
    /// What AlphaZero saw and can matter: eight positions with their repetitions, castling, en
    /// passant, clock.
    fn default() -> ChessPlanes {
        ChessPlanes {
            history: 8,
            repetitions: true,
            castling: true,
            en_passant: true,
            clock: true,
            moves: false,
            colour: false,
            board: false,
        }
    }
}

const KEYS: &[Key] = &[
    Key {
        name: "history",
        meaning: "how many of the last positions are shown, 1 to 32; 8",
    },
    Key {
        name: "repetitions",
        meaning: "how often each had occurred: on (the default) or off",
    },
    Key {
        name: "castling",
        meaning: "castling rights: on (the default) or off",
    },
    Key {
        name: "en-passant",
        meaning: "the square of a capture en passant: on (the default) or off",
    },
    Key {
        name: "clock",
        meaning: "the half-move clock: on (the default) or off",
    },
    Key {
        name: "moves",
        meaning: "the number of the move: on or off (the default)",
    },
    Key {
        name: "colour",
        meaning: "the colour of the mover: on or off (the default)",
    },
    Key {
        name: "board",
        meaning: "the squares of the board: on or off (the default)",
    },
];

impl ChessPlanes {
    /// Reads what stands behind `planes:`.
    pub(crate) fn read(text: &str) -> Result<ChessPlanes, SpecError> {
        let settings = Settings::read("planes", text, false, KEYS)?;
        let default = ChessPlanes::default();
        Ok(ChessPlanes {
            history: settings.number_or("history", 1..=32, default.history)?,
            repetitions: settings.switch("repetitions", default.repetitions)?,
            castling: settings.switch("castling", default.castling)?,
            en_passant: settings.switch("en-passant", default.en_passant)?,
            clock: settings.switch("clock", default.clock)?,
            moves: settings.switch("moves", default.moves)?,
            colour: settings.switch("colour", default.colour)?,
            board: settings.switch("board", default.board)?,
        })
    }

    /// How many planes there are.
    pub fn planes(&self) -> usize {
        self.history * self.planes_a_position()
            + 4 * usize::from(self.castling)
            + [
                self.en_passant,
                self.clock,
                self.moves,
                self.colour,
                self.board,
            ]
            .into_iter()
            .filter(|&on| on)
            .count()
    }

    fn planes_a_position(&self) -> usize {
        12 + 2 * usize::from(self.repetitions)
    }

    pub(crate) fn write<'a, T: Number>(
        &self,
        view: &View<'a, impl Iterator<Item = Moment<'a>> + Clone>,
        out: &mut [T],
    ) {
        out.fill(T::ZERO);
        let (history, rest) = out.split_at_mut(64 * self.history * self.planes_a_position());
        let positions = history.chunks_exact_mut(64 * self.planes_a_position());
        for (planes, moment) in positions.zip(view.moments()) {
            let (men, repetitions) = planes.split_at_mut(12 * 64);
            for (own, first) in [(true, 0), (false, 6)] {
                for (role, plane) in Role::ALL.into_iter().zip(first..) {
                    for square in view.men(moment, own, role) {
                        men[plane * 64 + usize::from(square)] = T::ONE;
                    }
                }
            }
            for (plane, least) in repetitions.chunks_exact_mut(64).zip(2..) {
                if moment.repetitions >= least {
                    plane.fill(T::ONE);
                }
            }
        }
        let position = view.now().position;
        let mut planes = rest.chunks_exact_mut(64);
        let mut fill = |on: bool, value: T| {
            if on && let Some(plane) = planes.next() {
                plane.fill(value);
            }
        };
        let one = |on| if on { T::ONE } else { T::ZERO };
        for own in [true, false] {
            for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                fill(self.castling, one(view.castles(own, side)));
            }
        }
        // Reserves the plane; its square is set below.
        fill(self.en_passant, T::ZERO);
        fill(self.clock, T::scaled(position.halfmoves(), 100));
        fill(self.moves, T::scaled(position.fullmoves(), 100));
        fill(self.colour, one(view.viewer() == Color::Black));
        if self.en_passant
            && let Some(square) = position.en_passant()
        {
            let plane = 64 * 4 * usize::from(self.castling);
            let square = seen_square(view.board(), view.viewer(), square);
            rest[plane + usize::from(square)] = T::ONE;
        }
        if self.board {
            let plane = rest.len() - 64;
            let squares: Bitboard = view.board().squares();
            for square in squares {
                rest[plane + usize::from(square)] = T::ONE;
            }
        }
    }
}

impl fmt::Display for ChessPlanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "planes:history={}", self.history)?;
        for (name, on) in [
            ("repetitions", self.repetitions),
            ("castling", self.castling),
            ("en-passant", self.en_passant),
            ("clock", self.clock),
            ("moves", self.moves),
            ("colour", self.colour),
            ("board", self.board),
        ] {
            write!(f, ",{name}={}", if on { "on" } else { "off" })?;
        }
        Ok(())
    }
}
