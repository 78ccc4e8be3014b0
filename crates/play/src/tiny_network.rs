//! A network small enough to be counted in bytes: it guesses how many moves of the strong side are
//! left until it mates a bare king.
//!
//! It has one hidden layer. An input is a [`Feature`], given in one of three forms: as a number that
//! multiplies a row of weights, as the same number spread from −1 to 1, or as the choice of a row. The
//! rows are added up, each sum goes through the activation, and a last row makes one number of them.
//! When a network is loaded, all forms become the same thing, a row for every value of every input, so that evaluating it is a few
//! additions of rows.

mod file;
mod pairs;

use pairs::PairTable;

use crate::{
    features::{Feature, Needs, Pair, Trio, View},
    leaf_value::BareKing,
};

/// The most neurons of the hidden layer.
pub const MAX_HIDDEN: usize = 64;
/// The most inputs.
const MAX_INPUTS: usize = 64;
/// Rows are padded to a multiple of this, so that additions come in whole registers.
const LANES: usize = 8;

/// What a hidden neuron makes of its sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activation {
    /// Cuts off what is negative.
    Relu,
    /// The hyperbolic tangent.
    Tanh,
}

/// How an input is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Its value multiplies a row.
    Number,
    /// Its value chooses a row.
    Choice,
    /// Its value multiplies a row, the smallest being −1 and the greatest 1: with few bits to a
    /// weight, inputs should be of about one size and lie around zero.
    Spread,
}

/// What the weights of a network are weights of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blueprint {
    /// The endgame.
    pub material: String,
    /// Does it know positions with the bare king to move, rather than the strong side?
    pub bare_to_move: bool,
    /// What a hidden neuron does.
    pub activation: Activation,
    /// Neurons of the hidden layer.
    pub hidden: usize,
    /// Bits to a weight.
    pub bits: u32,
    /// The inputs.
    pub inputs: Vec<(Feature, Form)>,
}

impl Blueprint {
    /// Rows of weights, without the one that is always added.
    pub fn rows(&self) -> usize {
        self.inputs
            .iter()
            .map(|&(feature, form)| rows_of(feature, form))
            .sum()
    }

    /// Weights: the rows, the one that is always added, and the last.
    pub fn weights(&self) -> usize {
        (self.rows() + 2) * self.hidden
    }

    /// Bytes that the weights take as they are stored, with the sizes of their steps.
    pub fn weight_bytes(&self) -> usize {
        12 + (self.weights() * self.bits as usize).div_ceil(8)
    }

    /// The row and the factor of every input, in the order of the inputs.
    pub fn active(&self, view: &View, out: &mut Vec<(usize, f32)>) {
        let mut start = 0;
        for &(feature, form) in &self.inputs {
            let value = feature.value(view);
            out.push(match form {
                Form::Number => (start, value as f32),
                Form::Choice => (start + value, 1.0),
                Form::Spread => (start, spread(feature, value)),
            });
            start += rows_of(feature, form);
        }
    }
}

fn rows_of(feature: Feature, form: Form) -> usize {
    match form {
        Form::Number | Form::Spread => 1,
        Form::Choice => feature.values(),
    }
}

/// A value between −1 and 1.
fn spread(feature: Feature, value: usize) -> f32 {
    let greatest = feature.values().saturating_sub(1).max(1);
    2.0 * value as f32 / greatest as f32 - 1.0
}

/// Weights in whole steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// The size of a step in the rows.
    pub row_step: f32,
    /// The size of a step in the last row.
    pub last_step: f32,
    /// The constant of the answer.
    pub constant: f32,
    /// Row after row, then the row that is always added.
    pub rows: Vec<i8>,
    /// The last row.
    pub last: Vec<i8>,
}

