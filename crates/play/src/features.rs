//! What a small network is told about a position in which one side has a bare king.
//!
//! A feature is a small whole number. Those of document S (its Tables 1 to 4) come first, read as
//! their comments say; the others are ours. All of them are the same for the eight images of a
//! position under symmetry, and all are made for the 8×8 board.

mod coordinates;
mod corner;
#[cfg(test)]
mod tests;
mod view;

use coordinates::Man;
use rules::{Bitboard, Board, Square, attacks};
pub use view::View;
pub(crate) use view::{Needs, Pair, Trio};

use crate::{
    distance::{king_steps, manhattan},
    mop_up,
};

/// A number that a network is told about a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Feature {
    /// Table 1: the kings stand on one file or rank with one square between them.
    Opposition = 0,
    /// Table 1: the kings stand on one diagonal with one square between them.
    DiagonalOpposition = 1,
    /// Table 1, "in the same row" (0–3): 1 for one file or rank, 2 for one diagonal. The paper has a
    /// fourth value and does not say which.
    KingsInLine = 2,
    /// Table 1, "the kings in the small centre" (0–2): 1 when our king stands on one of the four
    /// central squares, 2 when the bare king does. It is no count: two kings never stand there.
    KingsInSmallCentre = 3,
    /// Table 1: the same for the sixteen central squares; with both kings there it is 2.
    KingsInLargeCentre = 4,
    /// Table 1: the bare king stands on the edge.
    BareOnEdge = 5,
    /// Table 1: squares between the kings, as a king walks.
    KingsApart = 6,
    /// Table 2: the rook's line runs next to the bare king, which cannot cross it.
    RookBlocks = 7,
    /// Table 2: the rook gives check.
    RookChecks = 8,
    /// Table 2: the rook's line runs between the kings.
    RookBetween = 9,
    /// Table 2: the bare king can take the rook.
    RookHangs = 10,
    /// Table 2: the king protects the rook.
    RookProtected = 11,
    /// Table 3: the queen on the four central squares.
    QueenInSmallCentre = 12,
    /// Table 3: the queen on the sixteen central squares.
    QueenInLargeCentre = 13,
    /// Table 3: of the queen's file, rank and diagonals, those that run next to the bare king, three
    /// at most.
    QueenBeside = 14,
    /// Table 3, "in check" (0–3): 1 along a file or rank, 2 along a diagonal, 3 from the next square.
    QueenChecks = 15,
    /// Table 3: the queen stands next to the bare king (1), and is protected (2).
    QueenTouches = 16,
    /// Table 4: bishops that give check.
    BishopsCheck = 17,
    /// Table 4: bishops next to the bare king that the king protects.
    BishopsTouch = 18,
    /// Table 4: the bishops stand on diagonals next to one another.
    BishopsAbreast = 19,
    /// Table 4: bishops whose diagonal runs next to the bare king.
    BishopsBeside = 20,
    /// Table 4: squares between the bare king and the nearer of the bishops on its file or rank; 6
    /// when there is none there.
    BishopInLine = 21,
    /// In none of the tables, which give "only a portion" of the features (the paper's footnote 2), but in
    /// its text on two bishops: files and ranks from the bare king to the nearest corner. On the edge the
    /// tables do not see the king being driven along it.
    BareToCorner = 22,

    // Where the men stand ([`coordinates`]): what the paper compares its features with.
    /// The file of the bare king, the board turned so that it is one of the first four.
    CoordinateBareFile = 23,
    /// Its rank, which is no greater.
    CoordinateBareRank = 24,
    /// The file of our king.
    CoordinateKingFile = 25,
    /// Its rank.
    CoordinateKingRank = 26,
    /// The file of the first piece.
    CoordinateFirstFile = 27,
    /// Its rank.
    CoordinateFirstRank = 28,
    /// The file of the second piece.
    CoordinateSecondFile = 29,
    /// Its rank.
    CoordinateSecondRank = 30,

    /// The bare king's square up to symmetry: ten classes.
    BareSquare = 32,
    /// Our king's square up to symmetry: ten classes.
    KingSquare = 33,
    /// How far our king is from the bare one along that edge.
    KingAside = 36,
    /// Free squares next to the bare king.
    Freedom = 37,
    /// Squares that the bare king can reach in two steps, in pairs.
    RoomInTwo = 38,
    /// Squares that the bare king can reach in three steps, in threes.
    RoomInThree = 39,
    /// King steps from the first piece to the bare king.
    FirstToBare = 41,
    /// King steps from the first piece to our king.
    FirstToKing = 42,
    /// How far the first piece is behind the bare king, seen from its nearest edge: −2 to 5.
    FirstBehind = 47,
    /// How far the first piece is from the bare king along that edge.
    FirstAside = 48,
    /// Loose pieces next to the bare king.
    Hanging = 49,
    /// King steps between the kings, less two.
    Kings = 53,
    /// King steps from our king to the corner nearest to the bare king.
    KingToCorner = 56,

    // Bishop and knight: what the picture in `corner.rs` shows, where the bare king's edge is below,
    // the right corner to the left and the wrong corner to the right.
    /// Free squares next to the bare king on its right.
    FreeToTheRight = 64,
    /// Free squares next to the bare king on the rank above.
    FreeAbove = 65,
    /// The file of the bare king.
    BareFile = 73,
    /// The rank of the bare king.
    BareRank = 74,
    /// The file of the knight.
    KnightFile = 75,
    /// How far our king is above the bare one: −7 to 7.
    KingAbove = 76,
    /// How much farther our king is from the wrong corner than the bare king: −4 to 4.
    KingFromWrongCorner = 77,
    /// King steps from our king to the square two ranks above the bare king.
    KingToPost = 78,
    /// King steps from our king to the square to the left of that.
    KingToLeftPost = 79,
    /// Free squares next to the bare king on its left.
    FreeToTheLeft = 80,
    /// The last file to the right that the bare king can reach in three steps.
    RightInThree = 81,
    /// The last file to the right that the bare king can reach in five steps.
    RightInFive = 82,
    /// How far from the right corner, files and ranks added, the bare king can get in five steps.
    AwayInFive = 83,
    /// How far the knight is to the right of the bare king: −7 to 7.
    KnightAcross = 84,
    /// Squares that the bare king can reach in three steps.
    SquaresInThree = 85,
}

