//! The web server, through the real binary: what it answers, and what it makes of bad input.

#[path = "support/server.rs"]
mod server;
mod support;

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};
use server::Server;
use support::Lab;

const KQK: &str = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1";

fn encoded(text: &str) -> String {
    text.replace(' ', "%20")
}

#[test]
fn probing_answers_as_the_command_does() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    for fen in [
        KQK,
        "k4/5/1K3/5/4R w - - 0 1",
        "8/8/8/3k4/8/8/8/KQ6 b - - 0 1",
    ] {
        let (status, probed) = server.get(&format!("/api/probe?fen={}", encoded(fen)));
        assert_eq!(status, 200);
        assert_eq!(probed, lab.json(&["probe", fen, "--json"]));
        let (status, line) = server.get(&format!("/api/line?fen={}", encoded(fen)));
        assert_eq!(status, 200);
        assert_eq!(line, lab.json(&["line", fen, "--json"]));
    }
    let (status, drawn) = server.get("/api/positions?material=KRK&mate_in=7&count=3&seed=5");
    let same = lab.json(&[
        "positions",
        "KRK",
        "--mate-in",
        "7",
        "--count",
        "3",
        "--seed",
        "5",
        "--json",
    ]);
    assert_eq!((status, drawn), (200, same));
    let (_, figures) = server.get("/api/endgames/KRK");
    assert_eq!(figures["longest_moves"], 16);
    assert_eq!(figures["won"], 175_168);
}

#[test]
fn a_game_is_played_reviewed_and_written_down() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let mut moves: Vec<Value> = Vec::new();
    let mut outcome = Value::Null;
    while outcome.is_null() {
        let asked = json!({ "start": KQK, "moves": moves, "player": "perfect", "seed": 7 });
        let (status, reply) = server.post("/api/reply", &asked);
        assert_eq!(status, 200, "{reply}");
        moves.push(reply["uci"].clone());
        outcome = reply["game"]["outcome"].clone();
    }
    assert_eq!(outcome["text"], "white wins by checkmate");
    assert_eq!(moves.len(), 17, "mate in nine moves is seventeen plies");
    // A tree search tells how it came to its move.
    let asked = json!({ "start": KQK, "player": "puct:simulations=60" });
    let (status, reply) = server.post("/api/reply", &asked);
    assert_eq!(status, 200, "{reply}");
    let thoughts = &reply["thoughts"];
    let sum = |list: &Value, name: &str| -> f64 {
        let list = list.as_array().expect("a list").iter();
        let numbers = list.map(|entry| entry.get(name).unwrap_or(entry));
        numbers
            .map(|number| number.as_f64().expect("a number"))
            .sum()
    };
    assert_eq!(sum(&thoughts["wdl"], ""), 1000.0, "{thoughts}");
    assert_eq!(sum(&thoughts["moves"], "visits"), 60.0);
    assert!((sum(&thoughts["moves"], "share") - 1.0).abs() < 1e-9);
    assert!((sum(&thoughts["moves"], "prior") - 1.0).abs() < 0.05);
    assert_eq!(thoughts["line"][0], reply["san"]);
    assert_eq!(thoughts["nodes"], 60);
    // A game that is over has no reply.
    let asked = json!({ "start": KQK, "moves": moves, "player": "perfect" });
    let (status, refused) = server.post("/api/reply", &asked);
    assert_eq!(status, 409, "{refused}");
    let game = json!({ "start": KQK, "moves": moves });
    let (_, review) = server.post("/api/review", &game);
    assert_eq!(
        review["white"],
        json!({ "moves": 9, "best": 9, "moves_lost": 0, "thrown_away": 0 })
    );
    assert_eq!(review["white_dtm"][0], 17);
    assert_eq!(review["white_dtm"][17], 0);
    let (_, written) = server.post("/api/pgn", &game);
    let (status, read) = server.post("/api/pgn/read", &json!({ "pgn": written["pgn"] }));
    assert_eq!(status, 200);
    assert_eq!(
        (&read["start"], &read["moves"]),
        (&json!(KQK), &json!(moves))
    );
    // The same in SAN.
    let san = json!({ "start": KQK, "moves": ["Kb2"] });
    let (status, state) = server.post("/api/game", &san);
    assert_eq!((status, &state["moves"][0]["uci"]), (200, &json!("a1b2")));
}

