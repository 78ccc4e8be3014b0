use std::{fmt, num::NonZeroU32};

use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, EnPassantMode, Move, MoveList, Piece, Position as _,
    PositionErrorKinds, Role, Setup, Square, fen::Fen, uci::UciMove,
};

use crate::{Board, FenError, Material, Side, Symmetry};

/// A position of chess on a board of 4×4 to 8×8, with the side to move.
///
/// On small boards there are no pawns and no castling; everything else is the same game.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    chess: Chess,
    board: Board,
}

/// Why a set of pieces is not a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PositionError {
    /// A side has no king, or more than one.
    #[error("{} has {count} kings instead of one", name(*.color))]
    Kings {
        /// Whose kings they are.
        color: Color,
        /// How many there are.
        count: usize,
    },
    /// The kings stand next to each other.
    #[error("the kings on {white} and {black} touch")]
    KingsTouch {
        /// White's king.
        white: Square,
        /// Black's king.
        black: Square,
    },
    /// The side that has just moved is in check.
    #[error("{} is to move and could take the king on {king}", name(*.turn))]
    KingCouldBeTaken {
        /// The side to move.
        turn: Color,
        /// The king in check.
        king: Square,
    },
    /// A pawn on the first or last rank.
    #[error("a pawn cannot stand on {0}")]
    PawnOnBackRank(Square),
    /// A pawn on a small board.
    #[error("a pawn on {square}: boards smaller than 8×8 have no pawns")]
    PawnOnSmallBoard {
        /// Where it stands.
        square: Square,
    },
    /// A man outside the board.
    #[error("{square} lies outside the {board} board")]
    OutsideBoard {
        /// Where it stands.
        square: Square,
        /// The board.
        board: Board,
    },
    /// Castling rights without king and rook in place.
    #[error("castling rights that the kings and rooks do not support")]
    Castling,
    /// An en passant square behind no pawn that has just advanced two squares.
    #[error("en passant square {0} is not behind a pawn that has just advanced two squares")]
    EnPassant(Square),
}

fn name(color: Color) -> &'static str {
    color.fold_wb("white", "black")
}

impl Position {
    /// The start position of chess.
    pub fn start() -> Position {
        Position {
            chess: Chess::default(),
            board: Board::STANDARD,
        }
    }

    /// Reads FEN; a text of N ranks of N files is a position on the N×N board.
    ///
    /// # Errors
    /// When the text is malformed or the position impossible; the error says what and where.
    pub fn from_fen(text: &str) -> Result<Position, FenError> {
        crate::fen::read(text)
    }

    /// The position as FEN, on its own board size.
    pub fn fen(&self) -> String {
        crate::fen::write(self)
    }

    /// A position of pieces on squares.
    ///
    /// # Errors
    /// When the position is impossible.
    pub fn from_pieces(
        board: Board,
        pieces: impl IntoIterator<Item = (Square, Piece)>,
        turn: Color,
    ) -> Result<Position, PositionError> {
        let mut setup = Setup {
            turn,
            ..Setup::empty()
        };
        for (square, piece) in pieces {
            setup.board.set_piece_at(square, piece);
        }
        Position::from_setup(board, setup)
    }

