use play::{Ending, Match, MatchProgress, Openings, PlayerSpec, Running, SpecError};
use rules::Rules;

use crate::{Agent, Bench, Budget, Cell, Curve, Figure, Measure, Measured, PaperError, stopwatch};

/// An agent, and how it chooses its moves: what stands behind `run:FOLDER`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Playing {
    /// The agent.
    pub agent: Agent,
    /// Nothing, or a search such as `,search=puct,simulations=64`.
    pub how: &'static str,
}

/// An agent of whole games, as eight cells: iterations of its training and the processor's seconds for it, the moves it learned
/// from and how often it asked its network for them, then points of games against a random mover, against a rival, and against two of Stockfish's levels. The
/// curve of its points against the random mover comes along.
#[derive(Clone, Copy, Debug)]
pub struct AgentStanding {
    /// Whom it is about.
    pub own: Playing,
    /// Whom it meets besides.
    pub rival: Playing,
}

/// Random plies that games begin with, so that no two are the same.
const OPENING: usize = 6;
const STOCKFISH: [&str; 2] = [
    "uci:stockfish,depth=1,option.Skill Level=0",
    "uci:stockfish,depth=4,option.Skill Level=3",
];

impl Playing {
    fn settings(&self, budget: Budget) -> String {
        format!("{}, as run:FOLDER{}", self.agent.settings(budget), self.how)
    }

    /// The player after so many iterations; at the end if nothing else is said. Why there is none, if there is
    /// none.
    pub(crate) fn player(
        &self,
        bench: &Bench<'_>,
        checkpoint: Option<u64>,
    ) -> Result<Result<PlayerSpec, String>, PaperError> {
        let folder = match self.agent.train(bench)? {
            Ok(folder) => folder,
            Err(why) => return Ok(Err(why)),
        };
        let checkpoint = checkpoint.map_or("newest".to_owned(), |n| n.to_string());
        let text = format!(
            "run:{},checkpoint={checkpoint}{}",
            folder.display(),
            self.how
        );
        Ok(Ok(bench.player(&text)?))
    }
}

impl AgentStanding {
    /// Games against each opponent, and for a point of the curve.
    fn games(budget: Budget) -> (u64, u64) {
        (budget.pick(2, 20, 200), budget.pick(2, 10, 50))
    }

    /// Their mean.
    fn points(
        bench: &Bench<'_>,
        own: &PlayerSpec,
        other: &PlayerSpec,
        games: u64,
    ) -> Result<Cell, PaperError> {
        let points = AgentStanding::points_of_games(bench, own, other, games)?;
        Ok(Cell::mean(&points, "no games"))
    }

    /// Points of games in percent, every opening with both colours.
    pub(crate) fn points_of_games(
        bench: &Bench<'_>,
        own: &PlayerSpec,
        other: &PlayerSpec,
        games: u64,
    ) -> Result<Vec<f64>, PaperError> {
        let moves = if bench.budget == Budget::Smoke {
            5
        } else {
            200
        };
        let openings = Openings::walks(games.div_ceil(2), OPENING, bench.seed);
        let contest = Match {
            rules: Rules::default().with_max_moves(moves),
            seed: bench.seed,
            paired: true,
            ..Match::new(own.clone(), other.clone(), openings, games)
        };
        let progress =
            |progress: &MatchProgress<'_>| bench.tell(progress.finished, progress.games, "games");
        let result = contest.run(Running {
            threads: bench.threads,
            progress: Some(&progress),
            stop: Some(bench.stop),
            oracle: None,
        })?;
        if !result.complete {
            return Err(PaperError::Stopped);
        }
        let endings = [
            (Ending::Win, 100.0),
            (Ending::Draw, 50.0),
            (Ending::Loss, 0.0),
        ];
        let points = endings.into_iter().flat_map(|(ending, points)| {
            let count = result.statistics.count(ending) as usize;
            std::iter::repeat_n(points, count)
        });
        Ok(points.collect())
    }
}

impl Measure for AgentStanding {
    fn cells(&self) -> usize {
        8
    }

    fn settings(&self, budget: Budget) -> String {
        let (games, of_curve) = AgentStanding::games(budget);
        format!(
            "{}; {games} games each against random, {}, {} and {}, {of_curve} for a point of the curve; {OPENING} \
             random plies, both colours",
            self.own.settings(budget),
            self.rival.settings(budget),
            STOCKFISH[0],
            STOCKFISH[1],
        )
    }

    fn agents(&self) -> Vec<Agent> {
        vec![self.own.agent, self.rival.agent]
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let agent = self.own.agent;
        let folder = match agent.train(bench)? {
            Ok(folder) => folder,
            Err(why) => return Ok(Measured::missing(self.cells(), &why)),
        };
        let seconds = stopwatch::cell(stopwatch::processor_seconds(&folder));
        let progressed = learn::info(&folder)?.progressed.unwrap_or_default();
        let moves = progressed.metrics.series("training/plies");
        // Noted at the points of the curve, each for the iteration before it.
        let asked = progressed.metrics.series("self_play/evaluations");
        let asked: Vec<f64> = asked.into_iter().map(|(_, count)| count).collect();
        let exactly = |value: f64| Cell::Figure(Figure::exact(value, 1));
        let own = match self.own.player(bench, None)? {
            Ok(own) => own,
            Err(why) => return Ok(Measured::missing(self.cells(), &why)),
        };
        let (games, of_curve) = AgentStanding::games(bench.budget);
        let random = bench.player("random")?;
        let rival = match self.rival.player(bench, None)? {
            Ok(rival) => AgentStanding::points(bench, &own, &rival, games)?,
            Err(why) => Cell::Missing(why),
        };
        let mut cells = vec![
            exactly(progressed.episodes as f64),
            seconds,
            match moves.last() {
                Some(&(_, moves)) => exactly(moves),
                None => Cell::Missing("not known".into()),
            },
            match Figure::mean(&asked) {
                Some(mean) => exactly((mean.value * progressed.episodes as f64).round()),
                None => Cell::Missing("about one a move".into()),
            },
            AgentStanding::points(bench, &own, &random, games)?,
            rival,
        ];
        for text in STOCKFISH {
            cells.push(match bench.player(text) {
                Ok(engine) => AgentStanding::points(bench, &own, &engine, games)?,
                // It is not installed.
                Err(PaperError::Player(SpecError::Other { why, .. })) => Cell::Missing(why),
                Err(error) => return Err(error),
            });
        }
        let mut points = Vec::new();
        for checkpoint in agent.checkpoints(bench.budget) {
            if let Ok(own) = self.own.player(bench, Some(checkpoint))?
                && let Cell::Figure(figure) = AgentStanding::points(bench, &own, &random, of_curve)?
            {
                points.push((checkpoint as f64, figure.value));
            }
        }
        Ok(Measured {
            cells,
            curves: vec![Curve {
                name: String::new(),
                x: "iterations".into(),
                y: "points in percent against random".into(),
                points,
            }],
            ..Measured::default()
        })
    }
}
