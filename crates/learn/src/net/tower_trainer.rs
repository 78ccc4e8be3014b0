//! Training a tower: by burn on the processor, or by libtorch where the program is built for it.

use burn::tensor::{Device, Int, Tensor, TensorData, activation::log_softmax};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{
    Begin, TableSpec, Tensors, TowerShape,
    average::approach,
    device,
    muon::Muon,
    no_such_device,
    tensors::{self, numbers},
    tower::Tower,
    tower_network::unpacked,
};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// What a tower learns from: positions with their legal moves, what was played and how it ended.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TowerBatch {
    /// The sets of squares that are seen, position after position.
    pub sights: Vec<u64>,
    /// For how many legal moves there is room.
    pub room: usize,
    /// The numbers of the legal moves, `room` for each position; what is left over is −1.
    pub legal: Vec<i16>,
    /// Which of them was played.
    pub played: Vec<i16>,
    /// How likely each of them is to be the best, `room` for each position; empty where the move that
    /// was played is all there is to learn.
    pub shares: Vec<f32>,
    /// How the game ended for the mover: 0 lost, 1 drawn, 2 won; −1 when that is not known.
    pub endings: Vec<i8>,
    /// How likely loss, draw and win were, three numbers for each position, where more than the ending
    /// is known; else empty.
    pub results: Vec<f32>,
}

/// How much is made of what.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TowerRates {
    /// Matrices shrink by this times the rate.
    pub decay: f64,
    /// What knowing the ending is worth beside knowing the move.
    pub ending: f64,
    /// The share of the averaged weights that a step leaves as it is.
    pub average: f64,
}

/// What a batch was like, before it was learned from.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TowerLosses {
    /// The mean surprise at the moves, in nats.
    pub moves: f64,
    /// The mean surprise at the endings.
    pub endings: f64,
    /// In how many positions the move was the one expected first.
    pub right: u32,
}

/// A tower in training.
pub trait TowerTraining: Send {
    /// Learns from a batch.
    fn learn(&mut self, batch: &TowerBatch, rate: f64) -> TowerLosses;

    /// The averaged weights as they are now.
    fn weights(&self) -> Tensors;

    /// Goes on from these weights, as if it had only begun.
    ///
    /// # Errors
    /// When they are those of another tower.
    fn start_from(&mut self, weights: &Tensors) -> Result<(), LearnError>;

    /// The averaged weights as they are now, answering where they are trained. `None` where the plain loops of a
    /// [`TowerNetwork`](super::TowerNetwork) answer as well.
    fn answers(&self) -> Option<Box<dyn TowerOnDevice>> {
        None
    }

    /// Writes weights and the state of the optimiser.
    fn save(&self, out: &mut Writer);

    /// Reads what [`TowerTraining::save`] wrote, for a tower of the same size.
    ///
    /// # Errors
    /// When the record does not fit.
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError>;
}

/// A tower that only answers, on the device that it is trained on.
pub trait TowerOnDevice: Send {
    /// For boards, each given as the sets of squares it sees and the numbers of its legal moves: how likely each of
    /// these is, and how likely loss, draw and win. There is `room` for so many moves of each; what is left
    /// over is −1.
    fn answer(&mut self, sights: &[u64], legal: &[i16], room: usize) -> Answered;

    /// The same weights, for another thread.
    fn again(&self) -> Box<dyn TowerOnDevice>;
}

/// What a tower says of some boards.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Answered {
    /// How likely each legal move is, as many for each board as there was room for.
    pub moves: Vec<f32>,
    /// How likely loss, draw and win are, three for each board.
    pub endings: Vec<f32>,
}

/// How far averaged weights follow at a step: at first they follow at once.
pub(crate) fn follow(average: f64, steps: u64) -> f64 {
    (1.0 - average).max(1.0 / (1.0 + steps as f64 / 10.0))
}

/// A tower in training, its weights drawn from `seed`: on the device `cpu` by burn; on `libtorch`
/// (the processor) and `cuda` by libtorch, in a program built with it.
///
/// # Errors
/// When there is no such device in this program, or the shape makes no sense.
pub fn tower_trainer(
    shape: &TowerShape,
    rates: TowerRates,
    seed: u64,
    device: &str,
) -> Result<Box<dyn TowerTraining>, LearnError> {
    shape.check()?;
    match device {
        "cpu" => Ok(Box::new(BurnTrainer::new(shape, rates, seed)?)),
        #[cfg(feature = "libtorch")]
        "libtorch" | "cuda" => Ok(Box::new(super::torch::TorchTrainer::new(
            shape, rates, seed, device,
        )?)),
        _ => Err(no_such_device(device)),
    }
}

/// Weights to begin with.
pub(super) fn beginning(shape: &TowerShape, seed: u64) -> Tensors {
    let norms = shape.norms().into_iter();
    drawn(
        shape.tables(),
        norms.map(|norm| (norm, shape.width)).collect(),
        seed,
    )
}