use Feature::*;

/// Every feature, by its number in files.
const ALL: [Feature; 59] = [
    Opposition,
    DiagonalOpposition,
    KingsInLine,
    KingsInSmallCentre,
    KingsInLargeCentre,
    BareOnEdge,
    KingsApart,
    RookBlocks,
    RookChecks,
    RookBetween,
    RookHangs,
    RookProtected,
    QueenInSmallCentre,
    QueenInLargeCentre,
    QueenBeside,
    QueenChecks,
    QueenTouches,
    BishopsCheck,
    BishopsTouch,
    BishopsAbreast,
    BishopsBeside,
    BishopInLine,
    BareToCorner,
    CoordinateBareFile,
    CoordinateBareRank,
    CoordinateKingFile,
    CoordinateKingRank,
    CoordinateFirstFile,
    CoordinateFirstRank,
    CoordinateSecondFile,
    CoordinateSecondRank,
    BareSquare,
    KingSquare,
    KingAside,
    Freedom,
    RoomInTwo,
    RoomInThree,
    FirstToBare,
    FirstToKing,
    FirstBehind,
    FirstAside,
    Hanging,
    Kings,
    KingToCorner,
    FreeToTheRight,
    FreeAbove,
    BareFile,
    BareRank,
    KnightFile,
    KingAbove,
    KingFromWrongCorner,
    KingToPost,
    KingToLeftPost,
    FreeToTheLeft,
    RightInThree,
    RightInFive,
    AwayInFive,
    KnightAcross,
    SquaresInThree,
];

