//! Games from which a policy learns: many at once, each with random numbers of its own.

use std::sync::atomic::AtomicBool;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::Color;

use super::{
    samples::Trace,
    world::{Played, World},
};
use crate::{
    LearnError,
    learner::{below, go_on, load_random, save_random},
    net::plain::{
        Lists, Mlp,
        chances::{chances, draw},
        mlp::Hidden,
    },
    runs::record::{Reader, Writer},
};

/// Whom the policy plays in training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Rivals {
    /// The share of games against a random mover.
    pub random: f64,
    /// The share of games against a former self, once there is one.
    pub past: f64,
    /// In games against itself, are both sides' moves learned from?
    pub symmetric: bool,
    /// Is what comes next the opposite of what it is worth to the other side?
    pub negamax: bool,
    /// The learner's colour where only one side's moves are learned from; drawn if none.
    pub side: Option<Color>,
}

/// Who plays the side whose moves are not learned from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rival {
    Nobody,
    Random,
    Present,
    Past(usize),
}

/// A game that has ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Finished {
    /// What it brought the learner; white, where it played both sides.
    pub reward: f32,
    pub plies: u32,
    /// Did the learner (or white) win: 1, draw: 0, lose: −1?
    pub result: i8,
}

impl Finished {
    pub fn save(&self, out: &mut Writer) {
        out.f64(self.reward.into());
        out.u64(self.plies.into());
        out.u64((self.result + 1) as u64);
    }

    /// # Errors
    /// When the record is too short.
    pub fn load(from: &mut Reader<'_>) -> Result<Finished, LearnError> {
        Ok(Finished {
            reward: from.f64()? as f32,
            plies: from.u64()? as u32,
            result: from.u64()?.min(2) as i8 - 1,
        })
    }
}

/// A world, and who plays in it.
struct Pairing {
    world: Box<dyn World>,
    random: ChaCha8Rng,
    begun: bool,
    rival: Rival,
    learner: Color,
    reward: f32,
    trace: Trace,
    /// The last decision of each side in this game that is in the trace.
    last: [Option<usize>; 2],
    finished: Vec<Finished>,
}

/// Worlds that are played together, so that the policy is asked about all of them at once.
pub(super) struct Group {
    pairings: Vec<Pairing>,
    hidden: Hidden,
}

/// The policies of a rollout.
#[derive(Clone, Copy)]
pub(super) struct Policies<'a> {
    pub present: &'a Mlp,
    pub past: &'a [Mlp],
    pub rows_a_move: usize,
}

/// Worlds that a thread plays at once.
pub(super) const GROUP: usize = 8;

impl Group {
    /// Worlds in groups, each with chances by its number.
    pub fn many(worlds: Vec<Box<dyn World>>, seed: u64) -> Vec<Group> {
        let (mut worlds, mut groups) = (worlds.into_iter(), Vec::new());
        loop {
            let some: Vec<_> = worlds.by_ref().take(GROUP).collect();
            if some.is_empty() {
                return groups;
            }
            let first = (groups.len() * GROUP) as u64;
            groups.push(Group::new(some, seed, first));
        }
    }

