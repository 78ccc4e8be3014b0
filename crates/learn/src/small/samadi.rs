//! Document S: a network of five hidden neurons that maps features of a position to the moves until
//! mate (Samadi, Azimifar & Zolghadri Jahromi 2007).
//!
//! Nothing here has seen a tablebase. The positions come from games played backwards from mates
//! ([`RetroPlay`]), their labels from a search that remembers what it has found ([`MateSearch`]).
//! The network is told the features of the paper's Tables 1 to 4. Several of them speak of check, so
//! the positions are those with black to move, which is where a search with white to move in the root
//! looks last after its own move.
//!
//! An *episode* of the run is one batch; the positions are made before the first one.

use serde::{Deserialize, Serialize};
use std::{collections::HashSet, sync::Arc};

use play::{
    TinyNetwork,
    features::{Feature, View},
    tiny_network::{Activation, Blueprint, Form},
};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Board, FewMen, Material};

use play::Registry;
use std::sync::atomic::AtomicBool;

use crate::{
    Course, Endgame, EndgameLearner, Episode, Episodes, Extent, Folding, LearnError, Learner,
    LearnerMaker, LearnerSettings, Learns, Metrics, Preference, Recipe, Skill,
    endgames::as_endgame_learner,
    learner::go_on,
    learner::{below, load_random, save_random},
    net::Examples,
    runs::metrics::{POSITIONS_MET, SQUARED_ERROR},
    runs::record::{Reader, Writer},
    runs::settings::{Setting, settings},
    small::mate_search::MateSearch,
    small::retro_play::RetroPlay,
    small::tiny::Student,
};

/// What a network is told about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sight {
    /// The features of the paper's Tables 1 to 4.
    Features,
    /// Files and ranks of all men as numbers, which is what the paper says others did, with less success.
    Coordinates,
    /// The same with a weight for each file and each rank instead of one for all.
    Lines,
}

settings! {
    /// The settings of the learner.
    pub struct SamadiSettings {
        /// Hidden neurons; the paper has five.
        hidden: usize = 5, 1.0..=4096.0;
        /// What the network is told: the paper's features, or where the men stand: features, coordinates or lines.
        inputs: Sight = Sight::Features;
        /// Is the network of KBBK told how far the bare king is from the nearest corner? Table 4 does not say
        /// it, and says that it does not say everything.
        corner: bool = true;
        /// Bits to a stored weight, 2 to 8.
        bits: u32 = 8, 2.0..=8.0;
        // There are not many more positions than this in the smallest of the endgames.
        /// Training positions; the paper has 10,000.
        positions: usize = 10_000, 1.0..=15_000.0;
        /// Moves of each side that are taken back from a mate, at most.
        deepest: u32 = 40, 0.0..=1e4;
        /// Mates longer than this are not searched for; such a position counts as one move more.
        longest: u8 = 20, 1.0..=100.0;
        /// Examples in a batch.
        batch: usize = 250, 1.0..=1e6;
        /// The learning rate at the start; it falls to zero along half a cosine.
        rate: f64 = 0.01, 0.0..=1.0;
    }
}

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "samadi-net",
    summary: "a network of five neurons as in Samadi et al. (2007): it studies positions from games played backwards \
              from mate, labelled by search; episodes are batches",
    taught: false,
    whole_game: false,
    episodes: Episodes::Batches,
    learns: Learns::Weights,
    best_for: None,
    maker: LearnerMaker::of::<SamadiSettings>(),
};

impl LearnerSettings for SamadiSettings {
    const SETTINGS: &[Setting] = SamadiSettings::EXPLAINED;

    fn learner(self, course: Course, _: Option<&Registry>) -> Result<Box<dyn Learner>, LearnError> {
        let (material, board) = course.task.endgame()?;
        Ok(Box::new(SamadiLearner::new(
            self,
            material,
            board,
            course.episodes,
            course.seed,
        )?))
    }
}

/// The learner.
pub struct SamadiLearner {
    endgame: Endgame,
    settings: SamadiSettings,
    student: Student,
    batches: u64,
    seed: u64,
    done: u64,
    random: ChaCha8Rng,
    /// The training positions, black to move, and white's moves to mate.
    examples: Vec<(FewMen, u8)>,
}

