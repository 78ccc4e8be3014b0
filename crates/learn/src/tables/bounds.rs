//! Two bounds on the distance to mate, learned by self-play.
//!
//! For every position the learner keeps a *lower* bound on the number of white's moves to mate
//! (nothing quicker is possible) and an *upper* bound (it knows a way that takes no longer). At
//! first it knows nothing: mate may be near, or never come. It then plays games against itself in
//! which both sides hope: white moves to the position with the smallest lower bound, black to the
//! one with the largest upper bound. Where they meet, hope is tested. On every position it meets,
//! a full-width backup corrects both bounds from those of the positions one move on; when the game
//! ends, the same positions are backed up again from the last to the first, so that news travels
//! the whole game at once. A position whose bounds have met is *known*. New games start from random
//! positions that are not yet known, black prefers replies that are not, and when no start can be
//! found any more the learner says that it has finished: nobody has to tell it.
//!
//! This is real-time dynamic programming (Barto, Bradtke and Singh 1995) with two bounds (McMahan,
//! Likhachev and Gordon 2005), carried over to two players. It learns from play alone: it knows the
//! rules as the papers' learners do, asks no oracle, and changes only what it knows about positions
//! met in its games.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Board, BoardEnding, Color, FewMen, FewMove, Material, Targets};
use serde::{Deserialize, Serialize};

use play::Registry;
use std::sync::atomic::AtomicBool;

use crate::{
    Course, Endgame, EndgameLearner, Episode, Episodes, Extent, Folding, LearnError, Learner,
    LearnerMaker, LearnerSettings, Learns, Metrics, Preference, Recipe, Skill,
    endgames::as_endgame_learner,
    learner::go_on,
    learner::{load_random, save_random},
    runs::metrics::POSITIONS_MET,
    runs::record::{Reader, Writer},
    runs::settings::{Setting, settings},
};

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

