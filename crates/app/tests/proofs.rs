//! What a proof is worth: whose it is, what it is about, and what it was made from. Through the real
//! binary.

#[path = "support/server.rs"]
mod server;
mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde_json::{Value, json};
use server::Server;
use support::{Lab, command};

/// A command as one writes it; no argument has a space.
fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn text(path: &Path) -> String {
    path.to_str().expect("a readable path").to_owned()
}

/// Trains by the words of a command, into a folder of the lab.
fn train(lab: &Lab, name: &str, line: &str) -> String {
    let out = text(&lab.path(name));
    lab.ok(&words(&format!("train {line} --out {out}")));
    out
}

/// The checkpoints of a run, the newest first.
fn checkpoints(run: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(Path::new(run).join("checkpoints")).expect("a folder");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    files.reverse();
    files
}

fn fingerprint(certificate: &Value) -> String {
    let text = certificate["fingerprint"].as_str();
    let text = text.unwrap_or_else(|| panic!("no fingerprint: {certificate}"));
    assert_eq!(text.len(), 32, "{text}");
    text.to_owned()
}

#[test]
fn a_search_of_so_many_positions_is_a_policy_in_any_order() {
    let lab = Lab::new();
    let moves = |threads: &str| {
        let file = lab.path(threads);
        let line = format!(
            "certify minimax:nodes=60,history=off KRK --board 5 --games 0 --threads {threads} --policy {}",
            file.display()
        );
        lab.ok(&words(&line));
        fs::read_to_string(file).expect("a file")
    };
    // Two threads ask in other orders than one does.
    assert_eq!(moves("1"), moves("2"));
}

