use rules::{Bitboard, Board, Color, Material, Piece, Position, Role, Square, Symmetry, attacks};

/// The most men a table can hold. With six, a byte would no longer hold every distance.
pub const MAX_MEN: usize = 5;

/// The squares of all men but black's king, in the order of a layout's slots.
pub(crate) type Squares = [Square; MAX_MEN - 1];

/// One man of a layout and the squares it ranges over.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub piece: Piece,
    /// How far one step of this slot's index moves the index of the word.
    pub stride: usize,
    /// The squares it may stand on; its index is the place in this list.
    pub squares: Vec<Square>,
    /// The inverse of `squares`; `u32::MAX` where it may not stand.
    pub index: [u32; 64],
}

/// How the positions of a signature are numbered.
///
/// A *word* is a placement of every man but black's king; its 64 bits (or bytes) are the squares
/// of that king. One word-wide operation therefore treats up to 64 positions at once, and a king
/// move is a shift.
///
/// Symmetry: without pawns white's king is confined to the triangle a1–d1–d4 (its counterpart on
/// small boards), with pawns one pawn to the files a to d. Positions whose white king stands on
/// the diagonal occur twice; that costs little and keeps the numbering a plain product.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub board: Board,
    pub material: Material,
    pub slots: Vec<Slot>,
    /// The slot of white's king: the first one, or the second behind the leading pawn.
    pub king: usize,
    /// How many words there are.
    pub words: usize,
    /// The symmetries under which positions are numbered once.
    pub symmetries: &'static [Symmetry],
    /// For each square of the leading man, the symmetry that brings it into its domain.
    leading: [Symmetry; 64],
    /// `image[s][q]`: where symmetry number `s` sends square `q`.
    image: [[Square; 64]; 8],
}

impl Layout {
    /// The layout of a table: each position once up to symmetry.
    pub fn new(material: Material, board: Board) -> Layout {
        let symmetries: &[Symmetry] = if material.has_pawns() {
            &Symmetry::WITH_PAWNS
        } else {
            &Symmetry::ALL
        };
        Layout::with_symmetries(material, board, symmetries)
    }

    /// A layout that numbers every position of the full board by itself.
    pub fn full(material: Material, board: Board) -> Layout {
        Layout::with_symmetries(material, board, &Symmetry::ALL[..1])
    }

    fn with_symmetries(
        material: Material,
        board: Board,
        symmetries: &'static [Symmetry],
    ) -> Layout {
        let mut men: Vec<Piece> = Color::ALL
            .into_iter()
            .flat_map(|color| {
                material
                    .side(color)
                    .roles()
                    .map(move |role| Piece { color, role })
            })
            .collect();
        let king = match men.iter().position(|piece| piece.role == Role::Pawn) {
            Some(pawn) => {
                let lead = men.remove(pawn);
                men.insert(0, lead);
                1
            }
            None => 0,
        };
        men.insert(king, Color::White.king());

        let half = (board.size() as u32).div_ceil(2);
        let is_leading = |square: Square| {
            let (file, rank) = (u32::from(square.file()), u32::from(square.rank()));
            match symmetries.len() {
                1 => true,
                2 => file < half,
                _ => file < half && rank <= file,
            }
        };
        let leading = std::array::from_fn(|i| {
            let square = Square::new(i as u32);
            let inside = board.contains(square);
            symmetries
                .iter()
                .copied()
                .find(|s| inside && is_leading(s.square(board, square)))
                .unwrap_or(Symmetry::IDENTITY)
        });

        let mut slots: Vec<Slot> = men
            .into_iter()
            .enumerate()
            .map(|(i, piece)| {
                let squares: Vec<Square> = board
                    .squares()
                    .into_iter()
                    .filter(|&q| piece.role != Role::Pawn || !Bitboard::BACKRANKS.contains(q))
                    .filter(|&q| i > 0 || is_leading(q))
                    .collect();
                let mut index = [u32::MAX; 64];
                for (i, &square) in squares.iter().enumerate() {
                    index[usize::from(square)] = i as u32;
                }
                Slot {
                    piece,
                    stride: 0,
                    squares,
                    index,
                }
            })
            .collect();
        let mut words = 1;
        for slot in slots.iter_mut().rev() {
            slot.stride = words;
            words *= slot.squares.len();
        }
        Layout {
            board,
            material,
            slots,
            king,
            words,
            symmetries,
            leading,
            image: Symmetry::images(board),
        }
    }

