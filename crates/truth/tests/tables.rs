//! Tables on disk: what is written reads back, and what is damaged is refused.

use std::path::Path;

use rayon::prelude::*;
use rules::{Board, Color, Material};
use truth::{Problem, Solver, Table, Tablebase};

fn saved(
    material: &str,
    board: Board,
    folder: &Path,
) -> (std::path::PathBuf, std::sync::Arc<truth::Solved>) {
    let material: Material = material.parse().expect(material);
    let mut solver = Solver::with_folder(board, folder);
    let solved = solver.solve(material, &|_| true).expect("it can be solved");
    let name = if board.is_standard() {
        format!("{material}.lucena")
    } else {
        format!("{material}-{0}x{0}.lucena", board.size())
    };
    (folder.join(name), solved)
}

#[test]
fn what_is_written_reads_back() {
    for (material, board) in [("KRK", 8), ("KPK", 8), ("KBNK", 5), ("KQKR", 4), ("KNK", 7)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let board = Board::new(board).expect("a board");
        let (path, solved) = saved(material, board, folder.path());
        let table = Table::open(&path).expect("it opens");
        assert_eq!(table.statistics(), solved.statistics());
        let loaded = table.load().expect("it loads");
        let tablebase = Tablebase::new(folder.path());
        for turn in Color::ALL {
            let ours: Vec<_> = solved.positions(turn).collect();
            assert_eq!(ours, loaded.positions(turn).collect::<Vec<_>>());
            ours.par_iter().for_each(|(position, verdict)| {
                let probed = tablebase.probe(position).expect("a good table");
                assert_eq!(probed, Some(*verdict), "{position}");
            });
        }
    }
}

#[test]
fn a_damaged_table_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, _) = saved("KRK", Board::STANDARD, folder.path());
    let good = std::fs::read(&path).expect("it was written");
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("it can be written");
        Table::open(&path)
            .map(|_| ())
            .expect_err("it must be refused")
            .problem
    };
    assert!(matches!(refused(b""), Problem::Foreign | Problem::Io(_)));
    assert!(matches!(refused(b"GIF89a, not a table"), Problem::Foreign));
    for length in [8, 20, 1000, 4200, good.len() - 1] {
        let problem = refused(&good[..length]);
        assert!(
            matches!(problem, Problem::Length { .. }),
            "{length}: {problem}"
        );
    }
    assert!(matches!(
        refused(&[&good[..], b"x"].concat()),
        Problem::Length { .. }
    ));
    let mut version = good.clone();
    version[8] = 99;
    assert!(matches!(refused(&version), Problem::Version { found: 99 }));
    // One flipped bit anywhere else is found by a checksum.
    for at in (10..good.len()).step_by(good.len() / 200) {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        let problem = refused(&bytes);
        assert!(
            matches!(problem, Problem::Damaged { .. } | Problem::Length { .. }),
            "{at}: {problem}"
        );
    }
    std::fs::write(&path, &good).expect("it can be written");
    assert!(Table::open(&path).is_ok());
}

#[test]
fn a_renamed_table_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, _) = saved("KRK", Board::STANDARD, folder.path());
    std::fs::rename(&path, folder.path().join("KQK.lucena")).expect("it can be renamed");
    let error = Tablebase::new(folder.path())
        .table("KQK".parse().expect("a signature"), Board::STANDARD)
        .expect_err("it must be refused")
        .to_string();
    assert!(
        error.contains("holds KRK on 8×8, not KQK on 8×8"),
        "{error}"
    );
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let solve = |threads: usize| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        pool.install(|| {
            let (path, _) = saved("KRKN", Board::new(6).expect("a board"), folder.path());
            std::fs::read(path).expect("it was written")
        })
    };
    let one = solve(1);
    assert_eq!(one, solve(2));
    assert_eq!(one, solve(5));
}

#[test]
fn a_stopped_solver_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut solver = Solver::with_folder(Board::STANDARD, folder.path());
    let material: Material = "KRK".parse().expect("a signature");
    assert!(solver.solve(material, &|step| step.ply < 9).is_err());
    assert!(Table::open(&folder.path().join("KRK.lucena")).is_err());
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        0
    );
}
