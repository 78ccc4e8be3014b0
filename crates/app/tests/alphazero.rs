//! AlphaZero through the real binary: trained, certified with and without search, and in whole games.

mod support;

use std::path::Path;

use support::Lab;

fn training<'a>(out: &'a Path, episodes: &'a str, settings: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["train", "alphazero", "--episodes", episodes];
    args.extend(["--out", out.to_str().expect("a readable path")]);
    for setting in settings {
        args.extend(["--set", setting]);
    }
    args
}

#[test]
fn what_search_adds_is_certified() {
    let lab = Lab::new();
    let run = lab.path("kqk");
    let small = ["games=48", "group=16", "width=32", "max_moves=20"];
    let mut args = training(&run, "25", &small);
    args.extend(["--endgame", "KQK", "--board", "4"]);
    lab.ok(&args);
    let name = format!("run:{}", run.display());
    let forced = |player: &str| {
        let certificate = lab.json(&["certify", player, "KQK", "--board", "4", "--json"]);
        let share = certificate["share"].as_f64();
        share.unwrap_or_else(|| panic!("{certificate}"))
    };
    let policy = forced(&name);
    let search = forced(&format!("{name},search=puct,simulations=64,history=off"));
    assert!(
        policy > 0.8 && search > policy && search > 0.99,
        "{policy} {search}"
    );
    // The file of weights is the same player, and can be searched with, too.
    let file = format!("net:{}", run.join("weights.safetensors").display());
    assert_eq!(forced(&file), policy);
    // A search that looks at the game is no policy.
    let error = lab.fails(
        &[
            "certify",
            &format!("{name},search=puct"),
            "KQK",
            "--board",
            "4",
        ],
        1,
    );
    assert!(error.contains("history"), "{error}");
    let error = lab.fails(&["certify", &name, "KRK", "--board", "4"], 1);
    assert!(error.contains("it has learned KQK"), "{error}");
}

/// AlphaZero's own search learns, too: less, but far more than nothing.
#[test]
fn upper_confidence_leads_as_well() {
    let lab = Lab::new();
    let share = |name: &str, episodes: &str| {
        let run = lab.path(name);
        let settings = ["games=48", "group=16", "width=32", "max_moves=20"];
        let settings = [&settings[..], &["c=1.25", "drawn=6"]].concat();
        let mut args = training(&run, episodes, &settings);
        args.extend(["--endgame", "KQK", "--board", "4"]);
        lab.ok(&args);
        let name = format!("run:{}", run.display());
        let certificate = lab.json(&["certify", &name, "KQK", "--board", "4", "--json"]);
        certificate["share"].as_f64().expect("a share")
    };
    let (before, after) = (share("before", "1"), share("after", "25"));
    assert!(before < 0.5 && after > 0.8, "{before} {after}");
}

#[test]
fn whole_games_are_learned_and_played() {
    learns_and_plays(&["blocks=c"]);
    learns_and_plays(&["blocks=dense"]);
    learns_and_plays(&["blocks=dense", "scattered=0.5", "c=1.25"]);
}

fn learns_and_plays(kind: &[&str]) {
    let lab = Lab::new();
    let (run, start) = (lab.path("chess"), lab.start());
    let mut tiny = vec![
        "games=6",
        "group=3",
        "plies=20",
        "simulations=4",
        "considered=2",
        "max_moves=10",
        "width=8",
        "batch=16",
        "window_least=32",
    ];
    tiny.extend(kind);
    lab.ok(&training(&run, "3", &tiny));
    let curve = std::fs::read_to_string(run.join("metrics.csv")).expect("a curve");
    assert!(
        curve.contains("self_play/evaluations") && curve.contains("train/policy_loss"),
        "{curve}"
    );
    let start = start.to_str().expect("a readable path");
    let file = format!("net:{}", run.join("weights.safetensors").display());
    for name in [format!("run:{}", run.display()), file] {
        for how in ["", ",search=puct,simulations=4"] {
            let white = format!("{name}{how}");
            #[rustfmt::skip]
            let result = lab.json(&[
                "match", "--white", &white, "--black", "random", "--positions", start, "--games", "2",
                "--rules", "moves=5", "--json",
            ]);
            assert_eq!(result["games"], 2, "{white}");
        }
    }
}

#[test]
fn settings_out_of_range_are_refused_and_leave_nothing() {
    let lab = Lab::new();
    let run = lab.path("run");
    for (setting, code, says) in [
        ("simulations=0", 2, "1 to 100000"),
        ("discount=0.1", 1, "0.5 to 1"),
        ("window_most=1", 1, "window_most"),
        ("restarts=2", 2, "0 to 1"),
        ("scattered=1.5", 2, "0 to 1"),
        ("c=-1", 2, "0 to 100"),
        ("device=tpu", 1, "cpu"),
        ("blocks=xyz", 1, "convolutions"),
    ] {
        let error = lab.fails(&training(&run, "1", &[setting]), code);
        assert!(error.contains(says), "{setting}: {error}");
        assert!(!run.exists(), "{setting}");
    }
}
