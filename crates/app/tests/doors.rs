//! What strangers ask for: more than is good, files that are none of theirs, half a request. And
//! what the command line makes of a lack of memory and of files that are no files.

#[path = "support/server.rs"]
mod server;
mod support;

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use server::Server;
use support::{Lab, command};

const KRK: &str = "8/8/8/3k4/8/8/8/KR6 w - - 0 1";

/// Far longer than any of this should take.
const PATIENCE: Duration = Duration::from_secs(60);

fn refused((status, body): (u16, Value), words: &str) {
    assert_eq!(status, 400, "{words}: {body}");
    let error = body["error"].as_str().expect("a refusal says why");
    assert!(error.contains(words), "{error}");
}

#[test]
fn a_request_may_ask_for_so_much_and_no_more() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    for (player, words) in [
        ("minimax:hash=65536,depth=4", "hash is 65536"),
        ("minimax:hash=65536,depth=4,history=off", "hash is 65536"),
        ("minimax:depth=60,history=off", "depth is 60"),
        ("minimax:nodes=18446744073709551615", "nodes is"),
        ("minimax:game=86400", "game is 86400"),
        ("mcts:simulations=1000000000", "simulations is 1000000000"),
        ("mcts:rollout=10000", "rollout is 10000"),
        ("mcts:trees=256", "trees is 256"),
        ("puct:simulations=1000000", "simulations is 1000000"),
        (
            "run:x,search=puct,simulations=1000000",
            "run: simulations is",
        ),
    ] {
        let reply = json!({ "start": KRK, "player": player });
        refused(server.post("/api/reply", &reply), words);
        refused(server.post("/api/analyse", &reply), words);
        let certificate = json!({ "player": player, "material": "KRK", "board": 4 });
        refused(server.post("/api/certificates", &certificate), words);
        let mut run = json!({ "name": "x", "recipe": "ypma-q", "endgame": "KRK", "board": 4 });
        run["evaluate"] = json!([player]);
        refused(server.post("/api/runs", &run), words);
        run["evaluate"] = json!([]);
        run["settings"] = json!({ "opponent": player });
        refused(server.post("/api/runs", &run), words);
    }
    // Of a training, what counts is often the product.
    for (recipe, settings, words) in [
        (
            "distance-net",
            json!({ "width": "100000" }),
            "width = 100000: it may be 1 to 4096",
        ),
        ("distance-net", json!({ "width": "4000" }), "width is 4000"),
        (
            "distance-net",
            json!({ "width": "512", "layers": "4", "batch": "65536" }),
            "width × layers × batch is 134217728",
        ),
        (
            "td-net",
            json!({ "width": "512", "layers": "16" }),
            "width × width × layers is 4194304",
        ),
        (
            "td-net",
            json!({ "batches": "1000000" }),
            "batches × batch is",
        ),
        (
            "ypma-dqn",
            json!({ "channels": "256", "hidden": "1024" }),
            "channels × hidden × ensemble is 262144",
        ),
        (
            "ypma-dqn",
            json!({ "memory": "100000000" }),
            "memory is 100000000",
        ),
        (
            "ypma-q",
            json!({ "max_moves": "5000" }),
            "max_moves is 5000",
        ),
    ] {
        let run = json!({ "name": "x", "recipe": recipe, "endgame": "KRK", "settings": settings });
        refused(server.post("/api/runs", &run), words);
    }
    let run = |key: &str, value: Value| {
        let mut run = json!({ "name": "x", "recipe": "ypma-q", "endgame": "KRK", "board": 4 });
        run[key] = value;
        server.post("/api/runs", &run)
    };
    refused(
        run("episodes", json!(10_000_000_000_u64)),
        "can be asked for here",
    );
    refused(run("evaluation_games", json!(20_000)), "an evaluation has");
    refused(
        run("evaluate", json!(vec!["random"; 9])),
        "the number of opponents is 9",
    );
    refused(run("board", json!(9)), "board");
    let certificate =
        json!({ "player": "perfect", "material": "KRK", "board": 4, "games": 1_000_000 });
    refused(
        server.post("/api/certificates", &certificate),
        "the number of games",
    );
    assert!(
        !lab.path("runs/x").exists(),
        "a refused run leaves no folder"
    );
    // What is refused costs nothing, and what is sensible is answered.
    let reply = json!({ "start": KRK, "player": "minimax:hash=64,depth=4" });
    assert_eq!(server.post("/api/reply", &reply).0, 200);
    assert_eq!(server.get("/api/jobs"), (200, json!([])));
}

