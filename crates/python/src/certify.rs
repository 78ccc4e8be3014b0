use std::{path::PathBuf, sync::mpsc};

use play::{Candidate, Certification, Proof};
use pyo3::prelude::*;
use rules::{Color, Pgn, Position};
use serde_json::{Value, json};
use truth::{
    Certifier, CertifyError, Choosers, Convert, Decision, Defence, Refutation, Solver, Stage,
};

use crate::{
    environment::color,
    environments::own_pool,
    errors::{CertificationError, OrRaise as _, Raise as _, SettingsError},
    long_call::{Caller, long_call},
    positions::Positions,
    resources::{Shelf, board, material},
};

/// What is proved of a policy.
#[pyclass(module = "lucena._lucena", frozen)]
pub struct Certificate {
    figures: Value,
    policy: String,
    refutations: Vec<Refutation>,
    side: Color,
}

#[pymethods]
impl Certificate {
    /// Every figure.
    fn json(&self) -> String {
        self.figures.to_string()
    }

    /// The policy as it was asked: one `FEN,uci` a line.
    fn policy(&self) -> &str {
        &self.policy
    }

    /// The play that shows where the policy fails, each a game in PGN.
    fn refutations(&self, player: &str) -> PyResult<Vec<String>> {
        let games = self.refutations.iter().map(|refutation| {
            let game = refutation.game();
            let game = game.ok_or_else(|| CertificationError::new_err("no game"))?;
            let plies = game.plies();
            let mut pgn = Pgn::new(game);
            let seat = self.side.fold_wb("White", "Black");
            for (tag, value) in [("Event", "Refutation"), (seat, player)] {
                let refused = |error: rules::TagError| SettingsError::new_err(error.to_string());
                pgn.tags.set(tag, value).map_err(refused)?;
            }
            pgn.comments.insert(plies, refutation.end.clone());
            Ok(pgn.to_string())
        });
        games.collect()
    }
}

impl Certificate {
    fn of_attack(certificate: &truth::Certificate, whose: Value) -> Result<Certificate, String> {
        let mut policy = Vec::new();
        let written = certificate.write_policy(&mut policy);
        written.map_err(|error| error.to_string())?;
        let failures = certificate.failures.iter();
        Ok(Certificate {
            figures: merged(certificate, whose)?,
            policy: String::from_utf8(policy).map_err(|error| error.to_string())?,
            refutations: failures.flat_map(|f| f.examples.clone()).collect(),
            side: Color::White,
        })
    }

    fn of_defence(defence: &Defence, whose: Value) -> Result<Certificate, String> {
        Ok(Certificate {
            figures: merged(defence, whose)?,
            policy: String::new(),
            refutations: defence.failures.clone(),
            side: Color::Black,
        })
    }
}

/// Figures, and whose they are.
fn merged(certificate: &impl serde::Serialize, whose: Value) -> Result<Value, String> {
    let mut figures = serde_json::to_value(certificate).map_err(|error| error.to_string())?;
    if let (Some(figures), Value::Object(whose)) = (figures.as_object_mut(), whose) {
        figures.extend(whose);
    }
    Ok(figures)
}

/// What the work tells the calling thread.
enum Message {
    Stage(Stage),
    /// The policy is asked about positions, and its answer goes back.
    Ask(Vec<Position>, mpsc::Sender<Vec<Decision>>),
}

fn convert(text: &str) -> PyResult<Convert> {
    match text {
        "player" => Ok(Convert::Player),
        "truth" => Ok(Convert::Truth),
        _ => Err(SettingsError::new_err(format!(
            "convert is '{text}', expected player or truth"
        ))),
    }
}

fn tell(py: Python<'_>, progress: Option<&Py<PyAny>>, stage: Stage) -> PyResult<()> {
    let Some(progress) = progress else {
        return Ok(());
    };
    let step = match stage {
        Stage::Asking {
            material,
            asked,
            total,
        } => (asked, Some(total), format!("{material}: positions asked")),
        Stage::Judging { material, ply } => (
            ply.into(),
            None,
            format!("{material}: mates in {} moves", ply.div_ceil(2)),
        ),
    };
    progress.call1(py, step).map(drop)
}

