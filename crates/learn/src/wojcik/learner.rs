//! The learner of document W's seven networks.

use std::{
    ops::Range,
    path::Path,
    sync::{Arc, OnceLock, atomic::AtomicBool},
};

use play::{Prepared, Registry, Settings, SpecError};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{
    Code, Learnt, NETWORKS, SevenNetworks, SquareNetwork, SquareTrainer, WojcikPlayer,
    example::{Example, wings_exchanged},
    judge::{first_choices, moved},
    teacher::{Advice, Teacher},
    trainer::{Examples, Rates},
};
use crate::{
    Course, Episode, Episodes, LearnError, Learner, LearnerMaker, LearnerSettings, Learns, Metrics,
    Recipe, Task,
    games::Split,
    imitation::Library,
    learner::{below, go_on},
    net::Schedule,
    runs::record::{Reader, Writer},
    runs::settings::{Setting, settings},
    whole_games::share_won,
};

settings! {
    /// The settings of the learner.
    pub struct WojcikSettings {
        /// A file of games; `lucena games import` makes one.
        data: String = String::new();
        /// The share of the games that is held out, in percent.
        held_out: f64 = 2.0, 0.0..=100.0;
        /// How many held-out positions are judged at every point of the curve.
        judged: usize = 2000, 0.0..=1e7;
        /// How many positions the network learns from that picks the square to move from; 0 for all.
        picker: usize = 1_000_000, 0.0..=1e9;
        /// How many each of the others learns from, all with a move of its piece; 0 for all.
        pieces: usize = 200_000, 0.0..=1e9;
        /// Are the answers for black counted from H1, as the inputs are? The document counts them from A8.
        turned: bool = false;
        /// Are inputs and answers for black counted from A1, so that colours exchanged look the same? In the document they are not.
        mirrored: bool = false;
        /// Do only squares compete that some legal move leaves (the picker) or reaches (the others)? In the document all do.
        legal: bool = false;
        /// Are positions without castling rights seen with the wings exchanged in every other pass? In the document they are not.
        wings: bool = false;
        /// Do the six begin with the picker's hidden layers? It then learns in the first half of the episodes, they in the second. In the document they do not.
        inherit: bool = false;
        /// A network of `imitation`, as a file: the six learn what it thinks of their positions, not only the move that was played. It should not have learned from the held-out games. In the document there is none.
        teacher: String = String::new();
        /// How much of what is learned is the teacher's; the rest is the move that was played.
        trust: f64 = 1.0, 0.0..=1.0;
        /// Positions in a batch.
        batch: usize = 64, 1.0..=65_536.0;
        /// The highest learning rate.
        rate: f64 = 2e-3, 0.0..=1.0;
        /// Batches over which the rate rises.
        warm_up: u64 = 200, 0.0..=1e9;
        /// Weights shrink by this times the rate.
        decay: f64 = 0.0, 0.0..=10.0;
        /// The share of the mean over the last batches that a batch leaves as it is; the mean is what answers. 0: the last weights do.
        average: f64 = 0.0, 0.0..=0.99999;
        /// Are the matrices between hidden layers changed by orthogonal steps (Muon)? Otherwise all are by Adam's.
        orthogonal: bool = false;
    }
}

/// Episodes in which every network sees all its positions once.
pub const EPISODES_IN_A_PASS: u64 = 100;
/// How fast what is told of the batches fades, from episode to episode.
const FADE: f64 = 0.9;

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "wojcik-supervised",
    summary: "seven networks as in Wójcik and Wiśniewska (2021) that imitate games: one picks the square to move \
              from, six the square to move to; a hundred episodes go once through the games, so \
              the paper's ten passes are --episodes 1000",
    taught: false,
    whole_game: true,
    episodes: Episodes::Batches,
    learns: Learns::Weights,
    best_for: None,
    maker: LearnerMaker::of::<WojcikSettings>(),
};

impl LearnerSettings for WojcikSettings {
    const SETTINGS: &[Setting] = WojcikSettings::EXPLAINED;

