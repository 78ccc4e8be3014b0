//! Searches for settings through the real binary.

mod support;

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use learn::{
    Control, Stopped,
    tuning::{Search, Settings},
};
use serde_json::Value;
use support::{Lab, command};

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A list of an object's.
fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn numbers(value: &Value, name: &str) -> Vec<f64> {
    let list = list(value, name).iter();
    list.map(|number| number.as_f64().expect("a number"))
        .collect()
}

/// A grid of four settings of a table.
#[rustfmt::skip]
const GRID: [&str; 18] = [
    "tune", "ypma-q", "--endgame", "KQK", "--board", "4", "--method", "grid", "--set", "alpha=0.05,0.5",
    "--set", "gamma=0.9,0.99", "--episodes", "400", "--games", "40", "--json", "--out",
];

#[test]
fn a_grid_tries_every_setting_with_every_seed_and_its_trials_are_runs() {
    let lab = Lab::new();
    let out = lab.path("grid");
    let report = lab.json(&[&GRID[..], &[text(&out)]].concat());
    assert_eq!(
        report,
        serde_json::from_str::<Value>(&read(&out.join("report.json"))).expect("JSON")
    );
    let ranked = list(&report, "ranked");
    assert_eq!(ranked.len(), 4, "{report}");
    let mut settings: Vec<String> = Vec::new();
    for trial in ranked {
        let scores = numbers(trial, "scores");
        assert_eq!(scores.len(), 2, "two seeds by default");
        assert_eq!(trial["mean"].as_f64(), Some((scores[0] + scores[1]) / 2.0));
        settings.push(trial["settings"].to_string());
    }
    let means: Vec<f64> = ranked
        .iter()
        .filter_map(|trial| trial["mean"].as_f64())
        .collect();
    assert!(means.is_sorted_by(|a, b| a >= b), "{means:?}");
    assert!(
        means[0] > means[3],
        "all settings are equally good: {means:?}"
    );
    settings.sort();
    settings.dedup();
    assert_eq!(settings.len(), 4, "{settings:?}");
    assert_eq!(report["exact_play"], serde_json::json!([]));

    // A trial is the run that 'train' makes of its settings, and plays.
    let best = &report["best"];
    let run = out.join(best["runs"][1].as_str().expect("a name"));
    let shown = lab.ok_plain(&["show", text(&run)]);
    assert!(shown.contains("learned from play alone"), "{shown}");
    let again = lab.path("again");
    let set = |name: &str| format!("{name}={}", best["settings"][name]);
    #[rustfmt::skip]
    lab.ok(&[
        "train", "ypma-q", "--endgame", "KQK", "--board", "4", "--episodes", "400", "--seed", "2",
        "--set", &set("alpha"), "--set", &set("gamma"), "--out", text(&again),
    ]);
    let checkpoint = |run: &Path| fs::read(run.join("checkpoints/000000000400")).expect("kept");
    assert!(checkpoint(&run) == checkpoint(&again));
    assert_eq!(
        fs::read_dir(run.join("checkpoints"))
            .expect("a folder")
            .count(),
        1
    );
    let listed = lab.ok_plain(&["runs", text(&out), "--json"]);
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed.as_array().map(Vec::len), Some(8));
    let player = format!("run:{}", run.display());
    #[rustfmt::skip]
    let games = lab.json(&[
        "match", "--white", &player, "--black", "random", "--endgame", "KQK", "--board", "4",
        "--games", "4", "--json",
    ]);
    assert_eq!(games["games"], 4);

    // The picture has a dot for every seed and every mean, over each of two settings.
    let picture = read(&out.join("report.svg"));
    assert_eq!(picture.matches("<circle").count(), 2 * (8 + 4));
    assert!(read(&out.join("report.md")).contains("report.svg"));

    // The number of threads changes nothing, and what is done is only printed again.
    let single = lab.path("single");
    lab.ok(&[&GRID[..], &[text(&single), "--threads", "1"]].concat());
    for file in ["report.json", "report.md", "report.svg"] {
        assert_eq!(read(&out.join(file)), read(&single.join(file)));
    }
    let journal = read(&out.join("journal.jsonl"));
    assert_eq!(
        report,
        lab.json(&["tune", "--resume", text(&out), "--json"])
    );
    assert_eq!(journal, read(&out.join("journal.jsonl")));
}

