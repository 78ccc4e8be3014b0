//! A network of two hidden layers whose first and last tables are only touched where they matter.
//!
//! A position switches few inputs on and has few legal moves. The first table is therefore read row by
//! row, one for each input that is not zero, and of the last one only the rows of the answers that are
//! asked for: the same numbers as with the whole tables, at a fraction of the work. On the way back
//! the gradient reaches these rows and no others.

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::matrix::{
    add_product, add_scaled, dot, product_turned_left, product_turned_right, tanh_all,
};
use crate::{
    LearnError,
    net::Tensors,
    runs::record::{Reader, Writer},
};

/// The form of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MlpShape {
    /// Numbers it is shown.
    pub inputs: usize,
    /// Neurons of each of the two hidden layers.
    pub width: usize,
    /// Answers.
    pub outputs: usize,
    /// What a neuron does with its sum.
    pub activation: Activation,
}

/// What a neuron does with its sum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// The hyperbolic tangent.
    Tanh,
    /// What is negative becomes zero.
    #[default]
    Relu,
}

impl MlpShape {
    /// How many weights there are.
    pub fn weights(&self) -> usize {
        (self.inputs + 1) * self.width
            + (self.width + 1) * self.width
            + (self.width + 1) * self.outputs
    }

    /// The names of its tables, and how large each is.
    fn forms(&self) -> [(&'static str, Vec<usize>); 6] {
        let MlpShape {
            inputs,
            width,
            outputs,
            ..
        } = *self;
        [
            ("first.weight", vec![inputs, width]),
            ("first.bias", vec![width]),
            ("second.weight", vec![width, width]),
            ("second.bias", vec![width]),
            ("last.weight", vec![outputs, width]),
            ("last.bias", vec![outputs]),
        ]
    }
}

/// The weights of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct Mlp {
    shape: MlpShape,
    /// A row for each input.
    pub(crate) first: Vec<f32>,
    pub(crate) first_bias: Vec<f32>,
    /// A row for each neuron of the first layer.
    pub(crate) second: Vec<f32>,
    pub(crate) second_bias: Vec<f32>,
    /// A row for each answer.
    pub(crate) last: Vec<f32>,
    pub(crate) last_bias: Vec<f32>,
}

/// Lists of numbered rows, one list a sample: inputs that are not zero, or answers that are asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Lists {
    ends: Vec<u32>,
    rows: Vec<u16>,
    values: Vec<f32>,
}