#[test]
fn bad_input_is_refused_in_words() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let refused = |status: u16, (got, body): (u16, Value), words: &str| {
        assert_eq!(got, status, "{body}");
        let error = body["error"]
            .as_str()
            .unwrap_or_else(|| panic!("no words: {body}"));
        assert!(error.contains(words), "{error}");
    };
    // Malformed bodies.
    refused(400, server.post_text("/api/game", "{"), "EOF");
    refused(400, server.post_text("/api/game", "not JSON"), "expected");
    refused(422, server.post_text("/api/game", "[]"), "GameSoFar");
    refused(
        422,
        server.post("/api/game", &json!({ "start": 7 })),
        "expected a string",
    );
    refused(
        422,
        server.post("/api/game", &json!({ "start": KQK, "x": 1 })),
        "unknown field",
    );
    let (status, _) = server.with("POST", "/api/game", "", "{}");
    assert_eq!(status, 415);
    let huge = format!("{{\"pgn\":\"{}\"}}", "x".repeat(2_000_000));
    let (status, _) = server.with(
        "POST",
        "/api/pgn/read",
        "content-type: application/json\r\n",
        &huge,
    );
    assert_eq!(status, 413);
    // Absurd positions, moves, players.
    for (fen, words) in [
        ("", "1 ranks"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "kings"),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", "touch"),
        ("KKKKKKKK/8/8/8/8/8/8/8 w - - 0 1", "kings"),
        ("999999999999999999999 w", "rank"),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 999999999999 1",
            "half-move",
        ),
        ("🦀 w", "1 ranks"),
        ("8/8/8/3k4/8/8/8/KQ6", "side to move"),
    ] {
        refused(
            400,
            server.post("/api/game", &json!({ "start": fen })),
            words,
        );
    }
    refused(
        400,
        server.post("/api/game", &json!({ "start": KQK, "moves": ["b1b9"] })),
        "b1b9",
    );
    refused(
        400,
        server.post(
            "/api/game",
            &json!({ "start": KQK, "moves": vec!["Kb2"; 5000] }),
        ),
        "2000 plies",
    );
    refused(
        400,
        server.post("/api/game", &json!({ "start": KQK, "rules": "nonsense" })),
        "no draw rule",
    );
    let reply =
        |player: &str| server.post("/api/reply", &json!({ "start": KQK, "player": player }));
    refused(400, reply("nobody"), "there is no player 'nobody'");
    refused(400, reply("minimax:depth=9999"), "depth");
    refused(400, reply(&"x".repeat(10_000)), "too long");
    let (_, players) = server.get("/api/players");
    let stockfish = players.to_string().contains("uci:stockfish");
    // Nobody starts a program or reads a folder through the name of a player.
    refused(400, reply("uci:/bin/sh"), "not offered here");
    refused(
        400,
        reply("uci:stockfish,option.Debug Log File=x"),
        if stockfish {
            "options of engines"
        } else {
            "not offered here"
        },
    );
    for name in ["run:../../etc", "run:/etc", "run:.", "run:a/b", "run:"] {
        refused(400, reply(name), "name");
    }
    let traversal = json!({ "name": "../evil", "recipe": "two-bounds", "endgame": "KRK" });
    refused(400, server.post("/api/runs", &traversal), "name");
    refused(400, server.get("/api/runs/..%2f..%2fetc"), "name");
    refused(400, server.get("/api/certificates/..%2fx"), "name");
    refused(404, server.get("/api/runs/nothing"), "no run 'nothing'");
    refused(404, server.get("/api/papers/..%2f"), "no experiment");
    refused(404, server.get("/api/jobs/99"), "no job 99");
    refused(404, server.get("/api/none"), "openapi");
    // What cannot be trained or certified.
    let run = |changes: Value| {
        let mut asked =
            json!({ "name": "x", "recipe": "two-bounds", "endgame": "KRK", "board": 5 });
        for (key, value) in changes.as_object().expect("an object") {
            asked[key] = value.clone();
        }
        server.post("/api/runs", &asked)
    };
    refused(400, run(json!({ "endgame": "KBK" })), "nothing to learn");
    refused(400, run(json!({ "endgame": "KPK" })), "pawns");
    refused(400, run(json!({ "endgame": "KQRBNK", "board": 8 })), "men");
    refused(
        400,
        run(json!({ "recipe": "magic" })),
        "there is no recipe 'magic'",
    );
    refused(400, run(json!({ "episodes": 0 })), "games");
    refused(
        400,
        run(json!({ "settings": { "wisdom": "1" } })),
        "no setting 'wisdom'",
    );
    refused(
        400,
        run(json!({ "evaluate": ["uci:/bin/sh"] })),
        "not offered",
    );
    refused(
        400,
        run(json!({ "recipe": "ypma-q", "settings": { "opponent": "uci:/bin/sh" } })),
        "not offered",
    );
    assert!(
        !lab.path("runs/x").exists(),
        "a refused run leaves no folder"
    );
    let chance = json!({ "player": "random", "material": "KRK", "board": 4 });
    refused(
        400,
        server.post("/api/certificates", &chance),
        "depends on chance",
    );
    let bare = json!({ "player": "perfect", "material": "KKR", "board": 4 });
    refused(
        400,
        server.post("/api/certificates", &bare),
        "stronger side first",
    );
    refused(
        404,
        server.get("/api/positions?material=KRK&mate_in=60000&board=4"),
        "no position",
    );
    refused(
        404,
        server.get("/api/positions?material=KQQQQQQQQK&board=4"),
        "no position",
    );
    // Pages of other people.
    let (status, _) = server.with("GET", "/api/jobs", "origin: http://example.org\r\n", "");
    assert_eq!(status, 403);
    let foreign = server.raw(b"GET / HTTP/1.1\r\nhost: example.org\r\nconnection: close\r\n\r\n");
    assert!(foreign.starts_with("HTTP/1.1 403"), "{foreign}");
    // Not HTTP at all.
    server.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03");
    assert_eq!(
        server.get("/api/jobs"),
        (200, json!([])),
        "and it still answers"
    );
}

