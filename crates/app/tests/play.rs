//! Matches and certificates, through the real binary.

mod support;

use support::Lab;

const MATCH: [&str; 9] = [
    "match",
    "--white",
    "minimax:depth=2",
    "--black",
    "perfect",
    "--endgame",
    "KRK",
    "--seed",
    "1",
];

#[test]
fn a_match_is_the_same_whatever_the_number_of_threads() {
    let lab = Lab::new();
    let run = |threads: &str| {
        let mut args = MATCH.to_vec();
        args.extend(["--games", "40", "--json", "--threads", threads]);
        lab.json(&args)
    };
    let one = run("1");
    assert_eq!(one, run("2"));
    assert_eq!(one["games"], 40);
    assert_eq!(one["complete"], true);
    let sum: u64 = ["wins", "draws", "losses"]
        .iter()
        .map(|k| one[k]["games"].as_u64().expect("a number"))
        .sum();
    assert_eq!(sum, 40);
    assert!(one["wins"]["share"]["low"].as_f64() <= one["wins"]["share"]["value"].as_f64());
}

#[test]
fn a_match_goes_on_where_it_was_killed() {
    let lab = Lab::new();
    let mut whole = MATCH.to_vec();
    whole.extend(["--games", "60", "--json"]);
    let expected = lab.json(&whole);
    let journal = lab.path("journal.jsonl");
    let journal = journal.to_str().expect("a readable path");
    // Half the match, then half a line of garbage as a crash leaves it, then the rest.
    let mut half = MATCH.to_vec();
    half.extend(["--games", "30", "--journal", journal, "--json"]);
    lab.json(&half);
    let mut text = std::fs::read_to_string(journal).expect("a journal");
    text.push_str("{\"index\":30,\"whi");
    std::fs::write(journal, text).expect("it can be written");
    let mut rest = MATCH.to_vec();
    rest.extend(["--games", "60", "--journal", journal, "--resume", "--json"]);
    assert_eq!(lab.json(&rest), expected);
    let mut other = MATCH.to_vec();
    other[8] = "2";
    other.extend(["--games", "60", "--journal", journal, "--resume"]);
    let error = lab.fails(&other, 1);
    assert!(error.contains("another match"), "{error}");
}

#[test]
fn a_proof_does_not_need_games_where_wins_are_rare() {
    let lab = Lab::new();
    let certificate = lab.json(&["certify", "perfect", "KNKN", "--json"]);
    assert_eq!(certificate["share"], 1.0);
    assert!(certificate["won_positions"].as_u64() > Some(0));
    assert!(certificate["games_won_share"].is_null(), "{certificate}");
}

#[test]
fn games_come_out_as_pgn() {
    let lab = Lab::new();
    let path = lab.path("games.pgn");
    let mut args = MATCH.to_vec();
    let file = path.to_str().expect("a readable path");
    args.extend(["--games", "10", "--pgn", file]);
    let text = lab.ok(&args);
    assert!(text.contains("moves to mate"), "{text}");
    let pgn = std::fs::read(&path).expect("a file");
    let games: Vec<_> = rules::PgnReader::new(&pgn[..], rules::Rules::default())
        .map(|game| game.expect("a sound game"))
        .collect();
    assert_eq!(games.len(), 10);
}

#[cfg(unix)]
#[test]
fn what_is_written_is_as_readable_as_any_other_new_file() {
    use std::{fs, os::unix::fs::PermissionsExt as _};
    let lab = Lab::new();
    let (pgn, other) = (lab.path("games.pgn"), lab.path("other"));
    let mut args = MATCH.to_vec();
    args.extend([
        "--games",
        "2",
        "--pgn",
        pgn.to_str().expect("a readable path"),
    ]);
    lab.ok(&args);
    fs::write(&other, "text").expect("it can be written");
    let mode = |path| fs::metadata(path).expect("a file").permissions().mode();
    assert_eq!(mode(&pgn), mode(&other));
}

