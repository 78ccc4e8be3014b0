use std::{
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::{Duration, Instant},
};

use anyhow::bail;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use play::{
    Candidate, Certification, CertificationError, Ending, Limits, Match, MatchError, MatchResult,
    MoveJournal, Openings, OthersMoves, PlayerSpec, Proof, Running,
};
use rules::{Board, Material};
use serde_json::json;
use truth::{Certificate, CertifyError, Convert, Solver, Stage, Tablebase};

use crate::{
    certificate_pictures,
    certificate_report::CertificateReport,
    files::{is_stdout, state_folder, write_atomically, write_or_print},
    matches::{misuse, share, spec},
    progress::{interrupt_flag, interrupted, watch_for_interrupt},
    refutations::write_refutations,
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
    after_help = "Examples:\n  lucena certify perfect KRK\n  lucena certify minimax:depth=3,eval=mop-up,history=off KRK --refutations out.pgn\n  lucena certify perfect KQK --side black\n  lucena certify random KRK --sample 1000"
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
    /// Write every won position and the player's move, one FEN,uci a line; - is stdout, and the report
    /// then goes to stderr
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Write refutations as PGN; - is stdout
    #[arg(long, value_name = "FILE")]
    refutations: Option<PathBuf>,
    /// Draw into this folder where an attack fails (failures.svg), a refutation of each kind, and its longest
    /// mate (longest.svg)
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
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
        if [&self.policy, &self.refutations]
            .into_iter()
            .flatten()
            .filter(|p| is_stdout(p))
            .count()
            > 1
        {
            bail!("--policy - and --refutations -: stdout takes one of them");
        }
        if let Some(games) = self.sample {
            let player = spec(&registry, &self.player);
            return self.sampled(games, &player, &registry, &tablebase);
        }
        let policy = registry.parse_policy(&self.player);
        let player = policy.unwrap_or_else(|error| misuse(error));
        let candidate = Candidate::of(&player).named(&self.player);
        let start = Instant::now();
        let journal = self.journal()?;
        let bar = CertifyBar::new();
        let certification = Certification {
            material: self.material,
            board: self.board,
            convert: match self.convert {
                ConvertBy::Player => Convert::Player,
                ConvertBy::Truth => Convert::Truth,
            },
            journal: Some(journal.clone()),
            stop: interrupt_flag(),
            progress: &|stage| bar.step(stage),
        };
        let mut solver = Solver::with_folder(self.board, tablebase.folder());
        let report = match self.side {
            Side::White => {
                let proof = self.explained(certification.attack(&candidate, &mut solver))?;
                let seconds = (start.elapsed(), bar.judging());
                drop(bar);
                let games = match proof.certificate.is_empty() {
                    true => None,
                    false => self.compare(&player, &registry, &tablebase)?,
                };
                self.keep(&proof)?;
                CertificateReport::attack(proof, games.as_ref(), self.seed, seconds)
            }
            Side::Black => {
                let proof = self.explained(certification.defence(&candidate, &mut solver))?;
                let seconds = (start.elapsed(), bar.judging());
                drop(bar);
                if let Some(path) = &self.refutations {
                    write_refutations(path, &self.player, proof.certificate.failures.iter())?;
                }
                CertificateReport::defence(proof, seconds)
            }
        };
        let _ = std::fs::remove_dir_all(&journal.folder);
        // What was asked for on stdout is data; the report must not stand in the middle of it.
        let taken = [&self.policy, &self.refutations];
        let mut out: Box<dyn std::io::Write> =
            match taken.into_iter().flatten().any(|p| is_stdout(p)) {
                true => Box::new(std::io::stderr().lock()),
                false => Box::new(std::io::stdout().lock()),
            };
        match self.json {
            true => Ok(writeln!(out, "{:#}", report.json()?)?),
            false => report.print(&mut out),
        }
    }

    /// Writes the files that were asked for, and the certificate of a run beside the run.
    fn keep(&self, proof: &Proof<Certificate>) -> anyhow::Result<()> {
        let certificate = &proof.certificate;
        if let Some(path) = &self.policy {
            let mut csv = Vec::new();
            certificate.write_policy(&mut csv)?;
            write_or_print(path, &csv)?;
        }
        if let Some(path) = &self.refutations {
            let lines = certificate.failures.iter().flat_map(|f| &f.examples);
            write_refutations(path, &self.player, lines)?;
        }
        if let Some(folder) = &self.pictures {
            certificate_pictures::write(folder, &self.player, certificate)?;
        }
        match run_of(&self.player) {
            Some(folder) => keep_with_run(Path::new(folder), proof),
            None => Ok(()),
        }
    }

    /// Where the player's moves are kept until the certificate is done. One folder for each thing
    /// that can be certified; a run without --resume starts afresh.
    fn journal(&self) -> anyhow::Result<MoveJournal> {
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
        Ok(MoveJournal {
            folder,
            others: OthersMoves::Refuse,
        })
    }

    /// Adds what the user can do about it.
    fn explained<T>(&self, result: Result<T, CertificationError>) -> anyhow::Result<T> {
        let error = match result {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        let hint = match &error {
            CertificationError::NotAPolicy { .. } => {
                "--sample N judges it by N games instead, which is not a proof"
            }
            CertificationError::OthersMoves { .. } => {
                "what stands behind the name has changed since; without --resume the certification begins anew"
            }
            CertificationError::Certify(CertifyError::Stopped) => {
                eprintln!("lucena: the same command with --resume goes on");
                return Err(error.into());
            }
            CertificationError::Certify(CertifyError::Player { .. })
                if self.convert == ConvertBy::Player =>
            {
                "if the player does not know the endgames this one turns into, --convert truth counts those by exact truth"
            }
            _ => return Err(error.into()),
        };
        bail!("{error}; {hint}")
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

/// The folder of the run that a player's name names, if it does.
pub fn run_of(player: &str) -> Option<&str> {
    player.strip_prefix("run:")?.split(',').next()
}

/// A run keeps its own certificate, so that 'lucena show' can print it.
pub fn keep_with_run(folder: &Path, proof: &Proof<Certificate>) -> anyhow::Result<()> {
    let Ok(run) = learn::info(folder) else {
        return Ok(());
    };
    let certificate = &proof.certificate;
    if run.plan.game() == certificate.material && run.plan.board == certificate.board {
        let text = serde_json::to_vec_pretty(proof)?;
        write_atomically(&crate::runs::certificate_path(folder), &text)?;
    }
    Ok(())
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
