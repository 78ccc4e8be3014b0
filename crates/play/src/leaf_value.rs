//! What a leaf of a search is worth, by name: document Y's formula 6.1, and our own.

use std::sync::Arc;

use rules::{Bitboard, Board, Color, FewMen, FewMenRules, Role, Square};

use crate::{
    distance::manhattan,
    mop_up, piece_square,
    search::{AGE_OF_ESTIMATES, GRAIN},
    tiny_network::TinyNetwork,
    tree::{Men, Tree},
};

/// How a search values a position it looks no further into.
#[derive(Clone, PartialEq, Debug)]
pub enum LeafValue {
    /// Formula 6.1 of document Y: β₁·(14 − Manhattan distance of the kings) + β₂·(Manhattan
    /// distance of the bare king to the nearest central square). Mate counts 100 and a draw 0.
    Ypma {
        /// Weight of the kings' distance; the thesis uses 2.
        beta1: i32,
        /// Weight of the distance to the centre; the thesis uses 5.
        beta2: i32,
    },
    /// Table 5.2 of document Y, an example of an evaluation: 10 for the bare king in a corner, otherwise its
    /// distance d to the edge, counted for white where it is close to the edge (here: d is 0 or 1) and against
    /// white where it is far. Mate counts 50 and a draw −50, so a draw is worse than any position.
    YpmaEdge,
    /// Our own: a measure of progress towards mate against a bare king ([`mop_up`]), and material
    /// with piece-square tables otherwise.
    MopUp,
    /// A small network's guess of the moves to mate.
    Network(Arc<TinyNetwork>),
}

/// What a mate that is no moves away would be worth by a network's guess; whatever it guesses, the
/// value stays far from 0 and from a mate that has been found.
const ESTIMATE_BASE: i32 = 1_000_000;

/// Positions in which one side has nothing but its king.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BareKing {
    pub board: Board,
    /// The side that wants to mate.
    pub strong: Color,
    /// Its king.
    pub king: Square,
    /// The bare king.
    pub bare: Square,
    pub queens: Bitboard,
    pub rooks: Bitboard,
    pub bishops: Bitboard,
    pub knights: Bitboard,
    pub pawns: Bitboard,
}

impl BareKing {
    /// `None` when both sides have pieces, or neither.
    #[inline]
    pub fn of(men: &Men) -> Option<BareKing> {
        let strong = match (men.white.more_than_one(), men.black.more_than_one()) {
            (true, false) => Color::White,
            (false, true) => Color::Black,
            _ => return None,
        };
        let (ours, theirs) = strong.fold_wb((men.white, men.black), (men.black, men.white));
        Some(BareKing {
            board: men.board,
            strong,
            king: (men.kings & ours).first()?,
            bare: theirs.first()?,
            queens: men.queens,
            rooks: men.rooks,
            bishops: men.bishops,
            knights: men.knights,
            pawns: men.pawns,
        })
    }

    /// The same where it is known that only `strong` has pieces; `None` when the last of them is taken.
    #[inline]
    pub fn of_few_men(rules: &FewMenRules, strong: Color, men: FewMen) -> Option<BareKing> {
        let mut sets = [Bitboard::EMPTY; 4];
        for (square, piece) in men.others.iter().zip(rules.others()) {
            if let (Some(square), Some(piece)) = (square, piece) {
                let set = match piece.role {
                    Role::Queen => 0,
                    Role::Rook => 1,
                    Role::Bishop => 2,
                    _ => 3,
                };
                sets[set].add(*square);
            }
        }
        let [queens, rooks, bishops, knights] = sets;
        let pieces = queens | rooks | bishops | knights;
        pieces.any().then(|| BareKing {
            board: rules.board(),
            strong,
            king: men.king(strong),
            bare: men.king(!strong),
            queens,
            rooks,
            bishops,
            knights,
            pawns: Bitboard::EMPTY,
        })
    }
}

impl LeafValue {
    /// The value for the side to move.
    #[inline]
    pub(crate) fn value(&self, men: &Men) -> i32 {
        let white = match (self, BareKing::of(men)) {
            (LeafValue::Network(network), Some(bare)) => {
                return network_value(network, &bare, men.turn);
            }
            (LeafValue::Network(_), None) => 0,
            (LeafValue::Ypma { beta1, beta2 }, Some(bare)) => {
                signed(bare.strong, ypma(&bare, *beta1, *beta2))
            }
            (LeafValue::YpmaEdge, Some(bare)) => signed(bare.strong, ypma_edge(&bare)),
            (LeafValue::Ypma { .. } | LeafValue::YpmaEdge, None) => 0,
            (LeafValue::MopUp, Some(bare)) if bare.pawns.is_empty() => {
                signed(bare.strong, mop_up::progress(&bare))
            }
            (LeafValue::MopUp, _) => piece_square::value(men),
        };
        signed(men.turn, white)
    }

    /// Is it one of document Y's, which do not ask how long a line is?
    pub(crate) fn is_document_ys(&self) -> bool {
        matches!(self, LeafValue::Ypma { .. } | LeafValue::YpmaEdge)
    }

