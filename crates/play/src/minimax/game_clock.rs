use std::time::Duration;

/// Time for all moves of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameClock {
    pub whole: Duration,
    pub spent: Duration,
}

/// Moves that a game is expected to last where the evaluation does not say.
pub(super) const MOVES_TO_COME: f32 = 15.0;

impl GameClock {
    /// Time for a move when so many are to come: until when to search, and when not to begin a
    /// deeper look any more. What is left is divided anew at every move, so it never runs out.
    pub fn share(&self, moves: f32) -> (Duration, Duration) {
        let left = self.whole.saturating_sub(self.spent);
        let share = left.div_f32((moves - MOVES_IN_SIGHT).max(FEWEST_SHARES));
        (share.mul_f32(1.2).min(left), share.mul_f32(0.6))
    }
}

/// The last moves need no time: the mate is in sight.
const MOVES_IN_SIGHT: f32 = 5.0;
/// Into no fewer shares is the time divided: the guess of the moves to come may be wrong.
const FEWEST_SHARES: f32 = 5.0;
