//! Every row of every experiment, at the smoke budget.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use papers::{Budget, Cell, PaperError, Report, Running};

/// Tables are solved once for all tests and all runs of them.
fn tables() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tables")
}

fn smoke() -> Running<'static> {
    Running::new(Budget::Smoke, &tables())
}

/// The report without what the clock has put into it.
fn timeless(mut report: Report) -> Report {
    for row in &mut report.rows {
        for recipe in [&mut row.ours, &mut row.best] {
            for measurement in &mut recipe.measurements {
                measurement.seconds = None;
                measurement.origin = None;
            }
        }
    }
    report
}

fn engine_is_there() -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .chain(["/usr/games", "/usr/local/games"].map(PathBuf::from))
        .any(|folder| folder.join("stockfish").is_file())
}

#[test]
fn every_row_of_every_experiment_yields_numbers() {
    let engine = engine_is_there();
    for experiment in papers::all() {
        let report = papers::run(experiment.id, &smoke()).unwrap();
        assert_eq!(report.rows.len(), experiment.rows.len());
        for (row, written) in report.rows.iter().zip(experiment.rows) {
            let name = format!("{} {}", report.id, row.name);
            assert!(!written.ours.is_empty(), "{name}");
            for (recipe, measures) in [(&row.ours, written.ours), (&row.best, written.best)] {
                let cells = recipe.cells();
                assert!(
                    measures.is_empty() || cells.len() == report.columns.len(),
                    "{name}: {} cells",
                    cells.len()
                );
                for measurement in &recipe.measurements {
                    let numbers = measurement.measured.cells.iter().filter_map(Cell::figure);
                    let needs_engine = measurement.settings.contains("uci:");
                    assert!(
                        numbers.clone().count() > 0 || (needs_engine && !engine),
                        "{name}: {measurement:?}"
                    );
                    for figure in numbers {
                        assert!(figure.value.is_finite() && figure.count > Some(0), "{name}");
                        if let Some((low, high)) = figure.interval {
                            assert!(low <= figure.value && figure.value <= high, "{name}");
                        }
                    }
                }
            }
        }
        let html = report.html();
        assert!(
            html.contains("<svg") && !html.contains("NaN"),
            "{}",
            report.id
        );
        assert!(report.markdown().contains(&report.title));
        assert!(Report::from_json(&report.json()).unwrap() == report);
    }
}

#[test]
fn papers_figures_fit_their_tables() {
    let mut ids = HashSet::new();
    for experiment in papers::all() {
        assert!(ids.insert(experiment.id), "{} twice", experiment.id);
        let mut names = HashSet::new();
        for row in experiment.rows {
            assert!(
                names.insert(row.name),
                "{} {} twice",
                experiment.id,
                row.name
            );
            assert!(
                row.paper.is_empty() || row.paper.len() == experiment.columns.len(),
                "{} {}",
                experiment.id,
                row.name
            );
            for measures in [row.ours, row.best] {
                let cells: usize = measures.iter().map(|measure| measure.cells()).sum();
                assert!(cells == 0 || cells == experiment.columns.len());
            }
        }
    }
}

/// What is kept finds its cells by the names of their columns.
#[test]
fn columns_of_an_experiment_have_names_of_their_own() {
    for experiment in papers::all() {
        let mut names: Vec<&str> = experiment.columns.iter().map(|c| c.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{}: {names:?}", experiment.id);
    }
}

#[test]
fn the_same_seed_gives_the_same_figures() {
    let run = |seed, threads| {
        let running = Running {
            seed,
            threads,
            ..smoke()
        };
        let games = timeless(papers::run("y6.5", &running).unwrap());
        let learners = timeless(papers::run("y6.9", &running).unwrap());
        (games, learners)
    };
    assert_eq!(run(1, 1), run(1, 3));
    let ((games, learners), (other_games, other_learners)) = (run(1, 1), run(2, 1));
    assert_ne!(games.rows, other_games.rows);
    assert_ne!(learners.rows, other_learners.rows);
    let tree = |seed| timeless(papers::run("Y6.1", &Running { seed, ..smoke() }).unwrap());
    assert_eq!(tree(3), tree(3));
}

#[test]
fn a_stopped_run_goes_on_where_it_stopped() {
    let out = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let begun = Mutex::new(HashSet::new());
    let watch = |progress: &papers::ExperimentProgress<'_>| {
        begun.lock().unwrap().insert(progress.finished);
        if progress.finished == 3 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let stopped = papers::run(
        "Y6.5",
        &Running {
            out: Some(out.path().to_owned()),
            progress: Some(&watch),
            stop: Some(&stop),
            ..smoke()
        },
    );
    assert!(matches!(stopped, Err(PaperError::Stopped)), "{stopped:?}");
    assert_eq!(*begun.lock().unwrap(), HashSet::from([0, 1, 2, 3]));
    let saved = || out.path().join("measurements").read_dir().unwrap().count();
    assert_eq!(saved(), 3);

    let measured = AtomicUsize::new(0);
    let count = |progress: &papers::ExperimentProgress<'_>| {
        if progress.of == 0 {
            measured.fetch_add(1, Ordering::Relaxed);
        }
    };
    let resume = |seed| {
        measured.store(0, Ordering::Relaxed);
        let running = Running {
            seed,
            out: Some(out.path().to_owned()),
            progress: Some(&count),
            ..smoke()
        };
        papers::run("Y6.5", &running).unwrap()
    };
    let report = resume(1);
    assert_eq!(measured.load(Ordering::Relaxed), 20 - 3);
    assert_eq!(saved(), 20);
    let undisturbed = papers::run("Y6.5", &smoke()).unwrap();
    assert!(timeless(report) == timeless(undisturbed));

    resume(1);
    assert_eq!(measured.load(Ordering::Relaxed), 0);
    resume(2); // other figures, so nothing to use again
    assert_eq!(measured.load(Ordering::Relaxed), 20);
}

#[test]
fn a_damaged_measurement_is_made_again() {
    let out = tempfile::tempdir().unwrap();
    let running = Running {
        out: Some(out.path().to_owned()),
        ..smoke()
    };
    let first = papers::run("Y6.1", &running).unwrap();
    for entry in out.path().join("measurements").read_dir().unwrap() {
        std::fs::write(entry.unwrap().path(), "{\"key\":").unwrap();
    }
    let second = papers::run("Y6.1", &running).unwrap();
    assert!(timeless(first) == timeless(second));
}

#[test]
fn reports_are_written_whole() {
    let out = tempfile::tempdir().unwrap();
    let report = papers::run("Y6.1", &smoke()).unwrap();
    papers::write_report(&report, out.path()).unwrap();
    let mut names: Vec<String> = out
        .path()
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["Y6.1.html", "Y6.1.json", "Y6.1.md"]);
    let json = std::fs::read_to_string(out.path().join("Y6.1.json")).unwrap();
    assert!(Report::from_json(&json).unwrap() == report);
}

#[test]
fn an_unknown_id_lists_the_known_ones() {
    let error = papers::run("Z9", &smoke()).unwrap_err().to_string();
    assert!(
        error.contains("'Z9'") && error.contains("Y6.1, Y6.2"),
        "{error}"
    );
}
