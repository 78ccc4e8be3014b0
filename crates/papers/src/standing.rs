//! Where a method stands in an endgame: what it cost to learn, how it plays, and what is proven of it.

use std::path::Path;

use play::{
    CertificationError, Match, MatchProgress, Openings, PlayScore, PlayerSpec, Running, SpecError,
    review,
};
use rules::{Board, Color, Material, Reason, Rules};

use crate::{
    Bench, Budget, Cell, Figure, Measure, Measured, PaperError, Training, certificate, stopwatch,
};

/// A method in an endgame, as seven cells: episodes and seconds of its training, bytes of what it has
/// learned, best moves, games won against `perfect`, the certified share and the excess.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// The men.
    pub material: &'static str,
    /// Who plays.
    pub method: Method,
}

/// Who plays.
#[derive(Clone, Copy, Debug)]
pub enum Method {
    /// A player by name, which learns nothing.
    Player(&'static str),
    /// What a training has learned, with settings of the player `run`, such as `,depth=4`.
    Trained(Training, &'static str),
    /// A network of the folder `nets`, and how it was made; a smoke run makes a small one like it.
    Network(&'static str, Training),
    /// A network of the folder `nets` that learned from games, with settings of the player `net`.
    OfGames(&'static str, &'static str),
}

/// A player, and what it took to make it.
struct Made {
    text: String,
    episodes: Cell,
    seconds: Cell,
    bytes: Cell,
}

fn exactly(value: f64) -> Cell {
    Cell::Figure(Figure::exact(value, 1))
}

fn missing(why: &str) -> Cell {
    Cell::Missing(why.to_owned())
}

impl Method {
    fn make(self, bench: &Bench<'_>) -> Result<Made, PaperError> {
        let file = |file: &str, settings: &str| {
            let path = Path::new("nets").join(file);
            let bytes = match path.metadata() {
                Ok(metadata) => exactly(metadata.len() as f64),
                Err(error) => Cell::Missing(format!("{}: {error}", path.display())),
            };
            Made {
                text: format!("net:{}{settings}", path.display()),
                episodes: missing("made elsewhere"),
                seconds: missing("made elsewhere"),
                bytes,
            }
        };
        Ok(match self {
            Method::Player(text) => Made {
                text: text.to_owned(),
                episodes: missing("nothing is learned"),
                seconds: missing("nothing is learned"),
                bytes: missing("nothing is learned"),
            },
            Method::Trained(training, settings) => trained(&training, settings, bench)?,
            Method::Network(_, training) if bench.budget == Budget::Smoke => {
                trained(&training, "", bench)?
            }
            Method::Network(name, _) => file(name, ""),
            Method::OfGames(..) if bench.budget == Budget::Smoke => {
                Method::Player("minimax:depth=1,history=off").make(bench)?
            }
            Method::OfGames(name, settings) => file(name, settings),
        })
    }

    fn settings(self, budget: Budget) -> String {
        match self {
            Method::Player(text) => text.to_owned(),
            Method::Trained(training, settings) => {
                format!("{}, as run:FOLDER{settings}", training.settings(budget))
            }
            Method::Network(file, training) => format!(
                "net:nets/{file}, made by {} (docs/learners.md)",
                training.settings(budget)
            ),
            Method::OfGames(file, settings) => {
                format!("net:nets/{file}{settings}, made from master games (docs/imitation.md)")
            }
        }
    }
}

/// Carries a training out, or takes it as it is.
fn trained(training: &Training, settings: &str, bench: &Bench<'_>) -> Result<Made, PaperError> {
    let folder = training.run(bench)?;
    let seconds = stopwatch::cell(stopwatch::seconds(&folder));
    let learned = training.train(bench)?;
    Ok(Made {
        text: format!("run:{}{settings}", folder.display()),
        episodes: exactly(learned.games as f64),
        seconds,
        bytes: exactly(learned.learner.bytes() as f64),
    })
}

impl Standing {
    fn endgame(&self, budget: Budget) -> Result<(Material, Board), PaperError> {
        if let Method::Trained(training, _) | Method::Network(_, training) = self.method {
            return training.endgame(budget);
        }
        let wrong = |why: String| PaperError::Setting(why);
        let material = self.material.parse().map_err(|e| wrong(format!("{e}")))?;
        let side = if budget == Budget::Smoke { 4 } else { 8 };
        let board = Board::new(side).map_err(|e| wrong(e.to_string()))?;
        Ok((material, board))
    }

    fn games(budget: Budget) -> u64 {
        budget.pick(2, 100, 1000)
    }

    /// Best moves and games won, over games from random won positions against `perfect`.
    fn play(&self, player: &PlayerSpec, bench: &Bench<'_>) -> Result<[Cell; 2], PaperError> {
        let (material, board) = self.endgame(bench.budget)?;
        let truth = bench.truth(material, board)?;
        let rules = Rules {
            max_moves: (bench.budget == Budget::Smoke).then_some(5),
            ..Rules::default()
        };
        let openings = Openings::random_won(material, board, truth.clone());
        let games = Standing::games(bench.budget);
        let contest = Match {
            rules,
            seed: bench.seed,
            ..Match::new(player.clone(), bench.player("perfect")?, openings, games)
        };
        let progress = |progress: &MatchProgress<'_>| {
            bench.tell(
                progress.finished,
                progress.games,
                "games against perfect play",
            );
        };
        let result = contest.run(Running {
            threads: bench.threads,
            progress: Some(&progress),
            stop: Some(bench.stop),
            oracle: None,
        })?;
        if !result.complete {
            return Err(PaperError::Stopped);
        }
        let (mut best, mut moves, mut mates) = (0, 0, 0);
        for record in &result.records {
            let game = record.game(rules);
            let game = game.map_err(|error| PaperError::Setting(error.to_string()))?;
            let score = PlayScore::of(Color::White, &review(&game, truth.as_ref()));
            best += score.best as u64;
            moves += score.moves as u64;
            let mated = record.winner == Some(Color::White) && record.reason == Reason::Checkmate;
            mates += u64::from(mated);
        }
        let won = Cell::Figure(Figure::percent(mates, result.records.len() as u64));
        Ok([Cell::Figure(Figure::percent(best, moves)), won])
    }

    /// Best moves over all won positions, the certified share and the excess; or why there is no certificate.
    fn prove(
        &self,
        player: &PlayerSpec,
        bench: &Bench<'_>,
    ) -> Result<Result<[Cell; 3], String>, PaperError> {
        let (material, board) = self.endgame(bench.budget)?;
        let proved = certificate::certify_player(player, material, board, bench);
        let certificate = match proved {
            Err(PaperError::Certify(CertificationError::NotAPolicy { nature, .. })) => {
                return Ok(Err(format!("its move {nature}")));
            }
            proved => proved?,
        };
        let best = match certificate.optimal_move_share {
            Some(share) => Cell::Figure(Figure::exact(100.0 * share, certificate.won_positions)),
            None => missing("no position is won"),
        };
        let [certified, excess] = certificate::cells(&certificate);
        Ok(Ok([best, certified, excess]))
    }
}

impl Measure for Standing {
    fn cells(&self) -> usize {
        7
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "{}: {}; {} games from random won positions against perfect; certified over all won positions, within \
             fifty moves",
            self.material,
            self.method.settings(budget),
            Standing::games(budget)
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let made = self.method.make(bench)?;
        let player = match bench.player(&made.text) {
            Ok(player) => player,
            // A network that is not there.
            Err(PaperError::Player(SpecError::Other { why, .. })) => {
                return Ok(Measured::missing(self.cells(), &why));
            }
            Err(error) => return Err(error),
        };
        let [best_in_games, won] = self.play(&player, bench)?;
        let [best, certified, excess] = match self.prove(&player, bench)? {
            Ok(cells) => cells,
            Err(why) => [
                best_in_games,
                Cell::Missing(why.clone()),
                Cell::Missing(why),
            ],
        };
        Ok(Measured::cells(vec![
            made.episodes,
            made.seconds,
            made.bytes,
            best,
            won,
            certified,
            excess,
        ]))
    }
}
