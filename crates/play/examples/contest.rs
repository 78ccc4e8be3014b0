//! Two players meet in random won positions of an endgame:
//!
//!     cargo run --release -p lucena-play --example contest -- minimax:depth=6 perfect KBNK 1000 1
//!
//! The arguments are white, black, the endgame, the number of games, the seed and the number of
//! threads (all processors unless given). Exact tables are made in the folder named by
//! `LUCENA_TABLES`, or in the system's folder for temporary files.

use std::{env, error::Error, sync::Arc, time::Instant};

use play::{Ending, Match, Openings, Registry, Running};
use rules::{Board, Material};
use truth::{Oracle, Tablebase};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let argument = |i: usize, default: &str| {
        arguments
            .get(i)
            .map_or_else(|| default.to_owned(), Clone::clone)
    };
    let folder = env::var_os("LUCENA_TABLES")
        .map_or_else(|| env::temp_dir().join("lucena-tables"), Into::into);
    std::fs::create_dir_all(&folder)?;
    let tables = Tablebase::new(&folder);
    let material: Material = argument(2, "KRK").parse()?;
    tables.ensure(material, Board::STANDARD, &|_| true)?;
    let oracle: Arc<dyn Oracle> = Arc::new(tables);
    let registry = Registry::new(oracle.clone());
    let contest = Match {
        seed: argument(4, "1").parse()?,
        ..Match::new(
            registry.parse(&argument(0, "minimax:depth=6"))?,
            registry.parse(&argument(1, "perfect"))?,
            Openings::random_won(material, Board::STANDARD, oracle.clone()),
            argument(3, "1000").parse()?,
        )
    };
    let clock = Instant::now();
    let result = contest.run(Running {
        threads: argument(5, "0").parse()?,
        oracle: Some(&*oracle),
        ..Running::default()
    })?;
    let seconds = clock.elapsed().as_secs_f64();
    let statistics = &result.statistics;
    let wins = statistics.share(Ending::Win);
    println!(
        "{} against {} in {material}, {} games: {:.1} % won (95 %: {:.1} to {:.1})",
        contest.first,
        contest.second,
        wins.of,
        100.0 * wins.share,
        100.0 * wins.low,
        100.0 * wins.high
    );
    for ending in [Ending::Win, Ending::Draw, Ending::Loss] {
        for (reason, count) in statistics.by_reason(ending) {
            println!("  {ending:?} by {reason}: {count}");
        }
    }
    if let Some(mates) = statistics.moves_to_mate() {
        println!(
            "  moves to mate: mean {:.1} ± {:.1}, median {}, longest {}",
            mates.mean, mates.error, mates.median, mates.greatest
        );
    }
    if let Some(excess) = statistics.excess_moves() {
        println!(
            "  moves beyond the optimum: mean {:.1}, median {}, greatest {}",
            excess.mean, excess.median, excess.greatest
        );
    }
    for record in result.records.iter().filter(|r| r.winner.is_none()).take(3) {
        println!("  {} {} {}", record.start, record.reason, record.moves);
    }
    let plies: u64 = result.records.iter().map(|r| u64::from(r.plies)).sum();
    println!(
        "  {seconds:.1} s, {:.2} ms a ply",
        1e3 * seconds / plies as f64
    );
    Ok(())
}
