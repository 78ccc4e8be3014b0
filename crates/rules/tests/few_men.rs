//! The compact form plays the same game as [`rules::Position`].
#![allow(clippy::unwrap_used)]

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{
    Board, BoardEnding, Color, FewMen, FewMenIndex, FewMenRules, Position, Square, Symmetry,
};

const ENDGAMES: [&str; 8] = [
    "KQK", "KRK", "KBBK", "KBNK", "KQKR", "KNKB", "KRBKN", "KKQQ",
];

fn rules(endgame: &str, board: Board) -> FewMenRules {
    FewMenRules::new(endgame.parse().unwrap(), board).unwrap()
}

/// The moves of the compact form, played, lead to the positions that `Position` leads to.
fn compare(rules: &FewMenRules, men: FewMen, position: &Position) {
    let targets = rules.targets(men);
    let mut ours: Vec<(Square, Square)> = targets
        .iter()
        .map(|m| (men.from(m).unwrap(), m.to))
        .collect();
    let legal = position.legal_moves();
    let mut theirs: Vec<(Square, Square)> =
        legal.iter().map(|m| (m.from().unwrap(), m.to())).collect();
    ours.sort();
    theirs.sort();
    assert_eq!(ours, theirs, "{position}");
    assert_eq!(targets.len(), legal.len());
    assert_eq!(rules.is_check(men), position.is_check(), "{position}");
    assert_eq!(
        rules.is_insufficient_material(men),
        position.is_insufficient_material(),
        "{position}"
    );
    let ending = if position.is_checkmate() {
        Some(BoardEnding::Checkmate)
    } else if position.is_stalemate() {
        Some(BoardEnding::Stalemate)
    } else if position.is_insufficient_material() {
        Some(BoardEnding::InsufficientMaterial)
    } else {
        None
    };
    assert_eq!(rules.ending(men, &targets), ending, "{position}");
}

#[test]
fn every_position_of_three_men_has_the_same_moves() {
    for (endgame, boards) in [
        ("KRK", 4..=7),
        ("KQK", 4..=7),
        ("KKB", 4..=5),
        ("KNK", 4..=5),
    ] {
        for size in boards {
            let board = Board::new(size).unwrap();
            let rules = rules(endgame, board);
            let mut seen = 0;
            for turn in Color::ALL {
                for white_king in board.squares() {
                    for black_king in board.squares() {
                        for other in board.squares().into_iter().map(Some).chain([None]) {
                            let men = FewMen {
                                white_king,
                                black_king,
                                others: [other, None, None],
                                turn,
                            };
                            let position = rules.position(men).ok();
                            // Men on one square give a legal `Position` of fewer men.
                            let same_square =
                                men.occupied().count() < 2 + usize::from(other.is_some());
                            assert_eq!(
                                rules.is_possible(men),
                                position.is_some() && !same_square,
                                "{men:?}"
                            );
                            if let (Some(position), false) = (position, same_square) {
                                compare(&rules, men, &position);
                                seen += 1;
                            }
                        }
                    }
                }
            }
            assert!(seen > 1000, "{endgame} {board}: {seen}");
        }
    }
}

#[test]
fn random_games_are_the_same_games() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for endgame in ENDGAMES {
        for board in Board::ALL {
            let rules = rules(endgame, board);
            let index = FewMenIndex::symmetric(&rules);
            let plain = FewMenIndex::plain(&rules);
            for game in 0..60 {
                let turn = if game % 2 == 0 {
                    Color::White
                } else {
                    Color::Black
                };
                let mut men = rules.random(turn, &mut random);
                let mut position = rules.position(men).unwrap();
                for _ in 0..60 {
                    compare(&rules, men, &position);
                    check_numbers(&rules, &index, &plain, men);
                    let targets = rules.targets(men);
                    if rules.ending(men, &targets).is_some() {
                        break;
                    }
                    let m = targets.random(&mut random).unwrap();
                    assert!(targets.contains(m));
                    position.play(rules.to_move(men, m, &position).unwrap());
                    men = rules.after(men, m);
                    assert!(rules.is_possible(men));
                    let again = rules.compact(&position).unwrap();
                    assert_eq!(index.index(again), index.index(men));
                    assert_eq!(
                        rules.position(again).unwrap().fen(),
                        rules.position(men).unwrap().fen()
                    );
                }
            }
        }
    }
}

/// All eight images share a number, which leads back to one of them.
fn check_numbers(rules: &FewMenRules, index: &FewMenIndex, plain: &FewMenIndex, men: FewMen) {
    let number = index.index(men);
    assert!(number < index.states());
    let (canonical, symmetry) = index.canonical(men);
    assert_eq!(index.index(canonical), number);
    assert_eq!(index.position(number, men.turn), Some(canonical));
    let board = rules.board();
    assert_eq!(symmetry.square(board, men.white_king), canonical.white_king);
    for symmetry in Symmetry::ALL {
        let image = |square| symmetry.square(board, square);
        let image = FewMen {
            white_king: image(men.white_king),
            black_king: image(men.black_king),
            others: men.others.map(|square| square.map(image)),
            turn: men.turn,
        };
        assert_eq!(index.index(image), number, "{men:?} {image:?}");
        assert_eq!(index.canonical(image).0, canonical);
    }
    assert!(plain.index(men) < plain.states());
    let (same, identity) = plain.canonical(men);
    assert_eq!(identity, Symmetry::IDENTITY);
    assert_eq!(rules.position(same).unwrap(), rules.position(men).unwrap());
}

#[test]
fn symmetric_numbers_are_as_few_as_they_should_be() {
    // 462 pairs of kings up to symmetry on the 8×8 board, a man on 64 squares or taken.
    let states = |endgame, size| {
        let rules = rules(endgame, Board::new(size).unwrap());
        FewMenIndex::symmetric(&rules).states()
    };
    assert_eq!(states("KRK", 8), 462 * 65);
    assert_eq!(states("KBNK", 8), 462 * 65 * 65);
    let rules = rules("KRK", Board::STANDARD);
    assert_eq!(FewMenIndex::plain(&rules).states(), 3612 * 65);
    assert_eq!(
        FewMenIndex::new(&rules, &Symmetry::FLIPS).states(),
        903 * 65
    );
}

#[test]
fn pawns_and_crowds_are_refused() {
    for endgame in ["KPK", "KRPKR", "KQRBKN"] {
        let error = FewMenRules::new(endgame.parse().unwrap(), Board::STANDARD).unwrap_err();
        assert!(error.to_string().contains(endgame), "{error}");
    }
}
