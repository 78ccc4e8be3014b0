//! Learners of whole games: their players without search, and the games that they are evaluated by.

use std::sync::atomic::AtomicBool;

use play::{
    Evaluator, Evaluators, Likeliest, Limits, Nature, Player, Prepared, Random, Registry, Settings,
    SpecError,
};
use rules::{Color, Game, Position, Rules};

use crate::{LearnError, learner::go_on};

/// Moves of each side until a game is drawn.
const MAX_MOVES: u32 = 150;
/// Random plies that a game begins with, so that no two are the same.
const OPENING: usize = 4;

/// The player of a network without search.
pub(crate) fn without_search(
    name: &str,
    evaluator: Box<dyn Evaluator>,
    nature: Nature,
) -> Box<dyn Player> {
    Box::new(Likeliest::new(name, evaluator, nature))
}

/// Such players of a run, set as the text that names it says.
///
/// # Errors
/// When it is to search in another way than by a tree.
pub(crate) fn players_without_search(
    name: &str,
    how: &Settings,
    evaluators: Evaluators,
    nature: Nature,
) -> Result<Prepared, SpecError> {
    for key in ["depth", "history", "game"] {
        if how.beginning_with(key).next().is_some() {
            return Err(how.refuse(key, "nothing: it searches with search=puct, or not at all"));
        }
    }
    how.one_of("moves", &[("best", ())], ())?;
    let name = name.to_owned();
    Ok(Prepared::new(move |_| {
        without_search(&name, evaluators(), nature)
    }))
}

/// The share of games that `own` wins against an opponent by name, with the colours by turns; `self`
/// is another of its own.
///
/// # Errors
/// When there is no such opponent, it fails, or it is told to stop.
pub(crate) fn share_won(
    own: &dyn Fn() -> Box<dyn Player>,
    opponent: &str,
    games: u32,
    seed: u64,
    registry: Option<&Registry>,
    stop: &AtomicBool,
) -> Result<f64, LearnError> {
    let other = match (opponent, registry) {
        ("self", _) | (_, None) => None,
        (text, Some(registry)) => Some(registry.parse(text)?),
    };
    let mut won = 0;
    for number in 0..games {
        go_on(stop)?;
        let seed = seed.wrapping_add(u64::from(number));
        let mut opponent: Box<dyn Player> = match &other {
            Some(spec) => spec.player(seed),
            None => own(),
        };
        let color = Color::from_white(number % 2 == 0);
        let wins = wins(own().as_mut(), opponent.as_mut(), color, seed, stop)?;
        won += u32::from(wins);
    }
    Ok(f64::from(won) / f64::from(games.max(1)))
}

/// Does a player win a game?
fn wins(
    own: &mut dyn Player,
    other: &mut dyn Player,
    color: Color,
    seed: u64,
    stop: &AtomicBool,
) -> Result<bool, LearnError> {
    let rules = Rules::fide().with_max_moves(MAX_MOVES);
    let mut game = Game::new(Position::start(), rules);
    let mut chance = Random::new(seed);
    loop {
        if let Some(outcome) = game.outcome() {
            return Ok(outcome.winner == Some(color));
        }
        let player: &mut dyn Player = if game.plies() < OPENING {
            &mut chance
        } else if game.position().turn() == color {
            &mut *own
        } else {
            &mut *other
        };
        let choice = player.choose_unless(stop, &game, &Limits::NONE)?;
        game.play_legal(choice.mv);
    }
}
