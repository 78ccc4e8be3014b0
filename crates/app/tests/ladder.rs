//! Tournaments and their ratings, through the real binary.

mod support;

use std::path::Path;

use serde_json::Value;
use support::Lab;

fn ladder<'a>(players: &[&'a str], out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["ladder"];
    args.extend(players);
    args.extend(["--out", out.to_str().expect("a readable path"), "--json"]);
    args.extend(more);
    args
}

const ENDGAME: [&str; 4] = ["--endgame", "KQK", "--board", "5"];
const PLAYERS: [&str; 3] = ["random", "minimax:depth=1", "perfect"];

fn players(table: &Value) -> &Vec<Value> {
    table["players"].as_array().expect("players")
}

#[test]
fn a_ladder_that_was_interrupted_goes_on_to_the_same_table() {
    let lab = Lab::new();
    let (whole, parts) = (lab.path("whole"), lab.path("parts"));
    let games = |n: &'static str| [&ENDGAME[..], &["--games", n]].concat();
    let expected = lab.json(&ladder(&PLAYERS, &whole, &games("20")));
    // Two players and fewer games first, then half a line of garbage as a crash leaves it, then all.
    lab.json(&ladder(&PLAYERS[..2], &parts, &games("6")));
    let error = lab.fails(&ladder(&PLAYERS, &parts, &games("20")), 1);
    assert!(error.contains("--resume"), "{error}");
    let journal = std::fs::read_dir(parts.join("journals"))
        .expect("journals")
        .next()
        .expect("one")
        .expect("readable")
        .path();
    let mut text = std::fs::read_to_string(&journal).expect("a journal");
    text.push_str("{\"index\":6,\"whi");
    std::fs::write(&journal, text).expect("it can be written");
    let rest = [&games("20")[..], &["--resume", "--threads", "1"]].concat();
    assert_eq!(lab.json(&ladder(&PLAYERS, &parts, &rest)), expected);
    let read = |folder: &Path, file: &str| std::fs::read_to_string(folder.join(file)).expect(file);
    for file in ["ladder.json", "ladder.md", "ladder.svg", "games.pgn"] {
        assert_eq!(read(&whole, file), read(&parts, file), "{file}");
    }
    assert_eq!(read(&whole, "games.pgn").matches("[Result ").count(), 60);

    let order: Vec<&str> = players(&expected)
        .iter()
        .map(|p| p["player"].as_str().expect("a name"))
        .collect();
    assert_eq!(order, ["perfect", "minimax:depth=1", "random"]);
    let mean: f64 = players(&expected)
        .iter()
        .map(|p| p["elo"].as_f64().expect("a rating"))
        .sum();
    assert!(mean.abs() < 1e-6, "{mean}");
    for player in players(&expected) {
        assert_eq!(player["games"], 40);
        assert!(player["error"].as_f64() > Some(0.0));
    }
    let better = players(&expected)[0]["superiority"][2].as_f64();
    assert!(better > Some(0.99), "{better:?}");
}

#[test]
fn whole_games_anchors_and_gauntlets() {
    let lab = Lab::new();
    let out = lab.path("chess");
    let rules = ["--games", "4", "--rules", "moves=30", "--gauntlet"];
    let more = [&rules[..], &["--anchor", "random=100"]].concat();
    let names = ["minimax:depth=1", "random", "drawish"];
    let table = lab.json(&ladder(&names, &out, &more));
    let random = players(&table)
        .iter()
        .find(|p| p["player"] == "random")
        .expect("it played");
    assert_eq!(
        (&random["elo"], &random["games"]),
        (&100.0.into(), &4.into())
    );
    assert_eq!(
        (&random["anchor"], &random["error"]),
        (&true.into(), &0.0.into())
    );
    // The table for people says the same.
    let mut args = ladder(&names, &out, &more);
    args.retain(|arg| *arg != "--json");
    args.push("--resume");
    let text = lab.ok(&args);
    assert!(
        text.contains("anchor") && text.contains("points of games"),
        "{text}"
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let lab = Lab::new();
    let out = lab.path("out");
    for (names, more, code, says) in [
        (&["random"][..], &[][..], 2, "2"),
        (&["random", "nobody"], &[], 2, "nobody"),
        (&["random", "random"], &[], 1, "named twice"),
        (
            &["random", "drawish"],
            &["--anchor", "perfect=3000"],
            1,
            "not one of the players",
        ),
        (
            &["random", "drawish"],
            &["--anchor", "random"],
            2,
            "its rating",
        ),
        (&["random", "drawish"], &["--prior", "1e9"], 2, "0 to 1000"),
        (&["random", "drawish"], &["--games", "0"], 2, "0"),
        (
            &["random", "drawish"],
            &["--positions", "nowhere.epd"],
            1,
            "nowhere.epd",
        ),
    ] {
        let error = lab.fails(&ladder(names, &out, more), code);
        assert!(error.contains(says), "{error}");
    }
    // One pair of draws says nothing about who is better.
    let drawn = [
        &ENDGAME[..],
        &["--games", "2", "--prior", "0", "--rules", "moves=1"],
    ]
    .concat();
    let table = lab.json(&ladder(&["random", "drawish"], &lab.path("draws"), &drawn));
    assert!(players(&table)[0]["error"].as_f64() > Some(50.0), "{table}");
    let better = players(&table)[0]["superiority"][1]
        .as_f64()
        .expect("a share");
    assert!((better - 0.5).abs() < 1e-6, "{better}");
}

#[test]
fn a_kept_ladder_is_drawn_again_as_the_docs_show_it() {
    let lab = Lab::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &Path| std::fs::read_to_string(path).expect("it can be read");
    let page = read(&root.join("docs/ladder.md"));
    for name in ["ladder", "ladder-search"] {
        let kept = root.join(format!("docs/{name}.json"));
        let (kept, out) = (kept.to_str().expect("a path"), lab.path(name));
        let out_name = out.to_str().expect("a path");
        let text = lab.ok_plain(&["ladder", "--from", kept, "--out", out_name]);
        assert!(text.contains("points of games"), "{text}");
        assert!(
            page.contains(&read(&out.join("ladder.md"))),
            "docs/ladder.md: lucena ladder --from docs/{name}.json --out DIR draws its tables"
        );
        assert_eq!(
            read(&out.join("ladder.svg")),
            read(&root.join(format!("docs/{name}.svg")))
        );
    }
    // What is drawn again from a ladder that was just played is what was drawn then.
    let played = lab.path("played");
    lab.json(&ladder(
        &["random", "drawish"],
        &played,
        &[&ENDGAME[..], &["--games", "2"]].concat(),
    ));
    let (json, out) = (played.join("ladder.json"), lab.path("drawn"));
    let again = lab.json(&[
        "ladder",
        "--from",
        json.to_str().expect("a path"),
        "--out",
        out.to_str().expect("a path"),
        "--json",
    ]);
    assert_eq!(
        again,
        serde_json::from_str::<Value>(&read(&json)).expect("JSON")
    );
    for file in ["ladder.md", "ladder.svg"] {
        assert_eq!(read(&played.join(file)), read(&out.join(file)), "{file}");
    }
    let nonsense = lab.path("nonsense.json");
    std::fs::write(&nonsense, "{\"players\": []}").expect("written");
    let nonsense = nonsense.to_str().expect("a path");
    let error = lab.fails(&["ladder", "--from", nonsense], 1);
    assert!(error.contains("2 to 64 players"), "{error}");
    lab.fails(&["ladder", "--from", nonsense, "random", "drawish"], 2);
}
