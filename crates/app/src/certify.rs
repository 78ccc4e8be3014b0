use std::{
    cell::RefCell,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::{Duration, Instant},
};

use anyhow::bail;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use play::{Ending, Limits, Match, MatchError, MatchResult, Nature, Openings, PlayerSpec, Running};
use rules::{Board, Game, Material, Position, Rules};
use serde_json::json;
use truth::{
    Certificate, Certifier, CertifyError, Chooser, Convert, Decision, Defence, Solver, Stage,
    Tablebase,
};

use crate::{
    files::{state_folder, write_atomically},
    heat_map::{heat_map, print_heat_map},
    matches::{share, spec},
    progress::{interrupt_flag, interrupted, watch_for_interrupt},
    refutations::{print_refutation, write_refutations},
    solve::grouped,
    tables::{Tables, parse_board},
};

/// Prove what a player is worth against every opponent
///
/// The player's move is taken in every won position; then retrograde analysis of the graph in
/// which only the opponent chooses tells from which positions mate is forced. White, the side
/// named first, is the one to mate.
///
/// Only a player whose move depends on the position alone can be certified. Any other is refused,
/// or judged by games with --sample, which proves nothing and says so.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena certify perfect KRK\n  lucena certify minimax:depth=3,eval=mop-up,history=off KRK --refutations out.pgn\n  lucena certify heuristic KQK --side black\n  lucena certify random KRK --sample 1000"
)]
pub struct Certify {
    /// The player; see 'lucena players'
    player: String,
    /// The endgame, the attacker's men first
    material: Material,
    /// Board size, 4 to 8
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse_board)]
    board: Board,
    /// Which side the player plays: white attacks, black defends
    #[arg(long, value_enum, default_value = "white")]
    side: Side,
    /// What counts after a capture or promotion: the player's own play, or exact truth
    #[arg(long, value_enum, default_value = "player")]
    convert: ConvertBy,
    /// Write every won position and the player's move, one FEN,uci a line
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Write refutations as PGN
    #[arg(long, value_name = "FILE")]
    refutations: Option<PathBuf>,
    /// Judge by so many games against perfect play instead: not a proof
    #[arg(long, value_name = "N")]
    sample: Option<u64>,
    /// Games against perfect play to set beside the certificate; 0 for none
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// Seed of the games
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Go on where the same certification was interrupted
    #[arg(long)]
    resume: bool,
    /// Threads; 0 takes one per processor
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    White,
    Black,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ConvertBy {
    Player,
    Truth,
}

