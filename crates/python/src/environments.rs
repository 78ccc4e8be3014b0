use std::{
    path::PathBuf,
    process,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use learn::chess::{Arrays, Autoreset, Environments as Inner};
use play::{Dice, derived_seed};
use pyo3::{exceptions::PyRuntimeError, prelude::*};

use crate::{
    arrays::{Numbers, readable, slice, slice_mut, with_numbers, writable},
    environment::{ending, name},
    errors::{OrRaise as _, caught},
    resources::Shelf,
};

/// Many environments of one setup, stepped together on all cores.
#[pyclass(module = "lucena._lucena")]
pub struct Environments {
    /// Never contended: players can be sent to other threads, but not shared.
    inner: Mutex<Inner>,
    /// Random actions drawn so far, so that the next ones are others.
    drawn: u64,
}

#[pymethods]
impl Environments {
    #[new]
    #[pyo3(signature = (settings, count, seed=0, autoreset="next-step", tables=None))]
    fn new(
        py: Python<'_>,
        settings: Vec<(String, String)>,
        count: usize,
        seed: u64,
        autoreset: &str,
        tables: Option<PathBuf>,
    ) -> PyResult<Environments> {
        own_pool()?;
        let autoreset: Autoreset = autoreset.parse().or_raise()?;
        let setup = Shelf::new(tables)?.setup(py, &settings)?;
        let inner = py.detach(|| caught(|| Inner::new(setup, count, seed, autoreset)))?;
        Ok(Environments {
            inner: Mutex::new(inner.or_raise()?),
            drawn: 0,
        })
    }

    /// How many environments there are.
    fn __len__(&mut self) -> usize {
        self.count()
    }

    /// The shape of one observation.
    #[getter]
    fn observation_shape(&mut self) -> Vec<usize> {
        self.inner().setup().observation.shape()
    }

    /// The smallest kind of number that holds every value of an observation.
    #[getter]
    fn observation_dtype(&mut self) -> &'static str {
        self.inner().setup().observation.dtype()
    }

    /// The least and the greatest value of an observation.
    #[getter]
    fn observation_bounds(&mut self) -> (f32, f32) {
        self.inner().setup().observation.bounds()
    }

    /// How many actions there are.
    #[getter]
    fn action_count(&mut self) -> usize {
        self.inner().setup().actions.count()
    }

    /// Does a learner that plays here see exact answers?
    #[getter]
    fn sees_exact_answers(&mut self) -> bool {
        self.inner().setup().sees_exact_answers()
    }

    /// Begins a new game in each, or in those that `which` names, with new chances where a seed is
    /// given.
    #[pyo3(signature = (seed, observations, masks, which=None))]
    fn reset(
        &mut self,
        py: Python<'_>,
        seed: Option<u64>,
        observations: &Bound<'_, PyAny>,
        masks: &Bound<'_, PyAny>,
        which: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        own_pool()?;
        let count = self.count();
        let (seen, acted) = self.lengths();
        let mut numbers = Numbers::new("observations", observations, &self.shape())?;
        let mut masks = writable("masks", masks, &[count, acted])?;
        let masks = slice_mut(&mut masks)?;
        let which = which.map(|which| readable("which", which, &[count]));
        let which = which.transpose()?;
        let which: Option<&[bool]> = which.as_ref().map(slice).transpose()?;
        let inner = self.inner();
        with_numbers!(&mut numbers, |observations| py.detach(|| {
            caught(|| match which {
                None => inner.reset(seed, observations, masks),
                Some(which) => {
                    let rows = observations
                        .chunks_exact_mut(seen)
                        .zip(masks.chunks_exact_mut(acted));
                    for (index, (observation, mask)) in rows.enumerate() {
                        let environment = inner.environment_mut(index);
                        let Some(environment) = environment.filter(|_| which[index]) else {
                            continue;
                        };
                        if let Some(seed) = seed {
                            environment.seed(derived_seed(seed, index as u64));
                        }
                        environment.reset()?;
                        environment.observe(observation);
                        environment.mask(mask);
                    }
                    Ok(())
                }
            })
        })?)
        .or_raise()
    }

    /// One action in each environment.
    #[pyo3(signature = (actions, observations, masks, rewards, terminated, truncated, last_observations=None))]
    #[allow(clippy::too_many_arguments)] // one for each array
    fn step(
        &mut self,
        py: Python<'_>,
        actions: &Bound<'_, PyAny>,
        observations: &Bound<'_, PyAny>,
        masks: &Bound<'_, PyAny>,
        rewards: &Bound<'_, PyAny>,
        terminated: &Bound<'_, PyAny>,
        truncated: &Bound<'_, PyAny>,
        last_observations: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        own_pool()?;
        let count = self.count();
        let actions = readable("actions", actions, &[count])?;
        let actions = slice(&actions)?;
        let mut numbers = Numbers::new("observations", observations, &self.shape())?;
        let mut masks = writable("masks", masks, &[count, self.lengths().1])?;
        let masks = slice_mut(&mut masks)?;
        let mut rewards = writable("rewards", rewards, &[count])?;
        let rewards = slice_mut(&mut rewards)?;
        let mut terminated = writable("terminated", terminated, &[count])?;
        let terminated = slice_mut(&mut terminated)?;
        let mut truncated = writable("truncated", truncated, &[count])?;
        let truncated = slice_mut(&mut truncated)?;
        let shape = self.shape();
        let inner = self.inner();
        /// The same kind of numbers as those of another array.
        fn like<'py, T: numpy::Element>(
            _: &[T],
            array: Option<&Bound<'py, PyAny>>,
            shape: &[usize],
        ) -> PyResult<Option<numpy::PyReadwriteArrayDyn<'py, T>>> {
            let array = array.map(|array| writable("last_observations", array, shape));
            array.transpose()
        }
        with_numbers!(&mut numbers, |observations| {
            let mut last = like(observations, last_observations, &shape)?;
            let last_observations = last.as_mut().map(slice_mut).transpose()?;
            py.detach(|| {
                caught(|| {
                    let arrays = Arrays {
                        observations,
                        masks,
                        rewards,
                        terminated,
                        truncated,
                        last_observations,
                    };
                    inner.step(actions, arrays)
                })
            })?
        })
        .or_raise()
    }

    /// Writes an action of a random legal move of each environment; 0 where the game is over.
    fn random_actions(&mut self, seed: u64, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut actions = writable::<i64>("actions", actions, &[self.count()])?;
        let actions = slice_mut(&mut actions)?;
        let seed = derived_seed(seed, self.drawn);
        self.drawn += 1;
        let each = actions.iter_mut().zip(self.inner().environments());
        for (index, (action, environment)) in each.enumerate() {
            let moves = environment.legal_moves();
            let legal = moves.len() + usize::from(environment.may_claim());
            let chosen = Dice::new(derived_seed(seed, index as u64)).below(legal.max(1));
            let chosen = match moves.get(chosen) {
                Some(&m) => environment.action(m),
                None => environment.setup().actions.claim().unwrap_or(0),
            };
            *action = if legal == 0 { 0 } else { chosen as i64 };
        }
        Ok(())
    }

    /// The position on each board.
    fn fens(&mut self) -> Vec<String> {
        let games = self.inner().environments().iter();
        games.map(|e| e.game().position().fen()).collect()
    }

    /// Each board drawn with letters.
    fn diagrams(&mut self) -> Vec<String> {
        let games = self.inner().environments().iter();
        games.map(|e| e.game().position().diagram()).collect()
    }

    /// The side to move in each.
    fn turns(&mut self) -> Vec<&'static str> {
        let games = self.inner().environments().iter();
        games.map(|e| name(e.turn())).collect()
    }

    /// The winner, if there is one, and the reason of each game that is over; none of others.
    #[allow(clippy::type_complexity)] // a winner and a reason
    fn outcomes(&mut self) -> Vec<Option<(Option<&'static str>, &'static str)>> {
        let games = self.inner().environments().iter();
        games.map(|e| e.outcome().map(ending)).collect()
    }

    /// The learner's colour in each; none where the caller moves for both sides.
    fn learners(&mut self) -> Vec<Option<&'static str>> {
        let games = self.inner().environments().iter();
        games.map(|e| e.learner().map(name)).collect()
    }

    /// Plies of each game so far.
    fn plies(&mut self) -> Vec<usize> {
        let games = self.inner().environments().iter();
        games.map(|e| e.plies()).collect()
    }
}

impl Environments {
    fn inner(&mut self) -> &mut Inner {
        self.inner.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&mut self) -> usize {
        self.inner().environments().len()
    }

    /// Numbers of an observation, and of a mask.
    fn lengths(&mut self) -> (usize, usize) {
        let setup = self.inner().setup();
        (setup.observation.len(), setup.actions.count())
    }

    fn shape(&mut self) -> Vec<usize> {
        let mut shape = vec![self.count()];
        shape.extend(self.inner().setup().observation.shape());
        shape
    }
}

/// Refuses to wait for ever: the threads that share the work do not survive a fork.
pub fn own_pool() -> PyResult<()> {
    static OWNER: AtomicU32 = AtomicU32::new(0);
    let me = process::id();
    let owner = OWNER.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed);
    match owner {
        Ok(_) => Ok(()),
        Err(owner) if owner == me => Ok(()),
        Err(_) => Err(PyRuntimeError::new_err(
            "this process was forked from one whose threads Lucena had used, and threads do not \
             survive a fork: start processes with multiprocessing's 'spawn' or 'forkserver'",
        )),
    }
}
