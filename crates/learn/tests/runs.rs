//! Runs: their folders, their errors, and what comes back out of them.
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use learn::{
    Control, LearnError, Plan, Policy, RECIPES, Stopped, Task, Which, info, list, resume,
    runs::checkpoint, train,
};
use rules::{Board, Color, Game, RandomPositions, Rules};

fn plan(recipe: &str, episodes: u64) -> Plan {
    let board = Board::new(4).unwrap();
    Plan::new(
        recipe,
        Task::Endgame("KQK".parse().unwrap(), board),
        episodes,
        3,
        &[],
    )
    .unwrap()
}

fn set(name: &str, value: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), value.to_owned())]
}

#[test]
fn a_damaged_checkpoint_falls_back_to_the_one_before_it_and_says_so() {
    let root = tempfile::tempdir().unwrap();
    let whole = root.path().join("whole");
    train(&plan("ypma-q", 3_000), &whole, Control::default()).unwrap();
    let newest = checkpoint::all(&whole)[0].clone();
    let sound = fs::read(&newest).unwrap();
    for damage in ["flipped", "cut", "empty"] {
        let mut bytes = sound.clone();
        match damage {
            "flipped" => bytes[sound.len() / 2] ^= 1,
            "cut" => bytes.truncate(sound.len() / 2),
            _ => bytes.clear(),
        }
        fs::write(&newest, bytes).unwrap();
        let mut notices = Vec::new();
        let control = Control {
            notice: Some(&mut |text: &str| notices.push(text.to_owned())),
            ..Control::default()
        };
        let summary = resume(&whole, control).unwrap();
        assert_eq!(summary.progressed.episodes, 3_000);
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].contains("damaged") && notices[0].contains("the one before"));
        assert!(fs::read(&newest).unwrap() == sound, "{damage}");
    }
}

#[test]
fn two_programs_cannot_work_on_one_run() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("run");
    let mut refused = 0;
    let control = Control {
        progress: Some(&mut |_: &learn::RunProgress| {
            let second = resume(&folder, Control::default());
            assert!(matches!(second, Err(LearnError::Busy(_))), "{second:?}");
            refused += 1;
        }),
        ..Control::default()
    };
    train(&plan("ypma-q", 3_000), &folder, control).unwrap();
    assert!(refused > 0);
    resume(&folder, Control::default()).unwrap();
}

#[test]
fn a_run_pauses_where_it_is_told_to_and_its_plan_stays() {
    let root = tempfile::tempdir().unwrap();
    let (whole, paused) = (root.path().join("whole"), root.path().join("paused"));
    let plan = plan("ypma-q", 1_000);
    train(&plan, &whole, Control::default()).unwrap();
    // At a point of the curve, between two, at a checkpoint, twice at the same place, and beyond the end.
    let mut ends = [30, 137, 300, 300, 5_000].into_iter();
    let until = |until| Control {
        until: Some(until),
        ..Control::default()
    };
    let mut summary = train(&plan, &paused, until(ends.next().unwrap())).unwrap();
    assert_eq!(
        (summary.stopped, summary.progressed.episodes),
        (Stopped::Paused, 30)
    );
    for end in ends {
        summary = resume(&paused, until(end)).unwrap();
        assert_eq!(summary.progressed.episodes, end.min(1_000));
        assert_eq!(summary.stopped == Stopped::Paused, end < 1_000);
    }
    assert_eq!(summary.stopped, Stopped::Episodes);
    let last = |run: &Path| fs::read(&checkpoint::all(run)[0]).unwrap();
    assert!(last(&whole) == last(&paused));
    let curve = |run: &Path| fs::read_to_string(run.join("metrics.csv")).unwrap();
    assert_eq!(curve(&whole), curve(&paused));
    assert_eq!(Plan::read(&paused).unwrap(), plan);
}

