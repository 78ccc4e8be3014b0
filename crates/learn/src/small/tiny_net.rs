//! Our own small networks, taught by exact tables: how well can an endgame be played with 200 bytes
//! of weights?
//!
//! The network sees positions with white to move and guesses white's moves to mate. It is told more
//! telling things than document S tells its own (the room left to the bare king, where the kings
//! stand), most of them as the choice of a row of weights, and its weights take four bits each, to
//! which they are rounded while it still learns. Two things are learned at once: the distance itself
//! (squared error), and which of two moves from one position is better (after black's best answers;
//! `ranking` says what that is worth), because a search only compares.
//!
//! Most positions never come up in a game. Positions may be taken from games between perfect players
//! instead (`played`) and from games that the network itself plays, with a search, against perfect
//! play (`own`): there it meets the positions that its own mistakes lead to, where without them it
//! would go round and round. Of such a training, the network that did best in these games is kept.
//!
//! The teacher is the solver, and the recipe says so by name. An *episode* of the run is one batch.

use std::sync::Arc;

use play::{
    TinyNetwork,
    features::View,
    tiny_network::{Activation, Blueprint, MAX_HIDDEN},
};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Board, Color, FewMen, Material};
use truth::Oracle;

use play::Registry;
use std::sync::atomic::AtomicBool;

use crate::{
    Course, Endgame, EndgameLearner, Episode, Episodes, Extent, Folding, LearnError, Learner,
    LearnerMaker, LearnerSettings, Learns, Metrics, Preference, Recipe, Skill,
    distances::textbook::Textbook,
    endgames::as_endgame_learner,
    learner::{below, load_random, save_random},
    net::Examples,
    runs::metrics::POSITIONS_MET,
    runs::record::{Reader, Writer},
    runs::settings::{Setting, settings},
    small::own_games::{OwnGames, moves_in_test},
    small::tiny::Student,
    small::tiny_lessons::Lessons,
};

settings! {
    /// The settings of the learner.
    pub struct TinyNetSettings {
        /// Hidden neurons; 0 for as many as 200 bytes hold.
        hidden: usize = 0, 0.0..=4096.0;
        /// Bits to a stored weight, 2 to 8.
        bits: u32 = 4, 2.0..=8.0;
        /// Examples in a batch; half of them come in pairs.
        batch: usize = 512, 4.0..=1e6;
        /// The learning rate at the start; it falls to zero along half a cosine.
        rate: f64 = 0.01, 0.0..=1.0;
        /// What telling pairs of moves apart is worth beside the squared error; below 0: what suits the
        /// endgame.
        ranking: f32 = -1.0, -1.0..=1e3;
        /// The share of positions for which the distance to mate is drawn first, all distances alike;
        /// for the others the position is. A game comes through all distances, however rare they are.
        even: f64 = 0.0, 0.0..=1.0;
        /// The share of positions that come from games in which both sides play perfectly. Most of all
        /// positions never come up in a game, and so few weights should not be spent on them. Below 0:
        /// what suits the endgame.
        played: f64 = -1.0, -1.0..=1.0;
        /// The share of positions that come from the network's own games against perfect play, once
        /// there are some; `played` and the rest share what is left. Below 0: what suits the endgame.
        own: f64 = -1.0, -1.0..=1.0;
    }
}

/// The most bytes that weights may take where the number of neurons is left to the recipe.
const MOST_BYTES: usize = 200;
/// Own games are played from this point of the training on, 0 to 1: when weights are rounded. So often
/// in the whole training.
const OWN_GAMES_FROM: f64 = 0.3;
const TIMES_OF_OWN_GAMES: u64 = 20;
/// Test games are played in the second half, and five times as often: from one test to the next a network
/// that won nearly all of them may lose a tenth, and win them back.
const TESTS_FROM: f64 = 0.5;
const TIMES_OF_TESTS: u64 = 100;

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "tiny-net",
    summary: "a network of at most 200 bytes for a search, taught by exact tables; episodes are \
              batches",
    taught: true,
    whole_game: false,
    episodes: Episodes::Batches,
    learns: Learns::Weights,
    best_for: Some("200 bytes"),
    maker: LearnerMaker::of::<TinyNetSettings>(),
};

