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
//! would go round and round.
//!
//! The teacher is the solver, and the recipe says so by name. An *episode* of the run is one batch.

use std::sync::Arc;

use play::{
    TinyNetwork,
    features::{Feature, View},
    tiny_network::{Activation, Blueprint, Form, MAX_HIDDEN},
};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Board, BoardEnding, Color, FewMen, Material};
use serde::{Deserialize, Serialize};
use truth::{Oracle, Verdict};

use crate::{
    Endgame, Episode, Extent, Folding, LearnError, Learner, Preference,
    learner::{below, load_random, save_random},
    net::Examples,
    record::{Reader, Writer},
    settings::within,
    tiny::Student,
};

/// The settings of the learner.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TinyNetSettings {
    /// Hidden neurons; 0 for as many as 200 bytes hold.
    pub hidden: usize,
    /// Bits to a stored weight, 2 to 8.
    pub bits: u32,
    /// Examples in a batch; half of them come in pairs.
    pub batch: usize,
    /// The learning rate at the start; it falls to zero along half a cosine.
    pub rate: f64,
    /// What telling pairs of moves apart is worth beside the squared error; below 0: what suits the
    /// endgame.
    pub ranking: f32,
    /// The share of positions for which the distance to mate is drawn first, all distances alike;
    /// for the others the position is. A game comes through all distances, however rare they are.
    pub even: f64,
    /// The share of positions that come from games in which both sides play perfectly. Most of all
    /// positions never come up in a game, and so few weights should not be spent on them. Below 0:
    /// what suits the endgame.
    pub played: f64,
    /// The share of positions that come from the network's own games against perfect play, once
    /// there are some; `played` and the rest share what is left. Below 0: what suits the endgame.
    pub own: f64,
}

impl Default for TinyNetSettings {
    fn default() -> Self {
        TinyNetSettings {
            hidden: 0,
            bits: 4,
            batch: 512,
            rate: 0.01,
            ranking: -1.0,
            even: 0.0,
            played: -1.0,
            own: -1.0,
        }
    }
}

/// The most bytes that weights may take where the number of neurons is left to the recipe.
const MOST_BYTES: usize = 200;
/// Own games are played from this point of the training on, 0 to 1: when weights are rounded.
const OWN_GAMES_FROM: f64 = 0.3;
/// So often in the whole training. All of them are remembered: with the last few only, the network
/// forgets what it got wrong before.
const TIMES_OF_OWN_GAMES: u64 = 20;
/// The looks ahead that own games are played with, in moves of white's, and the games with each.
const LOOKS: [usize; 2] = [3, 4];
const OWN_GAMES: usize = 400;

/// What the networks of an endgame are told, and how they are taught.
struct Lessons {
    inputs: Vec<(Feature, Form)>,
    ranking: f32,
    played: f64,
    own: f64,
    /// Weights of more than so many times the usual size are cut off.
    cut: f32,
}

impl Lessons {
    fn of(material: &str) -> Option<Lessons> {
        let (ranking, played, own, cut) = match material {
            "KBNK" => (0.5, 0.6, 0.4, 2.5),
            _ => (2.0, 0.0, 0.0, f32::INFINITY),
        };
        Some(Lessons {
            inputs: inputs(material)?,
            ranking,
            played,
            own,
            cut,
        })
    }
}

