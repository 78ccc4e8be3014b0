//! A network that knows the distance to mate, as a policy and as a file.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use rayon::prelude::*;
use rules::{Board, BoardEnding, Color, FewMen, FewMove, Material, Position};
use serde::{Deserialize, Serialize};
use truth::{Oracle, Verdict};

use crate::{
    Encoding, Endgame, Errata, Folding, Inputs, LearnError, Preference, Skill,
    learner::go_on,
    net::{self, Network, Shape, Tensors},
    runs::settings::within,
};
use std::sync::atomic::AtomicBool;

/// What a file of weights says about itself, and all there is to know to read it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistanceShape {
    /// The endgame.
    pub endgame: String,
    /// Board size.
    pub board: usize,
    /// What the network is told of a position.
    pub inputs: Inputs,
    /// Numbers that are passed from layer to layer.
    pub width: usize,
    /// Layers between the first table and the last.
    pub layers: usize,
    /// Bits to a stored weight, 2 to 8; 0 for exact weights of four bytes.
    pub bits: u32,
    /// The longest mate that has an answer of its own.
    pub longest: u8,
    /// How its answer is read.
    #[serde(default)]
    pub reading: Reading,
}

/// How an answer is read from the scores of the classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reading {
    /// The class in the middle of what is likely: better where some answers are wrong.
    #[default]
    Median,
    /// The class with the highest score: for a learner that knows these to be right.
    Class,
}

impl DistanceShape {
    /// That of the network in a file, without its weights: it takes no time.
    ///
    /// # Errors
    /// When the file is damaged or not one of ours.
    pub fn from_file(file: &[u8]) -> Result<DistanceShape, LearnError> {
        toml::from_str(&Tensors::about(file)?).map_err(|_| LearnError::Weights)
    }

    fn endgame(&self) -> Result<Endgame, LearnError> {
        let bad = |name: &str, value: &dyn ToString, why: String| LearnError::BadSetting {
            name: name.into(),
            value: value.to_string(),
            why,
        };
        let material: Material = self
            .endgame
            .parse()
            .map_err(|error| bad("endgame", &self.endgame, format!("{error}")))?;
        let board = Board::new(self.board)
            .map_err(|error| bad("board", &self.board, format!("{error}")))?;
        within("width", self.width as f64, 1.0, 4096.0)?;
        within("layers", self.layers as f64, 0.0, 16.0)?;
        if self.bits != 0 {
            within("bits", self.bits.into(), 2.0, 8.0)?;
        }
        within("longest", self.longest.into(), 1.0, 200.0)?;
        Ok(Endgame::new(material, board, Folding::Full)?)
    }
}

/// The parts that a network is put into.
pub(crate) struct Frame {
    pub shape: DistanceShape,
    pub endgame: Endgame,
    pub encoding: Encoding,
}

impl Frame {
    /// # Errors
    /// When the shape makes no sense.
    pub fn new(shape: DistanceShape) -> Result<Frame, LearnError> {
        let endgame = shape.endgame()?;
        let encoding = Encoding::new(shape.inputs, &endgame.rules, &endgame.index);
        Ok(Frame {
            shape,
            endgame,
            encoding,
        })
    }

    /// The size of the network.
    pub fn size(&self) -> Shape {
        Shape {
            inputs: self.encoding.inputs(),
            active: self.encoding.active(),
            width: self.shape.width,
            layers: self.shape.layers,
            classes: usize::from(self.shape.longest) + 2,
            bits: self.shape.bits,
        }
    }

    /// The answer that stands for "no mate".
    pub fn never(&self) -> u8 {
        self.shape.longest + 1
    }

    /// The right answer to a position with black to move.
    ///
    /// # Errors
    /// When the teacher does not cover the endgame.
    pub fn ask(&self, teacher: &dyn Oracle, position: &Position) -> Result<u8, LearnError> {
        Ok(match teacher.probe(position) {
            Some(Verdict::Loss { plies }) => (plies / 2).min(self.shape.longest.into()) as u8,
            Some(_) => self.never(),
            None => return Err(LearnError::NoTeacher),
        })
    }

    /// The right answers by number of the position; where black has taken a man, white does not
    /// mate.
    fn truth(&self, teacher: &dyn Oracle) -> Result<Vec<u8>, LearnError> {
        let Endgame { rules, index } = &self.endgame;
        let answer = |number: usize| {
            let men = index.position(number, Color::Black);
            let whole = |men: &FewMen| {
                let others = &men.others[..rules.others_count()];
                rules.is_possible(*men) && !others.contains(&None)
            };
            match men.filter(whole).map(|men| rules.position(men)) {
                Some(Ok(position)) => self.ask(teacher, &position),
                _ => Ok(self.never()),
            }
        };
        (0..index.states()).into_par_iter().map(answer).collect()
    }
}

/// A network that has learned.
///
/// It sees a position with black to move, in its standard image, and answers with the number of
/// moves in which white mates, or that white does not. White moves where the number is smallest; no
/// position further on is looked at. Where a move ends the game the rules say what it is worth, and the
/// network is not asked.
pub struct DistanceNetwork {
    frame: Arc<Frame>,
    network: Network,
    /// Answers that the network gets wrong.
    errata: Errata,
    /// Answers by number of the position: they are asked for again and again.
    answers: Vec<AtomicU32>,
}

