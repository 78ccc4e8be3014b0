//! Numbers for positions of few men, so that tables can be plain arrays.

use shakmaty::{Color, Square};

use crate::{FewMen, FewMenRules, KingPairs, Symmetry, few_men::MAX_OTHERS};

/// Numbers every position of a [`FewMenRules`] family densely, the same number for all images under
/// a group of symmetries and for exchanged men of the same kind.
///
/// The number does not hold the side to move: a table for each side does. Positions in which men
/// have been taken have numbers of their own. Some numbers belong to no possible position.
#[derive(Clone, Debug)]
pub struct FewMenIndex {
    size: u32,
    others: usize,
    /// In how many ways the men besides the kings can stand or be taken.
    others_count: usize,
    /// `same_as_next[i]`: men `i` and `i + 1` are of the same kind.
    same_as_next: [bool; MAX_OTHERS],
    /// White king and black king, folded.
    kings: KingPairs,
    /// The number of a pair of kings, by white king and black king; [`NO_PAIR`] where they touch.
    numbers: Box<[u16; 64 * 64]>,
    /// The standard pairs of kings in the order of their numbers.
    pairs: Vec<(Square, Square)>,
    symmetries: Vec<Symmetry>,
}

const NO_PAIR: u16 = u16::MAX;

impl FewMenIndex {
    /// Numbers under all eight symmetries of the board.
    pub fn symmetric(rules: &FewMenRules) -> FewMenIndex {
        FewMenIndex::new(rules, &Symmetry::ALL)
    }

    /// Numbers that tell symmetric positions apart.
    pub fn plain(rules: &FewMenRules) -> FewMenIndex {
        FewMenIndex::new(rules, &[Symmetry::IDENTITY])
    }

    /// Numbers under a group of symmetries, such as [`Symmetry::FLIPS`].
    ///
    /// The symmetries must form a group, otherwise the images of one position get several numbers.
    pub fn new(rules: &FewMenRules, symmetries: &[Symmetry]) -> FewMenIndex {
        let board = rules.board();
        let kings = KingPairs::new(board, symmetries);
        let mut numbers = Box::new([NO_PAIR; 64 * 64]);
        let mut pairs = Vec::new();
        for white in board.squares() {
            for black in board.squares() {
                if shakmaty::attacks::king_attacks(white).contains(black) || white == black {
                    continue;
                }
                let [symmetry, _] = kings.symmetries(white, black);
                let standard = (kings.image(symmetry, white), kings.image(symmetry, black));
                let number = &mut numbers[place(standard.0, standard.1)];
                if *number == NO_PAIR {
                    *number = pairs.len() as u16; // at most 64² pairs
                    pairs.push(standard);
                }
                numbers[place(white, black)] = *number;
            }
        }
        let men = rules.others();
        let others = rules.others_count();
        FewMenIndex {
            size: board.size() as u32,
            others,
            others_count: (board.size() * board.size() + 1).pow(others as u32),
            same_as_next: std::array::from_fn(|i| {
                men[i].is_some() && i + 1 < MAX_OTHERS && men[i] == men[i + 1]
            }),
            kings,
            numbers,
            pairs,
            symmetries: symmetries.to_vec(),
        }
    }

    /// How many numbers there are: every one is smaller.
    pub fn states(&self) -> usize {
        self.pairs.len() * self.others_count
    }

    /// The symmetries whose images share a number.
    pub fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    /// A man stands on one of the squares, or has been taken.
    fn digit_base(&self) -> usize {
        (self.size * self.size + 1) as usize
    }

    #[inline]
    fn digit(&self, square: Option<Square>) -> usize {
        match square {
            Some(square) => {
                let n = u32::from(square);
                ((n & 7) + self.size * (n >> 3)) as usize
            }
            None => (self.size * self.size) as usize,
        }
    }

    /// The image of the men besides the kings, men of one kind in order.
    #[inline]
    fn image(&self, men: FewMen, symmetry: Symmetry) -> [Option<Square>; MAX_OTHERS] {
        let mut others = men.others;
        for square in others[..self.others].iter_mut().flatten() {
            *square = self.kings.image(symmetry, *square);
        }
        self.sort_kinds(&mut others);
        others
    }

    #[inline]
    fn sort_kinds(&self, others: &mut [Option<Square>; MAX_OTHERS]) {
        // Two passes sort three men; taken men come last.
        for i in [0, 1, 0] {
            if self.same_as_next[i] && self.digit(others[i]) > self.digit(others[i + 1]) {
                others.swap(i, i + 1);
            }
        }
    }

    /// The digits of the men besides the kings, read as one number.
    #[inline]
    fn number(&self, others: [Option<Square>; MAX_OTHERS]) -> usize {
        let digits = others[..self.others].iter();
        digits.fold(0, |n, &square| n * self.digit_base() + self.digit(square))
    }

    /// The number of a position.
    #[inline]
    pub fn index(&self, men: FewMen) -> usize {
        let [first, second] = self.kings.symmetries(men.white_king, men.black_king);
        let mut number = self.number(self.image(men, first));
        if first != second {
            number = number.min(self.number(self.image(men, second)));
        }
        self.pair(men) * self.others_count + number
    }

    /// The number of the kings.
    #[inline]
    fn pair(&self, men: FewMen) -> usize {
        let number = self.numbers[place(men.white_king, men.black_king)];
        debug_assert_ne!(number, NO_PAIR, "the kings touch: {men:?}");
        usize::from(number)
    }

    /// The position that stands for all images of `men`, and the symmetry that leads to it.
    ///
    /// Men of one kind may have changed places in [`FewMen::others`].
    #[inline]
    pub fn canonical(&self, men: FewMen) -> (FewMen, Symmetry) {
        let (canonical, symmetry, _) = self.canonical_and_index(men);
        (canonical, symmetry)
    }

    /// [`FewMenIndex::canonical`] and [`FewMenIndex::index`] for the price of one.
    #[inline]
    pub fn canonical_and_index(&self, men: FewMen) -> (FewMen, Symmetry, usize) {
        let [first, second] = self.kings.symmetries(men.white_king, men.black_king);
        let (mut symmetry, mut others) = (first, self.image(men, first));
        let mut number = self.number(others);
        if first != second {
            let other = self.image(men, second);
            let other_number = self.number(other);
            if other_number < number {
                (symmetry, others, number) = (second, other, other_number);
            }
        }
        let canonical = FewMen {
            white_king: self.kings.image(symmetry, men.white_king),
            black_king: self.kings.image(symmetry, men.black_king),
            others,
            turn: men.turn,
        };
        let index = self.pair(men) * self.others_count + number;
        (canonical, symmetry, index)
    }

    /// The position with a number, if it is a canonical one; it need not be a possible position.
    pub fn position(&self, index: usize, turn: Color) -> Option<FewMen> {
        let others_count = self.others_count;
        let &(white_king, black_king) = self.pairs.get(index / others_count)?;
        let mut rest = index % others_count;
        let mut others = [None; MAX_OTHERS];
        for slot in others[..self.others].iter_mut().rev() {
            let digit = (rest % self.digit_base()) as u32;
            rest /= self.digit_base();
            if digit < self.size * self.size {
                *slot = Some(Square::new(digit % self.size + 8 * (digit / self.size)));
            }
        }
        let men = FewMen {
            white_king,
            black_king,
            others,
            turn,
        };
        (self.canonical(men).0 == men).then_some(men)
    }
}

#[inline]
fn place(white: Square, black: Square) -> usize {
    64 * usize::from(white) + usize::from(black)
}
