//! What players think of positions, told while they think; games that runs play; openings by name.

#[path = "support/server.rs"]
mod server;
mod support;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use server::Server;
use support::Lab;

const KRK: &str = "8/8/8/3k4/8/8/8/KR6 w - - 0 1";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The events of an answer, by name and content.
fn events(server: &Server, asked: &Value) -> (u16, Vec<(String, Value)>) {
    let headers = "content-type: application/json\r\n";
    let (status, body) = server.with("POST", "/api/analyse", headers, &asked.to_string());
    // Each chunk's length stands on a line of its own.
    let lines = body.split("\r\n");
    let lines = lines.filter(|line| !line.bytes().all(|b| b.is_ascii_hexdigit()));
    let text: String = lines.collect();
    let events = text.split("\n\n").filter_map(|event| {
        let name = event
            .lines()
            .find_map(|line| line.strip_prefix("event: "))?;
        let data = event.lines().find_map(|line| line.strip_prefix("data: "))?;
        Some((name.to_owned(), serde_json::from_str(data).expect("JSON")))
    });
    (status, events.collect())
}

fn sum(list: &Value, name: &str) -> f64 {
    let list = list.as_array().expect("a list").iter();
    list.map(|of| of[name].as_f64().expect("a number")).sum()
}

#[test]
fn a_search_tells_what_it_finds_while_it_goes_on() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let asked = json!({ "start": START, "moves": ["e4"], "player": "puct:simulations=100000", "seconds": 1.5 });
    let begin = Instant::now();
    let (status, told) = events(&server, &asked);
    let took = begin.elapsed();
    assert_eq!(status, 200);
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(told.len() >= 3, "{} events", told.len());
    let mut visits = 0.0;
    for (name, thinking) in &told {
        assert_eq!(name, "thoughts");
        let thoughts = &thinking["thoughts"];
        let now = thoughts["nodes"].as_f64().expect("simulations");
        assert!(now >= visits, "{now} after {visits}");
        visits = now;
        let wdl = thoughts["wdl"].as_array().expect("chances");
        assert_eq!(wdl.iter().filter_map(Value::as_u64).sum::<u64>(), 1000);
        assert!((sum(&thoughts["moves"], "prior") - 1.0).abs() < 0.05);
    }
    let (_, last) = told.last().expect("some");
    assert_eq!(last["san"], last["thoughts"]["line"][0]);
    assert!(
        told[..told.len() - 1]
            .iter()
            .all(|(_, t)| t["uci"].is_null())
    );
    // Several lines from those who can look at several: each move has its own value.
    let asked = json!({ "start": KRK, "player": "perfect", "lines": 4 });
    let (_, told) = events(&server, &asked);
    let moves = told.last().expect("an answer").1["thoughts"]["moves"].clone();
    let mates: Vec<i64> = moves
        .as_array()
        .expect("moves")
        .iter()
        .filter_map(|m| m["mate"].as_i64())
        .collect();
    assert_eq!(mates.len(), 4);
    assert!(mates.is_sorted(), "the best first: {mates:?}");
}