impl Certify {
    pub fn run(self) -> anyhow::Result<()> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build_global()?;
        let tablebase = Arc::new(self.tables.with(self.material, self.board)?);
        let registry = crate::players::registry(tablebase.clone());
        let mut player = spec(&registry, &self.player);
        if self.player == "perfect" && self.sample.is_none() {
            // Lots among moves of equal value change no length; a proof needs one of them.
            player = spec(&registry, "perfect:ties=first");
        }
        if let Some(games) = self.sample {
            return self.sampled(games, &player, &registry, &tablebase);
        }
        let nature = player.player(0).nature();
        if nature != Nature::Policy {
            bail!(
                "{} cannot be certified: its move {nature}. --sample N judges it by N games instead, \
                 which is not a proof",
                self.player
            );
        }
        let start = Instant::now();
        let journal = self.journal()?;
        let bar = CertifyBar::new();
        let make = || chooser(&player, interrupt_flag());
        let certifier = Certifier {
            material: self.material,
            board: self.board,
            symmetric: player.player(0).is_symmetric(),
            convert: match self.convert {
                ConvertBy::Player => Convert::Player,
                ConvertBy::Truth => Convert::Truth,
            },
            policy: &make,
            journal: Some(journal.clone()),
            progress: &|stage| bar.step(stage),
        };
        let mut solver = Solver::with_folder(self.board, tablebase.folder());
        match self.side {
            Side::White => {
                let certificate = self.explained(certifier.attack(&mut solver))?;
                let seconds = (start.elapsed(), bar.judging());
                drop(bar);
                let games = self.compare(&player, &registry, &tablebase)?;
                let _ = std::fs::remove_dir_all(&journal);
                self.finish_attack(&certificate, games.as_ref(), seconds)
            }
            Side::Black => {
                let defence = self.explained(certifier.defence(&mut solver))?;
                let seconds = (start.elapsed(), bar.judging());
                let _ = std::fs::remove_dir_all(&journal);
                drop(bar);
                self.finish_defence(&defence, seconds)
            }
        }
    }

    /// Where the player's moves are kept until the certificate is done. One folder for each thing
    /// that can be certified; a run without --resume starts afresh.
    fn journal(&self) -> anyhow::Result<PathBuf> {
        let what = format!(
            "{} {} {} {}",
            self.player,
            self.material,
            self.board.size(),
            if self.side == Side::White {
                "white"
            } else {
                "black"
            }
        );
        let folder =
            state_folder()?.join(format!("certify/{:08x}", crc32fast::hash(what.as_bytes())));
        if !self.resume && folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        Ok(folder)
    }

    /// Adds what the user can do about it.
    fn explained<T>(&self, result: Result<T, CertifyError>) -> anyhow::Result<T> {
        match result {
            Err(CertifyError::Stopped) => {
                eprintln!("lucena: the same command with --resume goes on");
                Err(CertifyError::Stopped.into())
            }
            Err(error @ CertifyError::Player { .. }) if self.convert == ConvertBy::Player => {
                Err(anyhow::Error::from(error)
                    .context("if the player does not know the endgames this one turns into, --convert truth counts those by exact truth"))
            }
            other => Ok(other?),
        }
    }

    fn contest(
        &self,
        games: u64,
        player: &PlayerSpec,
        registry: &play::Registry,
        tablebase: &Arc<Tablebase>,
    ) -> anyhow::Result<MatchResult> {
        watch_for_interrupt();
        let beside = Beside {
            material: self.material,
            board: self.board,
            games,
            seed: self.seed,
            threads: self.threads,
        };
        let perfect = spec(registry, "perfect");
        let result = beside.play(player, perfect, tablebase, interrupt_flag())?;
        if !result.complete {
            bail!("interrupted"); // a part of the games is not the figure that was asked for
        }
        Ok(result)
    }

    fn compare(
        &self,
        player: &PlayerSpec,
        registry: &play::Registry,
        tablebase: &Arc<Tablebase>,
    ) -> anyhow::Result<Option<MatchResult>> {
        if self.games == 0 {
            return Ok(None);
        }
        match self.contest(self.games, player, registry, tablebase) {
            // Won positions can be too rare to be met by chance. The proof does not need the games.
            Err(error) if matches!(error.downcast_ref(), Some(MatchError::NoOpening { .. })) => {
                eprintln!("lucena: {error}; no games are played beside the proof");
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    fn sampled(
        &self,
        games: u64,
        player: &PlayerSpec,
        registry: &play::Registry,
        tablebase: &Arc<Tablebase>,
    ) -> anyhow::Result<()> {
        if self.side == Side::Black {
            bail!("--sample judges an attack only");
        }
        let result = self.contest(games, player, registry, tablebase)?;
        let won = result.statistics.share(Ending::Win);
        let mut out = std::io::stdout().lock();
        if self.json {
            let value = json!({
                "player": self.player,
                "material": self.material.to_string(),
                "board": self.board.size(),
                "proof": false,
                "label": NOT_A_PROOF,
                "games": result.statistics.games(),
                "seed": self.seed,
                "won": share(won),
            });
            writeln!(out, "{value:#}")?;
        } else {
            writeln!(
                out,
                "{NOT_A_PROOF}: {} won {} of {} games against perfect, {:.2} % [{:.2}, {:.2}]",
                self.player,
                won.count,
                won.of,
                won.share * 100.0,
                won.low * 100.0,
                won.high * 100.0
            )?;
        }
        Ok(())
    }

    fn finish_attack(
        &self,
        certificate: &Certificate,
        games: Option<&MatchResult>,
        (seconds, judging): (Duration, Duration),
    ) -> anyhow::Result<()> {
        if let Some(path) = &self.policy {
            let mut csv = Vec::new();
            certificate.write_policy(&mut csv)?;
            write_atomically(path, &csv)?;
        }
        if let Some(path) = &self.refutations {
            let lines = certificate.failures.iter().flat_map(|f| &f.examples);
            write_refutations(path, &self.player, lines)?;
        }
        if let Some(folder) = self.player.strip_prefix("run:") {
            let folder = folder.split(',').next().unwrap_or(folder);
            keep_with_run(Path::new(folder), certificate)?;
        }
        let games_won = games.map(|result| result.statistics.share(Ending::Win));
        let mut out = std::io::stdout().lock();
        if self.json {
            let mut value = serde_json::to_value(certificate)?;
            value["player"] = json!(self.player);
            value["proof"] = json!(true);
            value["seconds"] = json!(seconds.as_secs_f64());
            value["seconds_judging"] = json!(judging.as_secs_f64());
            value["games_won_share"] = json!(games_won.map(share));
            value["heat_map"] = heat_map(certificate);
            writeln!(out, "{value:#}")?;
            return Ok(());
        }
        let percent = |share: f64| play::rounding::percent(share, 3);
        writeln!(
            out,
            "{} plays {} on {}: certified over {} won positions in {:.1} s ({:.1} s after its last move)",
            self.player,
            self.material,
            self.board,
            grouped(certificate.won_positions),
            seconds.as_secs_f64(),
            judging.as_secs_f64()
        )?;
        writeln!(
            out,
            "  optimal moves     {:>10}",
            percent(certificate.optimal_move_share)
        )?;
        match games_won {
            Some(won) => writeln!(
                out,
                "  games won         {:>10}  [{:.2}, {:.2}] in {} games against perfect, seed {}",
                percent(won.share),
                won.low * 100.0,
                won.high * 100.0,
                won.of,
                self.seed
            )?,
            None => writeln!(out, "  games won         not played (--games N)")?,
        }
        writeln!(
            out,
            "  mate forced       {:>10}  {} positions, against every defence",
            percent(certificate.share),
            grouped(certificate.forced_mates)
        )?;
        writeln!(
            out,
            "  … within 50 moves {:>10}",
            percent(certificate.within_fifty_share)
        )?;
        writeln!(
            out,
            "  … at best length  {:>10}",
            percent(certificate.optimal_share)
        )?;
        if let (Some(longest), Some(excess)) =
            (certificate.longest_moves, certificate.mean_excess_moves)
        {
            writeln!(
                out,
                "  longest mate {longest} moves, mean excess {} moves",
                play::rounding::moves(excess, 3)
            )?;
        }
        writeln!(out, "  after conversions counts: {}", certificate.convert)?;
        if certificate.unvisited > 0 {
            writeln!(
                out,
                "  unvisited: {} positions",
                grouped(certificate.unvisited)
            )?;
        }
        for failure in &certificate.failures {
            let kind = serde_json::to_value(failure.kind)?;
            writeln!(
                out,
                "\nFails by {}: {} positions, {}",
                kind.as_str().unwrap_or_default().replace('_', " "),
                grouped(failure.positions),
                percent(failure.share)
            )?;
            for example in &failure.examples {
                print_refutation(&mut out, example)?;
            }
        }
        if !certificate.failures.is_empty() {
            writeln!(
                out,
                "\nShare of failures by the defending king's square, in per cent:"
            )?;
            print_heat_map(&mut out, certificate, self.board)?;
        }
        Ok(())
    }

    fn finish_defence(
        &self,
        defence: &Defence,
        (seconds, judging): (Duration, Duration),
    ) -> anyhow::Result<()> {
        if let Some(path) = &self.refutations {
            write_refutations(path, &self.player, defence.failures.iter())?;
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            let mut value = serde_json::to_value(defence)?;
            value["player"] = json!(self.player);
            value["proof"] = json!(true);
            value["seconds"] = json!(seconds.as_secs_f64());
            value["seconds_judging"] = json!(judging.as_secs_f64());
            writeln!(out, "{value:#}")?;
            return Ok(());
        }
        writeln!(
            out,
            "{} defends {} on {}, against every attack ({:.1} s)",
            self.player,
            self.material,
            self.board,
            seconds.as_secs_f64()
        )?;
        writeln!(
            out,
            "  held positions kept   {:>11}  {} of {}",
            play::rounding::percent(defence.kept_share, 3),
            grouped(defence.kept),
            grouped(defence.held_positions)
        )?;
        writeln!(
            out,
            "  longest resistance in {:>11}  of {} lost positions",
            play::rounding::percent(defence.optimal_share, 3),
            grouped(defence.lost_positions)
        )?;
        if let Some(mean) = defence.mean_shortfall_moves {
            writeln!(
                out,
                "  mated too early by    {:>9} moves on the mean, {} at worst",
                play::rounding::moves(mean, 3),
                defence.worst_shortfall_moves
            )?;
        }
        for example in &defence.failures {
            print_refutation(&mut out, example)?;
        }
        Ok(())
    }
}

/// The contest that stands beside a certificate: random won positions against perfect play.
pub struct Beside {
    pub material: Material,
    pub board: Board,
    pub games: u64,
    pub seed: u64,
    pub threads: usize,
}

impl Beside {
    pub fn play(
        &self,
        player: &PlayerSpec,
        perfect: PlayerSpec,
        tablebase: &Arc<Tablebase>,
        stop: &AtomicBool,
    ) -> Result<MatchResult, MatchError> {
        let openings = Openings::random_won(self.material, self.board, tablebase.clone());
        let mut contest = Match::new(player.clone(), perfect, openings, self.games);
        contest.seed = self.seed;
        contest.limits = Limits::NONE;
        contest.run(Running {
            threads: self.threads,
            progress: None,
            stop: Some(stop),
            oracle: Some(&**tablebase),
        })
    }
}

const NOT_A_PROOF: &str = "Sampled games, not a proof";

/// A run keeps its own certificate, so that 'lucena show' can print it.
pub fn keep_with_run(folder: &Path, certificate: &Certificate) -> anyhow::Result<()> {
    let Ok(run) = learn::info(folder) else {
        return Ok(());
    };
    if run.plan.game() == certificate.material && run.plan.board == certificate.board {
        let text = serde_json::to_vec_pretty(certificate)?;
        write_atomically(&crate::runs::certificate_path(folder), &text)?;
    }
    Ok(())
}

/// A player as a policy over positions: every position is a game of its own, without draw rules.
pub fn chooser<'a>(player: &PlayerSpec, stop: &'a AtomicBool) -> Chooser<'a> {
    let player = RefCell::new(player.player(0));
    Box::new(move |position: &Position| {
        let game = Game::new(position.clone(), Rules::none());
        let choice = player
            .borrow_mut()
            .choose_unless(stop, &game, &Limits::NONE)?;
        Ok(Decision {
            mv: choice.mv,
            unvisited: choice.info.unvisited,
        })
    })
}

