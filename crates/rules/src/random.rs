use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use shakmaty::{Color, Piece, Role, Square};

use crate::{Board, Material, Position};

/// Uniform random legal positions of one signature, the same for the same seed.
///
/// Every legal position is equally likely, mates and stalemates included: squares are drawn for
/// all men and thrown away together when the position is impossible.
///
/// ```
/// use rules::{Board, Color, RandomPositions};
/// let mut positions =
///     RandomPositions::new("KRK".parse()?, Board::STANDARD, Some(Color::White), 1);
/// assert_eq!(positions.next_position().material().to_string(), "KRK");
/// # Ok::<(), rules::MaterialError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RandomPositions {
    men: Vec<Piece>,
    board: Board,
    turn: Option<Color>,
    random: ChaCha8Rng,
}

impl RandomPositions {
    /// A stream of positions; without `turn`, either side is to move with equal chance.
    pub fn new(material: Material, board: Board, turn: Option<Color>, seed: u64) -> Self {
        let men = Color::ALL
            .into_iter()
            .flat_map(|color| {
                std::iter::once(Role::King)
                    .chain(material.side(color).roles())
                    .map(move |role| Piece { color, role })
            })
            .collect();
        RandomPositions {
            men,
            board,
            turn,
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// The next position.
    ///
    /// It never returns when there is none, as with many queens around a king on a small board;
    /// [`RandomPositions::next_within`] does.
    pub fn next_position(&mut self) -> Position {
        self.next_within(usize::MAX)
            .expect("nobody waits for so many attempts")
    }

    /// The next position, or `None` when so many attempts in a row made no possible one.
    pub fn next_within(&mut self, attempts: usize) -> Option<Position> {
        let size = self.board.size() as u32;
        let turn = self.turn.unwrap_or_else(|| {
            if self.random.next_u32() & 1 == 0 {
                Color::White
            } else {
                Color::Black
            }
        });
        for _ in 0..attempts {
            let mut taken = shakmaty::Bitboard::EMPTY;
            let mut pieces = Vec::with_capacity(self.men.len());
            for &piece in &self.men {
                let file = self.random.random_range(0..size);
                let rank = self.random.random_range(0..size);
                let square = Square::new(file + 8 * rank);
                pieces.push((square, piece));
                taken.add(square);
            }
            if taken.count() == pieces.len()
                && let Ok(position) = Position::from_pieces(self.board, pieces, turn)
            {
                return Some(position);
            }
        }
        None
    }
}

impl Iterator for RandomPositions {
    type Item = Position;

    fn next(&mut self) -> Option<Position> {
        Some(self.next_position())
    }
}