    /// The men of one colour besides the kings, as slot numbers.
    pub fn pieces(&self, color: Color) -> impl Iterator<Item = usize> {
        (0..self.slots.len()).filter(move |&i| i != self.king && self.slots[i].piece.color == color)
    }

    /// The placement that a word stands for.
    #[inline]
    pub fn squares(&self, mut word: usize) -> Squares {
        let mut squares = [Square::A1; MAX_MEN - 1];
        for (slot, square) in self.slots.iter().zip(&mut squares) {
            *square = slot.squares[word / slot.stride];
            word %= slot.stride;
        }
        squares
    }

    /// The word of a placement, and the symmetry that was applied to reach it: bit `b` of the
    /// placement is bit `symmetry(b)` of the word.
    #[inline]
    pub fn locate(&self, squares: &Squares) -> (usize, Symmetry) {
        let symmetry = self.leading[usize::from(squares[0])];
        let image = &self.image[symmetry.index()];
        let mut word = 0;
        for (slot, &square) in self.slots.iter().zip(squares) {
            word += slot.index[usize::from(image[usize::from(square)])] as usize * slot.stride;
        }
        (word, symmetry)
    }

    /// The squares of a position's men in the order of the slots, and black's king. With `swapped`
    /// the colours are exchanged and the board is turned upside down.
    ///
    /// # Panics
    /// When the position has other men than the layout.
    #[inline]
    pub fn place(&self, position: &Position, swapped: bool) -> (Squares, Square) {
        let seen = |square: Square| {
            if swapped {
                self.upside_down(square)
            } else {
                square
            }
        };
        let color = |color: Color| if swapped { !color } else { color };
        let mut squares: Squares = [Square::A1; MAX_MEN - 1];
        let mut unused = position.men().occupied();
        for (slot, square) in self.slots.iter().zip(&mut squares) {
            let piece = Piece {
                color: color(slot.piece.color),
                role: slot.piece.role,
            };
            let candidates = position.men().by_piece(piece) & unused;
            let own = candidates
                .first()
                .expect("the men of the position are those of the layout");
            unused.discard(own);
            *square = seen(own);
        }
        (squares, seen(position.king(color(Color::Black))))
    }

    /// The position of a placement, seen through a symmetry.
    pub fn position(
        &self,
        squares: &Squares,
        king: Square,
        turn: Color,
        symmetry: Symmetry,
    ) -> Position {
        let men = self
            .slots
            .iter()
            .map(|slot| slot.piece)
            .zip(squares.iter().copied());
        let pieces = men
            .chain(std::iter::once((Color::Black.king(), king)))
            .map(|(piece, square): (Piece, Square)| (self.image(symmetry, square), piece));
        Position::from_pieces(self.board, pieces, turn).expect("the caller knows it to be legal")
    }

    /// Black king squares that make a legal position with `turn` to move; none when two men share
    /// a square.
    #[inline]
    pub fn legal(&self, turn: Color, squares: &Squares) -> Bitboard {
        self.occupied(squares)
            .map_or(Bitboard::EMPTY, |occupied| match turn {
                Color::White => self.legal_white(squares, occupied),
                Color::Black => self.legal_black(squares, occupied),
            })
    }

    /// Where a symmetry sends a square, by table.
    #[inline]
    pub fn image(&self, symmetry: Symmetry, square: Square) -> Square {
        self.image[symmetry.index()][usize::from(square)]
    }

