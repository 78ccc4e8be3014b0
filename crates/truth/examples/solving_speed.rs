//! How fast endgames are solved and probed:
//!
//!     cargo run --release -p lucena-truth --example solving_speed [--five]
//!
//! Prints one JSON object. `--five` adds KRPKR with everything it depends on (minutes).

use std::{hint::black_box, time::Instant};

use rules::{Board, Material, Position, RandomPositions};
use truth::{Solver, Tablebase};

/// The best of several runs: what the machine can do when nothing else disturbs it.
fn seconds_to_solve(material: &str) -> f64 {
    let material: Material = material.parse().expect("a signature");
    (0..5)
        .map(|_| {
            let mut solver = Solver::new(Board::STANDARD);
            solver.solve(material, &|_| true).expect("it can be solved");
            let report = solver.reports().last().expect("it was solved just now");
            report.solve.as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    let threads = rayon::current_num_threads();
    let (kbnk, kqkr) = (seconds_to_solve("KBNK"), seconds_to_solve("KQKR"));

    let folder = tempfile::tempdir().expect("a temporary folder");
    let start = Instant::now();
    let mut solver = Solver::with_folder(Board::STANDARD, folder.path());
    for material in (3..=4).flat_map(Material::all) {
        solver.solve(material, &|_| true).expect("it can be solved");
    }
    let all = start.elapsed().as_secs_f64();
    let bytes: u64 = solver.reports().iter().map(|report| report.bytes).sum();
    drop(solver);

    let tablebase = Tablebase::new(folder.path());
    let material: Material = "KBNK".parse().expect("a signature");
    let positions: Vec<Position> = RandomPositions::new(material, Board::STANDARD, None, 1)
        .take(200_000)
        .collect();
    // The first round unpacks the blocks, the second one is warm.
    let mut probe = 0.0;
    for _ in 0..2 {
        let start = Instant::now();
        for position in &positions {
            black_box(tablebase.probe(position).expect("a good table"));
        }
        probe = start.elapsed().as_nanos() as f64 / positions.len() as f64;
    }

    let five = std::env::args().any(|arg| arg == "--five").then(|| {
        let start = Instant::now();
        let mut solver = Solver::with_folder(Board::STANDARD, folder.path());
        solver
            .solve("KRPKR".parse().expect("a signature"), &|_| true)
            .expect("it can be solved");
        let report = solver.reports().last().expect("it was solved just now");
        (report.solve.as_secs_f64(), start.elapsed().as_secs_f64())
    });
    let (krpkr, krpkr_all) = five.unzip();
    let number = |n: Option<f64>| n.map_or("null".to_owned(), |n| format!("{n:.1}"));
    println!(
        "{{\"threads\": {threads}, \"kbnk_seconds\": {kbnk:.3}, \"kqkr_seconds\": {kqkr:.3}, \
         \"all_35_solved_and_saved_seconds\": {all:.1}, \"all_35_bytes\": {bytes}, \
         \"warm_probe_nanoseconds\": {probe:.0}, \"krpkr_seconds\": {}, \
         \"krpkr_with_successors_and_saving_seconds\": {}}}",
        number(krpkr),
        number(krpkr_all)
    );
}
