//! What a player tells about its move.

use play::{Info, Score};
use rules::Position;
use serde::Serialize;
use utoipa::ToSchema;

/// What led to a move. A player tells what it has.
#[derive(Serialize, ToSchema)]
pub struct Thoughts {
    /// How good the position is for the player, in hundredths of a pawn.
    pub centipawns: Option<i32>,
    /// Mate in so many moves; negative when the player gets mated.
    pub mate: Option<i32>,
    /// Plies searched.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// How likely the player is to win, to draw and to lose, in thousandths that add up to 1000.
    #[schema(value_type = Option<Vec<u16>>)]
    pub wdl: Option<[u16; 3]>,
    /// The expected line in SAN, the move itself first.
    pub line: Vec<String>,
    /// The moves that a tree search has tried, the most visited first.
    pub visits: Vec<Visits>,
}

/// How often a tree search has tried a move.
#[derive(Serialize, ToSchema)]
pub struct Visits {
    /// The move in UCI notation.
    pub uci: String,
    /// The same in SAN.
    pub san: String,
    /// How often it was tried.
    pub visits: u64,
    /// Its share of all visits, from 0 to 1.
    pub share: f64,
}

impl Thoughts {
    /// What a player has told of its move in a position.
    pub fn new(position: &Position, info: &Info) -> Thoughts {
        let mut at = position.clone();
        let line = info.pv.iter().map(|&m| {
            let san = at.san(m);
            at.play(m);
            san
        });
        let line = line.collect();
        let all: u64 = info.visits.iter().map(|(_, visits)| visits).sum();
        let tried = info.visits.iter().filter(|(_, visits)| *visits > 0);
        let visits = tried.map(|&(m, visits)| Visits {
            uci: position.uci(m),
            san: position.san(m),
            visits,
            share: visits as f64 / all as f64,
        });
        let mut visits: Vec<Visits> = visits.collect();
        visits.sort_by_key(|of| std::cmp::Reverse(of.visits));
        let (centipawns, mate) = match info.score {
            Some(Score::Centipawns(hundredths)) => (Some(hundredths), None),
            Some(Score::Mate(moves)) => (None, Some(moves)),
            None => (None, None),
        };
        Thoughts {
            centipawns,
            mate,
            depth: info.depth,
            nodes: info.nodes,
            wdl: info.wdl.map(|wdl| [wdl.win, wdl.draw, wdl.loss]),
            line,
            visits,
        }
    }
}
