//! Learning from games and playing so, through the real binary.

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
};

use support::{Lab, data};

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

/// The network that comes with the house.
fn network() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../nets/imitation.safetensors"
    );
    path.to_owned()
}

/// Few games, and few positions at a time.
const LITTLE: [&str; 4] = ["batch=32", "held_out=10", "judged=20", "warm_up=5"];
const TOWER: [&str; 6] = [
    "blocks=ca",
    "width=8",
    "heads=2",
    "hidden=16",
    "keys=8",
    "squeeze=4",
];
/// Two hidden layers instead of a tower.
const DENSE: [&str; 2] = ["blocks=dense", "width=16"];

fn train(lab: &Lab, games: &Path, out: &str, episodes: &str, form: &[&str]) -> PathBuf {
    let run = lab.path(out);
    let data = format!("data={}", text(games));
    #[rustfmt::skip]
    let mut args = vec!["train", "imitation", "--episodes", episodes, "--out", text(&run)];
    for setting in [&data[..]].iter().chain(&LITTLE).chain(form) {
        args.extend(["--set", setting]);
    }
    lab.ok(&args);
    run
}

#[test]
fn a_tower_learns_from_games_resumes_to_the_bit_and_plays() {
    learns_resumes_and_plays(&TOWER);
}

#[test]
fn a_dense_network_learns_from_games_resumes_to_the_bit_and_plays() {
    learns_resumes_and_plays(&DENSE);
}