impl LearnerSettings for TinyNetSettings {
    const SETTINGS: &[Setting] = TinyNetSettings::EXPLAINED;

    fn learner(self, course: Course, _: Option<&Registry>) -> Result<Box<dyn Learner>, LearnError> {
        let (material, board) = course.task.endgame()?;
        Ok(Box::new(TinyNetLearner::new(
            self,
            material,
            board,
            course.episodes,
            course.seed,
        )?))
    }
}

/// The learner.
pub struct TinyNetLearner {
    endgame: Endgame,
    settings: TinyNetSettings,
    student: Student,
    batches: u64,
    done: u64,
    random: ChaCha8Rng,
    teacher: Option<Arc<dyn Oracle>>,
    textbook: Textbook,
    /// Where the game stands that positions are taken from, white to move.
    game: Option<FewMen>,
    own_games: OwnGames,
    /// The student that needed the fewest moves in test games so far, and how many.
    best: Option<(u64, Vec<u8>)>,
}

impl TinyNetLearner {
    /// A learner that knows nothing yet.
    ///
    /// # Errors
    /// When there are no inputs for the endgame, or a setting makes no sense.
    pub fn new(
        settings: TinyNetSettings,
        material: Material,
        board: Board,
        batches: u64,
        seed: u64,
    ) -> Result<TinyNetLearner, LearnError> {
        let name = material.to_string();
        let lessons = Lessons::of(&name).filter(|_| board.is_standard());
        let lessons = lessons.ok_or_else(|| LearnError::BadSetting {
            name: "endgame".into(),
            value: format!("{name} on {board}"),
            why: "small networks are made for KQK, KRK, KBBK and KBNK on 8×8".into(),
        })?;
        let mut settings = settings;
        if settings.ranking < 0.0 {
            settings.ranking = lessons.ranking;
        }
        if settings.played < 0.0 {
            settings.played = lessons.played;
        }
        if settings.own < 0.0 {
            settings.own = lessons.own;
        }
        let mean = 10.0;
        let mut blueprint = Blueprint {
            material: name,
            bare_to_move: false,
            activation: Activation::Relu,
            hidden: settings.hidden,
            bits: settings.bits,
            inputs: lessons.inputs,
        };
        while settings.hidden == 0 && blueprint.hidden < MAX_HIDDEN {
            blueprint.hidden += 1;
            if blueprint.weight_bytes() > MOST_BYTES {
                blueprint.hidden -= 1;
                break;
            }
        }
        Ok(TinyNetLearner {
            endgame: Endgame::new(material, board, Folding::Full)?,
            student: Student::new(blueprint, mean, seed)?.cutting(lessons.cut),
            settings,
            batches,
            done: 0,
            random: ChaCha8Rng::seed_from_u64(seed ^ 0x7469_6e79),
            teacher: None,
            textbook: Textbook::default(),
            game: None,
            own_games: OwnGames::default(),
            best: None,
        })
    }

    /// The answers of the framework and of the plain loops to some positions.
    pub fn both_answers(&self, positions: &[FewMen]) -> Vec<(f32, f32)> {
        self.student.both_answers(&self.endgame, positions)
    }

    fn open_textbook(&mut self, stop: &AtomicBool) -> Result<(), LearnError> {
        if self.textbook.is_empty() {
            let teacher = self.teacher.as_ref().ok_or(LearnError::NoTeacher)?;
            self.textbook = Textbook::new(&self.endgame, teacher.as_ref(), stop)?;
        }
        Ok(())
    }

    /// Is it one of so large a share of all cases?
    fn lot(&mut self, share: f64) -> bool {
        (below(&mut self.random, 1 << 16) as f64) < share * 65_536.0
    }

