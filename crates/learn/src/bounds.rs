//! Two bounds on the distance to mate, learned by self-play.
//!
//! For every position the learner keeps a *lower* bound on the number of white's moves to mate
//! (nothing quicker is possible) and an *upper* bound (it knows a way that takes no longer). At
//! first it knows nothing: mate may be near, or never come. It then plays games against itself in
//! which both sides hope: white moves to the position with the smallest lower bound, black to the
//! one with the largest upper bound. Where they meet, hope is tested. On every position it meets,
//! a full-width backup corrects both bounds from those of the positions one move on; when the game
//! ends, the same positions are backed up again from the last to the first, so that news travels
//! the whole game at once. A position whose bounds have met is *known*: a game that reaches one is
//! over, there is nothing to learn from the rest. New games start from random positions that are
//! not yet known, and when none can be found the learner says that it has finished: nobody has to
//! tell it.
//!
//! This is real-time dynamic programming (Barto, Bradtke and Singh 1995) with two bounds (McMahan,
//! Likhachev and Gordon 2005), carried over to two players. It learns from play alone: it knows the
//! rules as the papers' learners do, asks no oracle, and changes only what it knows about positions
//! met in its games.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{BoardEnding, Color, FewMen, FewMove, Targets};
use serde::{Deserialize, Serialize};

use crate::Endgame;

/// No mate at all, or none within the move limit.
pub const NEVER: u8 = u8::MAX;

/// Where games begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Starts {
    /// At random positions.
    Uniform,
    /// At random positions whose bounds have not met.
    Unsure,
}

/// The settings of the learner.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BoundsSettings {
    /// Where games begin.
    pub starts: Starts,
    /// Back the positions of a finished game up again, last to first?
    pub replay: bool,
    /// Stop a game at a known position?
    pub stop_at_known: bool,
    /// White's moves in a game, and the longest mate that counts as one.
    pub move_limit: u8,
    /// With `starts = "unsure"`: this many known positions in a row end the training, in multiples
    /// of the size of the table.
    pub patience: f64,
}

impl Default for BoundsSettings {
    fn default() -> Self {
        BoundsSettings {
            starts: Starts::Unsure,
            replay: true,
            stop_at_known: true,
            move_limit: 50,
            patience: 20.0,
        }
    }
}

/// What is known about the distance to mate from a position, in white's moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Nothing quicker is possible.
    pub lower: u8,
    /// A way that takes no longer is known.
    pub upper: u8,
}

impl Bounds {
    /// Nothing is known, not even the rules' own verdict on the position.
    const UNSEEN: Bounds = Bounds {
        lower: 0,
        upper: NEVER,
    };
    const MATE: Bounds = Bounds { lower: 0, upper: 0 };
    const DRAW: Bounds = Bounds {
        lower: NEVER,
        upper: NEVER,
    };

    /// Have the bounds met?
    #[inline]
    pub fn known(self) -> bool {
        self.lower == self.upper
    }
}

/// The learner.
#[derive(Clone, Debug)]
pub struct BoundsLearner {
    endgame: Endgame,
    settings: BoundsSettings,
    /// Positions with white to move: only those met in games.
    white: Vec<Bounds>,
    /// Positions with black to move: those a move of white's has led to, at least in thought.
    black: Vec<Bounds>,
    random: ChaCha8Rng,
    finished: bool,
    path: Vec<(FewMen, Targets)>,
    /// Backups so far.
    pub backups: u64,
}

/// How a training game went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Episode {
    /// It was played; so many plies, and whether white mated or reached a known win.
    Played {
        /// Plies.
        plies: u32,
        /// Did white win?
        won: bool,
    },
    /// There is nothing left to learn.
    Finished,
}

impl BoundsLearner {
    /// A learner that knows nothing.
    pub fn new(endgame: Endgame, settings: BoundsSettings, seed: u64) -> BoundsLearner {
        let states = endgame.index.states();
        BoundsLearner {
            endgame,
            settings,
            white: vec![Bounds::UNSEEN; states],
            black: vec![Bounds::UNSEEN; states],
            random: ChaCha8Rng::seed_from_u64(seed),
            finished: false,
            path: Vec::new(),
            backups: 0,
        }
    }

    /// The endgame.
    pub fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    /// What is known about a position with white to move.
    pub fn white(&self, men: FewMen) -> Bounds {
        self.white[self.endgame.index.index(men)]
    }

    /// Plays one game and learns from it.
    pub fn episode(&mut self) -> Episode {
        let Some((mut men, mut targets)) = self.start() else {
            self.finished = true;
            return Episode::Finished;
        };
        self.path.clear();
        let limit = 2 * usize::from(self.settings.move_limit);
        let salt = rand::Rng::next_u32(&mut self.random);
        let mut won = false;
        while self.path.len() < limit {
            self.path.push((men, targets));
            let (bounds, m) = self.backup(men, &targets, salt);
            let Some(m) = m else {
                won = bounds.upper != NEVER;
                break;
            };
            if bounds.known() && self.settings.stop_at_known {
                won = bounds.upper != NEVER;
                break;
            }
            men = self.endgame.after(men, m);
            targets = self.endgame.rules.targets(men);
        }
        let plies = self.path.len() as u32 - 1;
        if self.settings.replay {
            let path = std::mem::take(&mut self.path);
            for &(men, targets) in path.iter().rev().skip(1) {
                self.backup(men, &targets, 0);
            }
            self.path = path;
        }
        Episode::Played { plies, won }
    }

