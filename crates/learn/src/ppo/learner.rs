//! The learner: an episode of a run is an iteration, in which games are played and learned from.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, OnceLock, atomic::AtomicBool},
    time::Duration,
};

use play::{Prepared, Registry, Settings, SpecError};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{
    method::{KL_TARGET, Method},
    network::PpoNetwork,
    place::Place,
    player::{self, Manner, PpoPlayer},
    rollout::{Finished, Group, Policies},
    samples::Trace,
    update::{Batch, Objective, Pace, Told},
};
use crate::{
    Course, Episode, LearnError, Learner, Metrics,
    elsewhere::Divided,
    learner::{go_on, load_random, save_random},
    net::plain::{
        Lists, Mlp, MlpShape, actor_critic::ActorCritic, chances::chances, extents::Extents,
        mlp::Hidden,
    },
    runs::record::{Reader, Writer},
};

/// A policy that is optimised by playing.
pub struct Ppo {
    pub(super) method: Method,
    pub(super) course: Course,
    pub(super) extents: Extents,
    /// Iterations done.
    done: u64,
    pub(super) networks: ActorCritic,
    place: Place,
    /// What the distance to the old policy costs now.
    kl: f64,
    /// Former selves, and the place of the next.
    pub(super) past: Vec<Mlp>,
    next_past: usize,
    /// For the order of minibatches.
    random: ChaCha8Rng,
    /// The games being played; made when they are needed, for a player needs none.
    /// Players behind them may not be shared between threads.
    pub(super) groups: Mutex<Vec<Group>>,
    /// What the games were when they were saved, until they are needed.
    pub(super) saved: Vec<u8>,
    /// The last games that ended.
    recent: VecDeque<Finished>,
    /// What the last iteration told, in the order of [`SCALARS`].
    told: Vec<f64>,
    /// The networks as they are now, once someone has asked for them.
    network: OnceLock<Arc<PpoNetwork>>,
}

/// What an iteration tells.
const SCALARS: [&str; 16] = [
    "rollout/ep_rew_mean",
    "rollout/ep_len_mean",
    "rollout/won",
    "rollout/lost",
    "train/approx_kl",
    "train/clip_fraction",
    "train/explained_variance",
    "train/entropy_loss",
    "train/policy_gradient_loss",
    "train/value_loss",
    "train/learning_rate",
    "train/kl_coefficient",
    "train/entropy_coefficient",
    "train/value_beyond_clip",
    "train/kl_legal_moves",
    "train/kl_all_moves",
];
/// Games over which the means of rollouts are taken.
const RECENT: usize = 100;
/// Decisions on which the distance over all moves is measured.
const MEASURED: usize = 32;
/// The length of the weights of an answer at the beginning, as RLlib has it.
const LAST: f32 = 0.01;

impl Ppo {
    /// A learner that knows nothing yet.
    pub(super) fn new(method: Method, course: Course) -> Result<Ppo, LearnError> {
        let extents = method.sight.extents()?;
        let mut random = ChaCha8Rng::seed_from_u64(course.seed);
        let shape = |outputs| MlpShape {
            inputs: extents.inputs,
            width: method.width,
            outputs,
            activation: method.activation,
        };
        let policy = Mlp::random(shape(extents.rows), LAST, &mut random);
        let value = Mlp::random(shape(1), LAST, &mut random);
        Ok(Ppo {
            kl: method.kl,
            method,
            course,
            extents,
            done: 0,
            networks: ActorCritic::new(policy, value),
            place: Place::default(),
            past: Vec::new(),
            next_past: 0,
            random,
            groups: Mutex::default(),
            saved: Vec::new(),
            recent: VecDeque::new(),
            told: Vec::new(),
            network: OnceLock::new(),
        })
    }

