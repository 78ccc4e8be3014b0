//! Training a tower by libtorch.

use tch::{Device, Kind, Reduction, Tensor};

use super::{Mode, Optimiser, TorchTower};
use crate::{
    LearnError,
    net::{
        Tensors, TowerBatch, TowerLosses, TowerRates, TowerShape, TowerTraining,
        tower_trainer::beginning,
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
        let (device, kind) = match device {
            "cuda" if tch::Cuda::is_available() => (Device::Cuda(0), Kind::BFloat16),
            "cuda" => {
                return Err(LearnError::BadSetting {
                    name: "device".into(),
                    value: device.into(),
                    why: "libtorch sees no GPU (docs/imitation.md says how it is started)".into(),
                });
            }
            _ => (Device::Cpu, Kind::Float),
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

    /// Goes on from these weights.
    ///
    /// # Errors
    /// When they are those of another tower.
    pub fn start_from(&mut self, weights: &Tensors) -> Result<(), LearnError> {
        self.optimiser.weights = self.tower.take(weights)?;
        self.optimiser.averaged = self.optimiser.weights.copy();
        Ok(())
    }

    /// For boards, each given as the sets of squares it sees: the scores of all moves by number, and
    /// how likely loss, draw and win are.
    pub fn answers(&self, sights: &[u64]) -> (Vec<f32>, Vec<f32>) {
        tch::no_grad(|| {
            let averaged = &self.optimiser.averaged;
            let weights = self.tower.weights(averaged, Kind::Float, Mode::Answering);
            let answers = self
                .tower
                .forward(&weights, &self.sights(sights), Mode::Answering);
            let numbers = |tensor: Tensor| -> Vec<f32> {
                let flat = tensor.to_device(Device::Cpu).contiguous().view([-1]);
                Vec::try_from(flat).expect("scores are numbers")
            };
            (
                numbers(answers.moves),
                numbers(answers.endings.softmax(1, Kind::Float)),
            )
        })
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

    fn weights(&self) -> Tensors {
        self.tower.give(&self.optimiser.averaged)
    }

    fn save(&self, out: &mut Writer) {
        let optimiser = &self.optimiser;
        out.u64(optimiser.steps);
        let state = [
            &optimiser.weights,
            &optimiser.averaged,
            &optimiser.mean,
            &optimiser.squares,
        ];
        let norms = self.tower.shape.norms();
        let norms = norms.iter().flat_map(|name| &self.tower.norms[name]);
        for tensor in state.into_iter().chain(norms) {
            let flat = tensor.to_device(Device::Cpu);
            out.weights(&Vec::<f32>::try_from(flat).expect("weights are numbers"));
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        let device = self.tower.device;
        let steps = from.u64()?;
        let mut read = |tensor: &mut Tensor| -> Result<(), LearnError> {
            let values = from.weights(tensor.numel())?;
            *tensor = Tensor::from_slice(&values).to(device);
            Ok(())
        };
        let optimiser = &mut self.optimiser;
        optimiser.steps = steps;
        for tensor in [
            &mut optimiser.weights,
            &mut optimiser.averaged,
            &mut optimiser.mean,
            &mut optimiser.squares,
        ] {
            read(tensor)?;
        }
        for name in self.tower.shape.norms() {
            for tensor in self.tower.norms.get_mut(&name).into_iter().flatten() {
                read(tensor)?;
            }
        }
        Ok(())
    }
}
