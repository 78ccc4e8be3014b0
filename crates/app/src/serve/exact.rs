//! Exact truth: probing, perfect play, positions of a known distance.

use axum::{Json, extract::State};
use rules::{Board, Material, Position};
use serde::{Deserialize, Serialize};
use truth::{Oracle as _, Verdict};
use utoipa::{IntoParams, ToSchema};

use super::{
    Lab,
    extract::{Asked, Named},
    laboratory::{Effort, Laboratory},
    refusal::{Answer, Refusal},
};
use crate::{
    line::PerfectPlay,
    positions::{SideToMove, Wanted},
    probe::{Answer as Probe, Probed},
};

/// A position.
#[derive(Deserialize, IntoParams)]
pub struct OfPosition {
    /// The position as FEN; N ranks of N files for an N×N board.
    #[param(example = "8/8/8/3k4/8/8/8/KBN5 w - - 0 1")]
    pub fen: String,
}

impl OfPosition {
    fn position(&self) -> Answer<Position> {
        Position::from_fen(&self.fen).map_err(Refusal::bad)
    }
}

/// The exact value of a position and of every move, in lila-tablebase's form.
#[utoipa::path(
    get, path = "/api/probe", tag = "exact truth", params(OfPosition),
    responses((status = 200, body = Probed), (status = 400, body = Refusal))
)]
pub async fn probe(
    State(lab): State<Lab>,
    Asked(asked): Asked<OfPosition>,
) -> Answer<Json<Probed>> {
    let probe = move |lab: &Laboratory| {
        let position = asked.position()?;
        let covered = lab.cover_position(&position)?;
        let tables = covered.then_some(&*lab.tables);
        let answer = Probe::new(&position, tables, None).map_err(Refusal::broken)?;
        Ok(answer.probed())
    };
    lab.work(Effort::Quick, probe).await.map(Json)
}

/// Perfect play from a position to mate.
#[utoipa::path(
    get, path = "/api/line", tag = "exact truth", params(OfPosition),
    responses((status = 200, body = PerfectPlay), (status = 400, body = Refusal))
)]
pub async fn line(
    State(lab): State<Lab>,
    Asked(asked): Asked<OfPosition>,
) -> Answer<Json<PerfectPlay>> {
    let line = move |lab: &Laboratory| {
        let position = asked.position()?;
        if !lab.cover_position(&position)? {
            return Err(Refusal::bad(uncovered(&position)));
        }
        let (line, _) = PerfectPlay::from(&position, &lab.tables).map_err(Refusal::broken)?;
        Ok(line)
    };
    lab.work(Effort::Quick, line).await.map(Json)
}

fn uncovered(position: &Position) -> String {
    if position.has_castling_rights() {
        "no table covers this position: castling rights are in no table".to_owned()
    } else {
        format!(
            "no table covers {}: endgames of up to 4 men are solved on demand, those of {} by 'lucena solve {}'",
            position.material(),
            truth::MAX_MEN,
            position.material()
        )
    }
}

/// The board of an endgame.
#[derive(Deserialize, IntoParams)]
pub struct OnBoard {
    /// The size of the board, 4 to 8.
    #[param(minimum = 4, maximum = 8)]
    #[serde(default = "eight")]
    pub board: usize,
}

pub fn eight() -> usize {
    8
}

/// An endgame in figures.
#[derive(Serialize, ToSchema)]
pub struct Endgame {
    /// White's men first.
    pub material: String,
    /// The size of the board.
    pub board: usize,
    /// Are its tables there?
    pub solved: bool,
    /// The longest mate of white, white to move, in moves.
    pub longest_moves: Option<u16>,
    /// Legal positions, white to move.
    pub positions: u64,
    /// Those that white wins.
    pub won: u64,
}

/// Reads an endgame and a board that go together.
pub fn endgame(material: &str, board: usize) -> Answer<(Material, Board)> {
    let material: Material = material.parse().map_err(Refusal::bad)?;
    let board = Board::new(board).map_err(Refusal::bad)?;
    if material.has_pawns() && !board.is_standard() {
        return Err(Refusal::bad(format!(
            "{material} has pawns, and boards smaller than 8×8 have none"
        )));
    }
    // Nobody plays endgames of so many men, and random positions of them are hard to find.
    if material.men() > 10 {
        return Err(Refusal::bad(format!(
            "{material} has {} men; here an endgame has at most 10",
            material.men()
        )));
    }
    Ok((material, board))
}

