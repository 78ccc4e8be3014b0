//! What a search needs to know of a game, in two forms: the compact one for few men, and
//! [`Position`] for everything else.
//!
//! The searches are written once over [`Tree`] and compiled twice. In the compact form a position
//! is a handful of bytes, its moves are four sets of squares, and its key in the transposition
//! table is exact, so that no two positions are ever taken for each other.

use std::sync::LazyLock;

use crate::{Dice, features::Trio, leaf_value::BareKing};
use rules::{
    Bitboard, Board, Color, FewMen, FewMenRules, FewMove, Game, KingPairs, Move, MoveList,
    Position, Role, Square, Symmetry, Targets,
};
use shakmaty::{EnPassantMode, Position as _, zobrist::Zobrist64};

/// A game tree.
pub(crate) trait Tree: Clone {
    /// A position.
    type Node: Clone;
    /// A move.
    type Move: Copy + PartialEq;
    /// The legal moves of a position.
    type Moves;

    /// The shallowest remaining depth at which looking a position up pays.
    const TABLE_FROM_DEPTH: i32;

    fn moves(&self, node: &Self::Node) -> Self::Moves;
    fn is_empty(moves: &Self::Moves) -> bool;
    fn each(moves: &Self::Moves) -> impl Iterator<Item = Self::Move>;
    /// A move drawn at random, or `None` when there is none.
    fn random(moves: &Self::Moves, dice: &mut Dice) -> Option<Self::Move>;
    /// Puts moves that win something at once to the front, where that pays.
    fn sort(&self, node: &Self::Node, moves: &mut Self::Moves);
    fn after(&self, node: &Self::Node, m: Self::Move) -> Self::Node;
    fn turn(&self, node: &Self::Node) -> Color;
    fn is_check(&self, node: &Self::Node) -> bool;
    /// Can neither side ever mate?
    fn is_dead(&self, node: &Self::Node) -> bool;
    /// The same for the same position, another one for any other.
    fn key(&self, node: &Self::Node) -> u64;
    /// The image of a position that stands for all its images under symmetry, where there is one.
    fn standard_image(&self, node: &Self::Node) -> Option<Self::Node> {
        let _ = node;
        None
    }
    /// A move as a number, in the same position never the same for two moves; never 0.
    fn number(m: Self::Move) -> u16;
    /// How much a move wins at once: 0 for a quiet one.
    fn gain(&self, node: &Self::Node, m: Self::Move) -> i32;
    /// Does the move set the clock of the fifty-move rule back?
    fn is_irreversible(&self, node: &Self::Node, m: Self::Move) -> bool;
    /// The men by square.
    fn men(&self, node: &Self::Node) -> Men;
    /// The men, if one side has nothing but its king.
    #[inline]
    fn bare_king(&self, node: &Self::Node) -> Option<BareKing> {
        BareKing::of(&self.men(node))
    }
    /// The three men and the side that has two of them, if that is all there is and easily seen.
    #[inline]
    fn trio(&self, node: &Self::Node) -> Option<(Color, Trio)> {
        let _ = node;
        None
    }
}

/// Where the men stand, as sets of squares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Men {
    pub board: Board,
    pub turn: Color,
    pub white: Bitboard,
    pub black: Bitboard,
    pub kings: Bitboard,
    pub queens: Bitboard,
    pub rooks: Bitboard,
    pub bishops: Bitboard,
    pub knights: Bitboard,
    pub pawns: Bitboard,
}

/// The tree of at most five men without pawns.
#[derive(Clone, Debug)]
pub(crate) struct FewMenTree {
    pub rules: FewMenRules,
    /// Are men `i` and `i + 1` of one kind, so that they may stand in either order?
    twins: [bool; 2],
    /// How many men there are besides the kings.
    others: usize,
    /// The side that has pieces, if the other had none from the start.
    strong: Option<Color>,
    kings: &'static KingPairs,
}

/// For every board size, the kings under all eight symmetries.
static KINGS: LazyLock<Vec<KingPairs>> = LazyLock::new(|| {
    let pairs = |board| KingPairs::new(board, &Symmetry::ALL);
    Board::ALL.into_iter().map(pairs).collect()
});

impl FewMenTree {
    /// The tree of the games under these rules.
    pub fn new(rules: FewMenRules) -> FewMenTree {
        let [a, b, c] = rules.others();
        let twins = [a.is_some() && a == b, b.is_some() && b == c];
        let is_bare = |color| rules.material().side(color).is_bare();
        let strong = match (is_bare(Color::White), is_bare(Color::Black)) {
            (false, true) => Some(Color::White),
            (true, false) => Some(Color::Black),
            _ => None,
        };
        FewMenTree {
            others: rules.others_count(),
            strong,
            kings: &KINGS[rules.board().size() - Board::ALL[0].size()],
            rules,
            twins,
        }
    }

