//! Training a tower by libtorch.

use tch::{Device, Kind, Reduction, Tensor};

use super::{Mode, Optimiser, TorchAnswers, TorchTower};
use crate::{
    LearnError,
    net::{
        Tensors, TowerBatch, TowerLosses, TowerRates, TowerShape, TowerTraining, device,
        muon::Muon,
        tensors,
        tower::Tower,
        tower_trainer::{TowerOnDevice, beginning},
    },
    runs::record::{Reader, Writer},
};

/// A tower in training by libtorch.
pub struct TorchTrainer {
    tower: TorchTower,
    kind: Kind,
    optimiser: Optimiser,
    ending: f64,
}

impl TorchTrainer {
    /// A tower with weights drawn from `seed`, on `cuda` or, as `libtorch`, on the processor.
    ///
    /// # Errors
    /// When there is no GPU.
    pub fn new(
        shape: &TowerShape,
        rates: TowerRates,
        seed: u64,
        device: &str,
    ) -> Result<TorchTrainer, LearnError> {
        let device = super::device(device)?;
        let kind = match device {
            Device::Cpu => Kind::Float,
            _ => Kind::BFloat16,
        };
        tch::Cuda::cudnn_set_benchmark(true);
        let mut tower = TorchTower::new(shape.clone(), device);
        let weights = tower.take(&beginning(shape, seed))?;
        let optimiser = Optimiser::new(&tower, weights, rates);
        Ok(TorchTrainer {
            tower,
            kind,
            optimiser,
            ending: rates.ending,
        })
    }

    /// A vector of weights, or of something for each of them, as a module of burn's.
    fn module(&self, vector: &Tensor) -> Tower {
        let device = device::cpu().autodiff();
        Tower::new(&self.tower.shape, &self.tower.give(vector), &device)
            .expect("a tower of its own shape")
    }

    fn sights(&self, sights: &[u64]) -> Tensor {
        let bytes: Vec<u8> = sights.iter().flat_map(|set| set.to_le_bytes()).collect();
        let inputs = self.tower.shape.inputs as i64;
        let boards = sights.len() as i64 / inputs;
        Tensor::from_slice(&bytes)
            .view([boards, inputs, 8])
            .to(self.tower.device)
    }
}

impl TowerTraining for TorchTrainer {
    fn learn(&mut self, batch: &TowerBatch, rate: f64) -> TowerLosses {
        let device = self.tower.device;
        let whole = |tensor: Tensor| tensor.to(device).to_kind(Kind::Int64);
        let (count, room) = (batch.played.len() as i64, batch.room as i64);
        let legal = whole(Tensor::from_slice(&batch.legal).view([count, room]));
        let played = whole(Tensor::from_slice(&batch.played));
        let endings = whole(Tensor::from_slice(&batch.endings));
        let weights = self
            .tower
            .weights(&self.optimiser.weights, self.kind, Mode::Training);
        let answers = self
            .tower
            .forward(&weights, &self.sights(&batch.sights), Mode::Training);
        let scores = answers.moves.gather(1, &legal.clamp_min(0), false);
        let scores = scores.masked_fill(&legal.lt(0), -1e9);
        let surprise = |scores: &Tensor, answer: &Tensor| {
            scores.cross_entropy_loss::<Tensor>(answer, None, Reduction::Sum, -1, 0.0)
        };
        // What is likely instead of what was, where that is known.
        let spread = |scores: &Tensor, shares: &[f32], columns: i64| {
            let shares = Tensor::from_slice(shares).view([count, columns]);
            let logs = scores.log_softmax(1, Kind::Float);
            -(logs * shares.to(device)).sum(Kind::Float) / count as f64
        };
        let moves = match batch.shares.is_empty() {
            true => surprise(&scores, &played) / count as f64,
            false => spread(&scores, &batch.shares, room),
        };
        let endings = match batch.results.is_empty() {
            true => {
                let known = endings.ge(0).sum(Kind::Float).clamp_min(1.0);
                surprise(&answers.endings, &endings) / known
            }
            false => spread(&answers.endings, &batch.results, 3),
        };
        (&moves + &endings * self.ending).backward();
        self.optimiser.step(&weights.gradient(), rate);
        let told = tch::no_grad(|| {
            let own = scores.gather(1, &played.unsqueeze(1), false);
            let better =
                scores
                    .ge_tensor(&own)
                    .sum_dim_intlist(Some([1].as_slice()), false, Kind::Float);
            let right = better.eq(1.0).sum(Kind::Float);
            Tensor::stack(&[moves, endings, right], 0)
        });
        let told: Vec<f32> = Vec::try_from(told.to_device(Device::Cpu)).expect("three numbers");
        TowerLosses {
            moves: f64::from(told[0]),
            endings: f64::from(told[1]),
            right: told[2] as u32,
        }
    }

