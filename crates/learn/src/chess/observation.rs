use std::{fmt, str::FromStr};

use rules::{Color, Game, Moment};

use super::{ChessError, ChessPlanes, Number, View, pettingzoo, salisch, wojcik};

/// How a learner sees a game: always from the side of the one who looks.
///
/// | text | shape | whose |
/// |---|---|---|
/// | `salisch-1` | 69 | document P, version 1: squares, move number, clock, castling, claimable repetition |
/// | `salisch-2` | 66 | document P, version 2: squares, castling |
/// | `wojcik` | 16×8×8 | document W's AlphaZero half |
/// | `wojcik-squares` | 384 | document W's supervised half |
/// | `planes`, `planes:history=4,clock=off` | n×8×8 | ours, see [`ChessPlanes`] |
/// | `pettingzoo` | 8×8×111 | PettingZoo's `chess_v6` |
///
/// ```
/// use learn::chess::Observation;
/// use rules::{Game, Position, Rules};
///
/// let observation: Observation = "salisch-2".parse()?;
/// let game = Game::new(Position::start(), Rules::default());
/// let mut numbers = vec![0_u8; observation.len()];
/// observation.write(&game, game.position().turn(), &mut numbers);
/// assert_eq!(numbers[..8], [10, 8, 9, 11, 12, 9, 8, 10]);
/// assert_eq!(numbers[64..], [3, 3]);
/// # Ok::<(), learn::chess::ChessError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Observation {
    /// Document P, version 1.
    Salisch1,
    /// Document P, version 2.
    Salisch2,
    /// Document W's AlphaZero half.
    Wojcik,
    /// Document W's supervised half.
    WojcikSquares,
    /// Our own planes.
    Planes(ChessPlanes),
    /// PettingZoo's `chess_v6`.
    PettingZoo,
}

/// Every text without settings, for help.
pub(crate) const NAMES: [&str; 6] = [
    "salisch-1",
    "salisch-2",
    "wojcik",
    "wojcik-squares",
    "planes",
    "pettingzoo",
];

impl Observation {
    /// The shape of the array.
    pub fn shape(&self) -> Vec<usize> {
        match self {
            Observation::Salisch1 => vec![salisch::LENGTH_1],
            Observation::Salisch2 => vec![salisch::LENGTH_2],
            Observation::Wojcik => vec![wojcik::PLANES, 8, 8],
            Observation::WojcikSquares => vec![wojcik::SQUARES],
            Observation::Planes(planes) => vec![planes.planes(), 8, 8],
            Observation::PettingZoo => vec![8, 8, pettingzoo::CHANNELS],
        }
    }

    /// How many numbers there are.
    #[allow(clippy::len_without_is_empty)] // none is empty
    pub fn len(&self) -> usize {
        match self {
            Observation::Salisch1 => salisch::LENGTH_1,
            Observation::Salisch2 => salisch::LENGTH_2,
            Observation::Wojcik => wojcik::PLANES * 64,
            Observation::WojcikSquares => wojcik::SQUARES,
            Observation::Planes(planes) => planes.planes() * 64,
            Observation::PettingZoo => pettingzoo::CHANNELS * 64,
        }
    }

    /// The smallest kind of number that holds every value, by the name NumPy gives it.
    pub const fn dtype(&self) -> &'static str {
        match self {
            // Move numbers and clocks do not end at 255.
            Observation::Salisch1 => "int16",
            Observation::Salisch2 | Observation::Wojcik => "uint8",
            Observation::WojcikSquares => "int8",
            // Clocks are hundredths.
            Observation::Planes(_) => "float32",
            Observation::PettingZoo => "bool",
        }
    }

    /// The least and the greatest value of any number. All are finite: Gymnasium warns of others.
    pub const fn bounds(&self) -> (f32, f32) {
        match self {
            Observation::Salisch1 => (0.0, i16::MAX as f32),
            Observation::Salisch2 => (0.0, 12.0),
            Observation::Wojcik | Observation::PettingZoo => (0.0, 1.0),
            Observation::WojcikSquares => (-1.0, 1.0),
            Observation::Planes(planes) if planes.clock || planes.moves => (0.0, f32::MAX),
            Observation::Planes(_) => (0.0, 1.0),
        }
    }

    /// How many positions of a game it shows, the one on the board included.
    pub const fn history(&self) -> usize {
        match self {
            Observation::Planes(planes) => planes.history,
            Observation::PettingZoo => 8,
            _ => 1,
        }
    }

    /// Writes the game as `viewer` sees it into `out`, whose length must be [`Observation::len`].
    pub fn write<T: Number>(&self, game: &Game, viewer: Color, out: &mut [T]) {
        self.write_view(&View::of(game, viewer), out);
    }

    /// Writes the last positions of a game or of a search, the latest first, as the side to move
    /// sees them: what a [`Leaf`](play::Leaf) brings along. No positions are zeros.
    ///
    /// It writes what [`Observation::write`] does if there are as many positions as
    /// [`Observation::history`] asks for, or the whole game. (`pettingzoo` leaves the first position
    /// of a game out and cannot know it here; give it one more than it shows.)
    pub fn write_moments<T: Number>(&self, moments: &[Moment<'_>], out: &mut [T]) {
        match View::of_moments(moments) {
            Some(view) => self.write_view(&view, out),
            None => out.fill(T::ZERO),
        }
    }

    #[inline]
    fn write_view<'a, T: Number>(
        &self,
        view: &View<'a, impl Iterator<Item = Moment<'a>> + Clone>,
        out: &mut [T],
    ) {
        assert_eq!(out.len(), self.len(), "the length of {self}");
        match self {
            Observation::Salisch1 => salisch::write_1(view, out),
            Observation::Salisch2 => salisch::write_2(view, out),
            Observation::Wojcik => wojcik::write_planes(view, out),
            Observation::WojcikSquares => wojcik::write_squares(view, out),
            Observation::Planes(planes) => planes.write(view, out),
            Observation::PettingZoo => pettingzoo::write(view, out),
        }
    }
}

impl FromStr for Observation {
    type Err = ChessError;

    fn from_str(text: &str) -> Result<Observation, ChessError> {
        Ok(match text {
            "salisch-1" => Observation::Salisch1,
            "salisch-2" => Observation::Salisch2,
            "wojcik" => Observation::Wojcik,
            "wojcik-squares" => Observation::WojcikSquares,
            "planes" => Observation::Planes(ChessPlanes::default()),
            "pettingzoo" => Observation::PettingZoo,
            _ => match text.strip_prefix("planes:") {
                Some(parts) => Observation::Planes(ChessPlanes::read(parts)?),
                None => return Err(ChessError::unknown("observation", text, &NAMES)),
            },
        })
    }
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Observation::Salisch1 => f.write_str("salisch-1"),
            Observation::Salisch2 => f.write_str("salisch-2"),
            Observation::Wojcik => f.write_str("wojcik"),
            Observation::WojcikSquares => f.write_str("wojcik-squares"),
            Observation::Planes(planes) => planes.fmt(f),
            Observation::PettingZoo => f.write_str("pettingzoo"),
        }
    }
}