    /// Makes the games, or goes on with those that were saved.
    ///
    /// # Errors
    /// When a file that they need is missing.
    pub(super) fn ready(&mut self) -> Result<(), LearnError> {
        let playing = self.groups.get_mut().unwrap_or_else(|e| e.into_inner());
        if !playing.is_empty() {
            return Ok(());
        }
        let worlds = self.method.worlds.make(self.method.count())?;
        let mut groups = Group::many(worlds, self.course.seed);
        if !self.saved.is_empty() {
            let mut from = Reader::new(&self.saved);
            for group in &mut groups {
                group.load(&mut from, self.past.len())?;
            }
            if !from.is_empty() {
                return Err(LearnError::Record);
            }
            self.saved = Vec::new();
        }
        *playing = groups;
        Ok(())
    }

    /// The networks as they are now.
    pub fn network(&self) -> Arc<PpoNetwork> {
        let network = self.network.get_or_init(|| {
            Arc::new(PpoNetwork {
                sight: self.method.sight.clone(),
                policy: self.networks.policy.mlp.clone(),
                value: self.networks.value.mlp.clone(),
                win: self.method.win,
            })
        });
        network.clone()
    }

    /// Plays the games of an iteration.
    fn play(&mut self, stop: &AtomicBool) -> Result<Vec<Trace>, LearnError> {
        let policies = Policies {
            present: &self.networks.policy.mlp,
            past: &self.past,
            rows_a_move: self.extents.rows_a_move,
        };
        let (rivals, decisions) = (self.method.rivals, self.method.decisions());
        let groups = self.groups.get_mut().unwrap_or_else(|e| e.into_inner());
        groups
            .par_iter_mut()
            .map(|group| group.collect(policies, rivals, decisions, stop))
            .reduce(|| Ok(()), Result::and)?;
        let finished = groups.iter_mut().flat_map(Group::take_finished).collect();
        let traces = groups.iter_mut().flat_map(Group::take_traces).collect();
        self.remember(finished);
        Ok(traces)
    }

    /// What was played, as something to learn from, and what share of its variance the critic had
    /// explained.
    fn batch(&self, traces: &[Trace]) -> (Batch, f64) {
        let value = &self.networks.value.mlp;
        let judged: Vec<(Vec<f32>, Vec<f32>)> = traces
            .par_iter()
            .map(|trace| {
                let mut hidden = Hidden::default();
                let mut say = |inputs: &Lists| -> Vec<f32> {
                    value.hidden(inputs, 0..inputs.len(), &mut hidden);
                    let said = |i| value.answer(value.second_of(&hidden, i), 0);
                    (0..inputs.len()).map(said).collect()
                };
                let (values, next) = (say(&trace.inputs), say(&trace.next));
                let advantages = self.method.discounts.advantages(trace, &values, next[0]);
                (values, advantages)
            })
            .collect();
        let mut batch = Batch::default();
        let mut errors = Vec::new();
        for (trace, (values, advantages)) in traces.iter().zip(judged) {
            batch.inputs.extend(&trace.inputs);
            batch.legal.extend(&trace.legal);
            batch.chosen.extend(&trace.chosen);
            let targets = values.iter().zip(&advantages).map(|(v, a)| v + a);
            batch.targets.extend(targets);
            errors.extend(advantages.iter().copied());
            batch.advantages.extend(advantages);
        }
        let explained = 1.0 - variance(&errors) / variance(&batch.targets).max(1e-12);
        if self.method.standardise {
            let mean = mean(&batch.advantages);
            let deviation = variance(&batch.advantages).sqrt().max(1e-4);
            for advantage in &mut batch.advantages {
                *advantage = ((f64::from(*advantage) - mean) / deviation) as f32;
            }
        }
        (batch, explained)
    }

