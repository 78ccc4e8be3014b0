//! The same learner where its games are played elsewhere: a part is a group.

use std::sync::{Mutex, atomic::AtomicBool};

use super::{
    group::{Group, Harvest},
    learner::AlphaZero,
    lesson::Lesson,
    network::ZeroNetwork,
};
use crate::{
    Episode, LearnError,
    elsewhere::{Divided, Piece},
    runs::record::{Reader, Writer},
};

impl<N: ZeroNetwork> AlphaZero<N> {
    /// The group of a part, with games that came from elsewhere.
    fn group_of(&self, part: usize, games: &[u8]) -> Result<Group, LearnError> {
        let mut group = self.group(part, 0);
        let mut from = Reader::new(games);
        group.load(&self.terms, &mut from)?;
        match from.is_empty() && group.is_sound(&self.terms, &*self.network.judge()) {
            true => Ok(group),
            false => Err(LearnError::Record),
        }
    }
}

fn saved(group: &Group) -> Vec<u8> {
    let mut out = Writer::default();
    group.save(&mut out);
    out.into_bytes()
}

impl<N: ZeroNetwork> Divided for AlphaZero<N> {
    fn parts(&self) -> usize {
        AlphaZero::parts(self)
    }

    fn most_bytes(&self) -> u64 {
        let (moves, sights) = self.network.judge().lesson_size();
        // A game that ends brings all its lessons at once, each twice at most on average.
        let lessons = 2 * (2 * self.terms.max_moves as usize + self.pace.plies);
        (self.pace.group.min(self.pace.games) * lessons * Lesson::bytes(moves, sights)) as u64
    }

    fn weights(&self) -> Vec<u8> {
        self.network.to_file()
    }

    fn take_weights(&mut self, weights: &[u8]) -> Result<(), LearnError> {
        self.network.judge_by(weights)
    }

    fn games(&mut self) -> Result<Vec<Vec<u8>>, LearnError> {
        self.tables()?;
        let groups = self.groups.get_mut().unwrap_or_else(|e| e.into_inner());
        Ok(groups.iter().map(saved).collect())
    }

    fn new_games(&mut self, part: usize, life: u32) -> Result<Vec<u8>, LearnError> {
        Ok(saved(&self.group(part, life)))
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
        let harvest = group.play(&self.terms, &*self.network.judge(), self.pace.plies, stop)?;
        let mut out = Writer::default();
        harvest.save(&mut out);
        Ok(Piece {
            harvest: out.into_bytes(),
            games: saved(&group),
        })
    }

    fn learn_from(&mut self, harvests: &[&[u8]], stop: &AtomicBool) -> Result<Episode, LearnError> {
        let (mut all, judge) = (Harvest::default(), self.network.judge());
        for harvest in harvests {
            let mut from = Reader::new(harvest);
            all.add(Harvest::load(&mut from, &*judge)?);
            if !from.is_empty() {
                return Err(LearnError::Record);
            }
        }
        // What was played here, if anything, was played by somebody else meanwhile.
        self.groups = Mutex::default();
        self.improve(all, stop)
    }
}