/// What the networks of an endgame are told.
///
/// For queen, rook and two bishops chosen by adding, one at a time, what made the error of a network
/// with six neurons smallest, as long as 200 bytes hold the weights. Bishop and knight need more
/// neurons than the rows of choices leave room for: all inputs are numbers. They were chosen by
/// leaving out of eighty, a few at a time, what a network missed least.
fn inputs(material: &str) -> Option<Vec<(Feature, Form)>> {
    use Feature::*;
    let (choices, numbers): (&[Feature], &[Feature]) = match material {
        "KQK" => (
            &[
                BareSquare,
                Kings,
                KingToCorner,
                RoomInTwo,
                KingSquare,
                FirstBehind,
            ],
            &[Hanging],
        ),
        "KRK" => (
            &[
                BareSquare,
                Kings,
                KingAside,
                FirstBehind,
                KingToCorner,
                FirstAside,
                FirstToKing,
            ],
            &[],
        ),
        "KBBK" => (
            &[
                BareSquare,
                KingToCorner,
                RoomInThree,
                FirstToBare,
                KingSquare,
                Freedom,
            ],
            &[],
        ),
        "KBNK" => {
            let spread = [
                BareFile,
                BareRank,
                SquaresInThree,
                RightInThree,
                RightInFive,
                AwayInFive,
                FreeToTheLeft,
                FreeToTheRight,
                FreeAbove,
                KingAbove,
                KingToPost,
                KingToLeftPost,
                KingFromWrongCorner,
                KnightFile,
                KnightAcross,
            ];
            return Some(spread.map(|feature| (feature, Form::Spread)).to_vec());
        }
        _ => return None,
    };
    let choices = choices.iter().map(|&feature| (feature, Form::Choice));
    let numbers = numbers.iter().map(|&feature| (feature, Form::Number));
    Some(choices.chain(numbers).collect())
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
    /// Moves to mate by number of the position, white to move; 0 where there is no mate.
    labels: Vec<u8>,
    /// The positions that are won.
    won: Vec<u32>,
    /// The same by distance.
    by_distance: Vec<Vec<u32>>,
    /// Where the game stands that positions are taken from, white to move.
    game: Option<FewMen>,
    /// The positions of the network's own games, time after time.
    own_games: Vec<Vec<u32>>,
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
        within("batch", settings.batch as f64, 4.0, 1e6)?;
        within("rate", settings.rate, 0.0, 1.0)?;
        within("ranking", settings.ranking.into(), -1.0, 1e3)?;
        within("even", settings.even, 0.0, 1.0)?;
        within("played", settings.played, -1.0, 1.0)?;
        within("own", settings.own, -1.0, 1.0)?;
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
            labels: Vec::new(),
            won: Vec::new(),
            by_distance: Vec::new(),
            game: None,
            own_games: Vec::new(),
        })
    }

    /// The answers of the framework and of the plain loops to some positions.
    pub fn both_answers(&self, positions: &[FewMen]) -> Vec<(f32, f32)> {
        self.student.both_answers(&self.endgame, positions)
    }

    fn ask_teacher(&mut self) -> Result<(), LearnError> {
        let teacher = self.teacher.as_ref().ok_or(LearnError::NoTeacher)?;
        let Endgame { rules, index } = &self.endgame;
        let mut labels = vec![0u8; index.states()];
        let mut won = Vec::new();
        for (number, label) in labels.iter_mut().enumerate() {
            let men = index.position(number, Color::White);
            let Some(men) = men.filter(|&men| whole(&self.endgame, men)) else {
                continue;
            };
            let Ok(position) = rules.position(men) else {
                continue; // two men on one square, or black in check
            };
            match teacher.probe(&position) {
                Some(Verdict::Win { plies }) => {
                    *label = plies.div_ceil(2) as u8;
                    won.push(number as u32);
                }
                Some(_) => {}
                None => return Err(LearnError::NoTeacher),
            }
        }
        if won.is_empty() {
            return Err(LearnError::NoTeacher);
        }
        let longest = labels.iter().copied().max().unwrap_or(0);
        let mut by_distance = vec![Vec::new(); longest.into()];
        for &number in &won {
            by_distance[usize::from(labels[number as usize]) - 1].push(number);
        }
        by_distance.retain(|positions| !positions.is_empty());
        self.by_distance = by_distance;
        (self.labels, self.won) = (labels, won);
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
            let time = &self.own_games[below(&mut self.random, self.own_games.len())];
            let number = time[below(&mut self.random, time.len())];
            let men = self.endgame.index.position(number as usize, Color::White);
            return men.unwrap_or_else(|| self.draw_anywhere());
        }
        if self.settings.played <= 0.0 || !self.lot(self.settings.played) {
            return self.draw_anywhere();
        }
        let men = match self.game.take() {
            Some(men) => men,
            None => self.draw_anywhere(),
        };
        self.game = self.play_on(men);
        men
    }

    /// The position after one of white's best moves and one of black's best answers, each drawn by
    /// lot; `None` when white mates.
    fn play_on(&mut self, men: FewMen) -> Option<FewMen> {
        let label = self.labels[self.endgame.index.index(men)];
        let targets = self.endgame.rules.targets(men);
        let first = below(&mut self.random, targets.len());
        (0..targets.len()).find_map(|i| {
            let m = targets.nth((first + i) % targets.len());
            let mut answers = self.answers(self.endgame.rules.after(men, m));
            let longest = answers.iter().map(|&(label, _)| label).max()?;
            if longest >= label {
                return None;
            }
            answers.retain(|&(label, _)| label == longest);
            Some(answers[below(&mut self.random, answers.len())].1)
        })
    }

    /// A won position drawn by lot.
    fn draw_anywhere(&mut self) -> FewMen {
        loop {
            let even = self.lot(self.settings.even);
            let random = &mut self.random;
            let from = match even {
                true => &self.by_distance[below(random, self.by_distance.len())],
                false => &self.won,
            };
            let number = from[below(random, from.len())];
            if let Some(men) = self.endgame.index.position(number as usize, Color::White) {
                return men;
            }
        }
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
            let behind =
                |n: usize| self.worst_answer(self.endgame.rules.after(men, targets.nth(n)));
            if let (true, Some(a), Some(b)) = (first != second, behind(first), behind(second)) {
                return [a, b];
            }
        }
    }

    /// The position after black's best answer; `None` when the game ends or the win is gone.
    fn worst_answer(&self, men: FewMen) -> Option<FewMen> {
        let answers = self.answers(men).into_iter();
        let (label, next) = answers.max_by_key(|&(label, _)| label)?;
        (label < u8::MAX).then_some(next)
    }

    /// The positions after black's answers, and white's moves to mate in each; the greatest number
    /// where the win is gone.
    fn answers(&self, men: FewMen) -> Vec<(u8, FewMen)> {
        let targets = self.endgame.rules.targets(men);
        let answers = targets.iter().map(|m| {
            let next = self.endgame.after(men, m);
            let label = match whole(&self.endgame, next) {
                true => self.labels[self.endgame.index.index(next)],
                false => 0,
            };
            (if label == 0 { u8::MAX } else { label }, next)
        });
        answers.collect()
    }

    /// Is it time to play games?
    fn is_time_for_own_games(&self) -> bool {
        let every = (self.batches / TIMES_OF_OWN_GAMES).max(1);
        let course = self.done as f64 / self.batches.max(1) as f64;
        self.settings.own > 0.0 && course >= OWN_GAMES_FROM && self.done.is_multiple_of(every)
    }

    /// Plays games with the network as it is, with more than one look ahead, and remembers their
    /// positions.
    ///
    /// A look of one move of white's is the best of its moves by the guess behind black's best
    /// answer. For all positions at once, a look is made from the one that is a move shorter.
    fn play_own_games(&mut self) {
        let network = self.student.network();
        let Endgame { rules, index } = &self.endgame;
        let mut values = vec![0.0f32; index.states()];
        for &number in &self.won {
            let men = index.position(number as usize, Color::White);
            let view = men.and_then(|men| View::of_few_men(rules, men));
            values[number as usize] = view.map_or(LOST, |view| network.moves(&view));
        }
        let mut met = Vec::new();
        let mut behind = Vec::new();
        for look in 1..=LOOKS.into_iter().max().unwrap_or(0) {
            if look > 1 {
                self.look_farther(&behind, &mut values);
            }
            behind = self.after_answers(&values);
            if LOOKS.contains(&look) {
                for _ in 0..OWN_GAMES {
                    self.play_own_game(&behind, &mut met);
                }
            }
        }
        self.own_games.push(met);
    }

    /// What black's best answer makes of each position with black to move.
    fn after_answers(&self, values: &[f32]) -> Vec<f32> {
        let Endgame { rules, index } = &self.endgame;
        let worth = |number: usize| {
            let men = index.position(number, Color::Black);
            let Some(men) = men.filter(|&men| whole(&self.endgame, men) && rules.is_possible(men))
            else {
                return LOST;
            };
            let targets = rules.targets(men);
            match rules.ending(men, &targets) {
                Some(BoardEnding::Checkmate) => return MATE,
                Some(_) => return LOST,
                None => {}
            }
            let answers = targets.iter().map(|m| {
                let next = rules.after(men, m);
                if !whole(&self.endgame, next) {
                    return LOST;
                }
                let number = index.index(next);
                if self.labels[number] == 0 {
                    LOST
                } else {
                    values[number]
                }
            });
            answers.fold(MATE, f32::max)
        };
        (0..index.states()).map(worth).collect()
    }

    /// What white's best move makes of each won position.
    fn look_farther(&self, behind: &[f32], values: &mut [f32]) {
        let Endgame { rules, index } = &self.endgame;
        for &number in &self.won {
            let Some(men) = index.position(number as usize, Color::White) else {
                continue;
            };
            let targets = rules.targets(men);
            let moves = targets
                .iter()
                .map(|m| behind[index.index(rules.after(men, m))]);
            values[number as usize] = moves.fold(LOST, f32::min) + 1.0;
        }
    }

    /// Plays one game, white by the value behind its moves and without repeating a position as long
    /// as another move keeps the win, black perfectly; adds its positions to `met`.
    fn play_own_game(&mut self, behind: &[f32], met: &mut Vec<u32>) {
        let mut men = self.draw_anywhere();
        let mut left_behind = Vec::new();
        for _ in 0..50 {
            let Endgame { rules, index } = &self.endgame;
            met.push(index.index(men) as u32);
            let targets = rules.targets(men);
            let moves = targets.iter().map(|m| {
                let next = rules.after(men, m);
                let number = index.index(next);
                let old = left_behind.contains(&number) && behind[number] < LOST;
                (old, behind[number], number, next)
            });
            let best = moves.min_by(|a, b| {
                let kept = |x: &(bool, f32, usize, FewMen)| (x.1 >= LOST, x.0);
                kept(a).cmp(&kept(b)).then(a.1.total_cmp(&b.1))
            });
            let Some((_, value, number, next)) = best else {
                return;
            };
            if value <= MATE || value >= LOST {
                return;
            }
            left_behind.push(number);
            let mut answers = self.answers(next);
            let Some(longest) = answers.iter().map(|&(label, _)| label).max() else {
                return;
            };
            if longest == u8::MAX {
                return; // the win is gone
            }
            answers.retain(|&(label, _)| label == longest);
            men = answers[below(&mut self.random, answers.len())].1;
        }
    }

    fn add(&self, men: FewMen, examples: &mut Examples) {
        if let Some(view) = View::of_few_men(&self.endgame.rules, men) {
            self.student.tell(&view, examples);
            let label = self.labels[self.endgame.index.index(men)];
            examples.labels.push(label.into());
        }
    }
}

