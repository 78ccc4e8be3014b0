//! What games against oneself are played by, and what is learned of them.

use play::{Chances, Found, PuctSettings, Selection};
use rand_chacha::ChaCha8Rng;
use rules::{Color, Move, Position, Rules, scattered_position};

use crate::{Endgame, learner::chance};

/// What games begin with.
pub(super) enum Start {
    /// A random position of an endgame.
    Endgame(Box<Endgame>),
    /// The position that chess begins with, or, in this share of the games, men scattered by lot.
    Chess { scattered: f64 },
}

impl Start {
    pub fn position(&self, random: &mut ChaCha8Rng) -> Position {
        match self {
            // A draw of chances that is not made leaves earlier runs as they were.
            &Start::Chess { scattered } if scattered > 0.0 && chance(random) < scattered => {
                scattered_position(random)
            }
            Start::Chess { .. } => Position::start(),
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
    /// With upper confidence: plies of a game whose moves are drawn by their visits.
    pub drawn: usize,
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
    /// How much of what came of a move is how the game ended, and not what the search expected later.
    pub lambda: f64,
    /// What both sides must expect, from 0 to 1, for a game to be given up; 0: none is.
    pub resign: f64,
    /// The share of games that are played out although both sides agree, to see how often they are wrong.
    pub resign_checked: f64,
}

impl Terms {
    pub fn rules(&self) -> Rules {
        Rules::default().with_max_moves(self.max_moves)
    }

    /// The search of a move from which nothing is learned.
    pub fn quick_search(&self) -> PuctSettings {
        let quick = PuctSettings {
            simulations: self.quick,
            ..self.search
        };
        match quick.selection {
            // Noise is there to find out something, from which nothing would be learned.
            Selection::Puct(_) => quick.without_noise(),
            // Here it is what makes games differ.
            Selection::Gumbel(_) => quick,
        }
    }

    /// How many leaves a tree gives at a time. With Gumbel's selection a search finds the same with any number,
    /// because what its root moves lead to is looked at side by side; so that batches are large before games are many.
    /// By upper confidence it would find less with every one more.
    pub fn leaves(&self) -> usize {
        match self.search.selection {
            Selection::Puct(_) => 1,
            Selection::Gumbel(_) => 8,
        }
    }

    /// The move that is played after so many plies.
    pub fn choice(&self, found: &Found, plies: usize, random: &mut ChaCha8Rng) -> Move {
        if plies >= self.drawn || matches!(self.search.selection, Selection::Gumbel(_)) {
            return found.best;
        }
        let all: f32 = found.moves.iter().map(|m| m.share).sum();
        let mut left = chance(random) as f32 * all;
        let drawn = found.moves.iter().find(|m| {
            left -= m.share;
            left < 0.0
        });
        drawn.map_or(found.best, |m| m.mv)
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

    /// What is learned of the ending at each ply of a game, as loss, draw and win for the side that moved there; `turn`
    /// is to move when it ends, and `hopes` is how the search expected it to end at each ply.
    ///
    /// What came of a ply is how the game ended, and, the more the smaller λ is, what the search expected a few plies
    /// later: by then it has seen what the move led to, and less has happened by chance than until the end.
    pub fn endings(&self, winner: Option<Color>, turn: Color, hopes: &[Chances]) -> Vec<[f32; 3]> {
        let mix = |share: f64, one: [f32; 3], other: [f32; 3]| -> [f32; 3] {
            let share = share as f32;
            std::array::from_fn(|i| share * one[i] + (1.0 - share) * other[i])
        };
        let kept = self.discount as f32;
        let mut later = match winner {
            None => [0.0, 1.0, 0.0],
            Some(color) if color == turn => [0.0, 0.0, 1.0],
            Some(_) => [1.0, 0.0, 0.0],
        };
        let mut endings = Vec::with_capacity(hopes.len());
        for hope in hopes.iter().rev() {
            // A ply before it the other side is to move, and a win is worth less.
            let [loss, _, win] = later.map(|share| share * kept);
            let came = [win, 1.0 - win - loss, loss];
            let hope = [hope.loss, hope.draw, hope.win];
            endings.push(mix(self.expected_share, hope, came));
            later = mix(self.lambda, came, hope);
        }
        endings.reverse();
        endings
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn games_begin_with_scattered_men_as_often_as_is_said() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut scattered = |share: f64| {
            let start = Start::Chess { scattered: share };
            let others = (0..200).filter(|_| start.position(&mut random) != Position::start());
            others.count()
        };
        assert_eq!((scattered(0.0), scattered(1.0)), (0, 200));
        assert!((20..80).contains(&scattered(0.25)));
    }

    #[test]
    fn later_wins_are_worth_less_and_the_search_may_have_its_say() {
        let terms = |discount, expected_share, lambda| Terms {
            start: Start::Chess { scattered: 0.0 },
            search: PuctSettings::BEST,
            drawn: 0,
            quick: 1,
            full_share: 1.0,
            max_moves: 10,
            restarts: 0.0,
            surprise: 0.0,
            discount,
            expected_share,
            lambda,
            resign: 0.0,
            resign_checked: 0.0,
        };
        let white = Some(Color::White);
        let even = Chances::DRAW;
        // White moves, black moves, white mates.
        let ending = |t: &Terms| t.endings(white, Color::Black, &[even; 3]);
        let plain = terms(1.0, 0.0, 1.0);
        let (won, lost) = ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
        assert_eq!(ending(&plain), [won, lost, won]);
        let drawn = plain.endings(None, Color::Black, &[even]);
        assert_eq!(drawn, [[0.0, 1.0, 0.0]]);
        let later = ending(&terms(0.5, 0.0, 1.0));
        let expected = [[0.0, 0.875, 0.125], [0.25, 0.75, 0.0], [0.0, 0.5, 0.5]];
        assert_eq!(later, expected);
        let half = ending(&terms(1.0, 0.5, 1.0));
        assert_eq!(half[0], [0.0, 0.5, 0.5]);
        // What the search expected one ply later counts half, two plies later a quarter.
        let sooner = ending(&terms(1.0, 0.0, 0.5));
        assert_eq!(sooner, [[0.0, 0.75, 0.25], [0.5, 0.5, 0.0], won]);
    }
}
