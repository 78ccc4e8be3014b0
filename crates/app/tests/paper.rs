//! `lucena paper`, driven as a user does.

use std::{
    path::Path,
    process::{Command, Output},
};

fn lucena(arguments: &[&str], tables: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lucena"))
        .arg("paper")
        .args(arguments)
        .arg("--tables")
        .arg(tables)
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// The experiments that train players.
const LEARNING: [&str; 12] = [
    "Y6.9",
    "Y6.10",
    "Y6.11",
    "Y6.12",
    "Y-F6.2",
    "Y-games",
    "Y-rewards",
    "D1",
    "D-F4",
    "D-F5",
    "D-F6",
    "D-wishes",
];

#[test]
fn trains_tests_and_certifies() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("reports");
    let options = ["--budget", "smoke", "--seed", "3"];
    let run = |out: &Path| {
        let out = out.to_str().unwrap();
        let arguments = [&LEARNING[..], &options, &["--out", out]].concat();
        let output = lucena(&arguments, folder.path());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let printed = run(&out);
    // A row of each document: the paper's figures stand beside ours, which are measured.
    let row = |start: &str| {
        let found = printed.lines().find(|line| line.starts_with(start));
        let cells = found.unwrap_or_else(|| panic!("{start} in {printed}"));
        cells
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect::<Vec<_>>()
    };
    let agent = row("| 4×4 | 96.4 % |");
    assert!(
        agent[3].ends_with(") ✗") && agent[4].starts_with("100.0 % ("),
        "{agent:?}"
    );
    // Our recipe has learned the smallest board in the few games of a smoke run, the thesis' has not.
    let certified = |cells: &[String]| {
        let number = |cell: &String| cell.trim_end_matches(" %").parse::<f64>().unwrap();
        let [.., ours, best, _] = cells else {
            panic!("{cells:?}")
        };
        (number(ours), number(best))
    };
    let (ours, best) = certified(&agent);
    assert!(ours < 20.0 && best > 90.0, "{ours} {best}");
    // Columns of which the paper knows nothing have no place for its figures.
    assert_eq!(row("| Q(λ), 5,000 games | 74.0 % |").len(), 12);
    for id in LEARNING {
        let page = std::fs::read_to_string(out.join(format!("{id}.html"))).unwrap();
        assert!(
            page.contains("<svg") && page.contains("two-bounds trained on"),
            "{id}"
        );
    }
    // Curves are drawn: one line for each board.
    let page = std::fs::read_to_string(out.join("Y-F6.2.html")).unwrap();
    assert!(
        page.contains("KRK, training games won, % by training games, best"),
        "{page}"
    );

    // All chance follows from the seed: measured anew, the figures are the same.
    let figures = |text: &str| -> Vec<String> {
        let rows = text.lines().filter(|line| line.starts_with('|'));
        rows.map(str::to_owned).collect()
    };
    assert_eq!(
        figures(&run(&folder.path().join("again"))),
        figures(&printed)
    );
}

#[test]
fn lists_the_experiments() {
    let folder = tempfile::tempdir().unwrap();
    let output = lucena(&["--list"], folder.path());
    assert!(output.status.success());
    let list = text(&output.stdout);
    assert!(list.lines().any(|line| line.starts_with("Y6.4 ")), "{list}");
    // Every experiment is there, and has figures.
    assert_eq!(list.lines().count(), papers::all().len());
    for line in list.lines() {
        assert!(
            line.contains("): full, ") || line.contains("): quick, "),
            "{line}"
        );
    }

    let output = lucena(&["--list", "--json"], folder.path());
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let ids: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|experiment| experiment["id"].as_str().unwrap())
        .collect();
    for id in LEARNING.into_iter().chain(["S6"]) {
        assert!(ids.contains(&id), "{ids:?}");
    }
}

#[test]
fn an_unknown_experiment_is_a_misuse() {
    let folder = tempfile::tempdir().unwrap();
    let output = lucena(&["Y9.9"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let error = text(&output.stderr);
    assert!(
        error.contains("'Y9.9'") && error.contains("Y6.5"),
        "{error}"
    );
    assert_eq!(lucena(&[], folder.path()).status.code(), Some(2));
}

/// The networks of the duel learn where they are told to, in a program that can.
#[test]
fn networks_learn_on_the_device_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let duel = |device| {
        let budget = ["W-duel", "--budget", "smoke", "--recipe", "best"];
        let only = ["--rows", "M2 against M1, 20", "--device", device];
        lucena(&[&budget[..], &only].concat(), folder.path())
    };
    let output = duel("cpu");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("then alphazero for 2 episodes"));
    let output = duel("nowhere");
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("device = nowhere"), "{error}");
}