    fn learner(self, course: Course, _: Option<&Registry>) -> Result<Box<dyn Learner>, LearnError> {
        Ok(Box::new(Wojcik::new(self, course)?))
    }
}

/// The learner.
pub struct Wojcik {
    settings: WojcikSettings,
    course: Course,
    split: Split,
    done: u64,
    students: Vec<Student>,
    /// The games, and for each network the positions it learns from; read when they are needed, for
    /// a player needs none.
    lessons: OnceLock<Arc<Lessons>>,
    /// The networks as they are now, once someone has asked for them.
    networks: OnceLock<Arc<SevenNetworks>>,
}

/// A network in training.
struct Student {
    trainer: SquareTrainer,
    /// What the last episodes were like; fading means.
    loss: f64,
    right: f64,
    /// The order of its positions in the present pass, and which pass that is.
    order: Option<(u64, Vec<u32>)>,
    /// What the teacher has said of them.
    advice: Advice,
}

struct Lessons {
    library: Library,
    teacher: Option<Teacher>,
    /// For each network, places among the training positions.
    picks: [Vec<u32>; 7],
}

impl Lessons {
    /// Draws positions for every network by lot.
    fn new(
        library: Library,
        teacher: Option<Teacher>,
        settings: &WojcikSettings,
        seed: u64,
    ) -> Lessons {
        let positions = library.training().as_slice();
        let mut picks: [Vec<u32>; 7] = std::array::from_fn(|_| Vec::new());
        picks[0] = (0..positions.len() as u32).collect();
        let networks: Vec<u8> = positions.par_iter().map(|p| moved(p) as u8).collect();
        for (place, network) in (0..).zip(networks) {
            picks[usize::from(network)].push(place);
        }
        for (network, picks) in picks.iter_mut().enumerate() {
            let wanted = match network {
                0 => settings.picker,
                _ => settings.pieces,
            };
            let wanted = if wanted == 0 { picks.len() } else { wanted };
            shuffle(
                picks,
                wanted,
                &mut chance(seed, network, u64::from(u32::MAX)),
            );
            picks.truncate(wanted);
            picks.shrink_to_fit();
        }
        Lessons {
            library,
            teacher,
            picks,
        }
    }
}

/// Random numbers of their own for every network and pass.
fn chance(seed: u64, network: usize, pass: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed ^ 0x776f_6a63_696b);
    random.set_stream(pass * NETWORKS.len() as u64 + network as u64);
    random
}

/// Puts some of `list`, drawn by lot, in its first `count` places.
fn shuffle(list: &mut [u32], count: usize, random: &mut ChaCha8Rng) {
    for i in 0..count.min(list.len()) {
        let other = i + below(random, list.len() - i);
        list.swap(i, other);
    }
}

impl Wojcik {
    /// A learner that knows nothing yet.
    ///
    /// # Errors
    /// When a setting makes no sense.
    pub fn new(settings: WojcikSettings, course: Course) -> Result<Wojcik, LearnError> {
        let refuse = |name: &str, value: String, why: &str| LearnError::BadSetting {
            name: name.into(),
            value,
            why: why.into(),
        };
        if course.task != Task::Chess {
            let why = "this recipe learns the whole game: leave the endgame out";
            return Err(refuse("endgame", course.task.to_string(), why));
        }
        if settings.data.is_empty() {
            let why =
                "name a file of games, such as data=masters.games; 'lucena games import' makes one";
            return Err(refuse("data", "''".into(), why));
        }
        let held_out = settings.held_out.to_string();
        let split = held_out
            .parse::<Split>()
            .map_err(|error| refuse("held_out", held_out, &error.to_string()))?;
        let averaging = settings.average > 0.0;
        let trainer = |network: u64| {
            let trainer = SquareTrainer::new(course.seed.wrapping_mul(7).wrapping_add(network));
            match averaging {
                true => trainer.averaging(),
                false => trainer,
            }
        };
        let student = |network: u64| Student {
            trainer: trainer(network),
            loss: 0.0,
            right: 0.0,
            order: None,
            advice: Advice::default(),
        };
        Ok(Wojcik {
            settings,
            course,
            split,
            done: 0,
            students: (0..NETWORKS.len() as u64).map(student).collect(),
            lessons: OnceLock::new(),
            networks: OnceLock::new(),
        })
    }