/// Tables drawn by lot, and normalisations, each of so many numbers, that have met nothing.
pub(super) fn drawn(tables: Vec<TableSpec>, norms: Vec<(String, usize)>, seed: u64) -> Tensors {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut weights = Tensors::default();
    for table in tables {
        let values = match table.begin {
            Begin::Constant(value) => vec![value as f32; table.count()],
            Begin::Spread(width) => {
                // Uniform, of this standard deviation.
                let mut draw = || random.next_u32() as f32 / u32::MAX as f32 * 2.0 - 1.0;
                let scale = (width * 3_f64.sqrt()) as f32;
                (0..table.count()).map(|_| draw() * scale).collect()
            }
        };
        weights.add(table.name, table.sides, values);
    }
    for (norm, width) in norms {
        weights.add(format!("{norm}.mean"), vec![width], vec![0.0; width]);
        weights.add(format!("{norm}.variance"), vec![width], vec![1.0; width]);
    }
    weights
}

struct BurnTrainer {
    shape: TowerShape,
    rates: TowerRates,
    device: Device,
    steps: u64,
    tower: Tower,
    averaged: Tower,
    muon: Muon,
}

impl BurnTrainer {
    fn new(shape: &TowerShape, rates: TowerRates, seed: u64) -> Result<BurnTrainer, LearnError> {
        let device = device::cpu().autodiff();
        let begin = beginning(shape, seed);
        Ok(BurnTrainer {
            shape: shape.clone(),
            rates,
            steps: 0,
            tower: Tower::new(shape, &begin, &device)?,
            averaged: Tower::new(shape, &begin, &device.clone().inner())?,
            muon: Muon::new(rates.decay),
            device,
        })
    }
}

impl TowerTraining for BurnTrainer {
    fn learn(&mut self, batch: &TowerBatch, rate: f64) -> TowerLosses {
        let count = batch.played.len();
        let inner = self.device.clone().inner();
        let seen = Tensor::from_inner(unpacked(&batch.sights, self.shape.inputs, &inner));
        let mut met = Some(Vec::new());
        let answers = self.tower.forward(seen, &mut met);
        let whole = |values: Vec<i32>, columns: usize| -> Tensor<2, Int> {
            Tensor::from_inner(Tensor::from_data(
                TensorData::new(values, [count, columns]),
                &inner,
            ))
        };
        let column = |values: Vec<f32>, columns: usize| -> Tensor<2> {
            Tensor::from_inner(Tensor::from_data(
                TensorData::new(values, [count, columns]),
                &inner,
            ))
        };
        let legal = batch
            .legal
            .iter()
            .map(|&number| i32::from(number.max(0)))
            .collect();
        let left_over = batch
            .legal
            .iter()
            .map(|&number| if number < 0 { -1e9 } else { 0.0 });
        let scores = answers.moves.gather(1, whole(legal, batch.room))
            + column(left_over.collect(), batch.room);
        let right = numbers(scores.clone().inner())
            .chunks_exact(batch.room)
            .zip(&batch.played)
            .filter(|(scores, played)| {
                let own = scores[**played as usize];
                scores.iter().filter(|&&score| score >= own).count() == 1
            })
            .count();
        let played = batch.played.iter().map(|&place| i32::from(place)).collect();
        let logs = log_softmax(scores, 1);
        let moves = match batch.shares.is_empty() {
            true => logs.gather(1, whole(played, 1)).mean().neg(),
            false => {
                (logs * column(batch.shares.clone(), batch.room))
                    .sum()
                    .neg()
                    / count as f32
            }
        };
        let known: Vec<f32> = batch
            .endings
            .iter()
            .map(|&ending| f32::from(u8::from(ending >= 0)))
            .collect();
        let of: f32 = known.iter().sum::<f32>().max(1.0);
        let ended = batch
            .endings
            .iter()
            .map(|&ending| i32::from(ending.max(0)))
            .collect();
        let logs = log_softmax(answers.endings, 1);
        let endings = match batch.results.is_empty() {
            true => {
                (logs.gather(1, whole(ended, 1)) * column(known, 1))
                    .sum()
                    .neg()
                    / of
            }
            false => (logs * column(batch.results.clone(), 3)).sum().neg() / count as f32,
        };
        let losses = TowerLosses {
            moves: f64::from(moves.clone().into_scalar::<f32>()),
            endings: f64::from(endings.clone().into_scalar::<f32>()),
            right: right as u32,
        };
        let gradients = (moves + endings * self.rates.ending).backward();
        let tower = self.muon.step(self.tower.clone(), gradients, rate);
        self.tower = tower.following(met.unwrap_or_default());
        self.steps += 1;
        let part = follow(self.rates.average, self.steps) as f32;
        self.averaged = approach(self.averaged.clone(), &self.tower, part);
        losses
    }

    fn weights(&self) -> Tensors {
        Tensors::of(&self.averaged)
    }

    fn start_from(&mut self, weights: &Tensors) -> Result<(), LearnError> {
        self.tower = Tower::new(&self.shape, weights, &self.device)?;
        self.averaged = Tower::new(&self.shape, weights, &self.device.clone().inner())?;
        Ok(())
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.steps);
        tensors::save(&self.tower, out);
        tensors::save(&self.averaged, out);
        self.muon.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.steps = from.u64()?;
        self.tower = tensors::load(self.tower.clone(), from)?;
        self.averaged = tensors::load(self.averaged.clone(), from)?;
        self.muon.load(from, &self.tower)
    }
}
