use std::{path::PathBuf, sync::Mutex, sync::PoisonError, time::Duration};

use play::{Choice, Limits, Nature, PlayerSpec, Score, Wish};
use pyo3::{prelude::*, types::PyDict};
use rules::{Game, Position, Rules};

use crate::{
    environment::Environment,
    errors::{OrRaise as _, PlayerError, PositionError},
    long_call::long_call,
    resources::Shelf,
};

/// A player by its text.
#[pyclass(module = "lucena._lucena")]
pub struct Player {
    spec: PlayerSpec,
    inner: Mutex<Box<dyn play::Player>>,
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (text, seed=0, tables=None))]
    fn new(py: Python<'_>, text: &str, seed: u64, tables: Option<PathBuf>) -> PyResult<Player> {
        let shelf = Shelf::new(tables)?;
        let spec = py.detach(|| shelf.player(text))?;
        let inner = Mutex::new(spec.player(seed));
        Ok(Player { spec, inner })
    }

    /// The text it was read from.
    #[getter]
    fn text(&self) -> &str {
        self.spec.text()
    }

    /// What its move depends on: `policy` for the position alone, else `history` or `chance`.
    #[getter]
    fn nature(&mut self) -> &'static str {
        match self.player().nature() {
            Nature::Position => "policy",
            Nature::History => "history",
            Nature::Chance => "chance",
        }
    }

    /// Says that the next choice belongs to another game.
    fn new_game(&mut self) {
        self.player().new_game();
    }

    /// Chooses a move in the position after `moves` were played from `fen`.
    #[pyo3(signature = (fen, moves=None, depth=None, nodes=None, movetime=None))]
    fn choose<'py>(
        &mut self,
        py: Python<'py>,
        fen: &str,
        moves: Option<Vec<String>>,
        depth: Option<u32>,
        nodes: Option<u64>,
        movetime: Option<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut game = Game::new(Position::from_fen(fen).or_raise()?, Rules::default());
        for text in moves.unwrap_or_default() {
            let m = game.position().parse_uci(&text);
            let m = m.ok_or_else(|| {
                let position = game.position();
                PositionError::new_err(format!("the move {text} is not legal in {position}"))
            })?;
            game.play_legal(m);
        }
        let time = movetime.map(Duration::try_from_secs_f64).transpose();
        let time = time.map_err(|error| PlayerError::new_err(format!("movetime: {error}")))?;
        self.ask(py, &game, Limits { depth, nodes, time })
    }

    /// Chooses a move in the game of an environment.
    fn choose_in<'py>(
        &mut self,
        py: Python<'py>,
        environment: &mut Environment,
    ) -> PyResult<Bound<'py, PyDict>> {
        let game = environment.game().clone();
        self.ask(py, &game, Limits::NONE)
    }
}

impl Player {
    pub fn spec(&self) -> &PlayerSpec {
        &self.spec
    }

    fn player(&mut self) -> &mut Box<dyn play::Player> {
        self.inner.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask<'py>(
        &mut self,
        py: Python<'py>,
        game: &Game,
        limits: Limits,
    ) -> PyResult<Bound<'py, PyDict>> {
        let player = self.player();
        let choice: Choice = long_call(
            py,
            |caller: &crate::long_call::Caller<()>| {
                let wish = Wish {
                    limits,
                    stop: caller.stop(),
                    only: &[],
                    lines: 1,
                };
                player.analyse(game, &wish, &mut |_, _| {})
            },
            |_, ()| Ok(()),
        )?
        .or_raise()?;
        let (position, info) = (game.position(), &choice.info);
        let answer = PyDict::new(py);
        answer.set_item("move", position.uci(choice.mv))?;
        let (centipawns, mate) = match info.score {
            Some(Score::Centipawns(score)) => (Some(score), None),
            Some(Score::Mate(moves)) => (None, Some(moves)),
            None => (None, None),
        };
        answer.set_item("centipawns", centipawns)?;
        answer.set_item("mate", mate)?;
        answer.set_item("depth", info.depth)?;
        answer.set_item("nodes", info.nodes)?;
        let wdl = info.wdl.map(|wdl| (wdl.win, wdl.draw, wdl.loss));
        answer.set_item("wdl", wdl)?;
        let visits = PyDict::new(py);
        for &(m, count) in &info.visits {
            visits.set_item(position.uci(m), count)?;
        }
        answer.set_item("visits", visits)?;
        let (mut position, mut line) = (position.clone(), Vec::new());
        for &m in &info.pv {
            line.push(position.uci(m));
            position.play(m);
        }
        answer.set_item("line", line)?;
        answer.set_item("unvisited", info.unvisited)?;
        Ok(answer)
    }
}

/// Every kind of player: name, what it is, and its settings with their meanings.
#[pyfunction]
#[allow(clippy::type_complexity)] // a list to be printed
pub fn players() -> PyResult<Vec<(String, String, Vec<(String, String)>)>> {
    let shelf = Shelf::new(None)?;
    let kinds = shelf.registry.kinds().iter();
    Ok(kinds
        .map(|kind| {
            let keys = kind.keys.iter();
            let keys = keys.map(|key| (key.name.to_owned(), key.meaning.to_owned()));
            (
                kind.name.to_owned(),
                kind.summary.to_owned(),
                keys.collect(),
            )
        })
        .collect())
}
