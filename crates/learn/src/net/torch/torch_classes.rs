//! Training a network of classes by libtorch.

use tch::{Device, Kind, Tensor};

use crate::{
    LearnError,
    net::{
        ClassTraining, Layer, Network, Shape, Table,
        adam::{EPSILON, FADE, FADE_SQUARES},
        bias_bits,
        trainer::{beginning, most_steps, step_size},
    },
    runs::record::{Reader, Writer},
};

/// Positions that the device is asked about at a time.
const ASKED: usize = 16_384;

/// A network in training by libtorch; the same steps as burn's, but for rounding.
pub struct TorchClasses {
    shape: Shape,
    device: Device,
    /// As a checkpoint has them: rows, the weights of all layers, what they add in any case.
    tables: Vec<Tensor>,
    steps: u64,
    /// Fading means of the gradients and of their squares; none before the first step.
    means: Vec<[Tensor; 2]>,
    /// The mean of the network over its last steps, if it is kept.
    average: Option<Vec<Tensor>>,
    /// All examples: inputs and classes.
    examples: Option<(Tensor, Tensor)>,
}

impl TorchClasses {
    /// A network with weights drawn from `seed`, on `cuda` or, as `libtorch`, on the processor.
    ///
    /// # Errors
    /// When there is no GPU.
    pub fn new(
        shape: Shape,
        seed: u64,
        device: &str,
        averaging: bool,
    ) -> Result<TorchClasses, LearnError> {
        let device = super::device(device)?;
        let tables = placed(&shape, beginning(&shape, seed).into_iter(), device);
        let average = averaging.then(|| tables.iter().map(Tensor::copy).collect());
        Ok(TorchClasses {
            shape,
            device,
            tables: trained(tables),
            steps: 0,
            means: Vec::new(),
            average,
            examples: None,
        })
    }

    /// Scores of the classes for a batch of positions.
    fn scores(&self, tables: &[Tensor], inputs: &Tensor) -> Tensor {
        let bits = self.shape.bits;
        let (batch, active) = inputs.size2().expect("positions and their inputs");
        let (rows, layers) = tables.split_first().expect("rows");
        let (weights, biases) = layers.split_at(self.shape.layers + 1);
        let rows = rounded(rows, bits).index_select(0, &inputs.view([-1]));
        let rows = rows.view([batch, active, self.shape.width as i64]);
        let added = rows.sum_dim_intlist(Some([1].as_slice()), false, None::<Kind>);
        let mut state = added.relu();
        for (i, (weights, bias)) in weights.iter().zip(biases).enumerate() {
            let answer = state.matmul(&rounded(weights, bits)) + rounded(bias, bias_bits(bits));
            if i == self.shape.layers {
                return answer;
            }
            state = state + answer.relu();
        }
        unreachable!("there is a last layer")
    }

    /// A step of Adam against the gradients that have come together.
    fn step(&mut self, rate: f64) {
        self.steps += 1;
        if self.means.is_empty() {
            let zeros = |table: &Tensor| [(); 2].map(|()| table.zeros_like().detach());
            self.means = self.tables.iter().map(zeros).collect();
        }
        // Both means begin at zero, and are too small by as much at first.
        let begun = |fade: f64| 1.0 - fade.powf(self.steps as f64);
        tch::no_grad(|| {
            for (table, [mean, squares]) in self.tables.iter_mut().zip(&mut self.means) {
                let gradient = table.grad();
                *mean = &*mean * FADE + &gradient * (1.0 - FADE);
                *squares = &*squares * FADE_SQUARES + gradient.square() * (1.0 - FADE_SQUARES);
                let size = (&*squares / begun(FADE_SQUARES)).sqrt() + EPSILON;
                let _ = table.g_sub_(&(&*mean / size * (rate / begun(FADE))));
                table.zero_grad();
            }
        });
    }

