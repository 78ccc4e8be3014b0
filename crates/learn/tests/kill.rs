//! A run killed at any moment ends where an undisturbed run ends.
#![allow(clippy::unwrap_used)]

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use learn::{Control, Plan, Stopped, resume, train};
use rand::{RngExt as _, SeedableRng as _};
use rules::Board;

const FOLDER: &str = "LUCENA_TEST_RUN";
const RECIPE: &str = "LUCENA_TEST_RECIPE";

fn plan(recipe: &str) -> Plan {
    // The learner of bounds would finish early; from uniform starts it plays on for ever.
    let changes: &[(&str, &str)] = match recipe {
        "two-bounds" => &[("starts", "uniform")],
        _ => &[],
    };
    let changes: Vec<_> = changes
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let board = Board::new(5).unwrap();
    let mut plan = Plan::new(recipe, "KRK".parse().unwrap(), board, 20_000, 7, &changes).unwrap();
    plan.checkpoint_every = 300;
    plan.report_every = 1_000;
    plan.evaluate_every = 5_000;
    plan.evaluate_against = vec!["random".into(), "drawish".into()];
    plan.evaluation_games = 20;
    plan
}

/// What the process does that is to be killed.
fn carry_on(folder: &Path) {
    let summary = if folder.join("run.toml").exists() {
        resume(folder, Control::default())
    } else {
        train(
            &plan(&env::var(RECIPE).unwrap()),
            folder,
            Control::default(),
        )
    };
    assert_eq!(summary.unwrap().stopped, Stopped::Episodes);
}

/// Starts this very test once more; with the variable set it plays the part of the victim.
fn spawn(recipe: &str, folder: &Path) -> std::process::Child {
    Command::new(env::current_exe().unwrap())
        .args([
            "killed_twenty_times_a_run_ends_bit_for_bit_the_same",
            "--exact",
        ])
        .env(FOLDER, folder)
        .env(RECIPE, recipe)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn killed_twenty_times_a_run_ends_bit_for_bit_the_same() {
    if let Some(folder) = env::var_os(FOLDER) {
        return carry_on(Path::new(&folder));
    }
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(20);
    for (recipe, kills) in [("two-bounds", 8), ("ypma-q", 6), ("deolalikar-q-lambda", 6)] {
        let root = tempfile::tempdir().unwrap();
        let undisturbed = root.path().join("undisturbed");
        let start = Instant::now();
        assert!(spawn(recipe, &undisturbed).wait().unwrap().success());
        let time = start.elapsed();

        let killed = root.path().join("killed");
        for _ in 0..kills {
            let mut child = spawn(recipe, &killed);
            std::thread::sleep(time.mul_f64(random.random_range(0.02..0.5)));
            child.kill().unwrap(); // SIGKILL
            child.wait().unwrap();
        }
        assert!(spawn(recipe, &killed).wait().unwrap().success());

        assert_eq!(files(&undisturbed), files(&killed), "{recipe}");
        for file in files(&undisturbed) {
            // TensorBoard's events carry the time of day; everything else must be equal.
            if !file.contains("tfevents") {
                let read = |run: &Path| fs::read(run.join(&file)).unwrap();
                assert!(
                    read(&undisturbed) == read(&killed),
                    "{recipe}: {file} differs"
                );
            }
        }
        let scalars = |run: &Path| {
            let file = fs::read(run.join("events.out.tfevents.lucena")).unwrap();
            let scalars = learn::tensorboard::read(&file).into_iter();
            scalars
                .map(|s| (s.step, s.tag, s.value.to_bits()))
                .collect::<Vec<_>>()
        };
        assert_eq!(scalars(&undisturbed), scalars(&killed), "{recipe}");
        assert!(time < Duration::from_secs(60), "{recipe} took {time:?}");
    }
}

/// The files of a run, by their paths in it.
fn files(run: &Path) -> Vec<String> {
    let names = |folder: &Path, prefix: &str| -> Vec<String> {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| format!("{prefix}{}", entry.unwrap().file_name().to_string_lossy()))
            .collect()
    };
    let mut files = names(run, "");
    files.retain(|name| name != "checkpoints");
    files.extend(names(&run.join("checkpoints"), "checkpoints/"));
    files.sort();
    files
}
