//! The network of two hidden layers in training, on plain numbers.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{
    SIGHTS,
    dense_network::{DenseNetwork, ending, score, shape},
    glance::{ENDINGS, Glance, ROWS_A_MOVE},
};
use crate::{
    LearnError,
    net::{
        Tensors, TowerBatch, TowerLosses, TowerRates, TowerTraining,
        plain::{
            Lists, Mlp,
            adam::AdamStep,
            chances::{likeliest, to_chances},
            mlp_trainer::{MlpTrainer, Part},
        },
    },
    runs::record::{Reader, Writer},
};

/// Such a network in training.
pub(super) struct DenseTrainer {
    trainer: MlpTrainer,
    rates: TowerRates,
    steps: u64,
    // Kept to save allocating.
    parts: Vec<Part>,
}

/// Positions that a thread takes at a time. What comes out depends on it, so it does not depend on the number of
/// threads.
const PART: usize = 64;
/// The length of the weights of a row at the beginning: every move as likely as the next, nearly.
const LAST: f32 = 0.01;
/// A move this unlikely is left alone: most legal moves are soon that unlikely, and to make them more so is most of
/// the work.
const TRIFLE: f32 = 3e-4;

impl DenseTrainer {
    /// A network with random weights.
    pub fn new(width: usize, rates: TowerRates, seed: u64) -> DenseTrainer {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        DenseTrainer {
            trainer: MlpTrainer::new(Mlp::random(shape(width), LAST, &mut random)),
            rates,
            steps: 0,
            parts: Vec::new(),
        }
    }
}

/// What is seen of some positions, and the rows of their moves.
#[derive(Default)]
struct Shown {
    inputs: Lists,
    moves: Lists,
}

impl Shown {
    fn of(batch: &TowerBatch, places: std::ops::Range<usize>) -> Shown {
        let mut shown = Shown::default();
        for place in places {
            let glance = Glance::new(&batch.sights[place * SIGHTS..][..SIGHTS]);
            glance.inputs(&mut shown.inputs);
            let legal = &batch.legal[place * batch.room..][..batch.room];
            for &number in legal.iter().filter(|&&number| number >= 0) {
                for row in glance.rows(number as usize) {
                    shown.moves.push(row.into(), 0.0);
                }
            }
            shown.moves.end();
        }
        shown
    }
}

impl TowerTraining for DenseTrainer {
    fn learn(&mut self, batch: &TowerBatch, rate: f64) -> TowerLosses {
        let count = batch.played.len();
        let samples: Vec<u32> = (0..count as u32).collect();
        let parts = count.div_ceil(PART);
        self.parts.resize_with(parts, Part::default);
        let (mlp, ending_worth) = (&self.trainer.mlp, self.rates.ending as f32);
        let told: Vec<(TowerLosses, Lists)> = self
            .parts
            .par_iter_mut()
            .enumerate()
            .map(|(number, part)| {
                let first = number * PART;
                let places = first..(first + PART).min(count);
                let shown = Shown::of(batch, places.clone());
                let losses = learn_part(mlp, batch, places, &shown, ending_worth, part);
                (losses, shown.inputs)
            })
            .collect();
        let mut losses = TowerLosses::default();
        let mut inputs = Lists::default();
        for (part, shown) in &told {
            losses.moves += part.moves / count as f64;
            losses.endings += part.endings / count as f64;
            losses.right += part.right;
            inputs.extend(shown);
        }
        self.steps += 1;
        let step = AdamStep::new(self.steps, rate);
        self.trainer.decay(rate * self.rates.decay);
        self.trainer.step(&inputs, &samples, &self.parts, step);
        losses
    }

    fn weights(&self) -> Tensors {
        let mlp = self.trainer.mlp.clone();
        DenseNetwork { mlp }.weights()
    }

    fn start_from(&mut self, weights: &Tensors) -> Result<(), LearnError> {
        let network = DenseNetwork::new(self.trainer.mlp.shape().width, weights)?;
        self.trainer = MlpTrainer::new(network.mlp);
        self.steps = 0;
        Ok(())
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.steps);
        self.trainer.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.steps = from.u64()?;
        self.trainer.load(from)
    }
}

/// Shows the network some positions and works out the gradients of its surprise at what was played and at how the
/// games ended; what it tells are sums.
fn learn_part(
    mlp: &Mlp,
    batch: &TowerBatch,
    places: std::ops::Range<usize>,
    shown: &Shown,
    ending_worth: f32,
    part: &mut Part,
) -> TowerLosses {
    let scale = 1.0 / batch.played.len() as f32;
    mlp.hidden(&shown.inputs, 0..places.len(), &mut part.hidden);
    part.answers.clear();
    let mut losses = TowerLosses::default();
    let mut logs = Vec::new();
    for (i, place) in places.enumerate() {
        let second = mlp.second_of(&part.hidden, i);
        let moves = || shown.moves.rows(i).chunks_exact(ROWS_A_MOVE);
        logs.clear();
        logs.extend(moves().map(|rows| score(mlp, second, rows)));
        to_chances(&mut logs);
        let played = batch.played[place] as usize;
        losses.moves -= f64::from(logs[played]);
        losses.right += u32::from(likeliest(&logs) == played);
        for (number, (rows, log)) in moves().zip(&logs).enumerate() {
            let gradient = log.exp() - f32::from(u8::from(number == played));
            if gradient.abs() >= TRIFLE {
                for &row in rows {
                    part.answers.push(row.into(), scale * gradient);
                }
            }
        }
        if let Ok(came) = usize::try_from(batch.endings[place]) {
            let logs = ending(mlp, second);
            losses.endings -= f64::from(logs[came]);
            for (row, log) in logs.into_iter().enumerate() {
                let gradient = log.exp() - f32::from(u8::from(row == came));
                part.answers
                    .push(ENDINGS + row, ending_worth * scale * gradient);
            }
        }
        part.answers.end();
    }
    mlp.back(&part.answers, &mut part.hidden);
    losses
}

