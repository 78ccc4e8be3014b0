use std::{path::PathBuf, sync::Arc};

use numpy::{IntoPyArray as _, PyArray1};
use pyo3::prelude::*;
use rules::{Board, Material, Position};
use truth::{SolveProgress, Tablebase, Verdict};

use crate::{
    environment::color,
    environments::own_pool,
    errors::{OrRaise as _, Raise as _, SettingsError, TableError},
    long_call::long_call,
    positions::Positions,
    resources::{Shelf, board, material},
};

/// An endgame solved exactly, with everything it can turn into.
#[pyclass(module = "lucena._lucena", frozen)]
pub struct Table {
    tables: Arc<Tablebase>,
    material: Material,
    board: Board,
}

/// Win, draw or loss of the side to move as 1, 0 or −1, and plies to mate, −1 for a draw.
type Value = (i8, i16);
/// Both of many positions.
type Values<'py> = (Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<i16>>);

fn value(verdict: Verdict) -> Value {
    let plies = verdict.plies().map_or(-1, |plies| plies as i16);
    (
        verdict
            .signed_plies()
            .map_or(0, |_| if verdict.is_win() { 1 } else { -1 }),
        plies,
    )
}

fn values<'py>(py: Python<'py>, all: impl Iterator<Item = Verdict>) -> Values<'py> {
    let (results, plies): (Vec<i8>, Vec<i16>) = all.map(value).unzip();
    (results.into_pyarray(py), plies.into_pyarray(py))
}

/// Solves an endgame, unless its table is there already, and all it can turn into.
#[pyfunction]
#[pyo3(signature = (endgame, board=8, tables=None, progress=None))]
pub fn solve(
    py: Python<'_>,
    endgame: &str,
    board: usize,
    tables: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Table> {
    own_pool()?;
    let (material, board) = (material(endgame)?, self::board(board)?);
    let tables = Shelf::new(tables)?.tables;
    let inner = tables.clone();
    long_call(
        py,
        move |caller| inner.ensure(material, board, &|step: SolveProgress| caller.tell(step)),
        move |py, step: SolveProgress| match &progress {
            None => Ok(()),
            Some(progress) => {
                let what = format!("{}: mates in {} plies", step.material, step.ply);
                progress.call1(py, (step.ply, None::<u64>, what)).map(drop)
            }
        },
    )?
    .or_raise()?;
    if material.men() < 3 {
        return Err(SettingsError::new_err(format!(
            "{material} has nothing to solve"
        )));
    }
    Ok(Table {
        tables,
        material,
        board,
    })
}

#[pymethods]
impl Table {
    /// The endgame.
    #[getter]
    fn endgame(&self) -> String {
        self.material.to_string()
    }

    /// The size of the board.
    #[getter]
    fn board(&self) -> usize {
        self.board.size()
    }

    /// The folder that the table is kept in.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.tables.folder().to_owned()
    }

    /// How many positions are won, drawn and lost, as JSON.
    fn statistics(&self) -> PyResult<String> {
        let table = self.table()?;
        serde_json::to_string(table.statistics())
            .map_err(|error| TableError::new_err(error.to_string()))
    }

    /// The value of a position.
    fn probe(&self, fen: &str) -> PyResult<Value> {
        let position = Position::from_fen(fen).or_raise()?;
        Ok(value(self.verdict(&position)?))
    }

    /// The values of many positions.
    fn probe_many<'py>(&self, py: Python<'py>, positions: &Positions) -> PyResult<Values<'py>> {
        let verdicts = positions
            .list()
            .iter()
            .map(|position| self.verdict(position));
        let verdicts: Vec<Verdict> = verdicts.collect::<PyResult<_>>()?;
        Ok(values(py, verdicts.into_iter()))
    }

    /// Every legal move with its value for the side that plays it, best first.
    fn moves(&self, fen: &str) -> PyResult<Vec<(String, Option<Value>)>> {
        let position = Position::from_fen(fen).or_raise()?;
        let moves = self.tables.moves(&position).or_raise()?.into_iter();
        Ok(moves
            .map(|m| (position.uci(m.mv), m.verdict.map(value)))
            .collect())
    }

    /// Perfect play to the mate; empty when the position is drawn.
    fn line(&self, fen: &str) -> PyResult<Vec<String>> {
        let mut position = Position::from_fen(fen).or_raise()?;
        self.verdict(&position)?;
        let mut line = Vec::new();
        for m in self.tables.line(&position).or_raise()? {
            line.push(position.uci(m));
            position.play(m);
        }
        Ok(line)
    }

    /// Every legal position with one side to move, up to symmetry, with its value.
    #[pyo3(signature = (turn="white"))]
    fn positions<'py>(&self, py: Python<'py>, turn: &str) -> PyResult<(Positions, Values<'py>)> {
        use rayon::prelude::*;
        own_pool()?;
        let turn = color(turn)?;
        let table = self.table()?;
        let all = py.detach(|| -> Result<Vec<(Position, Verdict)>, truth::TableError> {
            Ok(table.load()?.positions(turn).collect())
        });
        let (list, verdicts): (Vec<Position>, Vec<Verdict>) = all.or_raise()?.into_iter().unzip();
        Ok((Positions::of(list), values(py, verdicts.into_iter())))
    }
}

impl Table {
    fn table(&self) -> PyResult<Arc<truth::Table>> {
        let table = self.tables.table(self.material, self.board).or_raise()?;
        table.ok_or_else(|| TableError::new_err(format!("the table of {} is gone", self.material)))
    }

    fn verdict(&self, position: &Position) -> PyResult<Verdict> {
        let verdict = self.tables.probe(position).map_err(|error| error.raise())?;
        verdict.ok_or_else(|| {
            TableError::new_err(format!(
                "{position} is not covered: it is {} on {}, and {} on {} and what it turns into were \
                 solved",
                position.material(),
                position.board(),
                self.material,
                self.board
            ))
        })
    }
}