#[test]
fn a_search_by_certificates_owns_up_to_it() {
    let lab = Lab::new();
    let out = lab.path("certified");
    #[rustfmt::skip]
    let report = lab.json(&[
        "tune", "ypma-q", "--endgame", "KQK", "--board", "4", "--set", "alpha=0.01..0.9,log", "--set",
        "max_moves=10..30", "--set", "symmetry=full", "--trials", "2", "--seeds", "2", "--episodes", "300",
        "--score", "certificate", "--json", "--out", text(&out),
    ]);
    let ranked = list(&report, "ranked");
    assert_eq!(ranked.len(), 2, "{report}");
    for trial in ranked {
        let alpha = trial["settings"]["alpha"].as_f64().expect("a number");
        let moves = trial["settings"]["max_moves"]
            .as_u64()
            .expect("a whole number");
        assert!(
            (0.01..=0.9).contains(&alpha) && (10..=30).contains(&moves),
            "{trial}"
        );
        assert_eq!(trial["settings"]["symmetry"], "full");
    }
    let run = out.join(ranked[0]["runs"][0].as_str().expect("a name"));
    let player = format!("run:{}", run.display());
    #[rustfmt::skip]
    let proof = lab.json(&["certify", &player, "KQK", "--board", "4", "--games", "0", "--json"]);
    assert_eq!(proof["share"], ranked[0]["scores"][0]);
    assert!(proof["share"].as_f64() > Some(0.0), "{proof}");
    let seen = "its settings searched for by certificates";
    assert!(lab.ok_plain(&["show", text(&run)]).contains(seen));
    assert!(read(&out.join("report.md")).contains(seen));
    assert_eq!(report["exact_play"][0], seen);
}

/// A population of small networks, three generations.
#[rustfmt::skip]
const POPULATION: [&str; 32] = [
    "tune", "ppo", "--endgame", "KQK", "--board", "4", "--method", "population", "--members", "4",
    "--generation", "2", "--episodes", "6", "--seeds", "1", "--set", "rate=1e-4..1e-1,log", "--set",
    "epochs=1,2,3", "--set", "steps=128", "--set", "fragment=8", "--set", "minibatch=32", "--set", "width=16",
    "--games", "60", "--json", "--out",
];