/// A command with less memory than it asks for.
fn with_memory(lab: &Lab, mebibytes: u64, args: &[&str]) -> Output {
    let limit = format!("ulimit -v {}; exec \"$0\" \"$@\"", mebibytes << 10);
    let lucena = command(lab);
    let mut shell = Command::new("sh");
    shell.args(["-c", &limit]).arg(lucena.get_program());
    for (name, value) in lucena.get_envs() {
        shell.env(name, value.expect("it is set"));
    }
    shell.args(args).arg("--tables").arg(lab.path("tables"));
    shell.output().expect("it runs")
}

#[test]
fn memory_that_is_not_to_be_had_is_an_error_in_words() {
    let lab = Lab::new();
    let contest = |player: &str| {
        let contest = [
            "match",
            "--black",
            "random",
            "--endgame",
            "KRK",
            "--games",
            "1",
        ];
        let more = ["--threads", "1", "--white", player];
        with_memory(&lab, 768, &[&contest[..], &more[..]].concat())
    };
    let certify = |player: &str| with_memory(&lab, 768, &["certify", player, "KRK"]);
    for output in [
        contest("minimax:hash=65536,depth=4"),
        // The machine may have it, the command may not.
        contest("minimax:hash=8192,depth=4"),
        contest("mcts:simulations=1000000000,rollout=0"),
        certify("minimax:hash=65536,depth=4,history=off"),
        certify("minimax:hash=8192,depth=4,history=off"),
    ] {
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{output:?}");
        assert!(said.contains("MiB of memory are not to be had"), "{said}");
    }
}

/// Things with names that are no regular files, in a folder of their own, and a file that is
/// larger than any memory.
fn no_files(lab: &Lab) -> Vec<PathBuf> {
    let folder = lab.path("nets");
    fs::create_dir_all(&folder).expect("made");
    let pipe = folder.join("pipe.safetensors");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    let endless = folder.join("endless.safetensors");
    let file = fs::File::create(&endless).expect("made");
    file.set_len(1 << 40).expect("it takes no room on the disk");
    vec!["/dev/zero".into(), pipe, endless, folder]
}