/// An endgame in figures; solved now if it has up to four men.
#[utoipa::path(
    get, path = "/api/endgames/{material}", tag = "exact truth",
    params(("material" = String, Path, example = "KRK"), OnBoard),
    responses((status = 200, body = Endgame), (status = 400, body = Refusal))
)]
pub async fn figures(
    State(lab): State<Lab>,
    Named(name): Named<String>,
    Asked(on): Asked<OnBoard>,
) -> Answer<Json<Endgame>> {
    let figures = move |lab: &Laboratory| {
        let (material, board) = endgame(&name, on.board)?;
        let table = if lab.cover(material, board)? && material.men() > 2 {
            lab.tables.table(material, board).map_err(Refusal::broken)?
        } else {
            None
        };
        let swapped = material.canonical() != material;
        let side = table.as_ref().map(|table| {
            let statistics = table.statistics();
            // Seen from the side named first, which the table may call black.
            if swapped {
                &statistics.black_to_move
            } else {
                &statistics.white_to_move
            }
        });
        Ok(Endgame {
            material: material.to_string(),
            board: board.size(),
            solved: table.is_some(),
            longest_moves: side.and_then(|side| Some(side.longest_win_plies()?.div_ceil(2))),
            positions: side.map_or(0, |side| side.positions()),
            won: side.map_or(0, |side| side.won()),
        })
    };
    lab.work(Effort::Slow, figures).await.map(Json)
}

/// Which positions are wanted.
#[derive(Deserialize, IntoParams)]
pub struct WantedPositions {
    /// The endgame, white's men first.
    #[param(example = "KRK")]
    pub material: String,
    /// The size of the board, 4 to 8.
    #[param(minimum = 4, maximum = 8)]
    #[serde(default = "eight")]
    pub board: usize,
    /// White mates in exactly this many moves; any legal position without it.
    pub mate_in: Option<u16>,
    /// The side to move: `white`, `black`, or `either` without `mate_in`.
    #[param(inline)]
    pub side: Option<SideToMove>,
    /// How many, up to 100.
    #[serde(default = "one")]
    #[param(minimum = 1, maximum = 100)]
    pub count: usize,
    /// What all chance follows from.
    #[serde(default)]
    pub seed: u64,
}

fn one() -> usize {
    1
}

/// A position and its exact value.
#[derive(Serialize, ToSchema)]
pub struct Drawn {
    /// The position.
    pub fen: String,
    /// Plies to mate, negative when the side to move is mated.
    pub dtm: Option<i32>,
    /// Moves of the winning side to mate.
    pub dtm_moves: Option<u16>,
}

/// Draws positions of an endgame by lot, of a chosen distance to mate if wanted.
#[utoipa::path(
    get, path = "/api/positions", tag = "exact truth", params(WantedPositions),
    responses((status = 200, body = [Drawn]), (status = 400, body = Refusal), (status = 404, body = Refusal))
)]
pub async fn positions(
    State(lab): State<Lab>,
    Asked(asked): Asked<WantedPositions>,
) -> Answer<Json<Vec<Drawn>>> {
    let draw = move |lab: &Laboratory| {
        let (material, board) = endgame(&asked.material, asked.board)?;
        let covered = lab.cover(material, board)?;
        let wanted = Wanted {
            material,
            board,
            side: asked.side.unwrap_or(SideToMove::White),
            count: asked.count.clamp(1, 100),
            seed: asked.seed,
        };
        let positions = match asked.mate_in {
            Some(_) if !covered => {
                return Err(Refusal::bad(format!(
                    "the mates of {material} are not known; solve it with 'lucena solve {material}'"
                )));
            }
            Some(moves) => wanted
                .by_distance(moves, Some(&lab.tables))
                .map_err(Refusal::bad)?,
            None => wanted.at_random(),
        };
        if positions.is_empty() {
            return Err(Refusal::not_found(match asked.mate_in {
                Some(moves) => format!("no position of {material} is a mate in {moves} moves"),
                None => format!("there is no position of {material} on this board"),
            }));
        }
        Ok(positions
            .iter()
            .map(|position| {
                let verdict = lab.tables.probe(position);
                Drawn {
                    fen: position.fen(),
                    dtm: verdict.and_then(Verdict::signed_plies),
                    dtm_moves: verdict.and_then(Verdict::moves),
                }
            })
            .collect())
    };
    lab.work(Effort::Slow, draw).await.map(Json)
}