    /// The tree that `position` is in, or `None` when it has too many men or pawns.
    pub fn of(position: &Position) -> Option<FewMenTree> {
        let rules = FewMenRules::new(position.material(), position.board()).ok()?;
        Some(FewMenTree::new(rules))
    }

    /// The image of `men` that stands for all its images under symmetry.
    #[inline]
    pub fn canonical(&self, men: FewMen) -> (FewMen, Symmetry) {
        let [one, other] = self.kings.symmetries(men.white_king, men.black_king);
        let mut symmetry = one;
        let mut image = self.image(men, one);
        if other != one {
            let second = self.image(men, other);
            if second.others < image.others {
                (image, symmetry) = (second, other);
            }
        }
        (image, symmetry)
    }

    #[inline]
    fn image(&self, men: FewMen, symmetry: Symmetry) -> FewMen {
        let go = |square| self.kings.image(symmetry, square);
        FewMen {
            white_king: go(men.white_king),
            black_king: go(men.black_king),
            others: self.sorted(men.others.map(|square| square.map(go))),
            turn: men.turn,
        }
    }

    /// Men of one kind in the order of their squares.
    #[inline]
    fn sorted(&self, mut others: [Option<Square>; 3]) -> [Option<Square>; 3] {
        let [first, second] = self.twins;
        if first && others[0] > others[1] {
            others.swap(0, 1);
        }
        if second && others[1] > others[2] {
            others.swap(1, 2);
            if first && others[0] > others[1] {
                others.swap(0, 1);
            }
        }
        others
    }
}

impl Tree for FewMenTree {
    type Node = FewMen;
    type Move = FewMove;
    type Moves = Targets;

    const TABLE_FROM_DEPTH: i32 = 2;

    #[inline]
    fn moves(&self, node: &FewMen) -> Targets {
        self.rules.targets(*node)
    }

    #[inline]
    fn is_empty(moves: &Targets) -> bool {
        moves.is_empty()
    }

    #[inline]
    fn each(moves: &Targets) -> impl Iterator<Item = FewMove> {
        moves.iter()
    }

    #[inline]
    fn random(moves: &Targets, dice: &mut Dice) -> Option<FewMove> {
        moves.random(dice)
    }

    #[inline]
    fn sort(&self, _: &FewMen, _: &mut Targets) {}

    #[inline]
    fn after(&self, node: &FewMen, m: FewMove) -> FewMen {
        self.rules.after(*node, m)
    }

    #[inline]
    fn turn(&self, node: &FewMen) -> Color {
        node.turn
    }

    #[inline]
    fn is_check(&self, node: &FewMen) -> bool {
        self.rules.is_check(*node)
    }

    #[inline]
    fn is_dead(&self, node: &FewMen) -> bool {
        self.rules.is_insufficient_material(*node)
    }

    #[inline]
    fn key(&self, node: &FewMen) -> u64 {
        let mut key = u64::from(node.turn.is_white()) + 2;
        let mut add = |square: Square| key = key << 6 | u64::from(u32::from(square));
        add(node.white_king);
        add(node.black_king);
        // A taken man stands where its own king stands: no man on the board can. The last man comes last,
        // so that the table keeps positions together that differ in nothing else.
        for square in &self.sorted(node.others)[..self.others] {
            add(square.unwrap_or(node.white_king));
        }
        key
    }

    #[inline]
    fn standard_image(&self, node: &FewMen) -> Option<FewMen> {
        Some(self.canonical(*node).0)
    }

    #[inline]
    fn number(m: FewMove) -> u16 {
        1 + (u16::from(m.man) << 6 | u32::from(m.to) as u16)
    }

    #[inline]
    fn gain(&self, node: &FewMen, m: FewMove) -> i32 {
        for (square, piece) in node.others.iter().zip(self.rules.others()) {
            if *square == Some(m.to)
                && let Some(piece) = piece
            {
                return worth(piece.role);
            }
        }
        0
    }

    #[inline]
    fn is_irreversible(&self, node: &FewMen, m: FewMove) -> bool {
        self.gain(node, m) > 0
    }

