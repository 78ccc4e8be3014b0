//! What document W's seven networks know of games that they have not learned from, and how they play.

use learn::{
    games::Split,
    imitation::Library,
    wojcik::{EPISODES_IN_A_PASS, Marks, NETWORKS, SevenMarks, SevenNetworks, judge},
};
use play::{Dice, Ending, Match, MatchProgress, Openings, Running, SpecError};
use rules::{Color, Game, Position, Rules, Square, plain_file};
use serde::{Deserialize, Serialize};

use crate::{
    Bench, Budget, Cell, Curve, Diagram, Figure, GamesTraining, Measure, Measured, PaperError,
    games_training::{GamesTrained, NO_GAMES},
};

/// How often the first choice is right, over all positions of held-out games and over those that occur
/// in no training game, and how often it is legal, everywhere and in check.
pub struct HeldOutMarks {
    /// How the networks are made.
    pub training: GamesTraining,
    /// Whose choices.
    pub of: MarksOf,
}

/// Whose choices are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarksOf {
    /// One network's, by its place in [`NETWORKS`].
    Network(usize),
    /// Whole moves: the best of the legal ones.
    Moves,
    /// The same, right when the move played is among the first three.
    FirstThree,
    /// The same with the first five.
    FirstFive,
}

/// What is worked out once for a training and kept beside it.
#[derive(Serialize, Deserialize)]
struct Judged {
    marks: SevenMarks,
    example: Option<Diagram>,
}

const JUDGED: &str = "judged.json";

fn broken(error: impl std::fmt::Display) -> PaperError {
    PaperError::Setting(error.to_string())
}

/// The networks of a run.
fn networks(trained: &GamesTrained) -> Result<SevenNetworks, PaperError> {
    let path = trained.run.join("weights.safetensors");
    let bytes = plain_file::read(&path, plain_file::TEXT)
        .map_err(|source| PaperError::File { path, source })?;
    Ok(SevenNetworks::from_file(&bytes)?)
}

impl HeldOutMarks {
    fn judged(&self, trained: &GamesTrained, bench: &Bench<'_>) -> Result<Judged, PaperError> {
        let path = trained.run.join(JUDGED);
        let kept = plain_file::read_to_string(&path, plain_file::TEXT).ok();
        if let Some(judged) = kept.and_then(|text| serde_json::from_str(&text).ok()) {
            return Ok(judged);
        }
        bench.tell(0, 0, "judging by held-out games");
        let settings = learn::info(&trained.run)?.plan.settings;
        let held_out = settings
            .get("held_out")
            .map_or(2.0, |percent| percent.as_float().unwrap_or(2.0));
        let split: Split = held_out.to_string().parse().map_err(broken)?;
        let library = Library::open(&trained.games, split).map_err(broken)?;
        let networks = networks(trained)?;
        let judged = Judged {
            marks: judge(&networks, &library, usize::MAX),
            example: example(&networks, &library),
        };
        let text = serde_json::to_string(&judged).map_err(broken)?;
        crate::write_atomically(&path, &text)?;
        Ok(judged)
    }

    fn cells(&self, marks: &SevenMarks) -> Vec<Cell> {
        let marks = match self.of {
            MarksOf::Network(network) => &marks.networks[network],
            _ => &marks.moves,
        };
        let Marks {
            positions, unseen, ..
        } = *marks;
        let (right, unseen_right) = match self.of {
            MarksOf::FirstThree => (marks.first_three, marks.unseen_first_three),
            MarksOf::FirstFive => (marks.first_five, marks.unseen_first_five),
            _ => (marks.right, marks.unseen_right),
        };
        let share = |part: u64, of: u64| match of {
            0 => Cell::Missing("no such position".into()),
            of => Cell::Figure(Figure::percent(part, of)),
        };
        let mut cells = vec![share(right, positions), share(unseen_right, unseen)];
        cells.extend(match self.of {
            MarksOf::Network(_) | MarksOf::Moves => [
                share(marks.legal, positions),
                share(marks.legal_in_check, marks.in_check),
            ],
            _ => [(); 2].map(|()| Cell::Missing("only legal moves are compared".into())),
        });
        cells
    }
}

/// The first position of the held-out games, from the thirteenth move on, that occurs in no training
/// game and in which white is to move, with the squares that the picker likes best.
fn example(networks: &SevenNetworks, library: &Library) -> Option<Diagram> {
    let held_out = library.held_out();
    let place = (0..held_out.len()).find(|&place| {
        let (_, ply) = held_out.origin(place);
        ply >= 24 && held_out.as_slice()[place].turn() == Color::White && library.is_unseen(place)
    })?;
    let packed = &held_out.as_slice()[place];
    let position = packed.position();
    let scored = networks.score(&position);
    let percent = |square: Square| 100.0 * scored.from[square as usize];
    let marks = Square::ALL
        .into_iter()
        .filter(|&square| percent(square) >= 1.0)
        .map(|square| (square.to_string(), format!("{:.0}", percent(square))))
        .collect();
    let played = packed.played().unpack(position.chess())?;
    Some(Diagram {
        fen: position.fen(),
        caption: format!(
            "Which square is picked, in percent (from 1 % on); {} was played",
            position.san(played)
        ),
        marks,
    })
}