    /// The games and what to learn of them.
    fn lessons(&self) -> Result<Arc<Lessons>, LearnError> {
        if let Some(lessons) = self.lessons.get() {
            return Ok(lessons.clone());
        }
        let refuse = |why: String| LearnError::BadSetting {
            name: "data".into(),
            value: self.settings.data.clone(),
            why,
        };
        let library = Library::open(Path::new(&self.settings.data), self.split)
            .map_err(|error| refuse(error.to_string()))?;
        let teacher = match self.settings.teacher.as_str() {
            "" => None,
            file => Some(Teacher::open(Path::new(file), self.settings.trust as f32)?),
        };
        let lessons = Lessons::new(library, teacher, &self.settings, self.course.seed);
        for (name, picks) in NETWORKS.into_iter().zip(&lessons.picks) {
            if picks.is_empty() {
                let why = format!("its games have no position for the network '{name}'");
                return Err(refuse(why));
            }
        }
        Ok(self.lessons.get_or_init(|| Arc::new(lessons)).clone())
    }

    /// The networks as they are now.
    pub fn networks(&self) -> Arc<SevenNetworks> {
        let networks = self.networks.get_or_init(|| {
            let network = |network: usize| -> SquareNetwork {
                self.students[network].trainer.network().clone()
            };
            let networks = std::array::from_fn(network);
            Arc::new(SevenNetworks::new(networks, self.code()))
        });
        networks.clone()
    }

    /// What answers mean.
    fn code(&self) -> Code {
        Code {
            turned: self.settings.turned,
            mirrored: self.settings.mirrored,
            legal: self.settings.legal,
        }
    }

    /// Which hundredths of its passes a network sees in the next episode.
    fn hundredths(&self, network: usize) -> Range<u64> {
        let (done, all) = (self.done, self.course.episodes);
        let half = all.div_ceil(2);
        let twice = |done: u64, last: bool| {
            let from = (2 * done).min(all);
            from..if last { all } else { (from + 2).min(all) }
        };
        match (self.settings.inherit, network) {
            (false, _) => done..done + 1,
            (true, 0) if done < half => twice(done, done + 1 == half),
            (true, 1..) if done >= half => twice(done - half, done + 1 == all),
            (true, _) => 0..0,
        }
    }

