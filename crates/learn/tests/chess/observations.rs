//! What is seen is what is there.

use learn::chess::Observation;
use play::Dice;
use rules::{Color, Game, Position, Rules};

use crate::{ALL_ACTIONS, ALL_OBSERVATIONS, position};

/// The same position with colours exchanged looks the same and has the same legal numbers.
#[test]
fn both_sides_see_the_same() {
    let mut dice = Dice::new(3);
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQk - 3 9",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        "k4/5/1K3/5/4R b",
    ] {
        let mut game = Game::new(position(fen), Rules::none());
        for _ in 0..20 {
            let here = game.position().clone();
            let mirrored = here.mirrored();
            let reflection = Game::new(mirrored.clone(), Rules::none());
            let alone = Game::new(here.clone(), Rules::none());
            for text in ALL_OBSERVATIONS {
                // These say which colour it is; and W's own turns the board for black.
                if text.contains("colour=on") || ["pettingzoo", "wojcik-squares"].contains(&text) {
                    continue;
                }
                let observation: Observation = text.parse().unwrap();
                let see = |game: &Game| {
                    let mut out = vec![9_i16; observation.len()];
                    observation.write(game, game.position().turn(), &mut out);
                    // The number of the move is not mirrored.
                    if observation == Observation::Salisch1 {
                        out[64] = 0;
                    }
                    out
                };
                assert_eq!(see(&alone), see(&reflection), "{text} in {here}");
            }
            for actions in ALL_ACTIONS {
                let mask = |position: &Position| {
                    let mut mask = vec![0; actions.count()];
                    actions.mask(position, &position.legal_moves(), false, &mut mask);
                    mask
                };
                assert_eq!(mask(&here), mask(&mirrored), "{actions} in {here}");
            }
            let moves = here.legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[dice.below(moves.len())]).unwrap();
        }
    }
}

/// Each square by hand, for white and black.
#[test]
fn the_papers_numbers_are_where_they_say() {
    // White king e1 with the right to castle short; black king e8, black rook a8 and long castling.
    let fen = "r3k3/8/8/8/8/8/P7/4K2R b Kq - 7 30";
    let game = Game::new(position(fen), Rules::default());
    let see = |text: &str, viewer| {
        let observation: Observation = text.parse().unwrap();
        let mut out = vec![0_i16; observation.len()];
        observation.write(&game, viewer, &mut out);
        out
    };
    let black = see("salisch-1", Color::Black);
    // From black's side its own king and rook stand on the bottom rank.
    assert_eq!((black[56], black[60]), (4, 6));
    assert_eq!((black[4], black[7], black[8]), (12, 10, 7));
    assert_eq!(black[64..], [30, 7, 2, 1, 0]);
    assert_eq!(black[..64].iter().filter(|&&n| n != 0).count(), 5);
    assert_eq!(see("salisch-2", Color::Black)[64..], [2, 1]);
    let white = see("salisch-2", Color::White);
    assert_eq!((white[60], white[63], white[48]), (6, 4, 1));
    assert_eq!((white[0], white[4]), (10, 12));
    assert_eq!(white[64..], [1, 2]);

    let planes = see("wojcik", Color::Black);
    let plane = |index: usize| &planes[64 * index..64 * (index + 1)];
    assert_eq!(plane(3)[56], 1, "the mover's rook");
    assert_eq!(plane(5)[60], 1, "the mover's king");
    assert_eq!(plane(6)[8], 1, "the other's pawn");
    let full: Vec<bool> = (12..16).map(|i| plane(i).iter().all(|&n| n == 1)).collect();
    assert_eq!(full, [false, true, true, false]);
    assert_eq!(planes[..12 * 64].iter().sum::<i16>(), 5);

    // Read in reverse: H1 is number 0 and A8 number 63.
    let squares = see("wojcik-squares", Color::Black);
    assert_eq!(squares[3 * 64 + 63], 1, "the mover's rook on a8");
    assert_eq!(squares[3 * 64], -1, "the other's rook on h1");
    assert_eq!(squares[15], -1, "the other's pawn on a2");
    let squares = see("wojcik-squares", Color::White);
    assert_eq!(squares[3 * 64], -1, "the other's rook on a8");
    assert_eq!(squares[3 * 64 + 63], 1, "the mover's rook on h1");
}

#[test]
fn our_planes_show_history_repetition_en_passant_and_clock() {
    let mut game = Game::new(Position::start(), Rules::default());
    for uci in "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4".split(' ') {
        game.play(game.position().parse_uci(uci).unwrap()).unwrap();
    }
    let see = |game: &Game, text: &str| {
        let observation: Observation = text.parse().unwrap();
        let mut out = vec![0.0_f32; observation.len()];
        observation.write(game, game.position().turn(), &mut out);
        out
    };
    let text = "planes:history=2,board=on";
    assert_eq!(see(&game, text).len(), 64 * (2 * 14 + 4 + 1 + 1 + 1));
    let planes = see(&game, text);
    let sum = |planes: &[f32], index: usize| planes[64 * index..][..64].iter().sum::<f32>();
    // Now: sixteen men each. Before: the third occurrence of the start position.
    assert_eq!((sum(&planes, 0), sum(&planes, 6)), (8.0, 8.0));
    assert_eq!((sum(&planes, 12), sum(&planes, 13)), (0.0, 0.0));
    assert_eq!((sum(&planes, 14 + 12), sum(&planes, 14 + 13)), (64.0, 64.0));
    // White's pawn stands on e4, seen by black: the fifth rank of the seventh plane; then on e2.
    assert_eq!(planes[64 * 6 + 4 + 8 * 4], 1.0);
    assert_eq!(planes[64 * (14 + 6) + 4 + 8 * 6], 1.0);
    assert_eq!(sum(&planes, 28 + 4), 0.0, "no pawn can take on e3");
    assert_eq!(sum(&planes, 28 + 5), 0.0, "the clock");
    assert_eq!(sum(&planes, 28 + 6), 64.0, "the board");
    game.undo();
    let planes = see(&game, text);
    assert!((planes[64 * (28 + 5)] - 0.08).abs() < 1e-6, "eight plies");
    let capture = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3";
    let planes = see(&Game::new(position(capture), Rules::default()), text);
    assert_eq!(planes[64 * (28 + 4) + 5 + 8 * 5], 1.0);
    assert_eq!(sum(&planes, 14), 0.0, "there was no position before");
    // A small board is the lower left corner.
    let small = Game::new(position("k4/5/1K3/5/4R b"), Rules::default());
    let planes = see(&small, text);
    assert_eq!(planes[64 * 5], 1.0, "black's king on its a1");
    assert_eq!(sum(&planes, 28 + 6), 25.0);
}

/// What a search has of a leaf is seen as the game is.
#[test]
fn moments_are_seen_as_the_game_is() {
    let mut dice = Dice::new(5);
    let mut game = Game::new(Position::start(), Rules::none());
    for _ in 0..60 {
        for text in ALL_OBSERVATIONS {
            let observation: Observation = text.parse().unwrap();
            let moments: Vec<_> = game.moments().take(observation.history() + 1).collect();
            let (mut whole, mut last) = (vec![0_u8; observation.len()], vec![1; observation.len()]);
            observation.write(&game, game.position().turn(), &mut whole);
            observation.write_moments(&moments, &mut last);
            assert_eq!(whole, last, "{text}");
        }
        let moves = game.position().legal_moves();
        game.play(moves[dice.below(moves.len())]).unwrap();
    }
}
