use std::{
    io::Write as _,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::bail;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use learn::games::{Counted, ImportProgress, Summary};
use serde_json::json;

use super::Which;
use crate::{
    progress::{interrupt_flag, watch_for_interrupt},
    solve::grouped,
};

/// Read PGN files into one compact file of games
///
/// PGN may be plain or packed (zstd, gzip, bzip2, zip), of any size: it is read on all cores in little
/// memory. Games that cannot be read are skipped and counted by reason. An import that was
/// interrupted goes on when the same command is given again. The file is the same whatever the number
/// of threads.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena games import masters.pgn.zst --out masters.games\n  lucena games import lichess_db_standard_rated_2013-01.pgn.zst --out 2013-01.games --rating 1800.. --plies 20.. --not-event bullet"
)]
pub struct Import {
    /// PGN files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file of games to make
    #[arg(long, value_name = "DATA")]
    out: PathBuf,
    /// Drop games with the same moves as an earlier one (they are counted in any case)
    #[arg(long)]
    drop_duplicates: bool,
    /// Overwrite DATA, and forget an unfinished import
    #[arg(long)]
    force: bool,
    /// Threads; 0 takes one per processor
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

impl Import {
    pub fn run(self) -> anyhow::Result<()> {
        let import = learn::games::Import {
            files: self.files,
            out: self.out.clone(),
            filter: self.which.filter(),
            drop_duplicates: self.drop_duplicates,
            force: self.force,
            threads: NonZeroUsize::new(self.threads),
        };
        let begun = Instant::now();
        let bar = ImportBar::new();
        let summary = import.run(&mut |progress| bar.step(progress), interrupt_flag())?;
        drop(bar);
        let seconds = begun.elapsed().as_secs_f64();
        let report = &summary.report;
        let bytes = self.out.metadata()?.len();
        if report.read == 0 {
            // Nobody can use a file without a game, and it would be in the way.
            std::fs::remove_file(&self.out)?;
        } else if self.json {
            let mut value = serde_json::to_value(&summary)?;
            value["seconds"] = json!(seconds);
            value["games_per_second"] = json!(report.read as f64 / seconds);
            value["bytes"] = json!(bytes);
            writeln!(std::io::stdout().lock(), "{value:#}")?;
        } else {
            print(&summary, &self.out, bytes, seconds, self.drop_duplicates)?;
        }
        if let Some(damage) = report.damaged.first() {
            bail!(
                "{} cannot be read to its end: {} after {} bytes of text{}",
                damage.source,
                damage.why,
                grouped(damage.bytes),
                if report.read > 0 {
                    format!("; the games before that are in {}", self.out.display())
                } else {
                    String::new()
                }
            );
        }
        if report.read == 0 {
            bail!("there is no game to be found");
        }
        Ok(())
    }
}

fn print(
    summary: &Summary,
    file: &Path,
    bytes: u64,
    seconds: f64,
    dropped: bool,
) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let report = &summary.report;
    writeln!(
        out,
        "{}: {} games, {} positions in {} bytes ({:.2} a position)",
        file.display(),
        grouped(summary.games),
        grouped(summary.positions),
        grouped(bytes),
        bytes as f64 / summary.positions.max(1) as f64,
    )?;
    writeln!(
        out,
        "  read        {:>11}  games in {seconds:.1} s, {} a second",
        grouped(report.read),
        grouped((report.read as f64 / seconds) as u64),
    )?;
    for (sieve, count) in &report.filtered {
        writeln!(out, "  filtered    {:>11}  by {sieve}", grouped(*count))?;
    }
    for (reason, counted) in &report.broken {
        writeln!(
            out,
            "  broken      {:>11}  {reason}",
            grouped(counted.count)
        )?;
        print_first(&mut out, counted)?;
    }
    for (remark, counted) in &report.remarks {
        writeln!(
            out,
            "  odd         {:>11}  {remark}",
            grouped(counted.count)
        )?;
        print_first(&mut out, counted)?;
    }
    writeln!(
        out,
        "  duplicates  {:>11}  {}",
        grouped(summary.duplicates),
        if dropped {
            "dropped"
        } else {
            "kept (--drop-duplicates drops them)"
        }
    )?;
    Ok(())
}

fn print_first(out: &mut impl std::io::Write, counted: &Counted) -> anyhow::Result<()> {
    let first = &counted.first;
    writeln!(
        out,
        "                           first: {}, game {}, line {}: {}",
        first.source,
        grouped(first.game),
        grouped(first.line),
        first.what
    )?;
    Ok(())
}

/// Shows how much has been read.
struct ImportBar {
    bar: ProgressBar,
}

impl ImportBar {
    fn new() -> ImportBar {
        watch_for_interrupt();
        let bar = ProgressBar::new(0);
        bar.set_style(
            ProgressStyle::with_template(
                "{bar:30} {bytes}/{total_bytes}, {msg} games {elapsed} (left {eta})",
            )
            .expect("the template is well-formed"),
        );
        bar.enable_steady_tick(Duration::from_millis(100));
        ImportBar { bar }
    }

    fn step(&self, progress: ImportProgress) {
        self.bar.set_length(progress.of);
        self.bar.set_position(progress.bytes);
        self.bar.set_message(grouped(progress.games));
    }
}

impl Drop for ImportBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
