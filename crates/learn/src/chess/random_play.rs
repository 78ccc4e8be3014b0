use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use play::{Dice, derived_seed};
use rayon::prelude::*;
use rules::Color;

use super::{ChessError, Environment, Setup};

/// Games of random legal actions, each with its observation and its mask before every action: what an
/// environment costs by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RandomPlay {
    /// Games that ended.
    pub games: u64,
    /// Actions of all games.
    pub actions: u64,
    /// Plies of all games: the actions and what an opponent replied.
    pub plies: u64,
    /// Games that white won.
    pub white_wins: u64,
    /// Games that black won.
    pub black_wins: u64,
    /// Games that were drawn or cut off.
    pub draws: u64,
    /// Depends on what was seen and done: the same for the same setup, games and seed, on any number
    /// of threads.
    pub fingerprint: u64,
}

/// Games that a thread plays one after another in one environment.
const BUNDLE: u64 = 16;

impl RandomPlay {
    /// Plays `games` games whose chances follow from `seed`, on all threads of rayon's pool; fewer
    /// when `stop` becomes true meanwhile.
    ///
    /// # Errors
    /// When no game can begin, or an opponent fails.
    pub fn of(
        setup: Setup,
        games: u64,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<RandomPlay, ChessError> {
        let setup = Arc::new(setup);
        (0..games.div_ceil(BUNDLE))
            .into_par_iter()
            .map(|bundle| {
                let seed = derived_seed(seed, bundle);
                let games = BUNDLE.min(games - bundle * BUNDLE);
                bundle_of_games(setup.clone(), games, seed, stop)
            })
            .try_reduce(RandomPlay::default, |a, b| Ok(a.plus(b)))
    }

    fn plus(self, other: RandomPlay) -> RandomPlay {
        RandomPlay {
            games: self.games + other.games,
            actions: self.actions + other.actions,
            plies: self.plies + other.plies,
            white_wins: self.white_wins + other.white_wins,
            black_wins: self.black_wins + other.black_wins,
            draws: self.draws + other.draws,
            fingerprint: self.fingerprint.wrapping_add(other.fingerprint),
        }
    }
}

fn bundle_of_games(
    setup: Arc<Setup>,
    games: u64,
    seed: u64,
    stop: &AtomicBool,
) -> Result<RandomPlay, ChessError> {
    let mut played = RandomPlay::default();
    let mut observation = vec![0.0_f32; setup.observation.len()];
    let mut mask = vec![0_i8; setup.actions.count()];
    let mut environment = Environment::new(setup, seed)?;
    let mut dice = Dice::new(derived_seed(seed, 1));
    while played.games < games && !stop.load(Ordering::Relaxed) {
        if environment.outcome().is_some() {
            environment.reset()?;
        }
        while environment.outcome().is_none() {
            environment.observe(&mut observation);
            environment.mask(&mut mask);
            let moves = environment.legal_moves();
            let action = environment.action(moves[dice.below(moves.len())]);
            environment.step(action as i64)?;
            // One number that was seen stands for all of them.
            let seen = observation[action % observation.len()].to_bits();
            played.fingerprint = derived_seed(played.fingerprint ^ action as u64, seen.into());
            played.actions += 1;
        }
        played.games += 1;
        played.plies += environment.plies() as u64;
        match environment.outcome().and_then(|outcome| outcome.winner) {
            Some(Color::White) => played.white_wins += 1,
            Some(Color::Black) => played.black_wins += 1,
            None => played.draws += 1,
        }
    }
    Ok(played)
}