impl SamadiLearner {
    /// A learner that knows nothing yet.
    ///
    /// # Errors
    /// When the paper has no features for the endgame, or a setting makes no sense.
    pub fn new(
        settings: SamadiSettings,
        material: Material,
        board: Board,
        batches: u64,
        seed: u64,
    ) -> Result<SamadiLearner, LearnError> {
        let refuse = |name: &str, value: String, why: &str| LearnError::BadSetting {
            name: name.into(),
            value,
            why: why.into(),
        };
        let name = material.to_string();
        let features = Feature::of_document_s(&name).filter(|_| board.is_standard());
        let features = features.ok_or_else(|| {
            let why = "the paper has features for KQK, KRK and KBBK on 8×8";
            refuse("endgame", format!("{name} on {board}"), why)
        })?;
        let pieces = material.men() - 2;
        let (told, form) = match settings.inputs {
            Sight::Features => (features, Form::Number),
            Sight::Coordinates => (Feature::coordinates(pieces), Form::Number),
            Sight::Lines => (Feature::coordinates(pieces), Form::Choice),
        };
        let corner = settings.corner && settings.inputs == Sight::Features && name == "KBBK";
        let blueprint = Blueprint {
            material: name,
            bare_to_move: true,
            activation: Activation::Tanh,
            hidden: settings.hidden,
            bits: settings.bits,
            inputs: told
                .iter()
                .chain(corner.then_some(&Feature::BareToCorner))
                .map(|&feature| (feature, form))
                .collect(),
        };
        Ok(SamadiLearner {
            endgame: Endgame::new(material, board, Folding::Full)?,
            student: Student::new(blueprint, 8.0, seed)?,
            settings,
            batches,
            seed,
            done: 0,
            random: ChaCha8Rng::seed_from_u64(seed ^ 0x7361_6d61),
            examples: Vec::new(),
        })
    }

    /// The training positions, black to move, and white's moves to mate as the search has found
    /// them; `longest + 1` where it has not. They follow from the seed alone.
    ///
    /// # Errors
    /// When it is told to stop.
    pub fn examples(&mut self, stop: &AtomicBool) -> Result<&[(FewMen, u8)], LearnError> {
        if self.examples.is_empty() {
            let mut examples = Vec::new();
            let mut random = ChaCha8Rng::seed_from_u64(self.seed ^ 0x7265_7472);
            let mut play = RetroPlay::new(self.settings.deepest);
            let mut search = MateSearch::new(&self.endgame);
            let mut met = HashSet::new();
            let longest = self.settings.longest;
            // Short games from mates do not lead to ever new positions: after so many games what
            // there is has to do.
            for _ in 0..100 * self.settings.positions {
                for men in play.game(&self.endgame, &mut random).into_iter().skip(1) {
                    go_on(stop)?;
                    let (men, _) = self.endgame.index.canonical(men);
                    if examples.len() < self.settings.positions && met.insert(men) {
                        let distance = search.distance(&self.endgame, men, longest);
                        examples.push((men, distance.unwrap_or(longest + 1)));
                    }
                }
                if examples.len() >= self.settings.positions {
                    break;
                }
            }
            self.examples = examples;
        }
        Ok(&self.examples)
    }

    /// The mean squared error over the training positions, in moves; `None` before there are any.
    fn squared_error(&self) -> Option<f64> {
        let network = self.student.network();
        let errors = self.examples.iter().filter_map(|&(men, label)| {
            let view = View::of_few_men(&self.endgame.rules, men)?;
            Some(f64::from(network.moves(&view) - f32::from(label)).powi(2))
        });
        let count = self.examples.len();
        (count > 0).then(|| errors.sum::<f64>() / count as f64)
    }

    /// The answers of the framework and of the plain loops to some positions.
    pub fn both_answers(&self, positions: &[FewMen]) -> Vec<(f32, f32)> {
        self.student.both_answers(&self.endgame, positions)
    }
}

impl Learner for SamadiLearner {
    as_endgame_learner!();

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        let count = self.examples(stop)?.len();
        let mut batch = Examples::default();
        for _ in 0..self.settings.batch {
            let (men, label) = self.examples[below(&mut self.random, count)];
            if let Some(view) = View::of_few_men(&self.endgame.rules, men) {
                self.student.tell(&view, &mut batch);
                batch.labels.push(label.into());
            }
        }
        batch.pairs_from = batch.labels.len();
        let course = self.done as f64 / self.batches.max(1) as f64;
        self.student.learn(&batch, course, self.settings.rate, 0.0);
        self.done += 1;
        Ok(Episode::Studied {
            examples: batch.labels.len() as u32,
            right: None,
        })
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        let mut scalars = vec![(POSITIONS_MET, self.extent().visited as f64)];
        scalars.extend(self.squared_error().map(|error| (SQUARED_ERROR, error)));
        scalars
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
        self.student.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.done = from.u64()?;
        self.random = load_random(from)?;
        self.student.load(from)
    }
}

impl Skill for SamadiLearner {
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

impl EndgameLearner for SamadiLearner {
    fn training_error(&mut self) -> Option<f64> {
        self.examples(&AtomicBool::new(false)).ok()?;
        self.squared_error()
    }

    fn extent(&self) -> Extent {
        Extent {
            visited: self.examples.len() as u64,
            visits: self.done * self.settings.batch as u64,
        }
    }
}
