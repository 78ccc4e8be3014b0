use std::{
    error::Error,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use anyhow::bail;
use clap::{Args, CommandFactory as _, ValueEnum, error::ErrorKind};
use indicatif::{ProgressBar, ProgressStyle};
use learn::{
    Task,
    tuning::{MEMBERS, Method, Report, SEEDS, Search, TRIALS, Tools, TuningError, TuningProgress},
};
use play::{Candidate, Certification, Registry};
use rules::{Board, Color, Material};
use truth::{Convert, Solver, Tablebase};

use crate::{
    certify::keep_with_run,
    files::write_atomically,
    progress::{interrupt_flag, interrupted, watch_for_interrupt},
    tables::{Tables, parse_board},
};

/// Search for settings of a recipe: a grid, at random, or by a population
///
/// Every training is an ordinary run below the folder of the search. Each setting is trained with several
/// seeds and ranked by their mean score; the report shows every seed. A search can be killed at any moment
/// and goes on with --resume to the same report, bit for bit.
///
/// A population trains all members beside each other; after every generation the worst quarter goes on as
/// copies of members of the best quarter, weights and all, with settings a little changed.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena tune ppo --endgame KQK --board 5 --method random --set rate=1e-4..1e-2,log --set epochs=2,4,8 --trials 12 --episodes 40 --out tunings/kqk\n  lucena tune ypma-q --endgame KRK --method grid --set alpha=0.01,0.1 --set gamma=0.9,0.99 --episodes 30000 --score certificate --out tunings/krk\n  lucena tune ppo --method population --members 8 --generation 10 --set rate=1e-4..1e-2,log --episodes 100 --out tunings/chess\n  lucena tune --resume tunings/kqk\n  lucena runs tunings/kqk"
)]
pub struct Tune {
    /// The recipe; see 'lucena train --list'
    #[arg(required_unless_present = "resume")]
    recipe: Option<String>,
    /// The endgame, the attacker's men first; none for a recipe that learns the whole game
    #[arg(long, value_name = "MATERIAL")]
    endgame: Option<Material>,
    /// Board size, 4 to 8
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse_board)]
    board: Board,
    /// How to search
    #[arg(long, value_enum, default_value = "random")]
    method: MethodName,
    /// A setting and its values: a list a,b,c, a range LOW..HIGH, or LOW..HIGH,log; or one value for all
    #[arg(long = "set", value_name = "KEY=VALUES")]
    set: Vec<String>,
    /// Random search: how many settings [default: 12]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(TRIALS)))]
    trials: Option<u32>,
    /// Population: how many are trained beside each other [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=i64::from(MEMBERS)))]
    members: Option<u32>,
    /// Population: episodes between replacements [default: a tenth of the training]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=LONGEST))]
    generation: Option<u64>,
    /// Trainings of each setting, with different seeds
    #[arg(long, value_name = "N", default_value_t = 2,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(SEEDS)))]
    seeds: u32,
    /// Episodes of each training: games, batches or iterations, as with 'lucena train'
    #[arg(long, value_name = "N", required_unless_present = "resume",
        value_parser = clap::value_parser!(u64).range(1..=LONGEST))]
    episodes: Option<u64>,
    /// What counts: a player (share of games won), certificate (exact share of won positions from which
    /// mate is forced), or scalar:NAME (last value of a curve)
    #[arg(long, value_name = "SCORE", default_value = "random")]
    score: String,
    /// The lowest score is the best
    #[arg(long)]
    lowest: bool,
    /// Games of a score against a player
    #[arg(long, value_name = "N", default_value_t = 200,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    /// Seed of the random numbers; trainings have this one and those after it
    #[arg(long, value_name = "S", default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(..=LONGEST))]
    seed: u64,
    /// The folder of the search
    #[arg(long, value_name = "DIR", required_unless_present = "resume")]
    out: Option<PathBuf>,
    /// Go on with the search in this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["recipe", "endgame", "board", "method", "set",
        "trials", "members", "generation", "seeds", "episodes", "score", "lowest", "games", "seed", "out"])]
    resume: Option<PathBuf>,
    /// Trainings beside each other; 0 takes one per processor
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
}

const TRIALS_BY_DEFAULT: u32 = 12;
/// Numbers above it have no place in a plan.
const LONGEST: u64 = 1 << 60;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// Every combination of the listed values
    Grid,
    /// Settings drawn at random
    Random,
    /// A population that is bred
    Population,
}

impl Tune {
    pub fn run(self) -> anyhow::Result<()> {
        let search = match &self.resume {
            Some(folder) => Search::read(folder)?,
            None => self.search(),
        };
        let folder = self.resume.as_ref().or(self.out.as_ref());
        let folder = folder.expect("clap asks for one of them").clone();
        watch_for_interrupt();
        let task = search.task().map_err(TuningError::from);
        let task = task.unwrap_or_else(|error| misuse(error));
        // Tables serve opponents that are perfect, and proofs; only recipes that say so are taught by them.
        let tablebase = Arc::new(match task {
            Task::Endgame(material, board) => self.tables.for_play(material, board)?,
            Task::Chess => self.tables.as_they_are()?,
        });
        let registry = crate::players::registry(tablebase.clone());
        let bar = TuneBar::new(&search);
        let certify = |run: &Path| certified(run, task, &registry, &tablebase);
        let tools = Tools {
            registry: Some(&registry),
            teacher: Some(tablebase.clone()),
            certify: Some(&certify),
            threads: self.threads,
            progress: Some(&|progress| bar.step(progress)),
            notice: Some(&|text| bar.say(text)),
            cancel: Some(interrupt_flag()),
        };
        let report = match self.resume {
            Some(_) => learn::tuning::resume(&folder, tools),
            None => learn::tuning::tune(&search, &folder, tools),
        };
        drop(bar);
        let report = match report {
            Ok(report) => report,
            Err(error) if error.is_stop() || interrupted() => {
                // A search that had not begun leaves nothing to go on with.
                if Search::read(&folder).is_ok() {
                    eprintln!(
                        "lucena: 'lucena tune --resume {}' goes on",
                        folder.display()
                    );
                }
                bail!("interrupted");
            }
            Err(error) if error.is_misuse() && self.resume.is_none() => misuse(error),
            Err(error) => return Err(error.into()),
        };
        self.finish(&report, &folder)
    }

