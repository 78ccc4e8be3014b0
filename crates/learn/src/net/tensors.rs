//! Weights by name: the one way from a module to a record or a file and back.
//!
//! The tables of a module are named after its fields (`blocks.3.bias`) and come in their order. A
//! record of a checkpoint has the numbers alone, in that order, because it is read by what wrote it. A
//! file is safetensors, with names, shapes and a text that says what it is.

use std::collections::HashMap;

use burn::{
    module::{Module, ModuleMapper, ModuleVisitor, Param},
    tensor::{Device, Tensor, TensorData},
};
use safetensors::{
    SafeTensors,
    tensor::{Dtype, TensorView, serialize},
};

use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// The key of our text among the file's metadata. One key alone, because their order is not fixed.
const ABOUT: &str = "lucena";

/// Tensors by name, in the order in which they were added.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tensors {
    tensors: Vec<(String, Stored)>,
}

/// A tensor as it is stored.
#[derive(Clone, PartialEq, Debug)]
enum Stored {
    Numbers { shape: Vec<usize>, values: Vec<f32> },
    Bytes(Vec<u8>),
}

impl Tensors {
    /// The tables of a module.
    pub fn of(module: &impl Module) -> Tensors {
        let mut collect = Collect::default();
        module.visit(&mut collect);
        collect.found
    }

    /// A module of the same form with these tables, on the device where it was.
    ///
    /// # Errors
    /// When a table is missing or of another shape.
    pub fn into_module<M: Module>(&self, module: M) -> Result<M, LearnError> {
        let mut put = Put {
            path: Vec::new(),
            next: |name: &str, shape: &[usize]| {
                let (expected, values) = self.shaped(name).ok_or(LearnError::Weights)?;
                let fits = expected == shape && values.iter().all(|value| value.is_finite());
                fits.then(|| values.to_vec()).ok_or(LearnError::Weights)
            },
            error: None,
        };
        let module = module.map(&mut put);
        put.error.map_or(Ok(module), Err)
    }

    /// Adds a tensor of numbers.
    pub fn add(&mut self, name: impl Into<String>, shape: Vec<usize>, values: Vec<f32>) {
        let stored = Stored::Numbers { shape, values };
        self.tensors.push((name.into(), stored));
    }

    /// Adds a row of bytes.
    pub fn add_bytes(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        self.tensors.push((name.into(), Stored::Bytes(bytes)));
    }

    /// The numbers of a tensor.
    pub fn numbers(&self, name: &str) -> Option<&[f32]> {
        self.shaped(name).map(|(_, values)| values)
    }

    /// The bytes of a tensor.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        match self.find(name)? {
            Stored::Bytes(bytes) => Some(bytes),
            Stored::Numbers { .. } => None,
        }
    }

    fn shaped(&self, name: &str) -> Option<(&[usize], &[f32])> {
        match self.find(name)? {
            Stored::Numbers { shape, values } => Some((shape, values)),
            Stored::Bytes(_) => None,
        }
    }

    fn find(&self, name: &str) -> Option<&Stored> {
        let found = self.tensors.iter().find(|(known, _)| known == name);
        found.map(|(_, stored)| stored)
    }

    /// The tensors as a file that says `about` itself.
    pub fn to_file(&self, about: &str) -> Vec<u8> {
        let stored = self.tensors.iter().map(|(name, stored)| match stored {
            Stored::Numbers { shape, values } => {
                let bytes = values.iter().flat_map(|value| value.to_le_bytes());
                (name, Dtype::F32, shape.clone(), bytes.collect())
            }
            Stored::Bytes(bytes) => (name, Dtype::U8, vec![bytes.len()], bytes.clone()),
        });
        let stored: Vec<(_, _, _, Vec<u8>)> = stored.collect();
        let views = stored.iter().map(|(name, dtype, shape, bytes)| {
            let view = TensorView::new(*dtype, shape.clone(), bytes);
            (name, view.expect("as many bytes as the shape says"))
        });
        let about = HashMap::from([(ABOUT.to_owned(), about.to_owned())]);
        serialize(views, Some(about)).expect("a file in memory")
    }

    /// What a file says about itself.
    ///
    /// # Errors
    /// When it is damaged or not one of ours.
    pub fn about(file: &[u8]) -> Result<String, LearnError> {
        let (_, metadata) = SafeTensors::read_metadata(file).map_err(|_| LearnError::Weights)?;
        let about = metadata.metadata().as_ref().and_then(|map| map.get(ABOUT));
        about.cloned().ok_or(LearnError::Weights)
    }

    /// Reads a file: what it says about itself, and its tensors.
    ///
    /// # Errors
    /// When it is damaged or not one of ours.
    pub fn from_file(file: &[u8]) -> Result<(String, Tensors), LearnError> {
        let damaged = |_| LearnError::Weights;
        let about = Tensors::about(file)?;
        let mut tensors = Tensors::default();
        for (name, view) in SafeTensors::deserialize(file).map_err(damaged)?.iter() {
            match view.dtype() {
                Dtype::F32 => {
                    let (values, _) = view.data().as_chunks();
                    let values = values.iter().map(|&value| f32::from_le_bytes(value));
                    tensors.add(name, view.shape().to_vec(), values.collect());
                }
                Dtype::U8 => tensors.add_bytes(name, view.data().to_vec()),
                _ => return Err(LearnError::Weights),
            }
        }
        Ok((about, tensors))
    }
}