    fn start_from(&mut self, weights: &Tensors) -> Result<(), LearnError> {
        self.optimiser.weights = self.tower.take(weights)?;
        self.optimiser.averaged = self.optimiser.weights.copy();
        Ok(())
    }

    fn answers(&self) -> Option<Box<dyn TowerOnDevice>> {
        let averaged = &self.optimiser.averaged;
        let answers = TorchAnswers::new(self.tower.copied(), averaged, self.kind);
        Some(Box::new(answers))
    }

    fn weights(&self) -> Tensors {
        self.tower.give(&self.optimiser.averaged)
    }

    // As burn's trainer does: a run can go on without a GPU, and be played.
    fn save(&self, out: &mut Writer) {
        let optimiser = &self.optimiser;
        out.u64(optimiser.steps);
        tensors::save(&self.module(&optimiser.weights), out);
        tensors::save(&self.module(&optimiser.averaged), out);
        let (mean, squares) = (&optimiser.mean, &optimiser.squares);
        Muon::resumed(optimiser.steps, &self.module(mean), &self.module(squares)).save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        let steps = from.u64()?;
        let like = self.module(&self.optimiser.weights);
        let weights = tensors::load(like.clone(), from)?;
        let averaged = tensors::load(like.clone(), from)?;
        let mut muon = Muon::new(0.0);
        muon.load(from, &like)?;
        let [mean, squares] = muon.means(&like);
        let mut take = |module: &Tower| self.tower.take(&Tensors::of(module));
        self.optimiser.mean = take(&mean)?;
        self.optimiser.squares = take(&squares)?;
        self.optimiser.averaged = take(&averaged)?;
        // Last, because means and variances of the boards are those of the last that is taken.
        self.optimiser.weights = take(&weights)?;
        self.optimiser.steps = steps;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::tower_trainer;

    const RATES: TowerRates = TowerRates {
        decay: 0.03,
        ending: 0.1,
        average: 0.9,
    };

    /// Four boards that differ, with three moves each.
    fn batch(inputs: usize) -> TowerBatch {
        let mix = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17);
        TowerBatch {
            sights: (0..4 * inputs as u64).map(mix).collect(),
            room: 3,
            legal: vec![1, 2, 3, 70, 80, -1, 4100, 5, 6, 9, 8, 7],
            played: vec![0, 1, 0, 2],
            endings: vec![0, 1, 2, -1],
            ..TowerBatch::default()
        }
    }

    #[test]
    fn each_trainer_goes_on_from_the_record_of_the_other() {
        let shape = TowerShape {
            inputs: 5,
            width: 8,
            blocks: "cra".into(),
            squeeze: 2,
            heads: 2,
            hidden: 16,
            keys: 4,
        };
        let batch = batch(shape.inputs);
        for (from, to) in [("cpu", "libtorch"), ("libtorch", "cpu")] {
            let trainer = |device, seed| tower_trainer(&shape, RATES, seed, device).unwrap();
            let mut first = trainer(from, 3);
            first.learn(&batch, 1e-3);
            let mut out = Writer::default();
            first.save(&mut out);
            let record = out.into_bytes();
            let mut second = trainer(to, 4);
            let mut reader = Reader::new(&record);
            second.load(&mut reader).unwrap();
            assert!(reader.is_empty());
            for step in 0..5 {
                let (a, b) = (first.learn(&batch, 1e-2), second.learn(&batch, 1e-2));
                assert!((a.moves - b.moves).abs() < 1e-3, "{step}: {a:?} {b:?}");
                assert!((a.endings - b.endings).abs() < 1e-3, "{step}: {a:?} {b:?}");
            }
        }
    }
}
