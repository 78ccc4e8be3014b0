//! Document W's network that only answers, written out for the processor as `plain_tower` is.

use super::{
    ResidualShape, Tensors,
    plain_tower::{
        Dense, Tables,
        convolution::{Convolution, Map},
    },
};
use crate::LearnError;

/// Document W's network, ready to answer: normalisations are folded into the convolutions before them.
#[derive(Clone, Debug)]
pub struct ResidualNetwork {
    shape: ResidualShape,
    weights: Tensors,
    first: Convolution,
    blocks: Vec<[Convolution; 2]>,
    policy: Convolution,
    /// A row for each move. Only those of legal moves are looked at.
    moves: Vec<f32>,
    biases: Vec<f32>,
    value: Convolution,
    hidden: Dense,
    result: Dense,
}

/// Where a board's numbers are on their way.
#[derive(Clone, Debug)]
pub struct ResidualScratch {
    seen: Map,
    now: Map,
    between: Map,
    next: Map,
    policy: Map,
    value: Map,
}

const SQUARES: usize = 64;

impl ResidualNetwork {
    /// A network with these tables.
    ///
    /// # Errors
    /// When one is missing, of another size, or holds what is no number.
    pub fn new(shape: ResidualShape, tensors: &Tensors) -> Result<ResidualNetwork, LearnError> {
        shape.check()?;
        let tables = Tables { tensors };
        let w = shape.filters;
        let (policy, value) = (ResidualShape::POLICY, ResidualShape::VALUE);
        let hidden = ResidualShape::HIDDEN;
        let block = |i: usize| {
            let part = |part: &str| tables.normed(&format!("blocks.{i}.{part}"), w, w, 3);
            Ok([part("first")?, part("second")?])
        };
        let blocks: Result<Vec<_>, LearnError> = (0..shape.blocks).map(block).collect();
        let moves = ResidualShape::MOVES;
        Ok(ResidualNetwork {
            shape,
            weights: tensors.clone(),
            first: tables.normed("first", ResidualShape::INPUTS, w, 3)?,
            blocks: blocks?,
            policy: tables.normed("policy", w, policy, 1)?,
            moves: tables
                .get("moves.weight", moves * SQUARES * policy)?
                .to_vec(),
            biases: tables.get("moves.bias", moves)?.to_vec(),
            value: tables.normed("value", w, value, 1)?,
            hidden: tables.dense("hidden", SQUARES * value, hidden)?,
            result: tables.dense("result", hidden, 1)?,
        })
    }

    /// Its size.
    pub fn shape(&self) -> ResidualShape {
        self.shape
    }

    /// Its weights by name.
    pub fn weights(&self) -> &Tensors {
        &self.weights
    }

    /// Room to answer in.
    pub fn scratch(&self) -> ResidualScratch {
        let map = || Map::new(self.shape.filters);
        ResidualScratch {
            seen: Map::new(ResidualShape::INPUTS),
            now: map(),
            between: map(),
            next: map(),
            policy: Map::new(ResidualShape::POLICY),
            value: Map::new(ResidualShape::VALUE),
        }
    }

    /// What it says of a board, given as the sets of squares it sees: the scores of some moves by number,
    /// which are added to `scores`, and what is expected of the game, from −1 to 1.
    ///
    /// # Panics
    /// When there is no such move.
    pub fn answer(
        &self,
        sight: &[u64; ResidualShape::INPUTS],
        moves: &[u16],
        work: &mut ResidualScratch,
        scores: &mut Vec<f32>,
    ) -> f32 {
        for square in 0..SQUARES {
            let seen = work.seen.square_mut(square).iter_mut();
            for (seen, set) in seen.zip(sight) {
                *seen = (set >> square & 1) as f32;
            }
        }
        self.first.apply(&work.seen, &mut work.now, true);
        for [first, second] in &self.blocks {
            first.apply(&work.now, &mut work.between, true);
            second.apply(&work.between, &mut work.next, false);
            for square in 0..SQUARES {
                let now = work.now.square_mut(square).iter_mut();
                for (now, next) in now.zip(work.next.square(square)) {
                    *now = (*now + next).max(0.0);
                }
            }
        }
        self.policy.apply(&work.now, &mut work.policy, true);
        let seen = flat(&work.policy, ResidualShape::POLICY);
        for &number in moves {
            let number = usize::from(number);
            let row = &self.moves[number * seen.len()..][..seen.len()];
            scores.push(product(row, &seen) + self.biases[number]);
        }
        self.value.apply(&work.now, &mut work.value, true);
        let mut hidden = self.hidden.apply(&flat(&work.value, ResidualShape::VALUE));
        hidden.iter_mut().for_each(|x| *x = x.max(0.0));
        self.result.apply(&hidden)[0].tanh()
    }
}

/// All numbers of a board in a row, square after square.
fn flat(map: &Map, width: usize) -> Vec<f32> {
    let squares = (0..SQUARES).flat_map(|square| &map.square(square)[..width]);
    squares.copied().collect()
}