/// Shows how far the questions and the proof have come.
struct CertifyBar {
    bar: ProgressBar,
    /// When the last question was answered.
    asked: Mutex<Instant>,
}

impl CertifyBar {
    fn new() -> CertifyBar {
        watch_for_interrupt();
        let bar = ProgressBar::no_length();
        bar.set_style(
            ProgressStyle::with_template("{bar:30} {msg} {elapsed} (left {eta})")
                .expect("the template is well-formed"),
        );
        bar.enable_steady_tick(Duration::from_millis(100));
        CertifyBar {
            bar,
            asked: Mutex::new(Instant::now()),
        }
    }

    /// Time since the player's moves were all known.
    fn judging(&self) -> Duration {
        self.asked
            .lock()
            .expect("no thread panics while it holds the clock")
            .elapsed()
    }

    fn step(&self, stage: Stage) -> bool {
        match stage {
            Stage::Asking {
                material,
                asked,
                total,
            } => {
                *self
                    .asked
                    .lock()
                    .expect("no thread panics while it holds the clock") = Instant::now();
                self.bar.set_length(total);
                self.bar.set_position(asked);
                self.bar.set_message(format!(
                    "{material}: asked {} of {} positions",
                    grouped(asked),
                    grouped(total)
                ));
            }
            Stage::Judging { material, ply } => {
                self.bar
                    .set_message(format!("{material}: mates in {} moves", ply.div_ceil(2)));
            }
        }
        !interrupted()
    }
}

impl Drop for CertifyBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
