//! Positions, moves, outcomes and symmetries of chess, on the 8×8 board and on small boards.
//!
//! One [`Position`] type serves everything. An N×N board is the lower-left corner of the 8×8
//! board: its legal moves are the legal moves of the big board whose destination lies inside the
//! corner, because a ray that leaves the corner never comes back. Check needs no change, and mate
//! and stalemate follow from the filtered list. So an endgame on 5×5 and a full game of chess are
//! the same type, and no generic parameter runs through the code.
//!
//! ```
//! use rules::Position;
//!
//! let position = Position::from_fen("k4/5/1K3/5/4R w")?;
//! assert_eq!(position.board().size(), 5);
//! assert_eq!(position.material().to_string(), "KRK");
//! assert!(position.legal_moves().iter().all(|m| position.board().contains(m.to())));
//! # Ok::<(), rules::FenError>(())
//! ```
#![deny(missing_docs)]

mod board;
mod draw_rules;
mod epd;
mod fen;
mod few_men;
mod few_men_index;
mod few_men_rules;
mod game;
mod king_pairs;
mod material;
mod opening_names;
mod outcome;
mod pgn;
pub mod plain_file;
mod polyglot;
mod position;
mod random;
mod san;
mod scattered;
mod symmetry;

pub use board::{Board, BoardError};
pub use draw_rules::{MoveRule, Repetition, Rules, RulesError};
pub use epd::{Epd, EpdError, EpdErrorKind, EpdFileError, Operand, Operation};
pub use fen::FenError;
pub use few_men::{FewMen, FewMove, Targets};
pub use few_men_index::FewMenIndex;
pub use few_men_rules::{BoardEnding, FewMenError, FewMenRules};
pub use game::{Game, IllegalMove, Moment, Standing};
pub use king_pairs::KingPairs;
pub use material::{Material, MaterialError, Side};
pub use opening_names::opening_name;
pub use outcome::{Outcome, Reason};
pub use pgn::{Pgn, PgnError, PgnErrorKind, PgnReader, PgnResult, TagError, Tags};
pub use polyglot::{Book, BookError, BookErrorKind};
pub use position::{Position, PositionError};
pub use random::RandomPositions;
pub use san::SanError;
pub use scattered::scattered_position;
pub use symmetry::Symmetry;

pub use shakmaty::Position as ShakmatyPosition;
/// The chess vocabulary the whole project shares, from [`shakmaty`].
pub use shakmaty::{
    Bitboard, CastlingSide, Chess, Color, EnPassantMode, Move, MoveList, Piece, Role, Square,
    attacks,
};
