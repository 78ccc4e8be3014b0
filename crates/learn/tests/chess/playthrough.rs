//! A whole random game with its tensors as text, kept beside this file and compared: whatever
//! changes what a learner sees or how it acts shows up as a difference that can be read.
//!
//! `LUCENA_PLAYTHROUGH=write cargo test --workspace --test chess playthrough` writes it anew.

use std::{fmt::Write as _, path::Path};

use learn::chess::{Actions, Environment, Observation};
use play::{Dice, derived_seed};

use crate::{ALL_ACTIONS, setup};

/// Sixty-four numbers in a word: their bits, first square first, if they are zeros and ones; or
/// the one number that they all are.
fn plane(numbers: &[i16]) -> String {
    match numbers.iter().all(|&n| n == numbers[0]) {
        true => format!("={}", numbers[0]),
        false => {
            let bits = numbers.iter().rev().fold(0_u64, |bits, &n| {
                assert!(n == 0 || n == 1, "a plane of {n}");
                bits << 1 | n as u64
            });
            format!("{bits:x}")
        }
    }
}

fn tensor(environment: &Environment, text: &str) -> Vec<i16> {
    let observation: Observation = text.parse().unwrap();
    let mut out = vec![0; observation.len()];
    observation.write(environment.game(), environment.turn(), &mut out);
    out
}

fn state(environment: &Environment) -> String {
    let mut text = format!("fen {}\n", environment.game().position());
    for actions in ALL_ACTIONS {
        let mut mask = vec![0; actions.count()];
        let moves = environment.legal_moves();
        let may_claim = environment.may_claim();
        actions.mask(environment.game().position(), moves, may_claim, &mut mask);
        let legal: Vec<String> = (0..mask.len())
            .filter(|&number| mask[number] == 1)
            .map(|number| number.to_string())
            .collect();
        if actions != Actions::AlphaZero {
            writeln!(text, "{actions} {}", legal.join(" ")).unwrap();
        }
    }
    let squares = tensor(environment, "salisch-1");
    let hex: String = squares[..64].iter().map(|n| format!("{n:x}")).collect();
    writeln!(text, "salisch-1 {hex} {:?}", &squares[64..]).unwrap();
    for name in ["wojcik", "planes:history=2"] {
        let planes: Vec<String> = tensor(environment, name).chunks(64).map(plane).collect();
        writeln!(text, "{name} {}", planes.join(" ")).unwrap();
    }
    for name in ["wojcik-squares", "planes", "pettingzoo"] {
        let print = tensor(environment, name)
            .into_iter()
            .fold(0, |print, n| derived_seed(print, n as u64));
        writeln!(text, "{name} fingerprint {print:016x}").unwrap();
    }
    text
}

fn playthrough(seed: u64) -> String {
    let setup = setup(&[
        ("actions", "alphazero+claim"),
        ("draws", "claimed"),
        ("rewards", "end=1000,move=-1"),
    ]);
    let mut environment = Environment::new(setup, seed).unwrap();
    let mut dice = Dice::new(seed);
    let mut text = String::new();
    while environment.outcome().is_none() {
        text += &state(&environment);
        let legal: Vec<usize> = environment.legal_actions().collect();
        let action = legal[dice.below(legal.len())];
        let act = environment.act(action as i64).unwrap();
        let step = environment.step(action as i64).unwrap();
        writeln!(
            text,
            "action {action} {act:?} rewards {} {}\n",
            step.reward, step.other_reward
        )
        .unwrap();
    }
    text += &state(&environment);
    writeln!(text, "{}", environment.outcome().unwrap()).unwrap();
    text
}

#[test]
fn a_random_game_is_the_one_on_file() {
    // Short, with castling, promotion, and mate at the end.
    const SEED: u64 = 318;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chess/playthrough.txt");
    let text = playthrough(SEED);
    if std::env::var_os("LUCENA_PLAYTHROUGH").is_some_and(|what| what == "write") {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    for (number, (now, kept)) in text.lines().zip(kept.lines()).enumerate() {
        assert_eq!(now, kept, "line {} of {}", number + 1, path.display());
    }
    assert_eq!(text.lines().count(), kept.lines().count());
}
