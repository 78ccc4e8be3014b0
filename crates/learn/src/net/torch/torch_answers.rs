//! A tower that answers on a device, for searches that ask about thousands of positions at a time.

use tch::{Device, Kind, Tensor};

use super::{Mode, TorchTower, torch_tower::Weights};
use crate::net::tower_trainer::{Answered, TowerOnDevice};

/// Batches are filled up to one of these sizes: a convolution of every new size is tuned anew.
const SIZES: [usize; 9] = [32, 128, 256, 512, 768, 1024, 1280, 1536, 2048];

/// A tower as it was at some time. What it has on the device is shared by all that answer.
pub(super) struct TorchAnswers {
    tower: TorchTower,
    weights: Weights,
}

impl TorchAnswers {
    /// Answers by a tower that nobody changes any more.
    pub fn new(tower: TorchTower, vector: &Tensor, kind: Kind) -> TorchAnswers {
        let _quiet = tch::no_grad_guard();
        let mut weights = tower.weights(vector, Kind::Float, Mode::Answering);
        tower.fold(&mut weights, kind);
        TorchAnswers { tower, weights }
    }

    /// The same for at most as many boards as the largest size.
    fn answer_some(&self, sights: &[u64], legal: &[i16], room: usize, told: &mut Answered) {
        let inputs = self.tower.shape.inputs;
        let boards = sights.len() / inputs;
        let size = SIZES.into_iter().find(|&size| size >= boards);
        let size = size.unwrap_or(boards);
        let mut bytes = Vec::with_capacity(size * inputs * 8);
        bytes.extend(sights.iter().flat_map(|set| set.to_le_bytes()));
        bytes.resize(size * inputs * 8, 0);
        let mut numbers = Vec::with_capacity(size * room);
        numbers.extend_from_slice(legal);
        numbers.resize(size * room, -1);
        let _quiet = tch::no_grad_guard();
        let device = self.tower.device;
        let sights = Tensor::from_slice(&bytes).view([size as i64, inputs as i64, 8]);
        let legal = Tensor::from_slice(&numbers).view([size as i64, room as i64]);
        let legal = legal.to(device).to_kind(Kind::Int64);
        let answers = self
            .tower
            .forward(&self.weights, &sights.to(device), Mode::Answering);
        // Only the legal ones come back: all scores would take longer than the network.
        let scores = answers.moves.gather(1, &legal.clamp_min(0), false);
        let scores = scores.masked_fill(&legal.lt(0), -1e9);
        let chances = Tensor::cat(
            &[
                scores.softmax(1, Kind::Float),
                answers.endings.softmax(1, Kind::Float),
            ],
            1,
        );
        let chances = chances.to_device(Device::Cpu).contiguous().view([-1]);
        let chances = Vec::<f32>::try_from(chances).expect("chances are numbers");
        for row in chances.chunks_exact(room + 3).take(boards) {
            let (moves, endings) = row.split_at(room);
            told.moves.extend_from_slice(moves);
            told.endings.extend_from_slice(endings);
        }
    }
}

impl TowerOnDevice for TorchAnswers {
    fn answer(&mut self, sights: &[u64], legal: &[i16], room: usize) -> Answered {
        let most = SIZES[SIZES.len() - 1];
        let mut told = Answered::default();
        let parts = sights.chunks(most * self.tower.shape.inputs);
        for (sights, legal) in parts.zip(legal.chunks(most * room)) {
            self.answer_some(sights, legal, room, &mut told);
        }
        told
    }

    fn again(&self) -> Box<dyn TowerOnDevice> {
        Box::new(TorchAnswers {
            tower: self.tower.shared(),
            weights: self.weights.shared(),
        })
    }
}