impl Default for Lists {
    fn default() -> Lists {
        Lists {
            ends: vec![0],
            rows: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl Lists {
    /// Adds a row to the list that is being made.
    pub fn push(&mut self, row: usize, value: f32) {
        self.rows.push(row as u16);
        self.values.push(value);
    }

    /// Ends the list that is being made.
    pub fn end(&mut self) {
        self.ends.push(self.rows.len() as u32);
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.ends.truncate(1);
        self.rows.clear();
        self.values.clear();
    }

    fn range(&self, list: usize) -> std::ops::Range<usize> {
        self.ends[list] as usize..self.ends[list + 1] as usize
    }

    /// The rows of a list.
    pub fn rows(&self, list: usize) -> &[u16] {
        &self.rows[self.range(list)]
    }

    /// The values of a list.
    pub fn values(&self, list: usize) -> &[f32] {
        &self.values[self.range(list)]
    }

    /// The same, to change them.
    pub fn values_mut(&mut self, list: usize) -> &mut [f32] {
        let range = self.range(list);
        &mut self.values[range]
    }

    /// Adds all lists of another.
    pub fn extend(&mut self, other: &Lists) {
        let before = self.rows.len() as u32;
        self.ends
            .extend(other.ends[1..].iter().map(|end| before + end));
        self.rows.extend(&other.rows);
        self.values.extend(&other.values);
    }
}

impl Lists {
    pub(crate) fn save(&self, out: &mut Writer) {
        out.u32s(self.ends[1..].iter().copied());
        let rows: Vec<u8> = self.rows.iter().flat_map(|row| row.to_le_bytes()).collect();
        out.bytes(&rows);
        out.weights(&self.values);
    }

    /// Reads what [`Lists::save`] wrote, where there are so many rows.
    pub(crate) fn load(from: &mut Reader<'_>, count: usize) -> Result<Lists, LearnError> {
        let mut ends = vec![0];
        ends.extend(from.u32s()?);
        let (rows, rest) = from.bytes()?.as_chunks::<2>();
        let rows: Vec<u16> = rows.iter().map(|&row| u16::from_le_bytes(row)).collect();
        let values = from.weights(rows.len())?;
        let sound = ends.is_sorted()
            && ends.last().map(|&end| end as usize) == Some(rows.len())
            && rest.is_empty()
            && rows.iter().all(|&row| usize::from(row) < count)
            && values.iter().all(|value| value.is_finite());
        let lists = Lists { ends, rows, values };
        sound.then_some(lists).ok_or(LearnError::Record)
    }
}

/// What the hidden layers say of some samples, and the gradients that come back to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hidden {
    pub first: Vec<f32>,
    pub second: Vec<f32>,
    /// Gradients of the sums of the first layer.
    pub to_first: Vec<f32>,
    /// Of the samples that have a gradient: gradients of what the second layer says, then of its sums, …
    to_second: Vec<f32>,
    /// … what the first layer says, and the gradients of its sums.
    learned_first: Vec<f32>,
    learned_to_first: Vec<f32>,
    /// Gradients of the weights that every sample touches.
    pub second_gradient: Vec<f32>,
    pub second_bias_gradient: Vec<f32>,
    pub first_bias_gradient: Vec<f32>,
}

impl Mlp {
    /// A network with random weights, each neuron's of length 1 together and each answer's of length
    /// `last`, as RLlib begins; biases are zero.
    pub fn random(shape: MlpShape, last: f32, random: &mut ChaCha8Rng) -> Mlp {
        let mut draw =
            |count: usize| -> Vec<f32> { (0..count).map(|_| gaussian(random)).collect() };
        let MlpShape {
            inputs,
            width,
            outputs,
            ..
        } = shape;
        let mut mlp = Mlp {
            shape,
            first: draw(inputs * width),
            first_bias: vec![0.0; width],
            second: draw(width * width),
            second_bias: vec![0.0; width],
            last: draw(outputs * width),
            last_bias: vec![0.0; outputs],
        };
        for table in [&mut mlp.first, &mut mlp.second] {
            for neuron in 0..width {
                let weights = || (neuron..table.len()).step_by(width);
                let length = weights().map(|i| table[i] * table[i]).sum::<f32>().sqrt();
                for i in weights() {
                    table[i] /= length.max(1e-6);
                }
            }
        }
        for row in mlp.last.chunks_exact_mut(width) {
            let length = row.iter().map(|w| w * w).sum::<f32>().sqrt();
            row.iter_mut().for_each(|w| *w *= last / length.max(1e-6));
        }
        mlp
    }

    /// Its form.
    pub fn shape(&self) -> MlpShape {
        self.shape
    }

    /// Shows it samples.
    pub(crate) fn hidden(
        &self,
        inputs: &Lists,
        samples: impl ExactSizeIterator<Item = usize>,
        hidden: &mut Hidden,
    ) {
        let width = self.shape.width;
        let count = samples.len();
        hidden.first.resize(count * width, 0.0);
        hidden.second.resize(count * width, 0.0);
        for (sample, sums) in samples.zip(hidden.first.chunks_exact_mut(width)) {
            sums.copy_from_slice(&self.first_bias);
            for (&row, &value) in inputs.rows(sample).iter().zip(inputs.values(sample)) {
                add_scaled(sums, value, row_of(&self.first, row, width));
            }
        }
        self.activate(&mut hidden.first);
        for sums in hidden.second.chunks_exact_mut(width) {
            sums.copy_from_slice(&self.second_bias);
        }
        add_product(
            &mut hidden.second,
            &hidden.first,
            &self.second,
            width,
            width,
        );
        self.activate(&mut hidden.second);
    }

    fn activate(&self, sums: &mut [f32]) {
        match self.shape.activation {
            Activation::Tanh => tanh_all(sums),
            Activation::Relu => sums.iter_mut().for_each(|x| *x = x.max(0.0)),
        }
    }

    /// Turns gradients of what neurons say into those of their sums.
    fn back_through(&self, said: &[f32], gradients: &mut [f32]) {
        let pairs = gradients.iter_mut().zip(said);
        match self.shape.activation {
            Activation::Tanh => pairs.for_each(|(g, y)| *g *= 1.0 - y * y),
            Activation::Relu => pairs.for_each(|(g, y)| *g = if *y > 0.0 { *g } else { 0.0 }),
        }
    }

    /// What it answers to one question, given the second layer of a sample.
    #[inline]
    pub(crate) fn answer(&self, second: &[f32], row: u16) -> f32 {
        let weights = row_of(&self.last, row, self.shape.width);
        dot(second, weights) + self.last_bias[usize::from(row)]
    }

    /// What the second layer of a sample says.
    pub(crate) fn second_of<'h>(&self, hidden: &'h Hidden, place: usize) -> &'h [f32] {
        &hidden.second[place * self.shape.width..][..self.shape.width]
    }