/// Certifies a function of Python's, which is asked about many positions at once.
#[pyfunction]
#[pyo3(signature = (endgame, policy, actions="alphazero", board=8, side="white", symmetric=false, convert="player", tables=None, progress=None))]
#[allow(clippy::too_many_arguments)] // all of them by name
pub fn certify_function(
    py: Python<'_>,
    endgame: &str,
    policy: Py<PyAny>,
    actions: &str,
    board: usize,
    side: &str,
    symmetric: bool,
    convert: &str,
    tables: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Certificate> {
    own_pool()?;
    let (material, board) = (material(endgame)?, self::board(board)?);
    let (side, convert) = (color(side)?, self::convert(convert)?);
    let tables = Shelf::new(tables)?.tables;
    let work = |caller: &Caller<Message>| -> Result<Result<Certificate, String>, CertifyError> {
        let ask = |positions: &[Position]| {
            let (answer, answered) = mpsc::channel();
            caller.tell(Message::Ask(positions.to_vec(), answer));
            // The calling thread drops the question when the policy fails or the call is interrupted.
            answered.recv().map_err(|_| CertifyError::Stopped)
        };
        tables.ensure(material, board, &|_| caller.goes_on())?;
        let certifier = Certifier {
            material,
            board,
            symmetric,
            convert,
            policy: Choosers::Many(&ask),
            journal: None,
            progress: &|stage| caller.tell(Message::Stage(stage)),
        };
        let mut solver = Solver::with_folder(board, tables.folder());
        let nobody = json!({});
        Ok(match side {
            Color::White => Certificate::of_attack(&certifier.attack(&mut solver)?, nobody),
            Color::Black => Certificate::of_defence(&certifier.defence(&mut solver)?, nobody),
        })
    };
    long_call(py, work, |py, message| match message {
        Message::Stage(stage) => tell(py, progress.as_ref(), stage),
        Message::Ask(positions, answer) => {
            let positions = Bound::new(py, Positions::of(positions))?;
            let moves = policy.bind(py).call1((&positions,))?;
            let moves = positions.get().moves(&moves, actions)?;
            // Nobody waits for it when the work has ended meanwhile.
            let _ = answer.send(moves.into_iter().map(Decision::from).collect());
            Ok(())
        }
    })?
    .or_raise()?
    .map_err(CertificationError::new_err)
}

/// Certifies a player, as the command line does.
#[pyfunction]
#[pyo3(signature = (endgame, player, board=8, side="white", convert="player", tables=None, progress=None))]
#[allow(clippy::too_many_arguments)] // all of them by name
pub fn certify_player(
    py: Python<'_>,
    endgame: &str,
    player: &str,
    board: usize,
    side: &str,
    convert: &str,
    tables: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Certificate> {
    own_pool()?;
    let (material, board) = (material(endgame)?, self::board(board)?);
    let (side, convert) = (color(side)?, self::convert(convert)?);
    let shelf = Shelf::new(tables)?;
    let spec = py
        .detach(|| shelf.registry.parse_policy(player))
        .or_raise()?;
    let work = |caller: &Caller<Stage>| {
        let ensured = shelf.tables.ensure(material, board, &|_| caller.goes_on());
        ensured.map_err(|error| play::CertificationError::Certify(error.into()))?;
        let certification = Certification {
            material,
            board,
            convert,
            journal: None,
            stop: caller.stop(),
            progress: &|stage| caller.tell(stage),
        };
        let candidate = Candidate::of(&spec).named(player);
        let mut solver = Solver::with_folder(board, shelf.tables.folder());
        Ok(match side {
            Color::White => {
                let proof = certification.attack(&candidate, &mut solver)?;
                Certificate::of_attack(&proof.certificate, whose(&proof))
            }
            Color::Black => {
                let proof = certification.defence(&candidate, &mut solver)?;
                Certificate::of_defence(&proof.certificate, whose(&proof))
            }
        })
    };
    long_call(py, work, |py, stage| tell(py, progress.as_ref(), stage))?
        .map_err(|error: play::CertificationError| match error {
            play::CertificationError::Certify(error) => error.raise(),
            other => CertificationError::new_err(other.to_string()),
        })?
        .map_err(CertificationError::new_err)
}

fn whose<C>(proof: &Proof<C>) -> Value {
    json!({ "player": proof.player, "fingerprint": proof.fingerprint })
}
