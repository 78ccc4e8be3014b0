use std::{
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use play::{
    Decision, Ending, Lengths, Limits, Match, MatchResult, Openings, PlayerSpec, RandomOpenings,
    Registry, Running, Share, Sprt, Statistics,
};
use rules::{Board, Color, Epd, Material, Position, Rules, plain_file};
use serde_json::{Value, json};
use truth::{Oracle, Tablebase};

use crate::{
    files::{state_folder, write_atomically},
    progress::{interrupt_flag, interrupted, watch_for_interrupt},
    tables::{Tables, parse_board},
};

/// Play a match between two players
///
/// The games are the same for the same seed, whatever the number of threads. An interrupted match
/// goes on with --resume.
#[derive(Args)]
#[command(
    name = "match",
    after_help = "Examples:\n  lucena match --white minimax:depth=3 --black uci:stockfish,nodes=10000 --endgame KRK --games 1000 --seed 1\n  lucena match --white mcts --black perfect --endgame KBNK --won --games 100 --pgn games.pgn\n\nPlayers: see 'lucena players'."
)]
pub struct MatchCommand {
    /// The player with the white men
    #[arg(long, value_name = "PLAYER")]
    white: String,
    /// The player with the black men
    #[arg(long, value_name = "PLAYER")]
    black: String,
    /// Start from random positions of this endgame
    #[arg(long, value_name = "MATERIAL", required_unless_present = "positions")]
    endgame: Option<Material>,
    /// Start from the positions of an EPD file, in order, again from the first when they run out
    #[arg(long, value_name = "FILE", conflicts_with = "endgame")]
    positions: Option<PathBuf>,
    /// Only random positions that white wins with perfect play
    #[arg(long, requires = "endgame")]
    won: bool,
    /// Board size, 4 to 8
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse_board)]
    board: Board,
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: u64,
    /// Play every position twice, with the colours exchanged; --white is then the first player
    #[arg(long)]
    paired: bool,
    /// Draw rules: words of 'fifty', 'threefold', 'moves=N', … separated by commas, or 'none'
    #[arg(long, value_name = "RULES", default_value_t = Rules::default())]
    rules: Rules,
    /// Limit of every move of both players: search depth
    #[arg(long, value_name = "PLIES")]
    depth: Option<u32>,
    /// Limit of every move of both players: nodes
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Limit of every move of both players: milliseconds
    #[arg(long, value_name = "MS")]
    movetime: Option<u64>,
    /// Sequential test of two Elo differences, e.g. 0,5: the match ends when it is decided
    #[arg(long, value_name = "ELO0,ELO1", value_parser = parse_sprt)]
    sprt: Option<Sprt>,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Threads; 0 takes one per processor
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// Write the games to this file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Go on with the same match where it was interrupted
    #[arg(long)]
    resume: bool,
    /// Where the games are noted while the match goes on [default: by XDG, removed at the end]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
}

fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let numbers: Vec<f64> = text
        .split(',')
        .filter_map(|n| n.trim().parse().ok())
        .collect();
    match numbers[..] {
        [elo0, elo1] if elo0 < elo1 => Ok(Sprt {
            elo0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
        }),
        _ => Err("two numbers, the smaller first, such as 0,5".to_owned()),
    }
}