    /// Answers to the questions of one sample after the other.
    pub fn answers(&self, inputs: &Lists, asked: &Lists) -> Vec<Vec<f32>> {
        let mut hidden = Hidden::default();
        self.hidden(inputs, 0..inputs.len(), &mut hidden);
        let answers = (0..inputs.len()).map(|sample| {
            let second = self.second_of(&hidden, sample);
            let rows = asked.rows(sample).iter();
            rows.map(|&row| self.answer(second, row)).collect()
        });
        answers.collect()
    }

    /// Brings the gradients of answers back to the hidden layers. `answers` holds, for each sample in
    /// order, the rows of the last table that were asked for, and the gradients. Samples whose gradients are all
    /// zero cost nothing: of a critic that is far off, or of moves that were clipped, those are most.
    pub(crate) fn back(&self, answers: &Lists, hidden: &mut Hidden) {
        let width = self.shape.width;
        let learned: Vec<usize> = (0..answers.len())
            .filter(|&sample| answers.values(sample).iter().any(|&value| value != 0.0))
            .collect();
        let of = |table: &[f32], gathered: &mut Vec<f32>| {
            gathered.clear();
            for &sample in &learned {
                gathered.extend_from_slice(&table[sample * width..][..width]);
            }
        };
        of(&hidden.first, &mut hidden.learned_first);
        hidden.to_second.clear();
        hidden.to_second.resize(learned.len() * width, 0.0);
        let gradients = hidden.to_second.chunks_exact_mut(width);
        for (&sample, gradient) in learned.iter().zip(gradients) {
            for (&row, &value) in answers.rows(sample).iter().zip(answers.values(sample)) {
                if value != 0.0 {
                    add_scaled(gradient, value, row_of(&self.last, row, width));
                }
            }
            let said = &hidden.second[sample * width..][..width];
            self.back_through(said, gradient);
        }
        hidden.second_gradient.resize(width * width, 0.0);
        hidden.learned_to_first.resize(learned.len() * width, 0.0);
        if learned.is_empty() {
            hidden.second_gradient.fill(0.0);
        } else {
            product_turned_left(
                &mut hidden.second_gradient,
                &hidden.learned_first,
                &hidden.to_second,
                width,
                width,
            );
            product_turned_right(
                &mut hidden.learned_to_first,
                &hidden.to_second,
                &self.second,
                width,
                width,
            );
            self.back_through(&hidden.learned_first, &mut hidden.learned_to_first);
        }
        sum_rows(&hidden.to_second, width, &mut hidden.second_bias_gradient);
        sum_rows(
            &hidden.learned_to_first,
            width,
            &mut hidden.first_bias_gradient,
        );
        hidden.to_first.clear();
        hidden.to_first.resize(answers.len() * width, 0.0);
        let gradients = hidden.learned_to_first.chunks_exact(width);
        for (&sample, gradient) in learned.iter().zip(gradients) {
            hidden.to_first[sample * width..][..width].copy_from_slice(gradient);
        }
    }

