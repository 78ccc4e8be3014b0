//! Ctrl-C and the server's stop, in the middle of a choice that would take for ever.

#[path = "support/server.rs"]
mod server;
mod support;

use std::{
    fs,
    io::Read as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use server::Server;
use support::{Lab, command};

/// Far longer than any of this should take, and far shorter than what is being stopped.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until something is there.
fn wait<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < PATIENCE, "{what} never came");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The files with this ending in a folder and those inside it.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| match entry.path() {
            path if path.is_dir() => files(&path, ending),
            path => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|e| e == ending))
        .collect()
}

/// A command that has been started.
fn start(lab: &Lab, args: &[&str]) -> Child {
    command(lab)
        .args(args)
        .arg("--tables")
        .arg(lab.path("tables"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

/// Presses Ctrl-C and returns what the command says when it has ended by that.
fn interrupt(mut child: Child) -> String {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be asked") {
            break status;
        }
        if begin.elapsed() > PATIENCE {
            child.kill().expect("it can be killed");
            panic!("it does not listen to Ctrl-C");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let mut said = String::new();
    let mut stderr = child.stderr.take().expect("piped");
    stderr.read_to_string(&mut said).expect("messages are text");
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(
        said.contains("stopping; Ctrl-C again ends it at once"),
        "{said}"
    );
    assert!(!said.contains("panicked"), "{said}");
    said
}

#[test]
fn a_certification_stops_inside_one_choice() {
    let lab = Lab::new();
    let child = start(&lab, &["certify", "minimax:depth=60,history=off", "KRK"]);
    // Its moves are written down from here on, and there is not even a first one yet.
    let state = lab.path("state");
    wait("the journal", || files(&state, "moves").pop());
    std::thread::sleep(Duration::from_millis(300));
    let said = interrupt(child);
    assert!(said.contains("--resume"), "{said}");
    let journals = files(&state, "moves");
    assert_eq!(fs::metadata(&journals[0]).expect("it is there").len(), 0);
}

#[test]
fn an_interrupted_certification_resumes_to_the_same_certificate() {
    let lab = Lab::new();
    let asked = [
        "certify",
        "minimax:depth=8,history=off",
        "KRK",
        "--board",
        "6",
        "--games",
        "20",
        "--json",
    ];
    let child = start(&lab, &asked);
    let state = lab.path("state");
    wait("a batch of moves", || {
        let journals = files(&state, "moves");
        let size = |path: &PathBuf| fs::metadata(path).is_ok_and(|file| file.len() > 0);
        journals.iter().any(size).then_some(())
    });
    interrupt(child);
    assert_eq!(files(&state, "moves").len(), 1, "what was asked is kept");
    let without_clock = |mut certificate: Value| {
        for clock in ["seconds", "seconds_judging"] {
            certificate[clock] = Value::Null;
        }
        certificate
    };
    let resumed = lab.json(&[&asked[..], &["--resume"]].concat());
    let undisturbed = Lab::new();
    assert_eq!(
        without_clock(resumed),
        without_clock(undisturbed.json(&asked))
    );
}

/// An engine that is friendly until it is asked for a move, and then thinks for ever.
fn dreamer(lab: &Lab) -> String {
    let path = lab.path("dreamer");
    let script = "#!/bin/sh\nwhile read -r line; do\n  case \"$line\" in\n    uci) echo uciok ;;\n    isready) echo readyok ;;\n    quit) exit ;;\n  esac\ndone\n";
    fs::write(&path, script).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    format!("uci:{},movetime=86400000", path.display())
}

#[test]
fn a_match_stops_inside_one_choice() {
    for player in [
        "minimax:depth=40",
        "minimax:game=86400",
        "mcts:simulations=1000000000",
        "mcts:preset=best,simulations=1000000000",
        "puct:simulations=1000000000",
        "dreamer",
    ] {
        let lab = Lab::new();
        let player = match player {
            "dreamer" => dreamer(&lab),
            other => other.to_owned(),
        };
        // The game of chess: no mate is in sight that could end a search by itself.
        let start_of_game = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
        let positions = lab.path("start.epd");
        fs::write(&positions, start_of_game).expect("written");
        let child = start(
            &lab,
            &[
                "match",
                "--white",
                &player,
                "--black",
                "random",
                "--positions",
                positions.to_str().expect("a path of letters"),
                "--games",
                "4",
            ],
        );
        let state = lab.path("state");
        let journal = wait("the journal", || files(&state, "jsonl").pop());
        std::thread::sleep(Duration::from_millis(300));
        let said = interrupt(child);
        assert!(said.contains("0 of 4 games played"), "{player}: {said}");
        let written = fs::read_to_string(journal).expect("it is kept");
        let games = written.lines().filter(|line| line.contains("\"moves\""));
        assert_eq!(games.count(), 0, "{player}: {written}");
    }
}

#[test]
fn a_training_stops_inside_one_choice() {
    let lab = Lab::new();
    let run = lab.path("run");
    let out = run.to_str().expect("a path of letters");
    // In a training game: nothing was learned yet, and nothing is.
    let child = start(
        &lab,
        &[
            &["train", "ypma-q", "--endgame", "KRK", "--out", out][..],
            &["--set", "opponent=minimax:depth=40"],
        ]
        .concat(),
    );
    wait("the run", || run.join("run.toml").exists().then_some(()));
    std::thread::sleep(Duration::from_millis(500));
    let said = interrupt(child);
    assert!(said.contains("--resume"), "{said}");
    // While it is evaluated: all games until then are kept.
    let run = lab.path("evaluated");
    let out = run.to_str().expect("a path of letters");
    let child = start(
        &lab,
        &[
            &["train", "ypma-q", "--endgame", "KRK", "--out", out][..],
            &["--episodes", "2000", "--evaluate", "minimax:depth=40"],
        ]
        .concat(),
    );
    wait("the games until the evaluation", || {
        let curve = fs::read_to_string(run.join("metrics.csv")).ok()?;
        (curve.lines().count() == 10).then_some(())
    });
    std::thread::sleep(Duration::from_millis(500));
    interrupt(child);
    let shown = lab.ok_plain(&["show", out, "--json"]);
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(shown["episodes"], 200, "{shown}");
}

#[test]
fn jobs_of_the_server_stop_inside_one_choice() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let certify =
        json!({ "player": "minimax:depth=20,history=off", "material": "KRK", "games": 0 });
    for _ in 0..2 {
        let (status, job) = server.post("/api/certificates", &certify);
        assert_eq!(status, 202, "{job}");
        let id = job["id"].as_u64().expect("a number");
        server.wait(&format!("/api/jobs/{id}"), |job| job["status"] == "running");
        std::thread::sleep(Duration::from_millis(300));
        let (status, _) = server.with("DELETE", &format!("/api/jobs/{id}"), "", "");
        assert_eq!(status, 200);
        assert_eq!(server.finished(id)["status"], "cancelled");
    }
    // Nothing has been proven but what the program brings along.
    let (_, proven) = server.get("/api/certificates");
    let players = proven.as_array().expect("a list").iter();
    let own = players.filter(|it| it["player"].to_string().contains("minimax"));
    assert_eq!(own.count(), 0, "{proven}");
    let (_, job) = server.post("/api/certificates", &certify);
    let id = job["id"].as_u64().expect("a number");
    server.wait(&format!("/api/jobs/{id}"), |job| job["status"] == "running");
    // A job that does not listen keeps a server for half a minute.
    let begin = Instant::now();
    assert_eq!(server.terminate(), Some(0));
    assert!(begin.elapsed() < Duration::from_secs(20));
}
