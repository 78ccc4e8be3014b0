use std::sync::Arc;

use learn::chess::{Act, Actions, Number, Observation};
use numpy::{
    Element, IntoPyArray as _, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods as _,
    PyReadonlyArrayDyn, PyUntypedArrayMethods as _,
};
use pyo3::{
    exceptions::{PyIndexError, PyTypeError},
    prelude::*,
};
use rayon::prelude::*;
use rules::{Color, Moment, Move, Piece, Position, Role, Square};

use crate::{
    arrays::{slice, slice_mut},
    environments::own_pool,
    errors::{IllegalActionError, OrRaise as _, PositionError, SettingsError, ShapeError},
    resources::board,
};

/// Many positions at once, as arrays or FENs, with everything about them that a policy may want.
///
/// A policy that is certified is handed one of these and answers with a move for each.
#[pyclass(module = "lucena", frozen)]
pub struct Positions {
    list: Arc<[Position]>,
}

impl Positions {
    pub fn of(list: Vec<Position>) -> Positions {
        Positions { list: list.into() }
    }

    pub fn list(&self) -> &[Position] {
        &self.list
    }

    /// The moves that a policy has answered with: UCI notation, numbers of actions, or rows of the
    /// square left, the square reached and the promotion.
    pub fn moves(&self, answer: &Bound<'_, PyAny>, actions: &str) -> PyResult<Vec<Move>> {
        own_pool()?;
        if let Ok(numbers) = answer.cast::<PyArrayDyn<i64>>() {
            let numbers: PyReadonlyArrayDyn<'_, i64> = numbers.readonly();
            let (shape, numbers) = (numbers.shape().to_vec(), slice(&numbers)?);
            let (numbers, list) = (numbers.to_vec(), self.list.clone());
            return match shape[..] {
                [n] if n == self.list.len() => {
                    let actions: Actions = actions.parse().or_raise()?;
                    let answers = list.par_iter().zip(&numbers);
                    answers
                        .map(|(position, &number)| by_number(position, actions, number))
                        .collect()
                }
                [n, 3] if n == self.list.len() => {
                    let answers = list.par_iter().zip(numbers.par_chunks_exact(3));
                    answers
                        .map(|(position, squares)| by_squares(position, squares))
                        .collect()
                }
                _ => Err(ShapeError::new_err(format!(
                    "the policy's answer has the shape {shape:?}, expected [{n}] (actions) or [{n}, 3] \
                     (from, to, promotion)",
                    n = self.list.len()
                ))),
            };
        }
        let texts: Vec<String> = answer.extract().map_err(|_| {
            let kind = answer.get_type().name().map(|name| name.to_string());
            PyTypeError::new_err(format!(
                "the policy's answer is a {}, expected an array of whole numbers or a list of moves \
                 in UCI notation",
                kind.unwrap_or_default()
            ))
        })?;
        if texts.len() != self.list.len() {
            return Err(ShapeError::new_err(format!(
                "the policy's answer has {} moves, expected {}",
                texts.len(),
                self.list.len()
            )));
        }
        let answers = self.list.par_iter().zip(&texts);
        answers
            .map(|(position, text)| {
                position
                    .parse_uci(text)
                    .ok_or_else(|| illegal(position, text))
            })
            .collect()
    }
}

fn illegal(position: &Position, what: impl std::fmt::Display) -> PyErr {
    IllegalActionError::new_err(format!("{what} is not legal in {position}"))
}

fn by_number(position: &Position, actions: Actions, number: i64) -> PyResult<Move> {
    let index = usize::try_from(number).ok();
    match index.and_then(|index| actions.act(position, &position.legal_moves(), index)) {
        Some(Act::Play(m)) => Ok(m),
        _ => Err(illegal(position, format!("action {number} ({actions})"))),
    }
}

fn by_squares(position: &Position, squares: &[i64]) -> PyResult<Move> {
    let [from, to, promotion] = [squares[0], squares[1], squares[2]];
    let found = position.legal_moves().into_iter().find(|m| {
        m.from()
            .is_some_and(|square| i64::from(u32::from(square)) == from)
            && i64::from(u32::from(m.to())) == to
            && m.promotion().map_or(0, |role| role as i64) == promotion
    });
    found.ok_or_else(|| {
        illegal(
            position,
            format!("the move from {from} to {to} (promotion {promotion})"),
        )
    })
}

