use std::{fmt, str::FromStr, sync::Arc};

use play::derived_seed;
use rayon::prelude::*;

use super::{Act, ChessError, Environment, Number, Setup, Step};

/// Many environments of one setup, stepped together on all cores of rayon's pool.
///
/// Environment `i` draws its random numbers from a stream of its own, which follows from the seed and
/// `i`: what happens does not depend on the number of threads, nor on how many environments there
/// are. Results are written into arrays of the caller's.
pub struct Environments {
    setup: Arc<Setup>,
    environments: Vec<Environment>,
    /// What each is about to do: checked for all before anything happens to one.
    acts: Vec<Option<Act>>,
    autoreset: Autoreset,
}

/// What happens to an environment whose game is over, in Gymnasium's words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Autoreset {
    /// `next-step`: the next step begins a new game and looks at no action; its reward is 0.
    #[default]
    NextStep,
    /// `same-step`: a new game begins within the step that ended the last one. The observation is
    /// the new game's; the last of the old game goes to [`Arrays::last_observations`].
    SameStep,
    /// `disabled`: nothing; a step is an error until the caller resets it.
    Disabled,
}

/// Where results go. Each array has one row an environment, of the length of the observation or mask
/// where it has more than one number.
pub struct Arrays<'a, T> {
    /// What the side to move sees after the step.
    pub observations: &'a mut [T],
    /// Its legal actions.
    pub masks: &'a mut [i8],
    /// Of the side that acted.
    pub rewards: &'a mut [f32],
    /// Has the game ended?
    pub terminated: &'a mut [bool],
    /// Was it cut off by the limit of moves?
    pub truncated: &'a mut [bool],
    /// With [`Autoreset::SameStep`], the last observation of a game that has ended; rows of others
    /// are left alone.
    pub last_observations: Option<&'a mut [T]>,
}

impl Environments {
    /// `count` environments whose chances follow from `seed`, each at the beginning of a game.
    ///
    /// # Errors
    /// When there is none, or no game can begin.
    pub fn new(
        setup: Setup,
        count: usize,
        seed: u64,
        autoreset: Autoreset,
    ) -> Result<Environments, ChessError> {
        if count == 0 {
            return Err(ChessError::Settings(
                "no environments were asked for".into(),
            ));
        }
        let setup = Arc::new(setup);
        let environments = (0..count)
            .into_par_iter()
            .map(|index| {
                let seed = derived_seed(seed, index as u64);
                Environment::new(setup.clone(), seed).map_err(|error| at(index, error))
            })
            .collect::<Result<Vec<Environment>, ChessError>>()?;
        Ok(Environments {
            setup,
            acts: vec![None; count],
            environments,
            autoreset,
        })
    }

    /// What they are.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// What happens when a game is over.
    pub fn autoreset(&self) -> Autoreset {
        self.autoreset
    }

    /// The environments, in order.
    pub fn environments(&self) -> &[Environment] {
        &self.environments
    }

    /// One of them, to be moved by hand.
    pub fn environment_mut(&mut self, index: usize) -> Option<&mut Environment> {
        self.environments.get_mut(index)
    }

    /// Begins a new game in each, with new chances where a seed is given, and writes observations and
    /// masks.
    ///
    /// # Errors
    /// When an array has another length, or no game can begin.
    pub fn reset<T: Number>(
        &mut self,
        seed: Option<u64>,
        observations: &mut [T],
        masks: &mut [i8],
    ) -> Result<(), ChessError> {
        let (seen, acted) = (self.setup.observation.len(), self.setup.actions.count());
        let count = self.environments.len();
        check("observations", observations.len(), count * seen)?;
        check("masks", masks.len(), count * acted)?;
        self.environments
            .par_iter_mut()
            .zip(observations.par_chunks_exact_mut(seen))
            .zip(masks.par_chunks_exact_mut(acted))
            .enumerate()
            .map(|(index, ((environment, observation), mask))| {
                if let Some(seed) = seed {
                    environment.seed(derived_seed(seed, index as u64));
                }
                environment.reset().map_err(|error| at(index, error))?;
                environment.observe(observation);
                environment.mask(mask);
                Ok(())
            })
            .reduce(|| Ok(()), Result::and)
    }