impl MatchCommand {
    pub fn run(self) -> anyhow::Result<()> {
        let (tablebase, openings) = self.openings()?;
        let registry = crate::players::registry(tablebase.clone());
        let (white, black) = (spec(&registry, &self.white), spec(&registry, &self.black));
        let mut contest = Match::new(white, black, openings, self.games);
        contest.paired = self.paired;
        contest.rules = self.rules;
        contest.seed = self.seed;
        contest.until = self.sprt;
        contest.limits = Limits {
            depth: self.depth,
            nodes: self.nodes,
            time: self.movetime.map(Duration::from_millis),
        };
        let journal = match &self.journal {
            Some(path) => path.clone(),
            None => {
                let settings = crc32fast::hash(contest.settings().as_bytes());
                state_folder()?.join(format!("matches/{settings:08x}.jsonl"))
            }
        };
        if let Some(folder) = journal.parent() {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        let bar = MatchBar::new(self.games);
        let step = |progress: &play::MatchProgress<'_>| bar.step(progress);
        let running = Running {
            threads: self.threads,
            progress: Some(&step),
            stop: Some(interrupt_flag()),
            oracle: Some(&*tablebase),
        };
        let result = contest.run_with_journal(running, &journal, self.resume)?;
        drop(bar);
        if !result.complete {
            eprintln!(
                "lucena: {} of {} games played; the same command with --resume goes on",
                result.records.len(),
                self.games
            );
        } else if self.journal.is_none() {
            // The match is over: what is left is the report and the PGN.
            let _ = std::fs::remove_file(&journal);
        }
        if let Some(path) = &self.pgn {
            let mut text = String::new();
            for record in &result.records {
                text.push_str(&format!("{}\n", record.pgn("Lucena match", self.rules)?));
            }
            write_atomically(path, text.as_bytes())?;
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            writeln!(out, "{:#}", self.report(&result))?;
        } else {
            self.print(&mut out, &result)?;
        }
        if !result.complete && interrupted() {
            bail!("interrupted");
        }
        Ok(())
    }

    fn openings(&self) -> anyhow::Result<(Arc<Tablebase>, Openings)> {
        if let Some(path) = &self.positions {
            let positions = positions_from(path)?;
            let tablebase = self
                .tables
                .for_play(positions[0].material(), positions[0].board())?;
            return Ok((Arc::new(tablebase), Openings::List(positions)));
        }
        let material = self.endgame.expect("clap asks for one of the two");
        if material.has_pawns() && !self.board.is_standard() {
            bail!("{material} has pawns, and boards smaller than 8×8 have none");
        }
        let tablebase = Arc::new(self.tables.for_play(material, self.board)?);
        let oracle: Arc<dyn Oracle> = tablebase.clone();
        let openings = Openings::Random(RandomOpenings {
            material,
            board: self.board,
            turn: Some(Color::White),
            won: self.won.then_some((Color::White, oracle)),
        });
        Ok((tablebase, openings))
    }

    fn report(&self, result: &MatchResult) -> Value {
        let s = &result.statistics;
        let ending = |ending: Ending| {
            let reasons: serde_json::Map<String, Value> = s
                .by_reason(ending)
                .map(|(r, n)| (r.id().to_owned(), json!(n)))
                .collect();
            json!({ "games": s.count(ending), "share": share(s.share(ending)), "reasons": reasons })
        };
        json!({
            "white": self.white,
            "black": self.black,
            "paired": self.paired,
            "endgame": self.endgame.map(|m| m.to_string()),
            "board": self.board.size(),
            "rules": self.rules.to_string(),
            "seed": self.seed,
            "games": s.games(),
            "complete": result.complete,
            "wins": ending(Ending::Win),
            "draws": ending(Ending::Draw),
            "losses": ending(Ending::Loss),
            "points": s.points(),
            "moves_to_mate": s.moves_to_mate().map(lengths),
            "mate_histogram": s.mate_histogram(),
            "excess_moves": s.excess_moves().map(lengths),
            "elo": s.elo().map(|e| json!({ "difference": e.difference, "error": e.error })),
            "pentanomial": s.is_paired().then(|| s.pentanomial()),
            "sprt": self.sprt.map(|test| {
                let state = s.sprt(test);
                json!({
                    "elo0": test.elo0, "elo1": test.elo1, "llr": state.llr,
                    "lower": state.lower, "upper": state.upper, "decision": decision(&state.decision),
                })
            }),
        })
    }

    fn print(&self, out: &mut impl std::io::Write, result: &MatchResult) -> anyhow::Result<()> {
        let s = &result.statistics;
        writeln!(
            out,
            "{} against {}, {} games, seed {}",
            self.white,
            self.black,
            s.games(),
            self.seed
        )?;
        for (name, ending) in [
            ("won", Ending::Win),
            ("drawn", Ending::Draw),
            ("lost", Ending::Loss),
        ] {
            let share = s.share(ending);
            let reasons: Vec<String> = s
                .by_reason(ending)
                .map(|(reason, n)| format!("{n} {reason}"))
                .collect();
            writeln!(
                out,
                "  {name:6}{:>7}  {:6.2} % [{:.2}, {:.2}]  {}",
                s.count(ending),
                share.share * 100.0,
                share.low * 100.0,
                share.high * 100.0,
                reasons.join(", ")
            )?;
        }
        if let Some(l) = s.moves_to_mate() {
            writeln!(
                out,
                "  moves to mate: mean {:.2} ± {:.2}, median {}, {} to {}",
                l.mean, l.error, l.median, l.least, l.greatest
            )?;
        }
        if let Some(l) = s.excess_moves() {
            writeln!(
                out,
                "  moves more than optimal: mean {:.2} ± {:.2}, most {}",
                l.mean, l.error, l.greatest
            )?;
        }
        if let Some(elo) = s.elo() {
            writeln!(
                out,
                "  Elo difference: {:.1} ± {:.1}",
                elo.difference, elo.error
            )?;
        }
        if let Some(test) = self.sprt {
            let state = s.sprt(test);
            writeln!(
                out,
                "  SPRT ({}, {}): LLR {:.2} [{:.2}, {:.2}], {}",
                test.elo0,
                test.elo1,
                state.llr,
                state.lower,
                state.upper,
                decision(&state.decision)
            )?;
        }
        print_histogram(out, s)
    }
}

fn print_histogram(out: &mut impl std::io::Write, s: &Statistics) -> anyhow::Result<()> {
    let histogram = s.mate_histogram();
    let most = histogram.values().max().copied().unwrap_or(1);
    for (moves, &n) in histogram {
        let bar = "█".repeat((n * 40).div_ceil(most) as usize);
        writeln!(out, "  {moves:>4} moves {n:>6} {bar}")?;
    }
    Ok(())
}

/// The positions of an EPD file, at least one.
pub fn positions_from(path: &Path) -> anyhow::Result<Vec<Position>> {
    let file = plain_file::open(path, plain_file::TEXT)
        .with_context(|| format!("cannot open {}", path.display()))?;
    let positions = Epd::read_file(std::io::BufReader::new(file))
        .map(|epd| Ok(epd.with_context(|| path.display().to_string())?.position))
        .collect::<anyhow::Result<Vec<_>>>()?;
    if positions.is_empty() {
        bail!("{} holds no position", path.display());
    }
    Ok(positions)
}

/// A player by name, or the end of the program with the reason.
pub fn spec(registry: &Registry, text: &str) -> PlayerSpec {
    registry.parse(text).unwrap_or_else(|error| misuse(error))
}

/// The end of the program, because a player was not named as it should be.
pub fn misuse(error: play::SpecError) -> ! {
    use clap::{CommandFactory as _, error::ErrorKind};
    crate::Cli::command()
        .error(ErrorKind::InvalidValue, error)
        .exit()
}

fn decision(decision: &Decision) -> &'static str {
    match decision {
        Decision::AcceptAlternative => "the difference is there",
        Decision::AcceptNull => "the difference is not there",
        Decision::Continue => "not decided",
    }
}

