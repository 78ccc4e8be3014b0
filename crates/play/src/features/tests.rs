//! Features in hand-made positions, and what all of them have in common.

use super::*;
use rules::{Board, Color, FewMen, FewMenRules, Position, RandomPositions, Symmetry};

fn view(fen: &str) -> View {
    let position = Position::from_fen(fen).unwrap();
    let rules = FewMenRules::new(position.material(), position.board()).unwrap();
    View::of_few_men(&rules, rules.compact(&position).unwrap()).unwrap()
}

fn check(fen: &str, expected: &[(Feature, usize)]) {
    for &(feature, value) in expected {
        assert_eq!(feature.value(&view(fen)), value, "{feature:?} in {fen}");
    }
}

#[test]
fn table_1_kings() {
    // Kings on d6 and d4: opposition in the centre.
    check(
        "8/8/3k4/8/3K4/8/8/7R b - - 0 1",
        &[
            (Opposition, 1),
            (DiagonalOpposition, 0),
            (KingsInLine, 1),
            (KingsInSmallCentre, 1),
            (KingsInLargeCentre, 2),
            (BareOnEdge, 0),
            (KingsApart, 1),
        ],
    );
    check(
        "8/8/8/8/2K5/8/k7/7R b - - 0 1",
        &[
            (Opposition, 0),
            (DiagonalOpposition, 1),
            (KingsInLine, 2),
            (KingsInSmallCentre, 0),
            (KingsInLargeCentre, 1),
            (BareOnEdge, 1),
            (KingsApart, 1),
        ],
    );
    check(
        "8/8/8/3k4/8/8/8/K6R b - - 0 1",
        &[(KingsInSmallCentre, 2), (KingsInLargeCentre, 2)],
    );
    check(
        "7k/8/8/8/8/8/8/K6R b - - 0 1",
        &[(KingsApart, 6), (KingsInLine, 2)],
    );
    check("6k1/8/8/8/8/8/8/K6R b - - 0 1", &[(KingsInLine, 0)]);
}

#[test]
fn table_2_rook() {
    check(
        "8/8/8/3k4/7R/3K4/8/8 b - - 0 1",
        &[
            (RookBlocks, 1),
            (RookChecks, 0),
            (RookBetween, 1),
            (RookHangs, 0),
            (RookProtected, 0),
        ],
    );
    check(
        "3R4/8/8/3k4/8/8/8/K7 b - - 0 1",
        &[(RookBlocks, 0), (RookChecks, 1), (RookBetween, 0)],
    );
    check(
        "8/8/8/3k4/3R4/8/8/K7 b - - 0 1",
        &[(RookHangs, 1), (RookProtected, 0)],
    );
    check(
        "8/8/8/3k4/3R4/3K4/8/8 b - - 0 1",
        &[(RookHangs, 0), (RookProtected, 1)],
    );
}

#[test]
fn table_3_queen() {
    check(
        "8/8/8/8/3Q4/8/8/k6K b - - 0 1",
        &[
            (QueenInSmallCentre, 1),
            (QueenInLargeCentre, 1),
            (QueenBeside, 0),
            (QueenChecks, 2),
            (QueenTouches, 0),
        ],
    );
    check(
        "8/8/8/8/8/2K5/1Q6/k7 b - - 0 1",
        &[
            (QueenInSmallCentre, 0),
            (QueenInLargeCentre, 0),
            (QueenChecks, 3),
            (QueenTouches, 2),
        ],
    );
    check(
        "8/8/8/8/8/7K/8/kQ6 b - - 0 1",
        &[(QueenTouches, 1), (QueenChecks, 3)],
    );
    check("7k/8/8/8/8/8/8/K6Q b - - 0 1", &[(QueenChecks, 1)]);
    // Queen on c6, bare king on d8: next file, and one of the diagonals runs beside it.
    check(
        "3k4/8/2Q5/8/8/8/8/K7 b - - 0 1",
        &[(QueenBeside, 2), (QueenChecks, 0)],
    );
}