/// A sum of products, eight at a time: the compiler may not change the order of a sum by itself.
fn product(a: &[f32], b: &[f32]) -> f32 {
    let (a, b) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use play::Dice;
    use rand::{Rng as _, RngExt as _};

    use super::*;
    use crate::{
        net::{
            ResidualBatch, ResidualTrainer, device, residual::Residual, tensors::numbers,
            tower_network::unpacked, tower_trainer::drawn,
        },
        runs::record::{Reader, Writer},
    };

    const SHAPE: ResidualShape = ResidualShape {
        filters: 24,
        blocks: 3,
    };

    /// Names and sizes of all tables.
    fn tables() -> Vec<(String, Vec<usize>)> {
        let tables = SHAPE.tables().into_iter();
        let tables = tables.map(|table| (table.name, table.sides));
        let norms = SHAPE.norms().into_iter().flat_map(|(norm, width)| {
            ["mean", "variance"].map(|part| (format!("{norm}.{part}"), vec![width]))
        });
        tables.chain(norms).collect()
    }

    /// Weights of which none is what it began as, without one table.
    fn weights(dice: &mut Dice, without: &str) -> Tensors {
        let begun = drawn(SHAPE.tables(), SHAPE.norms(), 1);
        let mut weights = Tensors::default();
        for (name, sides) in tables().into_iter().filter(|(name, _)| name != without) {
            let values = begun.numbers(&name).expect("every table begins").iter();
            let values: Vec<f32> = values
                .map(|value| value + dice.random_range(-0.05..0.05))
                .collect();
            weights.add(name, sides, values);
        }
        weights
    }

    #[test]
    fn the_written_out_network_answers_as_the_framework_does() {
        let mut dice = Dice::new(5);
        let weights = weights(&mut dice, "");
        let sights: Vec<[u64; 16]> = (0..4)
            .map(|_| std::array::from_fn(|_| dice.next_u64()))
            .collect();
        let device = device::cpu();
        let burn = Residual::new(SHAPE, &weights, &device).expect("every table is there");
        let seen = unpacked(sights.as_flattened(), ResidualShape::INPUTS, &device);
        let (scores, results) = burn.forward(seen, &mut None);
        let (scores, results) = (numbers(scores), numbers(results));
        let plain = ResidualNetwork::new(SHAPE, &weights).expect("every table is there");
        let mut scratch = plain.scratch();
        let all: Vec<u16> = (0..ResidualShape::MOVES as u16).collect();
        let rows = scores.chunks_exact(ResidualShape::MOVES).zip(&results);
        for (sight, (scores, result)) in sights.iter().zip(rows) {
            let mut ours = Vec::new();
            let expected = plain.answer(sight, &all, &mut scratch, &mut ours);
            assert!((expected - result).abs() < 1e-4, "{expected} {result}");
            for (ours, theirs) in ours.iter().zip(scores) {
                let scale = theirs.abs().max(1.0);
                assert!((ours - theirs).abs() < 1e-4 * scale, "{ours} {theirs}");
            }
            // A few moves get the scores that they get among all.
            let mut few = Vec::new();
            plain.answer(sight, &[7, 4095, 7], &mut scratch, &mut few);
            assert_eq!(few, [ours[7], ours[4095], ours[7]]);
        }
    }

    #[test]
    fn a_table_that_is_missing_is_noticed() {
        let mut dice = Dice::new(6);
        for (name, _) in tables() {
            let damaged = weights(&mut dice, &name);
            assert!(ResidualNetwork::new(SHAPE, &damaged).is_err(), "{name}");
        }
    }

    #[test]
    fn it_learns_a_batch_by_heart_and_goes_on_from_a_record_to_the_bit() {
        let mut dice = Dice::new(7);
        let boards = 16;
        let batch = ResidualBatch {
            sights: (0..boards * ResidualShape::INPUTS)
                .map(|_| dice.next_u64())
                .collect(),
            room: 2,
            moves: (0..2 * boards as i32).map(|i| i * 100).collect(),
            shares: [0.75, 0.25].repeat(boards),
            results: (0..boards).map(|i| i as f32 % 3.0 - 1.0).collect(),
        };
        let mut trainer = ResidualTrainer::new(SHAPE, 1).expect("a size that makes sense");
        let first = trainer.learn(&batch, 3e-3);
        for _ in 0..40 {
            trainer.learn(&batch, 3e-3);
        }
        let mut record = Writer::default();
        trainer.save(&mut record);
        let record = record.into_bytes();
        let mut again = ResidualTrainer::new(SHAPE, 2).expect("a size that makes sense");
        again.load(&mut Reader::new(&record)).expect("a record");
        let last = trainer.learn(&batch, 3e-3);
        assert_eq!(last, again.learn(&batch, 3e-3));
        assert!(trainer.weights() == again.weights());
        // Even shares of a half cannot be learned better than their own entropy, 0.56 nats.
        assert!(first.moves > 7.0 && last.moves < 0.8, "{first:?} {last:?}");
        assert!(last.result < 0.1 * first.result, "{first:?} {last:?}");
        assert_eq!((first.right, last.right), (0, boards as u32));
        let short = &record[..record.len() - 1];
        assert!(again.load(&mut Reader::new(short)).is_err());
    }
}
