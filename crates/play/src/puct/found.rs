//! What a search has found.

use rules::Move;

use crate::Chances;

/// What a search has found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The move to play.
    pub best: Move,
    /// Every move of the root, in the order of the legal moves.
    pub moves: Vec<RootMove>,
    /// The chances of the side to move.
    pub chances: Chances,
    /// Mate in so many moves, if it is proven; negative when the side to move is mated.
    pub mate: Option<i32>,
    /// The expected line, the best move first.
    pub line: Vec<Move>,
    /// Simulations of this search.
    pub simulations: u32,
    /// Plies of the longest line.
    pub depth: u32,
}

/// A move of the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// How often it was tried.
    pub visits: u32,
    /// Its prior, noise included.
    pub prior: f32,
    /// Its share of the improved policy: of the visits (formula (4) of document W, normalised), or
    /// Gumbel AlphaZero's π′. Where mate is proven, all of it belongs to the best move. A network
    /// learns from this.
    pub share: f32,
    /// The chances of the side that makes it.
    pub chances: Chances,
    /// Mate in so many moves behind it, this one included, if it is proven; negative when the side
    /// that makes it is mated.
    pub mate: Option<i32>,
}

impl Found {
    /// What the search expects of the game, from −1 (lost) to 1 (won).
    pub fn value(&self) -> f32 {
        self.chances.value()
    }
}

/// Chances of a value and a chance of a draw, which rounding may have brought apart.
pub(super) fn chances(value: f32, draw: f32) -> Chances {
    let value = value.clamp(-1.0, 1.0);
    let draw = draw.clamp(0.0, 1.0 - value.abs());
    let win = (1.0 - draw + value) / 2.0;
    Chances {
        win,
        draw,
        loss: 1.0 - draw - win,
    }
}