/// Runs a command that must fail soon, and returns what it says.
fn fails(lab: &Lab, args: &[&str]) -> String {
    let mut command = command(lab);
    command
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if !["show", "games"].contains(&args[0]) {
        command.arg("--tables").arg(lab.path("tables"));
    }
    let mut child = command.spawn().expect("it starts");
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be asked") {
            break status;
        }
        if begin.elapsed() > PATIENCE {
            child.kill().expect("it can be killed");
            panic!("{args:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let mut said = String::new();
    let stderr = child.stderr.as_mut().expect("piped");
    stderr.read_to_string(&mut said).expect("messages are text");
    assert!(matches!(status.code(), Some(1 | 2)), "{args:?}: {said}");
    assert!(!said.contains("panicked"), "{args:?}: {said}");
    said
}

#[test]
fn only_regular_files_of_a_size_are_read() {
    let lab = Lab::new();
    let corrected = lab.path("corrected");
    let corrected = corrected.to_str().expect("a path of letters");
    for path in no_files(&lab) {
        let path = path.to_str().expect("a path of letters");
        let contest = |white: &str, more: &[&str]| {
            let contest = [
                "match", "--black", "random", "--games", "1", "--white", white,
            ];
            fails(&lab, &[&contest[..], more].concat())
        };
        let krk = ["--endgame", "KRK"];
        let said = [
            contest(&format!("net:{path}"), &krk),
            contest(&format!("minimax:net={path}"), &krk),
            contest("random", &["--positions", path]),
            contest(
                "random",
                &["--endgame", "KRK", "--resume", "--journal", path],
            ),
            fails(&lab, &["errata", path, "--out", corrected]),
        ];
        // Games are read piece by piece, so a file of them may be as long as it likes.
        if !path.ends_with("endless.safetensors") {
            let games = ["games", "import", path, "--out", corrected];
            assert!(fails(&lab, &games).contains("not a regular file"));
            assert!(fails(&lab, &["games", "show", path]).contains("not a regular file"));
        }
        for said in said {
            let why = ["not a regular file", "too large"];
            assert!(why.iter().any(|why| said.contains(why)), "{path}: {said}");
        }
    }
    // A run whose plan is a pipe.
    let run = lab.path("run");
    fs::create_dir_all(&run).expect("made");
    let made = Command::new("mkfifo").arg(run.join("run.toml")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let run = run.to_str().expect("a path of letters");
    for args in [
        ["show", run].as_slice(),
        &["certify", &format!("run:{run}"), "KRK"],
        &["train", "--resume", "--out", run],
    ] {
        assert!(fails(&lab, args).contains("not a regular file"));
    }
    assert!(!Path::new(corrected).exists());
}

#[test]
fn networks_are_named_from_the_folder_that_is_offered() {
    let lab = Lab::new();
    let others = no_files(&lab);
    let nets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../nets");
    for name in ["krk.safetensors", "kbnk.ltn"] {
        fs::copy(nets.join(name), lab.path("nets").join(name)).expect("copied");
    }
    let folder = lab.path("nets");
    let server = Server::start_with(&lab, &["--nets", folder.to_str().expect("letters")]);
    let reply = |start: &str, player: &str| {
        server.post("/api/reply", &json!({ "start": start, "player": player }))
    };
    let mut anywhere: Vec<String> = others
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let inside = folder.join("krk.safetensors").display().to_string();
    anywhere
        .extend(["/etc/passwd", "../nets/krk.safetensors", "", "krk", &inside].map(String::from));
    for path in &anywhere {
        for player in [format!("net:{path}"), format!("minimax:net={path}")] {
            let (status, body) = reply(KRK, &player);
            assert_eq!(status, 400, "{player}: {body}");
            let certificate = json!({ "player": player, "material": "KRK" });
            assert_eq!(
                server.post("/api/certificates", &certificate).0,
                400,
                "{player}"
            );
            let run =
                json!({ "name": "x", "recipe": "ypma-q", "endgame": "KRK", "evaluate": [player] });
            assert_eq!(server.post("/api/runs", &run).0, 400, "{player}");
        }
    }
    refused(reply(KRK, "net:/etc/passwd"), "not offered here");
    // What bears the name of a network is still looked at before it is opened.
    refused(reply(KRK, "net:pipe.safetensors"), "not a regular file");
    refused(reply(KRK, "net:endless.safetensors"), "too large");
    refused(reply(KRK, "net:kbnk.ltn"), "not those of a network");
    for from in ["/etc", "../runs"] {
        let run = json!({ "name": "x", "recipe": "ypma-dqn", "endgame": "KRK", "settings": { "from": from } });
        let (status, body) = server.post("/api/runs", &run);
        assert_eq!(status, 400, "{from}: {body}");
    }
    // What is offered is listed, and plays.
    let (_, everybody) = server.get("/api/players");
    let offered = |text: &str| {
        let players = everybody["players"].as_array().expect("a list");
        players.iter().find(|offer| offer["text"] == text).cloned()
    };
    let krk = offered("net:krk.safetensors").expect("it is offered");
    assert_eq!((&krk["endgame"], &krk["board"]), (&json!("KRK"), &json!(8)));
    assert!(offered("minimax:net=kbnk.ltn,depth=6,history=off").is_some());
    assert_eq!(offered("net:pipe.safetensors"), None);
    assert_eq!(reply(KRK, "net:krk.safetensors").0, 200);
    let kbnk = "8/8/8/3k4/8/8/8/KBN5 w - - 0 1";
    assert_eq!(reply(kbnk, "minimax:net=kbnk.ltn,depth=2").0, 200);
}

/// A connection over which something was sent.
fn sent(server: &Server, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.write_all(text.as_bytes()).expect("sent");
    stream
}

#[test]
fn half_a_request_is_not_waited_for() {
    let lab = Lab::new();
    let server = Server::start_with(&lab, &["--patience", "1"]);
    let host = format!("host: {}\r\n", server.address);
    // Half a head, or nothing at all: the server hangs up.
    for half in ["", "GET /api/jobs HTTP/1.1\r\nhost:", "GET /api/jobs HT"] {
        let mut answer = Vec::new();
        let mut stream = sent(&server, half);
        stream
            .read_to_end(&mut answer)
            .expect("the server hangs up");
    }
    // Half a body: it says so.
    let head = "content-type: application/json\r\ncontent-length: 500\r\n\r\n{\"start\":";
    let mut stream = sent(&server, &format!("POST /api/game HTTP/1.1\r\n{host}{head}"));
    let mut answer = String::new();
    stream
        .read_to_string(&mut answer)
        .expect("the server hangs up");
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("too long to arrive"), "{answer}");
    // A body that comes byte by byte is late in the end, however often something comes.
    let head = "content-type: application/json\r\ncontent-length: 500\r\n\r\n";
    let mut stream = sent(&server, &format!("POST /api/game HTTP/1.1\r\n{host}{head}"));
    let mut drops = 0;
    while drops < 100 && stream.write_all(b" ").is_ok() {
        std::thread::sleep(Duration::from_millis(100));
        drops += 1;
    }
    assert!(drops < 100, "the server listens for ever");
    // Whoever has asked may listen as long as something is told.
    let run = json!({ "name": "krk4", "recipe": "ypma-q", "endgame": "KRK", "board": 4, "episodes": 100_000_000 });
    assert_eq!(server.post("/api/runs", &run).0, 202);
    let mut stream = sent(
        &server,
        &format!("GET /api/jobs/1/events HTTP/1.1\r\n{host}\r\n"),
    );
    let begin = Instant::now();
    let mut seen = [0; 4096];
    while begin.elapsed() < Duration::from_secs(3) {
        assert!(stream.read(&mut seen).expect("events come") > 0);
    }
}

#[test]
fn whoever_hangs_up_leaves_no_search_behind() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let reply = json!({ "start": KRK, "player": "minimax:depth=20" }).to_string();
    let request = |path: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{reply}",
            server.address,
            reply.len()
        )
    };
    // For each processor one thread of every kind of work, and one that looks after connections.
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    let enough = 5 * processors + 20;
    let mut most = 0;
    for n in 0..2 * enough {
        let path = ["/api/reply", "/api/analyse"][n % 2];
        let stream = sent(&server, &request(path));
        std::thread::sleep(Duration::from_millis(20)); // time to begin
        drop(stream);
        most = most.max(server.threads());
    }
    assert!(most < enough, "{most} threads");
    assert_eq!(server.post("/api/game", &json!({ "start": KRK })).0, 200);
}