    /// Its tables with their names and forms.
    fn tables(&self) -> [(&'static str, Vec<usize>, &Vec<f32>); 6] {
        let tables = [
            &self.first,
            &self.first_bias,
            &self.second,
            &self.second_bias,
            &self.last,
            &self.last_bias,
        ];
        let mut tables = tables.into_iter();
        self.shape.forms().map(|(name, form)| {
            let table = tables.next().expect("as many tables as forms");
            (name, form, table)
        })
    }

    fn tables_mut(&mut self) -> [&mut Vec<f32>; 6] {
        [
            &mut self.first,
            &mut self.first_bias,
            &mut self.second,
            &mut self.second_bias,
            &mut self.last,
            &mut self.last_bias,
        ]
    }

    /// Adds its tables to others, their names behind `prefix`.
    pub fn add_to(&self, tensors: &mut Tensors, prefix: &str) {
        for (name, shape, values) in self.tables() {
            tensors.add(format!("{prefix}.{name}"), shape, values.clone());
        }
    }

    /// A network of these tables.
    ///
    /// # Errors
    /// When one is missing or has another size, or a weight is no number.
    pub fn from_tensors(
        shape: MlpShape,
        tensors: &Tensors,
        prefix: &str,
    ) -> Result<Mlp, LearnError> {
        // What a file says of its size is held against what it holds before any room is made for it.
        let mut tables = Vec::with_capacity(6);
        for (name, form) in shape.forms() {
            let values = tensors.numbers(&format!("{prefix}.{name}"));
            let values = values.ok_or(LearnError::Weights)?;
            let size = form
                .iter()
                .try_fold(1_usize, |size, &n| size.checked_mul(n));
            if size != Some(values.len()) || values.iter().any(|value| !value.is_finite()) {
                return Err(LearnError::Weights);
            }
            tables.push(values);
        }
        let mut mlp = Mlp::zero(shape);
        for (table, values) in mlp.tables_mut().into_iter().zip(tables) {
            table.copy_from_slice(values);
        }
        Ok(mlp)
    }

    /// A network of zeros.
    pub(crate) fn zero(shape: MlpShape) -> Mlp {
        Mlp {
            shape,
            first: vec![0.0; shape.inputs * shape.width],
            first_bias: vec![0.0; shape.width],
            second: vec![0.0; shape.width * shape.width],
            second_bias: vec![0.0; shape.width],
            last: vec![0.0; shape.outputs * shape.width],
            last_bias: vec![0.0; shape.outputs],
        }
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        for (_, _, values) in self.tables() {
            out.weights(values);
        }
    }

    pub(crate) fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        for table in self.tables_mut() {
            *table = from.weights(table.len())?;
        }
        Ok(())
    }
}

fn row_of(table: &[f32], row: u16, width: usize) -> &[f32] {
    &table[usize::from(row) * width..][..width]
}

fn sum_rows(rows: &[f32], width: usize, sum: &mut Vec<f32>) {
    sum.clear();
    sum.resize(width, 0.0);
    for row in rows.chunks_exact(width) {
        add_scaled(sum, 1.0, row);
    }
}

/// A number of the normal distribution, by Box and Muller.
fn gaussian(random: &mut ChaCha8Rng) -> f32 {
    let mut uniform = || (f64::from(random.next_u32()) + 0.5) / 4_294_967_296.0;
    let (a, b) = (uniform(), uniform());
    ((-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()) as f32
}