#[test]
fn a_run_is_started_once_survives_and_is_certified() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let run = json!({ "name": "krk5", "recipe": "ypma-q", "endgame": "KRK", "board": 5,
        "episodes": 2_000_000, "evaluate": ["random"], "evaluation_games": 10 });
    let (status, job) = server.post("/api/runs", &run);
    assert_eq!(status, 202, "{job}");
    let (status, refused) = server.post("/api/runs", &run);
    assert_eq!(status, 409, "{refused}");
    let (status, _) = server.post("/api/runs/krk5/resume", &json!({}));
    assert_eq!(status, 409);
    // Somebody looks on and goes away in the middle.
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    write!(
        stream,
        "GET /api/jobs/1/events HTTP/1.1\r\nhost: {}\r\n\r\n",
        server.address
    )
    .expect("sent");
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("a timeout");
    let mut seen = [0; 400];
    assert!(stream.read(&mut seen).expect("events come") > 0);
    drop(stream);
    // A body that never comes.
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    write!(
        stream,
        "POST /api/game HTTP/1.1\r\nhost: {}\r\ncontent-length: 500\r\n\r\n{{",
        server.address
    )
    .expect("sent");
    drop(stream);
    server.wait("/api/runs/krk5", |run| {
        run["curves"][0]["points"]
            .as_array()
            .is_some_and(|curve| !curve.is_empty())
    });
    // Killed without a warning: the run is there and goes on.
    server.kill();
    let server = Server::start(&lab);
    let (_, run) = server.get("/api/runs/krk5");
    assert_eq!(run["status"], "stopped", "{run}");
    let (status, job) = server.post("/api/runs/krk5/resume", &json!({}));
    assert_eq!(status, 202, "{job}");
    server.wait("/api/jobs/1", |job| job["done"].as_u64() > Some(0));
    // Asked to end: it saves and says goodbye.
    assert_eq!(server.terminate(), Some(0));
    let server = Server::start(&lab);
    let (_, run) = server.get("/api/runs/krk5");
    assert!(run["episodes"].as_u64() > Some(0), "{run}");
    assert_eq!(run["status"], "stopped");
    // Stopped by hand.
    server.post("/api/runs/krk5/resume", &json!({}));
    server.wait("/api/jobs/1", |job| job["status"] == "running");
    let (status, _) = server.with("DELETE", "/api/jobs/1", "", "");
    assert_eq!(status, 200);
    assert_eq!(server.finished(1)["status"], "cancelled");
    // What it has learned until then is a player, and can be certified.
    let (_, players) = server.get("/api/players");
    assert!(players.to_string().contains("run:krk5"));
    let certificate = json!({ "player": "run:krk5", "material": "KRK", "board": 5, "games": 20 });
    let (status, job) = server.post("/api/certificates", &certificate);
    assert_eq!(status, 202, "{job}");
    let id = job["id"].as_u64().expect("a number");
    assert_eq!(server.finished(id)["status"], "done");
    let (_, found) = server.get(&format!(
        "/api/certificates/{}",
        job["subject"].as_str().expect("a name")
    ));
    assert_eq!(found["won_positions"], 7040);
    let maps = found["heat_maps"].as_array().expect("heat maps");
    let pieces: Vec<&str> = maps
        .iter()
        .filter_map(|map| map["piece"].as_str())
        .collect();
    assert_eq!(pieces, ["k", "K", "R"]);
    let (_, run) = server.get("/api/runs/krk5");
    assert_eq!(run["certified_share"], found["share"]);
}

