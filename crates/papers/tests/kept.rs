//! Measurements that stay.

use std::{fs, path::Path};

use papers::{Budget, Cell, Figure, Kept, Kind, Report, Running};

/// The folder of the project's own measurements.
fn project() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../measurements"))
}

/// Two rows of Y6.1 whose measurement takes a moment, measured.
fn measured(budget: Budget, seed: u64, rows: &str) -> Report {
    let tables = tempfile::tempdir().expect("a folder");
    let running = Running {
        seed,
        rows: Some(rows.into()),
        machine: "a test".into(),
        ..Running::new(budget, tables.path())
    };
    papers::run("Y6.1", &running).expect("it can be measured")
}

/// The first figure of a kept row, and the seed that it came from.
fn first(kept: &Kept, row: &str, kind: Kind) -> Option<(f64, u64)> {
    let mut found = kept.runs.iter().flat_map(|run| {
        let rows = run.rows.iter();
        let rows = rows.filter(|kept| kept.row == row && kept.kind == kind);
        rows.map(|kept| {
            (
                kept.cells[0].cell.figure().expect("a figure").value,
                run.origin.seed,
            )
        })
    });
    let first = found.next();
    assert!(found.next().is_none(), "{row} is kept twice");
    first
}

#[test]
fn what_the_project_keeps_makes_sense_and_is_in_the_program() {
    let mut files = Vec::new();
    for experiment in papers::all() {
        let kept = Kept::read(experiment, project()).unwrap();
        let kept = kept.unwrap_or_else(|| panic!("nothing is kept of {}", experiment.id));
        let name = format!("{}.json", experiment.id);
        // Written by hand or by the program, a file has one form only.
        let text = fs::read_to_string(project().join(&name)).unwrap();
        assert!(
            kept.json() == text,
            "{name} is not as the program writes it"
        );
        assert_eq!(Kept::built_in(experiment).unwrap().as_ref(), Some(&kept));
        for run in &kept.runs {
            let origin = &run.origin;
            assert!(origin.command.starts_with("lucena "), "{origin:?}");
            assert!(origin.budget > Budget::Smoke, "{origin:?}");
            assert!(!origin.version.is_empty() && !origin.machine.is_empty());
            let date: Vec<&str> = origin.date.split('-').collect();
            assert!(matches!(date[..], [y, m, d] if (y.len(), m.len(), d.len()) == (4, 2, 2)));
            for row in &run.rows {
                for cell in &row.cells {
                    if let Cell::Figure(Figure {
                        value,
                        interval: Some((low, high)),
                        ..
                    }) = cell.cell
                    {
                        assert!(
                            low <= value && value <= high,
                            "{name}, {}: {cell:?}",
                            row.row
                        );
                    }
                }
            }
        }
        let report = kept.report(experiment).unwrap();
        assert_eq!(report.rows.len(), experiment.rows.len());
        for row in &report.rows {
            for kind in Kind::MEASURED {
                let cells = row.recipe(kind).unwrap().cells().len();
                assert!(
                    cells == 0 || cells == experiment.columns.len(),
                    "{name}, {}",
                    row.name
                );
            }
        }
        files.push(name);
    }
    let others = fs::read_dir(project()).unwrap();
    let others = others.map(|file| file.unwrap().file_name().into_string().unwrap());
    let others: Vec<String> = others.filter(|name| !files.contains(name)).collect();
    assert!(others.is_empty(), "of no experiment: {others:?}");
}

#[test]
fn every_table_of_the_first_documents_has_a_grade() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reproduction.md");
    let page = fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let grades = [
        "reproduced",
        "in part",
        "not reproduced",
        "cannot be known",
        "–",
    ];
    for row in rows.iter().filter(|row| row[0] != "table") {
        assert!(row.len() == 4 && grades.contains(&row[2]), "{row:?}");
    }
    // Tables of ours that go beyond the documents need no grade.
    let own = ["Y-games", "Y-dqn-ablation", "S6-all"];
    for experiment in papers::all() {
        let of_them = experiment.id.starts_with(['Y', 'D', 'S']) && !own.contains(&experiment.id);
        let named = |row: &Vec<&str>| {
            let mut names = row[1].split([':', ',', ' ', ';']);
            names.any(|name| name == experiment.id)
        };
        assert!(!of_them || rows.iter().any(named), "{}", experiment.id);
    }
}

