//! A tower that only answers, written out for the processor.
//!
//! Frameworks are made for large batches. A search asks about few positions at a time, so that a tower
//! for play is its own loops: normalisations are folded into the convolutions before them, weights lie in
//! the order in which they are read, and a board goes through all layers while it is in the cache. Every
//! board is worked out by itself, so that the answer about it does not depend on what else is asked.

mod attention;
pub(super) mod convolution;

use rayon::prelude::*;

use self::{
    attention::{Attention, LayerNorm},
    convolution::{Convolution, Map},
};
use super::{Tensors, TowerShape};
use crate::LearnError;

/// A tower, ready to answer.
#[derive(Clone, Debug)]
pub(super) struct PlainTower {
    shape: TowerShape,
    first: Convolution,
    /// What is added to each square, in towers with attention.
    squares: Option<Vec<f32>>,
    blocks: Vec<Block>,
    last_norm: Option<LayerNorm>,
    /// The numbers by which squares to leave (already scaled) and squares to go to are matched.
    pair: Convolution,
    promote: Convolution,
    pool: Dense,
    ending: Dense,
    moves: Vec<f32>,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // there are a dozen of them
enum Block {
    Convolutions {
        first: Convolution,
        second: Convolution,
        /// Two layers that find a scale for each number; in plain blocks nothing is scaled.
        scales: Option<[Dense; 2]>,
    },
    Attention(Attention),
}

/// A layer on the numbers of a whole board.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    /// A row for each number it gives.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

/// Where a board's numbers are on their way.
#[derive(Debug)]
struct Workspace {
    seen: Map,
    now: Map,
    between: Map,
    next: Map,
    pair: Map,
    promote: Map,
}

const SQUARES: usize = 64;
/// Scores of moves: pairs of squares, and promotions to less than a queen.
const SCORES: usize = SQUARES * SQUARES + 72;
const EPSILON: f32 = 1e-5;

/// The tables of a tower by name.
#[derive(Clone, Copy)]
pub(super) struct Tables<'a> {
    pub tensors: &'a Tensors,
}

impl<'a> Tables<'a> {
    pub fn get(&self, name: &str, count: usize) -> Result<&'a [f32], LearnError> {
        let numbers = self.tensors.numbers(name).ok_or(LearnError::Weights)?;
        let fits = numbers.len() == count && numbers.iter().all(|number| number.is_finite());
        fits.then_some(numbers).ok_or(LearnError::Weights)
    }

    /// A convolution with the normalisation behind it.
    pub fn normed(
        &self,
        name: &str,
        inputs: usize,
        outputs: usize,
        side: usize,
    ) -> Result<Convolution, LearnError> {
        let each = inputs * side * side;
        let weights = self.get(&format!("{name}.weight"), outputs * each)?;
        let norm = |part: &str| self.get(&format!("{name}_norm.{part}"), outputs);
        let (gamma, beta) = (norm("gamma")?, norm("beta")?);
        let (mean, variance) = (norm("mean")?, norm("variance")?);
        let scale = |output: usize| gamma[output] / (variance[output] + EPSILON).sqrt();
        let weights = weights.iter().enumerate();
        let weights: Vec<f32> = weights
            .map(|(i, weight)| weight * scale(i / each))
            .collect();
        let bias: Vec<f32> = (0..outputs)
            .map(|output| beta[output] - mean[output] * scale(output))
            .collect();
        Ok(Convolution::new(&weights, &bias, inputs))
    }

    /// A layer on each square by itself.
    fn on_squares(
        &self,
        name: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<Convolution, LearnError> {
        let Dense { weights, bias } = self.dense(name, inputs, outputs)?;
        Ok(Convolution::new(&weights, &bias, inputs))
    }

    pub fn dense(&self, name: &str, inputs: usize, outputs: usize) -> Result<Dense, LearnError> {
        Ok(Dense {
            weights: self
                .get(&format!("{name}.weight"), outputs * inputs)?
                .to_vec(),
            bias: self.get(&format!("{name}.bias"), outputs)?.to_vec(),
        })
    }
}

