//! The forward pass.

use std::collections::HashMap;

use tch::{Device, Kind, Tensor};

use crate::{
    LearnError,
    net::{TableSpec, Tensors, TowerShape, tower::FOLLOW},
};

/// What keeps a normalisation from dividing by nothing.
const NORM_EPSILON: f64 = 1e-5;

/// A tower on a device.
pub(super) struct TorchTower {
    pub shape: TowerShape,
    pub device: Device,
    /// Tables in the order of the vector of weights: those used in 16 bits first, matrices before the
    /// rest, those of one size side by side.
    pub tables: Vec<TableSpec>,
    /// How many of the weights are used in 16 bits.
    half: i64,
    /// Means and variances by name, changed by every forward pass that trains.
    pub norms: HashMap<String, [Tensor; 2]>,
    /// For each pair of squares, which of the 225 ways lead from the one to the other.
    ways: Tensor,
    shifts: Tensor,
}

/// Weights ready for a forward pass.
pub(super) struct Weights {
    /// The two vectors that gradients are taken of.
    leaves: [Tensor; 2],
    by_name: HashMap<String, Tensor>,
    kind: Kind,
}

/// What a forward pass is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Training,
    Answering,
}

/// What a tower says of positions.
pub(super) struct Answers {
    /// Scores of all moves by number.
    pub moves: Tensor,
    /// Scores of loss, draw and win.
    pub endings: Tensor,
}

impl Weights {
    fn get(&self, name: &str) -> &Tensor {
        // The names are those of the shape that the weights were cut by.
        self.by_name.get(name).expect("a table of the tower")
    }

    /// The same weights for another thread: nothing is copied.
    pub fn shared(&self) -> Weights {
        let by_name = self.by_name.iter();
        Weights {
            leaves: self.leaves.each_ref().map(Tensor::shallow_clone),
            by_name: by_name
                .map(|(name, tensor)| (name.clone(), tensor.shallow_clone()))
                .collect(),
            kind: self.kind,
        }
    }

    /// The gradients of a loss that was run backwards, as one vector.
    pub fn gradient(&self) -> Tensor {
        let [half, exact] = &self.leaves;
        Tensor::cat(&[half.grad().to_kind(Kind::Float), exact.grad()], 0)
    }
}

impl TorchTower {
    pub fn new(shape: TowerShape, device: Device) -> TorchTower {
        let mut tables = shape.tables();
        tables.sort_by_key(|table| (table.exact, !table.matrix, table.sides.clone()));
        let half = tables.iter().filter(|table| !table.exact);
        let half = half.map(TableSpec::count).sum::<usize>() as i64;
        let width = [shape.width as i64];
        let norms = shape.norms().into_iter().map(|name| {
            let kind = (Kind::Float, device);
            (
                name,
                [Tensor::zeros(width, kind), Tensor::ones(width, kind)],
            )
        });
        let way = |from: i64, to: i64| (to / 8 - from / 8 + 7) * 15 + to % 8 - from % 8 + 7;
        let ways: Vec<i64> = (0..64)
            .flat_map(|from| (0..64).map(move |to| way(from, to)))
            .collect();
        TorchTower {
            norms: norms.collect(),
            shape,
            device,
            tables,
            half,
            ways: Tensor::from_slice(&ways).to(device),
            shifts: Tensor::from_slice(&[0_u8, 1, 2, 3, 4, 5, 6, 7]).to(device),
        }
    }

    /// The same tower for another thread: nothing is copied, and nothing may be trained any more.
    pub fn shared(&self) -> TorchTower {
        let norms = self.norms.iter();
        TorchTower {
            shape: self.shape.clone(),
            device: self.device,
            tables: self.tables.clone(),
            half: self.half,
            norms: norms
                .map(|(name, kept)| (name.clone(), kept.each_ref().map(Tensor::shallow_clone)))
                .collect(),
            ways: self.ways.shallow_clone(),
            shifts: self.shifts.shallow_clone(),
        }
    }

    /// The same tower as it is now, whatever becomes of this one.
    pub fn copied(&self) -> TorchTower {
        let mut copy = self.shared();
        for kept in copy.norms.values_mut().flatten() {
            *kept = kept.copy();
        }
        copy
    }

