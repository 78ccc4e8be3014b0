//! The three networks of document W's duels, and games between them.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use learn::{Plan, Task};
use play::{Ending, Match, MatchError, MatchProgress, Openings, Running};
use rules::{Position, Rules, plain_file};

use crate::{
    Bench, Budget, Cell, Figure, Measure, Measured, PaperError,
    games_training::{NO_GAMES, from_games, games_for, settings_text},
    own_networks,
    training::carry_out,
    write_atomically,
};

/// How the three networks come to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Making {
    /// By the document's recipe.
    Document,
    /// By ours.
    Own,
}

const SECONDS: &str = "seconds";
const POSITIONS: &str = "positions";

/// Which of the three networks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// A new one: M0.
    New,
    /// After the games of others: M1.
    Studied,
    /// After self-play: M2.
    SelfPlayed,
}

impl Stage {
    const ALL: [Stage; 3] = [Stage::New, Stage::Studied, Stage::SelfPlayed];

    fn name(self) -> &'static str {
        match self {
            Stage::New => "M0",
            Stage::Studied => "M1",
            Stage::SelfPlayed => "M2",
        }
    }

    pub(crate) fn file_name(self) -> String {
        format!("{}.safetensors", self.name())
    }

    /// The file of a number that is kept beside the network.
    fn number(self, what: &str) -> String {
        format!("{}.{what}", self.name())
    }

    /// Keeps the network that a run has made in a folder, from how many positions that the one before it had not
    /// seen, and how long it took.
    pub(crate) fn keep(
        self,
        run: &Path,
        folder: &Path,
        positions: f64,
        took: Duration,
    ) -> Result<(), PaperError> {
        // A training that was interrupted counts its last part only.
        for (what, number) in [(SECONDS, took.as_secs_f64()), (POSITIONS, positions)] {
            write_atomically(&folder.join(self.number(what)), &format!("{number:.1}\n"))?;
        }
        // What is paused leaves its network in a file.
        let (weights, kept) = (
            run.join("weights.safetensors"),
            folder.join(self.file_name()),
        );
        let copied =
            std::fs::read(&weights).and_then(|bytes| truth::durable::write(&kept, [&bytes[..]]));
        copied.map_err(|source| PaperError::File { path: kept, source })
    }
}

/// A duel between one of the networks and the one before it, with the colours by turns: games won, drawn
/// and lost, the score, and how many positions and seconds lie between the two.
pub struct NetworkDuel {
    /// The later network.
    pub network: Stage,
    /// The earlier one.
    pub against: Stage,
    /// Games in a full run; a tenth of them in a quick one.
    pub games: u64,
    /// How the networks come to be.
    pub making: Making,
}

const RECIPE: &str = "wojcik-alphazero";
/// More episodes than it takes: the training ends when the network has learned from self-play.
const EPISODES: u64 = 2000;

/// What is not as the recipe has it. The duel of the experiment takes the place of the recipe's own.
const CHANGES: &[(&str, &str)] = &[("gate", "0"), ("generations", "1")];
const QUICK: &[(&str, &str)] = &[
    ("positions", "20000"),
    ("epochs", "2"),
    ("filters", "16"),
    ("blocks", "3"),
    ("simulations", "100"),
    ("harvest", "2000"),
];
const SMOKE: &[(&str, &str)] = &[
    ("judged", "50"),
    ("positions", "200"),
    ("epochs", "1"),
    ("filters", "4"),
    ("blocks", "1"),
    ("batch", "32"),
    ("games", "2"),
    ("simulations", "4"),
    ("max_moves", "5"),
    ("harvest", "15"),
    ("passes", "1"),
];