/// Writes the tables of a module to a record.
pub(super) fn save(module: &impl Module, out: &mut Writer) {
    for (_, stored) in Tensors::of(module).tensors {
        if let Stored::Numbers { values, .. } = stored {
            out.weights(&values);
        }
    }
}

/// A module of the same form with the tables of a record, on the device where it was.
///
/// # Errors
/// When the record does not fit.
pub(super) fn load<M: Module>(module: M, from: &mut Reader<'_>) -> Result<M, LearnError> {
    let mut put = Put {
        path: Vec::new(),
        next: |_: &str, shape: &[usize]| from.weights(shape.iter().product()),
        error: None,
    };
    let module = module.map(&mut put);
    put.error.map_or(Ok(module), Err)
}

/// A tensor as plain numbers.
pub(super) fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    let data = tensor.into_data().convert::<f32>();
    data.try_to_vec().expect("weights are numbers")
}

/// The tables of a module that are trained: their sizes, and where they are.
pub(super) fn trained(module: &impl Module) -> Vec<(usize, Device)> {
    let mut trained = Trained::default();
    module.visit(&mut trained);
    trained.tables
}

/// The tables of a module that are trained, each as one row.
#[cfg(feature = "libtorch")]
pub(super) fn flat(module: &impl Module) -> Vec<Tensor<1>> {
    #[derive(Default)]
    struct Flat(Vec<Tensor<1>>);
    impl ModuleVisitor for Flat {
        fn visit_float<const D: usize>(&mut self, table: &Param<Tensor<D>>) {
            if table.is_require_grad() {
                let weights = table.val().inner();
                let size: usize = weights.dims().iter().product();
                self.0.push(weights.reshape([size]));
            }
        }
    }
    let mut flat = Flat::default();
    module.visit(&mut flat);
    flat.0
}

/// A module of the same form whose tables that are trained are these, each one row.
#[cfg(feature = "libtorch")]
pub(super) fn unflat<M: Module>(module: M, tables: impl Iterator<Item = Tensor<1>>) -> M {
    struct Unflat<I>(I);
    impl<I: Iterator<Item = Tensor<1>>> ModuleMapper for Unflat<I> {
        fn map_float<const D: usize>(&mut self, table: Param<Tensor<D>>) -> Param<Tensor<D>> {
            if !table.is_require_grad() {
                return table;
            }
            // There are as many as there are tables that are trained.
            let row = self.0.next().expect("a row for every table");
            let shape = table.val().dims();
            table.map(|_| Tensor::from_inner(row.reshape(shape)).require_grad())
        }
    }
    module.map(&mut Unflat(tables))
}

#[derive(Default)]
struct Trained {
    tables: Vec<(usize, Device)>,
}

impl ModuleVisitor for Trained {
    fn visit_float<const D: usize>(&mut self, table: &Param<Tensor<D>>) {
        if table.is_require_grad() {
            let weights = table.val().inner();
            let size = weights.dims().iter().product();
            self.tables.push((size, weights.device()));
        }
    }
}

/// The way to a field. Which of several forms something has is no part of it: its tables tell.
fn enter(path: &mut Vec<String>, name: &str, kind: &str) {
    if !kind.starts_with("Enum:") {
        path.push(name.to_owned());
    }
}

fn exit(path: &mut Vec<String>, kind: &str) {
    if !kind.starts_with("Enum:") {
        path.pop();
    }
}