    /// Makes of every convolution and the normalisation behind it one convolution, for answering; weights that
    /// need not be exact become numbers of this kind.
    pub fn fold(&self, w: &mut Weights, kind: Kind) {
        for name in self.shape.norms() {
            let [mean, variance] = &self.norms[&name];
            let convolution = format!("{}.weight", name.trim_end_matches("_norm"));
            let scale = w.get(&format!("{name}.gamma")) * (variance + NORM_EPSILON).rsqrt();
            let shift = w.get(&format!("{name}.beta")) - mean * &scale;
            let weight = w.get(&convolution) * scale.view([-1, 1, 1, 1]);
            w.by_name.insert(convolution, weight);
            w.by_name
                .insert(format!("{name}.shift"), shift.to_kind(kind));
        }
        w.kind = kind;
        for table in self.tables.iter().filter(|table| !table.exact) {
            let values = w.get(&table.name).to_kind(kind);
            let values = match table.sides.len() {
                4 => values
                    .permute([0, 2, 3, 1])
                    .contiguous()
                    .permute([0, 3, 1, 2]),
                _ => values,
            };
            w.by_name.insert(table.name.clone(), values);
        }
    }

    /// Takes weights over: means and variances into the tower, the rest as one vector.
    ///
    /// # Errors
    /// When a table is missing or of another size.
    pub fn take(&mut self, tensors: &Tensors) -> Result<Tensor, LearnError> {
        let find = |name: &str, count: usize| {
            let values = tensors.numbers(name).filter(|values| values.len() == count);
            values.map(Tensor::from_slice).ok_or(LearnError::Weights)
        };
        for (name, kept) in &mut self.norms {
            for (part, tensor) in ["mean", "variance"].into_iter().zip(kept) {
                *tensor = find(&format!("{name}.{part}"), self.shape.width)?.to(self.device);
            }
        }
        let parts = self.tables.iter().map(|table| {
            let values = find(&table.name, table.count())?;
            // The inputs of a convolution lie innermost.
            Ok(match table.sides[..] {
                [o, i, h, w] => {
                    let values = values.view([o as i64, i as i64, h as i64, w as i64]);
                    values.permute([0, 2, 3, 1]).reshape([-1])
                }
                _ => values,
            })
        });
        let parts = parts.collect::<Result<Vec<Tensor>, LearnError>>()?;
        Ok(Tensor::cat(&parts, 0).to(self.device))
    }

    /// The weights of a vector by name, with the means and variances of the tower.
    pub fn give(&self, vector: &Tensor) -> Tensors {
        let mut tensors = Tensors::default();
        let cut = self.cut(&vector.to_device(Device::Cpu));
        let numbers = |tensor: &Tensor| -> Vec<f32> {
            let flat = tensor.to_device(Device::Cpu).contiguous().view([-1]);
            Vec::try_from(flat).expect("weights are numbers")
        };
        for table in self.shape.tables() {
            let values = numbers(&cut[&table.name]);
            tensors.add(table.name, table.sides, values);
        }
        for name in self.shape.norms() {
            let [mean, variance] = &self.norms[&name];
            let shape = vec![self.shape.width];
            tensors.add(format!("{name}.mean"), shape.clone(), numbers(mean));
            tensors.add(format!("{name}.variance"), shape, numbers(variance));
        }
        tensors
    }

    /// A vector of weights, or the part of it that `tables` are, cut into tables.
    fn cut_into(part: &Tensor, tables: &[&TableSpec], by_name: &mut HashMap<String, Tensor>) {
        let sizes: Vec<i64> = tables.iter().map(|table| table.count() as i64).collect();
        for (part, table) in part.split_with_sizes(&sizes, 0).into_iter().zip(tables) {
            let sides: Vec<i64> = table.sides.iter().map(|&side| side as i64).collect();
            let part = match sides[..] {
                [o, i, h, w] => part.view([o, h, w, i]).permute([0, 3, 1, 2]),
                _ => part.view(&sides[..]),
            };
            by_name.insert(table.name.clone(), part);
        }
    }

