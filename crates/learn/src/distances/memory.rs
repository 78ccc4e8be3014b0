//! Positions met in games, and what is thought of them.

use rayon::prelude::*;
use rules::{Color, FewMen};

use crate::{
    LearnError,
    distances::backup::{self, Ended},
    distances::distance_network::Frame,
    learner::go_on,
    net::{Network, Scratch},
    runs::record::{Reader, Writer},
};
use std::sync::atomic::AtomicBool;

/// Not met yet.
const UNMET: u8 = u8::MAX;
/// Not settled by the rules.
const OPEN: u8 = u8::MAX;

/// The positions with black to move that were met, in the order they were met.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// Their numbers.
    met: Vec<u32>,
    /// What the rules say about each of them, or [`OPEN`].
    settled: Vec<u8>,
    /// By number: what is thought of a position, or [`UNMET`].
    answers: Vec<u8>,
    /// What a network is told of each position, as far as it has been worked out.
    inputs: Vec<u16>,
}

impl Memory {
    pub fn new(frame: &Frame) -> Memory {
        Memory {
            met: Vec::new(),
            settled: Vec::new(),
            answers: vec![UNMET; frame.endgame.index.states()],
            inputs: Vec::new(),
        }
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.met.len()
    }

    /// What is thought of the position of a number: a position that was not met is not believed to
    /// be won.
    #[inline]
    pub fn answer(&self, number: usize) -> u8 {
        self.answers[number]
    }

    /// Was it met?
    pub fn has_met(&self, number: usize) -> bool {
        self.answers[number] != UNMET
    }

    /// Remembers a position with black to move, unless a man is missing; says whether it is new.
    pub fn meet(&mut self, frame: &Frame, men: FewMen, number: usize) -> bool {
        if self.answers[number] != UNMET || lacks(frame, men) {
            return false;
        }
        let settled = match backup::ended(&frame.endgame, men) {
            Some(Ended::Mate) => 0,
            Some(Ended::Draw) => frame.never(),
            None => OPEN,
        };
        self.met.push(number as u32); // a table of four thousand million entries fits nowhere
        self.settled.push(settled);
        self.answers[number] = if settled == OPEN {
            frame.never()
        } else {
            settled
        };
        true
    }

    /// The position at a place of the memory.
    fn position(&self, frame: &Frame, place: usize) -> FewMen {
        let men = frame
            .endgame
            .index
            .position(self.met[place] as usize, Color::Black);
        men.expect("a position that was met has a number")
    }

    /// A network's answers to every position, by plain loops.
    pub fn ask(
        &mut self,
        frame: &Frame,
        network: &Network,
        stop: &AtomicBool,
    ) -> Result<Vec<u8>, LearnError> {
        let active = frame.encoding.active();
        self.inputs(frame, self.met.len())
            .par_chunks(active)
            .map_init(Scratch::default, |scratch, inputs| {
                go_on(stop)?;
                Ok(network.class(inputs, scratch) as u8) // at most 202 classes
            })
            .collect()
    }

    /// Takes answers for the first positions. Where the rules have spoken, they are believed instead.
    pub fn believe(&mut self, said: &[u8]) {
        for ((&number, &settled), &said) in self.met.iter().zip(&self.settled).zip(said) {
            self.answers[number as usize] = if settled == OPEN { said } else { settled };
        }
    }

    /// Looks one move of each side ahead from every position, over all legal moves.
    pub fn look_ahead(&self, frame: &Frame, stop: &AtomicBool) -> Result<Vec<u8>, LearnError> {
        (0..self.met.len())
            .into_par_iter()
            .map(|place| match self.settled[place] {
                OPEN => {
                    go_on(stop)?;
                    let men = self.position(frame, place);
                    let longest = frame.shape.longest;
                    let answer = |n: usize| self.answers[n];
                    Ok(backup::full_width(&frame.endgame, men, longest, answer))
                }
                settled => Ok(settled),
            })
            .collect()
    }

    /// What a network is told of the first `count` positions, one after the other.
    pub fn inputs(&mut self, frame: &Frame, count: usize) -> &[u16] {
        let active = frame.encoding.active();
        for place in self.inputs.len() / active..count {
            let men = self.position(frame, place);
            frame.encoding.encode(men, &mut self.inputs);
        }
        &self.inputs[..count * active]
    }

    pub fn save(&self, out: &mut Writer) {
        out.u32s(self.met.iter().copied());
        out.bytes(&self.settled);
        out.bytes(&self.answers);
    }

    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        let met: Vec<u32> = from.u32s()?.collect();
        let settled = from.bytes()?.to_vec();
        let answers = from.bytes()?.to_vec();
        let known = |&number: &u32| answers.get(number as usize).is_some_and(|&a| a != UNMET);
        let sound = answers.len() == self.answers.len()
            && settled.len() == met.len()
            && met.iter().all(known);
        if !sound {
            return Err(LearnError::Record);
        }
        *self = Memory {
            met,
            settled,
            answers,
            inputs: Vec::new(),
        };
        Ok(())
    }
}

/// Has a man been taken?
fn lacks(frame: &Frame, men: FewMen) -> bool {
    let standing = men.others.iter().flatten().count();
    standing < frame.endgame.rules.others_count()
}
