//! What a player tells about a position and its move.

use std::cmp::Reverse;

use play::{Info, Score};
use rules::{Move, Position};
use serde::Serialize;
use utoipa::ToSchema;

/// What led to a move. A player tells what it has; what it does not tell is absent.
#[derive(Clone, Serialize, ToSchema)]
pub struct Thoughts {
    /// How good the position is for the player, in hundredths of a pawn.
    pub centipawns: Option<i32>,
    /// Mate in so many moves; negative when the player gets mated.
    pub mate: Option<i32>,
    /// The result that the player expects, from -1 (lost) to 1 (won): by its chances if it tells them,
    /// otherwise by the two fields above.
    pub expected: Option<f64>,
    /// Plies searched.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// How likely the player is to win, to draw and to lose, in thousandths that add up to 1000.
    #[schema(value_type = Option<Vec<u16>>)]
    pub wdl: Option<[u16; 3]>,
    /// The expected line in SAN, the move itself first.
    pub line: Vec<String>,
    /// What is thought of each move: of those that it says anything about, the best first.
    pub moves: Vec<MoveThoughts>,
}

/// What a player thinks of one move.
#[derive(Clone, Serialize, ToSchema)]
pub struct MoveThoughts {
    /// The move in UCI notation.
    pub uci: String,
    /// The same in SAN.
    pub san: String,
    /// How often a tree search has tried it.
    pub visits: Option<u64>,
    /// Its share of all visits, from 0 to 1.
    pub share: Option<f64>,
    /// How promising it looked before any search: a share from 0 to 1.
    pub prior: Option<f64>,
    /// The result that is expected of it, from -1 (lost) to 1 (won).
    pub value: Option<f64>,
    /// The same in hundredths of a pawn, where that is what the player counts in.
    pub centipawns: Option<i32>,
    /// Mate in so many moves, this one first; negative when the player gets mated.
    pub mate: Option<i32>,
    /// The line that is expected after it, in SAN and itself first, if there is one.
    pub line: Vec<String>,
}

impl Thoughts {
    /// What a player has told of its move in a position.
    pub fn new(position: &Position, info: &Info) -> Thoughts {
        Thoughts::of_lines(position, std::slice::from_ref(info))
    }

    /// What a player has told of several lines, the best first.
    pub fn of_lines(position: &Position, lines: &[Info]) -> Thoughts {
        let nothing = Info::default();
        let info = lines.first().unwrap_or(&nothing);
        let (centipawns, mate) = told(info.score);
        let expected = match info.wdl {
            Some(wdl) => Some((f64::from(wdl.win) - f64::from(wdl.loss)) / 1000.0),
            None => info.score.map(|score| score.expected().into()),
        };
        Thoughts {
            centipawns,
            mate,
            expected,
            depth: info.depth,
            nodes: info.nodes,
            wdl: info.wdl.map(|wdl| [wdl.win, wdl.draw, wdl.loss]),
            line: sans(position, &info.pv),
            moves: moves(position, info, lines),
        }
    }
}

fn told(score: Option<Score>) -> (Option<i32>, Option<i32>) {
    match score {
        Some(Score::Centipawns(hundredths)) => (Some(hundredths), None),
        Some(Score::Mate(moves)) => (None, Some(moves)),
        None => (None, None),
    }
}

fn sans(position: &Position, line: &[Move]) -> Vec<String> {
    let mut at = position.clone();
    let sans = line.iter().map(|&m| {
        let san = at.san(m);
        at.play(m);
        san
    });
    sans.collect()
}

/// Everything that is said about single moves, brought together.
fn moves(position: &Position, info: &Info, lines: &[Info]) -> Vec<MoveThoughts> {
    let all: u64 = info.visits.iter().map(|(_, visits)| visits).sum();
    let chosen = info.pv.first().copied();
    let of = |m: Move| {
        let visits = info.visits.iter().find(|(tried, _)| *tried == m);
        let visits = visits.map(|&(_, visits)| visits);
        let opinion = info.opinions.iter().find(|opinion| opinion.mv == m);
        let line = lines.iter().find(|line| line.pv.first() == Some(&m));
        let score = line.and_then(|line| line.score);
        let (centipawns, mate) = told(score);
        let value = opinion
            .and_then(|opinion| opinion.value)
            .map(|value| f64::from(value) / 1000.0);
        MoveThoughts {
            uci: position.uci(m),
            san: position.san(m),
            visits,
            share: visits.map(|visits| visits as f64 / all.max(1) as f64),
            prior: opinion
                .and_then(|opinion| opinion.prior)
                .map(|prior| f64::from(prior) / 1000.0),
            value: value.or(score.map(|score| score.expected().into())),
            centipawns,
            mate,
            line: line.map_or_else(Vec::new, |line| sans(position, &line.pv)),
        }
    };
    let mut legal: Vec<(Move, MoveThoughts)> = position
        .legal_moves()
        .into_iter()
        .map(|m| (m, of(m)))
        .filter(|(_, of)| of.visits.unwrap_or(0) > 0 || of.prior.is_some() || !of.line.is_empty())
        .collect();
    // As the player ranks them: its choice, the lines in their order, then visits, then priors.
    let rank = |m: Move| {
        let place = lines.iter().position(|line| line.pv.first() == Some(&m));
        place.unwrap_or(lines.len())
    };
    legal.sort_by_key(|(m, of)| {
        let prior = (of.prior.unwrap_or(0.0) * 1000.0) as u64;
        (
            Some(*m) != chosen,
            Reverse(of.visits.unwrap_or(0)),
            rank(*m),
            Reverse(prior),
        )
    });
    legal.into_iter().map(|(_, of)| of).collect()
}
