//! Games as data: import, show, export, judge.

mod export;
mod import;
mod judge;
mod judge_page;
mod picture;
mod show;

use clap::{Args, Subcommand};
use learn::games::{Filter, Limits};

/// Make a file of positions to learn from out of PGN, see what is in one, get PGN back, and judge a network by it
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena games import masters.pgn.zst --out masters.games\n  lucena games show masters.games\n  lucena games export masters.games --year 1972 --out reykjavik.pgn"
)]
pub struct Games {
    #[command(subcommand)]
    command: GamesCommand,
}

#[derive(Subcommand)]
enum GamesCommand {
    Import(import::Import),
    Show(show::Show),
    Export(export::Export),
    Judge(judge::Judge),
}

impl Games {
    pub fn run(self) -> anyhow::Result<()> {
        match self.command {
            GamesCommand::Import(import) => import.run(),
            GamesCommand::Show(show) => show.run(),
            GamesCommand::Export(export) => export.run(),
            GamesCommand::Judge(judge) => judge.run(),
        }
    }
}

/// Which games. What is not known fits no limit: a game without ratings is not one above 2000.
#[derive(Args)]
#[command(next_help_heading = "Which games")]
struct Which {
    /// Ratings of both players, e.g. 2000.. or 1500..1600
    #[arg(long, value_name = "RANGE")]
    rating: Option<Limits>,
    /// Year, e.g. 1972 or 1990..1999
    #[arg(long, value_name = "RANGE")]
    year: Option<Limits>,
    /// Length in plies, e.g. 20.. (ten moves or more)
    #[arg(long, value_name = "RANGE")]
    plies: Option<Limits>,
    /// Results, separated by commas, e.g. 1-0,0-1
    #[arg(long, value_name = "RESULTS", value_delimiter = ',', value_parser = ["1-0", "0-1", "1/2-1/2", "*"])]
    result: Vec<String>,
    /// Only events whose name contains this text (again for another)
    #[arg(long, value_name = "TEXT")]
    event: Vec<String>,
    /// No event whose name contains this text (again for another)
    #[arg(long, value_name = "TEXT")]
    not_event: Vec<String>,
}

impl Which {
    fn filter(&self) -> Filter {
        Filter {
            rating: self.rating,
            year: self.year,
            plies: self.plies,
            results: self.result.clone(),
            events: self.event.clone(),
            other_than_events: self.not_event.clone(),
        }
    }
}
