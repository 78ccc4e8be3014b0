//! Games between a learner's policy and an opponent, in the compact form.

use std::collections::BTreeMap;

use play::Registry;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Color, FewMen, Reason};

use crate::{LearnError, Opponent, Past, Skill, Ties, learner::below, learner::go_on};
use std::sync::atomic::AtomicBool;

/// How a contest is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContestRules {
    /// Games, each from another random position with white to move.
    pub games: u32,
    /// Moves of each side until a game is drawn.
    pub max_moves: u32,
    /// Is the third occurrence of a position a draw?
    pub repetition: bool,
    /// Which of several equally good moves a policy plays.
    pub ties: Ties,
    /// The same seed gives the same positions.
    pub seed: u64,
}

/// What came of a contest, from white's side.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ContestResult {
    /// Games played.
    pub games: u32,
    /// Games in which white mated.
    pub wins: u32,
    /// Games white lost.
    pub losses: u32,
    /// Drawn games by reason.
    pub draws: BTreeMap<Reason, u32>,
    /// White's moves in every game it won.
    pub moves_to_mate: Vec<u32>,
    /// White's moves in all games, for learners that can think of moves which are not legal.
    pub thoughts: u64,
    /// How often it thought of a legal move; otherwise a random one was played.
    pub legal_thoughts: u64,
}

impl ContestResult {
    /// The share of games won, 0 to 1.
    pub fn win_rate(&self) -> f64 {
        f64::from(self.wins) / f64::from(self.games.max(1))
    }

    /// Adds the games of another contest.
    pub fn add(&mut self, other: ContestResult) {
        self.games += other.games;
        self.wins += other.wins;
        self.losses += other.losses;
        for (reason, count) in other.draws {
            *self.draws.entry(reason).or_default() += count;
        }
        self.moves_to_mate.extend(other.moves_to_mate);
        self.thoughts += other.thoughts;
        self.legal_thoughts += other.legal_thoughts;
    }
}

/// Who plays black.
pub enum Defender<'a> {
    /// An opponent.
    Opponent(Opponent),
    /// A learner's policy for black, such as the black agent of document Y.
    Skill(&'a dyn Skill),
}

/// Plays `white`'s policy against a defender.
///
/// # Errors
/// When the opponent is a player that fails, or it is told to stop.
pub fn contest(
    white: &dyn Skill,
    black: &mut Defender<'_>,
    rules: ContestRules,
    stop: &AtomicBool,
) -> Result<ContestResult, LearnError> {
    contest_from(white, black, rules, stop, |random| start(white, random))
}

/// The same from positions of one's own, white to move and the game not over.
///
/// # Errors
/// When the opponent is a player that fails, or it is told to stop.
pub fn contest_from(
    white: &dyn Skill,
    black: &mut Defender<'_>,
    rules: ContestRules,
    stop: &AtomicBool,
    mut start: impl FnMut(&mut ChaCha8Rng) -> FewMen,
) -> Result<ContestResult, LearnError> {
    let mut random = ChaCha8Rng::seed_from_u64(rules.seed);
    let mut past = Past::new(rules.max_moves, rules.repetition);
    let few = &white.endgame().rules;
    let mut result = ContestResult {
        games: rules.games,
        ..ContestResult::default()
    };
    for _ in 0..rules.games {
        let mut men = start(&mut random);
        past.restart(number(men));
        if let Defender::Opponent(opponent) = &mut *black {
            opponent.new_game();
        }
        let outcome = loop {
            go_on(stop)?;
            let targets = few.targets(men);
            if let Some(outcome) = past.outcome(few, men, &targets) {
                break outcome;
            }
            let m = match (men.turn, &mut *black) {
                (Color::White, _) => {
                    let legal = white.thinks_legally(men);
                    result.thoughts += u64::from(legal.is_some());
                    result.legal_thoughts += u64::from(legal == Some(true));
                    match legal {
                        Some(false) => Some(targets.nth(below(&mut random, targets.len()))),
                        _ => prefer(white, men, rules.ties, &mut random),
                    }
                }
                (Color::Black, Defender::Skill(learner)) => {
                    prefer(*learner, men, rules.ties, &mut random)
                }
                (Color::Black, Defender::Opponent(opponent)) => {
                    Some(opponent.choose(few, men, &targets, &mut random, stop)?)
                }
            };
            // A game that is not over has a first move, should a policy have no opinion.
            men = few.after(men, m.unwrap_or_else(|| targets.nth(0)));
            past.push(number(men));
        };
        match outcome.winner {
            Some(Color::White) => {
                result.wins += 1;
                result.moves_to_mate.push(past.plies().div_ceil(2) as u32);
            }
            Some(Color::Black) => result.losses += 1,
            None => *result.draws.entry(outcome.reason).or_default() += 1,
        }
    }
    Ok(result)
}

/// The share of games that a policy wins against an opponent by name; `self` is its own black side.
///
/// # Errors
/// When there is no such opponent, or it fails.
pub(crate) fn evaluate(
    skill: &dyn Skill,
    opponent: &str,
    games: u32,
    seed: u64,
    registry: Option<&Registry>,
    stop: &AtomicBool,
) -> Result<f64, LearnError> {
    let rules = ContestRules {
        games,
        max_moves: 50,
        repetition: true,
        ties: Ties::First,
        seed,
    };
    let mut defender = match opponent {
        "self" => Defender::Skill(skill),
        _ => Defender::Opponent(Opponent::parse(opponent, registry, seed)?),
    };
    Ok(contest(skill, &mut defender, rules, stop)?.win_rate())
}

/// A start that is not over, in the frame of the board, not of a table.
pub(crate) fn start(learner: &dyn Skill, random: &mut ChaCha8Rng) -> FewMen {
    let rules = &learner.endgame().rules;
    loop {
        let men = rules.random(Color::White, random);
        if rules.ending(men, &rules.targets(men)).is_none() {
            return men;
        }
    }
}

/// The learner's move in the frame of the board.
pub(crate) fn prefer(
    learner: &dyn Skill,
    men: FewMen,
    ties: Ties,
    random: &mut ChaCha8Rng,
) -> Option<rules::FewMove> {
    let endgame = learner.endgame();
    let (canonical, symmetry) = endgame.index.canonical(men);
    let preference = match ties {
        Ties::First => learner.choose(canonical),
        Ties::Lot => learner.choose_by_lot(canonical, random),
    }?;
    endgame.unfold(men, canonical, symmetry, preference.m)
}

/// A number that tells positions of the same men apart.
fn number(men: FewMen) -> u64 {
    let square = |square: Option<rules::Square>| square.map_or(64, u64::from);
    men.others
        .into_iter()
        .chain([Some(men.white_king), Some(men.black_king)])
        .fold(0, |n, s| n * 65 + square(s))
}