settings! {
    /// The settings of the learner.
    pub struct BoundsSettings {
        /// Where games begin: at any random position (`uniform`), or at one whose bounds have not met (`unsure`).
        starts: Starts = Starts::Unsure;
        /// Back the positions of a finished game up again, last to first?
        replay: bool = true;
        /// Stop a game at a known position? It saves a quarter of the moves and takes twice the games,
        /// because behind a known position there are often defences that are not known yet.
        stop_at_known: bool = false;
        /// White's moves in a game, and the longest mate that counts as one.
        move_limit: u8 = 50, 1.0..=254.0;
        /// With `starts = "unsure"`: this many known positions in a row end the training, in multiples
        /// of the size of the table.
        patience: f64 = 20.0, 0.0..=1e6;
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

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "two-bounds",
    summary: "plays against itself and keeps, of every position, the fewest and the most moves to mate that are \
              still possible; stops when the two have met everywhere, which is exact play",
    taught: false,
    whole_game: false,
    episodes: Episodes::Games,
    learns: Learns::Tables,
    best_for: Some("tabular"),
    maker: LearnerMaker::of::<BoundsSettings>(),
};

impl LearnerSettings for BoundsSettings {
    const SETTINGS: &[Setting] = BoundsSettings::EXPLAINED;

    fn learner(self, course: Course, _: Option<&Registry>) -> Result<Box<dyn Learner>, LearnError> {
        let (material, board) = course.task.endgame()?;
        Ok(Box::new(BoundsLearner::new(
            self,
            material,
            board,
            course.seed,
        )?))
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
    visited: u64,
    visits: u64,
    /// The game being played; empty between games.
    path: Vec<(FewMen, Targets)>,
}

impl BoundsLearner {
    /// A learner that knows nothing.
    ///
    /// # Errors
    /// When the endgame does not fit the compact form.
    pub fn new(
        settings: BoundsSettings,
        material: Material,
        board: Board,
        seed: u64,
    ) -> Result<BoundsLearner, LearnError> {
        let endgame = Endgame::new(material, board, Folding::Full)?;
        let states = endgame.index.states();
        Ok(BoundsLearner {
            endgame,
            settings,
            white: vec![Bounds::UNSEEN; states],
            black: vec![Bounds::UNSEEN; states],
            random: ChaCha8Rng::seed_from_u64(seed),
            visited: 0,
            visits: 0,
            path: Vec::new(),
        })
    }

    /// What is known about a position.
    pub fn bounds(&self, men: FewMen) -> Bounds {
        let number = self.endgame.index.index(men);
        match men.turn {
            Color::White => self.white[number],
            Color::Black => self.black[number],
        }
    }

    /// Plays a game from a position; returns whether white has won it, or is known to.
    fn play(&mut self, mut men: FewMen) -> bool {
        let limit = 2 * usize::from(self.settings.move_limit);
        let salt = self.random.next_u32();
        self.path.clear();
        loop {
            let targets = self.endgame.rules.targets(men);
            self.path.push((men, targets));
            let (bounds, m) = self.backup(men, &targets, salt);
            let over = self.path.len() > limit || bounds.known() && self.settings.stop_at_known;
            match m {
                Some(m) if !over => men = self.endgame.after(men, m),
                _ => return bounds.known() && bounds.upper != NEVER,
            }
        }
    }

    /// Backs the positions of the game up again, from the last to the first.
    fn replay(&mut self) {
        let path = std::mem::take(&mut self.path);
        for &(men, targets) in path.iter().rev().skip(1) {
            self.backup(men, &targets, 0);
        }
        self.path = path;
    }

    /// A position to start from, `None` when the learner finds none that it does not know.
    fn start(&mut self, stop: &AtomicBool) -> Result<Option<FewMen>, LearnError> {
        let patience = (self.settings.patience * self.white.len() as f64) as u64;
        for _ in 0..patience.max(1) {
            go_on(stop)?;
            let men = self.endgame.rules.random(Color::White, &mut self.random);
            let (men, _, number) = self.endgame.index.canonical_and_index(men);
            if self.settings.starts == Starts::Uniform || !self.white[number].known() {
                return Ok(Some(men));
            }
        }
        Ok(None)
    }

    /// Corrects the bounds of a position from those one move on; returns them and a hopeful move.
    fn backup(&mut self, men: FewMen, targets: &Targets, salt: u32) -> (Bounds, Option<FewMove>) {
        let number = self.endgame.index.index(men);
        match men.turn {
            Color::White => {
                let (bounds, m) = self.white_backup(men, targets, salt);
                self.visited += u64::from(self.white[number] == Bounds::UNSEEN);
                self.visits += 1;
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

    /// White's best move: the shortest known win, else the most hopeful move.
    fn best_attack(&self, men: FewMen, targets: &Targets) -> Option<FewMove> {
        targets.iter().min_by_key(|&m| {
            let bounds = self.bounds(self.endgame.rules.after(men, m));
            (bounds.upper, bounds.lower)
        })
    }

    /// Black's best move: where no win is known, else the longest known win.
    fn best_defence(&self, men: FewMen, targets: &Targets) -> Option<FewMove> {
        let rules = &self.endgame.rules;
        targets.iter().min_by_key(|&m| {
            let next = rules.after(men, m);
            let bounds = if rules.is_insufficient_material(next) {
                Bounds::DRAW
            } else {
                self.bounds(next)
            };
            (NEVER - bounds.upper, NEVER - bounds.lower)
        })
    }
}

impl Learner for BoundsLearner {
    as_endgame_learner!();

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        let Some(start) = self.start(stop)? else {
            return Ok(Episode::Finished);
        };
        let won = self.play(start);
        if self.settings.replay {
            self.replay();
        }
        let plies = self.path.len() as u32 - 1;
        Ok(Episode::Played { plies, won })
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        vec![(POSITIONS_MET, self.extent().visited as f64)]
    }

    fn bytes(&self) -> u64 {
        2 * (self.white.len() + self.black.len()) as u64
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.visited);
        out.u64(self.visits);
        save_random(&self.random, out);
        for table in [&self.white, &self.black] {
            let bytes: Vec<u8> = table.iter().flat_map(|b| [b.lower, b.upper]).collect();
            out.bytes(&bytes);
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.visited = from.u64()?;
        self.visits = from.u64()?;
        self.random = load_random(from)?;
        for table in [&mut self.white, &mut self.black] {
            let (bounds, rest) = from.bytes()?.as_chunks::<2>();
            if bounds.len() != table.len() || !rest.is_empty() {
                return Err(LearnError::Record);
            }
            for (slot, &[lower, upper]) in table.iter_mut().zip(bounds) {
                *slot = Bounds { lower, upper };
            }
        }
        Ok(())
    }
}

impl Skill for BoundsLearner {
    fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    fn choose(&self, men: FewMen) -> Option<Preference> {
        let targets = self.endgame.rules.targets(men);
        let m = match men.turn {
            Color::White => self.best_attack(men, &targets),
            Color::Black => self.best_defence(men, &targets),
        };
        let visited = self.bounds(men) != Bounds::UNSEEN;
        m.map(|m| Preference { m, visited })
    }
}

impl EndgameLearner for BoundsLearner {
    fn extent(&self) -> Extent {
        Extent {
            visited: self.visited,
            visits: self.visits,
        }
    }
}

/// Breaks ties differently in every game.
#[inline]
fn noise(number: usize, salt: u32) -> u32 {
    (number as u32 ^ salt).wrapping_mul(0x9E37_79B1) >> 8
}