#[test]
fn perfect_is_certified_and_random_is_not() {
    let lab = Lab::new();
    let csv = lab.path("policy.csv");
    let csv = csv.to_str().expect("a readable path");
    let certificate = lab.json(&[
        "certify", "perfect", "KRK", "--json", "--policy", csv, "--games", "50",
    ]);
    assert_eq!(certificate["player"], "perfect");
    assert_eq!(certificate["proof"], true);
    assert_eq!(certificate["won_positions"], 175_168);
    assert_eq!(certificate["forced_mates"], 175_168);
    assert_eq!(certificate["share"], 1.0);
    assert_eq!(certificate["longest_moves"], 16);
    assert_eq!(certificate["mean_excess_moves"], 0.0);
    assert_eq!(certificate["optimal_share"], 1.0);
    assert_eq!(certificate["within_fifty_share"], 1.0);
    assert_eq!(certificate["failures"].as_array().map(Vec::len), Some(0));
    assert!(certificate["seconds"].as_f64() > Some(0.0));
    assert_eq!(certificate["games_won_share"]["value"], 1.0);
    let lines = std::fs::read_to_string(csv)
        .expect("a file")
        .lines()
        .count();
    assert_eq!(
        lines, 21_959,
        "the published number of won positions up to symmetry"
    );

    let sampled = lab.json(&["certify", "random", "KRK", "--sample", "50", "--json"]);
    assert_eq!(sampled["proof"], false);
    assert!(
        sampled["label"]
            .as_str()
            .expect("a text")
            .contains("not a proof")
    );
}

#[test]
fn a_weak_search_is_refuted_with_lines_that_can_be_replayed() {
    let lab = Lab::new();
    let pgn = lab.path("refutations.pgn");
    let file = pgn.to_str().expect("a readable path");
    let certificate = lab.json(&[
        "certify",
        "minimax:depth=1,eval=ypma,history=off",
        "KRK",
        "--board",
        "5",
        "--json",
        "--games",
        "20",
        "--refutations",
        file,
    ]);
    assert!(certificate["share"].as_f64() < Some(1.0));
    let failures = certificate["failures"].as_array().expect("a list");
    assert!(!failures.is_empty());
    let games: Vec<_> = rules::PgnReader::new(
        &std::fs::read(&pgn).expect("a file")[..],
        rules::Rules::none(),
    )
    .map(|game| game.expect("a sound game"))
    .collect();
    let examples: usize = failures
        .iter()
        .map(|failure| failure["examples"].as_array().expect("a list").len())
        .sum();
    assert_eq!(games.len(), examples);
    assert!(!games.is_empty());
}

#[test]
fn a_defence_is_certified_too() {
    let lab = Lab::new();
    let defence = lab.json(&["certify", "perfect", "KQK", "--side", "black", "--json"]);
    assert_eq!(defence["kept_share"], 1.0);
    assert_eq!(defence["optimal_share"], 1.0);
    assert_eq!(defence["held_positions"], 223_944 - 200_896);
}

#[test]
fn random_games_are_the_same_whatever_the_number_of_threads() {
    let lab = Lab::new();
    for settings in [
        &["--observation", "salisch-2"][..],
        &[
            "--start",
            "endgame:KRK,board=5",
            "--set",
            "opponent=heuristic",
        ],
        &[
            "--start",
            "endgame:KQK,won=on",
            "--set",
            "rewards=tablebase=10",
        ],
    ] {
        let run = |threads: &str| {
            let mut args = vec![
                "play-random",
                "--games",
                "50",
                "--json",
                "--threads",
                threads,
            ];
            args.extend(settings);
            let mut report = lab.json(&args);
            for clock in ["seconds", "plies_per_second", "threads"] {
                assert!(report[clock].as_f64() > Some(0.0), "{clock}");
                report[clock].take();
            }
            report
        };
        let one = run("1");
        assert_eq!(one, run("2"));
        let sum: u64 = ["white_wins", "black_wins", "draws"]
            .iter()
            .filter_map(|key| one[key].as_u64())
            .sum();
        assert_eq!((sum, &one["games"]), (50, &50.into()));
    }
}

#[test]
fn an_environment_that_makes_no_sense_is_refused() {
    let lab = Lab::new();
    for (args, code, complaint) in [
        (&["--games", "0"][..], 2, "0 is not in 1.."),
        (&["--set", "opponent"], 2, "expected NAME=VALUE"),
        (
            &["--observation", "nothing"],
            1,
            "known are salisch-1, salisch-2",
        ),
        (
            &["--set", "colour=red"],
            1,
            "known are observation, actions, start",
        ),
        (
            &["--set", "opponent=nobody"],
            1,
            "there is no player 'nobody'",
        ),
        (
            &["--set", "rewards=book=1", "--set", "book=/no/such.bin"],
            1,
            "/no/such.bin: ",
        ),
    ] {
        let mut all = vec!["play-random"];
        all.extend(args);
        let error = lab.fails(&all, code);
        assert!(error.contains(complaint), "{args:?}: {error}");
    }
}