#[test]
fn agents_are_trained_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("reports");
    let arguments = |id, more: &[&'static str]| {
        let all = [id, "--budget", "smoke", "--out", out.to_str().unwrap()];
        lucena(&[&all, more].concat(), folder.path())
    };
    let output = arguments("Y6.1", &["--train-only"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("Y6.1 trains no agents"));

    let output = arguments("P-against-W-games", &["--train-only"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
    let runs = || -> Vec<_> {
        let runs = std::fs::read_dir(out.join("trainings")).unwrap();
        let mut runs: Vec<_> = runs.map(|run| run.unwrap().path()).collect();
        // Beside each run stands how long it took.
        runs.retain(|run| run.is_dir());
        runs.sort();
        runs
    };
    let trained = runs();
    assert_eq!(trained.len(), 6, "{trained:?}");
    // What measures afterwards trains nothing again.
    let changed = |run: &Path| {
        std::fs::metadata(run.join("metrics.csv"))
            .unwrap()
            .modified()
    };
    let before: Vec<_> = trained.iter().map(|run| changed(run).unwrap()).collect();
    let output = arguments("P-against-W-games", &["--rows", "training 1 (PPO)"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(runs(), trained);
    let after: Vec<_> = trained.iter().map(|run| changed(run).unwrap()).collect();
    assert_eq!(after, before);
}

#[test]
fn prints_a_table_and_writes_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("reports");
    let out_text = out.to_str().unwrap();
    let arguments = ["y6.5", "Y6.1", "--budget", "smoke", "--out", out_text];
    let output = lucena(&arguments, folder.path());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(printed.contains("| 4×4 | 2.84 % |"), "{printed}");
    for name in ["Y6.5.html", "Y6.5.md", "Y6.1.json", "index.html"] {
        assert!(out.join(name).is_file(), "{name}");
    }
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(page.contains("id=\"Y6.1\"") && page.contains("<svg"));
    // The second run finds everything measured.
    let again = lucena(&arguments, folder.path());
    assert_eq!(text(&again.stdout), printed);
}

#[test]
fn prints_json() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["Y6.1", "--budget", "smoke", "--seed", "7", "--json"];
    let output = lucena(&arguments, folder.path());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["id"], "Y6.1");
    assert_eq!(report["seed"], 7);
    assert_eq!(report["rows"][0]["paper"][0], 1.0);
    let cell = &report["rows"][1]["ours"]["measurements"][0]["measured"]["cells"][0]["figure"];
    assert!(cell["value"].as_f64().unwrap() > 10.0, "{report:#}");
}

#[test]
fn a_training_outlives_kill_and_is_not_made_twice() {
    let folder = tempfile::tempdir().unwrap();
    let report = |out: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lucena"));
        command.args(["paper", "Y-F6.3", "--quick", "--rows", "40,000 games"]);
        command
            .arg("--out")
            .arg(out)
            .arg("--tables")
            .arg(folder.path());
        command.stdout(std::process::Stdio::null());
        command.stderr(std::process::Stdio::null());
        command
    };
    let out = folder.path().join("killed");
    let checkpoints = || -> Vec<std::path::PathBuf> {
        let runs = std::fs::read_dir(out.join("trainings"));
        let runs = runs.into_iter().flatten().flatten();
        let files = runs.flat_map(|run| std::fs::read_dir(run.path().join("checkpoints")));
        files.flatten().flatten().map(|file| file.path()).collect()
    };
    // Killed after its first checkpoint …
    let mut running = report(&out).spawn().expect("it starts");
    while checkpoints().is_empty() {
        assert!(
            running.try_wait().unwrap().is_none(),
            "it is still training"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    running.kill().unwrap();
    running.wait().unwrap();
    // … it goes on to the same figures as one that nobody disturbed.
    let measured = |out: &Path| {
        let mut command = report(out);
        command.arg("--json").stdout(std::process::Stdio::piped());
        let output = command.output().unwrap();
        assert!(output.status.success());
        let mut json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        json["rows"][0]["ours"]["measurements"][0]["measured"].take()
    };
    let figures = measured(&out);
    assert!(figures["cells"][1]["figure"]["value"].is_f64());
    assert_eq!(figures, measured(&folder.path().join("undisturbed")));
    // Measured again, nothing is trained again.
    let trained = checkpoints();
    let before = std::fs::metadata(&trained[0]).unwrap().modified().unwrap();
    std::fs::remove_dir_all(out.join("measurements")).unwrap();
    assert_eq!(measured(&out), figures);
    assert_eq!(checkpoints(), trained);
    let after = std::fs::metadata(&trained[0]).unwrap().modified().unwrap();
    assert_eq!(before, after);
}

/// `lucena paper` in a folder of its own.
fn lucena_in(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lucena"))
        .arg("paper")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the binary runs")
}

#[test]
fn the_docs_are_what_is_drawn_from_the_measurements() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("measurements");
    std::fs::create_dir_all(folder.path().join("docs/papers")).unwrap();
    // A picture of an experiment that is gone.
    std::fs::write(folder.path().join("docs/papers/Z1.svg"), "<svg/>").unwrap();
    std::fs::create_dir(&kept).unwrap();
    for file in std::fs::read_dir(project.join("measurements")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), kept.join(file.file_name())).unwrap();
    }
    let output = lucena_in(folder.path(), &["--docs"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let files = |docs: &Path| {
        let mut files = vec![docs.join("papers.md")];
        let pictures = std::fs::read_dir(docs.join("papers")).unwrap();
        files.extend(pictures.map(|file| file.unwrap().path()));
        files.sort();
        let read = |path: std::path::PathBuf| {
            let name = path.strip_prefix(docs).unwrap().to_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        };
        files.into_iter().map(read).collect::<Vec<_>>()
    };
    let (drawn, committed) = (
        files(&folder.path().join("docs")),
        files(&project.join("docs")),
    );
    let names = |files: &[(std::path::PathBuf, String)]| {
        let names = files.iter().map(|(name, _)| name.display().to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&drawn), names(&committed));
    for ((name, drawn), (_, committed)) in drawn.iter().zip(&committed) {
        let first = drawn.lines().zip(committed.lines()).find(|(a, b)| a != b);
        assert!(
            drawn == committed,
            "docs/{} is not what lucena paper --docs draws: {first:?}",
            name.display()
        );
    }
    // A figure that changes, changes the page.
    let path = kept.join("Y6.1.json");
    let json = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, json.replacen("2026", "2027", 1)).unwrap();
    assert!(lucena_in(folder.path(), &["--docs"]).status.success());
    let again = std::fs::read_to_string(folder.path().join("docs/papers.md")).unwrap();
    assert!(again.contains("2027") && again != committed[names(&committed).len() - 1].1);
}