impl Dense {
    pub fn apply(&self, from: &[f32]) -> Vec<f32> {
        let rows = self.weights.chunks_exact(from.len()).zip(&self.bias);
        rows.map(|(row, bias)| {
            let products = row.iter().zip(from).map(|(weight, x)| weight * x);
            products.sum::<f32>() + bias
        })
        .collect()
    }
}

impl PlainTower {
    /// A tower with these tables.
    ///
    /// # Errors
    /// When one is missing, of another size, or holds what is no number.
    pub fn new(shape: &TowerShape, tensors: &Tensors) -> Result<PlainTower, LearnError> {
        let tables = Tables { tensors };
        let (w, keys) = (shape.width, shape.keys);
        let block = |(i, kind): (usize, char)| {
            let name = |part: &str| format!("blocks.{i}.{part}");
            Ok(match kind {
                'a' => Block::Attention(Attention::new(&tables, &name(""), shape)?),
                kind => Block::Convolutions {
                    first: tables.normed(&name("first"), w, w, 3)?,
                    second: tables.normed(&name("second"), w, w, 3)?,
                    scales: match kind {
                        'c' => Some([
                            tables.dense(&name("squeeze"), w, shape.squeeze)?,
                            tables.dense(&name("scale"), shape.squeeze, w)?,
                        ]),
                        _ => None,
                    },
                },
            })
        };
        let blocks: Result<Vec<Block>, LearnError> =
            shape.blocks.chars().enumerate().map(block).collect();
        let mut pair = tables.dense("pair", w, 2 * keys)?;
        // What is left is scaled here, once for all.
        let scale = (keys as f32).sqrt().recip();
        let leave = pair.weights[..w * keys].iter_mut();
        leave
            .chain(&mut pair.bias[..keys])
            .for_each(|x| *x *= scale);
        let attends = shape.attends();
        Ok(PlainTower {
            first: tables.normed("first", shape.inputs, w, 3)?,
            squares: match attends {
                true => Some(tables.get("squares", SQUARES * w)?.to_vec()),
                false => None,
            },
            blocks: blocks?,
            last_norm: match shape.blocks.ends_with('a') {
                true => Some(LayerNorm::new(&tables, "last_norm", w)?),
                false => None,
            },
            pair: Convolution::new(&pair.weights, &pair.bias, w),
            promote: tables.on_squares("promote", w, 9)?,
            pool: tables.dense("pool", w, w)?,
            ending: tables.dense("ending", w, 3)?,
            moves: tables.get("moves", SQUARES * SQUARES)?.to_vec(),
            shape: shape.clone(),
        })
    }

