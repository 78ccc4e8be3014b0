//! What a learner hands in, and how it is laid out for a device.

use super::super::update::{Batch, Objective, Pace};
use crate::net::{
    plain::{Lists, actor_critic::ActorCritic},
    torch::{Layout, NO_MOVE},
};

/// What a learner hands in: its networks and what they are to learn.
pub(super) struct Lesson {
    pub networks: ActorCritic,
    pub batch: Batch,
    pub objective: Objective,
    pub pace: Pace,
    /// The decisions in the order of all passes, in whole minibatches.
    pub order: Vec<u32>,
    /// The rows of the policy's last table that have had a gradient, or may get one now: to all others
    /// Adam does nothing.
    pub rows: Vec<u16>,
}

impl Lesson {
    pub fn new(
        networks: ActorCritic,
        batch: Batch,
        objective: Objective,
        pace: Pace,
        order: Vec<u32>,
    ) -> Lesson {
        let mut matters = networks.policy.awake().to_vec();
        for sample in 0..batch.legal.len() {
            for &row in batch.legal.rows(sample) {
                matters[usize::from(row)] = true;
            }
        }
        let rows = (0..matters.len() as u16).filter(|&row| matters[usize::from(row)]);
        Lesson {
            rows: rows.collect(),
            networks,
            batch,
            objective,
            pace,
            order,
        }
    }

    /// Inputs of its networks.
    pub fn inputs(&self) -> usize {
        self.networks.policy.mlp.shape().inputs
    }

    /// The most moves of a decision.
    pub fn most_moves(&self) -> usize {
        let legal = &self.batch.legal;
        let rows = (0..legal.len()).map(|sample| legal.rows(sample).len());
        rows.max().unwrap_or_default() / self.objective.rows_a_move
    }
}

/// How the decisions of lessons lie on a device: a row of numbers for each, and one of places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    pub layout: Layout,
    /// Room for moves.
    pub moves: usize,
    pub rows_a_move: usize,
    pub minibatch: usize,
}

/// What is known of a decision besides what was seen and the chances of the moves, one number each.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fact {
    /// The advantage, divided by the decisions of a minibatch.
    Advantage,
    /// Is the ratio of chances to grow: 1, or to shrink: −1?
    Sense,
    /// How far `sense · ratio` may grow.
    Bound,
    /// What the critic should have said.
    Target,
    /// The logarithm of the chance that the move had.
    Chance,
    /// The sum over the moves of their chances times these chances' logarithms, as they were.
    Certainty,
}

const FACTS: usize = 6;

impl Page {
    /// Numbers of a decision: what was seen, the logarithms of the moves' chances, facts.
    pub fn numbers(&self) -> usize {
        self.layout.inputs + self.moves + FACTS
    }

    /// Where a fact stands among them.
    pub fn fact(&self, fact: Fact) -> usize {
        self.layout.inputs + self.moves + fact as usize
    }

    /// Places of a decision: rows of its moves among those that matter, and the move that was played.
    pub fn places(&self) -> usize {
        self.moves * self.rows_a_move + 1
    }

    /// Lays a lesson's decisions out.
    pub fn fill(&self, lesson: &Lesson, numbers: &mut [f32], places: &mut [i16]) {
        let mut place_of = vec![0_i16; lesson.networks.policy.mlp.shape().outputs];
        for (place, &row) in lesson.rows.iter().enumerate() {
            place_of[usize::from(row)] = place as i16;
        }
        let rows = numbers.chunks_exact_mut(self.numbers());
        let rows = rows.zip(places.chunks_exact_mut(self.places()));
        for (sample, (numbers, places)) in rows.enumerate() {
            let (seen, rest) = numbers.split_at_mut(self.layout.inputs);
            let (chances, facts) = rest.split_at_mut(self.moves);
            self.show(&lesson.batch.inputs, sample, seen);
            let legal = &lesson.batch.legal;
            places.fill(self.layout.no_move() as i16);
            for (place, &row) in places.iter_mut().zip(legal.rows(sample)) {
                *place = place_of[usize::from(row)];
            }
            let chosen = lesson.batch.chosen[sample];
            places[self.places() - 1] = chosen as i16;
            chances.fill(NO_MOVE);
            let values = legal.values(sample).iter().step_by(self.rows_a_move);
            chances
                .iter_mut()
                .zip(values)
                .for_each(|(to, &from)| *to = from);
            facts.copy_from_slice(&self.facts(lesson, sample, chances));
        }
    }

    fn show(&self, inputs: &Lists, sample: usize, seen: &mut [f32]) {
        seen.fill(0.0);
        for (&row, &value) in inputs.rows(sample).iter().zip(inputs.values(sample)) {
            seen[usize::from(row)] = value;
        }
        seen[self.layout.one()] = 1.0;
    }

    /// In the order of [`Fact`].
    fn facts(&self, lesson: &Lesson, sample: usize, chances: &[f32]) -> [f32; FACTS] {
        let advantage = lesson.batch.advantages[sample];
        let sense = if advantage >= 0.0 { 1.0 } else { -1.0 };
        let certainty = chances.iter().map(|&log| log.exp() * log).sum();
        [
            advantage / self.minibatch as f32,
            sense,
            sense + lesson.objective.clip as f32,
            lesson.batch.targets[sample],
            chances[usize::from(lesson.batch.chosen[sample])],
            certainty,
        ]
    }
}