/// By square: its class under the symmetries of the board.
const TRIANGLE: [u8; 64] = {
    let mut classes = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square & 7, square >> 3);
        let file = if file < 4 { file } else { 7 - file };
        let rank = if rank < 4 { rank } else { 7 - rank };
        let (low, high) = if file < rank {
            (file, rank)
        } else {
            (rank, file)
        };
        classes[square] = (high * (high + 1) / 2 + low) as u8;
        square += 1;
    }
    classes
};

const SMALL_CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);
const LARGE_CENTRE: Bitboard = Bitboard(0x0000_3c3c_3c3c_0000);
const EDGE: Bitboard = Bitboard(0xff81_8181_8181_81ff);

/// File, rank, and the two diagonals of a square, each numbered without gaps.
#[inline]
fn lines(square: Square) -> [i32; 4] {
    let square = u32::from(square) as i32;
    let (file, rank) = (square & 7, square >> 3);
    [file, rank, file + rank, file - rank]
}

/// How many of the first `count` lines of two squares lie side by side.
#[inline]
fn beside(a: Square, b: Square, from: usize, count: usize) -> i32 {
    let (a, b) = (lines(a), lines(b));
    (from..from + count)
        .filter(|&i| (a[i] - b[i]).abs() == 1)
        .count() as i32
}

impl Feature {
    /// The feature of a number.
    pub fn from_number(number: u8) -> Option<Feature> {
        ALL.into_iter().find(|&feature| feature as u8 == number)
    }