    /// For boards, each given as the sets of squares it sees: the scores of all moves by number, and
    /// how likely loss, draw and win are. All cores share the boards.
    pub fn answers(&self, sights: &[u64]) -> (Vec<f32>, Vec<f32>) {
        let boards = sights.len() / self.shape.inputs;
        let mut scores = vec![0.0; boards * SCORES];
        let mut endings = vec![0.0; boards * 3];
        let each = |workspace: &mut Workspace, ((sight, scores), ending): Question<'_>| {
            self.answer(sight, workspace, scores, ending);
        };
        let questions = sights.par_chunks_exact(self.shape.inputs);
        let questions = questions
            .zip(scores.par_chunks_exact_mut(SCORES))
            .zip(endings.par_chunks_exact_mut(3));
        if boards == 1 {
            each(&mut self.workspace(), ((sights, &mut scores), &mut endings));
        } else {
            questions.for_each_init(|| self.workspace(), each);
        }
        (scores, endings)
    }

    fn workspace(&self) -> Workspace {
        let map = || Map::new(self.shape.width);
        Workspace {
            seen: Map::new(self.shape.inputs),
            now: map(),
            between: map(),
            next: map(),
            pair: Map::new(2 * self.shape.keys),
            promote: Map::new(9),
        }
    }

    fn answer(&self, sight: &[u64], work: &mut Workspace, scores: &mut [f32], ending: &mut [f32]) {
        let width = self.shape.width;
        for square in 0..SQUARES {
            let seen = work.seen.square_mut(square).iter_mut();
            for (seen, set) in seen.zip(sight) {
                *seen = (set >> square & 1) as f32;
            }
        }
        self.first.apply(&work.seen, &mut work.now, true);
        if let Some(squares) = &self.squares {
            for (square, added) in squares.chunks_exact(width).enumerate() {
                let numbers = work.now.square_mut(square).iter_mut();
                numbers.zip(added).for_each(|(x, added)| *x += added);
            }
        }
        for block in &self.blocks {
            match block {
                Block::Attention(attention) => attention.apply(&mut work.now),
                Block::Convolutions {
                    first,
                    second,
                    scales,
                } => {
                    first.apply(&work.now, &mut work.between, true);
                    second.apply(&work.between, &mut work.next, false);
                    let scales = match scales {
                        Some(layers) => scales_of(layers, &mean(&work.next, width)),
                        None => vec![1.0; width],
                    };
                    for square in 0..SQUARES {
                        let now = work.now.square_mut(square).iter_mut();
                        let next = work.next.square(square).iter().zip(&scales);
                        for (now, (next, scale)) in now.zip(next) {
                            *now = (*now + next * scale).max(0.0);
                        }
                    }
                }
            }
        }
        if let Some(norm) = &self.last_norm {
            norm.apply(&mut work.now);
        }
        self.pair.apply(&work.now, &mut work.pair, false);
        self.score_moves(&work.pair, &mut scores[..SQUARES * SQUARES]);
        self.promote.apply(&work.now, &mut work.promote, false);
        for (pawn, scores) in (48..56).zip(scores[SQUARES * SQUARES..].chunks_exact_mut(9)) {
            scores.copy_from_slice(&work.promote.square(pawn)[..9]);
        }
        let mut pooled = self.pool.apply(&mean(&work.now, width));
        pooled.iter_mut().for_each(|x| *x = x.max(0.0));
        let answers = self.ending.apply(&pooled);
        let most = answers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers: Vec<f32> = answers.iter().map(|x| (x - most).exp()).collect();
        let sum: f32 = powers.iter().sum();
        ending
            .iter_mut()
            .zip(powers)
            .for_each(|(x, power)| *x = power / sum);
    }

    /// How well every square to leave matches every square to go to.
    fn score_moves(&self, pair: &Map, scores: &mut [f32]) {
        let keys = self.shape.keys;
        let mut to = vec![0.0; keys * SQUARES];
        for square in 0..SQUARES {
            for (key, number) in pair.square(square)[keys..2 * keys].iter().enumerate() {
                to[key * SQUARES + square] = *number;
            }
        }
        scores.copy_from_slice(&self.moves);
        for (from, scores) in scores.chunks_exact_mut(SQUARES).enumerate() {
            let leave = &pair.square(from)[..keys];
            for (x, to) in leave.iter().zip(to.chunks_exact(SQUARES)) {
                let scores = scores.iter_mut().zip(to);
                scores.for_each(|(score, to)| *score += x * to);
            }
        }
    }
}

/// What a board shows, and where its answers go.
type Question<'a> = ((&'a [u64], &'a mut [f32]), &'a mut [f32]);

/// How much each number of a block counts, by the means over all squares.
fn scales_of([squeeze, scale]: &[Dense; 2], means: &[f32]) -> Vec<f32> {
    let mut middle = squeeze.apply(means);
    middle.iter_mut().for_each(|x| *x = x.max(0.0));
    let mut scales = scale.apply(&middle);
    scales
        .iter_mut()
        .for_each(|x| *x = 1.0 / (1.0 + (-*x).exp()));
    scales
}