/// Finds the tables of a module.
#[derive(Default)]
struct Collect {
    path: Vec<String>,
    found: Tensors,
}

impl ModuleVisitor for Collect {
    fn enter_module(&mut self, name: &str, kind: &str) {
        enter(&mut self.path, name, kind);
    }

    fn exit_module(&mut self, _: &str, kind: &str) {
        exit(&mut self.path, kind);
    }

    fn visit_float<const D: usize>(&mut self, table: &Param<Tensor<D>>) {
        let tensor = table.val();
        let shape = tensor.dims().to_vec();
        self.found
            .add(self.path.join("."), shape, numbers(tensor.inner()));
    }
}

/// Puts other numbers into the tables of a module: `next` gives those of a table by its name and shape.
struct Put<F> {
    path: Vec<String>,
    next: F,
    /// The first thing that went wrong; nothing is put after it.
    error: Option<LearnError>,
}

impl<F: FnMut(&str, &[usize]) -> Result<Vec<f32>, LearnError>> ModuleMapper for Put<F> {
    fn enter_module(&mut self, name: &str, kind: &str) {
        enter(&mut self.path, name, kind);
    }

    fn exit_module(&mut self, _: &str, kind: &str) {
        exit(&mut self.path, kind);
    }

    fn map_float<const D: usize>(&mut self, table: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if self.error.is_some() {
            return table;
        }
        let shape = table.lazy_shape().to_vec();
        match (self.next)(&self.path.join("."), &shape) {
            Ok(values) => {
                let values = TensorData::new(values, shape);
                let values = Tensor::from_data(values, &table.lazy_device());
                let id = table.id;
                table.transform_for_load(values, id)
            }
            Err(error) => {
                self.error = Some(error);
                table
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::device;

    #[derive(Module, Debug)]
    struct Pair {
        first: Param<Tensor<2>>,
        rest: Vec<Param<Tensor<1>>>,
    }

    fn pair(from: f32) -> Pair {
        let device = device::cpu().autodiff();
        let vector = |from: f32| Param::from_data([from, from + 1.0], &device);
        Pair {
            first: Param::from_data([[from, from + 1.0, from + 2.0]], &device),
            rest: vec![vector(from + 3.0), vector(from + 5.0)],
        }
    }

    #[test]
    fn tables_are_named_after_fields_and_come_in_their_order() {
        let tensors = Tensors::of(&pair(1.0));
        let names: Vec<_> = tensors.tensors.iter().map(|(name, _)| &name[..]).collect();
        assert_eq!(names, ["first", "rest.0", "rest.1"]);
        assert_eq!(
            tensors.shaped("first"),
            Some((&[1, 3][..], &[1.0, 2.0, 3.0][..]))
        );
        assert_eq!(tensors.numbers("rest.1"), Some(&[6.0, 7.0][..]));
    }

    #[test]
    fn a_file_holds_a_module() {
        let file = Tensors::of(&pair(1.0)).to_file("a pair");
        let (about, read) = Tensors::from_file(&file).unwrap();
        assert_eq!(about, "a pair");
        let other = read.into_module(pair(9.0)).unwrap();
        assert_eq!(Tensors::of(&other), Tensors::of(&pair(1.0)));
        // What was trained is trained on.
        assert!(other.first.is_require_grad());
        assert!(
            !read
                .into_module(pair(9.0).valid())
                .unwrap()
                .first
                .is_require_grad()
        );
        for length in 0..file.len() {
            assert!(Tensors::from_file(&file[..length]).is_err());
        }
    }

    #[test]
    fn a_file_of_another_network_is_refused() {
        let mut tensors = Tensors::of(&pair(1.0));
        tensors.tensors.pop();
        assert!(tensors.into_module(pair(9.0)).is_err());
        tensors.add("rest.1", vec![3], vec![0.0; 3]);
        assert!(tensors.into_module(pair(9.0)).is_err());
    }

    #[test]
    fn a_record_holds_the_numbers_alone() {
        let mut out = Writer::default();
        save(&pair(1.0), &mut out);
        let record = out.into_bytes();
        assert_eq!(record.len(), 3 * 8 + 7 * 4);
        let other = load(pair(9.0), &mut Reader::new(&record)).unwrap();
        assert_eq!(Tensors::of(&other), Tensors::of(&pair(1.0)));
        for length in 0..record.len() {
            assert!(load(pair(9.0), &mut Reader::new(&record[..length])).is_err());
        }
    }
}