    /// Worlds whose chances follow from `seed`; `first` is the number of the first.
    pub fn new(worlds: Vec<Box<dyn World>>, seed: u64, first: u64) -> Group {
        let pairing = |(i, world): (usize, Box<dyn World>)| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(1 + first + i as u64);
            Pairing {
                world,
                random,
                begun: false,
                rival: Rival::Nobody,
                learner: Color::White,
                reward: 0.0,
                trace: Trace::default(),
                last: [None; 2],
                finished: Vec::new(),
            }
        };
        Group {
            pairings: worlds.into_iter().enumerate().map(pairing).collect(),
            hidden: Hidden::default(),
        }
    }

    /// Plays until each world has brought `decisions` to learn from, and stands before the next.
    pub fn collect(
        &mut self,
        policies: Policies<'_>,
        rivals: Rivals,
        decisions: usize,
        stop: &AtomicBool,
    ) -> Result<(), LearnError> {
        for pairing in &mut self.pairings {
            pairing.trace = Trace::default();
            pairing.last = [None; 2];
            if !pairing.begun {
                pairing.begin(rivals, policies.past.len())?;
                pairing.begun = true;
            }
        }
        for decision in 0.. {
            go_on(stop)?;
            self.let_rivals_move(policies, rivals)?;
            if decision == decisions {
                break;
            }
            let all: Vec<usize> = (0..self.pairings.len()).collect();
            let (inputs, legal) = self.look(&all);
            policies
                .present
                .hidden(&inputs, 0..all.len(), &mut self.hidden);
            for (i, pairing) in self.pairings.iter_mut().enumerate() {
                let second = policies.present.second_of(&self.hidden, i);
                let rows = legal.rows(i);
                let chances = chances(policies.present, second, rows, policies.rows_a_move);
                let place = draw(&chances, &mut pairing.random);
                pairing.note(&inputs, &legal, i, &chances, place, policies.rows_a_move);
                pairing.play(place, rivals, policies.past.len())?;
            }
        }
        for pairing in &mut self.pairings {
            pairing.world.show(&mut pairing.trace.next);
            pairing.trace.next_mover = Some(pairing.world.turn());
        }
        Ok(())
    }

    /// What some of the worlds show.
    fn look(&self, which: &[usize]) -> (Lists, Lists) {
        let (mut inputs, mut legal) = (Lists::default(), Lists::default());
        for &i in which {
            self.pairings[i].world.show(&mut inputs);
            self.pairings[i].world.legal(&mut legal);
        }
        (inputs, legal)
    }

    /// Plays the moves of those who are not learned from, until the learner is to move everywhere.
    fn let_rivals_move(
        &mut self,
        policies: Policies<'_>,
        rivals: Rivals,
    ) -> Result<(), LearnError> {
        loop {
            let waiting: Vec<usize> = (0..self.pairings.len())
                .filter(|&i| self.pairings[i].rival_moves())
                .collect();
            if waiting.is_empty() {
                return Ok(());
            }
            // Each network is asked about all its games at once, in a fixed order.
            let networks = std::iter::once((Rival::Present, policies.present));
            let past = policies.past.iter().enumerate();
            let networks = networks.chain(past.map(|(i, mlp)| (Rival::Past(i), mlp)));
            for (rival, mlp) in networks {
                let asked: Vec<usize> = waiting
                    .iter()
                    .copied()
                    .filter(|&i| self.pairings[i].rival == rival && self.pairings[i].rival_moves())
                    .collect();
                if asked.is_empty() {
                    continue;
                }
                let (inputs, legal) = self.look(&asked);
                mlp.hidden(&inputs, 0..asked.len(), &mut self.hidden);
                for (place, &i) in asked.iter().enumerate() {
                    let second = mlp.second_of(&self.hidden, place);
                    let chances = chances(mlp, second, legal.rows(place), policies.rows_a_move);
                    let pairing = &mut self.pairings[i];
                    let place = draw(&chances, &mut pairing.random);
                    pairing.reply(place, rivals, policies.past.len())?;
                }
            }
            for &i in &waiting {
                let pairing = &mut self.pairings[i];
                if pairing.rival == Rival::Random && pairing.rival_moves() {
                    let place = below(&mut pairing.random, pairing.world.moves());
                    pairing.reply(place, rivals, policies.past.len())?;
                }
            }
        }
    }

    /// Takes the traces of the worlds.
    pub fn take_traces(&mut self) -> Vec<Trace> {
        let pairings = self.pairings.iter_mut();
        pairings.map(|p| std::mem::take(&mut p.trace)).collect()
    }

    /// Takes the games that have ended.
    pub fn take_finished(&mut self) -> Vec<Finished> {
        let pairings = self.pairings.iter_mut();
        pairings
            .flat_map(|p| std::mem::take(&mut p.finished))
            .collect()
    }

    pub fn save(&self, out: &mut Writer) {
        for pairing in &self.pairings {
            pairing.save(out);
        }
    }

    /// Reads what [`Group::save`] wrote, when there have been so many former selves.
    pub fn load(&mut self, from: &mut Reader<'_>, past: usize) -> Result<(), LearnError> {
        let mut pairings = self.pairings.iter_mut();
        pairings.try_for_each(|pairing| pairing.load(from, past))
    }
}

fn index(color: Color) -> usize {
    color.fold_wb(0, 1)
}