#[test]
fn a_cancelled_run_goes_on_where_it_stopped() {
    let root = tempfile::tempdir().unwrap();
    let (whole, stopped) = (root.path().join("whole"), root.path().join("stopped"));
    let plan = plan("deolalikar-q-lambda", 2_000);
    train(&plan, &whole, Control::default()).unwrap();

    let cancel = AtomicBool::new(true); // before the first game
    let control = || Control {
        cancel: Some(&cancel),
        ..Control::default()
    };
    let summary = train(&plan, &stopped, control()).unwrap();
    assert_eq!(
        (summary.stopped, summary.progressed.episodes),
        (Stopped::Cancelled, 0)
    );
    cancel.store(false, Ordering::Relaxed);
    let summary = resume(&stopped, control()).unwrap();
    assert_eq!(summary.stopped, Stopped::Episodes);
    let last = |run: &Path| fs::read(&checkpoint::all(run)[0]).unwrap();
    assert!(last(&whole) == last(&stopped));
    // Resuming a run that is complete changes nothing.
    let again = resume(&whole, Control::default()).unwrap();
    assert_eq!(again.progressed.episodes, 2_000);
    assert!(last(&whole) == last(&stopped));
}

#[test]
fn unknown_names_are_refused_with_those_there_are() {
    let material = "KRK".parse().unwrap();
    let new = |recipe: &str, changes: &[(String, String)]| {
        Plan::new(
            recipe,
            Task::Endgame(material, Board::STANDARD),
            10,
            1,
            changes,
        )
        .map_err(|e| e.to_string())
    };
    let error = new("ypma-q", &set("alfa", "0.1")).unwrap_err();
    assert!(
        error.contains("alfa") && error.contains("alpha") && error.contains("gamma"),
        "{error}"
    );
    let error = new("ypma-p", &[]).unwrap_err();
    assert!(
        error.contains("ypma-p") && error.contains("two-bounds"),
        "{error}"
    );
    let error = new("ypma-q", &set("alpha", "much")).unwrap_err();
    assert!(error.contains("alpha = much"), "{error}");
    let error = new("ypma-q", &set("symmetry", "half")).unwrap_err();
    assert!(error.contains("half") && error.contains("flips"), "{error}");
    let changed = new("ypma-q", &set("gamma", "1")).unwrap();
    assert_eq!(changed.settings["gamma"].as_float(), Some(1.0));

    // Also in the file itself.
    let root = tempfile::tempdir().unwrap();
    train(&plan("ypma-q", 10), root.path(), Control::default()).unwrap();
    let file = root.path().join("run.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("alpha", "alfa")).unwrap();
    let error = resume(root.path(), Control::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("alfa"), "{error}");
}

#[test]
fn folders_without_a_run_and_folders_with_one_are_told_apart() {
    let root = tempfile::tempdir().unwrap();
    assert!(matches!(
        resume(root.path(), Control::default()),
        Err(LearnError::NoRun { .. })
    ));
    assert!(matches!(
        Policy::load(root.path(), Which::Best),
        Err(LearnError::NoRun { .. })
    ));
    let run = root.path().join("a run");
    train(&plan("two-bounds", 50), &run, Control::default()).unwrap();
    assert!(matches!(
        train(&plan("two-bounds", 50), &run, Control::default()),
        Err(LearnError::RunExists(_))
    ));
    assert_eq!(list(root.path()).len(), 1);
    let info = info(&run).unwrap();
    assert_eq!(info.plan.recipe, "two-bounds");
    assert_eq!(info.progressed.unwrap().episodes, 50);
}

#[test]
fn a_run_reports_evaluates_and_stops_early() {
    let root = tempfile::tempdir().unwrap();
    let mut plan = plan("ypma-q", 50_000);
    plan.evaluate_against = vec!["random".into(), "self".into()];
    plan.evaluate_every = 1_000;
    plan.report_every = 500;
    plan.stop_at = Some(0.95);
    plan.stop_after = 2;
    let mut told = 0;
    let control = Control {
        progress: Some(&mut |_| told += 1),
        ..Control::default()
    };
    let summary = train(&plan, root.path(), control).unwrap();
    assert_eq!(summary.stopped, Stopped::Early);
    assert!(summary.progressed.episodes < 50_000);
    assert!(told > 0);
    let csv = fs::read_to_string(root.path().join("metrics.csv")).unwrap();
    let head = csv.lines().next().unwrap();
    assert!(
        head.ends_with("evaluation/random,evaluation/self"),
        "{head}"
    );
    assert_eq!(
        csv.lines().count() as u64,
        1 + summary.progressed.episodes / 500
    );
    assert!(root.path().join("best").exists());
    let events = fs::read(root.path().join("events.out.tfevents.lucena")).unwrap();
    let scalars = learn::runs::tensorboard::read(&events);
    assert!(
        scalars
            .iter()
            .any(|s| s.tag == "evaluation/random" && s.value > 0.5)
    );
}

#[test]
fn a_run_is_a_player_of_either_colour() {
    let root = tempfile::tempdir().unwrap();
    // Networks are for the full board, and tested elsewhere.
    let tables = |recipe: &&learn::Recipe| recipe.learns == learn::Learns::Tables;
    for recipe in RECIPES.iter().filter(tables) {
        let folder = root.path().join(recipe.name);
        train(&plan(recipe.name, 3_000), &folder, Control::default()).unwrap();
        let mut registry = play::Registry::new(std::sync::Arc::new(Nobody));
        learn::register(&mut registry);
        let spec = registry
            .parse(&format!("run:{}", folder.display()))
            .unwrap();
        let mut player = spec.player(1);
        let board = Board::new(4).unwrap();
        for (material, seed) in [("KQK", 1), ("KKQ", 2)] {
            let positions = RandomPositions::new(material.parse().unwrap(), board, None, seed);
            for position in positions.take(200) {
                let game = Game::new(position.clone(), Rules::default());
                match player.choose(&game, &play::Limits::NONE) {
                    Ok(choice) => assert!(position.is_legal(choice.mv), "{position}"),
                    Err(error) => assert!(position.legal_moves().is_empty(), "{error}"),
                }
            }
        }
        let other = RandomPositions::new("KRK".parse().unwrap(), board, Some(Color::White), 1);
        let game = Game::new(other.into_iter().next().unwrap(), Rules::default());
        let error = player
            .choose(&game, &play::Limits::NONE)
            .unwrap_err()
            .to_string();
        assert!(error.contains("it has learned KQK on 4×4"), "{error}");
    }
    let registry = {
        let mut registry = play::Registry::new(std::sync::Arc::new(Nobody));
        learn::register(&mut registry);
        registry
    };
    let error = registry
        .parse("run:nowhere/at-all")
        .unwrap_err()
        .to_string();
    assert!(error.contains("holds no run"), "{error}");
}

/// An oracle that knows nothing: the learners must not need one.
struct Nobody;

impl truth::Oracle for Nobody {
    fn probe(&self, _: &rules::Position) -> Option<truth::Verdict> {
        None
    }
}

/// Progress is told several times a second, however short the steps between points of the curve.
#[test]
fn progress_is_told_while_games_are_short() {
    let folder = tempfile::tempdir().unwrap();
    let material = "KQK".parse().unwrap();
    let mut plan = Plan::new(
        "ypma-q",
        Task::Endgame(material, Board::new(4).unwrap()),
        100_000_000,
        1,
        &[],
    )
    .unwrap();
    plan.report_every = 100;
    let cancel = AtomicBool::new(false);
    let mut told = 0;
    let mut progress = |_: &learn::RunProgress| {
        told += 1;
        cancel.store(told >= 2, Ordering::Relaxed);
    };
    let control = Control {
        progress: Some(&mut progress),
        cancel: Some(&cancel),
        ..Control::default()
    };
    let summary = train(&plan, folder.path(), control).unwrap();
    assert_eq!(summary.stopped, Stopped::Cancelled);
    assert!(told >= 2);
}

/// Long work inside an episode looks at the flag: it gives up, nothing half-learned is kept, and the
/// run ends as one that was never disturbed.
#[test]
fn a_stop_inside_an_episode_leaves_the_last_checkpoint() {
    let root = tempfile::tempdir().unwrap();
    let (whole, broken) = (root.path().join("whole"), root.path().join("broken"));
    let plan = plan("two-bounds", 2_000);
    train(&plan, &whole, Control::default()).unwrap();
    let stop = AtomicBool::new(true);
    // Stopped before its first game, …
    let control = || Control {
        cancel: Some(&stop),
        ..Control::default()
    };
    let summary = train(&plan, &broken, control()).unwrap();
    assert_eq!(summary.stopped, Stopped::Cancelled);
    // … and every learner gives up when the flag is set.
    for recipe in RECIPES.iter().filter(learns_endgames) {
        let task = Task::Endgame("KQK".parse().unwrap(), Board::STANDARD);
        let plan = Plan::new(recipe.name, task, 10, 1, &[]).unwrap();
        let mut learner = plan.learner(None).unwrap();
        if let Some(learner) = learner.endgame_learner_mut() {
            learner.teach(tables());
        }
        let stopped = matches!(learner.episode(&stop), Err(LearnError::Stopped));
        assert!(stopped, "{}", recipe.name);
    }
    resume(&broken, Control::default()).unwrap();
    let end = |run: &std::path::Path| {
        let newest = checkpoint::all(run).remove(0);
        let files = [newest, run.join("metrics.csv")];
        files.map(|file| fs::read(file).unwrap())
    };
    assert_eq!(end(&whole), end(&broken));
}

/// The exact tables of the endgame these runs are about.
fn tables() -> std::sync::Arc<dyn truth::Oracle> {
    static FOLDER: std::sync::OnceLock<tempfile::TempDir> = std::sync::OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().unwrap());
    let tables = truth::Tablebase::new(folder.path());
    tables
        .ensure("KQK".parse().unwrap(), Board::STANDARD, &|_| true)
        .unwrap();
    std::sync::Arc::new(tables)
}