#[test]
fn depth_and_number_end_nothing() {
    let lab = Lab::new();
    let server = Server::start(&lab);
    let deep = "[".repeat(100_000);
    for path in [
        "/api/game",
        "/api/reply",
        "/api/analyse",
        "/api/runs",
        "/api/certificates",
        "/api/pgn/read",
    ] {
        let (status, _) = server.post_text(path, &deep);
        assert!((400..500).contains(&status), "{path}");
    }
    for setting in [deep.clone(), "{a=".repeat(50_000)] {
        let run = json!({ "name": "x", "recipe": "ypma-q", "endgame": "KRK", "settings": { "alpha": setting } });
        assert_eq!(server.post("/api/runs", &run).0, 400);
    }
    for pgn in ["(", "1. e4 (", "{", "[", "1. Nf3 Nf6 2. Ng1 Ng8 "]
        .map(|part| part.repeat(200_000 / part.len()))
    {
        let (status, _) = server.post("/api/pgn/read", &json!({ "pgn": pgn }));
        assert!(status < 500, "{status}");
    }
    // So many may look on, and no more; whoever goes makes room.
    let run = json!({ "name": "krk4", "recipe": "ypma-q", "endgame": "KRK", "board": 4, "episodes": 100_000_000 });
    assert_eq!(server.post("/api/runs", &run).0, 202);
    let events = format!(
        "GET /api/jobs/1/events HTTP/1.1\r\nhost: {}\r\n\r\n",
        server.address
    );
    let mut answers: Vec<(TcpStream, String)> = (0..260)
        .map(|_| {
            let mut stream = sent(&server, &events);
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).expect("an answer");
            (stream, String::from_utf8_lossy(&answer).into_owned())
        })
        .collect();
    let count = |status: &str| {
        answers
            .iter()
            .filter(|(_, answer)| answer.ends_with(status))
            .count()
    };
    assert_eq!((count("200"), count("429")), (256, 4));
    answers.clear();
    let begin = Instant::now();
    loop {
        let mut answer = [0; 12];
        sent(&server, &events)
            .read_exact(&mut answer)
            .expect("an answer");
        if answer.ends_with(b"200") {
            break;
        }
        assert!(begin.elapsed() < PATIENCE, "there is no room again");
        std::thread::sleep(Duration::from_millis(50));
    }
}
