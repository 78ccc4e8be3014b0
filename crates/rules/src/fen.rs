//! FEN, strict, for every board size.
//!
//! The usual six fields; the last four may be left out (`- - 0 1`). A placement of N ranks of N
//! files is a position on the N×N board.

use std::num::NonZeroU32;

use shakmaty::{Color, Piece, Setup, Square};

use crate::{Board, BoardError, Position, PositionError};

/// What is wrong with a FEN, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FenError {
    /// The placement has a number of ranks that no board has.
    #[error("the placement has {ranks} ranks: {source}")]
    Ranks {
        /// How many ranks there are.
        ranks: usize,
        /// Why that is no board.
        source: BoardError,
    },
    /// A character that is neither a piece nor a count of empty squares.
    #[error(
        "character {column} ('{found}') is neither a piece (KQRBNPkqrbnp) nor a number of empty squares"
    )]
    Character {
        /// The character.
        found: char,
        /// Its column, counted from 1.
        column: usize,
    },
    /// A rank with too few or too many files.
    #[error("rank {rank} has {files} files instead of {expected}")]
    Files {
        /// The rank as players number it.
        rank: usize,
        /// How many files it has.
        files: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A field that does not hold what it should.
    #[error("field {number} ({name}) is '{found}', expected {expected}")]
    Field {
        /// The field, counted from 1.
        number: usize,
        /// What the field is for.
        name: &'static str,
        /// What it holds.
        found: String,
        /// What it should hold.
        expected: &'static str,
    },
    /// More than six fields.
    #[error("there are {0} fields; FEN has at most six")]
    TooManyFields(usize),
    /// No side to move.
    #[error("the side to move is missing: add ' w' or ' b' after the placement")]
    NoTurn,
    /// Well-formed text, impossible position.
    #[error("impossible position: {0}")]
    Position(#[from] PositionError),
}

pub(crate) fn read(text: &str) -> Result<Position, FenError> {
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    if fields.len() > 6 {
        return Err(FenError::TooManyFields(fields.len()));
    }
    let (board, men) = placement(fields.first().copied().unwrap_or_default())?;
    let refuse = |number: usize, name, expected| FenError::Field {
        number,
        name,
        found: fields[number - 1].to_owned(),
        expected,
    };
    let mut setup = Setup {
        board: men,
        ..Setup::empty()
    };
    setup.turn = match fields.get(1) {
        None => return Err(FenError::NoTurn),
        Some(&"w") => Color::White,
        Some(&"b") => Color::Black,
        Some(_) => return Err(refuse(2, "side to move", "'w' or 'b'")),
    };
    let castling = *fields.get(2).unwrap_or(&"-");
    if castling != "-" {
        let mut rest = castling;
        for (letter, rook) in [
            ('K', Square::H1),
            ('Q', Square::A1),
            ('k', Square::H8),
            ('q', Square::A8),
        ] {
            if let Some(after) = rest.strip_prefix(letter) {
                setup.castling_rights.add(rook);
                rest = after;
            }
        }
        if !rest.is_empty() || castling.is_empty() || !board.is_standard() {
            return Err(refuse(
                3,
                "castling",
                "'-' or letters of 'KQkq' in this order (8×8 only)",
            ));
        }
    }
    setup.ep_square = match fields.get(3) {
        None | Some(&"-") => None,
        Some(square) => Some(
            square
                .parse()
                .map_err(|_| refuse(4, "en passant", "'-' or a square such as e3"))?,
        ),
    };
    if let Some(clock) = fields.get(4) {
        setup.halfmoves =
            number(clock).ok_or_else(|| refuse(5, "half-move clock", "a number from 0"))?;
    }
    if let Some(clock) = fields.get(5) {
        setup.fullmoves = number(clock)
            .and_then(NonZeroU32::new)
            .ok_or_else(|| refuse(6, "move number", "a number from 1"))?;
    }
    Ok(Position::from_setup(board, setup)?)
}

/// A small plain number: no sign, no more digits than a game can need.
fn number(text: &str) -> Option<u32> {
    (text.len() <= 5 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

fn placement(text: &str) -> Result<(Board, shakmaty::Board), FenError> {
    let ranks: Vec<&str> = text.split('/').collect();
    let board = Board::new(ranks.len()).map_err(|source| FenError::Ranks {
        ranks: ranks.len(),
        source,
    })?;
    let size = board.size();
    let mut men = shakmaty::Board::empty();
    let mut column = 0;
    for (i, row) in ranks.iter().enumerate() {
        let rank = size - i;
        let mut file = 0;
        for c in row.chars() {
            column += 1;
            if let Some(empty @ 1..=8) = c.to_digit(10) {
                file += empty as usize;
            } else if let Some(piece) = Piece::from_char(c) {
                if file < size {
                    men.set_piece_at(Square::new((file + 8 * (rank - 1)) as u32), piece);
                }
                file += 1;
            } else {
                return Err(FenError::Character { found: c, column });
            }
        }
        if file != size {
            return Err(FenError::Files {
                rank,
                files: file,
                expected: size,
            });
        }
        column += 1; // the slash
    }
    Ok((board, men))
}

pub(crate) fn write(position: &Position) -> String {
    let fen = position.to_fen().to_string();
    if position.board().is_standard() {
        return fen;
    }
    let size = position.board().size() as u32;
    let (_, fields) = fen.split_once(' ').expect("FEN has six fields");
    let mut text = String::new();
    for rank in (0..size).rev() {
        let mut empty = 0;
        for file in 0..size {
            match position.men().piece_at(Square::new(file + 8 * rank)) {
                None => empty += 1,
                Some(piece) => {
                    if empty > 0 {
                        text.push_str(&empty.to_string());
                        empty = 0;
                    }
                    text.push(piece.char());
                }
            }
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
        text.push(if rank == 0 { ' ' } else { '/' });
    }
    text + fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_on_every_board() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
            "8/8/8/3k4/8/8/8/KBN5 w - - 12 40",
            "k4/5/1K3/5/4R w - - 0 1",
            "k3/4/1K2/Q3 b - - 7 9",
        ] {
            assert_eq!(Position::from_fen(fen).expect(fen).fen(), fen);
        }
        assert_eq!(
            Position::from_fen("k4/5/1K3/5/4R w").unwrap().fen(),
            "k4/5/1K3/5/4R w - - 0 1"
        );
    }

    #[test]
    fn every_refusal_says_what_is_wrong_and_where() {
        for (fen, what) in [
            ("", "1 ranks"),
            ("8/8/8 w", "3 ranks"),
            ("8/8/8/8/8/8/8/8/8 w", "9 ranks"),
            ("k7/8/8/9/8/8/8/K7 w", "character 8 ('9')"),
            ("k7/8/8/x7/8/8/8/K7 w", "character 8 ('x')"),
            ("k7/8/8/7/8/8/8/K7 w", "rank 5 has 7 files"),
            ("k7/8/8/8/8/8/8/K7", "side to move is missing"),
            ("k7/8/8/8/8/8/8/K7 x", "field 2"),
            ("k7/8/8/8/8/8/8/K7 w KK", "field 3"),
            ("k7/8/8/8/8/8/8/K7 w K", "castling rights"),
            ("k7/8/8/8/8/8/8/K7 w - e9", "field 4"),
            ("k7/8/8/8/8/8/8/K7 w - e6", "en passant square e6"),
            ("k7/8/8/8/8/8/8/K7 w - - x", "field 5"),
            ("k7/8/8/8/8/8/8/K7 w - - 0 0", "field 6"),
            ("k7/8/8/8/8/8/8/K7 w - - 0 1 2", "7 fields"),
            ("8/8/8/8/8/8/8/K7 w", "black has 0 kings"),
            ("k7/8/8/8/8/8/8/KK6 w", "white has 2 kings"),
            ("8/8/8/8/8/8/k7/K7 w", "touch"),
            ("k7/8/8/8/8/8/8/K6R w - -", ""),
            ("k7/8/8/8/8/8/R7/1K6 w", "king on a8"),
            ("kP6/8/8/8/8/8/8/K7 w", "pawn cannot stand on b8"),
            ("k4/5/5/1P3/4K w", "no pawns"),
        ] {
            match Position::from_fen(fen) {
                Err(error) => {
                    assert!(
                        !what.is_empty() && error.to_string().contains(what),
                        "{fen}: {error}"
                    );
                }
                Ok(_) => assert!(what.is_empty(), "{fen} should be refused"),
            }
        }
    }
}