    /// Shows a network a hundredth of its positions.
    fn study(
        &self,
        network: usize,
        student: &mut Student,
        lessons: &Lessons,
        hundredth: u64,
        stop: &AtomicBool,
    ) -> Result<Learnt, LearnError> {
        let picks = &lessons.picks[network];
        let size = self.settings.batch;
        // What does not fill a batch is left out of this pass, unless it is all there is.
        let batches = (picks.len() / size).max(1) as u64;
        let (pass, part) = (
            hundredth / EPISODES_IN_A_PASS,
            hundredth % EPISODES_IN_A_PASS,
        );
        let of_pass = |part: u64| part * batches / EPISODES_IN_A_PASS;
        if student.order.as_ref().is_none_or(|(of, _)| *of != pass) {
            let mut order: Vec<u32> = (0..picks.len() as u32).collect();
            let count = order.len();
            shuffle(
                &mut order,
                count,
                &mut chance(self.course.seed, network, pass),
            );
            student.order = Some((pass, order));
        }
        let order = student.order.take().map_or(Vec::new(), |(_, order)| order);
        let schedule = Schedule {
            rate: self.settings.rate,
            warm_up: self.settings.warm_up,
            settle: 0.0,
        };
        let all = batches as f64 * self.course.episodes.max(1) as f64 / EPISODES_IN_A_PASS as f64;
        let positions = lessons.library.training().as_slice();
        let first = student.trainer.steps() == 0;
        let mut learnt = Learnt::default();
        for batch in of_pass(part)..of_pass(part + 1) {
            go_on(stop)?;
            let mut examples = Examples::default();
            let asked = order.iter().skip(batch as usize * size).take(size);
            let asked: Vec<usize> = asked.map(|&number| number as usize).collect();
            // The picker has five times as many positions, and no need of a teacher.
            let teacher = lessons.teacher.as_ref().filter(|_| network > 0);
            if let Some(teacher) = teacher {
                let about = (&lessons.library, network, self.code());
                teacher.advise(&mut student.advice, &asked, picks, about);
            }
            for &number in &asked {
                let pick = picks[number];
                let position = &positions[pick as usize];
                let mut example = Example::of(position, network, self.code());
                let other = (pass + u64::from(pick)) % 2 == 1;
                let exchanged = other && self.settings.wings && position.castling() == [false; 4];
                if let Some(teacher) = teacher {
                    let wanted = teacher.wanted(&student.advice, number, example.right);
                    examples.wanted.push(match exchanged {
                        true => wings_exchanged(wanted),
                        false => wanted,
                    });
                }
                if exchanged {
                    example = example.wings_exchanged();
                }
                examples.sights.push(example.sight);
                examples.competing.push(example.competing);
                examples.right.push(example.right);
            }
            let course = (pass * batches + batch) as f64 / all.max(1.0);
            let rate = schedule.at(student.trainer.steps(), course);
            let trainer = &mut student.trainer;
            let rates = Rates {
                rate,
                decay: self.settings.decay,
                average: self.settings.average,
                orthogonal: self.settings.orthogonal,
            };
            let some = trainer.learn(&examples, rates);
            learnt += some;
        }
        student.order = Some((pass, order));
        if learnt.positions > 0 {
            let count = f64::from(learnt.positions);
            let begun = if first { 0.0 } else { FADE };
            let mean = |mean: &mut f64, new: f64| *mean = *mean * begun + new * (1.0 - begun);
            mean(&mut student.loss, learnt.loss / count);
            mean(&mut student.right, f64::from(learnt.right) / count);
        }
        Ok(learnt)
    }
}

impl Learner for Wojcik {
    fn prepare(&mut self) -> Result<(), LearnError> {
        self.lessons().map(drop)
    }

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        go_on(stop)?;
        let lessons = self.lessons()?;
        let mut students = std::mem::take(&mut self.students);
        let picker = self
            .settings
            .inherit
            .then(|| students[0].trainer.network().clone());
        // Each network learns by itself, so that nothing depends on the number of threads.
        let learnt: Result<Vec<Learnt>, LearnError> = students
            .par_iter_mut()
            .enumerate()
            .with_max_len(1)
            .map(|(network, student)| {
                let mut learnt = Learnt::default();
                for hundredth in self.hundredths(network) {
                    if let (Some(picker), 1.., 0) = (&picker, network, student.trainer.steps()) {
                        student.trainer.inherit(picker);
                    }
                    learnt += self.study(network, student, &lessons, hundredth, stop)?;
                }
                Ok(learnt)
            })
            .collect();
        self.students = students;
        let learnt = learnt?;
        self.done += 1;
        self.networks = OnceLock::new();
        Ok(Episode::Studied {
            examples: learnt.iter().map(|learnt| learnt.positions).sum(),
            right: Some(learnt.iter().map(|learnt| learnt.right).sum()),
        })
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        let mut told = Vec::new();
        for (names, student) in SCALARS.iter().zip(&self.students) {
            if student.trainer.steps() > 0 {
                told.push((names[0], student.loss));
                told.push((names[1], student.right));
            }
        }
        told
    }

    fn examine(&self) -> Vec<(&'static str, f64)> {
        let mut told = Vec::new();
        // Whoever trains has read the games.
        if let Some(lessons) = self.lessons.get() {
            let networks = self.networks();
            let marks = first_choices(&networks, &lessons.library, self.settings.judged);
            for (names, marks) in SCALARS.iter().zip(&marks) {
                let share = |part: u64, of: u64| part as f64 / of as f64;
                if marks.positions > 0 {
                    told.push((names[2], share(marks.right, marks.positions)));
                }
                if marks.unseen > 0 {
                    told.push((names[3], share(marks.unseen_right, marks.unseen)));
                }
            }
        }
        told
    }

    fn players(self: Arc<Self>, name: &str, how: &Settings) -> Result<Prepared, SpecError> {
        for key in ["depth", "history", "game"] {
            if how.beginning_with(key).next().is_some() {
                return Err(how.refuse(key, "nothing: it plays without search"));
            }
        }
        let player = WojcikPlayer::new(name, self.networks());
        Ok(Prepared::new(move |_| Box::new(player.clone())))
    }

    fn evaluate(
        &self,
        opponent: &str,
        games: u32,
        seed: u64,
        registry: Option<&Registry>,
        stop: &AtomicBool,
    ) -> Result<f64, LearnError> {
        let own = WojcikPlayer::new(RECIPE.name, self.networks());
        let player = || Box::new(own.clone()) as _;
        share_won(&player, opponent, games, seed, registry, stop)
    }

    fn bytes(&self) -> u64 {
        (4 * NETWORKS.len() * SquareNetwork::weights()) as u64
    }

    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![("weights.safetensors", self.networks().to_file())]
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.done);
        for student in &self.students {
            out.f64(student.loss);
            out.f64(student.right);
            student.trainer.save(out);
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.done = from.u64()?;
        for student in &mut self.students {
            student.loss = from.f64()?;
            student.right = from.f64()?;
            student.trainer.load(from)?;
        }
        self.networks = OnceLock::new();
        Ok(())
    }
}

