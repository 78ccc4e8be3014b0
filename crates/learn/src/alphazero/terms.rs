//! What games against oneself are played by, and what is learned of them.

use play::{Chances, Found, PuctSettings};
use rand_chacha::ChaCha8Rng;
use rules::{Color, Position, Rules};

use crate::Endgame;

/// What games begin with.
pub(super) enum Start {
    /// A random position of an endgame.
    Endgame(Box<Endgame>),
    /// The position that chess begins with.
    Chess,
}

impl Start {
    pub fn position(&self, random: &mut ChaCha8Rng) -> Position {
        match self {
            Start::Chess => Position::start(),
            Start::Endgame(endgame) => {
                let (men, _) = endgame.random_start(random);
                let position = endgame.rules.position(men);
                position.expect("a position that the rules call possible")
            }
        }
    }
}

/// What all tables have in common.
pub(super) struct Terms {
    pub start: Start,
    /// How moves are searched for.
    pub search: PuctSettings,
    /// Simulations of a move from which nothing is learned.
    pub quick: u32,
    /// The share of moves that are searched for in full.
    pub full_share: f64,
    /// Moves of each side until a game is drawn.
    pub max_moves: u32,
    /// The share of games that begin with a position out of an earlier game, one in which the search
    /// surprised the network.
    pub restarts: f64,
    /// How much more the positions count at which the search surprised the network.
    pub surprise: f64,
    /// What a win is worth that comes a ply later: the rest of it counts as a draw.
    pub discount: f64,
    /// How much of what is learned of the ending is what the search expected, not what came.
    pub expected_share: f64,
}

impl Terms {
    pub fn rules(&self) -> Rules {
        Rules::default().with_max_moves(self.max_moves)
    }

    /// The search of a move from which nothing is learned.
    pub fn quick_search(&self) -> PuctSettings {
        PuctSettings {
            simulations: self.quick,
            ..self.search
        }
    }

    /// How the search expects the game to end. A mate that it has proven is worth what it will be
    /// worth when it comes.
    pub fn expected(&self, found: &Found) -> Chances {
        let Some(mate) = found.mate else {
            return found.chances;
        };
        let plies = if mate > 0 { 2 * mate - 1 } else { -2 * mate };
        let [loss, draw, win] = self.decided(mate > 0, plies);
        Chances { win, draw, loss }
    }

    /// Loss, draw and win where the game ends with a mate after so many plies.
    fn decided(&self, won: bool, plies: i32) -> [f32; 3] {
        let decided = self.discount.powi(plies) as f32;
        match won {
            true => [0.0, 1.0 - decided, decided],
            false => [decided, 1.0 - decided, 0.0],
        }
    }

    /// What is learned of the ending, as loss, draw and win for the side to move.
    pub fn ending(
        &self,
        winner: Option<Color>,
        mover: Color,
        plies: usize,
        expected: Chances,
    ) -> [f32; 3] {
        let came = match winner {
            None => [0.0, 1.0, 0.0],
            Some(color) => self.decided(color == mover, plies as i32),
        };
        let share = self.expected_share as f32;
        let hoped = [expected.loss, expected.draw, expected.win];
        std::array::from_fn(|i| (1.0 - share) * came[i] + share * hoped[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_wins_are_worth_less_and_the_search_may_have_its_say() {
        let terms = |discount, expected_share| Terms {
            start: Start::Chess,
            search: PuctSettings::BEST,
            quick: 1,
            full_share: 1.0,
            max_moves: 10,
            restarts: 0.0,
            surprise: 0.0,
            discount,
            expected_share,
        };
        let white = Some(Color::White);
        let even = Chances::DRAW;
        let ending = |t: &Terms, mover| t.ending(white, mover, 2, even);
        let plain = terms(1.0, 0.0);
        assert_eq!(ending(&plain, Color::White), [0.0, 0.0, 1.0]);
        assert_eq!(ending(&plain, Color::Black), [1.0, 0.0, 0.0]);
        assert_eq!(plain.ending(None, Color::Black, 2, even), [0.0, 1.0, 0.0]);
        assert_eq!(ending(&terms(0.5, 0.0), Color::White), [0.0, 0.75, 0.25]);
        assert_eq!(ending(&terms(0.5, 0.5), Color::White), [0.0, 0.875, 0.125]);
    }
}
