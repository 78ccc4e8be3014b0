use std::{io::Write as _, sync::Arc, time::Instant};

use anyhow::Context as _;
use clap::Args;
use learn::chess::{RandomPlay, Resources, Setup};
use serde_json::json;
use truth::Tablebase;

use crate::{players, progress, tables::Tables};

/// Play random games through a learner's environment, and say how fast
///
/// Before every move the observation and the mask of legal actions are written, as a learner would
/// get them. The same seed gives the same games on any number of threads.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena play-random --games 10000 --observation salisch-2 --threads 1\n  lucena play-random --games 1000 --start endgame:KRK,board=5 --set opponent=heuristic --json\n\nSettings for --set: observation, actions, start, draws, limit, opponent, side, rewards, book, syzygy."
)]
pub struct PlayRandom {
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// What is seen: salisch-1, salisch-2, wojcik, wojcik-squares, planes, pettingzoo
    #[arg(long, value_name = "NAME")]
    observation: Option<String>,
    /// Where games begin: start, fen:FEN, endgame:KRK, positions:FILE, games:FILE
    #[arg(long, value_name = "WHERE")]
    start: Option<String>,
    /// Any other setting of the environment
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    settings: Vec<(String, String)>,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Threads [default: all processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err("expected NAME=VALUE, such as opponent=random".into()),
    }
}

impl PlayRandom {
    pub fn run(self) -> anyhow::Result<()> {
        let tables = Arc::new(Tablebase::new(&self.tables.folder()?));
        let registry = players::registry(tables.clone());
        let named = [("observation", &self.observation), ("start", &self.start)];
        let settings = named
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_deref()?)))
            .chain(
                self.settings
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str())),
            );
        let resources = Resources {
            registry: Some(&registry),
            tables: Some(&tables),
        };
        let setup = Setup::read(settings, resources)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.map_or(0, usize::from))
            .build()
            .context("cannot start the threads")?;
        progress::watch_for_interrupt();
        let stop = progress::interrupt_flag();
        let (observation, actions) = (setup.observation.to_string(), setup.actions.to_string());
        let begun = Instant::now();
        let played = pool.install(|| RandomPlay::of(setup, self.games, self.seed, stop))?;
        let seconds = begun.elapsed().as_secs_f64();
        let rate = played.plies as f64 / seconds;
        let threads = pool.current_num_threads();
        let mut out = std::io::stdout().lock();
        if self.json {
            let report = json!({
                "games": played.games,
                "actions": played.actions,
                "plies": played.plies,
                "white_wins": played.white_wins,
                "black_wins": played.black_wins,
                "draws": played.draws,
                "fingerprint": format!("{:016x}", played.fingerprint),
                "observation": observation,
                "action_numbers": actions,
                "threads": threads,
                "seconds": seconds,
                "plies_per_second": rate,
            });
            writeln!(out, "{report:#}")?;
        } else {
            writeln!(
                out,
                "{} random games, {} plies, seen as {observation}, acted on as {actions}: white won {}, black {}, {} drawn",
                played.games, played.plies, played.white_wins, played.black_wins, played.draws
            )?;
            writeln!(
                out,
                "{:.2} million plies/s with observation and mask, {threads} thread{}",
                rate / 1e6,
                if threads == 1 { "" } else { "s" }
            )?;
        }
        Ok(())
    }
}