    fn cut(&self, vector: &Tensor) -> HashMap<String, Tensor> {
        let mut by_name = HashMap::new();
        let tables: Vec<&TableSpec> = self.tables.iter().collect();
        Self::cut_into(vector, &tables, &mut by_name);
        by_name
    }

    /// The weights of a vector, in this kind of number where they need not be exact.
    pub fn weights(&self, vector: &Tensor, kind: Kind, mode: Mode) -> Weights {
        let leaf = |begin: i64, count: i64, kind: Kind| {
            let part = vector.narrow(0, begin, count).to_kind(kind).detach().copy();
            part.set_requires_grad(mode == Mode::Training)
        };
        let rest = vector.size()[0] - self.half;
        let leaves = [leaf(0, self.half, kind), leaf(self.half, rest, Kind::Float)];
        let mut by_name = HashMap::new();
        for (leaf, exact) in leaves.iter().zip([false, true]) {
            let tables = self.tables.iter().filter(|table| table.exact == exact);
            Self::cut_into(leaf, &tables.collect::<Vec<_>>(), &mut by_name);
        }
        Weights {
            leaves,
            by_name,
            kind,
        }
    }

    /// Sets of squares as numbers: from `[positions, inputs, 8]` bytes to `[positions, 8, 8, inputs]`.
    fn unpack(&self, sights: &Tensor, kind: Kind) -> Tensor {
        let bits = sights
            .unsqueeze(-1)
            .bitwise_right_shift(&self.shifts)
            .bitwise_and(1);
        bits.permute([0, 2, 3, 1]).contiguous().to_kind(kind)
    }

    /// A convolution and its normalisation, if they were not made one; and a ramp, if there is one.
    fn convolve(&self, x: &Tensor, w: &Weights, name: &str, ramp: bool, mode: Mode) -> Tensor {
        let (weight, norm) = (w.get(&format!("{name}.weight")), format!("{name}_norm"));
        let same = [1, 1];
        let mut y = match w.by_name.get(&format!("{norm}.shift")) {
            // All three in one pass over the boards.
            Some(shift) if ramp && self.device.is_cuda() => {
                return x.cudnn_convolution_relu(weight, Some(shift), same, same, same, 1);
            }
            Some(shift) => x.conv2d(weight, Some(shift), same, same, same, 1),
            None => {
                let y = x.conv2d(weight, None::<&Tensor>, same, same, same, 1);
                self.norm(&y, w, &norm, mode)
            }
        };
        if ramp { y.relu_() } else { y }
    }

    fn norm(&self, x: &Tensor, w: &Weights, name: &str, mode: Mode) -> Tensor {
        let [mean, variance] = &self.norms[name];
        x.batch_norm(
            Some(w.get(&format!("{name}.gamma"))),
            Some(w.get(&format!("{name}.beta"))),
            Some(mean),
            Some(variance),
            mode == Mode::Training,
            FOLLOW,
            NORM_EPSILON,
            true,
        )
    }

    fn layer_norm(&self, x: &Tensor, w: &Weights, name: &str) -> Tensor {
        x.layer_norm(
            [self.shape.width as i64],
            Some(w.get(&format!("{name}.gamma"))),
            Some(w.get(&format!("{name}.beta"))),
            1e-5,
            true,
        )
    }

    fn linear(x: &Tensor, w: &Weights, name: &str) -> Tensor {
        x.linear(
            w.get(&format!("{name}.weight")),
            Some(w.get(&format!("{name}.bias"))),
        )
    }