#[cfg(test)]
mod tests {
    use rules::{Game, Position, Rules};

    use super::*;
    use crate::imitation::{Scene, network::numbers};

    const RATES: TowerRates = TowerRates {
        decay: 0.0,
        ending: 0.5,
        average: 0.0,
    };

    /// Positions of a game, in each of which another move is told to be right.
    fn batch() -> TowerBatch {
        let mut batch = TowerBatch {
            room: 60,
            ..TowerBatch::default()
        };
        let mut game = Game::new(Position::start(), Rules::none());
        for (i, san) in ["e4", "d5", "exd5", "Qxd5", "Nc3", "Qd8"]
            .into_iter()
            .enumerate()
        {
            let moments: Vec<_> = game.moments().take(Scene::MOMENTS).collect();
            batch.sights.extend(Scene::of(&moments).sight());
            let position = game.position();
            let mut legal = numbers(position.turn(), &position.legal_moves());
            legal.resize(batch.room, -1);
            batch.legal.extend(legal);
            batch.played.push(3 * i as i16);
            batch.endings.push(i as i8 % 4 - 1);
            let m = position.parse_san(san).expect("a move");
            game.play(m).expect("legal");
        }
        batch
    }

    fn trainer(seed: u64) -> DenseTrainer {
        DenseTrainer::new(24, RATES, seed)
    }

    #[test]
    fn it_learns_what_it_is_told() {
        let (batch, mut trainer) = (batch(), trainer(1));
        let first = trainer.learn(&batch, 0.01);
        assert!(first.moves > 2.5 && first.endings > 0.5, "{first:?}");
        let mut last = first;
        for _ in 0..80 {
            last = trainer.learn(&batch, 0.01);
        }
        assert!(last.moves < 0.05 && last.endings < 0.05, "{last:?}");
        assert_eq!(last.right, 6);
        // What it answers is what it has learned.
        let network = DenseNetwork::new(24, &trainer.weights()).unwrap();
        let (scores, endings) = network.answers(&batch.sights, &batch.legal, batch.room);
        for (i, scores) in scores.chunks_exact(batch.room).enumerate() {
            assert_eq!(likeliest(scores), batch.played[i] as usize);
            if let Ok(came) = usize::try_from(batch.endings[i]) {
                assert!(endings[3 * i + came] > 0.9);
            }
        }
    }

    /// The first step of Adam goes a rate's length against the sign of the gradient, so it tells the gradient's.
    #[test]
    fn a_step_goes_down() {
        let (batch, mut trainer) = (batch(), trainer(2));
        let before = trainer.learn(&batch, 1e-4);
        let after = trainer.learn(&batch, 0.0);
        assert!(after.moves < before.moves && after.endings < before.endings);
    }

    #[test]
    fn decay_takes_its_share_of_the_weights_away() {
        let batch = batch();
        // A step moves a weight by no more than the rate; before it, decay times the rate is taken away: half, or all.
        for (decay, left) in [(0.0, 1.0), (50.0, 0.5), (100.0, 0.0)] {
            let rates = TowerRates { decay, ..RATES };
            let mut trainer = DenseTrainer::new(24, rates, 4);
            let before = trainer.trainer.mlp.clone();
            trainer.learn(&batch, 0.01);
            let after = &trainer.trainer.mlp;
            for (before, after) in [
                (&before.first, &after.first),
                (&before.second, &after.second),
                (&before.last, &after.last),
            ] {
                let mut pairs = before.iter().zip(after);
                assert!(pairs.all(|(before, after)| (left * before - after).abs() < 0.0101));
            }
        }
    }

    #[test]
    fn it_goes_on_where_it_was_on_any_number_of_threads() {
        let batch = batch();
        let learned = |threads: usize, begun: &[u8], steps: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| {
                let mut trainer = trainer(3);
                if !begun.is_empty() {
                    trainer.load(&mut Reader::new(begun)).unwrap();
                }
                for _ in 0..steps {
                    trainer.learn(&batch, 0.01);
                }
                let mut out = Writer::default();
                trainer.save(&mut out);
                out.into_bytes()
            })
        };
        let whole = learned(1, &[], 7);
        assert_eq!(learned(3, &[], 7), whole);
        assert_eq!(learned(2, &learned(1, &[], 3), 4), whole);
        let mut trainer = trainer(1);
        assert!(
            trainer
                .load(&mut Reader::new(&whole[..whole.len() / 2]))
                .is_err()
        );
    }

    #[test]
    fn a_file_of_another_size_is_refused() {
        let network = DenseNetwork::new(24, &trainer(1).weights()).unwrap();
        let file = network.to_file();
        assert_eq!(DenseNetwork::from_file(&file).unwrap(), network);
        assert!(DenseNetwork::from_file(&file[..file.len() - 4]).is_err());
        assert!(DenseNetwork::new(16, &network.weights()).is_err());
        // Neither does it get room for as many weights as it says to have.
        let (about, weights) = Tensors::from_file(&file).unwrap();
        for width in ["1000000000000", "18446744073709551615"] {
            let boast = about.replace("\"width\":24", &format!("\"width\":{width}"));
            assert_ne!(boast, about);
            assert!(DenseNetwork::from_file(&weights.to_file(&boast)).is_err());
        }
    }
}