#[test]
fn a_journal_is_not_resumed_with_another_network_under_the_same_name() {
    let lab = Lab::new();
    let files: Vec<PathBuf> = ["1", "2"]
        .iter()
        .map(|seed| {
            let line =
                format!("tiny-net --endgame KQK --episodes 300 --set batch=256 --seed {seed}");
            Path::new(&train(&lab, seed, &line)).join("network.ltn")
        })
        .collect();
    let file = lab.path("network.ltn");
    let use_network = |i: usize| fs::copy(&files[i], &file).expect("copied");
    use_network(0);
    let line = format!(
        "certify minimax:net={},depth=6,history=off KQK --json --games 0",
        file.display()
    );
    let whole = lab.json(&words(&line));

    // Killed when some of its moves are known.
    let mut killed = command(&lab)
        .args(words(&line))
        .arg("--tables")
        .arg(lab.path("tables"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let journals = lab.path("state/lucena/certify");
    let some_moves = || {
        let folders = fs::read_dir(&journals).into_iter().flatten().flatten();
        folders
            .map(|folder| folder.path().join("KQK.moves"))
            .any(|moves| moves.metadata().is_ok_and(|file| file.len() > 0))
    };
    while !some_moves() {
        assert_eq!(killed.try_wait().expect("a process"), None, "too quick");
        std::thread::sleep(Duration::from_millis(5));
    }
    killed.kill().expect("killed");
    killed.wait().expect("dead");
    assert!(some_moves(), "it had not come to its end");

    let resume = format!("{line} --resume");
    use_network(1);
    let error = lab.fails(&words(&resume), 1);
    assert!(
        error.contains("another player's") && error.contains("without --resume"),
        "{error}"
    );
    assert!(error.contains(&fingerprint(&whole)), "{error}");
    // The right network goes on, and comes to the same end.
    use_network(0);
    let mut resumed = lab.json(&words(&resume));
    for field in ["seconds", "seconds_judging"] {
        resumed[field] = whole[field].clone();
    }
    assert_eq!(resumed, whole);
    use_network(1);
    let other = lab.json(&words(&line));
    assert_ne!(fingerprint(&other), fingerprint(&whole));
}

#[test]
fn a_fingerprint_tells_networks_and_settings_apart_and_not_folders() {
    let lab = Lab::new();
    let line = "two-bounds --endgame KQK --board 4 --episodes 300 --seed";
    let first = train(&lab, "first", &format!("{line} 1"));
    let again = train(&lab, "again", &format!("{line} 1"));
    let other = train(&lab, "other", &format!("{line} 2"));
    let of = |player: &str| {
        let line = format!("certify {player} KQK --board 4 --games 0 --json");
        fingerprint(&lab.json(&words(&line)))
    };
    let plain = of(&format!("run:{first}"));
    assert_eq!(plain, of(&format!("run:{again}")));
    assert_eq!(plain, of(&format!("run:{first},checkpoint=newest")));
    assert_ne!(plain, of(&format!("run:{other}")));
    let by_depth = |depth: u32| of(&format!("minimax:depth={depth},history=off"));
    assert_ne!(by_depth(1), by_depth(2));
    assert_eq!(of("minimax:history=off,depth=1"), by_depth(1));
    let said = lab.ok(&words("certify perfect KQK --board 4 --games 0"));
    assert!(
        said.contains(&format!("fingerprint {}", of("perfect"))),
        "{said}"
    );

    // A run's certificate is its own as long as it plays the same.
    let shown = lab.json(&["show", &first, "--json"]);
    assert_eq!(shown["certificate"]["current"], true, "{shown}");
    assert_eq!(shown["certified_share"], shown["certificate"]["share"]);
    let (mine, its) = (&checkpoints(&first)[0], &checkpoints(&other)[0]);
    fs::copy(its, mine).expect("copied");
    let shown = lab.json(&["show", &first, "--json"]);
    assert_eq!(shown["certificate"]["current"], false);
    assert_eq!(shown["certificate"]["fingerprint"], json!(plain));
    assert_eq!(shown["certified_share"], Value::Null);
    let said = lab.ok_plain(&["show", &first]);
    assert!(said.contains("not of what the run plays now"), "{said}");
}

#[test]
fn a_match_is_not_resumed_with_another_network_under_the_same_name() {
    let lab = Lab::new();
    let line = "two-bounds --endgame KQK --board 4 --episodes 300 --seed";
    let run = train(&lab, "run", &format!("{line} 1"));
    let other = train(&lab, "other", &format!("{line} 2"));
    let line = |games: u32| {
        let journal = lab.path("journal.jsonl");
        let journal = journal.display();
        format!(
            "match --white run:{run} --black random --endgame KQK --board 4 --games {games} \
             --journal {journal} --json"
        )
    };
    lab.json(&words(&line(4)));
    fs::copy(&checkpoints(&other)[0], &checkpoints(&run)[0]).expect("copied");
    let error = lab.fails(&words(&format!("{} --resume", line(8))), 1);
    assert!(error.contains("belongs to another match"), "{error}");
}

#[test]
fn a_damaged_checkpoint_is_said_and_not_passed_over() {
    let lab = Lab::new();
    let run = train(
        &lab,
        "run",
        "ypma-q --endgame KQK --board 4 --episodes 1000 --seed 1",
    );
    let newest = &checkpoints(&run)[0];
    let mut bytes = fs::read(newest).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(newest, bytes).expect("written");

    let certify = |player: &str| format!("certify {player} KQK --board 4 --games 0 --json");
    let player = format!("run:{run}");
    for line in [
        certify(&player),
        format!("match --white {player} --black random --endgame KQK --board 4 --games 1"),
    ] {
        let error = lab.fails(&words(&line), 2);
        assert!(
            error.contains("is damaged") && error.contains("damaged=skip"),
            "{line}: {error}"
        );
        assert!(error.contains(&text(newest)), "{line}: {error}");
    }
    let engine = command(&lab)
        .args(["uci", "--player", &player])
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    let error = String::from_utf8_lossy(&engine.stderr).into_owned();
    assert!(
        !engine.status.success() && error.contains("is damaged"),
        "{error}"
    );

    // Told to, it takes the one before.
    let older = lab.json(&words(&certify(&format!("{player},damaged=skip"))));
    fs::remove_file(newest).expect("removed");
    let alone = lab.json(&words(&certify(&player)));
    assert_eq!(fingerprint(&older), fingerprint(&alone));
    assert_eq!(older["forced_mates"], alone["forced_mates"]);

    fs::write(newest, b"nothing").expect("written");
    let shown = lab.ok_plain(&["show", &run]);
    assert!(
        shown.contains(&format!("{} is damaged", newest.display())),
        "{shown}"
    );
    // Training goes back by itself, and says so.
    let output = command(&lab)
        .args(["train", "--resume", "--out", &run, "--tables"])
        .arg(lab.path("tables"))
        .output()
        .expect("it runs");
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("going back to the one before it"), "{said}");
}

#[test]
fn nothing_to_prove_is_its_own_answer() {
    let lab = Lab::new();
    for material in ["KNK", "KBK"] {
        let line = format!("certify perfect {material}");
        let said = lab.ok(&words(&line));
        assert!(said.contains("nothing to prove"), "{said}");
        assert!(
            !said.contains('%') && !said.contains("certified over"),
            "{said}"
        );
        let certificate = lab.json(&words(&format!("{line} --json")));
        assert_eq!(certificate["nothing_to_prove"], true);
        assert_eq!(certificate["proof"], false);
        assert_eq!(certificate["won_positions"], 0);
        for share in [
            "share",
            "optimal_share",
            "optimal_move_share",
            "within_fifty_share",
            "games_won_share",
        ] {
            assert_eq!(certificate[share], Value::Null, "{share}");
        }
    }
    let something = lab.json(&words("certify perfect KQK --board 4 --games 0 --json"));
    assert_eq!(something["nothing_to_prove"], false);
    assert_eq!(something["proof"], true);
    // A defence of a position that cannot be lost is something: it is kept.
    let defence = lab.json(&words("certify perfect KNK --side black --json"));
    assert_eq!(defence["kept_share"], 1.0);
    assert_eq!(defence["optimal_share"], Value::Null);
}

#[test]
fn runs_say_whether_they_have_seen_exact_play() {
    let lab = Lab::new();
    let small = "--endgame KQK --board 4 --episodes 40";
    for (name, line, seen) in [
        ("alone", format!("ypma-q {small}"), None),
        (
            "looked-on",
            format!("ypma-q {small} --evaluate random --evaluate self"),
            None,
        ),
        (
            "judged",
            format!("ypma-q {small} --evaluate random --evaluate perfect --evaluation-games 4"),
            Some("its best checkpoint chosen by games against perfect"),
        ),
        (
            "against",
            format!("ypma-q {small} --set opponent=perfect"),
            Some("trained against perfect"),
        ),
        (
            "taught",
            format!("distance-net {small} --set width=8 --set layers=1 --set batch=16"),
            Some("taught by exact tables"),
        ),
    ] {
        let run = train(&lab, &format!("runs/{name}"), &line);
        let expected: Vec<&str> = seen.into_iter().collect();
        let shown = lab.json(&["show", &run, "--json"]);
        assert_eq!(shown["exact_play"], json!(expected), "{name}");
        let words_of = match seen {
            Some(how) => format!("has seen exact play: {how}"),
            None => "learned from play alone".to_owned(),
        };
        let said = lab.ok_plain(&["show", &run]);
        assert!(said.contains(&words_of), "{name}: {said}");
        let certify = format!("certify run:{run} KQK --board 4 --games 0");
        let said = lab.ok(&words(&certify));
        assert!(said.contains(&words_of), "{name}: {said}");
        let certificate = lab.json(&words(&format!("{certify} --json")));
        assert_eq!(certificate["exact_play"], json!(expected), "{name}");
    }
    let runs = text(&lab.path("runs"));
    let list = lab.ok_plain(&["runs", &runs]);
    let marks = |mark: &str| list.lines().filter(|line| line.ends_with(mark)).count();
    assert_eq!((marks(" seen"), marks(" none")), (3, 2), "{list}");
    let server = Server::start(&lab);
    let (_, list) = server.get("/api/runs");
    let list = list.as_array().expect("a list").iter();
    let mut seen: Vec<&str> = list
        .filter(|run| run["exact_play"] != json!([]))
        .filter_map(|run| run["name"].as_str())
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, ["against", "judged", "taught"]);
}