/// The tensor of answers that the network gets wrong, in files that keep them.
const ERRATA: &str = "errata";

/// An answer that has not been worked out yet: no number at all.
const UNASKED: u32 = u32::MAX;

#[derive(Default)]
struct Scratch {
    inputs: Vec<u16>,
    net: net::Scratch,
}

impl DistanceNetwork {
    pub(crate) fn new(frame: Arc<Frame>, network: Network, errata: Errata) -> DistanceNetwork {
        let states = frame.endgame.index.states();
        let known = DistanceNetwork {
            frame,
            network,
            errata,
            answers: (0..states).map(|_| AtomicU32::new(UNASKED)).collect(),
        };
        for (number, answer) in known.errata.iter() {
            known.set(number, answer);
        }
        known
    }

    /// Puts a right answer in the place of the network's.
    fn set(&self, number: u32, answer: u8) {
        if let Some(slot) = self.answers.get(number as usize) {
            slot.store(f32::from(answer).to_bits(), Ordering::Relaxed);
        }
    }

    /// The network as a file: safetensors, its weights packed.
    pub fn to_file(&self) -> Vec<u8> {
        let about = toml::to_string(&self.frame.shape).expect("plain values");
        let mut tensors = self.network.tensors();
        let errata = self.errata.to_bytes();
        if !errata.is_empty() {
            tensors.add_bytes(ERRATA, errata);
        }
        tensors.to_file(&about)
    }

    /// Reads what [`DistanceNetwork::to_file`] wrote.
    ///
    /// # Errors
    /// When the file is damaged or not one of ours.
    pub fn from_file(file: &[u8]) -> Result<DistanceNetwork, LearnError> {
        let (about, tensors) = Tensors::from_file(file)?;
        let shape: DistanceShape = toml::from_str(&about).map_err(|_| LearnError::Weights)?;
        let frame = Frame::new(shape)?;
        let network = Network::from_tensors(&tensors, frame.size())?;
        let errata = Errata::from_bytes(tensors.bytes(ERRATA).unwrap_or(&[]))?;
        Ok(DistanceNetwork::new(frame.into(), network, errata))
    }

    /// Its size and what it is told.
    pub fn shape(&self) -> &DistanceShape {
        &self.frame.shape
    }

    /// In how many moves white mates, in the network's opinion; black is to move.
    fn answer(&self, men: FewMen, scratch: &mut Scratch) -> f32 {
        let (canonical, _, number) = self.frame.endgame.index.canonical_and_index(men);
        let known = self.answers[number].load(Ordering::Relaxed);
        if known != UNASKED {
            return f32::from_bits(known);
        }
        let answer = self.ended(canonical);
        let answer = answer.unwrap_or_else(|| self.guess(canonical, scratch));
        self.answers[number].store(answer.to_bits(), Ordering::Relaxed);
        answer
    }

    /// What the rules say where the game is over: that needs no guess.
    fn ended(&self, men: FewMen) -> Option<f32> {
        let rules = &self.frame.endgame.rules;
        match rules.ending(men, &rules.targets(men))? {
            BoardEnding::Checkmate => Some(0.0),
            _ => Some(self.never()),
        }
    }

    /// What the network says.
    fn guess(&self, men: FewMen, scratch: &mut Scratch) -> f32 {
        scratch.inputs.clear();
        if !self.frame.encoding.encode(men, &mut scratch.inputs) {
            return self.never(); // a man has been taken
        }
        match self.frame.shape.reading {
            Reading::Median => self.network.median(&scratch.inputs, &mut scratch.net),
            Reading::Class => self.network.class(&scratch.inputs, &mut scratch.net) as f32,
        }
    }

    fn never(&self) -> f32 {
        f32::from(self.frame.never())
    }

    /// The answers that the network gets wrong.
    pub fn errata(&self) -> &Errata {
        &self.errata
    }

    /// Bytes of weights and errata.
    pub fn bytes(&self) -> u64 {
        (self.network.shape.bytes() + self.errata.to_bytes().len()) as u64
    }

    /// Writes down as many right answers as it takes to play the shortest mate from everywhere.
    ///
    /// # Errors
    /// When the teacher does not cover the endgame, or it is told to stop.
    pub fn correct(&mut self, teacher: &dyn Oracle, stop: &AtomicBool) -> Result<(), LearnError> {
        let truth = self.frame.truth(teacher)?;
        let states = 0..self.answers.len();
        loop {
            go_on(stop)?;
            let wrong: Vec<(u32, u8)> = states
                .clone()
                .into_par_iter()
                .flat_map_iter(|number| self.amend(number, &truth))
                .collect();
            if wrong.is_empty() {
                return Ok(());
            }
            for (number, answer) in wrong {
                self.errata.insert(number, answer);
                self.set(number, answer);
            }
        }
    }