/// The mean over all squares.
fn mean(map: &Map, width: usize) -> Vec<f32> {
    let mut sums = vec![0.0; width];
    for square in 0..SQUARES {
        let numbers = sums.iter_mut().zip(map.square(square));
        numbers.for_each(|(sum, x)| *sum += x);
    }
    sums.iter_mut().for_each(|sum| *sum /= SQUARES as f32);
    sums
}

#[cfg(test)]
mod tests {
    use burn::tensor::activation::softmax;
    use play::Dice;
    use rand::{Rng as _, RngExt as _};

    use super::*;
    use crate::net::{
        device, tensors::numbers, tower::Tower, tower_network::unpacked, tower_trainer::beginning,
    };

    /// Names and sizes of all tables.
    fn tables(shape: &TowerShape) -> Vec<(String, Vec<usize>)> {
        let tables = shape.tables().into_iter();
        let tables = tables.map(|table| (table.name, table.sides));
        let norms = shape.norms().into_iter().flat_map(|norm| {
            let sides = vec![shape.width];
            ["mean", "variance"].map(|part| (format!("{norm}.{part}"), sides.clone()))
        });
        tables.chain(norms).collect()
    }

    /// Weights of which none is what it began as, without one table.
    fn weights(shape: &TowerShape, dice: &mut Dice, without: &str) -> Tensors {
        let begun = beginning(shape, 1);
        let mut weights = Tensors::default();
        for (name, sides) in tables(shape)
            .into_iter()
            .filter(|(name, _)| name != without)
        {
            let values = begun.numbers(&name).expect("every table begins").iter();
            // Spread as they begin: what grows from layer to layer is no test of anything.
            let values = values.map(|&value| match sides.len() > 1 && name != "squares" {
                true => value * dice.random_range(0.5..1.5) + dice.random_range(-0.01..0.01),
                false => value + dice.random_range(-0.1..0.1),
            });
            let values: Vec<f32> = values.collect();
            weights.add(name, sides, values);
        }
        weights
    }

    #[test]
    fn the_written_out_tower_answers_as_the_framework_does() {
        let mut dice = Dice::new(3);
        for (blocks, width, inputs, keys) in [
            ("ccccccc", 64, 40, 64),
            ("cara", 32, 12, 16),
            ("rc", 24, 5, 10),
        ] {
            let shape = TowerShape {
                inputs,
                width,
                blocks: blocks.into(),
                squeeze: 8,
                heads: 4,
                hidden: 48,
                keys,
            };
            let weights = weights(&shape, &mut dice, "");
            let sights: Vec<u64> = (0..5 * inputs).map(|_| dice.next_u64()).collect();
            let device = device::cpu();
            let burn = Tower::new(&shape, &weights, &device).expect("every table is there");
            let expected = burn.forward(unpacked(&sights, inputs, &device), &mut None);
            let expected = (numbers(expected.moves), softmax(expected.endings, 1));
            let plain = PlainTower::new(&shape, &weights).expect("every table is there");
            let (scores, endings) = plain.answers(&sights);
            let pairs = scores.iter().zip(&expected.0);
            for (ours, theirs) in pairs.chain(endings.iter().zip(&numbers(expected.1))) {
                let scale = theirs.abs().max(1.0);
                assert!(
                    (ours - theirs).abs() < 1e-4 * scale,
                    "{blocks}: {ours} {theirs}"
                );
            }
            // What else is asked about changes nothing.
            let alone = plain.answers(&sights[2 * inputs..3 * inputs]);
            let part = |all: &[f32]| all[2 * all.len() / 5..3 * all.len() / 5].to_vec();
            assert_eq!(alone, (part(&scores), part(&endings)));
        }
        let shape = TowerShape {
            inputs: 4,
            width: 8,
            blocks: "ca".into(),
            squeeze: 2,
            heads: 2,
            hidden: 8,
            keys: 4,
        };
        for (name, _) in tables(&shape) {
            let damaged = weights(&shape, &mut dice, &name);
            assert!(PlainTower::new(&shape, &damaged).is_err(), "{name}");
        }
        assert!(PlainTower::new(&shape, &weights(&shape, &mut dice, "")).is_ok());
    }
}