    /// Where a square goes when the board is turned upside down.
    #[inline]
    pub fn upside_down(&self, square: Square) -> Square {
        self.image[Symmetry::UPSIDE_DOWN.index()][usize::from(square)]
    }

    /// The squares taken by the men of a placement, or `None` when two share a square.
    #[inline]
    pub fn occupied(&self, squares: &Squares) -> Option<Bitboard> {
        let mut occupied = Bitboard::EMPTY;
        for &square in &squares[..self.slots.len()] {
            if occupied.contains(square) {
                return None;
            }
            occupied.add(square);
        }
        Some(occupied)
    }

    /// The squares that white attacks, looking through black's king.
    #[inline]
    pub fn attacked_by_white(&self, squares: &Squares, occupied: Bitboard) -> Bitboard {
        let mut attacked = Bitboard::EMPTY;
        for (slot, &square) in self.slots.iter().zip(squares) {
            if slot.piece.color == Color::White {
                attacked |= attacks::attacks(square, slot.piece, occupied);
            }
        }
        attacked
    }

    /// Black king squares that make a legal position with white to move.
    #[inline]
    pub fn legal_white(&self, squares: &Squares, occupied: Bitboard) -> Bitboard {
        self.board.squares() & !occupied & !self.attacked_by_white(squares, occupied)
    }

    /// Black king squares that make a legal position with black to move.
    #[inline]
    pub fn legal_black(&self, squares: &Squares, occupied: Bitboard) -> Bitboard {
        let king = squares[self.king];
        let mut legal = self.board.squares() & !occupied & !attacks::king_attacks(king);
        for (slot, &square) in self.slots.iter().zip(squares) {
            if slot.piece.color == Color::Black
                && attacks::attacks(square, slot.piece, occupied).contains(king)
            {
                // White is in check unless black's own king stands in between.
                legal &= attacks::between(square, king);
            }
        }
        legal
    }

    /// How many positions of the full board one position of this word stands for, times
    /// [`Layout::multiplicity`].
    pub fn weight(&self, squares: &Squares) -> u64 {
        let lead = squares[0];
        self.symmetries
            .iter()
            .map(|&s| self.image(s, lead))
            .collect::<Bitboard>()
            .count() as u64
    }

    /// Is this the first number among all that stand for the same position up to symmetry?
    pub fn is_first(&self, word: usize, squares: &Squares, king: Square) -> bool {
        let own = (word, usize::from(king));
        let mut images: Vec<(Squares, Square)> = self
            .symmetries
            .iter()
            .map(|&s| {
                (
                    squares.map(|square| self.image(s, square)),
                    self.image(s, king),
                )
            })
            .filter(|(squares, _)| self.slots[0].index[usize::from(squares[0])] != u32::MAX)
            .collect();
        // Equal men may exchange places. Neighbouring exchanges generate all of them, since equal
        // men have neighbouring slots (a leading pawn apart, which `locate` brings back).
        let mut next = 0;
        while next < images.len() {
            let (squares, king) = images[next];
            for i in 0..self.slots.len() {
                for j in i + 1..self.slots.len() {
                    if self.slots[i].piece == self.slots[j].piece {
                        let mut exchanged = squares;
                        exchanged.swap(i, j);
                        let symmetry = self.leading[usize::from(exchanged[0])];
                        let image = (
                            exchanged.map(|square| self.image(symmetry, square)),
                            self.image(symmetry, king),
                        );
                        if !images.contains(&image) {
                            images.push(image);
                        }
                    }
                }
            }
            next += 1;
        }
        images.iter().all(|(squares, king)| {
            let (word, symmetry) = self.locate(squares);
            own <= (word, usize::from(self.image(symmetry, *king)))
        })
    }

    /// How often a set of men is numbered because equal men may exchange places.
    pub fn multiplicity(&self) -> u64 {
        Color::ALL
            .into_iter()
            .flat_map(|color| Role::ALL.map(|role| self.material.side(color).count(role) as u64))
            .map(|n| (1..=n).product::<u64>())
            .product()
    }
}
