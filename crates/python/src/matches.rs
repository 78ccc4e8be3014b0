use std::{path::PathBuf, sync::Arc, time::Duration};

use play::{Ending, Limits, Match, MatchProgress, Openings, RandomOpenings, Running};
use pyo3::prelude::*;
use rules::{Color, Position};
use serde_json::{Map, Value, json};
use truth::Oracle;

use crate::{
    environments::own_pool,
    errors::{OrRaise as _, PlayerError, SettingsError},
    long_call::{Caller, long_call},
    resources::{Shelf, board, material},
};

/// Endgames of so many men are solved when a match asks for them, as the command line does.
const SOLVED_ON_DEMAND: usize = 4;

/// Plays a match; the result is JSON.
#[pyfunction]
#[pyo3(signature = (first, second, games, endgame=None, board=8, positions=None, won=false, paired=false, rules=None, depth=None, nodes=None, movetime=None, seed=1, threads=0, tables=None, progress=None))]
#[allow(clippy::too_many_arguments)] // all of them by name
pub fn play_match(
    py: Python<'_>,
    first: &str,
    second: &str,
    games: u64,
    endgame: Option<&str>,
    board: usize,
    positions: Option<Vec<String>>,
    won: bool,
    paired: bool,
    rules: Option<&str>,
    depth: Option<u32>,
    nodes: Option<u64>,
    movetime: Option<f64>,
    seed: u64,
    threads: usize,
    tables: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    own_pool()?;
    let shelf = Shelf::new(tables)?;
    let openings = match (endgame, positions) {
        (Some(endgame), None) => {
            let (material, board) = (material(endgame)?, self::board(board)?);
            if material.men() <= SOLVED_ON_DEMAND && material.men() > 2 {
                let solving = shelf.tables.clone();
                long_call(
                    py,
                    move |caller: &Caller<()>| {
                        solving.ensure(material, board, &|_| caller.goes_on())
                    },
                    |_, ()| Ok(()),
                )?
                .or_raise()?;
            }
            let oracle: Arc<dyn Oracle> = shelf.tables.clone();
            Openings::Random(RandomOpenings {
                material,
                board,
                turn: Some(Color::White),
                won: won.then_some((Color::White, oracle)),
            })
        }
        (None, Some(fens)) if !fens.is_empty() && !won => {
            let list = fens.iter().map(|fen| Position::from_fen(fen).or_raise());
            Openings::List(list.collect::<PyResult<_>>()?)
        }
        (None, None) if !won => Openings::List(vec![Position::start()]),
        _ => {
            return Err(SettingsError::new_err(
                "games begin from an endgame or from a list of positions, not from both; won goes \
                 with an endgame",
            ));
        }
    };
    let time = movetime.map(Duration::try_from_secs_f64).transpose();
    let time = time.map_err(|error| SettingsError::new_err(format!("movetime: {error}")))?;
    let mut contest = Match::new(
        py.detach(|| shelf.player(first))?,
        py.detach(|| shelf.player(second))?,
        openings,
        games,
    );
    contest.paired = paired;
    contest.seed = seed;
    contest.limits = Limits { depth, nodes, time };
    if let Some(rules) = rules {
        let refused = |error: rules::RulesError| SettingsError::new_err(error.to_string());
        contest.rules = rules.parse().map_err(refused)?;
    }
    let (contest, tables) = (&contest, &shelf.tables);
    let result = long_call(
        py,
        move |caller: &Caller<(u64, u64, String)>| {
            let tell = |step: &MatchProgress<'_>| {
                let s = step.statistics;
                let score = [Ending::Win, Ending::Draw, Ending::Loss].map(|e| s.count(e));
                let score = format!("+{} ={} −{}", score[0], score[1], score[2]);
                caller.tell((step.finished, step.games, score));
            };
            contest.run(Running {
                threads,
                progress: Some(&tell),
                stop: Some(caller.stop()),
                oracle: Some(&**tables),
            })
        },
        move |py, step| match &progress {
            None => Ok(()),
            Some(progress) => progress.call1(py, step).map(drop),
        },
    )?
    .or_raise()?;
    let s = &result.statistics;
    let ending = |ending: Ending| {
        let reasons = s.by_reason(ending);
        let reasons: Map<String, Value> = reasons.map(|(r, n)| (r.id().into(), json!(n))).collect();
        json!({ "games": s.count(ending), "share": s.share(ending), "reasons": reasons })
    };
    let pgn: Result<Vec<String>, _> = result
        .records
        .iter()
        .map(|record| Ok(record.pgn("Lucena match", contest.rules)?.to_string()))
        .collect();
    let pgn = pgn.map_err(|error: play::RecordError| PlayerError::new_err(error.to_string()))?;
    Ok(json!({
        "first": contest.first.text(),
        "second": contest.second.text(),
        "games": s.games(),
        "wins": ending(Ending::Win),
        "draws": ending(Ending::Draw),
        "losses": ending(Ending::Loss),
        "points": s.points(),
        "moves_to_mate": s.moves_to_mate(),
        "excess_moves": s.excess_moves(),
        "elo": s.elo().map(|e| json!({ "difference": e.difference, "error": e.error })),
        "pentanomial": s.is_paired().then(|| s.pentanomial()),
        "records": result.records,
        "pgn": pgn.join("\n"),
    })
    .to_string())
}