impl Measure for HeldOutMarks {
    fn cells(&self) -> usize {
        4
    }

    fn settings(&self, budget: Budget) -> String {
        let whose = match self.of {
            MarksOf::Network(network) => format!("the network '{}'", NETWORKS[network]),
            MarksOf::Moves => "whole moves".into(),
            MarksOf::FirstThree => "whole moves, among the first three".into(),
            MarksOf::FirstFive => "whole moves, among the first five".into(),
        };
        format!(
            "{}; {whose} in all held-out positions",
            self.training.settings(budget)
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let Some(trained) = self.training.train(bench)? else {
            return Ok(Measured::missing(Measure::cells(self), NO_GAMES));
        };
        let judged = self.judged(&trained, bench)?;
        let mut measured = Measured::cells(HeldOutMarks::cells(self, &judged.marks));
        if let MarksOf::Network(network) = self.of {
            let metrics = learn::info(&trained.run)?.progressed.unwrap_or_default();
            let name = format!("held_out/right_{}", NETWORKS[network]);
            let series = metrics.metrics.series(&name).into_iter();
            let epochs = |episodes: u64| episodes as f64 / EPISODES_IN_A_PASS as f64;
            let points = series.map(|(at, share)| (epochs(at), 100.0 * share));
            measured.curves.push(Curve {
                name: String::new(),
                x: "passes".into(),
                y: "right in some held-out positions, %".into(),
                points: points.collect(),
            });
            if network == 0 {
                measured.diagrams.extend(judged.example);
            }
        }
        Ok(measured)
    }

    fn reads_games(&self) -> bool {
        true
    }
}

/// Games of the networks against another player, with the colours by turns.
pub struct NetworkGames {
    /// How the networks are made.
    pub training: GamesTraining,
    /// The other player.
    pub against: &'static str,
    /// Games in a full run; a tenth of them in a quick one.
    pub games: u64,
}

/// Random plies that a game begins with, so that no two are the same.
const OPENING: usize = 4;

impl NetworkGames {
    fn count(&self, budget: Budget) -> u64 {
        budget.pick(2, self.games.div_ceil(20) * 2, self.games)
    }

    fn rules(budget: Budget) -> Rules {
        // A smoke run need not see the end of a game.
        let moves = if budget == Budget::Smoke { 5 } else { 200 };
        Rules::fide().with_max_moves(moves)
    }
}

/// Positions after some random plies.
fn openings(count: u64, seed: u64) -> Openings {
    let mut dice = Dice::new(seed);
    let mut opening = || loop {
        let mut game = Game::new(Position::start(), Rules::none());
        for _ in 0..OPENING {
            let moves = game.position().legal_moves();
            game.play_legal(moves[dice.below(moves.len())]);
        }
        // Fool's mate takes four plies.
        if game.outcome().is_none() {
            return game.position().clone();
        }
    };
    Openings::List((0..count).map(|_| opening()).collect())
}

impl Measure for NetworkGames {
    fn cells(&self) -> usize {
        3
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "{}; {} games against {}, each of two from the start after {OPENING} random plies with colours exchanged, \
             rules {}",
            self.training.settings(budget),
            self.count(budget),
            self.against,
            NetworkGames::rules(budget)
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let other = match bench.player(self.against) {
            Ok(player) => player,
            // An engine that is not installed.
            Err(PaperError::Player(SpecError::Other { why, .. }))
                if self.against.starts_with("uci:") =>
            {
                return Ok(Measured::missing(self.cells(), &why));
            }
            Err(error) => return Err(error),
        };
        let Some(trained) = self.training.train(bench)? else {
            return Ok(Measured::missing(self.cells(), NO_GAMES));
        };
        let own = bench.player(&format!(
            "net:{}",
            trained.run.join("weights.safetensors").display()
        ))?;
        let games = self.count(bench.budget);
        let contest = Match {
            rules: NetworkGames::rules(bench.budget),
            seed: bench.seed,
            paired: true,
            ..Match::new(own, other, openings(games.div_ceil(2), bench.seed), games)
        };
        let progress = |progress: &MatchProgress<'_>| {
            bench.tell(progress.finished, progress.games, "");
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
        let count = |ending| result.statistics.count(ending);
        let [wins, draws, losses] = [Ending::Win, Ending::Draw, Ending::Loss].map(count);
        let of = wins + draws + losses;
        let points = |count: u64, points: f64| std::iter::repeat_n(points, count as usize);
        let points: Vec<f64> = points(wins, 100.0)
            .chain(points(draws, 50.0))
            .chain(points(losses, 0.0))
            .collect();
        Ok(Measured::cells(vec![
            Cell::Figure(Figure::percent(wins, of)),
            Cell::Figure(Figure::percent(draws, of)),
            Cell::mean(&points, "no games"),
        ]))
    }

    fn reads_games(&self) -> bool {
        true
    }
}