    fn classes_on_device(&self, inputs: &[u16]) -> Vec<u8> {
        tch::no_grad(|| {
            let active = self.shape.active;
            let tables = self.average.as_ref().unwrap_or(&self.tables);
            let mut classes = Vec::with_capacity(inputs.len() / active);
            for chunk in inputs.chunks(ASKED * active) {
                let asked = numbered(chunk.iter().map(|&i| i.into()), self.device);
                let scores = self.scores(tables, &asked.view([-1, active as i64]));
                // At most 202 classes.
                let best = whole(&scores.argmax(1, false));
                classes.extend(best.iter().map(|&class| class as u8));
            }
            classes
        })
    }
}

impl ClassTraining for TorchClasses {
    fn study(&mut self, inputs: &[u16], classes: &[u8]) {
        let inputs = numbered(inputs.iter().map(|&i| i.into()), self.device);
        let classes = numbered(classes.iter().map(|&class| class.into()), self.device);
        self.examples = Some((inputs.view([-1, self.shape.active as i64]), classes));
    }

    fn learn(&mut self, batch: &[u32], rate: f64) -> Vec<u32> {
        let (inputs, classes) = self.examples.as_ref().expect("examples to learn from");
        let chosen = numbered(batch.iter().map(|&i| i.into()), self.device);
        let classes = classes.index_select(0, &chosen);
        let inputs = inputs.index_select(0, &chosen);
        let scores = self.scores(&self.tables, &inputs);
        let wrong = scores.argmax(1, false).not_equal_tensor(&classes);
        scores.cross_entropy_for_logits(&classes).backward();
        self.step(rate);
        let wrong = whole(&wrong.to_kind(Kind::Int64));
        let pairs = batch.iter().zip(wrong);
        pairs
            .filter(|&(_, wrong)| wrong != 0)
            .map(|(&i, _)| i)
            .collect()
    }

    fn approach(&mut self, part: f32) {
        let Some(average) = &mut self.average else {
            return;
        };
        tch::no_grad(|| {
            for (mean, table) in average.iter_mut().zip(&self.tables) {
                let _ = mean.lerp_(table, f64::from(part));
            }
        });
    }

    fn classes(&self, inputs: &[u16]) -> Option<Vec<u8>> {
        let fast = self.device.is_cuda();
        fast.then(|| self.classes_on_device(inputs))
    }

    fn network(&self) -> Network {
        let bits = self.shape.bits;
        let tables = self.average.as_ref().unwrap_or(&self.tables);
        let (weights, biases) = tables[1..].split_at(self.shape.layers + 1);
        let mut layers: Vec<Layer> = weights
            .iter()
            .zip(biases)
            .map(|(weights, bias)| Layer {
                weights: table(weights, bits),
                bias: table(bias, bias_bits(bits)),
            })
            .collect();
        Network {
            shape: self.shape,
            rows: table(&tables[0], bits),
            last: layers.pop().expect("there is a last layer"),
            layers,
        }
    }

