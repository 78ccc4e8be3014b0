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
        for field in ["name", "summary", "episodes", "learns"] {
            assert!(recipe[field].is_string(), "{recipe}");
        }
        // What it is, without words that only the authors know; its settings in a line each.
        let summary = recipe["summary"].as_str().expect("a summary");
        for riddle in ["document", "optimist"] {
            assert!(!summary.contains(riddle), "{summary}");
        }
        for setting in recipe["settings"].as_array().expect("settings") {
            let name = setting["name"].as_str().expect("a name");
            assert!(setting["meaning"].as_str().is_some_and(|m| m.len() > 9));
            assert!(!recipe["defaults"][name].is_null(), "{name}");
        }
    }
    let text = lab.ok_plain(&["train", "--list"]);
    let line = text.lines().find(|line| line.contains("gamma = 0.99"));
    let line = line.expect("the settings are listed");
    assert!(line.ends_with("The discount factor. [0 to 1]"), "{line}");
}

#[test]
fn settings_out_of_range_are_refused_with_the_range() {
    let lab = Lab::new();
    let out = lab.path("run");
    let out = out.to_str().expect("a readable path");
    for (setting, why) in [
        ("alpha=nan", "alpha = nan: it may be 0 to 1"),
        ("gamma=7", "gamma = 7.0: it may be 0 to 1"),
        ("win=inf", "win = inf: it may be -1000000 to 1000000"),
        ("max_moves=0", "max_moves = 0: it may be 1 to 10000"),
        ("alpha=much", "alpha = much: it is a number, 0 to 1"),
    ] {
        #[rustfmt::skip]
        let error = lab.fails(&["train", "ypma-q", "--endgame", "KRK", "--out", out, "--set", setting], 2);
        assert!(error.contains(why), "{setting}: {error}");
    }
    assert!(!lab.path("run").exists(), "nothing is left behind");
}

#[test]
fn a_run_is_extended_and_survives_that() {
    let lab = Lab::new();
    let folders = ["calm", "killed"].map(|name| lab.path(name));
    for folder in &folders {
        let out = folder.to_str().expect("a readable path");
        #[rustfmt::skip]
        lab.ok(&["train", "ypma-q", "--endgame", "KRK", "--board", "5", "--episodes", "2000", "--out", out]);
    }
    let extended = |folder: &std::path::Path| {
        let mut command = command(&lab);
        command.args(["train", "--resume", "--episodes", "20000", "--out"]);
        command.arg(folder).arg("--tables").arg(lab.path("tables"));
        command
    };
    assert!(extended(&folders[0]).status().expect("it runs").success());
    let mut child = extended(&folders[1]).spawn().expect("it runs");
    std::thread::sleep(std::time::Duration::from_millis(120));
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let out = folders[1].to_str().expect("a readable path");
    // Killed before it was extended or after: the same command goes on.
    assert!(extended(&folders[1]).status().expect("it runs").success());
    for file in ["run.toml", "metrics.csv", "checkpoints/000000020000"] {
        let [calm, killed] = folders
            .each_ref()
            .map(|folder| std::fs::read(folder.join(file)).expect(file));
        assert!(calm == killed, "{file}");
    }
    let plan = std::fs::read_to_string(folders[0].join("run.toml")).expect("a plan");
    assert!(
        plan.contains("episodes = 20000") && plan.contains("after = 2000"),
        "{plan}"
    );
    // The curve goes on behind its old end.
    let curve = std::fs::read_to_string(folders[0].join("metrics.csv")).expect("a curve");
    assert!(
        curve.lines().any(|line| line.starts_with("2000,"))
            && curve.lines().any(|line| line.starts_with("20000,"))
    );
    let error = lab.fails(&["train", "--resume", "--episodes", "500", "--out", out], 1);
    assert!(
        error.contains("has played 20000 games") && error.contains("not 500"),
        "{error}"
    );
    let known = lab.path("known");
    let known = known.to_str().expect("a readable path");
    #[rustfmt::skip]
    lab.ok(&["train", "two-bounds", "--endgame", "KQK", "--board", "4", "--episodes", "500", "--out", known]);
    let error = lab.fails(
        &["train", "--resume", "--episodes", "900", "--out", known],
        1,
    );
    assert!(error.contains("nothing left to learn"), "{error}");
}

