//! One side's agent in deep Q-learning: its networks, its memory, and how it learns.

use std::{
    collections::VecDeque,
    sync::{Mutex, OnceLock},
    time::Instant,
};

use rand_chacha::ChaCha8Rng;
use rules::{Color, FewMen, FewMenRules, FewMove, Symmetry, Targets};

use crate::{
    Costs, LearnError, Planes, RelativeActions,
    deep_q::dqn_settings::DqnSettings,
    deep_q::planes::image,
    deep_q::replay::{Replay, Transition},
    learner::below,
    net::{QBatch, QNetwork, QScratch, QShape, QTrainer},
    runs::record::{Reader, Writer},
};

/// An agent.
pub(crate) struct Agent {
    pub actions: RelativeActions,
    /// By symmetry: what each action becomes.
    turns: Vec<Vec<u16>>,
    planes: Planes,
    shape: QShape,
    /// Networks that vote; one, without an ensemble.
    members: Vec<Member>,
    pub replay: Replay,
    /// Moves whose reward is not complete yet, the oldest first.
    pending: VecDeque<Pending>,
    updates: u64,
    pub costs: Costs,
}

struct Member {
    /// The lock only makes it shareable: it is used by one thread at a time.
    trainer: Mutex<QTrainer>,
    /// The trainer's network, once someone has asked for a value.
    policy: OnceLock<QNetwork>,
    /// The older one that it is measured by.
    target: QNetwork,
}

impl Member {
    fn policy(&self) -> &QNetwork {
        self.policy.get_or_init(|| {
            let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
            trainer.network()
        })
    }

    fn trainer(&mut self) -> &mut QTrainer {
        self.trainer.get_mut().unwrap_or_else(|e| e.into_inner())
    }

    /// Goes on from a network, its optimiser fresh.
    fn start_from(&mut self, network: QNetwork) {
        self.trainer().start_from(&network);
        self.policy = network.into();
    }
}

struct Pending {
    men: FewMen,
    action: u16,
    reward: f32,
    discount: f32,
    steps: usize,
}

