//! Games that document W's networks play: against themselves, to learn from, and against each other, to
//! find out who is better.

use std::sync::{Arc, atomic::AtomicBool};

use play::{
    Assessments, Limits, Player as _, Puct, PuctPlayer, PuctSettings, PuctSpec, search_together,
};
use rules::{Color, Game, Position, Rules};

use super::{
    WojcikEvaluator, WojcikNetwork,
    sight::{number, sight},
};
use crate::{
    LearnError,
    alphazero::{
        lesson::{Lesson, packed},
        table::{Ending, Finished},
    },
    learner::go_on,
};

/// How games are played.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Terms {
    /// Simulations for a move.
    pub simulations: u32,
    /// Moves of each side until a game is drawn.
    pub max_moves: u32,
    /// How much of what is learned of the result is what the search expected, not what came.
    pub expected: f32,
}

impl Terms {
    fn search(self) -> PuctSettings {
        PuctSettings {
            simulations: self.simulations,
            ..PuctSettings::WOJCIK
        }
    }

    fn game(self) -> Game {
        let rules = Rules::default().with_max_moves(self.max_moves);
        Game::new(Position::start(), rules)
    }
}

/// A game of a network against itself.
pub(super) struct Played {
    /// What there is to learn, position by position.
    pub lessons: Vec<Lesson>,
    pub finished: Finished,
    /// Positions that the network judged.
    pub evaluations: u64,
}

/// Plays a game against oneself. The move that was tried most is played, and the tree behind it is kept.
///
/// # Errors
/// When it is to stop, or memory ends.
pub(super) fn play(
    network: &Arc<WojcikNetwork>,
    terms: Terms,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Played, LearnError> {
    let mut evaluator = WojcikEvaluator::new(network.clone());
    let mut scratch = Assessments::default();
    let mut tree = Puct::new(terms.search(), seed);
    let mut game = terms.game();
    let (mut lessons, mut movers) = (Vec::new(), Vec::new());
    let mut evaluations = 0;
    tree.begin(&game);
    let outcome = loop {
        if let Some(outcome) = game.outcome() {
            break outcome;
        }
        while !tree.is_finished() {
            go_on(stop)?;
            let asked = search_together(&mut [&mut tree], &mut evaluator, 1, &mut scratch)?;
            evaluations += asked as u64;
        }
        // A game that goes on has moves.
        let found = tree.found().expect("a search that is finished");
        let turn = game.position().turn();
        lessons.push(Lesson {
            sight: sight(game.position()).into(),
            moves: found.moves.iter().map(|m| number(turn, m.mv)).collect(),
            shares: packed(found.moves.iter().map(|m| m.share)),
            ending: [found.chances.loss, found.chances.draw, found.chances.win],
            surprise: 0.0,
        });
        movers.push(turn);
        game.play_legal(found.best);
        tree.follow(found.best);
    };
    for (lesson, mover) in lessons.iter_mut().zip(movers) {
        let came = match outcome.winner {
            None => [0.0, 1.0, 0.0],
            Some(winner) if winner == mover => [0.0, 0.0, 1.0],
            Some(_) => [1.0, 0.0, 0.0],
        };
        for (expected, came) in lesson.ending.iter_mut().zip(came) {
            *expected = terms.expected * *expected + (1.0 - terms.expected) * came;
        }
    }
    let finished = Finished {
        plies: game.plies() as u32,
        winner: outcome.winner,
        how: Ending::Rules,
    };
    Ok(Played {
        lessons,
        finished,
        evaluations,
    })
}

/// Plays a game between two networks, white first; who wins it. No tree is kept from move to move.
///
/// # Errors
/// When it is to stop, or memory ends.
pub(super) fn duel(
    networks: [&Arc<WojcikNetwork>; 2],
    terms: Terms,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Option<Color>, LearnError> {
    let spec = PuctSpec {
        search: PuctSettings {
            reuse: false,
            ..terms.search()
        },
        ..PuctSpec::WOJCIK
    };
    let mut players = [(0, "white"), (1, "black")].map(|(side, name)| {
        let evaluator = Box::new(WojcikEvaluator::new(networks[side].clone()));
        PuctPlayer::new(name, spec, evaluator, play::derived_seed(seed, side as u64))
    });
    let mut game = terms.game();
    loop {
        if let Some(outcome) = game.outcome() {
            return Ok(outcome.winner);
        }
        let player = &mut players[game.position().turn().fold_wb(0, 1)];
        let choice = player.choose_unless(stop, &game, &Limits::NONE)?;
        game.play_legal(choice.mv);
    }
}