    /// A position from shakmaty's loose description of one.
    ///
    /// Checks that could not have arisen from a legal move are let through, because exact tables
    /// hold such positions and Gaviota, Syzygy and Stockfish answer them.
    ///
    /// # Errors
    /// When the position is impossible.
    #[allow(clippy::result_large_err)] // shakmaty's error hands the whole position back
    pub fn from_setup(board: Board, setup: Setup) -> Result<Position, PositionError> {
        let men = &setup.board;
        if let Some(square) = men.occupied().without(board.squares()).first() {
            return Err(PositionError::OutsideBoard { square, board });
        }
        if let Some(square) = men.pawns().first()
            && !board.is_standard()
        {
            return Err(PositionError::PawnOnSmallBoard { square });
        }
        let king = |color| {
            let kings = men.kings() & men.by_color(color);
            kings.single_square().ok_or(PositionError::Kings {
                color,
                count: kings.count(),
            })
        };
        let (white, black) = (king(Color::White)?, king(Color::Black)?);
        if shakmaty::attacks::king_attacks(white).contains(black) {
            return Err(PositionError::KingsTouch { white, black });
        }
        if let Some(square) = (men.pawns() & Bitboard::BACKRANKS).first() {
            return Err(PositionError::PawnOnBackRank(square));
        }
        let turn = setup.turn;
        let ep_square = setup.ep_square;
        let chess = setup
            .position::<Chess>(CastlingMode::Standard)
            .or_else(|e| e.ignore_too_much_material())
            .or_else(|e| e.ignore_impossible_check())
            .map_err(|e| match e.kinds() {
                kinds if kinds.contains(PositionErrorKinds::OPPOSITE_CHECK) => {
                    PositionError::KingCouldBeTaken {
                        turn,
                        king: turn.fold_wb(black, white),
                    }
                }
                kinds if kinds.contains(PositionErrorKinds::INVALID_CASTLING_RIGHTS) => {
                    PositionError::Castling
                }
                // Every other kind was ruled out above, so only the en passant square remains.
                _ => PositionError::EnPassant(ep_square.unwrap_or(Square::A1)),
            })?;
        Ok(Position { chess, board })
    }

    /// The board it is played on.
    pub const fn board(&self) -> Board {
        self.board
    }

    /// The same position as shakmaty sees it, on the 8×8 board.
    pub const fn chess(&self) -> &Chess {
        &self.chess
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    /// The men on the board.
    pub fn men(&self) -> &shakmaty::Board {
        self.chess.board()
    }

    /// How many men are on the board.
    pub fn men_count(&self) -> usize {
        self.men().occupied().count()
    }

    /// The square of a side's king.
    pub fn king(&self, color: Color) -> Square {
        self.men()
            .king_of(color)
            .expect("every position has both kings")
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        self.chess.halfmoves()
    }

    /// The same position with its clocks set back: no ply since a capture or pawn move, move 1.
    #[must_use]
    pub fn with_clocks_reset(&self) -> Position {
        let mut setup = self.chess.to_setup(EnPassantMode::Always);
        setup.halfmoves = 0;
        setup.fullmoves = NonZeroU32::MIN;
        Position::from_setup(self.board, setup).expect("clocks make no position impossible")
    }

    /// The number of the move to come, counted from 1 at the start of the game.
    pub fn fullmoves(&self) -> u32 {
        self.chess.fullmoves().get()
    }

    /// The square a pawn can be taken on en passant, when a legal move does so.
    pub fn en_passant(&self) -> Option<Square> {
        self.chess.legal_ep_square()
    }

    /// May either side still castle?
    pub fn has_castling_rights(&self) -> bool {
        self.chess.castles().any()
    }

    /// What is on the board, white's men first.
    pub fn material(&self) -> Material {
        let side = |color| {
            let men = self.men();
            Side::new(
                men.by_color(color)
                    .into_iter()
                    .filter_map(|square| men.role_at(square)),
            )
        };
        Material::new(side(Color::White), side(Color::Black))
    }

    /// The legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = self.chess.legal_moves();
        if !self.board.is_standard() {
            moves.retain(|m| self.board.contains(m.to()));
        }
        moves
    }

    /// Is `m` legal here?
    pub fn is_legal(&self, m: Move) -> bool {
        self.board.contains(m.to()) && self.chess.is_legal(m)
    }

    /// Plays a legal move.
    ///
    /// The move must be one of [`Position::legal_moves`]; any other leaves a senseless position.
    pub fn play(&mut self, m: Move) {
        debug_assert!(self.is_legal(m), "{m:?} in {self}");
        self.chess.play_unchecked(m);
    }

    /// The position after a legal move.
    #[must_use]
    pub fn after(&self, m: Move) -> Position {
        let mut next = self.clone();
        next.play(m);
        next
    }

    /// Is the side to move in check?
    pub fn is_check(&self) -> bool {
        self.chess.is_check()
    }