    /// The search that the options describe.
    fn search(&self) -> Search {
        let episodes = self.episodes.expect("clap asks for it");
        for (given, option, of) in [
            (self.trials.is_some(), "--trials", MethodName::Random),
            (self.members.is_some(), "--members", MethodName::Population),
            (
                self.generation.is_some(),
                "--generation",
                MethodName::Population,
            ),
        ] {
            if given && of != self.method {
                let of = match of {
                    MethodName::Random => "--method random",
                    _ => "--method population",
                };
                misuse(TuningError::Search(format!("{option} belongs to {of}")));
            }
        }
        let mut search = Search {
            recipe: self.recipe.clone().expect("clap asks for it"),
            endgame: self.endgame.map(|material| material.to_string()),
            board: self.board.size(),
            set: self.set.clone(),
            seeds: self.seeds,
            episodes,
            seed: self.seed,
            score: self.score.clone(),
            lowest: self.lowest,
            games: self.games,
            method: match self.method {
                MethodName::Grid => Method::Grid,
                MethodName::Random => Method::Random {
                    trials: self.trials.unwrap_or(TRIALS_BY_DEFAULT),
                },
                MethodName::Population => Method::Population {
                    members: self.members.unwrap_or(8),
                    generation: self.generation.unwrap_or(episodes.div_ceil(10)),
                },
            },
            versions: Search::this_version(),
        };
        // Where nobody says how many, no more are tried than there are.
        let count = search.space().ok().and_then(|space| space.count());
        if let (Method::Random { trials }, None, Some(count)) =
            (&mut search.method, self.trials, count)
        {
            *trials = count.clamp(1, (*trials).into()) as u32;
        }
        search
    }

    /// Writes the report beside the runs and prints it.
    fn finish(&self, report: &Report, folder: &Path) -> anyhow::Result<()> {
        let json = format!("{:#}\n", report.json()?);
        let markdown = report.markdown();
        let page = format!("{markdown}\n![The picture of the search](report.svg)\n");
        write_atomically(&folder.join("report.json"), json.as_bytes())?;
        write_atomically(&folder.join("report.md"), page.as_bytes())?;
        let picture = papers::tuning_picture(report);
        write_atomically(&folder.join("report.svg"), picture.as_bytes())?;
        let mut out = std::io::stdout().lock();
        write!(out, "{}", if self.json { json } else { markdown })?;
        let name = folder.display();
        eprintln!("lucena: {name} holds report.md, report.json, report.svg and all runs");
        Ok(())
    }
}

/// The end of the program, because the search is not what it should be.
fn misuse(error: TuningError) -> ! {
    crate::Cli::command()
        .error(ErrorKind::InvalidValue, error)
        .exit()
}

/// The certified share of what a run has learned; the certificate is kept with the run.
fn certified(
    run: &Path,
    task: Task,
    registry: &Registry,
    tablebase: &Arc<Tablebase>,
) -> Result<f64, Box<dyn Error + Send + Sync>> {
    let (material, board) = task.endgame()?;
    let player = registry.parse_policy(&format!("run:{}", run.display()))?;
    // A run knows one endgame. Where men can be exchanged or promoted, exact truth counts from there on.
    let converts = material.has_pawns() || !material.side(Color::Black).is_bare();
    let certification = Certification {
        material,
        board,
        convert: if converts {
            Convert::Truth
        } else {
            Convert::Player
        },
        journal: None,
        stop: interrupt_flag(),
        progress: &|_| !interrupted(),
    };
    let mut solver = Solver::with_folder(board, tablebase.folder());
    let proof = certification.attack(&Candidate::of(&player), &mut solver)?;
    keep_with_run(run, &proof)?;
    Ok(proof.certificate.share.unwrap_or(f64::NAN))
}

/// Shows how a search comes along.
struct TuneBar {
    bar: ProgressBar,
    best: Mutex<String>,
}

impl TuneBar {
    fn new(search: &Search) -> TuneBar {
        let bar = ProgressBar::no_length();
        let episodes = learn::Recipe::find(&search.recipe);
        let episodes = episodes.map_or("episodes".to_owned(), |r| r.episodes.to_string());
        let template = format!("{{bar:30}} {{pos}}/{{len}} {episodes}, {{msg}} {{elapsed}}");
        bar.set_style(
            ProgressStyle::with_template(&template).expect("the template is well-formed"),
        );
        bar.enable_steady_tick(Duration::from_millis(100));
        TuneBar {
            bar,
            best: Mutex::default(),
        }
    }

    fn step(&self, progress: &TuningProgress) {
        let mut best = self.best.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(now) = &progress.best {
            *best = format!("best {now}, ");
        }
        let left = progress
            .left
            .map_or(String::new(), |left| format!("left {} s,", left.as_secs()));
        self.bar.set_length(progress.of);
        self.bar.set_position(progress.episodes);
        self.bar.set_message(format!("{best}{left}"));
    }

    fn say(&self, text: &str) {
        self.bar.suspend(|| eprintln!("lucena: {text}"));
    }
}

impl Drop for TuneBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