    #[inline]
    fn men(&self, node: &FewMen) -> Men {
        let mut men = Men {
            board: self.rules.board(),
            turn: node.turn,
            white: Bitboard::from_square(node.white_king),
            black: Bitboard::from_square(node.black_king),
            kings: Bitboard::from_square(node.white_king).with(node.black_king),
            queens: Bitboard::EMPTY,
            rooks: Bitboard::EMPTY,
            bishops: Bitboard::EMPTY,
            knights: Bitboard::EMPTY,
            pawns: Bitboard::EMPTY,
        };
        for (square, piece) in node.others.iter().zip(self.rules.others()) {
            let (Some(square), Some(piece)) = (square, piece) else {
                continue;
            };
            let set = Bitboard::from_square(*square);
            match piece.color {
                Color::White => men.white |= set,
                Color::Black => men.black |= set,
            }
            match piece.role {
                Role::Queen => men.queens |= set,
                Role::Rook => men.rooks |= set,
                Role::Bishop => men.bishops |= set,
                Role::Knight => men.knights |= set,
                Role::Pawn | Role::King => {}
            }
        }
        men
    }

    #[inline]
    fn bare_king(&self, node: &FewMen) -> Option<BareKing> {
        match self.strong {
            Some(strong) => BareKing::of_few_men(&self.rules, strong, *node),
            None => BareKing::of(&self.men(node)),
        }
    }

    #[inline]
    fn trio(&self, node: &FewMen) -> Option<(Color, Trio)> {
        let strong = self.strong.filter(|_| self.others == 1)?;
        let trio = Trio::new(node.king(strong), node.king(!strong), node.others[0]?);
        Some((strong, trio))
    }
}

/// The tree of all of chess.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChessTree;

impl Tree for ChessTree {
    type Node = Position;
    type Move = Move;
    type Moves = MoveList;

    const TABLE_FROM_DEPTH: i32 = 2;

    fn moves(&self, node: &Position) -> MoveList {
        node.legal_moves()
    }

    fn is_empty(moves: &MoveList) -> bool {
        moves.is_empty()
    }

    fn each(moves: &MoveList) -> impl Iterator<Item = Move> {
        moves.iter().copied()
    }

    fn random(moves: &MoveList, dice: &mut Dice) -> Option<Move> {
        (!moves.is_empty()).then(|| moves[dice.below(moves.len())])
    }

    fn sort(&self, node: &Position, moves: &mut MoveList) {
        moves.sort_by_key(|&m| -self.gain(node, m));
    }

    fn after(&self, node: &Position, m: Move) -> Position {
        node.after(m)
    }

    fn turn(&self, node: &Position) -> Color {
        node.turn()
    }

    fn is_check(&self, node: &Position) -> bool {
        node.is_check()
    }

    fn is_dead(&self, node: &Position) -> bool {
        node.is_insufficient_material()
    }

    fn key(&self, node: &Position) -> u64 {
        let hash: Zobrist64 = node.chess().zobrist_hash(EnPassantMode::Legal);
        hash.0
    }

    fn number(m: Move) -> u16 {
        let square = |square: Square| u32::from(square) as u16;
        let promotion = m.promotion().map_or(0, |role| role as u16);
        1 + (promotion << 12 | m.from().map_or(0, square) << 6 | square(m.to()))
    }

    fn gain(&self, _: &Position, m: Move) -> i32 {
        m.capture().map_or(0, worth)
            + m.promotion()
                .map_or(0, |role| worth(role) - worth(Role::Pawn))
    }

    fn is_irreversible(&self, _: &Position, m: Move) -> bool {
        m.is_zeroing()
    }

    fn men(&self, node: &Position) -> Men {
        let men = node.men();
        Men {
            board: node.board(),
            turn: node.turn(),
            white: men.white(),
            black: men.black(),
            kings: men.kings(),
            queens: men.queens(),
            rooks: men.rooks(),
            bishops: men.bishops(),
            knights: men.knights(),
            pawns: men.pawns(),
        }
    }
}

/// What a man is worth, in hundredths of a pawn.
pub(crate) const fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 0,
    }
}

/// The keys of the positions a game has been through since its last irreversible move, without the
/// one on the board.
pub(crate) fn past_keys<T: Tree>(
    tree: &T,
    game: &Game,
    node: impl Fn(&Position) -> Option<T::Node>,
) -> Vec<u64> {
    let reversible = game.position().halfmoves() as usize;
    let plies = game.plies();
    game.positions()
        .take(plies)
        .skip(plies.saturating_sub(reversible))
        .filter_map(|position| Some(tree.key(&node(position)?)))
        .collect()
}

/// The move of `position` that is the image of `m` under a symmetry.
pub(crate) fn image(position: &Position, symmetry: Symmetry, m: Move) -> Option<Move> {
    let board = position.board();
    let go = |square| symmetry.square(board, square);
    position.legal_moves().into_iter().find(|candidate| {
        candidate.from() == m.from().map(go)
            && candidate.to() == go(m.to())
            && candidate.promotion() == m.promotion()
    })
}