    /// The value for the side to move, as the search counts.
    #[inline]
    pub(crate) fn in_search<T: Tree>(&self, tree: &T, node: &T::Node) -> i32 {
        match self {
            LeafValue::Network(network) => {
                if let Some((strong, trio)) = tree.trio(node)
                    && let Some(moves) = network.moves_of_trio(&trio)
                {
                    return estimate(moves, tree.turn(node) == strong);
                }
                match tree.bare_king(node) {
                    Some(bare) => network_value(network, &bare, tree.turn(node)),
                    None => 0,
                }
            }
            _ => self.value(&tree.men(node)) * GRAIN,
        }
    }

    /// The moves that are left until mate, as far as this evaluation has an opinion.
    pub(crate) fn moves_left(&self, men: &Men) -> Option<f32> {
        match self {
            LeafValue::Network(network) => {
                let moves = network.moves_of(&BareKing::of(men)?)?;
                Some(moves.clamp(0.0, 60.0))
            }
            _ => None,
        }
    }

    /// The side whose progress is measured, when this is an evaluation of progress and the position
    /// one it applies to.
    pub(crate) fn measures_progress(&self, men: &Men) -> Option<Color> {
        match self {
            LeafValue::Ypma { .. } | LeafValue::YpmaEdge => None,
            LeafValue::MopUp | LeafValue::Network(_) => BareKing::of(men)
                .filter(|bare| bare.pawns.is_empty())
                .map(|bare| bare.strong),
        }
    }

    /// The side that is to move in positions this evaluation was made for, where one side is bare.
    pub(crate) fn side_to_ask(&self, strong: Color) -> Color {
        match self {
            LeafValue::Network(network) if network.blueprint().bare_to_move => !strong,
            _ => strong,
        }
    }
}

/// A network's value for the side to move.
#[inline]
fn network_value(network: &TinyNetwork, bare: &BareKing, turn: Color) -> i32 {
    let moves = network.moves_of(bare);
    moves.map_or(0, |moves| estimate(moves, turn == bare.strong))
}

/// A guess of the moves to mate in plies of the search, so that what is behind and what is ahead add up.
#[inline]
fn estimate(moves: f32, strong_to_move: bool) -> i32 {
    let plies = (moves * (2 * AGE_OF_ESTIMATES) as f32).clamp(0.0, 1e5) as i32;
    let value = ESTIMATE_BASE - plies;
    if strong_to_move { value } else { -value }
}

#[inline]
fn signed(color: Color, value: i32) -> i32 {
    color.fold_wb(value, -value)
}

/// On boards other than 8×8, 14 becomes the greatest distance there.
#[inline]
fn ypma(bare: &BareKing, beta1: i32, beta2: i32) -> i32 {
    let greatest = 2 * (bare.board.size() as i32 - 1);
    let kings = manhattan(bare.king, bare.bare) as i32;
    beta1 * (greatest - kings) + beta2 * to_centre(bare.board, bare.bare)
}

/// To the search a draw is worth 0 and a mate more than anything, so that the table's scale begins at its −50.
#[inline]
fn ypma_edge(bare: &BareKing) -> i32 {
    const DRAW: i32 = -50;
    let last = bare.board.size() as i32 - 1;
    let square = u32::from(bare.bare) as i32;
    let to_edge = |x: i32| x.min(last - x);
    let (file, rank) = (to_edge(square & 7), to_edge(square >> 3));
    let value = match file.min(rank) {
        0 if file == rank => 10,
        close @ 0..=1 => close,
        far => -far,
    };
    value - DRAW
}

/// Manhattan distance to the nearest of the central squares.
#[inline]
pub(crate) fn to_centre(board: Board, square: Square) -> i32 {
    let last = board.size() as i32 - 1;
    let square = u32::from(square) as i32;
    let along = |x: i32| ((2 * x - last).abs()) / 2;
    along(square & 7) + along(square >> 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_5_2_values_the_bare_kings_place() {
        for (bare, value) in [
            (Square::A1, 10),
            (Square::H8, 10),
            (Square::D1, 0),
            (Square::C2, 1),
            (Square::F3, -2),
            (Square::E4, -3),
        ] {
            let men = BareKing {
                board: Board::STANDARD,
                strong: Color::White,
                king: Square::A6,
                bare,
                queens: Bitboard::EMPTY,
                rooks: Bitboard::from_square(Square::H6),
                bishops: Bitboard::EMPTY,
                knights: Bitboard::EMPTY,
                pawns: Bitboard::EMPTY,
            };
            assert_eq!(ypma_edge(&men), 50 + value, "{bare}");
        }
    }

    #[test]
    fn the_distance_to_the_centre_is_the_thesis_one_on_every_board() {
        for board in Board::ALL {
            for square in board.squares() {
                let nearest = board
                    .centre()
                    .into_iter()
                    .map(|centre| manhattan(square, centre) as i32)
                    .min();
                assert_eq!(Some(to_centre(board, square)), nearest, "{board} {square}");
            }
        }
    }
}