/// White's men are 1 to 6 (pawn, knight, bishop, rook, queen, king), black's 7 to 12.
fn code(piece: Piece) -> u8 {
    piece.role as u8 + piece.color.fold_wb(0, 6)
}

fn piece(code: u8) -> Option<Piece> {
    let (color, role) = match code {
        1..=6 => (Color::White, code),
        7..=12 => (Color::Black, code - 6),
        _ => return None,
    };
    let role = Role::ALL.into_iter().find(|&known| known as u8 == role)?;
    Some(Piece { color, role })
}

#[pymethods]
impl Positions {
    /// Reads FENs; N ranks of N files are a position on the N×N board.
    #[new]
    fn new(fens: Vec<String>) -> PyResult<Positions> {
        let list = fens.iter().map(|fen| Position::from_fen(fen).or_raise());
        Ok(Positions::of(list.collect::<PyResult<_>>()?))
    }

    /// Positions from men on squares and sides to move, as `pieces` and `turn` show them.
    #[staticmethod]
    #[pyo3(signature = (pieces, turn, board=8))]
    fn from_arrays(
        pieces: PyReadonlyArrayDyn<'_, u8>,
        turn: PyReadonlyArrayDyn<'_, u8>,
        board: usize,
    ) -> PyResult<Positions> {
        let board = self::board(board)?;
        let n = match *turn.shape() {
            [n] if *pieces.shape() == [n, 64] => n,
            _ => {
                return Err(ShapeError::new_err(format!(
                    "pieces and turn have the shapes {:?} and {:?}, expected [n, 64] and [n]",
                    pieces.shape(),
                    turn.shape()
                )));
            }
        };
        let (pieces, turn) = (slice(&pieces)?, slice(&turn)?);
        let mut list = Vec::with_capacity(n);
        for (index, (men, &turn)) in pieces.chunks_exact(64).zip(turn).enumerate() {
            let refused = |why: String| PositionError::new_err(format!("position {index}: {why}"));
            let mut placed = Vec::new();
            for (square, &code) in (0..).zip(men).filter(|(_, code)| **code != 0) {
                let piece = piece(code).ok_or_else(|| {
                    refused(format!("there is no piece {code}, expected 0 to 12"))
                })?;
                placed.push((Square::new(square), piece));
            }
            let turn = match turn {
                0 => Color::White,
                1 => Color::Black,
                _ => {
                    return Err(refused(format!(
                        "turn is {turn}, expected 0 (white) or 1 (black)"
                    )));
                }
            };
            let position = Position::from_pieces(board, placed, turn);
            list.push(position.map_err(|error| refused(error.to_string()))?);
        }
        Ok(Positions::of(list))
    }

    fn __len__(&self) -> usize {
        self.list.len()
    }

    /// The FEN of one of them.
    fn __getitem__(&self, index: isize) -> PyResult<String> {
        let at = match index {
            0.. => index as usize,
            _ => self.list.len().wrapping_add_signed(index),
        };
        let position = self.list.get(at);
        let position = position.ok_or_else(|| {
            PyIndexError::new_err(format!("position {index} of {}", self.list.len()))
        })?;
        Ok(position.fen())
    }

    fn __repr__(&self) -> String {
        format!("<{} positions>", self.list.len())
    }

    /// Their FENs.
    fn fens(&self) -> Vec<String> {
        self.list.iter().map(Position::fen).collect()
    }

    /// The size of the board of the first.
    #[getter]
    fn board(&self) -> usize {
        self.list
            .first()
            .map_or(8, |position| position.board().size())
    }

