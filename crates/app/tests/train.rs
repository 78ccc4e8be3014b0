//! Training runs, through the real binary.

mod support;

use support::{Lab, command};

#[test]
fn every_recipe_is_listed_and_one_is_recommended() {
    let lab = Lab::new();
    let list = lab.json(&["train", "--list", "--json"]);
    let recipes = list.as_array().expect("a list");
    let best: Vec<_> = recipes
        .iter()
        .filter(|r| r["best_for"] == "tabular")
        .collect();
    assert_eq!(best.len(), 1);
    for recipe in recipes {
        for field in ["name", "summary", "learner"] {
            assert!(recipe[field].is_string(), "{recipe}");
        }
    }
}

#[test]
fn the_recommended_recipe_is_certified_perfect() {
    let lab = Lab::new();
    let run = lab.path("krk5");
    let run = run.to_str().expect("a readable path");
    let trained = lab.json(&[
        "train",
        "two-bounds",
        "--endgame",
        "KRK",
        "--board",
        "5",
        "--episodes",
        "30000",
        "--seed",
        "1",
        "--out",
        run,
        "--json",
    ]);
    assert_eq!(trained["stopped"], "nothing left to learn");
    let player = format!("run:{run}");
    let certificate = lab.json(&[
        "certify", &player, "KRK", "--board", "5", "--json", "--games", "50",
    ]);
    assert_eq!(certificate["share"], 1.0);
    assert_eq!(certificate["mean_excess_moves"], 0.0);
    assert_eq!(certificate["unvisited"], 0);
    let shown = lab.ok_plain(&["show", run]);
    assert!(
        shown.contains("certificate: mate forced from 100.000 %"),
        "{shown}"
    );
    let folder = lab.path("");
    let runs = lab.ok_plain(&["runs", folder.to_str().expect("a readable path")]);
    assert!(
        runs.contains("two-bounds") && runs.contains("100.0 %"),
        "{runs}"
    );
    // The run is a player in matches as well.
    let contest = lab.json(&[
        "match",
        "--white",
        &player,
        "--black",
        "perfect",
        "--endgame",
        "KRK",
        "--board",
        "5",
        "--won",
        "--games",
        "20",
        "--json",
    ]);
    assert_eq!(contest["wins"]["games"], 20);
}

#[test]
fn each_recipe_of_the_papers_trains_and_says_what_it_has_never_met() {
    let lab = Lab::new();
    for recipe in ["ypma-q", "deolalikar-q-lambda"] {
        let run = lab.path(recipe);
        let run = run.to_str().expect("a readable path");
        lab.ok(&[
            "train",
            recipe,
            "--endgame",
            "KQK",
            "--board",
            "5",
            "--episodes",
            "300",
            "--evaluate",
            "random",
            "--evaluation-games",
            "20",
            "--out",
            run,
        ]);
        for file in ["run.toml", "metrics.csv"] {
            assert!(lab.path(recipe).join(file).exists(), "{recipe}: {file}");
        }
        let player = format!("run:{run}");
        let certificate = lab.json(&[
            "certify", &player, "KQK", "--board", "5", "--json", "--games", "0",
        ]);
        assert!(certificate["unvisited"].as_u64() > Some(0), "{recipe}");
        assert!(certificate["share"].as_f64() < Some(1.0), "{recipe}");
    }
}

#[test]
fn a_killed_run_goes_on_to_the_same_result() {
    let lab = Lab::new();
    let args = |out: &str| -> Vec<String> {
        [
            "train",
            "ypma-q",
            "--endgame",
            "KRK",
            "--board",
            "6",
            "--episodes",
            "60000",
            "--out",
            out,
        ]
        .map(str::to_owned)
        .into()
    };
    let whole = lab.path("whole");
    let tables = lab.path("tables");
    let run = |args: &[String]| {
        command(&lab)
            .args(args)
            .arg("--tables")
            .arg(&tables)
            .spawn()
            .expect("it runs")
    };
    assert!(
        run(&args(whole.to_str().expect("a path")))
            .wait()
            .expect("it ends")
            .success()
    );
    let broken = lab.path("broken");
    let broken_text = broken.to_str().expect("a path");
    let mut child = run(&args(broken_text));
    let resume = ["train", "--resume", "--out", broken_text].map(str::to_owned);
    for milliseconds in [150, 90, 210, 60] {
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        // SIGKILL: the process gets no chance to tidy up.
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        if !broken.join("run.toml").exists() {
            child = run(&args(broken_text));
        } else {
            child = run(&resume);
        }
    }
    assert!(child.wait().expect("it ends").success());
    for file in ["metrics.csv", "run.toml"] {
        let read = |folder: &std::path::Path| std::fs::read(folder.join(file)).expect(file);
        assert_eq!(read(&whole), read(&broken), "{file}");
    }
    let last = |folder: &std::path::Path| {
        let mut names: Vec<_> = std::fs::read_dir(folder.join("checkpoints"))
            .expect("checkpoints")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        names.sort();
        std::fs::read(names.last().expect("one")).expect("it can be read")
    };
    assert_eq!(last(&whole), last(&broken));
}

#[test]
fn bad_runs_get_clear_messages() {
    let lab = Lab::new();
    let out = lab.path("run");
    let out = out.to_str().expect("a readable path");
    for (args, code, what) in [
        (
            &["train", "nothing", "--endgame", "KRK", "--out", out][..],
            2,
            "two-bounds",
        ),
        (
            &[
                "train",
                "ypma-q",
                "--endgame",
                "KRK",
                "--out",
                out,
                "--set",
                "alfa=1",
            ],
            2,
            "alfa",
        ),
        (
            &[
                "train",
                "ypma-q",
                "--endgame",
                "KRK",
                "--out",
                out,
                "--set",
                "alpha",
            ],
            2,
            "alpha=0.05",
        ),
        (&["train", "ypma-q", "--out", out], 2, "--endgame"),
        (
            &[
                "train",
                "ypma-q",
                "--endgame",
                "KPK",
                "--out",
                out,
                "--episodes",
                "5",
            ],
            1,
            "pawn",
        ),
        (
            &["train", "--resume", "--out", "/nowhere/at/all"],
            1,
            "/nowhere/at/all",
        ),
    ] {
        let error = lab.fails(args, code);
        assert!(error.contains(what), "{args:?}: {error}");
    }
    let output = command(&lab)
        .args(["show", "/nowhere"])
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1));
}