impl Agent {
    pub fn new(settings: &DqnSettings, rules: &FewMenRules, color: Color, seed: u64) -> Agent {
        let actions = RelativeActions::new(rules, color);
        let planes = Planes::new(rules);
        let shape = QShape {
            planes: planes.count(),
            channels: settings.channels,
            hidden: settings.hidden,
            actions: actions.count(),
        };
        let side = color.fold_wb(0, 1 << 32);
        let member = |i: usize| {
            let seed = seed ^ side ^ (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let trainer = QTrainer::new(shape, seed, settings.weight_decay);
            Member {
                target: trainer.network(),
                trainer: Mutex::new(trainer),
                policy: OnceLock::new(),
            }
        };
        let turned = |symmetry: Symmetry| {
            let turned = |action| actions.turned(action, symmetry).unwrap_or(action) as u16;
            (0..actions.count()).map(turned).collect()
        };
        Agent {
            turns: Symmetry::ALL.into_iter().map(turned).collect(),
            actions,
            planes,
            shape,
            members: (0..settings.ensemble).map(member).collect(),
            replay: Replay::new(settings.memory, settings.prioritised),
            pending: VecDeque::new(),
            updates: 0,
            costs: Costs::default(),
        }
    }

    /// How many weights its networks have.
    pub fn weights(&self) -> usize {
        self.members.len() * self.shape.weights()
    }

    /// The values of all actions, the mean of the networks'.
    pub fn values(&self, men: FewMen) -> Vec<f32> {
        let mut scratch = QScratch::default();
        let mut sum = vec![0.0; self.actions.count()];
        for member in &self.members {
            member.policy().values(self.planes.ones(men), &mut scratch);
            for (sum, value) in sum.iter_mut().zip(&scratch.values) {
                *sum += value / self.members.len() as f32;
            }
        }
        sum
    }

    /// The action that it values most, legal or not, the first of equal ones.
    pub fn first_thought(&self, men: FewMen) -> usize {
        let values = self.values(men);
        let actions = 0..values.len();
        best(&values, actions).unwrap_or(0)
    }

    /// The legal move that it values most.
    pub fn best_legal(&self, men: FewMen, targets: &Targets) -> Option<(usize, FewMove)> {
        let values = self.values(men);
        let legal = self.actions.legal(men, targets).map(|(action, _)| action);
        let action = best(&values, legal)?;
        Some((action, self.actions.to_move(men, action)?))
    }

    /// Remembers that it chose what is not legal: it stays where it is, and it is still its turn. (Were
    /// that the end of the game, an illegal choice would look better than any move from a position
    /// that is worth less than the punishment, and most are while nothing has been learned.)
    pub fn punish(&mut self, settings: &DqnSettings, men: FewMen, action: usize) {
        self.replay.push(Transition {
            men,
            action: action as u16,
            reward: settings.illegal as f32,
            discount: settings.gamma as f32,
            next: men,
        });
    }

    /// It moves.
    pub fn begin(&mut self, men: FewMen, action: usize) {
        self.pending.push_back(Pending {
            men,
            action: action as u16,
            reward: 0.0,
            discount: 1.0,
            steps: 0,
        });
    }

    /// It is its turn again, after a reward.
    pub fn arrive(&mut self, settings: &DqnSettings, reward: f64, next: FewMen) {
        self.add(settings, reward);
        if let Some(oldest) = self.pending.pop_front_if(|p| p.steps >= settings.n_step) {
            let discount = oldest.discount;
            self.remember(oldest, discount, next);
        }
    }

    /// The game is over.
    pub fn end(&mut self, settings: &DqnSettings, reward: f64) {
        self.add(settings, reward);
        while let Some(pending) = self.pending.pop_front() {
            let men = pending.men;
            self.remember(pending, 0.0, men);
        }
    }

    fn add(&mut self, settings: &DqnSettings, reward: f64) {
        for pending in &mut self.pending {
            pending.reward += pending.discount * reward as f32;
            pending.discount *= settings.gamma as f32;
            pending.steps += 1;
        }
    }

    fn remember(&mut self, pending: Pending, discount: f32, next: FewMen) {
        self.replay.push(Transition {
            men: pending.men,
            action: pending.action,
            reward: pending.reward,
            discount,
            next,
        });
    }

    /// Learns from a batch for every network.
    pub fn learn(&mut self, settings: &DqnSettings, rules: &FewMenRules, random: &mut ChaCha8Rng) {
        if self.replay.len() < settings.warm_up.max(1) {
            return;
        }
        for i in 0..self.members.len() {
            let sample = self.replay.sample(settings.batch, random);
            let mut batch = QBatch {
                weights: sample.weights,
                ..QBatch::default()
            };
            let start = Instant::now();
            for &place in &sample.places {
                let symmetry = if settings.augmentation {
                    Symmetry::ALL[below(random, 8)]
                } else {
                    Symmetry::IDENTITY
                };
                let transition = self.turned(*self.replay.get(place), rules, symmetry);
                self.planes.encode(transition.men, &mut batch.planes);
                batch.actions.push(transition.action.into());
                let target = self.target(&self.members[i], settings, rules, &transition);
                batch.targets.push(target);
            }
            self.costs.add("encoding and targets", start.elapsed());
            let member = &mut self.members[i];
            member.policy = OnceLock::new();
            let trainer = member.trainer();
            let off = self
                .costs
                .time("network", || trainer.learn(&batch, settings.rate));
            self.replay.surprised(&sample.places, &off);
        }
        self.updates += 1;
        if self.updates.is_multiple_of(settings.target_every) {
            for member in &mut self.members {
                member.target = member.policy().clone();
            }
        }
    }

    /// What a network is to say about a transition.
    fn target(
        &self,
        member: &Member,
        settings: &DqnSettings,
        rules: &FewMenRules,
        transition: &Transition,
    ) -> f32 {
        if transition.discount == 0.0 {
            return transition.reward;
        }
        let next = transition.next;
        let mut scratch = QScratch::default();
        member.target.values(self.planes.ones(next), &mut scratch);
        let values = std::mem::take(&mut scratch.values);
        let chooser = if settings.double {
            member.policy().values(self.planes.ones(next), &mut scratch);
            &scratch.values
        } else {
            &values
        };
        let chosen = if settings.masking {
            let targets = rules.targets(next);
            let legal = self.actions.legal(next, &targets).map(|(action, _)| action);
            best(chooser, legal)
        } else {
            best(chooser, 0..values.len())
        };
        // A position in which the game goes on has a legal move.
        transition.reward + transition.discount * chosen.map_or(0.0, |action| values[action])
    }

    /// A transition on a board that was turned.
    fn turned(
        &self,
        transition: Transition,
        rules: &FewMenRules,
        symmetry: Symmetry,
    ) -> Transition {
        let board = rules.board();
        let turns = &self.turns[symmetry.index()];
        Transition {
            men: image(board, transition.men, symmetry),
            action: turns[usize::from(transition.action)],
            next: image(board, transition.next, symmetry),
            ..transition
        }
    }

    /// Takes over what another agent has learned, as far as it has a place here.
    pub fn take_over(&mut self, other: &Agent) -> bool {
        let sizes = |agent: &Agent| (agent.shape.channels, agent.shape.hidden);
        if sizes(other) != sizes(self) {
            return false;
        }
        let places = self.planes.counterparts(&other.planes);
        let actions: Vec<Option<usize>> = (0..self.actions.count())
            .map(|action| self.actions.counterpart(action, &other.actions))
            .collect();
        for (i, member) in self.members.iter_mut().enumerate() {
            let theirs = other.members[i % other.members.len()].policy();
            let network = member.policy().taking_over(theirs, &places, &actions);
            member.target = network.clone();
            member.start_from(network);
        }
        true
    }

    /// The networks as they are.
    pub fn networks(&self) -> Vec<QNetwork> {
        let members = self.members.iter();
        members.map(|member| member.policy().clone()).collect()
    }

    /// Goes back to earlier networks of its own.
    pub fn return_to(&mut self, networks: &[QNetwork]) {
        for (member, network) in self.members.iter_mut().zip(networks) {
            member.start_from(network.clone());
        }
    }

    pub fn save(&self, out: &mut Writer) {
        out.u64(self.updates);
        self.replay.save(out);
        for member in &self.members {
            let trainer = member.trainer.lock().unwrap_or_else(|e| e.into_inner());
            trainer.save(out);
            member.target.save(out);
        }
    }

    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.updates = from.u64()?;
        self.replay.load(from)?;
        let count = self.actions.count();
        if !self.replay.iter().all(|t| usize::from(t.action) < count) {
            return Err(LearnError::Record);
        }
        for member in &mut self.members {
            member.trainer().load(from)?;
            member.policy = OnceLock::new();
            member.target = QNetwork::load(self.shape, from)?;
        }
        Ok(())
    }

    /// Reads as many networks as it has.
    pub fn load_networks(&self, from: &mut Reader<'_>) -> Result<Vec<QNetwork>, LearnError> {
        let members = self.members.iter();
        members.map(|_| QNetwork::load(self.shape, from)).collect()
    }
}

/// The best of some actions, the first of equal ones.
fn best(values: &[f32], actions: impl Iterator<Item = usize>) -> Option<usize> {
    actions.reduce(|best, action| {
        if values[action] > values[best] {
            action
        } else {
            best
        }
    })
}
