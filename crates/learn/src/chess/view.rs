use rules::{Bitboard, Board, CastlingSide, Color, Game, Moment, Role, ShakmatyPosition, Square};

/// A game as one side sees it: its own men first, and the ranks counted from its own.
///
/// For black the board is reflected (rank 1 and rank 8 exchanged, files kept), not turned, so that
/// kings and queens stand on their own files for both sides and the same position with colours
/// exchanged looks the same. A small board is reflected within itself.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, M> {
    moments: M,
    now: Moment<'a>,
    viewer: Color,
    /// Plies since the game's first position.
    plies: usize,
    /// May the side to move claim a draw by repetition?
    repetition_claimable: bool,
}

/// A square as `viewer` counts it.
#[inline]
pub(crate) fn seen_square(board: Board, viewer: Color, square: Square) -> Square {
    match viewer {
        Color::White => square,
        Color::Black => {
            // The rank is taken from the highest of the board; on 8×8 that flips three bits.
            let top = 8 * (board.size() as u32 - 1);
            let square = u32::from(square);
            Square::new(top - (square & !7) + (square & 7))
        }
    }
}

/// A set of squares as `viewer` counts them.
#[inline]
pub(crate) fn seen(board: Board, viewer: Color, squares: Bitboard) -> Bitboard {
    match viewer {
        Color::White => squares,
        Color::Black => Bitboard(squares.0.swap_bytes() >> (8 * (8 - board.size()))),
    }
}

impl<'a> View<'a, ()> {
    /// The game as `viewer` sees it.
    pub fn of(game: &'a Game, viewer: Color) -> View<'a, impl Iterator<Item = Moment<'a>> + Clone> {
        let now = Moment {
            position: game.position(),
            repetitions: game.repetitions() as u32,
            last: game.moves().next_back(),
        };
        View {
            moments: game.moments(),
            now,
            viewer,
            plies: game.plies(),
            repetition_claimable: now.repetitions >= 3,
        }
    }

    /// The last positions of a game or of a search, the latest first, as the side to move sees them;
    /// `None` when there is none.
    pub fn of_moments(
        moments: &'a [Moment<'a>],
    ) -> Option<View<'a, impl Iterator<Item = Moment<'a>> + Clone>> {
        let now = *moments.first()?;
        Some(View {
            moments: moments.iter().copied(),
            now,
            viewer: now.position.turn(),
            plies: moments.len() - 1,
            repetition_claimable: now.repetitions >= 3,
        })
    }
}

impl<'a, M: Iterator<Item = Moment<'a>> + Clone> View<'a, M> {
    /// The position on the board and those before it, the latest first.
    pub(crate) fn moments(&self) -> M {
        self.moments.clone()
    }

    /// The position on the board.
    pub(crate) fn now(&self) -> Moment<'a> {
        self.now
    }

    pub(crate) fn viewer(&self) -> Color {
        self.viewer
    }

    pub(crate) fn board(&self) -> Board {
        self.now.position.board()
    }

    pub(crate) fn plies(&self) -> usize {
        self.plies
    }

    pub(crate) fn repetition_claimable(&self) -> bool {
        self.repetition_claimable
    }

    /// The squares of the men of one kind in a position of the game: the viewer's, or the other's.
    #[inline]
    pub(crate) fn men(&self, moment: Moment<'_>, own: bool, role: Role) -> Bitboard {
        let men = moment.position.men();
        let color = if own { self.viewer } else { !self.viewer };
        seen(
            self.board(),
            self.viewer,
            men.by_color(color) & men.by_role(role),
        )
    }

    /// May the viewer (or the other side) still castle to this side?
    #[inline]
    pub(crate) fn castles(&self, own: bool, side: CastlingSide) -> bool {
        let color = if own { self.viewer } else { !self.viewer };
        self.now.position.chess().castles().has(color, side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_and_sets_are_reflected_alike_within_every_board() {
        for board in Board::ALL {
            for square in board.squares() {
                assert_eq!(seen_square(board, Color::White, square), square);
                let reflected = seen_square(board, Color::Black, square);
                assert_eq!(reflected.file(), square.file());
                assert_eq!(
                    u32::from(reflected.rank()) + u32::from(square.rank()),
                    board.size() as u32 - 1
                );
                let set = seen(board, Color::Black, Bitboard::from(square));
                assert_eq!(set, Bitboard::from(reflected));
            }
        }
    }
}