#[test]
fn the_page_keeps_a_certificate_for_each_fingerprint() {
    let lab = Lab::new();
    let line = "two-bounds --endgame KQK --board 4 --episodes 300 --seed";
    let run = train(&lab, "runs/run", &format!("{line} 1"));
    let other = train(&lab, "other", &format!("{line} 2"));
    let server = Server::start(&lab);
    let certify = || {
        let asked = json!({ "player": "run:run", "material": "KQK", "board": 4, "games": 0 });
        let (status, job) = server.post("/api/certificates", &asked);
        assert_eq!(status, 202, "{job}");
        let job = server.finished(job["id"].as_u64().expect("a number"));
        assert_eq!(job["status"], "done", "{job}");
        let id = job["subject"].as_str().expect("a name").to_owned();
        let (_, certificate) = server.get(&format!("/api/certificates/{id}"));
        assert_eq!(certificate["exact_play"], json!([]));
        (id, fingerprint(&certificate))
    };
    let first = certify();
    assert_eq!(certify(), first);
    fs::copy(&checkpoints(&other)[0], &checkpoints(&run)[0]).expect("copied");
    // The folder shows that something has changed, as it does when a run writes a checkpoint.
    fs::write(Path::new(&run).join("checkpoints/new"), b"").expect("written");
    let second = certify();
    assert_ne!(first.0, second.0);
    assert_ne!(first.1, second.1);
    let (_, list) = server.get("/api/certificates");
    let list = list.as_array().expect("a list").iter();
    let here = list.filter(|certificate| certificate["material"] == "KQK");
    let known: Vec<&str> = here.filter_map(|c| c["fingerprint"].as_str()).collect();
    assert_eq!(known.len(), 2);
    assert!(known.contains(&first.1.as_str()) && known.contains(&second.1.as_str()));
    // As the command has it.
    let line = format!("certify run:{run} KQK --board 4 --games 0 --json");
    assert_eq!(fingerprint(&lab.json(&words(&line))), second.1);

    let (_, job) = server.post(
        "/api/certificates",
        &json!({ "player": "perfect", "material": "KNK", "board": 4 }),
    );
    let job = server.finished(job["id"].as_u64().expect("a number"));
    assert_eq!(job["message"], "nothing to prove", "{job}");
    let path = format!(
        "/api/certificates/{}",
        job["subject"].as_str().expect("a name")
    );
    let (_, certificate) = server.get(&path);
    assert_eq!(certificate["nothing_to_prove"], true);
    assert_eq!(certificate["share"], Value::Null);
}