/// What the curve tells of each network: loss and share of right answers in training, and the share in
/// held-out games, of all positions and of those that occur in no training game.
const SCALARS: [[&str; 4]; 7] = [
    [
        "training/loss_picker",
        "training/right_picker",
        "held_out/right_picker",
        "held_out/right_unseen_picker",
    ],
    [
        "training/loss_king",
        "training/right_king",
        "held_out/right_king",
        "held_out/right_unseen_king",
    ],
    [
        "training/loss_queen",
        "training/right_queen",
        "held_out/right_queen",
        "held_out/right_unseen_queen",
    ],
    [
        "training/loss_rook",
        "training/right_rook",
        "held_out/right_rook",
        "held_out/right_unseen_rook",
    ],
    [
        "training/loss_bishop",
        "training/right_bishop",
        "held_out/right_bishop",
        "held_out/right_unseen_bishop",
    ],
    [
        "training/loss_knight",
        "training/right_knight",
        "held_out/right_knight",
        "held_out/right_unseen_knight",
    ],
    [
        "training/loss_pawn",
        "training/right_pawn",
        "held_out/right_pawn",
        "held_out/right_unseen_pawn",
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hundredth_is_seen_once_and_the_picker_sees_its_own_first() {
        for (inherit, episodes) in [(false, 7), (true, 1), (true, 2), (true, 7), (true, 1000)] {
            let settings = WojcikSettings {
                data: "games".into(),
                inherit,
                ..WojcikSettings::default()
            };
            let course = Course {
                task: Task::Chess,
                episodes,
                seed: 1,
            };
            let mut learner = Wojcik::new(settings, course).unwrap();
            let mut seen: [Vec<u64>; 7] = std::array::from_fn(|_| Vec::new());
            for done in 0..episodes {
                learner.done = done;
                for (network, seen) in seen.iter_mut().enumerate() {
                    seen.extend(learner.hundredths(network));
                }
                let others = seen[1..].iter().any(|seen| !seen.is_empty());
                assert!(!(inherit && others && seen[0].len() as u64 != episodes));
            }
            // One episode is too short for two halves.
            let heirs = if inherit && episodes == 1 {
                0
            } else {
                episodes
            };
            assert_eq!(seen[0], (0..episodes).collect::<Vec<_>>());
            for seen in &seen[1..] {
                assert_eq!(*seen, (0..heirs).collect::<Vec<_>>());
            }
        }
    }
}
