use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use learn::chess::{Act, Environment as Inner};
use numpy::{IntoPyArray as _, PyArray1};
use pyo3::prelude::*;
use rules::{Color, Game, Outcome, Pgn, Position};

use crate::{
    arrays::{Numbers, slice_mut, with_numbers, writable},
    errors::{IllegalActionError, OrRaise as _, SettingsError, caught, whole_number},
    resources::Shelf,
};

/// One game after another, seen and played through numbers.
#[pyclass(module = "lucena._lucena")]
pub struct Environment {
    /// Never contended: players can be sent to other threads, but not shared.
    inner: Mutex<Inner>,
}

#[pymethods]
impl Environment {
    #[new]
    #[pyo3(signature = (settings, seed=0, tables=None))]
    fn new(
        py: Python<'_>,
        settings: Vec<(String, String)>,
        seed: u64,
        tables: Option<PathBuf>,
    ) -> PyResult<Environment> {
        let setup = Shelf::new(tables)?.setup(py, &settings)?;
        let inner = py
            .detach(|| caught(|| Inner::new(setup, seed)))?
            .or_raise()?;
        Ok(Environment {
            inner: Mutex::new(inner),
        })
    }

    /// The shape of an observation.
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

    /// Begins a new game, with new chances where a seed is given, from a position where one is given.
    #[pyo3(signature = (seed=None, fen=None))]
    fn reset(&mut self, py: Python<'_>, seed: Option<u64>, fen: Option<&str>) -> PyResult<()> {
        let position = fen.map(Position::from_fen).transpose().or_raise()?;
        let inner = self.inner();
        py.detach(|| {
            caught(|| {
                if let Some(seed) = seed {
                    inner.seed(seed);
                }
                match position {
                    Some(position) => inner.reset_to(position),
                    None => inner.reset(),
                }
            })
        })?
        .or_raise()
    }

    /// Plays an action: the rewards of the side that acted and of the other, whether the game is over,
    /// and whether it was cut off.
    fn step(
        &mut self,
        py: Python<'_>,
        action: &Bound<'_, PyAny>,
    ) -> PyResult<(f32, f32, bool, bool)> {
        let action = whole_number(action, "the action")?;
        let inner = self.inner();
        let step = py.detach(|| caught(|| inner.step(action)))?.or_raise()?;
        Ok((
            step.reward,
            step.other_reward,
            step.terminated,
            step.truncated,
        ))
    }

    /// Writes what the side to move sees, or the side that is named.
    #[pyo3(signature = (out, viewer=None))]
    fn observe(&mut self, out: &Bound<'_, PyAny>, viewer: Option<&str>) -> PyResult<()> {
        let shape = self.inner().setup().observation.shape();
        let mut numbers = Numbers::new("the observation", out, &shape)?;
        let viewer = viewer.map(color).transpose()?;
        with_numbers!(&mut numbers, |slice| match viewer {
            None => self.inner().observe(slice),
            Some(viewer) => self.inner().observe_as(viewer, slice),
        });
        Ok(())
    }

    /// Writes which actions are legal.
    fn mask(&mut self, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut out = writable("the mask", out, &[self.action_count()])?;
        self.inner().mask(slice_mut(&mut out)?);
        Ok(())
    }

    /// The legal actions, each once, in ascending order.
    fn legal_actions<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let actions = self.inner().legal_actions().map(|action| action as i64);
        let mut actions: Vec<i64> = actions.collect();
        actions.sort_unstable();
        actions.dedup();
        actions.into_pyarray(py)
    }

    /// The legal moves in UCI notation.
    fn legal_moves(&mut self) -> Vec<String> {
        let inner = self.inner();
        let position = inner.game().position();
        let moves = inner.legal_moves().iter();
        moves.map(|&m| position.uci(m)).collect()
    }

    /// The number of a legal move in UCI notation.
    fn action(&mut self, uci: &str) -> PyResult<usize> {
        let inner = self.inner();
        let position = inner.game().position();
        let m = position
            .parse_uci(uci)
            .filter(|m| inner.legal_moves().contains(m));
        let m = m.ok_or_else(|| {
            IllegalActionError::new_err(format!("the move {uci} is not legal in {position}"))
        })?;
        Ok(inner.action(m))
    }

    /// The move in UCI notation that a legal action stands for; `claim` for the claim of a draw.
    fn uci(&mut self, action: &Bound<'_, PyAny>) -> PyResult<String> {
        let action = whole_number(action, "the action")?;
        let inner = self.inner();
        Ok(match inner.act(action).or_raise()? {
            Act::Play(m) => inner.game().position().uci(m),
            Act::ClaimDraw => "claim".to_owned(),
        })
    }

    /// The position on the board.
    #[getter]
    fn fen(&mut self) -> String {
        self.inner().game().position().fen()
    }

    /// The size of the board.
    #[getter]
    fn board(&mut self) -> usize {
        self.inner().game().position().board().size()
    }

    /// The side to move.
    #[getter]
    fn turn(&mut self) -> &'static str {
        name(self.inner().turn())
    }

    /// The learner's colour; none where the caller moves for both sides.
    #[getter]
    fn learner(&mut self) -> Option<&'static str> {
        self.inner().learner().map(name)
    }

    /// Plies played since the last reset.
    #[getter]
    fn plies(&mut self) -> usize {
        self.inner().plies()
    }

    /// The winner, if there is one, and the reason; none while the game goes on.
    #[getter]
    fn outcome(&mut self) -> Option<(Option<&'static str>, &'static str)> {
        self.inner().outcome().map(ending)
    }

    /// The first position and the moves since, in UCI notation.
    fn line(&mut self) -> (String, Vec<String>) {
        let game = self.inner().game();
        (game.start().fen(), moves(game))
    }

    /// The game so far as PGN.
    #[pyo3(signature = (white="?", black="?"))]
    fn pgn(&mut self, white: &str, black: &str) -> PyResult<String> {
        let mut pgn = Pgn::new(self.inner().game().clone());
        if let Some(outcome) = self.inner().outcome() {
            pgn.result = outcome.into();
        }
        for (tag, value) in [("White", white), ("Black", black)] {
            let refused = |error: rules::TagError| SettingsError::new_err(error.to_string());
            pgn.tags.set(tag, value).map_err(refused)?;
        }
        Ok(pgn.to_string())
    }

    /// The board drawn with letters.
    fn diagram(&mut self) -> String {
        self.inner().game().position().diagram()
    }
}

impl Environment {
    fn inner(&mut self) -> &mut Inner {
        self.inner.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The game so far.
    pub fn game(&mut self) -> &Game {
        self.inner().game()
    }
}

/// A side by its name.
pub fn color(name: &str) -> PyResult<Color> {
    match name {
        "white" => Ok(Color::White),
        "black" => Ok(Color::Black),
        _ => Err(SettingsError::new_err(format!(
            "there is no side '{name}', expected white or black"
        ))),
    }
}

/// The name of a side.
pub fn name(color: Color) -> &'static str {
    color.fold_wb("white", "black")
}

/// How a game ended: the winner and the reason.
pub fn ending(outcome: Outcome) -> (Option<&'static str>, &'static str) {
    (outcome.winner.map(name), outcome.reason.id())
}

/// The moves of a game in UCI notation.
pub fn moves(game: &Game) -> Vec<String> {
    let positions = game.positions().zip(game.moves());
    positions.map(|(position, m)| position.uci(m)).collect()
}
