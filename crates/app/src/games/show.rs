use std::{io::Write as _, path::PathBuf};

use clap::Args;
use learn::games::{Bar, Filter, GameFile, HeldOut, OpeningLine, Phase, Split, Survey};
use serde_json::json;

use super::{Which, picture::picture};
use crate::{files::write_atomically, solve::grouped};

/// Say what is in a file of games: counts, results, phases, openings, ratings, years
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena games show masters.games\n  lucena games show masters.games --year 1990..1999 --picture nineties.svg\n  lucena games show masters.games --held-out 5 --json"
)]
pub struct Show {
    /// A file that 'lucena games import' has made
    data: PathBuf,
    /// Share of the games to hold out, in percent
    #[arg(long, value_name = "PERCENT", default_value_t)]
    held_out: Split,
    /// Draw a picture of it (SVG)
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

/// Characters of the longest bar.
const WIDTH: u64 = 40;

impl Show {
    pub fn run(self) -> anyhow::Result<()> {
        let file = GameFile::open(&self.data)?;
        let filter = self.which.filter();
        let survey = Survey::of(&file, &filter)?;
        let held_out = HeldOut::of(&file, self.held_out)?;
        if let Some(path) = &self.picture {
            let name = self.data.file_name().unwrap_or(self.data.as_os_str());
            let svg = picture(&name.to_string_lossy(), &survey);
            write_atomically(path, svg.as_bytes())?;
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            let value = json!({
                "file": self.data,
                "bytes": file.bytes(),
                "bytes_per_position": file.bytes() as f64 / file.summary().positions.max(1) as f64,
                "origin": file.origin(),
                "summary": file.summary(),
                "survey": survey,
                "held_out": { "percent": self.held_out.percent(), "counts": held_out },
            });
            writeln!(out, "{value:#}")?;
            return Ok(());
        }
        self.print(&mut out, &file, &filter, &survey, &held_out)
    }

    fn print(
        &self,
        out: &mut impl std::io::Write,
        file: &GameFile,
        filter: &Filter,
        survey: &Survey,
        held_out: &HeldOut,
    ) -> anyhow::Result<()> {
        let sources: Vec<&str> = file.origin().sources.iter().map(|s| &s.name[..]).collect();
        writeln!(
            out,
            "{}: {} games, {} positions, {} bytes ({:.2} a position), from {}",
            self.data.display(),
            grouped(file.summary().games),
            grouped(file.summary().positions),
            grouped(file.bytes()),
            file.bytes() as f64 / file.summary().positions.max(1) as f64,
            sources.join(", ")
        )?;
        writeln!(
            out,
            "duplicates: {}; broken games left out: {}; games filtered out: {}",
            grouped(file.summary().duplicates),
            grouped(file.summary().report.broken_games()),
            grouped(file.summary().report.filtered_games()),
        )?;
        if !filter.is_empty() {
            writeln!(
                out,
                "of these wanted: {} games, {} positions",
                grouped(survey.games),
                grouped(survey.positions)
            )?;
        }
        let named = |names: &[&str], counts: &[u64]| -> Vec<(String, u64)> {
            names
                .iter()
                .map(|&n| n.to_owned())
                .zip(counts.iter().copied())
                .collect()
        };
        let results = named(&["1-0", "1/2-1/2", "0-1", "unknown"], &survey.results);
        print_bars(out, "results, games", &results)?;
        let phases: Vec<(String, u64)> = Phase::ALL
            .iter()
            .map(Phase::to_string)
            .zip(survey.phases)
            .collect();
        print_bars(out, "phases, positions", &phases)?;
        print_bars(out, "lengths in plies, games", &ranges(&survey.lengths))?;
        let mut ratings = ranges(&survey.ratings);
        ratings.push(("unknown".to_owned(), survey.unrated));
        print_bars(out, "ratings, players of games", &ratings)?;
        let mut years = ranges(&survey.years);
        years.push(("unknown".to_owned(), survey.undated));
        print_bars(out, "years, games", &years)?;
        print_openings(out, "first moves", &survey.first_moves, survey.games)?;
        print_openings(out, "openings", &survey.openings, survey.games)?;
        print_bars(out, "events, games", &survey.events)?;
        writeln!(
            out,
            "\nheld out, {} % of the games by their moves:",
            self.held_out
        )?;
        writeln!(
            out,
            "  training   {:>11} games {:>13} positions",
            grouped(held_out.training_games),
            grouped(held_out.training_positions)
        )?;
        writeln!(
            out,
            "  held out   {:>11} games {:>13} positions, {} of them ({:.1} %) in no training game",
            grouped(held_out.held_out_games),
            grouped(held_out.held_out_positions),
            grouped(held_out.unseen_positions),
            100.0 * held_out.unseen_positions as f64 / held_out.held_out_positions.max(1) as f64
        )?;
        Ok(())
    }
}

/// Bars with their limits as names.
pub fn ranges(bars: &[Bar]) -> Vec<(String, u64)> {
    let name = |bar: &Bar| match bar.to == bar.from {
        true => bar.from.to_string(),
        false => format!("{}–{}", bar.from, bar.to),
    };
    bars.iter().map(|bar| (name(bar), bar.count)).collect()
}

fn print_bars(
    out: &mut impl std::io::Write,
    title: &str,
    bars: &[(String, u64)],
) -> anyhow::Result<()> {
    let all: u64 = bars.iter().map(|(_, count)| count).sum();
    let most = bars.iter().map(|&(_, count)| count).max().unwrap_or(0);
    if all == 0 {
        return Ok(());
    }
    writeln!(out, "\n{title}:")?;
    for (name, count) in bars {
        let bar = "█".repeat((count * WIDTH).div_ceil(most) as usize);
        let name: String = name.chars().take(24).collect();
        let share = 100.0 * *count as f64 / all as f64;
        let line = format!("  {name:24} {:>11} {share:5.1} % {bar}", grouped(*count));
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn print_openings(
    out: &mut impl std::io::Write,
    title: &str,
    lines: &[OpeningLine],
    games: u64,
) -> anyhow::Result<()> {
    let most = lines.iter().map(|line| line.games).max().unwrap_or(0);
    if most == 0 {
        return Ok(());
    }
    writeln!(out, "\n{title}, games, white's score:")?;
    for line in lines {
        let bar = "█".repeat((line.games * WIDTH).div_ceil(most) as usize);
        let score = line
            .white_score
            .map_or("–".to_owned(), |score| format!("{:.1} %", 100.0 * score));
        writeln!(
            out,
            "  {:24} {:>11} {:5.1} % {score:>7} {bar}",
            line.moves,
            grouped(line.games),
            100.0 * line.games as f64 / games.max(1) as f64,
        )?;
    }
    Ok(())
}
