//! Document W's AlphaZero, through the real binary.

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
};

use support::{Lab, command};

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

/// Two epochs of games by others and four rounds of its own, every one with a duel.
const SMALL: [&str; 12] = [
    "positions=600",
    "epochs=2",
    "filters=8",
    "blocks=2",
    "batch=32",
    "games=3",
    "simulations=6",
    "max_moves=12",
    "harvest=40",
    "window=150",
    "duel=2",
    "gate=0.5",
];

/// Trains on so many threads and returns the folder of the run.
fn train(lab: &Lab, games: &Path, out: &str, threads: &str) -> PathBuf {
    train_with(lab, games, out, threads, &[])
}

fn train_with(lab: &Lab, games: &Path, out: &str, threads: &str, more: &[&str]) -> PathBuf {
    let run = lab.path(out);
    let data = format!("data={}", text(games));
    let mut training = command(lab);
    training.args(["train", "wojcik-alphazero", "--episodes", "6"]);
    training.args(["--out", text(&run), "--set", &data]);
    for setting in SMALL.iter().chain(more) {
        training.args(["--set", setting]);
    }
    let output = training
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    run
}

fn read(run: &Path, file: &str) -> Vec<u8> {
    fs::read(run.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn it_learns_from_games_then_from_itself_and_resumes_to_the_bit_on_any_number_of_threads() {
    let lab = Lab::new();
    let games = lab.own_games();
    let run = train(&lab, &games, "whole", "2");
    let curve = String::from_utf8(read(&run, "metrics.csv")).expect("text");
    let lines: Vec<Vec<&str>> = curve.lines().map(|l| l.split(',').collect()).collect();
    let values = |name: &str| -> Vec<f64> {
        let column = lines[0].iter().position(|known| *known == name);
        let column = column.unwrap_or_else(|| panic!("{name} in {:?}", lines[0]));
        let cells = lines[1..].iter().map(|line| line[column]);
        let cells = cells.filter(|cell| !cell.is_empty());
        cells.map(|cell| cell.parse().expect("a number")).collect()
    };
    let losses = values("studies/policy_loss");
    assert!(losses[1] < losses[0] && losses[0] < 9.0, "{losses:?}");
    // Games against itself begin when the games of others have been learned.
    assert_eq!(values("self_play/games"), [3.0; 4]);
    assert!(values("self_play/positions").iter().all(|&it| it > 3.0));
    assert_eq!(values("train/generation").last(), Some(&4.0));
    assert!(!values("duel/won").is_empty());

    // The same on one thread, thrown back to an earlier checkpoint, ends where the first one ended.
    let again = train(&lab, &games, "again", "1");
    let mut checkpoints: Vec<PathBuf> = fs::read_dir(again.join("checkpoints"))
        .expect("checkpoints")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    checkpoints.sort();
    assert!(checkpoints.len() > 1, "{checkpoints:?}");
    fs::remove_file(checkpoints.pop().expect("the last one")).expect("removed");
    fs::remove_file(again.join("weights.safetensors")).expect("removed");
    lab.ok(&["train", "--resume", "--out", text(&again)]);
    assert!(read(&run, "weights.safetensors") == read(&again, "weights.safetensors"));
    assert!(read(&run, "metrics.csv") == read(&again, "metrics.csv"));

    // What the search expected is another lesson than how the game ended, from the first round on.
    let hoping = train_with(&lab, &games, "hoping", "2", &["expected=0.5"]);
    let lines = |run: &Path| -> Vec<String> {
        let curve = String::from_utf8(read(run, "metrics.csv")).expect("text");
        curve.lines().map(str::to_owned).collect()
    };
    let (one, other) = (lines(&run), lines(&hoping));
    assert!(
        one[..3] == other[..3] && one[3] != other[3],
        "{one:?} {other:?}"
    );

    // From its run and from its file it plays the same games, with and without search, and needs no
    // games of others for it.
    fs::remove_file(&games).expect("removed");
    let start = lab.start();
    let played = |player: &str, name: &str| {
        let pgn = lab.path(name);
        #[rustfmt::skip]
        lab.ok(&[
            "match", "--white", player, "--black", "random", "--positions", text(&start), "--games", "2",
            "--rules", "moves=8", "--pgn", text(&pgn),
        ]);
        let text = fs::read_to_string(pgn).expect("games");
        let moves = text.lines().filter(|line| line.starts_with("1."));
        moves.map(str::to_owned).collect::<Vec<_>>()
    };
    let weights = run.join("weights.safetensors");
    for (number, how) in ["", ",search=puct,preset=wojcik,simulations=8,noise=off"]
        .into_iter()
        .enumerate()
    {
        let of_run = played(&format!("run:{}{how}", text(&run)), &format!("run{number}"));
        let of_file = played(
            &format!("net:{}{how}", text(&weights)),
            &format!("net{number}"),
        );
        assert!(!of_run.is_empty());
        assert_eq!(of_run, of_file, "{how}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_leaves_nothing() {
    let lab = Lab::new();
    let run = lab.path("run");
    for (settings, code, says) in [
        (&[][..], 1, "lucena games import"),
        (&["data=missing.games"], 1, "missing.games"),
        (&["data=x", "duel=3"], 1, "even"),
        (&["data=x", "simulations=0"], 2, "1 to 100000"),
        (&["data=x", "gate=2"], 2, "0 to 1"),
        (&["data=x", "filters=0"], 2, "1 to 1024"),
    ] {
        let mut args = vec!["train", "wojcik-alphazero", "--episodes", "1"];
        args.extend(["--out", text(&run)]);
        settings.iter().for_each(|s| args.extend(["--set", s]));
        let error = lab.fails(&args, code);
        assert!(error.contains(says), "{settings:?}: {error}");
        assert!(!run.exists(), "{settings:?}");
    }
    #[rustfmt::skip]
    let error = lab.fails(&[
        "train", "wojcik-alphazero", "--episodes", "1", "--endgame", "KRK", "--out", text(&run),
    ], 1);
    assert!(error.contains("whole game"), "{error}");
}