fn changes(budget: Budget) -> Vec<(String, String)> {
    let more = match budget {
        Budget::Smoke => SMOKE,
        Budget::Quick => QUICK,
        Budget::Full => &[],
    };
    let all = CHANGES.iter().chain(more);
    all.map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn training(budget: Budget) -> String {
    let settings = settings_text(RECIPE, &changes(budget), &["data"]);
    let games = match budget {
        Budget::Smoke => "random games",
        _ => "a file of games",
    };
    format!("{RECIPE} from {games} ({settings})")
}

/// The run, in whose folder each network has its file; `None` where there are no games to begin with.
fn train(bench: &Bench<'_>) -> Result<Option<PathBuf>, PaperError> {
    let Some(games) = games_for(bench)? else {
        return Ok(None);
    };
    let mut changes = changes(bench.budget);
    changes.push(("data".to_owned(), games.to_string_lossy().into_owned()));
    let mut plan = Plan::new(RECIPE, Task::Chess, EPISODES, bench.seed, &changes)?;
    plan.keep_checkpoints = 1;
    (plan.checkpoint_every, plan.report_every) = (1, 1);
    let key = from_games(&training(bench.budget), bench.seed, &games)?;
    let run = bench.trainings.join(format!("{RECIPE}-{key}"));
    let epochs = plan.settings.get("epochs").and_then(|it| it.as_integer());
    for stage in Stage::ALL {
        if run.join(stage.file_name()).exists() {
            continue;
        }
        let until = match stage {
            Stage::New => Some(0),
            Stage::Studied => Some(epochs.unwrap_or(0) as u64),
            Stage::SelfPlayed => None,
        };
        let begin = Instant::now();
        carry_out(&plan, &run, None, until, bench, "episodes of training")?;
        stage.keep(&run, &run, positions(stage, &run)?, begin.elapsed())?;
    }
    Ok(Some(run))
}

/// Positions that a network learned from and the one before it did not.
fn positions(stage: Stage, run: &Path) -> Result<f64, PaperError> {
    let info = learn::info(run)?;
    let number = |name: &str| info.plan.settings.get(name).and_then(|it| it.as_integer());
    Ok(match stage {
        Stage::New => 0.0,
        Stage::Studied => number("positions").unwrap_or(0) as f64,
        Stage::SelfPlayed => {
            let epochs = number("epochs").unwrap_or(0) as u64;
            let told = info.progressed.unwrap_or_default().metrics;
            let rounds = told.series("self_play/positions").into_iter();
            let rounds = rounds.filter(|&(episode, _)| episode > epochs);
            rounds.map(|(_, positions)| positions).sum()
        }
    })
}

impl NetworkDuel {
    fn count(&self, budget: Budget) -> u64 {
        budget.pick(2, self.games.div_ceil(20) * 2, self.games)
    }

    fn rules(budget: Budget) -> Rules {
        // A smoke run need not see the end of a game.
        let moves = if budget == Budget::Smoke { 5 } else { 200 };
        Rules::default().with_max_moves(moves)
    }

    fn simulations(budget: Budget) -> u64 {
        budget.pick(4, 100, 800)
    }
}

impl Measure for NetworkDuel {
    fn cells(&self) -> usize {
        6
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "{}; {} games of {} against {} from the start, colours by turns, preset wojcik, {} simulations, rules {}",
            match self.making {
                Making::Document => training(budget),
                Making::Own => own_networks::description(budget),
            },
            self.count(budget),
            self.network.name(),
            self.against.name(),
            NetworkDuel::simulations(budget),
            NetworkDuel::rules(budget)
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let run = match self.making {
            Making::Document => train(bench)?,
            Making::Own => own_networks::train(bench)?,
        };
        let Some(run) = run else {
            return Ok(Measured::missing(self.cells(), NO_GAMES));
        };
        let simulations = NetworkDuel::simulations(bench.budget);
        let player = |stage: Stage| {
            let file = run.join(stage.file_name());
            let how = format!("search=puct,preset=wojcik,simulations={simulations}");
            bench.player(&format!("net:{},{how}", file.display()))
        };
        let start = Openings::List(vec![Position::start()]);
        let games = self.count(bench.budget);
        let contest = Match {
            rules: NetworkDuel::rules(bench.budget),
            seed: bench.seed,
            paired: true,
            ..Match::new(player(self.network)?, player(self.against)?, start, games)
        };
        let progress =
            |progress: &MatchProgress<'_>| bench.tell(progress.finished, progress.games, "");
        let running = || Running {
            threads: bench.threads,
            progress: Some(&progress),
            stop: Some(bench.stop),
            oracle: None,
        };
        // Rows of more games go on with the games of rows with fewer.
        let journal = run.join(format!(
            "{}-{}.games",
            self.network.name(),
            self.against.name()
        ));
        let result = match contest.run_with_journal(running(), &journal, journal.exists()) {
            Err(MatchError::Journal(_)) if journal.exists() => {
                std::fs::remove_file(&journal).map_err(|source| PaperError::File {
                    path: journal.clone(),
                    source,
                })?;
                contest.run_with_journal(running(), &journal, false)
            }
            other => other,
        }?;
        if !result.complete {
            return Err(PaperError::Stopped);
        }
        let count = |ending| result.statistics.count(ending);
        let counts = [Ending::Win, Ending::Draw, Ending::Loss].map(count);
        let of = counts.iter().sum();
        let points: Vec<f64> = counts
            .into_iter()
            .zip([100.0, 50.0, 0.0])
            .flat_map(|(count, points)| std::iter::repeat_n(points, count as usize))
            .collect();
        let mut cells: Vec<Cell> = counts
            .into_iter()
            .map(|count| Cell::Figure(Figure::percent(count, of)))
            .collect();
        cells.push(Cell::mean(&points, "no games"));
        for what in [POSITIONS, SECONDS] {
            let number = run.join(self.network.number(what));
            let number = plain_file::read_to_string(&number, plain_file::TEXT);
            let number = number.ok().and_then(|text| text.trim().parse().ok());
            cells.push(match number {
                Some(number) => Cell::Figure(Figure {
                    // Another training takes another time.
                    interval: Some((number, number)).filter(|_| what == POSITIONS),
                    ..Figure::exact(number, 1)
                }),
                None => Cell::Missing("not known".into()),
            });
        }
        Ok(Measured::cells(cells))
    }

    fn learns_on_device(&self) -> bool {
        self.making == Making::Own
    }

    fn reads_games(&self) -> bool {
        true
    }
}
