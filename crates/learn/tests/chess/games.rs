//! Games through actions alone: their moves, draws, limits and opponents.

use learn::chess::Environment;
use rules::{Color, Epd, Operation, Position};

use crate::setup;

/// The number of ways to play on, through actions alone.
fn count(environment: &mut Environment, depth: usize) -> u64 {
    let mut mask = vec![0; environment.setup().actions.count()];
    environment.mask(&mut mask);
    let legal = mask.iter().filter(|&&legal| legal == 1).count() as u64;
    if depth == 1 {
        return legal;
    }
    let mut total = 0;
    for action in (0..mask.len()).filter(|&action| mask[action] == 1) {
        environment.step(action as i64).unwrap();
        total += count(environment, depth - 1);
        environment.undo();
    }
    total
}

#[test]
fn perft_through_the_environments_own_actions() {
    let file = &include_bytes!("../../../rules/tests/data/perft.epd")[..];
    let mut positions = 0;
    for epd in Epd::read_file(file) {
        let epd = epd.unwrap();
        let fen = format!("fen:{}", epd.position);
        let mut environment =
            Environment::new(setup(&[("start", &fen), ("draws", "never")]), 1).unwrap();
        let deepest = if epd.position == Position::start() {
            5
        } else {
            4
        };
        for operation in &epd.operations {
            let Operation::Other { opcode, operands } = operation else {
                continue;
            };
            let depth: usize = opcode.trim_start_matches('D').parse().unwrap();
            if depth <= deepest {
                let expected: u64 = operands[0].text.parse().unwrap();
                assert_eq!(
                    count(&mut environment, depth),
                    expected,
                    "{fen} to depth {depth}"
                );
            }
        }
        positions += 1;
    }
    assert_eq!(positions, 6);
}

#[test]
fn draws_by_rule_by_claim_and_by_what_could_be_claimed() {
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let play = |draws: &str, actions: &str| {
        let setup = setup(&[
            ("draws", draws),
            ("actions", actions),
            ("rewards", "draw=0.25"),
        ]);
        let mut environment = Environment::new(setup, 1).unwrap();
        let mut plies = 0;
        for uci in shuffle.iter().cycle().take(100) {
            if environment.outcome().is_some() || environment.may_claim() {
                break;
            }
            let m = environment.game().position().parse_uci(uci).unwrap();
            let step = environment.step(environment.action(m) as i64).unwrap();
            assert_eq!(step.reward != 0.0, step.terminated);
            plies += 1;
        }
        (plies, environment)
    };
    let (plies, environment) = play("automatic", "alphazero");
    assert_eq!(plies, 8);
    assert_eq!(
        environment.outcome().unwrap().to_string(),
        "draw by threefold repetition"
    );
    assert_eq!(environment.legal_actions().count(), 0);
    // The knight's return can be announced.
    assert_eq!(play("claimable", "alphazero").0, 7);
    assert_eq!(play("never", "alphazero").0, 100);
    let (plies, mut environment) = play("claimed", "alphazero+claim");
    assert_eq!((plies, environment.outcome()), (8, None));
    assert_eq!(environment.legal_actions().last(), Some(4672));
    let step = environment.step(4672).unwrap();
    assert_eq!(
        (step.reward, step.other_reward, step.terminated),
        (0.25, 0.25, true)
    );
    let fresh = setup(&[("draws", "claimed"), ("actions", "alphazero+claim")]);
    let error = Environment::new(fresh, 1)
        .unwrap()
        .step(4672)
        .unwrap_err()
        .to_string();
    assert!(error.contains("third occurrence"), "{error}");
}

#[test]
fn a_limit_cuts_games_off_and_counts_from_the_reset() {
    let settings = [
        ("start", "fen:k7/8/1K6/8/8/8/8/7R w - - 0 60"),
        ("limit", "2"),
        ("rewards", "end=100,draw=-3,move=-1"),
    ];
    let mut environment = Environment::new(setup(&settings), 1).unwrap();
    for (ply, uci) in ["h1h2", "a8b8", "h2h3", "b8a8"].into_iter().enumerate() {
        let m = environment.game().position().parse_uci(uci).unwrap();
        let step = environment.step(environment.action(m) as i64).unwrap();
        assert!(!step.terminated);
        assert_eq!(step.truncated, ply == 3);
        let end = if ply == 3 { -3.0 } else { 0.0 };
        assert_eq!((step.reward, step.other_reward), (end - 1.0, end));
    }
}

#[test]
fn the_opponent_replies_and_its_mate_is_the_learners_loss() {
    // Black to move has one legal move, and white then mates whatever it plays.
    let settings = [
        ("start", "fen:k7/8/K7/8/8/8/8/7R b"),
        ("opponent", "random"),
        ("side", "black"),
        ("rewards", "end=1000"),
    ];
    let (mut lost, mut drawn) = (0, 0);
    for seed in 0..200 {
        let mut environment = Environment::new(setup(&settings), seed).unwrap();
        assert_eq!(environment.learner(), Some(Color::Black));
        loop {
            assert_eq!(environment.turn(), Color::Black);
            let action = environment.legal_actions().next().unwrap();
            let step = environment.step(action as i64).unwrap();
            if step.terminated {
                assert_eq!(step.reward, -step.other_reward);
                lost += u32::from(step.reward == -1000.0);
                drawn += u32::from(step.reward == 0.0);
                break;
            }
        }
    }
    assert_eq!(lost + drawn, 200);
    assert!(lost > 0 && drawn > 0, "{lost} {drawn}");
    // Both colours come up, and white moves first when black is the learner's.
    let either = setup(&[("opponent", "random")]);
    let firsts: Vec<usize> = (0..50)
        .map(|seed| {
            Environment::new(either.clone(), seed)
                .unwrap()
                .game()
                .plies()
        })
        .collect();
    assert!(firsts.contains(&0) && firsts.contains(&1) && firsts.iter().all(|&n| n < 2));
}
