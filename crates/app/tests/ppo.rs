//! Proximal policy optimisation through the real binary.

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
};

use support::{Lab, command, data};

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

/// The arguments of a small training.
fn training<'a>(recipe: &'a str, out: &'a Path, settings: &'a [String]) -> Vec<&'a str> {
    let mut args = vec!["train", recipe, "--episodes", "6", "--out", text(out)];
    for setting in settings {
        args.extend(["--set", setting]);
    }
    args
}

fn small(more: &[&str]) -> Vec<String> {
    let mut settings: Vec<String> = [
        "steps=64",
        "fragment=8",
        "epochs=2",
        "minibatch=32",
        "width=16",
    ]
    .map(str::to_owned)
    .into();
    settings.extend(more.iter().map(|&setting| setting.to_owned()));
    settings
}

fn weights(run: &Path) -> Vec<u8> {
    fs::read(run.join("weights.safetensors")).expect("weights")
}

/// Takes the last checkpoint and the weights away, as if the run had been killed before.
fn throw_back(run: &Path) {
    let mut checkpoints: Vec<PathBuf> = fs::read_dir(run.join("checkpoints"))
        .expect("checkpoints")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    checkpoints.sort();
    assert!(checkpoints.len() > 1, "{checkpoints:?}");
    fs::remove_file(checkpoints.pop().expect("the last one")).expect("removed");
    fs::remove_file(run.join("weights.safetensors")).expect("removed");
}

const EVERY_CURVE: [&str; 8] = [
    "rollout/ep_rew_mean",
    "rollout/ep_len_mean",
    "train/approx_kl",
    "train/clip_fraction",
    "train/explained_variance",
    "train/entropy_loss",
    "train/policy_gradient_loss",
    "train/value_loss",
];

#[test]
fn every_version_of_document_p_trains_and_plays() {
    let lab = Lab::new();
    for version in 1..=10 {
        let out = lab.path(&format!("version-{version}"));
        let version = format!("version={version}");
        let settings = small(&[&version, "book=none", "syzygy=none"]);
        lab.ok(&training("salisch-ppo", &out, &settings));
        let curve = fs::read_to_string(out.join("metrics.csv")).expect("a curve");
        for name in EVERY_CURVE {
            assert!(curve.contains(name), "{version}: {curve}");
        }
    }
    // Each is a player of whole games, with and without chance.
    let start = lab.path("start.epd");
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
    fs::write(&start, fen).expect("written");
    let white = format!("run:{}", lab.path("version-1").display());
    let black = format!("run:{},moves=drawn", lab.path("version-10").display());
    #[rustfmt::skip]
    let result = lab.json(&[
        "match", "--white", &white, "--black", &black, "--positions", text(&start),
        "--games", "2", "--rules", "moves=10", "--json",
    ]);
    assert_eq!(result["games"], 2, "{result}");
}

#[test]
fn a_run_goes_on_to_the_bit_on_any_number_of_threads() {
    let lab = Lab::new();
    for (recipe, more) in [
        ("salisch-ppo", &["version=2"][..]),
        ("salisch-ppo", &["version=4", "book=none", "syzygy=none"]),
        (
            "ppo",
            &["pool=2", "pool_every=2", "past=0.4", "restarts=0.3"],
        ),
        (
            "ppo",
            &["symmetric=false", "negamax=false", "random=0.5", "past=0"],
        ),
    ] {
        let settings = small(more);
        let (whole, again) = (lab.path("whole"), lab.path("again"));
        lab.ok(&training(recipe, &whole, &settings));
        let output = command(&lab)
            .args(training(recipe, &again, &settings))
            .arg("--tables")
            .arg(lab.path("tables"))
            .env("RAYON_NUM_THREADS", "1")
            .output()
            .expect("it runs");
        assert!(output.status.success(), "{output:?}");
        assert!(weights(&whole) == weights(&again), "{recipe} {more:?}");
        throw_back(&again);
        lab.ok(&["train", "--resume", "--out", text(&again)]);
        assert!(weights(&whole) == weights(&again), "{recipe} {more:?}");
        let curve = |run: &Path| fs::read_to_string(run.join("metrics.csv")).expect("a curve");
        assert_eq!(curve(&whole), curve(&again), "{recipe} {more:?}");
        for run in [whole, again] {
            fs::remove_dir_all(run).expect("removed");
        }
    }
}