    fn start(&mut self) -> Option<(FewMen, Targets)> {
        let patience = (self.settings.patience * self.white.len() as f64) as u64;
        for _ in 0..patience.max(1) {
            let men = self.endgame.rules.random(Color::White, &mut self.random);
            let unsure = !self.white[self.endgame.index.index(men)].known();
            if unsure || self.settings.starts == Starts::Uniform {
                let men = self.endgame.index.canonical(men).0;
                return Some((men, self.endgame.rules.targets(men)));
            }
        }
        None
    }

    /// Corrects the bounds of a position from those one move on; returns them and a hopeful move.
    fn backup(&mut self, men: FewMen, targets: &Targets, salt: u32) -> (Bounds, Option<FewMove>) {
        self.backups += 1;
        let number = self.endgame.index.index(men);
        match men.turn {
            Color::White => {
                let (bounds, m) = self.white_backup(men, targets, salt);
                self.white[number] = bounds;
                (bounds, m)
            }
            Color::Black => {
                let (bounds, m) = self.black_backup(men, targets, salt);
                self.black[number] = bounds;
                (bounds, m)
            }
        }
    }

    fn white_backup(
        &mut self,
        men: FewMen,
        targets: &Targets,
        salt: u32,
    ) -> (Bounds, Option<FewMove>) {
        if self.endgame.rules.ending(men, targets).is_some() {
            return (Bounds::DRAW, None); // white cannot win by being mated, either
        }
        let mut best = Bounds::DRAW;
        let mut choice = None;
        let mut choice_key = u32::MAX;
        for m in targets.iter() {
            let next = self.endgame.rules.after(men, m);
            let number = self.endgame.index.index(next);
            let bounds = self.look(next, number);
            best.lower = best.lower.min(bounds.lower);
            best.upper = best.upper.min(bounds.upper);
            let key = u32::from(bounds.lower) << 24 | noise(number, salt);
            if key < choice_key {
                choice_key = key;
                choice = Some(m);
            }
        }
        let one_more = |distance: u8| match distance.saturating_add(1) {
            more if more > self.settings.move_limit => NEVER,
            more => more,
        };
        let bounds = Bounds {
            lower: one_more(best.lower),
            upper: one_more(best.upper),
        };
        (bounds, choice)
    }

    fn black_backup(
        &mut self,
        men: FewMen,
        targets: &Targets,
        salt: u32,
    ) -> (Bounds, Option<FewMove>) {
        if let Some(bounds) = self.verdict(men, targets) {
            return (bounds, None);
        }
        let mut best = Bounds { lower: 1, upper: 0 };
        let mut choice = None;
        let mut choice_key = 0;
        for m in targets.iter() {
            let next = self.endgame.rules.after(men, m);
            let number = self.endgame.index.index(next);
            let bounds = self.white[number];
            best.lower = best.lower.max(bounds.lower);
            best.upper = best.upper.max(bounds.upper);
            // Nothing is left to learn behind a known position unless it is the best defence.
            let key = u32::from(bounds.upper) << 24 | noise(number, salt);
            let key = if bounds.known() { 0 } else { key };
            if key >= choice_key {
                choice_key = key;
                choice = Some(m);
            }
        }
        (best, choice)
    }

    /// What is known about a position with black to move, looking at the board the first time.
    fn look(&mut self, men: FewMen, number: usize) -> Bounds {
        let bounds = self.black[number];
        if bounds != Bounds::UNSEEN {
            return bounds;
        }
        let targets = self.endgame.rules.targets(men);
        let bounds = self.verdict(men, &targets).unwrap_or(Bounds {
            lower: 1,
            upper: NEVER,
        });
        self.black[number] = bounds;
        bounds
    }

    /// What the rules say about a position with black to move, if they say anything.
    fn verdict(&self, men: FewMen, targets: &Targets) -> Option<Bounds> {
        match self.endgame.rules.ending(men, targets) {
            Some(BoardEnding::Checkmate) => Some(Bounds::MATE),
            Some(_) => Some(Bounds::DRAW),
            None => {
                let rules = &self.endgame.rules;
                let takes = men
                    .others
                    .into_iter()
                    .flatten()
                    .filter(|&square| targets.by_man[0].contains(square))
                    .any(|to| {
                        rules.is_insufficient_material(rules.after(men, FewMove { man: 0, to }))
                    });
                takes.then_some(Bounds::DRAW)
            }
        }
    }

    /// White's move by what is known: the shortest known win, else the most hopeful move.
    ///
    /// `men` must be the standard image of the position.
    pub fn greedy(&self, men: FewMen) -> Option<FewMove> {
        let targets = self.endgame.rules.targets(men);
        targets.iter().min_by_key(|&m| {
            let next = self.endgame.rules.after(men, m);
            let bounds = self.black[self.endgame.index.index(next)];
            (bounds.upper, bounds.lower)
        })
    }
}

/// Breaks ties differently in every game.
#[inline]
fn noise(number: usize, salt: u32) -> u32 {
    (number as u32 ^ salt).wrapping_mul(0x9E37_79B1) >> 8
}