#[test]
fn table_4_bishops() {
    check(
        "k7/8/8/8/8/8/7K/5BB1 b - - 0 1",
        &[
            (BishopsCheck, 0),
            (BishopsTouch, 0),
            (BishopsAbreast, 1),
            (BishopInLine, 6),
        ],
    );
    check(
        "k7/8/1K6/8/4BB2/8/8/8 b - - 0 1",
        &[(BishopsCheck, 1), (BishopsBeside, 1), (BishopsTouch, 0)],
    );
    check(
        "k7/1B6/1K6/8/B7/8/8/8 b - - 0 1",
        &[(BishopsTouch, 1), (BishopInLine, 3), (BareToCorner, 0)],
    );
    check("8/8/5k2/8/8/8/8/KBB5 b - - 0 1", &[(BareToCorner, 4)]);
    check("3k4/8/8/8/8/8/8/KBB5 b - - 0 1", &[(BareToCorner, 3)]);
}

#[test]
fn coordinates_are_those_of_one_image() {
    // The bare king on e8 is turned to d1, and the others with it.
    check(
        "4k3/8/4K3/8/8/8/7R/8 b - - 0 1",
        &[
            (CoordinateBareFile, 3),
            (CoordinateBareRank, 0),
            (CoordinateKingFile, 3),
            (CoordinateKingRank, 2),
            (CoordinateFirstFile, 0),
            (CoordinateFirstRank, 6),
        ],
    );
    // On the long diagonal the other king decides.
    check(
        "8/8/8/8/8/1K6/8/k6R b - - 0 1",
        &[
            (CoordinateKingFile, 2),
            (CoordinateKingRank, 1),
            (CoordinateFirstFile, 0),
        ],
    );
    assert_eq!(Feature::coordinates(1).len(), 6);
    assert_eq!(Feature::coordinates(2).len(), 8);
}

#[test]
fn our_features() {
    check(
        "k7/8/1K6/8/8/8/8/7R b - - 0 1",
        &[
            (BareSquare, 0),
            (KingSquare, 4),
            (Kings, 0),
            (KingAside, 1),
            (Freedom, 1),
            (Hanging, 0),
            (KingToCorner, 2),
            (FirstToBare, 7),
            (FirstToKing, 6),
        ],
    );
    check(
        "7k/8/8/8/8/8/6R1/5K2 b - - 0 1",
        &[(RoomInTwo, 1), (Freedom, 1)],
    );
}

#[test]
fn all_images_of_a_position_have_the_same_features_within_their_range() {
    for material in ["KRK", "KQK", "KBBK", "KBNK"] {
        let material = material.parse().unwrap();
        let rules = FewMenRules::new(material, Board::STANDARD).unwrap();
        for turn in Color::ALL {
            let positions = RandomPositions::new(material, Board::STANDARD, Some(turn), 1);
            for position in positions.take(500) {
                let men = rules.compact(&position).unwrap();
                let view = View::of_few_men(&rules, men).unwrap();
                let blind = View {
                    attacked: Bitboard::EMPTY,
                    ..view
                };
                let quick = ALL.into_iter().filter(|feature| !feature.needs_attacks());
                for feature in quick {
                    assert_eq!(feature.value(&view), feature.value(&blind), "{feature:?}");
                }
                let squares = view.trio();
                for (feature, pair) in ALL
                    .iter()
                    .filter_map(|feature| Some((feature, feature.pair()?)))
                {
                    let (one, other) = squares.squares(pair);
                    let two = View::of_pair(pair, one, other).unwrap();
                    assert_eq!(feature.value(&view), feature.value(&two), "{feature:?}");
                }
                for symmetry in Symmetry::ALL {
                    let go = |square| symmetry.square(Board::STANDARD, square);
                    let image = FewMen {
                        white_king: go(men.white_king),
                        black_king: go(men.black_king),
                        others: men.others.map(|square| square.map(go)),
                        turn,
                    };
                    let image = View::of_few_men(&rules, image).unwrap();
                    let known = |feature: &Feature| {
                        !feature.needs_corner() || material.to_string() == "KBNK"
                    };
                    for feature in ALL.into_iter().filter(known) {
                        let value = feature.value(&view);
                        assert!(value < feature.values());
                        assert_eq!(value, feature.value(&image), "{feature:?} {position}");
                    }
                }
            }
        }
    }
}