#[test]
fn an_endgame_is_learned_certified_and_resumed() {
    let lab = Lab::new();
    let out = lab.path("kqk");
    let settings = small(&["restarts=0.5"]);
    let mut args = training("ppo", &out, &settings);
    args.extend(["--endgame", "KQK", "--board", "5", "--evaluate", "random"]);
    lab.ok(&args);
    let first = weights(&out);
    throw_back(&out);
    lab.ok(&["train", "--resume", "--out", text(&out)]);
    assert!(first == weights(&out));
    let player = format!("run:{}", out.display());
    let certificate = lab.json(&["certify", &player, "KQK", "--board", "5", "--json"]);
    assert!(certificate.to_string().contains("won"), "{certificate}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let lab = Lab::new();
    let out = lab.path("refused");
    for (recipe, settings, complaint) in [
        ("salisch-ppo", &["version=11"][..], "1 to 10"),
        ("salisch-ppo", &["version=3"], "a Polyglot file"),
        ("salisch-ppo", &["version=9", "book=none"], "Syzygy tables"),
        (
            "salisch-ppo",
            &["version=3", "book=no/such.bin", "syzygy=none"],
            "no/such.bin",
        ),
        ("salisch-ppo", &["version=2", "steps=0"], "steps = 0"),
        ("ppo", &["width=0"], "width = 0"),
        ("ppo", &["symmetric=false"], "symmetric=true"),
        ("ppo", &["random=0.7", "past=0.7"], "random + past"),
        ("ppo", &["sees=salisch-1"], "salisch-2, men or attacks"),
        ("ppo", &["gamma=2"], "gamma = 2"),
    ] {
        let settings: Vec<String> = settings.iter().map(|&s| s.to_owned()).collect();
        let args = training(recipe, &out, &settings);
        // A value that a setting never takes is a misuse, one that does not fit the others a failure.
        let alone = ["1 to 10", "steps = 0", "width = 0", "gamma = 2"].contains(&complaint);
        let error = lab.fails(&args, if alone { 2 } else { 1 });
        assert!(error.contains(complaint), "{settings:?}: {error}");
        assert!(!out.exists(), "{settings:?} leaves a folder behind");
    }
    let settings = small(&["version=2"]);
    let mut args = training("salisch-ppo", &out, &settings);
    args.extend(["--endgame", "KQK"]);
    assert!(lab.fails(&args, 1).contains("leave the endgame out"));
    let unknown = ["no_such_setting=1".to_owned()];
    let error = lab.fails(&training("ppo", &out, &unknown), 2);
    assert!(error.contains("no_such_setting"), "{error}");
    // A policy plays without search.
    lab.ok(&training("salisch-ppo", &out, &settings));
    let player = format!("run:{},depth=3", out.display());
    let args = [
        "match", "--white", &player, "--black", "random", "--games", "1",
    ];
    let error = lab.fails(&[&args[..], &["--endgame", "KQK"]].concat(), 2);
    assert!(error.contains("without search"), "{error}");
}

#[test]
fn book_and_tables_give_rewards_and_are_owned_up_to() {
    let Some(book) = data("PPO with book and tables", "polyglot/gnuchess-book.bin") else {
        return;
    };
    let Some(syzygy) = data("PPO with book and tables", "syzygy") else {
        return;
    };
    let lab = Lab::new();
    let out = lab.path("version-9");
    let (book, syzygy) = (
        format!("book={}", text(&book)),
        format!("syzygy={}", text(&syzygy)),
    );
    let settings = small(&["version=9", &book, &syzygy, "fragment=64"]);
    lab.ok(&training("salisch-ppo", &out, &settings));
    let shown = lab.ok_plain(&["show", text(&out)]);
    assert!(shown.contains("rewarded by the exact tables"), "{shown}");
}