/// Waits until a journal has so many lines, or the search has ended.
fn wait_for_lines(child: &mut Child, journal: &Path, lines: usize) {
    let begin = Instant::now();
    loop {
        let now = fs::read_to_string(journal).map_or(0, |text| text.lines().count());
        if now >= lines || child.try_wait().expect("it can be asked").is_some() {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing happens");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_population_breeds_and_a_kill_changes_nothing() {
    let lab = Lab::new();
    let out = lab.path("population");
    let report = lab.json(&[&POPULATION[..], &[text(&out)]].concat());
    let generations = list(&report, "generations");
    assert_eq!(generations.len(), 3, "{report}");
    assert!(list(&generations[2], "copies").is_empty(), "{report}");

    // Whoever was copied at first, and is still there at the end, is made once more by hand.
    let copies = list(&generations[0], "copies");
    let later = list(&generations[1], "copies");
    let still = |copy: &&Value| later.iter().all(|other| other["member"] != copy["member"]);
    let copy = copies.iter().find(still).expect("a copy that stays");
    let number = |name: &str| copy[name].as_u64().expect("a number") as usize - 1;
    let (to, from) = (number("member"), number("copied_from"));
    let (mut changed, mut parent): (usize, Settings) = (0, Vec::new());
    let search = Search::read(&out).expect("a search");
    let mut child = search.trials().expect("sound")[from].clone();
    for (name, value) in &mut child {
        parent.push((name.clone(), value.clone()));
        let change = list(copy, "changed")
            .iter()
            .find(|c| c["name"] == name.as_str());
        if let Some(change) = change {
            assert_eq!(change["from"], value.as_str());
            *value = change["to"].as_str().expect("a value").to_owned();
            changed += 1;
        }
    }
    assert_eq!(changed, 2, "rate and epochs are mutated: {copy}");
    let means = list(&generations[0], "members")
        .iter()
        .map(|member| member["mean"].as_f64());
    let means: Vec<_> = means.collect();
    assert!(means[from] > means[to], "{means:?}");
    let made = lab.path("by-hand");
    let pause = |until| Control {
        until: Some(until),
        ..Control::default()
    };
    let plan = search.plan(&parent, from, 0).expect("a plan");
    let summary = learn::train(&plan, &made, pause(2)).expect("trained");
    assert_eq!(
        (summary.stopped, summary.progressed.episodes),
        (Stopped::Paused, 2)
    );
    let plan = search.plan(&child, to, 0).expect("a plan");
    plan.write(&made).expect("written");
    learn::resume(&made, pause(6)).expect("trained");
    let run = out.join(search.run(to, 0));
    for file in ["run.toml", "weights.safetensors", "metrics.csv"] {
        let bytes = |run: &Path| fs::read(run.join(file)).expect("a file");
        assert!(bytes(&made) == bytes(&run), "{file}");
    }
    let markdown = read(&out.join("report.md"));
    let row = format!("| 2     | {} (", to + 1);
    assert!(
        markdown.contains("## Lineage") && markdown.contains(&row),
        "{markdown}"
    );
    let picture = read(&out.join("report.svg"));
    assert!(
        picture.matches("<circle").count() >= 12,
        "a dot for each of four in each of three"
    );

    // Killed again and again it ends the same.
    let killed = lab.path("killed");
    let journal = killed.join("journal.jsonl");
    let mut interrupted = 0;
    for kill in 0..4 {
        let mut lucena = command(&lab);
        match kill {
            0 => lucena.args(POPULATION).arg(&killed),
            _ => lucena.args(["tune", "--resume", text(&killed)]),
        };
        lucena.arg("--tables").arg(lab.path("tables"));
        lucena.stdout(Stdio::null()).stderr(Stdio::null());
        let before = fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
        let mut child = lucena.spawn().expect("it starts");
        // Four scores, then a decision, then its end: each kill falls on another of them.
        wait_for_lines(&mut child, &journal, before + [2, 3, 1, 4][kill]);
        interrupted += usize::from(child.try_wait().expect("it can be asked").is_none());
        if kill == 1 {
            let id = child.id().to_string();
            let sent = Command::new("kill").args(["-INT", &id]).status();
            assert!(sent.is_ok(), "Ctrl-C");
            let status = child.wait().expect("it ends");
            let done = killed.join("report.json").exists();
            assert!(done || status.code() == Some(130), "{status}");
        } else {
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
        }
    }
    assert!(interrupted > 1, "it was done before it could be killed");
    let resumed = lab.json(&["tune", "--resume", text(&killed), "--json"]);
    assert_eq!(resumed, report);
    for file in ["report.json", "report.md", "report.svg"] {
        assert_eq!(read(&out.join(file)), read(&killed.join(file)));
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let lab = Lab::new();
    let out = lab.path("out");
    let base = [
        "tune",
        "ppo",
        "--endgame",
        "KQK",
        "--board",
        "4",
        "--episodes",
        "4",
        "--out",
    ];
    let base = [&base[..], &[text(&out)]].concat();
    let small = "--set steps=64 --set fragment=8 --set minibatch=32";
    for (more, complaint) in [
        ("--set rat=1,2", "no setting 'rat'"),
        ("--set rate=1e-2..1e-4", "the range is empty"),
        ("--set rate=", "a value is missing"),
        ("--set rate=0..1,log", "above 0"),
        ("--set gamma=0.9,2", "gamma"),
        ("--set rate=1e-3", "nothing is searched"),
        ("", "nothing is searched"),
        ("--set rate=1e-3,1e-2 --set rate=0.5,0.6", "given twice"),
        (
            "--method grid --set rate=1e-4..1e-2",
            "a grid needs listed values",
        ),
        (
            "--method grid --set rate=1e-4,1e-2 --trials 3",
            "--trials belongs to",
        ),
        ("--set epochs=2,4 --trials 3", "only 2 settings"),
        ("--set rate=1e-4..1e-2 --trials 0", "1..=1000"),
        ("--set rate=1e-4..1e-2 --seeds 0", "1..=32"),
        ("--set epochs=2,4 --score nobody --trials 2", "nobody"),
        ("--set epochs=2,4 --score self --trials 2", "against itself"),
        (
            "--set epochs=2,4 --score scalar: --trials 2",
            "name of a curve",
        ),
        (
            "--method population --set rate=1e-4..1e-2 --generation 4",
            "more than one",
        ),
        (
            "--method population --set rate=1e-4..1e-2 --members 1",
            "2..=256",
        ),
        (
            "--method population --set epochs=1,2 --set width=8,16 SMALL",
            "cannot search width",
        ),
        (
            "--method population --set epochs=1,2 --set steps=32,64 --set fragment=8 --set minibatch=32",
            "cannot search steps",
        ),
    ] {
        let more = more.replace("SMALL", small);
        let args: Vec<&str> = base
            .iter()
            .copied()
            .chain(more.split_whitespace())
            .collect();
        let error = lab.fails(&args, 2);
        assert!(error.contains(complaint), "{more}: {error}");
        assert!(!out.exists(), "{more} leaves a folder behind");
    }
    let chess = [
        "tune",
        "ppo",
        "--set",
        "epochs=2,4",
        "--trials",
        "2",
        "--episodes",
        "4",
        "--out",
    ];
    let chess = [&chess[..], &[text(&out)]].concat();
    let error = lab.fails(&[&chess[..], &["--score", "certificate"]].concat(), 2);
    assert!(error.contains("certificates are of endgames"), "{error}");
    let error = lab.fails(
        &[
            "tune",
            "ypma-q",
            "--set",
            "alpha=0.1,0.2",
            "--episodes",
            "4",
            "--out",
            "x",
        ],
        2,
    );
    assert!(error.contains("name one, such as KRK"), "{error}");

    // Folders.
    let args = [&base[..], &["--set", "epochs=1,2", "--trials", "2"]].concat();
    fs::create_dir(&out).expect("made");
    fs::write(out.join("letter.txt"), "something else").expect("written");
    assert!(lab.fails(&args, 1).contains("letter.txt"));
    fs::remove_file(out.join("letter.txt")).expect("removed");
    let error = lab.fails(&["tune", "--resume", text(&out)], 1);
    assert!(error.contains("holds no search"), "{error}");
    let mut scalar = [&args[..], &["--score", "scalar:no/such", "--seeds", "1"]].concat();
    scalar.extend(small.split_whitespace());
    let error = lab.fails(&scalar, 1);
    assert!(
        error.contains("no scalar 'no/such'; it has training/plies"),
        "{error}"
    );
    assert!(
        lab.fails(&args, 1).contains("--resume"),
        "it holds a search"
    );
    fs::write(out.join("journal.jsonl"), "{}\n").expect("written");
    let error = lab.fails(&["tune", "--resume", text(&out)], 1);
    assert!(error.contains("line 1 is no entry"), "{error}");
}