#[test]
fn runs_are_extended_renamed_and_deleted_and_nothing_else_is() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    // What a newcomer finds.
    let (_, runs) = server.get("/api/runs");
    assert_eq!(runs[0]["name"], "krk-example");
    assert_eq!(
        runs[0]["certified_share"], 1.0,
        "scripts/example makes it anew"
    );
    let run = json!({ "name": "short", "recipe": "ypma-q", "endgame": "KQK", "board": 4, "episodes": 500 });
    let (_, job) = server.post("/api/runs", &run);
    server.finished(job["id"].as_u64().expect("a number"));
    let extend =
        |episodes: Value| server.post("/api/runs/short/extend", &json!({ "episodes": episodes }));
    for (episodes, status, words) in [
        (json!(0), 400, "1 to 100000000"),
        (json!(200_000_000), 400, "1 to 100000000"),
        (json!(500), 409, "has played 500 games"),
        (json!(-1), 422, "invalid value"),
        (json!("many"), 422, "invalid type"),
    ] {
        let (got, refused) = extend(episodes);
        assert_eq!(got, status, "{refused}");
        assert!(
            refused["error"]
                .as_str()
                .is_some_and(|error| error.contains(words)),
            "{refused}"
        );
    }
    let (status, job) = extend(json!(900));
    assert_eq!(status, 202, "{job}");
    server.finished(job["id"].as_u64().expect("a number"));
    let (_, longer) = server.get("/api/runs/short");
    assert_eq!(
        (&longer["episodes"], &longer["of"]),
        (&json!(900), &json!(900))
    );
    let (status, refused) = server.post(
        "/api/runs/krk-example/extend",
        &json!({ "episodes": 99_999 }),
    );
    assert_eq!(status, 409, "{refused}");
    let rename = |from: &str, to: &str| {
        server.post(&format!("/api/runs/{from}/rename"), &json!({ "name": to }))
    };
    let delete = |name: &str| server.with("DELETE", &format!("/api/runs/{name}"), "", "");
    // Nothing outside of the folder, nothing that is no run, nothing that is at work.
    std::fs::write(lab.path("precious"), "here").expect("written");
    std::fs::create_dir(lab.path("runs/notes")).expect("made");
    #[cfg(unix)]
    std::os::unix::fs::symlink(lab.path("runs/krk-example"), lab.path("runs/link")).expect("made");
    for (got, status) in [
        (rename("short", "../short").0, 400),
        (rename("..", "x").0, 400),
        (rename("short", "krk-example").0, 409),
        (rename("nothing", "x").0, 404),
        (rename("notes", "x").0, 404),
        (delete("..%2fprecious").0, 400),
        (delete("notes").0, 404),
        (delete("nothing").0, 404),
        (delete("link").0, 400),
    ] {
        assert_eq!(got, status);
    }
    let (_, job) = server.post(
        "/api/runs",
        &json!({ "name": "long", "recipe": "ypma-q", "endgame": "KRK", "board": 5, "episodes": 20_000_000 }),
    );
    let longer = json!({ "episodes": 30_000_000 });
    for got in [
        rename("long", "x").0,
        delete("long").0,
        server.post("/api/runs/long/extend", &longer).0,
    ] {
        assert_eq!(got, 409);
    }
    server.with("DELETE", &format!("/api/jobs/{}", job["id"]), "", "");
    server.finished(job["id"].as_u64().expect("a number"));
    let (status, renamed) = rename("short", "shorter");
    assert_eq!((status, &renamed["name"]), (200, &json!("shorter")));
    assert_eq!(server.get("/api/runs/short").0, 404);
    assert_eq!(delete("shorter").0, 204);
    assert_eq!(delete("krk-example").0, 204);
    assert!(!lab.path("runs/shorter").exists() && !lab.path("runs/krk-example").exists());
    assert!(lab.path("precious").exists() && lab.path("runs/notes").exists());
    // Who has deleted the example does not get it back.
    assert_eq!(server.terminate(), Some(0));
    let server = Server::start(&lab);
    assert_eq!(server.get("/api/runs/krk-example").0, 404);
}