    /// Judges positions given as `[positions, inputs, 8]` bytes.
    pub fn forward(&self, w: &Weights, sights: &Tensor, mode: Mode) -> Answers {
        let count = sights.size()[0];
        let width = self.shape.width as i64;
        let tokens = |x: &Tensor| x.permute([0, 2, 3, 1]).reshape([count, 64, width]);
        let board = |x: &Tensor| x.view([count, 8, 8, width]).permute([0, 3, 1, 2]);
        let seen = self.unpack(sights, w.kind);
        let mut x = self.convolve(&seen.permute([0, 3, 1, 2]), w, "first", true, mode);
        if self.shape.attends() {
            x = board(&(tokens(&x) + w.get("squares")));
        }
        for (i, block) in self.shape.blocks.chars().enumerate() {
            let name = format!("blocks.{i}");
            x = match block {
                'a' => board(&self.attention(&tokens(&x), w, &name)),
                kind => self.convolutions(&x, w, &name, kind, mode),
            };
        }
        let mut x = tokens(&x);
        if self.shape.blocks.ends_with('a') {
            x = self.layer_norm(&x, w, "last_norm");
        }
        // Scores are compared: they are worth 32 bits.
        let keys = self.shape.keys as i64;
        let matched = Self::linear(&x, w, "pair").to_kind(Kind::Float);
        let leave = matched.narrow(2, 0, keys) * (keys as f64).powf(-0.5);
        let scores = leave.bmm(&matched.narrow(2, keys, keys).transpose(1, 2)) + w.get("moves");
        let promote = Self::linear(&x.narrow(1, 48, 8), w, "promote").to_kind(Kind::Float);
        let moves = Tensor::cat(
            &[scores.view([count, 4096]), promote.reshape([count, 72])],
            1,
        );
        let pooled = x.mean_dim(Some([1].as_slice()), false, None::<Kind>);
        let ending = Self::linear(&Self::linear(&pooled, w, "pool").relu(), w, "ending");
        Answers {
            moves,
            endings: ending.to_kind(Kind::Float),
        }
    }

    fn convolutions(&self, x: &Tensor, w: &Weights, name: &str, kind: char, mode: Mode) -> Tensor {
        let y = self.convolve(x, w, &format!("{name}.first"), true, mode);
        let second = format!("{name}.second");
        if kind == 'r' {
            // On a GPU in one pass over the boards, as far as nothing is to be learned.
            if let Some(shift) = w.by_name.get(&format!("{second}_norm.shift"))
                && self.device.is_cuda()
            {
                let (weight, same) = (w.get(&format!("{second}.weight")), [1, 1]);
                return y.cudnn_convolution_add_relu(
                    weight,
                    x,
                    1.0,
                    Some(shift),
                    same,
                    same,
                    same,
                    1,
                );
            }
            return (self.convolve(&y, w, &second, false, mode) + x).relu_();
        }
        let y = self.convolve(&y, w, &second, false, mode);
        let pooled = y.mean_dim(Some([2, 3].as_slice()), false, None::<Kind>);
        let scale = Self::linear(&pooled, w, &format!("{name}.squeeze")).relu();
        let scale = Self::linear(&scale, w, &format!("{name}.scale")).sigmoid();
        x.addcmul(&y, &scale.unsqueeze(-1).unsqueeze(-1)).relu_()
    }

    fn attention(&self, x: &Tensor, w: &Weights, name: &str) -> Tensor {
        let (count, width, heads) = (
            x.size()[0],
            self.shape.width as i64,
            self.shape.heads as i64,
        );
        let y = self.layer_norm(x, w, &format!("{name}.look_norm"));
        let y = Self::linear(&y, w, &format!("{name}.look"));
        let y = y
            .view([count, 64, 3, heads, width / heads])
            .permute([2, 0, 3, 1, 4]);
        let bias = w
            .get(&format!("{name}.distances"))
            .index_select(1, &self.ways);
        let y = Tensor::scaled_dot_product_attention(
            &y.get(0),
            &y.get(1),
            &y.get(2),
            Some(
                &bias
                    .view([1, heads, 64, 64])
                    .expand([count, heads, 64, 64], false),
            ),
            0.0,
            false,
            None,
            false,
        );
        let y = y.transpose(1, 2).reshape([count, 64, width]);
        let x = x + Self::linear(&y, w, &format!("{name}.gather"));
        let y = self.layer_norm(&x, w, &format!("{name}.widen_norm"));
        let y = Self::linear(&y, w, &format!("{name}.widen")).gelu("none");
        x + Self::linear(&y, w, &format!("{name}.narrow"))
    }
}