#[test]
fn a_run_may_be_named_as_its_player_is() {
    let lab = Lab::new();
    let folder = lab.path("kqk4");
    let player = format!("run:{}", folder.display());
    #[rustfmt::skip]
    let said = lab.ok(&["train", "two-bounds", "--endgame", "KQK", "--board", "4", "--episodes", "500", "--out", &player]);
    assert!(folder.join("run.toml").exists());
    let shown = lab.ok_plain(&["show", &player]);
    for text in [said, shown] {
        assert!(
            text.contains(&format!("certify {player} KQK --board 4")),
            "{text}"
        );
        assert!(!text.contains("run:run:"), "{text}");
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
fn a_network_that_learned_from_its_own_games_is_certified_perfect() {
    let lab = Lab::new();
    let run = lab.path("td");
    let run = run.to_str().expect("a readable path");
    let train = format!(
        "train td-net --endgame KQK --board 4 --episodes 3000 --seed 1 --out {run} \
         --set width=32 --set layers=1 --set batch=256 --set longest=10 --set refresh=20 --json"
    );
    let trained = lab.json(&train.split_whitespace().collect::<Vec<_>>());
    assert_eq!(trained["stopped"], "nothing left to learn");
    for player in [
        format!("run:{run}"),
        format!("net:{run}/weights.safetensors"),
    ] {
        let certificate = lab.json(&[
            "certify", &player, "KQK", "--board", "4", "--json", "--games", "10",
        ]);
        assert_eq!(certificate["share"], 1.0, "{player}");
        assert_eq!(certificate["mean_excess_moves"], 0.0, "{player}");
    }
}

#[test]
fn deep_q_learning_trains_and_hands_its_networks_on() {
    let lab = Lab::new();
    let small = "--episodes 60 --set channels=4 --set batch=8 --set warm_up=100 --seed 1";
    let train = |endgame: &str, out: &str, more: &str| {
        let out = lab.path(out);
        let out = out.to_str().expect("a readable path");
        let line = format!("train ypma-dqn --endgame {endgame} {small} --out {out} {more} --json");
        lab.json(&line.split_whitespace().collect::<Vec<_>>())
    };
    let first = lab.path("kqk");
    let first = first.to_str().expect("a readable path");
    assert_eq!(train("KQK", "kqk", "--board 5")["episodes"], 60);
    // Its first thoughts need not be legal, and the curve says how many are.
    let curve = lab.json(&["show", first, "--json"])["curve"].clone();
    let rates = curve.as_array().expect("a curve").iter();
    let rates: Vec<f64> = rates
        .filter_map(|p| p["training/legal_rate"].as_f64())
        .collect();
    assert!(
        rates.iter().any(|&rate| 0.0 < rate && rate < 1.0),
        "{rates:?}"
    );
    let transferred = format!("--board 5 --set masking=true --set from={first}");
    assert_eq!(train("KRK", "krk", &transferred)["episodes"], 60);
    let run = lab.path("krk");
    let player = format!("run:{}", run.display());
    let certificate = lab.json(&[
        "certify", &player, "KRK", "--board", "5", "--json", "--games", "0",
    ]);
    assert!(certificate["share"].as_f64() < Some(1.0));
    let wrong = format!(
        "train ypma-dqn --endgame KRK --board 5 --set channels=5 --set from={first} --out {}",
        lab.path("wrong").display()
    );
    let refused = command(&lab)
        .args(wrong.split_whitespace())
        .output()
        .expect("it runs");
    assert!(!refused.status.success());
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(why.contains("4 channels"), "{why}");
}

#[test]
fn a_taught_network_plays_from_its_run_and_from_its_file() {
    let lab = Lab::new();
    let run = lab.path("net");
    let run = run.to_str().expect("a readable path");
    let train = format!(
        "train distance-net --endgame KQK --board 4 --episodes 600 --seed 1 --out {run} \
         --set width=48 --set layers=1 --set batch=256 --json"
    );
    let trained = lab.json(&train.split_whitespace().collect::<Vec<_>>());
    assert_eq!(trained["episodes"], 600);
    for player in [
        format!("run:{run}"),
        format!("run:{run},depth=3"),
        format!("net:{run}/weights.safetensors"),
        format!("net:{run}/weights.safetensors,depth=3"),
    ] {
        let certificate = lab.json(&[
            "certify", &player, "KQK", "--board", "4", "--json", "--games", "10",
        ]);
        assert_eq!(certificate["share"], 1.0, "{player}");
        assert_eq!(certificate["mean_excess_moves"], 0.0, "{player}");
    }
    let deeper = format!("run:{run},depth=5");
    lab.fails(&["certify", &deeper, "KQK", "--board", "4"], 2);
    let file = format!("{run}/weights.safetensors");
    let corrected = lab.path("corrected.safetensors");
    let corrected = corrected.to_str().expect("a readable path");
    let report = lab.json(&["errata", &file, "--out", corrected, "--json"]);
    assert_eq!(report["errata"], 0, "a perfect network has none: {report}");
    lab.fails(&["errata", "no-such-file", "--out", corrected], 1);
    let metrics = lab.path("net").join("metrics.csv");
    let refused = command(&lab)
        .args(["certify", &format!("net:{}", metrics.display()), "KQK"])
        .output()
        .expect("it runs");
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(message.contains("the weights are damaged"), "{message}");
}

/// What README and docs/learners.md say of the files in `nets/`: every one of them.
#[test]
fn the_networks_that_come_with_the_house_are_certified() {
    let lab = Lab::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../nets");
    // From how many positions mate is not forced, and from how many it is not the shortest.
    let claims = [
        ("kqk.safetensors", "KQK", 0, 0),
        ("krk.safetensors", "KRK", 0, 0),
        ("kbbk.safetensors", "KBBK", 0, 0),
        ("kbbk-pure.safetensors", "KBBK", 0, 0),
        ("kbbk-play.safetensors", "KBBK", 0, 8),
        ("kbnk.safetensors", "KBNK", 0, 0),
        ("kbnk-pure.safetensors", "KBNK", 0, 0),
        // Made for a search with a clock and a history, which is no policy: looking two plies ahead
        // without them it goes in circles nearly everywhere.
        ("kbnk.ltn", "KBNK", 10_822_184 - 17_816, 10_822_184 - 16_072),
    ];
    let files = std::fs::read_dir(folder).expect("a folder");
    // These play whole games: there is nothing to certify.
    let of_chess = ["imitation.safetensors", "zero.safetensors"];
    let mut files: Vec<String> = files
        .map(|file| {
            file.expect("a file")
                .file_name()
                .into_string()
                .expect("text")
        })
        .filter(|name| !of_chess.contains(&name.as_str()))
        .collect();
    files.sort();
    let mut named = claims.map(|(file, ..)| file);
    named.sort();
    assert_eq!(files, named, "a network without a claim");
    for (file, endgame, lost, longer_than_best) in claims {
        let path = format!("{folder}/{file}");
        let size = std::fs::metadata(&path).expect("a file").len();
        assert!(size <= 1_000_000, "{file} has {size} bytes");
        let player = match file.ends_with(".ltn") {
            true => format!("minimax:net={path},depth=2,history=off"),
            false => format!("net:{path}"),
        };
        let certificate = lab.json(&["certify", &player, endgame, "--json", "--games", "0"]);
        let number = |field: &str| certificate[field].as_f64().expect("a number");
        let not_forced = number("won_positions") - number("forced_mates");
        let longer = (1.0 - number("optimal_share")) * number("won_positions");
        assert_eq!(
            (not_forced.round() as u64, longer.round() as u64),
            (lost, longer_than_best),
            "{player}"
        );
    }
}

#[test]
fn small_networks_train_search_and_are_files() {
    let lab = Lab::new();
    for (recipe, change) in [("samadi-net", "positions=300"), ("tiny-net", "batch=256")] {
        let run = lab.path(recipe);
        let run = run.to_str().expect("a readable path");
        let args = ["train", recipe, "--endgame", "KQK", "--episodes", "300"];
        let said = lab.ok(&[&args[..], &["--set", change, "--out", run]].concat());
        assert!(
            said.contains("300 batches, ") && said.contains(" bytes of weights"),
            "{said}"
        );
        let file = lab.path(recipe).join("network.ltn");
        let file = file.to_str().expect("a readable path");
        // By itself, to a depth, against the clock, and as a file for the search.
        for white in [
            format!("run:{run}"),
            format!("run:{run},depth=4"),
            format!("run:{run},game=0.02"),
            format!("minimax:net={file},game=0.02"),
        ] {
            let args = [
                "match",
                "--white",
                &white,
                "--black",
                "perfect",
                "--endgame",
                "KQK",
            ];
            let played = lab.json(&[&args[..], &["--won", "--games", "4", "--json"]].concat());
            let count = |ending: &str| played[ending]["games"].as_u64().unwrap_or(0);
            assert_eq!(count("wins") + count("draws"), 4, "{white}: {played}");
            // How many of them are won against the clock depends on the machine; to a depth, not.
            if white.contains("depth=") {
                assert_eq!(count("wins"), 4, "{white}: {played}");
            }
        }
        let args = ["certify", "--games", "0", "--json"];
        let player = format!("run:{run},depth=2,history=off");
        let certificate = lab.json(&[&args[..1], &[&player, "KQK"], &args[1..]].concat());
        assert!(certificate["share"].as_f64() > Some(0.0), "{certificate}");
    }
    // What makes no sense is said.
    let run = format!("run:{}", lab.path("tiny-net").display());
    let refused = |player: &str| {
        let args = [
            "match",
            "--white",
            player,
            "--black",
            "random",
            "--endgame",
            "KQK",
        ];
        lab.fails(&args, 2)
    };
    assert!(refused(&format!("{run},game=1,depth=3")).contains("game"));
    assert!(refused(&format!("{run},history=off")).contains("depth"));
    assert!(refused("minimax:game=1,depth=3").contains("depth and history"));
    let damaged = lab.path("damaged.ltn");
    std::fs::write(&damaged, b"LTN1 and nonsense").expect("it can be written");
    let error = refused(&format!("minimax:net={}", damaged.display()));
    assert!(error.contains("not a network"), "{error}");
    let error = lab.fails(
        &[
            "train",
            "samadi-net",
            "--endgame",
            "KBNK",
            "--out",
            "nowhere",
        ],
        1,
    );
    assert!(error.contains("KQK, KRK and KBBK"), "{error}");
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