    /// A won position: one of the network's own games, the next one of the perfect game, or one drawn
    /// by lot.
    fn draw(&mut self) -> FewMen {
        if !self.own_games.is_empty() && self.lot(self.settings.own) {
            let men = self.own_games.draw(&self.endgame, &mut self.random);
            return men.unwrap_or_else(|| self.draw_anywhere());
        }
        if self.settings.played <= 0.0 || !self.lot(self.settings.played) {
            return self.draw_anywhere();
        }
        let men = match self.game.take() {
            Some(men) => men,
            None => self.draw_anywhere(),
        };
        self.game = self.textbook.play_on(&self.endgame, men, &mut self.random);
        men
    }

    fn draw_anywhere(&mut self) -> FewMen {
        let even = self.lot(self.settings.even);
        self.textbook.draw(&self.endgame, even, &mut self.random)
    }

    /// The positions after two of white's moves, black having answered as well as it can.
    fn draw_pair(&mut self) -> [FewMen; 2] {
        loop {
            let men = self.draw();
            let targets = self.endgame.rules.targets(men);
            let count = targets.len();
            let (first, second) = (
                below(&mut self.random, count),
                below(&mut self.random, count),
            );
            let behind = |n: usize| {
                let next = self.endgame.rules.after(men, targets.nth(n));
                self.textbook.best_answer(&self.endgame, next)
            };
            if let (true, Some(a), Some(b)) = (first != second, behind(first), behind(second)) {
                return [a, b];
            }
        }
    }

    /// Is it time for something that happens so often in a training, from this point of it on?
    fn is_time(&self, times: u64, from: f64) -> bool {
        let every = (self.batches / times).max(1);
        let course = self.done as f64 / self.batches.max(1) as f64;
        self.settings.own > 0.0 && course >= from && self.done.is_multiple_of(every)
    }

    fn play_own_games(&mut self, stop: &AtomicBool) -> Result<(), LearnError> {
        let network = self.student.network();
        let (endgame, textbook) = (&self.endgame, &self.textbook);
        self.own_games
            .play(&network, endgame, textbook, &mut self.random, stop)
    }

    /// Keeps the network as it is if no earlier one did better in test games.
    fn test(&mut self, stop: &AtomicBool) -> Result<(), LearnError> {
        let network = self.student.network();
        let moves = moves_in_test(&network, &self.endgame, &self.textbook, stop)?;
        if self.best.as_ref().is_none_or(|(best, _)| moves < *best) {
            let mut record = Writer::default();
            self.student.save(&mut record);
            self.best = Some((moves, record.into_bytes()));
        }
        Ok(())
    }

    /// Goes back to the network that did best in its own games. Trainings end alike by their error, and
    /// yet some of their networks go round in circles that others do not.
    fn return_to_best(&mut self) -> Result<(), LearnError> {
        match &self.best {
            Some((_, record)) => self.student.load(&mut Reader::new(record)),
            None => Ok(()),
        }
    }

    fn add(&self, men: FewMen, examples: &mut Examples) {
        if let Some(view) = View::of_few_men(&self.endgame.rules, men) {
            self.student.tell(&view, examples);
            let label = self.textbook.moves_to_mate(self.endgame.index.index(men));
            examples.labels.push(label.into());
        }
    }
}