#[test]
fn keeps_what_was_measured_and_prints_what_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let keep = [
        "Y6.1",
        "--rows",
        "1",
        "--keep",
        "--seed",
        "7",
        "--machine",
        "a test machine",
    ];
    // Only where there is a place for it; told before hours of work, not after.
    let output = lucena_in(folder.path(), &keep);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("no folder 'measurements' here"), "{error}");
    assert!(output.stdout.is_empty());
    let output = lucena_in(folder.path(), &["--docs"]);
    assert_eq!(output.status.code(), Some(1));

    std::fs::create_dir(folder.path().join("measurements")).unwrap();
    let output = lucena_in(folder.path(), &["Y6.1", "--budget", "smoke", "--keep"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));

    let output = lucena_in(folder.path(), &keep);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("2 measurements kept"));
    let json = std::fs::read_to_string(folder.path().join("measurements/Y6.1.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let run = &json["runs"][0];
    assert_eq!(run["command"], "lucena paper Y6.1 --seed 7");
    assert_eq!((&run["seed"], &run["budget"]), (&7.into(), &"full".into()));
    assert_eq!(run["machine"], "a test machine");
    assert_eq!(run["rows"][0]["cells"][0]["column"], "KQK");

    // The program itself has what the project keeps.
    let output = lucena_in(folder.path(), &["Y6.1", "--kept"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(
        printed.contains("`lucena paper Y6.1 --seed 1`"),
        "{printed}"
    );
    let output = lucena_in(folder.path(), &["Y6.1", "--kept", "--quick"]);
    assert_eq!(output.status.code(), Some(2));
}