    /// What has to be written down for the best move in a position with white to move.
    fn amend(&self, number: usize, truth: &[u8]) -> Vec<(u32, u8)> {
        let Endgame { rules, index } = &self.frame.endgame;
        let men = index.position(number, Color::White);
        let Some(men) = men.filter(|&men| rules.is_possible(men)) else {
            return Vec::new();
        };
        let mut scratch = Scratch::default();
        let rated: Vec<(f32, u8, u32)> = rules
            .targets(men)
            .iter()
            .map(|m| {
                let next = rules.after(men, m);
                let number = index.index(next);
                (
                    self.answer(next, &mut scratch),
                    truth[number],
                    number as u32,
                )
            })
            .collect();
        let best = rated.iter().map(|&(_, truth, _)| truth).min();
        let Some(best) = best.filter(|&best| best < self.frame.never()) else {
            return Vec::new(); // not won
        };
        let good = rated.iter().filter(|(_, truth, _)| *truth == best);
        let Some(good) = good.min_by(|one, other| one.0.total_cmp(&other.0)) else {
            return Vec::new();
        };
        // Of equal answers the first counts: what is as good as the best could be played as well.
        let bad: Vec<_> = rated
            .iter()
            .filter(|r| r.1 != best && r.0 <= good.0)
            .collect();
        let wrong = bad.iter().filter(|r| r.0 != f32::from(r.1));
        // One answer put right is shorter than several; but what is right already stays as it is.
        match (bad.len(), wrong.clone().count()) {
            (0, _) => Vec::new(),
            (1, 1) => vec![(bad[0].2, bad[0].1)],
            _ if good.0 > f32::from(best) => vec![(good.2, best)],
            _ => wrong.map(|r| (r.2, r.1)).collect(),
        }
    }

    /// White's best move and the answer behind it.
    fn attack(&self, men: FewMen, scratch: &mut Scratch) -> Option<(f32, FewMove)> {
        let rules = &self.frame.endgame.rules;
        let targets = rules.targets(men);
        targets
            .iter()
            .map(|m| (self.answer(rules.after(men, m), scratch), m))
            .min_by(|(one, _), (other, _)| one.total_cmp(other))
    }

    /// Like [`Learner::choose`], when white looks one move of each side further.
    pub fn choose_ahead(&self, men: FewMen) -> Option<Preference> {
        if men.turn == Color::Black {
            return self.choose(men); // it looks as far already
        }
        let m = self.attack_ahead(men, &mut Scratch::default())?;
        Some(Preference { m, visited: true })
    }

    /// White's best move when black's replies and white's next moves are looked at: black's best reply
    /// to it leaves the shortest mate. What the rules say counts for more than the network.
    fn attack_ahead(&self, men: FewMen, scratch: &mut Scratch) -> Option<FewMove> {
        let rules = &self.frame.endgame.rules;
        let mut best: Option<((f32, f32), FewMove)> = None;
        for m in rules.targets(men).iter() {
            let next = rules.after(men, m);
            let replies = rules.targets(next);
            let slowest = match rules.ending(next, &replies) {
                Some(BoardEnding::Checkmate) => 0.0,
                Some(_) => self.never() + 1.0,
                None => {
                    let answers = replies.iter().map(|reply| {
                        let white = rules.after(next, reply);
                        1.0 + self.attack_value(white, scratch)
                    });
                    answers.fold(0.0, f32::max)
                }
            };
            // Of equal moves the one that the network likes better by itself.
            let rated = (slowest, self.answer(next, scratch));
            if best.is_none_or(|(best, _)| rated < best) {
                best = Some((rated, m));
            }
        }
        best.map(|(_, m)| m)
    }

    /// What white's best move leaves, white to move.
    fn attack_value(&self, white: FewMen, scratch: &mut Scratch) -> f32 {
        let rules = &self.frame.endgame.rules;
        let attack = match rules.is_insufficient_material(white) {
            true => None,
            false => self.attack(white, scratch),
        };
        attack.map_or(self.never(), |(answer, _)| answer)
    }

    /// Black's best move: the one after which white's best answer takes longest.
    fn defend(&self, men: FewMen, scratch: &mut Scratch) -> Option<FewMove> {
        let rules = &self.frame.endgame.rules;
        let targets = rules.targets(men);
        let rated = targets
            .iter()
            .map(|m| (self.attack_value(rules.after(men, m), scratch), m));
        let best = rated.max_by(|(one, _), (other, _)| one.total_cmp(other));
        best.map(|(_, m)| m)
    }
}

/// A network in a file is a learner that has nothing left to learn.
impl Skill for DistanceNetwork {
    fn endgame(&self) -> &Endgame {
        &self.frame.endgame
    }

    fn choose(&self, men: FewMen) -> Option<Preference> {
        let mut scratch = Scratch::default();
        let m = match men.turn {
            Color::White => self.attack(men, &mut scratch)?.1,
            Color::Black => self.defend(men, &mut scratch)?,
        };
        Some(Preference { m, visited: true })
    }

    fn distances(&self) -> Option<&DistanceNetwork> {
        Some(self)
    }
}