pub fn share(share: Share) -> Value {
    json!({ "value": share.share, "low": share.low, "high": share.high })
}

fn lengths(l: Lengths) -> Value {
    json!({
        "count": l.count, "mean": l.mean, "error": l.error, "median": l.median,
        "least": l.least, "greatest": l.greatest,
    })
}

/// Shows the running score.
pub struct MatchBar {
    bar: ProgressBar,
}

impl MatchBar {
    pub fn new(games: u64) -> MatchBar {
        watch_for_interrupt();
        let bar = ProgressBar::new(games);
        bar.set_style(
            ProgressStyle::with_template(
                "{prefix}{bar:30} {pos}/{len} games, {msg} {elapsed} (left {eta})",
            )
            .expect("the template is well-formed"),
        );
        bar.enable_steady_tick(Duration::from_millis(100));
        MatchBar { bar }
    }

    /// Another match begins.
    pub fn begin(&self, who: &str) {
        self.bar.set_prefix(format!("{who} "));
        self.bar.set_message("");
        self.bar.reset();
    }

    pub fn step(&self, progress: &play::MatchProgress<'_>) {
        let count = |ending| progress.statistics.count(ending);
        self.bar.set_position(progress.finished);
        self.bar.set_message(format!(
            "+{} ={} −{}",
            count(Ending::Win),
            count(Ending::Draw),
            count(Ending::Loss)
        ));
    }
}

impl Drop for MatchBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