impl Learner for TinyNetLearner {
    as_endgame_learner!();

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        self.open_textbook(stop)?;
        if self.is_time(TIMES_OF_OWN_GAMES, OWN_GAMES_FROM) {
            self.play_own_games(stop)?;
        }
        let mut examples = Examples::default();
        let pairs = self.settings.batch / 4;
        for _ in 0..self.settings.batch - 2 * pairs {
            let men = self.draw();
            self.add(men, &mut examples);
        }
        examples.pairs_from = examples.labels.len();
        for _ in 0..pairs {
            for men in self.draw_pair() {
                self.add(men, &mut examples);
            }
        }
        let course = self.done as f64 / self.batches.max(1) as f64;
        let (rate, ranking) = (self.settings.rate, self.settings.ranking);
        self.student.learn(&examples, course, rate, ranking);
        self.done += 1;
        if self.is_time(TIMES_OF_TESTS, TESTS_FROM) {
            self.test(stop)?;
        }
        if self.done == self.batches {
            self.return_to_best()?;
        }
        Ok(Episode::Studied {
            examples: examples.labels.len() as u32,
            right: None,
        })
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        vec![(POSITIONS_MET, self.extent().visited as f64)]
    }

    fn bytes(&self) -> u64 {
        self.student.bytes()
    }

    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![("network.ltn", self.student.network().to_bytes())]
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.done);
        save_random(&self.random, out);
        let game = self
            .game
            .map(|men| 1 + self.endgame.index.index(men) as u64);
        out.u64(game.unwrap_or(0));
        self.own_games.save(out);
        self.student.save(out);
        if let Some((moves, record)) = &self.best {
            out.u64(*moves);
            out.bytes(record);
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.done = from.u64()?;
        self.random = load_random(from)?;
        let game = from.u64()?.checked_sub(1).map(|number| number as usize);
        let index = &self.endgame.index;
        let game = game.filter(|&number| number < index.states());
        self.game = game.and_then(|number| index.position(number, Color::White));
        self.own_games = OwnGames::load(&self.endgame, from)?;
        self.student.load(from)?;
        self.best = match from.is_empty() {
            true => None,
            false => Some((from.u64()?, from.bytes()?.to_vec())),
        };
        Ok(())
    }
}

impl Skill for TinyNetLearner {
    fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    fn choose(&self, men: FewMen) -> Option<Preference> {
        let m = self.student.choose(&self.endgame, men)?;
        Some(Preference { m, visited: true })
    }

    fn network(&self) -> Option<Arc<TinyNetwork>> {
        Some(self.student.network())
    }
}

impl EndgameLearner for TinyNetLearner {
    fn teach(&mut self, teacher: Arc<dyn Oracle>) {
        self.teacher = Some(teacher);
    }

    fn training_error(&mut self) -> Option<f64> {
        self.open_textbook(&AtomicBool::new(false)).ok()?;
        let network = self.student.network();
        let Endgame { rules, index } = &self.endgame;
        let errors = self.textbook.won().iter().filter_map(|&number| {
            let men = index.position(number as usize, Color::White)?;
            let guess = network.moves(&View::of_few_men(rules, men)?);
            let label = self.textbook.moves_to_mate(number as usize);
            Some(f64::from(guess - f32::from(label)).powi(2))
        });
        Some(errors.sum::<f64>() / self.textbook.won().len() as f64)
    }

    fn extent(&self) -> Extent {
        Extent {
            visited: self.textbook.won().len() as u64,
            visits: self.done * self.settings.batch as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use truth::Tablebase;

    use super::*;

    #[test]
    fn the_network_that_did_best_in_its_own_games_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tablebase::new(folder.path());
        let kqk: Material = "KQK".parse().unwrap();
        tables.ensure(kqk, Board::STANDARD, &|_| true).unwrap();
        let settings = TinyNetSettings {
            own: 0.4,
            ..TinyNetSettings::default()
        };
        let mut learner = TinyNetLearner::new(settings, kqk, Board::STANDARD, 40, 1).unwrap();
        learner.teach(Arc::new(tables));
        let mut moves = Vec::new();
        for _ in 0..40 {
            learner.episode(&AtomicBool::new(false)).unwrap();
            moves.extend(learner.best.as_ref().map(|(moves, _)| *moves));
        }
        // It gets better, and what is kept never gets worse.
        let improved = moves[0] > moves[moves.len() - 1];
        assert!(moves.is_sorted_by(|a, b| a >= b) && improved, "{moves:?}");
        let mut record = Writer::default();
        learner.student.save(&mut record);
        let (_, best) = learner.best.as_ref().unwrap();
        assert!(record.into_bytes() == *best);
    }
}
