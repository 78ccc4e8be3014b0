//! The same learner where its games are played elsewhere: a part is a group of worlds.
//!
//! An iteration waits for all its parts, and every world has random numbers of its own, so that what is
//! learned is the same to the bit wherever the worlds are.

use std::sync::{Mutex, atomic::AtomicBool};

use super::{
    learner::Ppo,
    rollout::{Finished, GROUP, Group, Policies},
    samples::Trace,
};
use crate::{
    Episode, LearnError,
    elsewhere::{Divided, Piece},
    imitation::MOST_MOVES,
    runs::record::{Reader, Writer},
};

impl Ppo {
    /// The group of a part as it begins.
    fn group(&self, part: usize, life: u32) -> Result<Group, LearnError> {
        let first = part * GROUP;
        let count = GROUP.min(self.method.count().saturating_sub(first));
        let worlds = self.method.worlds.make(count)?;
        let first = first as u64 | u64::from(life) << 32;
        Ok(Group::new(worlds, self.course.seed, first))
    }

    /// The group of a part, with games that came from elsewhere.
    fn group_of(&self, part: usize, games: &[u8]) -> Result<Group, LearnError> {
        let mut group = self.group(part, 0)?;
        let mut from = Reader::new(games);
        group.load(&mut from, self.past.len())?;
        from.is_empty().then_some(group).ok_or(LearnError::Record)
    }

    /// Worlds of a part.
    fn count_of(&self, part: usize) -> usize {
        GROUP.min(self.method.count() - part * GROUP)
    }
}

fn saved(group: &Group) -> Vec<u8> {
    let mut out = Writer::default();
    group.save(&mut out);
    out.into_bytes()
}

impl Divided for Ppo {
    fn parts(&self) -> usize {
        self.method.count().div_ceil(GROUP)
    }

    fn is_synchronous(&self) -> bool {
        true
    }

    fn most_bytes(&self) -> u64 {
        // No sight switches more inputs on; six bytes each, and for each row of a legal move.
        const INPUTS: usize = 64 * 14;
        let rows = INPUTS + self.extents.rows_a_move * (MOST_MOVES + 1);
        (GROUP * self.method.decisions() * (6 * rows + 32)) as u64
    }

    fn weights(&self) -> Vec<u8> {
        let mut out = Writer::default();
        self.networks.policy.mlp.save(&mut out);
        out.u64(self.past.len() as u64);
        self.past.iter().for_each(|mlp| mlp.save(&mut out));
        out.into_bytes()
    }

    fn take_weights(&mut self, weights: &[u8]) -> Result<(), LearnError> {
        let mut from = Reader::new(weights);
        let mut present = self.networks.policy.mlp.clone();
        present.load(&mut from)?;
        let count = from.u64()?;
        if count > self.method.pool as u64 {
            return Err(LearnError::Record);
        }
        let mut past = vec![present.clone(); count as usize];
        past.iter_mut().try_for_each(|mlp| mlp.load(&mut from))?;
        if !from.is_empty() {
            return Err(LearnError::Record);
        }
        self.networks.policy.mlp = present;
        self.past = past;
        Ok(())
    }

    fn games(&mut self) -> Result<Vec<Vec<u8>>, LearnError> {
        self.ready()?;
        let groups = self.groups.get_mut().unwrap_or_else(|e| e.into_inner());
        Ok(groups.iter().map(saved).collect())
    }

    fn new_games(&mut self, part: usize, life: u32) -> Result<Vec<u8>, LearnError> {
        Ok(saved(&self.group(part, life)?))
    }

    fn put_games(&mut self, games: &[&[u8]]) -> Result<(), LearnError> {
        for (part, games) in games.iter().enumerate() {
            self.group_of(part, games)?;
        }
        self.saved = games.concat();
        self.groups = Mutex::default();
        Ok(())
    }

    fn play(&mut self, part: usize, games: &[u8], stop: &AtomicBool) -> Result<Piece, LearnError> {
        let mut group = self.group_of(part, games)?;
        let policies = Policies {
            present: &self.networks.policy.mlp,
            past: &self.past,
            rows_a_move: self.extents.rows_a_move,
        };
        group.collect(policies, self.method.rivals, self.method.decisions(), stop)?;
        let mut out = Writer::default();
        let finished = group.take_finished();
        out.u64(finished.len() as u64);
        finished.iter().for_each(|game| game.save(&mut out));
        for trace in group.take_traces() {
            trace.save(&mut out);
        }
        Ok(Piece {
            harvest: out.into_bytes(),
            games: saved(&group),
        })
    }

    fn learn_from(&mut self, harvests: &[&[u8]], stop: &AtomicBool) -> Result<Episode, LearnError> {
        let decisions = self.method.decisions();
        let (mut games, mut traces) = (Vec::new(), Vec::new());
        for (part, harvest) in harvests.iter().enumerate() {
            let mut from = Reader::new(harvest);
            for _ in 0..from.u64()? {
                games.push(Finished::load(&mut from)?);
            }
            for _ in 0..self.count_of(part) {
                traces.push(Trace::load(&mut from, self.extents, decisions)?);
            }
            if !from.is_empty() {
                return Err(LearnError::Record);
            }
        }
        self.groups = Mutex::default();
        self.remember(games);
        self.improve(&traces, stop)
    }
}