#[test]
fn a_clean_sweep_decides_a_sequential_test() {
    let lab = Lab::new();
    let line =
        "match --white perfect --black random --endgame KQK --won --games 400 --sprt 0,100 --json";
    let played = lab.json(&words(line));
    assert_eq!(played["wins"]["games"], played["games"], "a clean sweep");
    assert_eq!(played["sprt"]["decision"], "the difference is there");
    assert!(played["sprt"]["llr"].as_f64() >= played["sprt"]["upper"].as_f64());
    // It ends there, and not before there is evidence; the number of threads changes nothing.
    assert_eq!(played["games"], 12);
    assert_eq!(played["complete"], true);
    assert_eq!(lab.json(&words(&format!("{line} --threads 1"))), played);
}

#[test]
fn certificates_and_lines_are_drawn_on_boards() {
    let lab = Lab::new();
    let folder = lab.path("pictures");
    let name = folder.to_str().expect("a path");
    #[rustfmt::skip]
    lab.ok(&[
        "certify", "minimax:depth=1,history=off", "KRK", "--board", "5", "--games", "0", "--pictures", name,
    ]);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    let boards = |svg: &str| svg.matches("class=\"board\"").count();
    // A board for the black king, the white king and the rook; squares in shades.
    assert_eq!(boards(&read("failures.svg")), 3);
    assert!(read("failures.svg").contains("by the white rook"));
    assert!(boards(&read("cycle.svg")) > 2);
    assert!(read("longest.svg").contains("#</text>"), "it ends in mate");

    let line = ["line", "k4/5/1K3/5/4R w", "--white", "minimax:depth=3"];
    let svg = lab.path("line.svg");
    let more = ["--json", "--svg", svg.to_str().expect("a path")];
    let played = lab.json(&[&line[..], &more].concat());
    assert_eq!(played["checkmate"], true, "{played}");
    let svg = std::fs::read_to_string(svg).expect("a picture");
    let plies = played["uci"].as_array().map_or(0, Vec::len);
    assert_eq!(boards(&svg), 1 + plies.div_ceil(2));
    assert!(lab.ok(&line).contains("[White \"minimax:depth=3\"]"));
    let cut = lab.json(&[&line[..3], &["random", "--plies", "1", "--json"]].concat());
    assert_eq!(cut["uci"].as_array().map(Vec::len), Some(1));
    let error = lab.fails(&[&line[..3], &["nobody"]].concat(), 2);
    assert!(error.contains("nobody"), "{error}");
}
