//! A policy and a critic of endings, both small networks on plain numbers: how they are asked, and how
//! they learn. What they see, of an endgame or of whole games, is not known here.

use play::{Assessments, Chances};

use super::{lesson::Lesson, network::Losses};
use crate::net::plain::{
    Activation, Lists, Mlp, MlpShape,
    actor_critic::ActorCritic,
    chances::{chances, likeliest, to_chances},
    extents::Extents,
    mlp::Hidden,
    mlp_trainer::Part,
};
use rand_chacha::ChaCha8Rng;

/// Rows of the critic's last table: loss, draw, win.
pub(super) const ENDINGS: usize = 3;

/// The length of the weights of an answer at the beginning: every move as likely as the next, nearly.
const LAST: f32 = 0.01;

/// A policy and a critic with random weights, in training.
pub(super) fn random_pair(extents: Extents, width: usize, random: &mut ChaCha8Rng) -> ActorCritic {
    let shape = |outputs| MlpShape {
        inputs: extents.inputs,
        width,
        outputs,
        activation: Activation::Relu,
    };
    let policy = Mlp::random(shape(extents.rows), LAST, random);
    let value = Mlp::random(shape(ENDINGS), LAST, random);
    ActorCritic::new(policy, value)
}

/// Are the tables of a policy and a critic those of networks that see so?
pub(super) fn fit(policy: &Mlp, value: &Mlp, extents: Extents) -> bool {
    policy.shape().inputs == extents.inputs
        && policy.shape().outputs == extents.rows
        && value.shape().inputs == extents.inputs
        && value.shape().outputs == ENDINGS
}

/// What a policy and a critic are asked about some positions; its memory is kept.
#[derive(Clone, Default)]
pub(super) struct Questions {
    /// What is seen of each position.
    pub inputs: Lists,
    /// The rows of its moves.
    pub rows: Lists,
    policy: Hidden,
    value: Hidden,
}

impl Questions {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.inputs.clear();
        self.rows.clear();
    }

    /// Replaces `assessments` by the answers.
    pub fn answer(
        &mut self,
        policy: &Mlp,
        value: &Mlp,
        rows_a_move: usize,
        assessments: &mut Assessments,
    ) {
        let all = || 0..self.inputs.len();
        policy.hidden(&self.inputs, all(), &mut self.policy);
        value.hidden(&self.inputs, all(), &mut self.value);
        assessments.clear();
        for place in all() {
            let second = policy.second_of(&self.policy, place);
            let priors = chances(policy, second, self.rows.rows(place), rows_a_move);
            let second = value.second_of(&self.value, place);
            let [loss, draw, win] = ending(value, second).map(f32::exp);
            let priors = priors.into_iter().map(f32::exp);
            assessments.push(Chances { win, draw, loss }, priors);
        }
    }
}

/// The logarithms of the chances of loss, draw and win.
fn ending(value: &Mlp, second: &[f32]) -> [f32; ENDINGS] {
    let mut scores = std::array::from_fn(|row| value.answer(second, row as u16));
    to_chances(&mut scores);
    scores
}

/// One step on a batch of lessons: `inputs` and `rows` are what is seen of them.
pub(super) fn learn(
    networks: &mut ActorCritic,
    batch: &[&Lesson],
    inputs: &Lists,
    rows: &Lists,
    rows_a_move: usize,
    rate: f64,
) -> Losses {
    let scale = 1.0 / batch.len() as f32;
    let samples: Vec<u32> = (0..batch.len() as u32).collect();
    let parts = networks.step(
        inputs,
        &samples,
        rate,
        |policy, samples, part| {
            policy_part(
                policy,
                batch,
                (inputs, rows),
                rows_a_move,
                samples,
                scale,
                part,
            )
        },
        |value, samples, part| value_part(value, batch, inputs, samples, scale, part),
    );
    let mut losses = Losses::default();
    for part in &parts {
        losses.add(part, f64::from(scale));
    }
    losses
}

/// Shows the policy some lessons and works out the gradients of its surprise at the search's moves;
/// what it tells are sums.
fn policy_part(
    policy: &Mlp,
    batch: &[&Lesson],
    (inputs, rows): (&Lists, &Lists),
    each: usize,
    samples: &[u32],
    scale: f32,
    part: &mut Part,
) -> Losses {
    let places = || samples.iter().map(|&sample| sample as usize);
    policy.hidden(inputs, places(), &mut part.hidden);
    part.answers.clear();
    let mut losses = Losses::default();
    let mut logs = Vec::new();
    for (place, sample) in places().enumerate() {
        let second = policy.second_of(&part.hidden, place);
        let rows = rows.rows(sample);
        logs.clear();
        logs.extend(rows.chunks_exact(each).map(|rows| {
            let answers = rows.iter().map(|&row| policy.answer(second, row));
            answers.sum::<f32>()
        }));
        to_chances(&mut logs);
        let lesson = batch[sample];
        for ((&log, share), rows) in logs
            .iter()
            .zip(lesson.shares())
            .zip(rows.chunks_exact(each))
        {
            losses.policy -= f64::from(share * log);
            losses.entropy -= f64::from(log.exp() * log);
            for &row in rows {
                part.answers.push(row.into(), scale * (log.exp() - share));
            }
        }
        part.answers.end();
        let shares: Vec<f32> = lesson.shares().collect();
        losses.agreed += f64::from(u8::from(likeliest(&logs) == likeliest(&shares)));
    }
    policy.back(&part.answers, &mut part.hidden);
    losses
}

/// The same for the critic, which is to say how the games ended.
fn value_part(
    value: &Mlp,
    batch: &[&Lesson],
    inputs: &Lists,
    samples: &[u32],
    scale: f32,
    part: &mut Part,
) -> Losses {
    let places = || samples.iter().map(|&sample| sample as usize);
    value.hidden(inputs, places(), &mut part.hidden);
    part.answers.clear();
    let mut losses = Losses::default();
    for (place, sample) in places().enumerate() {
        let logs = ending(value, value.second_of(&part.hidden, place));
        let target = batch[sample].ending;
        for (row, (log, share)) in logs.into_iter().zip(target).enumerate() {
            losses.value -= f64::from(share * log);
            part.answers.push(row, scale * (log.exp() - share));
        }
        part.answers.end();
        let expected = |[loss, _, win]: [f32; 3]| win - loss;
        let error = expected(logs.map(f32::exp)) - expected(target);
        losses.calibration += f64::from(error * error);
    }
    value.back(&part.answers, &mut part.hidden);
    losses
}
