//! Every action leads back to its move.

use std::collections::HashMap;

use learn::chess::{Act, Actions};
use play::Dice;
use rules::{Board, Color, Move, Position, RandomPositions};

use crate::{ALL_ACTIONS, position};

/// Every legal move of a position has a number below the count, which leads back to it.
fn round_trip(position: &Position, moves: &[Move], marks: &mut [u32], round: u32) {
    for actions in ALL_ACTIONS {
        for &m in moves {
            let number = actions.number(position, m);
            let act = actions.act(position, moves, number);
            let expected = match (actions, m) {
                // W's promotions share a number, which stands for the queen.
                (
                    Actions::Wojcik,
                    Move::Normal {
                        promotion: Some(_),
                        role,
                        from,
                        capture,
                        to,
                    },
                ) => Move::Normal {
                    promotion: Some(rules::Role::Queen),
                    role,
                    from,
                    capture,
                    to,
                },
                _ => m,
            };
            assert_eq!(act, Some(Act::Play(expected)), "{actions} {position}");
        }
    }
    for &m in moves {
        let mark = &mut marks[Actions::AlphaZero.number(position, m)];
        assert_ne!(*mark, round, "two moves share a number in {position}");
        *mark = round;
    }
}

/// A million positions of random games from the start, from positions rich in promotions, castling
/// and en passant, and from endgames on every board.
#[test]
fn every_move_of_a_million_positions_is_found_again() {
    let mut starts: Vec<Position> = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "r3k2r/P6P/8/8/8/8/p6p/R3K2R w KQkq - 0 1",
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    ]
    .map(position)
    .into();
    for (size, material) in [(4, "KQK"), (5, "KRK"), (6, "KBNK"), (7, "KQKR")] {
        let board = Board::new(size).unwrap();
        starts.extend(RandomPositions::new(material.parse().unwrap(), board, None, 1).take(2));
    }
    let mut dice = Dice::new(17);
    let mut marks = vec![0; Actions::AlphaZero.count()];
    // Castling, en passant and each promotion, by colour.
    let mut kinds: HashMap<(Color, String), usize> = HashMap::new();
    let mut positions = 0;
    'games: for game in 0.. {
        let mut now = starts[game % starts.len()].clone();
        for _ in 0..150 {
            let moves = now.legal_moves();
            if moves.is_empty() {
                break;
            }
            positions += 1;
            round_trip(&now, &moves, &mut marks, positions);
            for m in &moves {
                let kind = match m {
                    Move::Castle { king, rook } => format!("castling {}", king < rook),
                    Move::EnPassant { .. } => "en passant".into(),
                    Move::Normal {
                        promotion: Some(role),
                        ..
                    } => format!("{role:?}"),
                    _ => continue,
                };
                *kinds.entry((now.turn(), kind)).or_default() += 1;
            }
            if positions == 1_000_000 {
                break 'games;
            }
            now.play(moves[dice.below(moves.len())]);
        }
    }
    assert_eq!(kinds.len(), 2 * 7, "{kinds:?}");
    assert!(kinds.values().all(|&count| count > 400), "{kinds:?}");
}

#[test]
fn actions_outside_the_board_or_the_moves_stand_for_nothing() {
    for fen in [
        "k4/5/1K3/5/4R w",
        "k4/5/1K3/5/4R b",
        "k7/8/1K6/8/8/8/8/7R b",
    ] {
        let position = position(fen);
        let moves = position.legal_moves();
        for actions in ALL_ACTIONS {
            let mut mask = vec![7; actions.count()];
            actions.mask(&position, &moves, false, &mut mask);
            let mut found = 0;
            for (number, &legal) in mask.iter().enumerate() {
                let act = actions.act(&position, &moves, number);
                if actions.claim() == Some(number) {
                    assert_eq!((legal, act), (0, Some(Act::ClaimDraw)));
                    continue;
                }
                assert_eq!(act.is_some(), legal == 1, "{actions} {number} in {fen}");
                found += usize::from(legal == 1);
            }
            assert_eq!(found, moves.len());
            assert_eq!(actions.act(&position, &moves, actions.count()), None);
        }
    }
}

/// Numbers worked out by hand.
#[test]
fn numbers_are_the_documented_ones() {
    let start = Position::start();
    let e4 = start.parse_uci("e2e4").unwrap();
    // e2 is square 12; two steps north are way 1.
    assert_eq!(Actions::AlphaZero.number(&start, e4), 12 * 73 + 1);
    // With A8 = 0, e2 is 52 and e4 is 36.
    assert_eq!(Actions::Wojcik.number(&start, e4), 52 * 64 + 36);
    // File e is 4, rank 2 is 1; north is the fifth direction of each distance.
    assert_eq!(
        Actions::PettingZoo.number(&start, e4),
        (4 * 8 + 1) * 73 + 8 + 4
    );
    let mut black = start.clone();
    black.play(e4);
    let e5 = black.parse_uci("e7e5").unwrap();
    for actions in ALL_ACTIONS {
        assert_eq!(
            actions.number(&black, e5),
            actions.number(&start, e4),
            "{actions}"
        );
    }
    let castling = position("r3k2r/8/8/8/8/8/8/R3K2R b KQkq");
    let long = castling.parse_uci("e8c8").unwrap();
    // Two squares to the west from e1.
    assert_eq!(
        Actions::AlphaZero.number(&castling, long),
        4 * 73 + 6 * 7 + 1
    );
    let pawn = position("1n5k/P7/8/8/8/8/8/7K w");
    let rook = pawn.parse_uci("a7b8r").unwrap();
    assert_eq!(
        Actions::AlphaZero.number(&pawn, rook),
        48 * 73 + 64 + 2 * 3 + 2
    );
    // On 5×5 black's a5 is its a1.
    let small = position("k4/5/1K3/5/4R b");
    let step = small.parse_uci("a5b5").unwrap();
    assert_eq!(Actions::AlphaZero.number(&small, step), 2 * 7);
}