    /// How far the policy has gone from an earlier one: over the legal moves, and over all moves as if
    /// all were legal.
    fn distances(&self, before: &Mlp, batch: &Batch) -> (f64, f64) {
        let now = &self.networks.policy.mlp;
        let each = self.extents.rows_a_move;
        let samples = batch.chosen.len().min(MEASURED);
        let (mut old_hidden, mut new_hidden) = (Hidden::default(), Hidden::default());
        before.hidden(&batch.inputs, 0..samples, &mut old_hidden);
        now.hidden(&batch.inputs, 0..samples, &mut new_hidden);
        let all: Vec<u16> = (0..self.extents.rows as u16).collect();
        let over = |rows: &[u16], each: usize, sample: usize| -> f64 {
            let of = |mlp: &Mlp, hidden: &Hidden| {
                let second = mlp.second_of(hidden, sample);
                chances(mlp, second, rows, each)
            };
            let (old, new) = (of(before, &old_hidden), of(now, &new_hidden));
            let terms = old.iter().zip(&new);
            terms
                .map(|(&old, &new)| f64::from(old.exp() * (old - new)))
                .sum()
        };
        let (mut legal, mut whole) = (0.0, 0.0);
        for sample in 0..samples {
            legal += over(batch.legal.rows(sample), each, sample);
            whole += over(&all, 1, sample);
        }
        (legal / samples as f64, whole / samples as f64)
    }

    fn tell(&mut self, told: &Told, objective: Objective, rate: f64, more: [f64; 4]) {
        let games = self.recent.len().max(1) as f64;
        let of_games =
            |value: fn(&Finished) -> f64| self.recent.iter().map(value).sum::<f64>() / games;
        let [explained, beyond, legal, all] = more;
        self.told = vec![
            of_games(|game| game.reward.into()),
            of_games(|game| game.plies.into()),
            of_games(|game| f64::from(u8::from(game.result > 0))),
            of_games(|game| f64::from(u8::from(game.result < 0))),
            told.mean(told.kl),
            told.mean(told.clipped),
            explained,
            -told.mean(told.entropy),
            told.mean(told.policy_loss),
            told.mean(told.value_loss),
            rate,
            objective.kl,
            objective.entropy,
            beyond,
            legal,
            all,
        ];
    }

    /// Keeps the present self among the former ones where that is due.
    fn keep(&mut self) {
        if self.method.pool == 0 || !self.done.is_multiple_of(self.method.pool_every.max(1)) {
            return;
        }
        let present = self.networks.policy.mlp.clone();
        if self.past.len() < self.method.pool {
            self.past.push(present);
        } else {
            self.past[self.next_past] = present;
        }
        self.next_past = (self.next_past + 1) % self.method.pool;
    }
}

impl Ppo {
    /// Remembers games that have ended.
    pub(super) fn remember(&mut self, games: Vec<Finished>) {
        for finished in games {
            if self.recent.len() == RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back(finished);
        }
    }

    /// Learns from what was played in an iteration.
    pub(super) fn improve(
        &mut self,
        traces: &[Trace],
        stop: &AtomicBool,
    ) -> Result<Episode, LearnError> {
        self.place.begin(&self.method, self.extents.rows_a_move)?;
        let (mut batch, explained) = self.batch(traces);
        let method = &self.method;
        let objective = Objective {
            clip: method.clip,
            kl: self.kl,
            entropy: method.entropy_in(self.done),
            value_clip: method.value_clip,
            value_weight: method.value_weight,
            rows_a_move: self.extents.rows_a_move,
        };
        let pace = Pace {
            epochs: method.epochs,
            minibatch: method.minibatch,
            rate: method.rate_in(self.done, self.course.episodes),
        };
        let before = method
            .measures_all_moves
            .then(|| self.networks.policy.mlp.clone());
        let (networks, random) = (&mut self.networks, &mut self.random);
        let place = &self.place;
        let told = place.learn(networks, &mut batch, objective, pace, random, stop)?;
        let (legal, all) = match &before {
            Some(before) => self.distances(before, &batch),
            None => (f64::NAN, f64::NAN),
        };
        let beyond = told.mean(told.value_beyond);
        if self.kl > 0.0 {
            let distance = told.mean(told.kl);
            if distance > 2.0 * KL_TARGET {
                self.kl *= 1.5;
            } else if distance < 0.5 * KL_TARGET {
                self.kl *= 0.5;
            }
        }
        self.done += 1;
        self.keep();
        self.network = OnceLock::new();
        self.tell(&told, objective, pace.rate, [explained, beyond, legal, all]);
        Ok(Episode::Studied {
            examples: batch.chosen.len() as u32,
            right: None,
        })
    }
}

