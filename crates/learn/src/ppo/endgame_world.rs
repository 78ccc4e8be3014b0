//! Games of an endgame for the learner, in the compact form.
//!
//! Every position is turned to its standard image, so that eight positions are one to the learner; the
//! third occurrence of a position counts up to symmetry, too, in training only.

use std::sync::Arc;

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Color, FewMen, Targets};

use super::world::{Played, World};
use crate::{
    Endgame, LearnError, Past,
    endgames::sight::{EndgameSight, from_bytes, to_bytes},
    learner::below,
    net::plain::Lists,
    runs::record::{Reader, Writer},
};

/// What all worlds of a learner share.
pub(super) struct EndgameTerms {
    pub endgame: Endgame,
    pub sight: EndgameSight,
    /// For a mate; the mated side loses as much.
    pub win: f32,
    /// The share of games that begin with a position out of an earlier game that was won.
    pub restarts: f64,
}

/// Moves of each side until a game is drawn.
const MAX_MOVES: u32 = 50;
/// Positions of earlier games that a world remembers.
const REMEMBERED: usize = 256;

pub(super) struct EndgameWorld {
    terms: Arc<EndgameTerms>,
    past: Past,
    /// The positions of this game, in their standard images.
    game: Vec<FewMen>,
    targets: Targets,
    remembered: Vec<FewMen>,
    next: usize,
}

impl EndgameWorld {
    pub fn new(terms: Arc<EndgameTerms>) -> EndgameWorld {
        EndgameWorld {
            terms,
            past: Past::new(MAX_MOVES, true),
            game: Vec::new(),
            targets: Targets::default(),
            remembered: Vec::new(),
            next: 0,
        }
    }

    fn men(&self) -> FewMen {
        *self.game.last().expect("a game that has begun")
    }

    fn put(&mut self, men: FewMen) {
        match self.game.is_empty() {
            true => self.past.restart(number(men)),
            false => self.past.push(number(men)),
        }
        self.game.push(men);
        self.targets = self.terms.endgame.rules.targets(men);
    }

    /// Keeps a position of a game that was won.
    fn remember(&mut self, random: &mut ChaCha8Rng) {
        // The last position is a mate.
        if self.game.len() < 2 {
            return;
        }
        let men = self.game[below(random, self.game.len() - 1)];
        if self.remembered.len() < REMEMBERED {
            self.remembered.push(men);
        } else {
            self.remembered[self.next] = men;
        }
        self.next = (self.next + 1) % REMEMBERED;
    }
}

impl World for EndgameWorld {
    fn begin(&mut self, random: &mut ChaCha8Rng) -> Result<(), LearnError> {
        let chance = f64::from(random.next_u32()) / 4_294_967_296.0;
        let men = match chance < self.terms.restarts && !self.remembered.is_empty() {
            true => self.remembered[below(random, self.remembered.len())],
            false => self.terms.endgame.random_start(random).0,
        };
        self.game.clear();
        self.put(men);
        Ok(())
    }

    fn turn(&self) -> Color {
        self.men().turn
    }

    fn moves(&self) -> usize {
        self.targets.len()
    }

    fn show(&self, inputs: &mut Lists) {
        self.terms.sight.show(self.men(), inputs);
    }

    fn legal(&self, rows: &mut Lists) {
        self.terms.sight.rows(self.men(), &self.targets, rows);
    }

    fn play(&mut self, place: usize, random: &mut ChaCha8Rng) -> Result<Played, LearnError> {
        let mover = self.turn();
        let m = self.targets.nth(place);
        self.put(self.terms.endgame.after(self.men(), m));
        let rules = &self.terms.endgame.rules;
        let outcome = self.past.outcome(rules, self.men(), &self.targets);
        let winner = outcome.and_then(|outcome| outcome.winner);
        if winner.is_some() && self.terms.restarts > 0.0 {
            self.remember(random);
        }
        let reward = match winner {
            None => 0.0,
            Some(color) if color == mover => self.terms.win,
            Some(_) => -self.terms.win,
        };
        Ok(Played {
            reward,
            other_reward: -reward,
            over: outcome.map(|outcome| outcome.winner),
        })
    }

    fn plies(&self) -> usize {
        self.past.plies()
    }

    fn save(&self, out: &mut Writer) {
        let bytes = |men: &[FewMen]| -> Vec<u8> { men.iter().flat_map(|&m| to_bytes(m)).collect() };
        out.bytes(&bytes(&self.game));
        out.bytes(&bytes(&self.remembered));
        out.u64(self.next as u64);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        let rules = &self.terms.endgame.rules;
        let read = |bytes: &[u8]| -> Result<Vec<FewMen>, LearnError> {
            let men = bytes.chunks(6).map(from_bytes);
            let sound = men.map(|men| men.filter(|&men| rules.is_possible(men)));
            sound.map(|men| men.ok_or(LearnError::Record)).collect()
        };
        let game = read(from.bytes()?)?;
        self.remembered = read(from.bytes()?)?;
        self.next = from.u64()? as usize;
        if game.is_empty() || self.remembered.len() > REMEMBERED || self.next >= REMEMBERED {
            return Err(LearnError::Record);
        }
        let stuck = |men: &FewMen| rules.targets(*men).is_empty();
        if self.remembered.iter().any(stuck) {
            return Err(LearnError::Record);
        }
        self.game.clear();
        game.into_iter().for_each(|men| self.put(men));
        let rules = &self.terms.endgame.rules;
        match self.past.outcome(rules, self.men(), &self.targets) {
            None => Ok(()),
            Some(_) => Err(LearnError::Record),
        }
    }
}

/// A number that tells positions of the same men apart.
fn number(men: FewMen) -> u64 {
    to_bytes(men)
        .into_iter()
        .fold(0, |number, byte| number * 65 + u64::from(byte))
}