/// Knows a few exact answers, and counts how often it is asked.
struct Counting {
    tables: truth::Tablebase,
    asked: std::sync::atomic::AtomicU64,
}

impl truth::Oracle for Counting {
    fn probe(&self, position: &rules::Position) -> Option<truth::Verdict> {
        self.asked
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        truth::Oracle::probe(&self.tables, position)
    }
}

/// Whoever starts a run hands it the tables; only a recipe that says so by name gets to ask them.
#[test]
fn a_learner_that_is_not_taught_never_asks_the_teacher() {
    let root = tempfile::tempdir().unwrap();
    let material = "KQK".parse().unwrap();
    for recipe in RECIPES.iter().filter(learns_endgames) {
        // Small networks know the full board only.
        let small = ["tiny-net", "samadi-net"].contains(&recipe.name);
        let board = Board::new(if small { 8 } else { 4 }).unwrap();
        let tables = truth::Tablebase::new(root.path());
        tables.ensure(material, board, &|_| true).unwrap();
        let teacher = std::sync::Arc::new(Counting {
            tables,
            asked: 0.into(),
        });
        let known = recipe.settings(&[]).unwrap();
        let small = [
            ("width", "8"),
            ("layers", "1"),
            ("batch", "16"),
            ("positions", "50"),
            ("channels", "2"),
            ("steps", "32"),
            ("games", "8"),
            ("simulations", "4"),
            ("plies", "2"),
        ];
        let changes: Vec<(String, String)> = small
            .into_iter()
            .filter(|(name, _)| known.contains_key(*name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let plan = Plan::new(recipe.name, Task::Endgame(material, board), 20, 1, &changes).unwrap();
        let control = Control {
            teacher: Some(teacher.clone()),
            ..Control::default()
        };
        train(&plan, &root.path().join(recipe.name), control).unwrap();
        let asked = teacher.asked.load(std::sync::atomic::Ordering::Relaxed);
        assert_eq!(
            asked > 0,
            recipe.taught,
            "{} asked {asked} times",
            recipe.name
        );
        assert_eq!(
            std::sync::Arc::strong_count(&teacher),
            1,
            "{} keeps it",
            recipe.name
        );
    }
}

/// Those that learn endgames, whatever else they learn.
fn learns_endgames(recipe: &&learn::Recipe) -> bool {
    let task = Task::Endgame("KQK".parse().unwrap(), Board::STANDARD);
    let plan = Plan::new(recipe.name, task, 10, 1, &[]);
    plan.and_then(|plan| plan.learner(None)).is_ok()
}