#[test]
fn a_newcomer_sees_every_figure_that_is_kept() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let (status, list) = server.get("/api/papers");
    assert_eq!(status, 200);
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), papers::all().len());
    for paper in list {
        let measured = &paper["measured"];
        assert_eq!(measured["here"], false, "{paper}");
        assert!(
            measured["words"].as_str().unwrap().contains(", 20"),
            "{paper}"
        );
        let command = measured["commands"][0].as_str().unwrap();
        assert!(command.starts_with("lucena "), "{paper}");
    }
    let (status, paper) = server.get("/api/papers/Y6.1");
    assert_eq!((status, &paper["kept"]), (200, &Value::Null));
    let report = paper["report"].as_str().unwrap();
    assert!(
        report.contains("<code>lucena paper Y6.1 --seed 1</code>"),
        "{report}"
    );
    assert!(report.contains("<svg"));
}

#[test]
fn jobs_are_bounded() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let mut refused = 0;
    for i in 0..20 {
        let run = json!({ "name": format!("run-{i}"), "recipe": "ypma-q", "endgame": "KQK", "board": 5,
            "episodes": 10_000_000 });
        match server.post("/api/runs", &run) {
            (202, _) => {}
            (429, body) => {
                assert!(
                    body["error"]
                        .as_str()
                        .is_some_and(|words| words.contains("jobs"))
                );
                refused += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(refused, 4, "sixteen may run or wait");
    // A waiting one is cancelled at once.
    let (_, job) = server.with("DELETE", "/api/jobs/16", "", "");
    assert!(job.contains("cancelled"), "{job}");
    // One that never had its turn is not lost either.
    let (_, run) = server.get("/api/runs/run-15");
    assert_eq!(run["status"], "stopped");
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn a_thousand_open_games() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let (_, drawn) = server.get("/api/positions?material=KRK&count=100&seed=1");
    let starts: Vec<String> = drawn
        .as_array()
        .expect("positions")
        .iter()
        .filter_map(|p| p["fen"].as_str().map(str::to_owned))
        .collect();
    // All connections are open at once; each asks for a reply in its own game.
    let mut streams: Vec<TcpStream> = (0..1000)
        .map(|i| {
            let body = json!({ "start": starts[i % starts.len()], "player": "perfect", "seed": i }).to_string();
            let mut stream = TcpStream::connect(&server.address).expect("it listens");
            stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
            write!(
                stream,
                "POST /api/reply HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                server.address,
                body.len()
            )
            .expect("sent");
            stream
        })
        .collect();
    for stream in &mut streams {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        // A position that is mate or stalemate already has no reply.
        assert!(
            answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 409"),
            "{answer}"
        );
    }
}

#[test]
fn the_page_or_how_to_build_it() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let (status, page) = server.with("GET", "/", "", "");
    assert_eq!(status, 200);
    assert!(
        page.contains("id=\"app\"") || page.contains("make build"),
        "{page}"
    );
    let answer = server.raw(
        format!(
            "GET / HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
            server.address
        )
        .as_bytes(),
    );
    assert!(
        answer.contains("content-security-policy: default-src 'self'"),
        "{answer}"
    );
    let (_, description) = server.get("/api/openapi.json");
    let paths = description["paths"].as_object().expect("paths");
    assert!(paths.len() >= 19, "{:?}", paths.keys());
    // A port that is taken.
    let port = server.address.rsplit(':').next().expect("a port");
    let error = lab.fails(&["serve", "--port", port], 1);
    assert!(error.contains("cannot listen"), "{error}");
}