#[test]
fn what_cannot_be_thought_about_is_refused_in_words() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let base = json!({ "start": KRK, "player": "minimax:depth=2" });
    let with = |key: &str, value: Value| {
        let mut asked = base.clone();
        asked[key] = value;
        asked
    };
    for (asked, status, words) in [
        (with("seconds", json!(1000)), 400, "0.05 to 60 seconds"),
        (with("seconds", json!(0)), 400, "0.05 to 60 seconds"),
        (with("lines", json!(1000)), 400, "1 to 10 lines"),
        (with("lines", json!(0)), 400, "1 to 10 lines"),
        (with("player", json!("nobody")), 400, "there is no player"),
        (with("start", json!("x")), 400, "1 ranks"),
        (
            with("start", json!("8/8/8/3k4/8/8/8/K7 w - - 0 1")),
            409,
            "the game is over",
        ),
    ] {
        let (got, body) = server.post("/api/analyse", &asked);
        assert_eq!(got, status, "{body}");
        assert!(
            body["error"].as_str().expect("words").contains(words),
            "{body}"
        );
    }
    // A player that cannot play the position says so when it is asked.
    let (status, told) = events(&server, &json!({ "start": START, "player": "perfect" }));
    assert_eq!((status, told[0].0.as_str()), (200, "refused"), "{told:?}");
    for seconds in [0.0, -1.0, 11.0] {
        let asked = json!({ "start": KRK, "player": "random", "seconds": seconds });
        assert_eq!(server.post("/api/reply", &asked).0, 400);
    }
    // A share of a clock is kept to.
    let asked = json!({ "start": START, "player": "minimax:depth=20", "seconds": 0.3 });
    let begin = Instant::now();
    assert_eq!(server.post("/api/reply", &asked).0, 200);
    assert!(
        begin.elapsed() < Duration::from_secs(5),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn openings_have_names_and_time_outs_results() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let game = json!({ "start": START, "moves": ["c4", "Nf6", "d4", "g6", "Nc3", "d5"] });
    let (_, state) = server.post("/api/game", &game);
    assert_eq!(state["opening"], "Grünfeld Defence");
    let (_, state) = server.post("/api/game", &json!({ "start": START }));
    assert_eq!(state["opening"], Value::Null);
    let mut game = game;
    game["timed_out"] = json!("white");
    let (_, written) = server.post("/api/pgn", &game);
    let pgn = written["pgn"].as_str().expect("a text");
    assert!(pgn.contains("[Opening \"Grünfeld Defence\"]"), "{pgn}");
    assert!(
        pgn.contains("time-out") && pgn.trim_end().ends_with("0-1"),
        "{pgn}"
    );
    // Nobody wins on time with a king alone.
    let game = json!({ "start": KRK, "timed_out": "white" });
    let (_, written) = server.post("/api/pgn", &game);
    let pgn = written["pgn"].as_str().expect("a text");
    assert!(pgn.trim_end().ends_with("1/2-1/2"), "{pgn}");
}

#[test]
fn a_run_plays_a_game_as_it_is_now() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let run = json!({ "name": "krk4", "recipe": "two-bounds", "endgame": "KRK", "board": 4, "episodes": 3000 });
    let (status, job) = server.post("/api/runs", &run);
    assert_eq!(status, 202, "{job}");
    server.finished(job["id"].as_u64().expect("a number"));
    let (status, sample) = server.get("/api/runs/krk4/sample?seed=3");
    assert_eq!(status, 200, "{sample}");
    let (_, run) = server.get("/api/runs/krk4");
    assert_eq!(sample["white"], "run:krk4");
    assert_eq!(sample["episodes"], run["episodes"]);
    // The same seed, the same game, and one that can be played again.
    assert_eq!(server.get("/api/runs/krk4/sample?seed=3").1, sample);
    assert_ne!(server.get("/api/runs/krk4/sample?seed=4").1, sample);
    let game = json!({ "start": sample["start"], "moves": sample["moves"] });
    let (status, state) = server.post("/api/game", &game);
    assert_eq!(status, 200, "{state}");
    assert_eq!(state["outcome"]["text"], sample["end"]);
    assert_eq!(server.get("/api/runs/nobody/sample").0, 404);
    // Whole games are learned here as well, by recipes that can.
    let chess = json!({
        "name": "chess", "recipe": "ppo", "endgame": "chess", "episodes": 2,
        "settings": { "steps": "100", "epochs": "1", "width": "16" },
    });
    let (status, job) = server.post("/api/runs", &chess);
    assert_eq!(status, 202, "{job}");
    let job = server.finished(job["id"].as_u64().expect("a number"));
    assert_eq!(job["status"], "done", "{job}");
    let (status, sample) = server.get("/api/runs/chess/sample");
    assert_eq!((status, &sample["start"]), (200, &json!(START)), "{sample}");
    let (_, players) = server.get("/api/players");
    let offered = players["players"].as_array().expect("a list").iter();
    let mut offered = offered.filter(|offer| offer["text"] == "run:chess");
    assert_eq!(offered.next().expect("offered")["endgame"], Value::Null);
    for (recipe, board, words) in [("two-bounds", 8, "learns endgames"), ("ppo", 5, "8×8")] {
        let run = json!({ "name": "x", "recipe": recipe, "endgame": "chess", "board": board });
        let (status, refused) = server.post("/api/runs", &run);
        assert_eq!(status, 400, "{refused}");
        assert!(
            refused["error"].as_str().expect("words").contains(words),
            "{refused}"
        );
    }
}