/// A position that is not won, and one in which black is mated, to the network's own games.
const LOST: f32 = 1e6;
const MATE: f32 = -1000.0;

/// Are all men on the board?
fn whole(endgame: &Endgame, men: FewMen) -> bool {
    !men.others[..endgame.rules.others_count()].contains(&None)
}

impl Learner for TinyNetLearner {
    fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    fn teach(&mut self, teacher: Arc<dyn Oracle>) {
        self.teacher = Some(teacher);
    }

    fn episode(&mut self) -> Result<Episode, LearnError> {
        if self.won.is_empty() {
            self.ask_teacher()?;
        }
        if self.is_time_for_own_games() {
            self.play_own_games();
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
        Ok(Episode::Studied {
            examples: examples.labels.len() as u32,
            right: None,
        })
    }

    fn choose(&self, men: FewMen) -> Option<Preference> {
        let m = self.student.choose(&self.endgame, men)?;
        Some(Preference { m, visited: true })
    }

    fn network(&self) -> Option<Arc<TinyNetwork>> {
        Some(self.student.network())
    }

    fn training_error(&mut self) -> Option<f64> {
        if self.won.is_empty() {
            self.ask_teacher().ok()?;
        }
        let network = self.student.network();
        let Endgame { rules, index } = &self.endgame;
        let errors = self.won.iter().filter_map(|&number| {
            let men = index.position(number as usize, Color::White)?;
            let guess = network.moves(&View::of_few_men(rules, men)?);
            Some(f64::from(guess - f32::from(self.labels[number as usize])).powi(2))
        });
        Some(errors.sum::<f64>() / self.won.len() as f64)
    }

    fn extent(&self) -> Extent {
        Extent {
            visited: self.won.len() as u64,
            visits: self.done * self.settings.batch as u64,
            bytes: self.student.bytes(),
        }
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.done);
        save_random(&self.random, out);
        let game = self
            .game
            .map(|men| 1 + self.endgame.index.index(men) as u64);
        out.u64(game.unwrap_or(0));
        out.u64(self.own_games.len() as u64);
        for time in &self.own_games {
            out.u32s(time.iter().copied());
        }
        self.student.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.done = from.u64()?;
        self.random = load_random(from)?;
        let game = from.u64()?.checked_sub(1).map(|number| number as usize);
        let index = &self.endgame.index;
        let game = game.filter(|&number| number < index.states());
        self.game = game.and_then(|number| index.position(number, Color::White));
        self.own_games.clear();
        for _ in 0..from.u64()? {
            let time: Vec<u32> = from.u32s()?.collect();
            let known = |&number: &u32| (number as usize) < index.states();
            if time.is_empty() || !time.iter().all(known) {
                return Err(LearnError::Record);
            }
            self.own_games.push(time);
        }
        self.student.load(from)
    }
}