impl Learner for Ppo {
    fn prepare(&mut self) -> Result<(), LearnError> {
        Place::check(&self.method.device)
    }

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        go_on(stop)?;
        self.place.begin(&self.method, self.extents.rows_a_move)?;
        self.ready()?;
        let traces = self.play(stop)?;
        self.improve(&traces, stop)
    }

    fn grace(&self) -> Duration {
        Place::grace(&self.method.device)
    }

    fn divided(&mut self) -> Option<&mut dyn Divided> {
        Some(self)
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        let told = SCALARS.into_iter().zip(self.told.iter().copied());
        told.filter(|(_, value)| value.is_finite()).collect()
    }

    fn players(self: Arc<Self>, name: &str, how: &Settings) -> Result<Prepared, SpecError> {
        for key in ["depth", "history", "game"] {
            if how.beginning_with(key).next().is_some() {
                return Err(how.refuse(key, "nothing: it plays without search"));
            }
        }
        let manner = Manner::read(how)?;
        let player = PpoPlayer::new(name, self.network(), manner);
        Ok(Prepared::new(move |seed| Box::new(player.with_seed(seed))))
    }

    fn evaluate(
        &self,
        opponent: &str,
        games: u32,
        seed: u64,
        registry: Option<&Registry>,
        stop: &AtomicBool,
    ) -> Result<f64, LearnError> {
        let own = PpoPlayer::new("ppo", self.network(), Manner::Best);
        player::evaluate(&own, opponent, games, seed, registry, stop)
    }

    fn bytes(&self) -> u64 {
        let (policy, value) = (&self.networks.policy.mlp, &self.networks.value.mlp);
        4 * (policy.shape().weights() + value.shape().weights()) as u64
    }

    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![("weights.safetensors", self.network().to_file())]
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.done);
        self.networks.save(out);
        out.f64(self.kl);
        out.u64(self.past.len() as u64);
        out.u64(self.next_past as u64);
        self.past.iter().for_each(|mlp| mlp.save(out));
        save_random(&self.random, out);
        let mut games = Writer::default();
        let groups = self.groups.lock().unwrap_or_else(|e| e.into_inner());
        groups.iter().for_each(|group| group.save(&mut games));
        match groups.is_empty() {
            true => out.bytes(&self.saved),
            false => out.bytes(&games.into_bytes()),
        }
        out.u64(self.recent.len() as u64);
        self.recent.iter().for_each(|game| game.save(out));
        out.u64(self.told.len() as u64);
        self.told.iter().for_each(|&told| out.f64(told));
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.done = from.u64()?;
        self.networks.load(from)?;
        self.kl = from.f64()?;
        let past = from.u64()? as usize;
        self.next_past = from.u64()? as usize;
        if past > self.method.pool || self.next_past > past {
            return Err(LearnError::Record);
        }
        self.past = vec![Mlp::zero(self.networks.policy.mlp.shape()); past];
        for mlp in &mut self.past {
            mlp.load(from)?;
        }
        self.random = load_random(from)?;
        self.groups = Mutex::default();
        self.saved = from.bytes()?.to_vec();
        self.recent.clear();
        for _ in 0..from.u64()?.min(RECENT as u64) {
            self.recent.push_back(Finished::load(from)?);
        }
        let told = from.u64()?;
        if told > SCALARS.len() as u64 {
            return Err(LearnError::Record);
        }
        self.told = (0..told).map(|_| from.f64()).collect::<Result<_, _>>()?;
        self.network = OnceLock::new();
        Ok(())
    }
}

fn mean(numbers: &[f32]) -> f64 {
    let sum: f64 = numbers.iter().copied().map(f64::from).sum();
    sum / numbers.len().max(1) as f64
}

fn variance(numbers: &[f32]) -> f64 {
    let mean = mean(numbers);
    let squares = numbers.iter().map(|&x| (f64::from(x) - mean).powi(2));
    squares.sum::<f64>() / numbers.len().max(1) as f64
}