fn learns_resumes_and_plays(form: &[&str]) {
    let lab = Lab::new();
    let games = lab.own_games();
    let run = train(&lab, &games, "whole", "40", form);
    let curve = fs::read_to_string(run.join("metrics.csv")).expect("a curve");
    let names = curve.lines().next().expect("a head");
    for name in ["training/right", "held_out/right", "held_out/right_unseen"] {
        assert!(names.contains(name), "{names}");
    }

    // The same run, thrown back to an earlier checkpoint, ends where the first one ended.
    let again = train(&lab, &games, "again", "40", form);
    let mut checkpoints: Vec<PathBuf> = fs::read_dir(again.join("checkpoints"))
        .expect("checkpoints")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    checkpoints.sort();
    assert!(checkpoints.len() > 1, "{checkpoints:?}");
    fs::remove_file(checkpoints.pop().expect("the last one")).expect("removed");
    fs::remove_file(again.join("weights.safetensors")).expect("removed");
    lab.ok(&["train", "--resume", "--out", text(&again)]);
    let weights = |run: &Path| fs::read(run.join("weights.safetensors")).expect("weights");
    assert!(weights(&run) == weights(&again));
    assert_eq!(
        curve,
        fs::read_to_string(again.join("metrics.csv")).expect("a curve")
    );

    // From its run and from its file it plays the same games.
    let start = lab.start();
    let played = |player: &str, name: &str| {
        let pgn = lab.path(name);
        #[rustfmt::skip]
        lab.ok(&[
            "match", "--white", player, "--black", "random", "--positions", text(&start), "--games", "2",
            "--rules", "moves=20", "--pgn", text(&pgn),
        ]);
        let text = fs::read_to_string(pgn).expect("games");
        text.lines()
            .filter(|line| line.starts_with("1."))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let file = format!("net:{}", text(&run.join("weights.safetensors")));
    let from_run = played(&format!("run:{}", text(&run)), "run.pgn");
    assert!(!from_run.is_empty());
    assert_eq!(from_run, played(&file, "net.pgn"));
    // With a tree search it plays as well, from its run and from its file alike.
    let search = "search=puct,simulations=16";
    let searched = played(&format!("run:{},{search}", text(&run)), "run-puct.pgn");
    assert_eq!(
        searched,
        played(&format!("{file},{search}"), "net-puct.pgn")
    );
    assert_ne!(searched, from_run);
    // It is judged by what is held out, as a run's file.
    let weights = run.join("weights.safetensors");
    #[rustfmt::skip]
    let judged = lab.ok_plain(&["games", "judge", text(&games), text(&weights), "--held-out", "10", "--json"]);
    let judged: serde_json::Value = serde_json::from_str(&judged).expect("JSON");
    assert!(judged["matches"]["positions"].as_u64() > Some(0) && judged["weights"].is_u64());
    // A player needs no games.
    fs::remove_file(&games).expect("removed");
    played(&format!("run:{}", text(&run)), "without.pgn");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let lab = Lab::new();
    let out = lab.path("run");
    let train = |more: &[&str], code: i32| {
        let args = [&["train", "imitation", "--out", text(&out)], more].concat();
        lab.fails(&args, code)
    };
    assert!(train(&[], 1).contains("data"));
    assert!(train(&["--set", "data=no.games"], 1).contains("no.games"));
    assert!(train(&["--set", "data=x", "--endgame", "KRK"], 1).contains("whole game"));
    assert!(train(&["--set", "data=x", "--set", "blocks=cx"], 1).contains("blocks"));
    assert!(train(&["--set", "data=x", "--set", "heads=7"], 1).contains("heads"));
    assert!(train(&["--set", "data=x", "--set", "device=abacus"], 1).contains("abacus"));
    for (setting, words) in [
        ("device=cuda", "learns on the processor"),
        ("heads=8", "a tower's"),
        ("average=0.5", "a tower's"),
    ] {
        #[rustfmt::skip]
        let complaint = train(&["--set", "data=x", "--set", "blocks=dense", "--set", setting], 1);
        assert!(complaint.contains(words), "{complaint}");
    }
    assert!(
        lab.fails(&["train", "two-bounds", "--out", text(&out)], 2)
            .contains("endgame")
    );
    let damaged = lab.path("damaged.safetensors");
    let whole = fs::read(network()).expect("a network");
    fs::write(&damaged, &whole[..whole.len() - 4]).expect("written");
    let player = format!("net:{}", text(&damaged));
    #[rustfmt::skip]
    let complaint = lab.fails(&["match", "--white", &player, "--black", "random", "--endgame", "KRK"], 2);
    assert!(complaint.contains("damaged"), "{complaint}");
    for (settings, words) in [
        ("simulations=64", "nothing without search=puct"),
        ("search=puct,depth=1", "nothing with search=puct"),
        ("search=alpha-beta", "expected one of puct, none"),
        ("search=puct,simulations=0", "simulations is '0'"),
    ] {
        let player = format!("net:{},{settings}", network());
        #[rustfmt::skip]
        let complaint = lab.fails(&["match", "--white", &player, "--black", "random", "--endgame", "KRK"], 2);
        assert!(complaint.contains(words), "{complaint}");
    }
    // It has learned chess, not games on a small board.
    let player = format!("net:{},search=puct", network());
    let small = [
        "match",
        "--white",
        &player,
        "--black",
        "random",
        "--endgame",
        "KRK",
        "--board",
        "5",
    ];
    assert!(lab.fails(&small, 1).contains("chess on 8×8"));
}

#[test]
fn the_network_of_the_house_opens_and_captures_as_masters_do() {
    let lab = Lab::new();
    let player = format!("net:{}", network());
    let out = lab.ok(&[
        "match",
        "--white",
        &player,
        "--black",
        &player,
        "--positions",
        text(&lab.start()),
        "--games",
        "1",
        "--rules",
        "moves=12",
        "--pgn",
        text(&lab.path("own.pgn")),
    ]);
    assert!(out.contains("net:"), "{out}");
    let pgn = fs::read_to_string(lab.path("own.pgn")).expect("a game");
    let first = pgn
        .lines()
        .find(|line| line.starts_with("1."))
        .expect("moves");
    assert!(
        ["1. e4", "1. d4", "1. c4", "1. Nf3"]
            .iter()
            .any(|m| first.starts_with(m)),
        "{first}"
    );
}

#[test]
fn the_network_of_the_house_knows_half_of_all_master_moves() {
    let Some(masters) = data("imitation-masters", "pgn/masters.pgn.zst") else {
        return;
    };
    let lab = Lab::new();
    let games = lab.path("masters.games");
    lab.ok_plain(&["games", "import", text(&masters), "--out", text(&games)]);
    let network = network();
    let judged = lab.ok_plain(&[
        "games",
        "judge",
        text(&games),
        &network,
        "--positions",
        "2000",
        "--page",
        text(&lab.path("judged.html")),
        "--json",
    ]);
    let judged: serde_json::Value = serde_json::from_str(&judged).expect("JSON");
    assert!(judged["weights"].as_u64().expect("a number") <= 1_000_000);
    let share = |part: &str, of: &str| {
        let number = |name: &str| judged["matches"][name].as_f64().expect("a number");
        number(part) / number(of)
    };
    // 52.7 and 47.3 % over all of them; a sample of 2,000 has a standard error of 1.1 %.
    assert!(share("right", "positions") > 0.49, "{judged}");
    assert!(share("unseen_right", "unseen") > 0.43, "{judged}");
    // Every move is one of a pawn or a piece, and of a phase.
    let groups = judged["groups"].as_array().expect("groups");
    let counted = |names: &[&str]| -> u64 {
        let of = |group: &&serde_json::Value| {
            let name = group[0].as_str().expect("a name");
            names.iter().any(|end| name.ends_with(end))
        };
        let positions = groups.iter().filter(of).map(|g| g[1]["positions"].as_u64());
        positions.flatten().sum()
    };
    assert_eq!(counted(&["moves"]), 2000);
    assert_eq!(counted(&["opening", "middlegame", "endgame"]), 2000);
    // It knows how sure it may be, and where it is surest it is sure.
    let apart = |name: &str| {
        let tenths = judged[name]["tenths"].as_array().expect("tenths");
        let sum = |what: &str| -> f64 { tenths.iter().filter_map(|t| t[what].as_f64()).sum() };
        (sum("expected") - sum("came")).abs() / sum("count")
    };
    assert!(apart("moves") < 0.08 && apart("endings") < 0.04, "{judged}");
    let surest = judged["surest"].as_array().expect("mistakes");
    assert!(surest.len() == 5 && surest[0]["share"].as_f64() > Some(0.8));
    let page = std::fs::read_to_string(lab.path("judged.html")).expect("a page");
    assert_eq!(page.matches("<figure>").count(), 5);
}