impl Pairing {
    fn begin(&mut self, rivals: Rivals, past: usize) -> Result<(), LearnError> {
        self.reward = 0.0;
        self.last = [None; 2];
        let chance = f64::from(self.random.next_u32()) / 4_294_967_296.0;
        self.rival = if chance < rivals.random {
            Rival::Random
        } else if chance < rivals.random + rivals.past && past > 0 {
            Rival::Past(below(&mut self.random, past))
        } else if rivals.symmetric {
            Rival::Nobody
        } else {
            Rival::Present
        };
        let drawn = Color::from_white(self.random.next_u32() & 1 == 0);
        self.learner = match self.rival {
            Rival::Nobody => Color::White,
            _ => rivals.side.unwrap_or(drawn),
        };
        self.world.begin(&mut self.random)
    }

    fn rival_moves(&self) -> bool {
        self.rival != Rival::Nobody && self.world.turn() != self.learner
    }

    /// Notes down what is seen and about to be done.
    fn note(
        &mut self,
        inputs: &Lists,
        legal: &Lists,
        list: usize,
        chances: &[f32],
        place: usize,
        rows_a_move: usize,
    ) {
        let trace = &mut self.trace;
        for (&row, &value) in inputs.rows(list).iter().zip(inputs.values(list)) {
            trace.inputs.push(row.into(), value);
        }
        trace.inputs.end();
        for (i, &row) in legal.rows(list).iter().enumerate() {
            trace.legal.push(row.into(), chances[i / rows_a_move]);
        }
        trace.legal.end();
        trace.chosen.push(place as u16);
        trace.movers.push(self.world.turn());
        trace.rewards.push(0.0);
        trace.ends.push(false);
        trace.both.push(self.rival == Rival::Nobody);
        let last = Some(trace.chosen.len() - 1);
        self.last[index(self.world.turn())] = last;
    }

    /// Plays a move of the learner's.
    fn play(&mut self, place: usize, rivals: Rivals, past: usize) -> Result<(), LearnError> {
        let mover = self.world.turn();
        let played = self.world.play(place, &mut self.random)?;
        if let Some(decision) = self.last[index(mover)] {
            self.trace.rewards[decision] += played.reward;
        }
        if !rivals.negamax
            && self.rival == Rival::Nobody
            && let Some(decision) = self.last[index(!mover)]
        {
            self.trace.rewards[decision] += played.other_reward;
        }
        self.reward += match mover == self.learner {
            true => played.reward,
            false => played.other_reward,
        };
        self.settle(played, rivals, past)
    }

    /// Plays a move of the rival's.
    fn reply(&mut self, place: usize, rivals: Rivals, past: usize) -> Result<(), LearnError> {
        let played = self.world.play(place, &mut self.random)?;
        if let Some(decision) = self.last[index(self.learner)] {
            self.trace.rewards[decision] += played.other_reward;
        }
        self.reward += played.other_reward;
        self.settle(played, rivals, past)
    }

    /// Begins a new game when this one is over.
    fn settle(&mut self, played: Played, rivals: Rivals, past: usize) -> Result<(), LearnError> {
        let Some(winner) = played.over else {
            return Ok(());
        };
        self.finished.push(Finished {
            reward: self.reward,
            plies: self.world.plies() as u32,
            result: match winner {
                None => 0,
                Some(color) if color == self.learner => 1,
                Some(_) => -1,
            },
        });
        if let Some(last) = self.last.into_iter().flatten().max() {
            self.trace.ends[last] = true;
        }
        self.begin(rivals, past)
    }

    fn save(&self, out: &mut Writer) {
        save_random(&self.random, out);
        out.u64(u64::from(self.begun));
        out.u64(match self.rival {
            Rival::Nobody => 0,
            Rival::Random => 1,
            Rival::Present => 2,
            Rival::Past(which) => 3 + which as u64,
        });
        out.u64(index(self.learner) as u64);
        out.f64(self.reward.into());
        if self.begun {
            self.world.save(out);
        }
    }

    fn load(&mut self, from: &mut Reader<'_>, past: usize) -> Result<(), LearnError> {
        self.random = load_random(from)?;
        self.begun = from.u64()? != 0;
        self.rival = match from.u64()? {
            0 => Rival::Nobody,
            1 => Rival::Random,
            2 => Rival::Present,
            which if which - 3 < past as u64 => Rival::Past(which as usize - 3),
            _ => return Err(LearnError::Record),
        };
        self.learner = Color::from_white(from.u64()? == 0);
        self.reward = from.f64()? as f32;
        match self.begun {
            true => self.world.load(from),
            false => Ok(()),
        }
    }
}