#[test]
fn a_row_that_is_measured_again_takes_the_place_of_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = papers::find("Y6.1").unwrap();
    let keep = |report: &Report| papers::keep(report, folder.path()).unwrap();
    let kept = || Kept::read(experiment, folder.path()).unwrap().unwrap();
    // A smoke run shows that it runs, and nothing else.
    let keeping = keep(&measured(Budget::Smoke, 1, "1"));
    assert!(
        keeping.kept.is_empty() && keeping.refused.len() == 2,
        "{keeping:?}"
    );
    assert!(!folder.path().join("Y6.1.json").exists());

    assert_eq!(
        keep(&measured(Budget::Quick, 1, "0")).kept,
        ["0, ours", "0, best"]
    );
    assert_eq!(keep(&measured(Budget::Quick, 1, "1")).kept.len(), 2);
    assert_eq!(kept().runs.len(), 1, "the same origin");
    let (quick, _) = first(&kept(), "1", Kind::Best).unwrap();

    // Measured again, the row is another; its neighbour stays as it is.
    let neighbour = first(&kept(), "0", Kind::Best);
    keep(&measured(Budget::Full, 2, "1"));
    let (full, seed) = first(&kept(), "1", Kind::Best).unwrap();
    assert!(full != quick && seed == 2);
    assert_eq!(first(&kept(), "0", Kind::Best), neighbour);
    assert_eq!(kept().runs.len(), 2);

    // Less work never takes the place of more.
    let keeping = keep(&measured(Budget::Quick, 3, "1"));
    assert!(keeping.kept.is_empty(), "{keeping:?}");
    assert!(keeping.refused[0].contains("1, ours: what is kept is a full measurement"));
    assert_eq!(first(&kept(), "1", Kind::Best), Some((full, 2)));

    // Nor does a row without a figure that of one with it: an engine was not installed.
    let mut poor = measured(Budget::Full, 4, "1");
    poor.rows[0].best.measurements[1].measured.cells[0] = Cell::Missing("no engine".into());
    let keeping = keep(&poor);
    assert_eq!(keeping.kept, ["1, ours"]);
    assert!(keeping.refused[0].contains("1, best: what is kept has a figure for 'KRK'"));
    assert_eq!(first(&kept(), "1", Kind::Best), Some((full, 2)));
    assert_eq!(first(&kept(), "1", Kind::Ours).unwrap().1, 4);
}

#[test]
fn rows_that_are_not_kept_are_said_to_be_not_measured() {
    let experiment = papers::find("Y6.1").unwrap();
    let mut kept = Kept::new(experiment);
    assert_eq!(kept.report(experiment), None);
    kept.take(experiment, &measured(Budget::Quick, 1, "1"));
    let report = kept.report(experiment).unwrap();
    assert_eq!(report.rows.len(), 5);
    assert!(
        report.measured().starts_with("quick, "),
        "{}",
        report.measured()
    );
    assert!(
        report.measured().ends_with(", 2 of 10 measurements"),
        "{}",
        report.measured()
    );
    assert!(report.outdated.is_empty());
    let text = report.markdown();
    assert!(text.contains("| 2 | 114.0 | – (not measured) |"), "{text}");
    assert!(
        text.contains("`lucena paper Y6.1 --budget quick --seed 1`"),
        "{text}"
    );
    assert!(text.contains("a test"), "{text}");
    // Settings that are not those of today are pointed out.
    kept.runs[0].rows[0].settings[0].push_str(", otherwise");
    let report = kept.report(experiment).unwrap();
    assert_eq!(report.outdated, ["1, ours"]);
    assert!(
        report
            .markdown()
            .contains("settings that have changed since: 1, ours")
    );
    assert!(
        report
            .html()
            .contains("settings that have changed since: 1, ours")
    );
}

#[test]
fn a_damaged_file_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Y6.1.json");
    for (text, why) in [
        ("{\"experiment\": \"Y6.1\"", "EOF"),
        (
            "{\"experiment\": \"Y6.2\", \"runs\": []}",
            "they are those of Y6.2",
        ),
    ] {
        fs::write(&path, text).unwrap();
        let error = papers::keep(&measured(Budget::Quick, 1, "0"), folder.path());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("Y6.1") && error.contains(why), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}
