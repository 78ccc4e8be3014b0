//! A run killed at any moment ends where an undisturbed run ends.
#![allow(clippy::unwrap_used)]

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use learn::{Control, Plan, Stopped, Task, resume, train};
use rand::{RngExt as _, SeedableRng as _};
use rules::Board;
use truth::Tablebase;

const FOLDER: &str = "LUCENA_TEST_RUN";
const RECIPE: &str = "LUCENA_TEST_RECIPE";

fn plan(recipe: &str) -> Plan {
    // The learner of bounds would finish early; from uniform starts it plays on for ever.
    let changes: &[(&str, &str)] = match recipe {
        "two-bounds" => &[("starts", "uniform")],
        "distance-net" => &[("width", "16"), ("layers", "1"), ("batch", "64")],
        // Everything that has a state of its own is on, and nothing ends the run early.
        "td-net" => &[
            ("width", "16"),
            ("layers", "1"),
            ("batch", "64"),
            ("refresh", "20"),
            ("quiet", "1000000"),
        ],
        "ypma-dqn" => &[
            ("channels", "4"),
            ("batch", "8"),
            ("warm_up", "100"),
            ("memory", "1000"),
            ("target_every", "50"),
            ("opponent", "self"),
            ("freeze", "30"),
            ("augmentation", "true"),
            ("n_step", "2"),
            ("prioritised", "true"),
            ("ensemble", "2"),
            ("validate_every", "50"),
            ("validation_games", "10"),
            ("patience", "1000"),
        ],
        "ppo" => &[
            ("steps", "256"),
            ("fragment", "16"),
            ("minibatch", "64"),
            ("width", "32"),
            ("pool", "2"),
            ("pool_every", "7"),
        ],
        "alphazero" => &[
            ("games", "24"),
            ("group", "8"),
            ("plies", "5"),
            ("simulations", "8"),
            ("full_share", "0.5"),
            ("width", "16"),
            ("batch", "32"),
            ("window_least", "100"),
            ("window_most", "400"),
        ],
        _ => &[],
    };
    let changes: Vec<_> = changes
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let board = Board::new(5).unwrap();
    // Batches of a network take longer than games of a table.
    let (episodes, checkpoint_every) = match recipe {
        "distance-net" | "td-net" => (600, 50),
        "ypma-dqn" => (200, 20),
        "ppo" | "alphazero" => (120, 10),
        _ => (20_000, 300),
    };
    let material = "KRK".parse().unwrap();
    let mut plan = Plan::new(
        recipe,
        Task::Endgame(material, board),
        episodes,
        7,
        &changes,
    )
    .unwrap();
    plan.checkpoint_every = checkpoint_every;
    plan.report_every = 1_000;
    plan.evaluate_every = 5_000;
    plan.evaluate_against = vec!["random".into(), "drawish".into()];
    plan.evaluation_games = 20;
    plan
}

/// What the process does that is to be killed.
fn carry_on(folder: &Path) {
    let tables = Tablebase::new(folder.parent().unwrap());
    let board = Board::new(5).unwrap();
    tables
        .ensure("KRK".parse().unwrap(), board, &|_| true)
        .unwrap();
    let control = Control {
        teacher: Some(Arc::new(tables)),
        ..Control::default()
    };
    let summary = if folder.join("run.toml").exists() {
        resume(folder, control)
    } else {
        train(&plan(&env::var(RECIPE).unwrap()), folder, control)
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
    let recipes = [
        ("two-bounds", 8_u32),
        ("ypma-q", 6),
        ("deolalikar-q-lambda", 6),
        ("distance-net", 6),
        ("td-net", 4),
        ("ypma-dqn", 4),
        ("ppo", 4),
        ("alphazero", 20),
    ];
    for (recipe, kills) in recipes {
        let root = tempfile::tempdir().unwrap();
        let undisturbed = root.path().join("undisturbed");
        let start = Instant::now();
        assert!(spawn(recipe, &undisturbed).wait().unwrap().success());
        let time = start.elapsed();

        let killed = root.path().join("killed");
        let mut alive = 0;
        for _ in 0..kills {
            let mut child = spawn(recipe, &killed);
            // So short that the last of them finds it at work, too.
            let share = random.random_range(0.02..1.6 / f64::from(kills));
            std::thread::sleep(time.mul_f64(share));
            alive += u32::from(child.try_wait().unwrap().is_none());
            child.kill().unwrap(); // SIGKILL
            child.wait().unwrap();
        }
        assert!(alive > 0, "{recipe} was never killed");
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
            let scalars = learn::runs::tensorboard::read(&file).into_iter();
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