    /// The men: an array (n, 64) of uint8, a1 first, rank by rank; 0 is an empty square, 1 to 6 are
    /// white's pawn, knight, bishop, rook, queen and king, 7 to 12 black's. A small board is the lower
    /// left corner.
    #[getter]
    fn pieces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let mut men = vec![0; self.list.len() * 64];
        for (position, men) in self.list.iter().zip(men.chunks_exact_mut(64)) {
            for (square, piece) in position.men().clone() {
                men[usize::from(square)] = code(piece);
            }
        }
        men.into_pyarray(py).reshape([self.list.len(), 64])
    }

    /// The sides to move: an array (n,) of uint8, 0 for white and 1 for black.
    #[getter]
    fn turn<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        let turns = self.list.iter().map(|p| p.turn().fold_wb(0, 1));
        turns.collect::<Vec<u8>>().into_pyarray(py)
    }

    /// The legal moves of each in UCI notation.
    fn legal_moves(&self) -> Vec<Vec<String>> {
        let moves = |p: &Position| p.legal_moves().into_iter().map(|m| p.uci(m)).collect();
        self.list.iter().map(moves).collect()
    }

    /// What a learner sees of them, as an environment would show it at the beginning of a game.
    #[pyo3(signature = (observation="planes", dtype=None))]
    fn observations<'py>(
        &self,
        py: Python<'py>,
        observation: &str,
        dtype: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        own_pool()?;
        let observation: Observation = observation.parse().or_raise()?;
        match dtype.unwrap_or(observation.dtype()) {
            "bool" => self.observed::<bool>(py, observation),
            "int8" => self.observed::<i8>(py, observation),
            "uint8" => self.observed::<u8>(py, observation),
            "int16" => self.observed::<i16>(py, observation),
            "float32" => self.observed::<f32>(py, observation),
            other => Err(SettingsError::new_err(format!(
                "there are no observations of {other}, expected bool, int8, uint8, int16 or float32"
            ))),
        }
    }

    /// Which actions are legal: an array (n, actions) of int8.
    #[pyo3(signature = (actions="alphazero"))]
    fn masks<'py>(&self, py: Python<'py>, actions: &str) -> PyResult<Bound<'py, PyArray2<i8>>> {
        own_pool()?;
        let actions: Actions = actions.parse().or_raise()?;
        let masks = PyArray2::zeros(py, [self.list.len(), actions.count()], false);
        let mut writing = masks.readwrite();
        let written = writing.as_slice_mut();
        let written = written.map_err(|error| ShapeError::new_err(error.to_string()))?;
        py.detach(|| {
            let rows = written.par_chunks_exact_mut(actions.count());
            rows.zip(&self.list[..]).for_each(|(mask, position)| {
                actions.mask(position, &position.legal_moves(), false, mask);
            });
        });
        drop(writing);
        Ok(masks)
    }

    /// The numbers of legal moves, one for each position, in UCI notation.
    #[pyo3(signature = (moves, actions="alphazero"))]
    fn actions<'py>(
        &self,
        py: Python<'py>,
        moves: &Bound<'py, PyAny>,
        actions: &str,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let numbering: Actions = actions.parse().or_raise()?;
        let moves = self.moves(moves, actions)?;
        let numbers = self.list.iter().zip(moves);
        let numbers = numbers.map(|(position, m)| numbering.number(position, m) as i64);
        Ok(numbers.collect::<Vec<i64>>().into_pyarray(py))
    }

    /// The moves in UCI notation that an array of actions, one for each position, stands for.
    #[pyo3(signature = (chosen, actions="alphazero"))]
    fn ucis(&self, chosen: &Bound<'_, PyAny>, actions: &str) -> PyResult<Vec<String>> {
        let moves = self.moves(chosen, actions)?;
        let texts = self.list.iter().zip(moves);
        Ok(texts.map(|(position, m)| position.uci(m)).collect())
    }
}

impl Positions {
    fn observed<'py, T: Number + Element>(
        &self,
        py: Python<'py>,
        observation: Observation,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut shape = vec![self.list.len()];
        shape.extend(observation.shape());
        let array = PyArrayDyn::<T>::zeros(py, shape, false);
        let mut writing = array.readwrite();
        let written = slice_mut(&mut writing)?;
        py.detach(|| {
            let rows = written.par_chunks_exact_mut(observation.len());
            rows.zip(&self.list[..]).for_each(|(row, position)| {
                let moment = Moment {
                    position,
                    repetitions: 1,
                    last: None,
                };
                observation.write_moments(&[moment], row);
            });
        });
        drop(writing);
        Ok(array.into_any())
    }
}