    /// One action in each environment.
    ///
    /// # Errors
    /// When an action is not legal or an array has another length; nothing has changed then. When an
    /// opponent cannot play on or no new game can begin; the other environments have gone on then.
    pub fn step<T: Number>(
        &mut self,
        actions: &[i64],
        arrays: Arrays<'_, T>,
    ) -> Result<(), ChessError> {
        let (seen, acted) = (self.setup.observation.len(), self.setup.actions.count());
        let count = self.environments.len();
        check("actions", actions.len(), count)?;
        check("observations", arrays.observations.len(), count * seen)?;
        check("masks", arrays.masks.len(), count * acted)?;
        check("rewards", arrays.rewards.len(), count)?;
        check("terminated", arrays.terminated.len(), count)?;
        check("truncated", arrays.truncated.len(), count)?;
        if let Some(last) = &arrays.last_observations {
            check("last_observations", last.len(), count * seen)?;
        }
        let autoreset = self.autoreset;
        self.environments
            .par_iter_mut()
            .zip(&mut self.acts)
            .zip(actions)
            .enumerate()
            .map(|(index, ((environment, act), &action))| {
                // A game that is over begins anew whatever the action.
                let begins = autoreset == Autoreset::NextStep && environment.outcome().is_some();
                *act = match begins {
                    true => None,
                    false => Some(environment.act(action).map_err(|error| at(index, error))?),
                };
                Ok::<(), ChessError>(())
            })
            .reduce(|| Ok(()), Result::and)?;
        let last: Vec<Option<&mut [T]>> = match arrays.last_observations {
            Some(last) => last.chunks_exact_mut(seen).map(Some).collect(),
            None => (0..count).map(|_| None).collect(),
        };
        let seen = arrays.observations.par_chunks_exact_mut(seen).zip(last);
        let ends = arrays.terminated.par_iter_mut().zip(arrays.truncated);
        self.environments
            .par_iter_mut()
            .zip(&self.acts)
            .zip(seen)
            .zip(arrays.masks.par_chunks_exact_mut(acted))
            .zip(arrays.rewards.par_iter_mut().zip(ends))
            .enumerate()
            .map(|(index, row)| {
                let ((((environment, act), (observation, last)), mask), results) = row;
                let (reward, (terminated, truncated)) = results;
                let step = match *act {
                    None => environment.reset().map(|()| Step::default()),
                    Some(act) => environment.perform(act),
                };
                let step = step.map_err(|error| at(index, error))?;
                (*reward, *terminated, *truncated) = (step.reward, step.terminated, step.truncated);
                if autoreset == Autoreset::SameStep && environment.outcome().is_some() {
                    if let Some(last) = last {
                        environment.observe(last);
                    }
                    environment.reset().map_err(|error| at(index, error))?;
                }
                environment.observe(observation);
                environment.mask(mask);
                Ok(())
            })
            .reduce(|| Ok(()), Result::and)
    }
}

/// The first of several errors is reported, whichever thread finds it.
fn at(index: usize, error: ChessError) -> ChessError {
    ChessError::At {
        index,
        source: Box::new(error),
    }
}

fn check(what: &'static str, found: usize, expected: usize) -> Result<(), ChessError> {
    if found == expected {
        return Ok(());
    }
    Err(ChessError::Length {
        what,
        expected,
        found,
    })
}

const NAMES: [(&str, Autoreset); 3] = [
    ("next-step", Autoreset::NextStep),
    ("same-step", Autoreset::SameStep),
    ("disabled", Autoreset::Disabled),
];

impl FromStr for Autoreset {
    type Err = ChessError;

    fn from_str(text: &str) -> Result<Autoreset, ChessError> {
        NAMES
            .into_iter()
            .find(|(name, _)| *name == text)
            .map(|(_, mode)| mode)
            .ok_or_else(|| {
                ChessError::unknown("autoreset mode", text, &NAMES.map(|(name, _)| name))
            })
    }
}

impl fmt::Display for Autoreset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.into_iter().find(|(_, mode)| mode == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}
