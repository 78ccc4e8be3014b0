use std::{
    io::{BufWriter, Write},
    path::PathBuf,
};

use anyhow::Context as _;
use clap::Args;
use learn::games::{Filter, GameFile};
use serde_json::json;

use super::Which;
use crate::solve::grouped;

/// Write games back as PGN
///
/// Names, dates, ratings, results and moves come back; comments and variations were not kept.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena games export masters.games --limit 1\n  lucena games export masters.games --rating 2700.. --result 1-0 --out best.pgn"
)]
pub struct Export {
    /// A file that 'lucena games import' has made
    data: PathBuf,
    /// Where to write [default: stdout]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write so many games at most
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Print how many games were written as JSON
    #[arg(long, requires = "out")]
    json: bool,
    #[command(flatten)]
    which: Which,
}

/// Parts of the file that are written as text at a time.
const AT_A_TIME: usize = 32;

impl Export {
    pub fn run(self) -> anyhow::Result<()> {
        let file = GameFile::open(&self.data)?;
        let filter = self.which.filter();
        let limit = self.limit.unwrap_or(usize::MAX);
        let Some(path) = &self.out else {
            let mut out = BufWriter::new(std::io::stdout().lock());
            write(&file, &filter, limit, &mut out)?;
            out.flush()?;
            return Ok(());
        };
        let mut games = 0;
        truth::durable::write_with(path, |to| {
            let mut out = BufWriter::new(to);
            games = write(&file, &filter, limit, &mut out).map_err(std::io::Error::other)?;
            out.flush()
        })
        .with_context(|| format!("cannot write {}", path.display()))?;
        let mut stdout = std::io::stdout().lock();
        if self.json {
            writeln!(stdout, "{:#}", json!({ "games": games, "out": path }))?;
        } else {
            writeln!(
                stdout,
                "{} games written to {}",
                grouped(games as u64),
                path.display()
            )?;
        }
        Ok(())
    }
}

/// Writes the games that are wanted, and says how many they are.
fn write(
    file: &GameFile,
    filter: &Filter,
    limit: usize,
    out: &mut impl Write,
) -> anyhow::Result<usize> {
    use rayon::prelude::*;
    let mut written = 0;
    for first in (0..file.parts().len()).step_by(AT_A_TIME) {
        // As many games of each part as may still be wanted; those too many fall away below.
        let left = limit - written;
        if left == 0 {
            break;
        }
        let texts: Vec<Vec<String>> = file
            .parts()
            .skip(first)
            .take(AT_A_TIME)
            .map(|part| {
                let names = part.names()?;
                part.games()
                    .enumerate()
                    .map(|(i, game)| (game, names.of(i)))
                    .filter(|(game, names)| filter.wants(game.header(), *names))
                    .take(left)
                    .map(|(game, names)| Ok(game.pgn(names)?.to_string()))
                    .collect()
            })
            .collect::<anyhow::Result<_>>()?;
        for text in texts.iter().flatten().take(left) {
            writeln!(out, "{text}")?;
            written += 1;
        }
    }
    Ok(written)
}