/// Why bytes are no network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a network of this program: {0}")]
pub struct NetworkError(pub &'static str);

/// A network, ready to answer.
#[derive(Clone, PartialEq, Debug)]
pub struct TinyNetwork {
    blueprint: Blueprint,
    weights: Weights,
    /// The row that is always added.
    always: Vec<f32>,
    /// What the inputs contribute that look at two men only.
    pairs: Vec<PairTable>,
    /// A row for every value of every input.
    table: Vec<f32>,
    /// Where the rows of each other input begin.
    inputs: Vec<(Feature, usize)>,
    last: Vec<f32>,
    stride: usize,
    needs: Needs,
}

impl TinyNetwork {
    /// The network of these weights.
    ///
    /// # Errors
    /// When they do not fit the blueprint.
    pub fn new(blueprint: Blueprint, weights: Weights) -> Result<TinyNetwork, NetworkError> {
        let hidden = blueprint.hidden;
        if !(1..=MAX_HIDDEN).contains(&hidden) {
            return Err(NetworkError("1 to 64 hidden neurons are possible"));
        }
        if !(2..=8).contains(&blueprint.bits) {
            return Err(NetworkError("2 to 8 bits a weight are possible"));
        }
        if blueprint.inputs.is_empty() || blueprint.inputs.len() > MAX_INPUTS {
            return Err(NetworkError("1 to 64 inputs are possible"));
        }
        if weights.rows.len() != (blueprint.rows() + 1) * hidden || weights.last.len() != hidden {
            return Err(NetworkError("another number of weights"));
        }
        let most = (1i16 << (blueprint.bits - 1)) - 1;
        if weights
            .rows
            .iter()
            .chain(&weights.last)
            .any(|&w| i16::from(w).abs() > most)
        {
            return Err(NetworkError("a weight has too many bits"));
        }
        let steps = [weights.row_step, weights.last_step, weights.constant];
        if steps
            .iter()
            .any(|step| !step.is_finite() || step.abs() > 1e6)
        {
            return Err(NetworkError("a step or the constant is no sensible number"));
        }
        let stride = match hidden.next_multiple_of(LANES) {
            stride @ ..=32 => stride,
            _ => MAX_HIDDEN,
        };
        let row = |i: usize| -> Vec<f32> {
            let row = weights.rows[i * hidden..][..hidden].iter();
            let mut row: Vec<f32> = row.map(|&w| f32::from(w) * weights.row_step).collect();
            row.resize(stride, 0.0);
            row
        };
        let (mut table, mut inputs, mut start) = (Vec::new(), Vec::new(), 0);
        for &(feature, form) in &blueprint.inputs {
            inputs.push((feature, table.len()));
            for value in 0..feature.values() {
                table.extend(match form {
                    Form::Number => row(start).iter().map(|w| w * value as f32).collect(),
                    Form::Choice => row(start + value),
                    Form::Spread => {
                        let factor = spread(feature, value);
                        row(start).iter().map(|w| w * factor).collect()
                    }
                });
            }
            start += rows_of(feature, form);
        }
        let mut last: Vec<f32> = weights
            .last
            .iter()
            .map(|&w| f32::from(w) * weights.last_step)
            .collect();
        last.resize(stride, 0.0);
        let always = row(start);
        let pairs = Pair::ALL.into_iter().filter_map(|pair| {
            let inputs = inputs
                .iter()
                .filter(|(input, _)| input.pair() == Some(pair));
            let inputs: Vec<_> = inputs.collect();
            let add = |view: &View, sums: &mut [f32]| {
                for (feature, start) in &inputs {
                    let row = &table[start + feature.value(view) * stride..];
                    sums.iter_mut()
                        .zip(row)
                        .for_each(|(sum, weight)| *sum += weight);
                }
            };
            (!inputs.is_empty()).then(|| PairTable::new(pair, stride, add))
        });
        let pairs = pairs.collect();
        inputs.retain(|(feature, _)| feature.pair().is_none());
        Ok(TinyNetwork {
            always,
            pairs,
            needs: Needs {
                attacks: inputs.iter().any(|(feature, _)| feature.needs_attacks()),
                reach: inputs.iter().any(|(feature, _)| feature.needs_reach()),
                from_corner: inputs.iter().any(|(feature, _)| feature.needs_corner()),
            },
            blueprint,
            weights,
            table,
            inputs,
            last,
            stride,
        })
    }

    /// What its weights are weights of.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// Bytes of the weights as they are stored.
    pub fn weight_bytes(&self) -> usize {
        self.blueprint.weight_bytes()
    }

    /// The strong side's moves to mate, as it guesses.
    #[inline]
    pub fn moves(&self, view: &View) -> f32 {
        self.answer(&view.trio(), Some(view))
    }

    /// The same for a position that nothing is known of yet; `None` when there is no piece to mate with.
    #[inline]
    pub(crate) fn moves_of(&self, men: &BareKing) -> Option<f32> {
        if self.inputs.is_empty() {
            return self.moves_of_trio(&Trio::of(men)?);
        }
        Some(self.moves(&View::with(men, self.needs)?))
    }

    /// The same, if where three men stand is enough for it.
    #[inline]
    pub(crate) fn moves_of_trio(&self, men: &Trio) -> Option<f32> {
        self.inputs.is_empty().then(|| self.answer(men, None))
    }

    #[inline]
    fn answer(&self, men: &Trio, view: Option<&View>) -> f32 {
        match self.stride {
            8 => self.forward::<8>(men, view),
            16 => self.forward::<16>(men, view),
            24 => self.forward::<24>(men, view),
            32 => self.forward::<32>(men, view),
            _ => self.forward::<MAX_HIDDEN>(men, view),
        }
    }

    /// `WIDTH` is the padded number of neurons; a view is needed where two men do not say everything.
    #[inline]
    fn forward<const WIDTH: usize>(&self, men: &Trio, view: Option<&View>) -> f32 {
        let Some(view) = view else {
            return self.sum_up::<WIDTH>(men, &[]);
        };
        // First all values, then all sums: in between they would have to be put aside each time.
        let mut starts = [0; MAX_INPUTS];
        let starts = &mut starts[..self.inputs.len()];
        for (place, &(feature, start)) in starts.iter_mut().zip(&self.inputs) {
            *place = start + feature.value(view) * WIDTH;
        }
        self.sum_up::<WIDTH>(men, starts)
    }

    /// The answer, when the rows of all inputs that look at more than two men begin at `starts`.
    #[inline]
    fn sum_up<const WIDTH: usize>(&self, men: &Trio, starts: &[usize]) -> f32 {
        let mut rows: [&[f32]; Pair::ALL.len()] = [&[]; _];
        let rows = &mut rows[..self.pairs.len()];
        for (row, table) in rows.iter_mut().zip(&self.pairs) {
            *row = table.row(men);
        }
        let mut products = [0.0; LANES];
        for at in (0..WIDTH).step_by(LANES) {
            let mut sums = [0.0; LANES];
            add(&mut sums, &self.always[at..]);
            for row in rows.iter() {
                add(&mut sums, &row[at..]);
            }
            for &start in starts {
                add(&mut sums, &self.table[start + at..]);
            }
            match self.blueprint.activation {
                Activation::Relu => sums.iter_mut().for_each(|sum| *sum = sum.max(0.0)),
                // The tangent takes time, and what pads the row is multiplied by zero.
                Activation::Tanh => sums
                    .iter_mut()
                    .take(self.blueprint.hidden.saturating_sub(at))
                    .for_each(|sum| *sum = sum.tanh()),
            }
            for (product, (sum, last)) in products.iter_mut().zip(sums.iter().zip(&self.last[at..]))
            {
                *product += sum * last;
            }
        }
        self.weights.constant + products.iter().sum::<f32>()
    }
}

/// Adds a few numbers of a row to the sums, all at once.
#[inline]
fn add(sums: &mut [f32; LANES], row: &[f32]) {
    for (sum, weight) in sums.iter_mut().zip(&row[..LANES]) {
        *sum += weight;
    }
}

#[cfg(test)]
mod tests {
    use rules::{Board, Color, FewMenRules, Position};

    use super::*;
    use crate::tree::{FewMenTree, Tree as _};

    /// A network of arbitrary weights.
    pub(super) fn network(bits: u32, activation: Activation) -> TinyNetwork {
        let blueprint = Blueprint {
            material: "KRK".into(),
            bare_to_move: true,
            activation,
            hidden: 3,
            bits,
            inputs: vec![
                (Feature::BareSquare, Form::Choice),
                (Feature::KingsApart, Form::Number),
                (Feature::FirstToBare, Form::Spread),
            ],
        };
        let most = (1 << (bits - 1)) - 1;
        let weight = |i: usize| (((i * 37 + 11) % (2 * most + 1)) as i32 - most as i32) as i8;
        let rows = (blueprint.rows() + 1) * 3;
        let weights = Weights {
            row_step: 0.25,
            last_step: 0.5,
            constant: 7.0,
            rows: (0..rows).map(weight).collect(),
            last: (100..103).map(weight).collect(),
        };
        TinyNetwork::new(blueprint, weights).unwrap()
    }

    /// Moves to mate as the blueprint defines them: one input after the other.
    fn plain(network: &TinyNetwork, view: &View) -> f32 {
        let (blueprint, weights) = (&network.blueprint, &network.weights);
        let hidden = blueprint.hidden;
        let mut active = Vec::new();
        blueprint.active(view, &mut active);
        active.push((blueprint.rows(), 1.0));
        let neuron = |j: usize| {
            let row = |&(row, factor): &(usize, f32)| {
                factor * f32::from(weights.rows[row * hidden + j]) * weights.row_step
            };
            let sum: f32 = active.iter().map(row).sum();
            match blueprint.activation {
                Activation::Relu => sum.max(0.0),
                Activation::Tanh => sum.tanh(),
            }
        };
        let last = |j: usize| f32::from(weights.last[j]) * weights.last_step;
        weights.constant + (0..hidden).map(|j| neuron(j) * last(j)).sum::<f32>()
    }

    #[test]
    fn the_quick_answer_is_the_plain_one_for_every_width_and_endgame() {
        use Feature::*;
        let mut dice = crate::Dice::new(1);
        // Of two men, of more, and of both kinds.
        let two = [BareSquare, KingAside, FirstBehind, FirstToKing];
        let more = [Freedom, Hanging, RoomInThree, RookBetween];
        let corner = [BareFile, RightInFive, AwayInFive, KnightAcross];
        for (material, inputs) in [
            ("KRK", two.to_vec()),
            ("KQK", more.to_vec()),
            ("KBBK", [two, more].concat()),
            ("KBNK", [two, corner].concat()),
        ] {
            let rules = FewMenRules::new(material.parse().unwrap(), Board::STANDARD).unwrap();
            for (hidden, activation) in [
                (1, Activation::Relu),
                (8, Activation::Tanh),
                (9, Activation::Relu),
                (22, Activation::Relu),
                (31, Activation::Tanh),
                (33, Activation::Tanh),
                (64, Activation::Relu),
            ] {
                let forms = [Form::Choice, Form::Number, Form::Spread]
                    .into_iter()
                    .cycle();
                let blueprint = Blueprint {
                    material: material.into(),
                    bare_to_move: false,
                    activation,
                    hidden,
                    bits: 4,
                    inputs: inputs.iter().copied().zip(forms).collect(),
                };
                let mut weights = |count| (0..count).map(|_| dice.below(15) as i8 - 7).collect();
                let weights = Weights {
                    row_step: 0.05,
                    last_step: 0.02,
                    constant: 7.0,
                    rows: weights((blueprint.rows() + 1) * hidden),
                    last: weights(hidden),
                };
                let network = TinyNetwork::new(blueprint, weights).unwrap();
                let tree = FewMenTree::new(rules.clone());
                for _ in 0..200 {
                    let men = rules.random(Color::White, &mut dice);
                    let view = View::of_few_men(&rules, men).unwrap();
                    let expected = plain(&network, &view);
                    let near = |answer: f32| (answer - expected).abs() < 1e-4;
                    assert!(near(network.moves(&view)), "{material} {hidden}");
                    let bare = tree.bare_king(&men).unwrap();
                    assert!(
                        near(network.moves_of(&bare).unwrap()),
                        "{material} {hidden}"
                    );
                    if let Some((_, trio)) = tree.trio(&men) {
                        assert!(network.moves_of_trio(&trio).is_none_or(near));
                    }
                }
            }
        }
    }

    #[test]
    fn the_answer_is_the_sum_that_the_head_of_this_file_describes() {
        let position = Position::from_fen("7k/8/8/8/8/8/8/K6R b - - 0 1").unwrap();
        let rules = FewMenRules::new(position.material(), position.board()).unwrap();
        let view = View::of_few_men(&rules, rules.compact(&position).unwrap()).unwrap();
        for activation in [Activation::Relu, Activation::Tanh] {
            let network = network(6, activation);
            let Weights { rows, last, .. } = &network.weights;
            let mut answer = 7.0;
            for j in 0..3 {
                let weight = |row: usize| f32::from(rows[row * 3 + j]) * 0.25;
                // The corner is the first of ten squares, the kings have six squares between them;
                // the rook is as far from the bare king as it can be.
                let sum = weight(0) + 6.0 * weight(10) + weight(11) + weight(12);
                let neuron = match activation {
                    Activation::Relu => sum.max(0.0),
                    Activation::Tanh => sum.tanh(),
                };
                answer += neuron * f32::from(last[j]) * 0.5;
            }
            assert!((network.moves(&view) - answer).abs() < 1e-5);
        }
    }
}