    /// The features that document S gives an endgame, or `None` for endgames it does not know.
    pub fn of_document_s(material: &str) -> Option<&'static [Feature]> {
        macro_rules! with_kings {
            ($($own:ident),*) => {
                &[
                    Opposition, DiagonalOpposition, KingsInLine, KingsInSmallCentre,
                    KingsInLargeCentre, BareOnEdge, KingsApart, $($own),*
                ]
            };
        }
        Some(match material {
            "KRK" => with_kings!(
                RookBlocks,
                RookChecks,
                RookBetween,
                RookHangs,
                RookProtected
            ),
            "KQK" => with_kings!(
                QueenInSmallCentre,
                QueenInLargeCentre,
                QueenBeside,
                QueenChecks,
                QueenTouches
            ),
            "KBBK" => with_kings!(
                BishopsCheck,
                BishopsTouch,
                BishopsAbreast,
                BishopsBeside,
                BishopInLine
            ),
            _ => return None,
        })
    }

    /// Files and ranks of the kings and of one piece or two.
    pub fn coordinates(pieces: usize) -> &'static [Feature] {
        const COORDINATES: &[Feature] = &[
            CoordinateBareFile,
            CoordinateBareRank,
            CoordinateKingFile,
            CoordinateKingRank,
            CoordinateFirstFile,
            CoordinateFirstRank,
            CoordinateSecondFile,
            CoordinateSecondRank,
        ];
        &COORDINATES[..4 + 2 * pieces.min(2)]
    }

    /// It is always less than this.
    pub fn values(self) -> usize {
        match self {
            Opposition | DiagonalOpposition | BareOnEdge | RookBlocks | RookChecks
            | RookBetween | RookHangs | RookProtected | QueenInSmallCentre | QueenInLargeCentre
            | BishopsAbreast => 2,
            KingsInLine | KingsInSmallCentre | KingsInLargeCentre | QueenTouches | BishopsCheck
            | BishopsTouch | BishopsBeside | Hanging => 3,
            QueenBeside | QueenChecks => 4,
            KingsApart | BishopInLine | BareToCorner | Kings => 7,
            BareSquare | KingSquare => 10,
            KingAside | FirstBehind | FirstAside | FirstToBare | FirstToKing | KingToCorner => 8,
            Freedom => 9,
            RoomInTwo | RoomInThree => 13,
            FreeToTheRight | FreeToTheLeft | FreeAbove | BareRank => 4,
            CoordinateBareFile | CoordinateBareRank => 4,
            CoordinateKingFile | CoordinateKingRank | CoordinateFirstFile | CoordinateFirstRank
            | CoordinateSecondFile | CoordinateSecondRank => 8,
            BareFile | KnightFile | KingToPost | KingToLeftPost | RightInThree | RightInFive => 8,
            KingFromWrongCorner => 9,
            KingAbove | KnightAcross | AwayInFive => 15,
            SquaresInThree => 50,
        }
    }

    /// Does it depend on what the pieces attack? Those that do not are quicker.
    pub fn needs_attacks(self) -> bool {
        matches!(
            self,
            RookChecks
                | RookHangs
                | QueenChecks
                | QueenTouches
                | BishopsCheck
                | Freedom
                | RoomInTwo
                | RoomInThree
                | Hanging
                | FreeToTheRight
                | FreeAbove
                | FreeToTheLeft
                | RightInThree
                | RightInFive
                | AwayInFive
                | SquaresInThree
        )
    }

    /// Does it depend on how far the bare king gets in three steps or five?
    pub(crate) fn needs_reach(self) -> bool {
        matches!(
            self,
            RoomInThree | RightInThree | RightInFive | AwayInFive | SquaresInThree
        )
    }

    /// Does it depend on how the position looks from the right corner?
    pub fn needs_corner(self) -> bool {
        self as u8 >= FreeToTheRight as u8
    }

    /// The two men whose squares alone decide its value, if there are such two.
    pub(crate) fn pair(self) -> Option<Pair> {
        match self {
            Opposition | DiagonalOpposition | KingsInLine | KingsInSmallCentre
            | KingsInLargeCentre | BareOnEdge | KingsApart | BareToCorner | BareSquare
            | KingSquare | KingAside | Kings | KingToCorner => Some(Pair::Kings),
            RookBlocks | QueenBeside | FirstToBare | FirstBehind | FirstAside => {
                Some(Pair::FirstAndBare)
            }
            FirstToKing => Some(Pair::FirstAndKing),
            _ => None,
        }
    }

    /// Its value in a position.
    #[inline]
    pub fn value(self, view: &View) -> usize {
        let View {
            king,
            bare,
            first,
            second,
            ..
        } = *view;
        let king_within = |area: Bitboard| match (area.contains(king), area.contains(bare)) {
            (_, true) => 2,
            (ours, false) => i32::from(ours),
        };
        let near = attacks::king_attacks(bare);
        let seen = &view.from_corner;
        let value = match self {
            Opposition => i32::from(king_steps(king, bare) == 2 && manhattan(king, bare) == 2),
            DiagonalOpposition => {
                i32::from(king_steps(king, bare) == 2 && manhattan(king, bare) == 4)
            }
            KingsInLine => match (manhattan(king, bare) as i32, king_steps(king, bare) as i32) {
                (sum, most) if sum == most => 1,
                (sum, most) if sum == 2 * most => 2,
                _ => 0,
            },
            KingsInSmallCentre => king_within(SMALL_CENTRE),
            KingsInLargeCentre => king_within(LARGE_CENTRE),
            BareOnEdge => i32::from(EDGE.contains(bare)),
            KingsApart => king_steps(king, bare) as i32 - 1,
            RookBlocks => i32::from(beside(first, bare, 0, 2) > 0),
            RookChecks => i32::from(view.attacked.contains(bare)),
            RookBetween => {
                let (r, k, b) = (lines(first), lines(king), lines(bare));
                let between = |i: usize| k[i].min(b[i]) < r[i] && r[i] < k[i].max(b[i]);
                i32::from(between(0) || between(1))
            }
            RookHangs => i32::from((view.rooks & near & !view.attacked).any()),
            RookProtected => i32::from((view.rooks & attacks::king_attacks(king)).any()),
            QueenInSmallCentre => (view.queens & SMALL_CENTRE).count() as i32,
            QueenInLargeCentre => (view.queens & LARGE_CENTRE).count() as i32,
            QueenBeside => beside(first, bare, 0, 4).min(3),
            QueenChecks => {
                let (q, b) = (lines(first), lines(bare));
                match (view.attacked.contains(bare), near.contains(first)) {
                    (false, _) => 0,
                    (true, true) => 3,
                    (true, false) => 1 + i32::from(q[0] != b[0] && q[1] != b[1]),
                }
            }
            QueenTouches => match (near.contains(first), view.attacked.contains(first)) {
                (false, _) => 0,
                (true, protected) => 1 + i32::from(protected),
            },
            BishopsCheck => i32::from(view.attacked.contains(bare)),
            BishopsTouch => (view.bishops & near & attacks::king_attacks(king)).count() as i32,
            BishopsAbreast => i32::from(beside(first, second, 2, 2) > 0),
            BishopsBeside => view
                .bishops
                .into_iter()
                .filter(|&bishop| beside(bishop, bare, 2, 2) > 0)
                .count() as i32,
            BishopInLine => view
                .bishops
                .into_iter()
                .filter(|&bishop| bishop.file() == bare.file() || bishop.rank() == bare.rank())
                .map(|bishop| king_steps(bishop, bare) as i32 - 1)
                .min()
                .unwrap_or(6),
            BareToCorner => mop_up::to_corner(Board::STANDARD, bare),
            CoordinateBareFile => coordinates::of(view, Man::Bare).0,
            CoordinateBareRank => coordinates::of(view, Man::Bare).1,
            CoordinateKingFile => coordinates::of(view, Man::King).0,
            CoordinateKingRank => coordinates::of(view, Man::King).1,
            CoordinateFirstFile => coordinates::of(view, Man::First).0,
            CoordinateFirstRank => coordinates::of(view, Man::First).1,
            CoordinateSecondFile => coordinates::of(view, Man::Second).0,
            CoordinateSecondRank => coordinates::of(view, Man::Second).1,
            BareSquare => i32::from(TRIANGLE[usize::from(bare)]),
            KingSquare => i32::from(TRIANGLE[usize::from(king)]),
            KingAside => view.behind_edge(king).1,
            Freedom => (near & Bitboard(view.free())).count() as i32,
            RoomInTwo => view.reach(1 << u32::from(bare), 2).count_ones() as i32 / 2,
            RoomInThree => (view.in_three.count_ones() as i32 / 3).min(12),
            FirstToBare => king_steps(first, bare) as i32,
            FirstToKing => king_steps(first, king) as i32,
            FirstBehind => view.behind_edge(first).0.clamp(-2, 5) + 2,
            FirstAside => view.behind_edge(first).1,
            Hanging => (view.pieces & near & !view.attacked).count() as i32,
            Kings => king_steps(king, bare) as i32 - 2,
            KingToCorner => {
                let square = u32::from(bare);
                let file = if square & 7 < 4 { 0 } else { 7 };
                let rank = if square >> 3 < 4 { 0 } else { 7 };
                king_steps(king, Square::new(8 * rank + file)) as i32
            }
            FreeToTheRight => seen.free_to_the_right(bare, Bitboard(view.free())),
            FreeAbove => seen.free_above(bare, Bitboard(view.free())),
            BareFile => seen.bare.0,
            BareRank => seen.bare.1,
            KnightFile => seen.knight.0,
            KingAbove => seen.king.1 - seen.bare.1 + 7,
            KingFromWrongCorner => seen.king_from_wrong_corner().clamp(-4, 4) + 4,
            KingToPost => seen.king_to_post(0),
            KingToLeftPost => seen.king_to_post(-1),
            FreeToTheLeft => seen.free_to_the_left(bare, Bitboard(view.free())),
            RightInThree => seen.rightmost(view.in_three),
            RightInFive => seen.rightmost(view.in_five),
            AwayInFive => seen.farthest(view.in_five),
            KnightAcross => seen.knight.0 - seen.bare.0 + 7,
            SquaresInThree => view.in_three.count_ones() as i32,
        };
        // What does not fit is a slip in the table above, and must not read another row.
        (value.max(0) as usize).min(self.values() - 1)
    }
}
