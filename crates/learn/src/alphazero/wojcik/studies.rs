//! The positions of games by others that document W's network learns from first.

use std::{path::Path, sync::Arc};

use play::{Assessments, Evaluator as _, Leaf};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rules::Moment;

use super::{
    WojcikEvaluator, WojcikNetwork,
    sight::{number, packed_number, sight_of},
};
use crate::{
    alphazero::lesson::Lesson,
    games::{Ending, GamesError, PackedPosition, Split},
    imitation::Library,
    learner::below,
};

/// Positions to learn from, drawn by lot from a file of games.
pub(super) struct Studies {
    library: Library,
    /// Places among the training positions.
    picks: Vec<u32>,
}

impl Studies {
    /// Draws so many positions of finished games, or as many as there are.
    ///
    /// # Errors
    /// When the file cannot be read, or is damaged.
    pub fn open(
        file: &Path,
        split: Split,
        positions: usize,
        seed: u64,
    ) -> Result<Studies, GamesError> {
        let library = Library::open(file, split)?;
        let all = library.training().as_slice();
        let finished = |&pick: &u32| all[pick as usize].ending().is_some();
        let mut picks: Vec<u32> = (0..all.len() as u32).filter(finished).collect();
        shuffle(&mut picks, positions, &mut chance(seed, u64::MAX));
        picks.truncate(positions);
        picks.shrink_to_fit();
        Ok(Studies { library, picks })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.picks.len()
    }

    /// All of them, in the order of a pass.
    pub fn order(&self, seed: u64, pass: u64) -> Vec<u32> {
        let mut order = self.picks.clone();
        let count = order.len();
        shuffle(&mut order, count, &mut chance(seed, pass));
        order
    }

    /// One of them.
    pub fn pick(&self, random: &mut ChaCha8Rng) -> u32 {
        self.picks[below(random, self.picks.len())]
    }

    /// What there is to learn of a position: the move that was played and how the game ended.
    pub fn lesson(&self, pick: u32) -> Lesson {
        let packed = &self.library.training().as_slice()[pick as usize];
        Lesson {
            sight: sight_of(packed).into(),
            moves: [packed_number(packed.played())].into(),
            shares: [u16::MAX].into(),
            ending: match packed.ending() {
                Some(Ending::Loss) => [1.0, 0.0, 0.0],
                Some(Ending::Win) => [0.0, 0.0, 1.0],
                // Only positions of finished games were drawn.
                Some(Ending::Draw) | None => [0.0, 1.0, 0.0],
            },
            surprise: 0.0,
        }
    }

    /// The share of held-out positions, so many at most, in which the legal move that the network finds
    /// likeliest was played; nothing where there are none.
    pub fn held_out_right(&self, network: &Arc<WojcikNetwork>, most: usize) -> Option<f64> {
        let places = self.library.spread(most);
        let positions = self.library.held_out().as_slice();
        let right = places
            .par_iter()
            .map_init(
                || {
                    (
                        WojcikEvaluator::new(network.clone()),
                        Assessments::default(),
                    )
                },
                |(evaluator, told), &place| is_right(&positions[place], evaluator, told),
            )
            .filter(|&right| right)
            .count();
        (!places.is_empty()).then(|| right as f64 / places.len() as f64)
    }
}

fn is_right(
    packed: &PackedPosition,
    evaluator: &mut WojcikEvaluator,
    told: &mut Assessments,
) -> bool {
    let position = packed.position();
    let moves = position.legal_moves();
    let moments = [Moment {
        position: &position,
        repetitions: 1,
        last: None,
    }];
    let leaf = Leaf {
        moments: &moments,
        moves: &moves,
    };
    // Positions of games are on 8×8.
    let judged = evaluator.evaluate(&[leaf], told).ok();
    let Some((_, shares)) = judged.and_then(|()| told.get(0)) else {
        return false;
    };
    let best = (0..moves.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b]));
    let played = packed_number(packed.played());
    best.is_some_and(|best| number(position.turn(), moves[best]) == played)
}

/// Random numbers of their own for every pass.
pub(super) fn chance(seed: u64, pass: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed ^ 0x6475_656c);
    random.set_stream(pass);
    random
}

/// Puts some of `list`, drawn by lot, in its first `count` places.
fn shuffle(list: &mut [u32], count: usize, random: &mut ChaCha8Rng) {
    for i in 0..count.min(list.len()) {
        let other = i + below(random, list.len() - i);
        list.swap(i, other);
    }
}
