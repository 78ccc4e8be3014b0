//! Many environments at once, on any number of threads.

use learn::chess::{Arrays, Autoreset, Environment, Environments};
use play::Dice;

use crate::setup;

/// Ten random games of each of several setups, as one long text.
fn batch(settings: &[(&str, &str)], autoreset: Autoreset, threads: usize, count: usize) -> String {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| {
        let setup = setup(settings);
        let (seen, acted) = (setup.observation.len(), setup.actions.count());
        let mut environments = Environments::new(setup, count, 7, autoreset).unwrap();
        let (mut observations, mut masks) = (vec![0_u8; count * seen], vec![0; count * acted]);
        let mut last = vec![0_u8; count * seen];
        let mut rewards = vec![0.0; count];
        let (mut terminated, mut truncated) = (vec![false; count], vec![false; count]);
        environments
            .reset(Some(11), &mut observations, &mut masks)
            .unwrap();
        let mut text = String::new();
        for step in 0..200_u64 {
            let actions: Vec<i64> = masks
                .chunks(acted)
                .enumerate()
                .map(|(index, mask)| {
                    let legal: Vec<usize> = (0..acted).filter(|&a| mask[a] == 1).collect();
                    let mut dice = Dice::new(play::derived_seed(step, index as u64));
                    legal
                        .get(dice.below(legal.len().max(1)))
                        .map_or(0, |&a| a as i64)
                })
                .collect();
            environments
                .step(
                    &actions,
                    Arrays {
                        observations: &mut observations,
                        masks: &mut masks,
                        rewards: &mut rewards,
                        terminated: &mut terminated,
                        truncated: &mut truncated,
                        last_observations: Some(&mut last),
                    },
                )
                .unwrap();
            let hash = observations.iter().chain(&last).fold(0_u64, |hash, &n| {
                hash.wrapping_mul(31).wrapping_add(u64::from(n))
            });
            text += &format!("{actions:?} {hash:x} {rewards:?} {terminated:?} {truncated:?}\n");
        }
        text
    })
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for (settings, autoreset) in [
        (
            &[("observation", "salisch-2"), ("opponent", "random")][..],
            Autoreset::NextStep,
        ),
        (
            &[
                ("start", "endgame:KQK,board=5"),
                ("opponent", "random"),
                ("limit", "20"),
            ],
            Autoreset::SameStep,
        ),
        (
            &[("start", "endgame:KRKR,turn=either")],
            Autoreset::NextStep,
        ),
    ] {
        let one = batch(settings, autoreset, 1, 10);
        assert_eq!(one, batch(settings, autoreset, 4, 10), "{settings:?}");
        assert!(one.contains("true"), "some game ends: {settings:?}");
    }
}

#[test]
fn an_environment_does_not_depend_on_its_neighbours() {
    let settings = &[("start", "endgame:KRK,board=4"), ("opponent", "random")];
    let rewards = |text: String| -> Vec<String> {
        text.lines()
            .map(|line| line.split(['[', ',', ']']).nth(1).unwrap().to_owned())
            .collect()
    };
    let alone = rewards(batch(settings, Autoreset::NextStep, 1, 1));
    assert_eq!(alone, rewards(batch(settings, Autoreset::NextStep, 2, 5)));
}

#[test]
fn autoreset_keeps_gymnasiums_promises() {
    // Mate in one; the caller moves for both sides.
    let settings = [
        ("start", "fen:k4/5/1K3/5/4R w"),
        ("observation", "salisch-2"),
    ];
    let mate = {
        let environment = Environment::new(setup(&settings), 1).unwrap();
        let m = environment.game().position().parse_uci("e1e5").unwrap();
        environment.action(m) as i64
    };
    for autoreset in [
        Autoreset::NextStep,
        Autoreset::SameStep,
        Autoreset::Disabled,
    ] {
        let mut environments = Environments::new(setup(&settings), 1, 1, autoreset).unwrap();
        let (mut first, mut masks) = (vec![0_u8; 66], vec![0; 4672]);
        environments.reset(None, &mut first, &mut masks).unwrap();
        let (mut seen, mut last) = (vec![0_u8; 66], vec![0_u8; 66]);
        let (mut rewards, mut terminated, mut truncated) = ([0.0], [false], [false]);
        let mut step = |seen: &mut [u8], last: &mut [u8], action| {
            let result = environments.step(
                &[action],
                Arrays {
                    observations: seen,
                    masks: &mut masks,
                    rewards: &mut rewards,
                    terminated: &mut terminated,
                    truncated: &mut truncated,
                    last_observations: Some(last),
                },
            );
            (
                result.map_err(|e| e.to_string()),
                rewards[0],
                terminated[0],
                masks.contains(&1),
            )
        };
        let after = step(&mut seen, &mut last, mate);
        match autoreset {
            Autoreset::NextStep => {
                assert_eq!(after, (Ok(()), 1.0, true, false));
                assert_ne!(seen, first);
                // Any action will do now.
                assert_eq!(step(&mut seen, &mut last, -5), (Ok(()), 0.0, false, true));
                assert_eq!(seen, first);
            }
            Autoreset::SameStep => {
                assert_eq!(after, (Ok(()), 1.0, true, true));
                assert_eq!(seen, first);
                assert_ne!(last, first);
                assert_ne!(last, [0; 66]);
            }
            Autoreset::Disabled => {
                assert_eq!(after, (Ok(()), 1.0, true, false));
                let (error, ..) = step(&mut seen, &mut last, mate);
                let error = error.unwrap_err();
                assert!(error.contains("white wins by checkmate"), "{error}");
            }
        }
    }
}

#[test]
fn an_illegal_action_changes_nothing_anywhere() {
    let mut environments = Environments::new(
        setup(&[("observation", "salisch-2")]),
        3,
        1,
        Autoreset::NextStep,
    )
    .unwrap();
    let fens = |environments: &Environments| -> Vec<String> {
        let all = environments.environments();
        all.iter().map(|e| e.game().position().fen()).collect()
    };
    let before = fens(&environments);
    let legal = environments.environments()[0]
        .legal_actions()
        .next()
        .unwrap() as i64;
    let (mut observations, mut masks) = (vec![5_u8; 3 * 66], vec![5; 3 * 4672]);
    for (actions, complaint) in [
        (
            vec![legal, 0, legal],
            "environment 1: action 0 is not legal in rnbq",
        ),
        (
            vec![legal, legal, -1],
            "environment 2: action -1 is not legal",
        ),
        (
            vec![99_999, legal, legal],
            "one of the 20 numbers below 4672",
        ),
        (vec![legal], "actions has 1 elements, expected 3"),
    ] {
        let error = environments
            .step(
                &actions,
                Arrays {
                    observations: &mut observations,
                    masks: &mut masks,
                    rewards: &mut [0.0; 3],
                    terminated: &mut [false; 3],
                    truncated: &mut [false; 3],
                    last_observations: None,
                },
            )
            .unwrap_err()
            .to_string();
        assert!(error.contains(complaint), "{error}");
        assert_eq!(fens(&environments), before);
        assert!(observations.iter().all(|&n| n == 5) && masks.iter().all(|&n| n == 5));
    }
    let short = environments.step(
        &[legal; 3],
        Arrays {
            observations: &mut [0_u8; 3],
            masks: &mut masks,
            rewards: &mut [0.0; 3],
            terminated: &mut [false; 3],
            truncated: &mut [false; 3],
            last_observations: None,
        },
    );
    assert_eq!(
        short.unwrap_err().to_string(),
        "observations has 3 elements, expected 198"
    );
    assert_eq!(fens(&environments), before);
}