    fn save(&self, out: &mut Writer) {
        for table in &self.tables {
            out.weights(&numbers(table));
        }
        out.u64(self.steps);
        out.u64(self.means.len() as u64);
        for mean in self.means.iter().flatten() {
            out.weights(&numbers(mean));
        }
        if self.average.is_some() {
            self.network().save(out);
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        let sides = self.shape.sides();
        let tables = sides.iter().map(|sides| read(from, sides, self.device));
        self.tables = trained(tables.collect::<Result<_, LearnError>>()?);
        self.steps = from.u64()?;
        let count = from.u64()?;
        // Before the first step there are none.
        if count != 0 && count != sides.len() as u64 {
            return Err(LearnError::Record);
        }
        let means = sides.iter().take(count as usize).map(|sides| {
            let mut vector = || read(from, sides, self.device);
            Ok([vector()?, vector()?])
        });
        self.means = means.collect::<Result<_, LearnError>>()?;
        if self.average.is_some() {
            let mut average = self.network();
            average.load(from)?;
            let Network {
                rows, layers, last, ..
            } = average;
            let (mut weights, mut biases) = (vec![rows.values], Vec::new());
            for layer in layers.into_iter().chain([last]) {
                weights.push(layer.weights.values);
                biases.push(layer.bias.values);
            }
            let tables = weights.into_iter().chain(biases);
            self.average = Some(placed(&self.shape, tables, self.device));
        }
        Ok(())
    }
}

/// The next table of a record, on a device.
fn read(from: &mut Reader<'_>, sides: &[i64], device: Device) -> Result<Tensor, LearnError> {
    let values = from.weights(sides.iter().product::<i64>() as usize)?;
    Ok(Tensor::from_slice(&values).to_device(device).view(sides))
}

/// Tables on a device.
fn placed(shape: &Shape, tables: impl Iterator<Item = Vec<f32>>, device: Device) -> Vec<Tensor> {
    let placed = tables.zip(shape.sides());
    placed
        .map(|(values, sides)| Tensor::from_slice(&values).to_device(device).view(&*sides))
        .collect()
}

/// Tables that gradients are wanted of.
fn trained(tables: Vec<Tensor>) -> Vec<Tensor> {
    let trained = tables.into_iter();
    trained
        .map(|table| table.detach().set_requires_grad(true))
        .collect()
}

/// The weights in steps. Their gradient is that of the exact weights behind them.
fn rounded(weights: &Tensor, bits: u32) -> Tensor {
    if bits == 0 {
        return weights.shallow_clone();
    }
    let exact = weights.detach();
    let (steps, step) = in_steps(&exact, bits);
    weights + (steps * step - exact)
}

/// How many steps each weight is, and the size of a step.
fn in_steps(weights: &Tensor, bits: u32) -> (Tensor, Tensor) {
    let most = f64::from(most_steps(bits));
    let mean_square = weights.square().mean(Kind::Float);
    let step = (mean_square + 1e-12).sqrt() * f64::from(step_size(bits));
    ((weights / &step).round().clamp(-most, most), step)
}

/// Weights as plain numbers.
fn table(weights: &Tensor, bits: u32) -> Table {
    if bits == 0 {
        return Table {
            values: numbers(weights),
            step: 0.0,
        };
    }
    let (steps, step) = in_steps(&weights.detach(), bits);
    let step = step.double_value(&[]) as f32;
    Table {
        values: numbers(&steps).into_iter().map(|s| s * step).collect(),
        step,
    }
}

fn numbers(tensor: &Tensor) -> Vec<f32> {
    let row = tensor.detach().to_device(Device::Cpu).flatten(0, -1);
    Vec::try_from(row).expect("weights are numbers")
}

fn whole(tensor: &Tensor) -> Vec<i64> {
    Vec::try_from(tensor.to_device(Device::Cpu)).expect("whole numbers")
}

fn numbered(values: impl Iterator<Item = i64>, device: Device) -> Tensor {
    Tensor::from_slice(&values.collect::<Vec<i64>>()).to_device(device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::class_trainer;

    fn shape(bits: u32) -> Shape {
        Shape {
            inputs: 20,
            active: 3,
            width: 8,
            layers: 2,
            classes: 5,
            bits,
        }
    }

    fn trainers(bits: u32, averaging: bool) -> [Box<dyn ClassTraining>; 2] {
        ["cpu", "libtorch"].map(|device| {
            let mut trainer = class_trainer(shape(bits), 7, device, averaging).unwrap();
            let inputs: Vec<u16> = (0..60).map(|i| (i * 7 + i / 9) % 20).collect();
            let classes: Vec<u8> = (0..20).map(|i| i * 3 % 5).collect();
            trainer.study(&inputs, &classes);
            trainer
        })
    }

    fn learn(trainer: &mut dyn ClassTraining, batches: u32) -> Vec<u32> {
        let mut wrong = Vec::new();
        for i in 0..batches {
            let batch: Vec<u32> = (0..10).map(|j| (i * 3 + j) % 20).collect();
            wrong.extend(trainer.learn(&batch, 0.01));
            trainer.approach(0.1);
        }
        wrong
    }

    fn assert_near(pair: &[Box<dyn ClassTraining>; 2], what: &str) {
        let [one, other] = pair.each_ref().map(|trainer| trainer.network());
        for ((name, one), (_, other)) in one.tables().zip(other.tables()) {
            for (a, b) in one.values.iter().zip(&other.values) {
                assert!((a - b).abs() < 1e-4, "{what}, {name}: {a} {b}");
            }
        }
    }

    #[test]
    fn burn_and_libtorch_learn_the_same() {
        for averaging in [false, true] {
            let what = format!("averaging {averaging}");
            let mut pair = trainers(0, averaging);
            let before = pair[0].network();
            let [burn, torch] = &mut pair;
            assert_eq!(learn(&mut **burn, 25), learn(&mut **torch, 25), "{what}");
            assert_near(&pair, &what);
            assert_ne!(before, pair[1].network());
        }
    }

    /// Sums of weights in steps are often nothing but for rounding, which decides there whether a layer passes anything
    /// on; so two ways of adding learn the same only until then.
    #[test]
    fn with_weights_in_steps_they_begin_the_same_and_both_learn() {
        for bits in [4, 8] {
            let mut pair = trainers(bits, false);
            // But for the last digit of a step.
            assert_near(&pair, "at the beginning");
            let all: Vec<u32> = (0..20).collect();
            assert_eq!(pair[0].learn(&all, 0.0), pair[1].learn(&all, 0.0));
            for trainer in &mut pair {
                learn(&mut **trainer, 400);
                assert_eq!(trainer.learn(&all, 0.0), [0; 0], "{bits} bits");
            }
        }
    }

    #[test]
    fn each_goes_on_from_what_the_other_has_saved() {
        for (bits, averaging) in [(0, true), (4, false)] {
            for (from, to) in [(0, 1), (1, 0)] {
                let what = format!("{bits} bits, averaging {averaging}, from {from}");
                let mut pair = trainers(bits, averaging);
                learn(&mut *pair[from], 10);
                let mut out = Writer::default();
                pair[from].save(&mut out);
                let record = out.into_bytes();
                learn(&mut *pair[to], 3);
                pair[to].load(&mut Reader::new(&record)).unwrap();
                let mut again = Writer::default();
                pair[to].save(&mut again);
                assert!(again.into_bytes() == record, "{what}");
                if bits == 0 {
                    pair.iter_mut().for_each(|one| drop(learn(&mut **one, 10)));
                    assert_near(&pair, &what);
                }
                for length in [0, 8, record.len() / 2, record.len() - 1] {
                    let mut damaged = Reader::new(&record[..length]);
                    assert!(pair[to].load(&mut damaged).is_err());
                }
            }
        }
    }

    #[test]
    fn the_device_gives_the_classes_that_the_plain_loops_give() {
        for bits in [0, 4] {
            let [_, mut torch] = trainers(bits, false);
            learn(&mut *torch, 200);
            assert_eq!(torch.classes(&[0, 1, 2]), None); // a processor takes the loops
            let network = torch.network();
            let mut record = Writer::default();
            torch.save(&mut record);
            let mut on_device =
                TorchClasses::new(network.shape, 1, "libtorch", false).expect("a trainer");
            on_device
                .load(&mut Reader::new(&record.into_bytes()))
                .unwrap();
            let inputs: Vec<u16> = (0..60).map(|i| (i * 7 + i / 9) % 20).collect();
            let mut scratch = crate::net::Scratch::default();
            let plain: Vec<u8> = inputs
                .chunks(3)
                .map(|inputs| network.class(inputs, &mut scratch) as u8)
                .collect();
            assert!(plain.iter().any(|&class| class != plain[0]));
            assert_eq!(on_device.classes_on_device(&inputs), plain);
        }
    }
}