    /// Is the side to move mated?
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && self.legal_moves().is_empty()
    }

    /// Has the side to move no move, without being in check?
    pub fn is_stalemate(&self) -> bool {
        !self.is_check() && self.legal_moves().is_empty()
    }

    /// Can neither side ever mate?
    pub fn is_insufficient_material(&self) -> bool {
        self.chess.is_insufficient_material()
    }

    /// Reads a move in UCI notation (`e2e4`, `e7e8q`).
    ///
    /// Returns `None` when the text is malformed or the move illegal here.
    pub fn parse_uci(&self, text: &str) -> Option<Move> {
        let m = text.parse::<UciMove>().ok()?.to_move(&self.chess).ok()?;
        self.is_legal(m).then_some(m)
    }

    /// Writes a move in UCI notation.
    pub fn uci(&self, m: Move) -> String {
        m.to_uci(CastlingMode::Standard).to_string()
    }

    /// The symmetries under which this position keeps its value.
    pub fn symmetries(&self) -> &'static [Symmetry] {
        if self.has_castling_rights() {
            &Symmetry::ALL[..1]
        } else if self.men().pawns().any() {
            &Symmetry::WITH_PAWNS
        } else {
            &Symmetry::ALL
        }
    }

    /// The image under a symmetry, which must be one of [`Position::symmetries`].
    #[must_use]
    pub fn transformed(&self, symmetry: Symmetry) -> Position {
        let mut setup = self.chess.to_setup(EnPassantMode::Always);
        let mut men = shakmaty::Board::empty();
        for (square, piece) in setup.board {
            men.set_piece_at(symmetry.square(self.board, square), piece);
        }
        setup.board = men;
        setup.ep_square = setup
            .ep_square
            .map(|square| symmetry.square(self.board, square));
        Position::from_setup(self.board, setup).expect("a symmetry keeps a position possible")
    }

    /// The one position that stands for all its images under symmetry, and the symmetry that led
    /// to it.
    #[must_use]
    pub fn canonical(&self) -> (Position, Symmetry) {
        self.symmetries()
            .iter()
            .map(|&symmetry| (self.transformed(symmetry), symmetry))
            .min_by_key(|(position, _)| {
                let mut men: Vec<(Square, char)> = position
                    .men()
                    .clone()
                    .into_iter()
                    .map(|(s, p)| (s, p.char()))
                    .collect();
                men.sort_by_key(|&(square, piece)| (piece, square));
                men
            })
            .expect("the identity is always a symmetry")
    }

    /// The same position with colours exchanged and the board turned upside down.
    #[must_use]
    pub fn mirrored(&self) -> Position {
        let mut setup = self.chess.to_setup(EnPassantMode::Always);
        setup.mirror();
        // Mirroring moves a small board to the upper ranks; bring it back down.
        if !self.board.is_standard() {
            let down = 8 * (8 - self.board.size() as u32);
            let mut men = shakmaty::Board::empty();
            for (square, piece) in setup.board {
                men.set_piece_at(Square::new(u32::from(square) - down), piece);
            }
            setup.board = men;
        }
        Position::from_setup(self.board, setup).expect("a mirrored position stays possible")
    }

    /// The position drawn as text, white at the bottom.
    pub fn diagram(&self) -> String {
        let size = self.board.size() as u32;
        let mut text = String::new();
        for rank in (0..size).rev() {
            text.push_str(&format!("{} ", rank + 1));
            for file in 0..size {
                let piece = self.men().piece_at(Square::new(file + 8 * rank));
                text.push(' ');
                text.push(piece.map_or('.', glyph));
            }
            text.push('\n');
        }
        text.push_str("  ");
        for file in 0..size {
            text.push(' ');
            text.push(char::from(b'a' + file as u8));
        }
        text.push('\n');
        text
    }

    pub(crate) fn to_fen(&self) -> Fen {
        Fen::from_position(&self.chess, EnPassantMode::Legal)
    }
}

/// The figurine of a piece.
fn glyph(piece: Piece) -> char {
    let white = match piece.role {
        Role::King => '♔',
        Role::Queen => '♕',
        Role::Rook => '♖',
        Role::Bishop => '♗',
        Role::Knight => '♘',
        Role::Pawn => '♙',
    };
    match piece.color {
        Color::White => white,
        // The black figurines follow the white ones in Unicode, in the same order.
        Color::Black => char::from_u32(white as u32 + 6).unwrap_or(white),
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
    }
}
