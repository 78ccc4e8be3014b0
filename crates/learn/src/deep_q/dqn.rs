//! Deep Q-learning: Algorithm 5 of document Y (Ypma 2024), and what the thesis wished for.
//!
//! A network sees a position as n×8×8 planes ([`Planes`](crate::Planes)) and values every relative
//! action ([`RelativeActions`](crate::RelativeActions)), legal or not. White plays ε-greedily against
//! a random defender; an illegal choice is punished and a random legal move played instead. Moves
//! are remembered with their rewards, and every few moves a batch of them is drawn: the network
//! moves towards reward plus discounted best value of the next position, in the eyes of an older
//! copy of itself. The switches of [`DqnSettings`] add what the thesis leaves to others.

use std::path::Path;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Color, FewMen, FewMove, Outcome, Targets};

use play::Registry;
use std::sync::atomic::AtomicBool;

use crate::{
    ContestRules, Costs, Course, Defender, DqnSettings, Endgame, EndgameLearner, Episode, Episodes,
    Extent, Folding, LearnError, Learner, LearnerMaker, LearnerSettings, Learns, Metrics, Opponent,
    Past, Plan, Preference, Recipe, Skill, Ties,
    deep_q::dqn_agent::Agent,
    deep_q::dqn_validation::Validation,
    endgames::as_endgame_learner,
    endgames::contest_from,
    endgames::opponent::DEFENDER,
    endgames::past::result,
    learner::{below, go_on, load_random, save_random},
    runs::checkpoint,
    runs::metrics::{EPSILON, GREEDY_CHOICES, LEGAL_CHOICES, POSITIONS_MET, choices},
    runs::record::{Reader, Writer},
    runs::settings::{self, Setting},
    tables::q::linear,
};

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "ypma-dqn",
    summary: "deep Q-learning as in Ypma's thesis (2024, Algorithm 5): a network learns what moves are worth, against \
              a defender who moves at random; what the thesis left for later is a setting each",
    taught: false,
    whole_game: false,
    episodes: Episodes::Games,
    learns: Learns::Weights,
    best_for: None,
    maker: LearnerMaker::of::<DqnSettings>(),
};

impl LearnerSettings for DqnSettings {
    const SETTINGS: &[Setting] = DqnSettings::EXPLAINED;

    fn learner(
        self,
        course: Course,
        registry: Option<&Registry>,
    ) -> Result<Box<dyn Learner>, LearnError> {
        let opponent = match self.opponent.as_str() {
            "self" => None,
            other => Some(Opponent::parse(other, registry, course.seed)?),
        };
        Ok(Box::new(DqnLearner::new(self, course, opponent)?))
    }
}

/// The learner.
pub struct DqnLearner {
    settings: DqnSettings,
    endgame: Endgame,
    white: Agent,
    /// `None` when black is an opponent.
    black: Option<Agent>,
    opponent: Option<Opponent>,
    random: ChaCha8Rng,
    seed: u64,
    episodes: u64,
    played: u64,
    past: Past,
    /// White's moves, and the positions it has moved in, a bit each.
    moves: u64,
    met: Vec<u64>,
    /// The numbers of the starts of all games.
    starts: Vec<u32>,
    /// White's first thoughts when it did not explore: legal ones, and all.
    legal: u64,
    thoughts: u64,
    validation: Validation,
}

/// One start in so many is kept for validation.
const HELD_OUT: u64 = 10;

impl DqnLearner {
    /// A learner that knows nothing; without an opponent both sides learn.
    ///
    /// # Errors
    /// When the endgame does not fit the compact form, or a setting makes no sense.
    pub fn new(
        settings: DqnSettings,
        course: Course,
        opponent: Option<Opponent>,
    ) -> Result<DqnLearner, LearnError> {
        let (material, board) = course.task.endgame()?;
        let endgame = Endgame::new(material, board, Folding::None)?;
        let agent = |color| Agent::new(&settings, &endgame.rules, color, course.seed);
        Ok(DqnLearner {
            white: agent(Color::White),
            black: opponent.is_none().then(|| agent(Color::Black)),
            opponent,
            random: ChaCha8Rng::seed_from_u64(course.seed),
            seed: course.seed,
            episodes: course.episodes,
            played: 0,
            past: Past::new(settings.max_moves, settings.repetition),
            moves: 0,
            met: vec![0; endgame.index.states().div_ceil(64)],
            starts: Vec::new(),
            legal: 0,
            thoughts: 0,
            validation: Validation::default(),
            settings,
            endgame,
        })
    }

    /// What a run of this learner has learned.
    ///
    /// # Errors
    /// When the folder holds no such run.
    fn of_run(folder: &Path) -> Result<DqnLearner, LearnError> {
        let plan = Plan::read(folder)?;
        let mut settings: DqnSettings = settings::from_table("dqn", plan.settings.clone())?;
        settings.from = String::new();
        let opponent = (settings.opponent != "self").then_some(Opponent::Random);
        let mut learner = DqnLearner::new(settings, plan.course()?, opponent)?;
        for path in checkpoint::all(folder) {
            if checkpoint::load(&path, &mut learner).is_ok() {
                return Ok(learner);
            }
        }
        Err(LearnError::NoCheckpoint(folder.to_owned()))
    }

    /// Takes over the networks of another run, where the settings name one.
    fn transfer(&mut self) -> Result<(), LearnError> {
        if self.settings.from.is_empty() {
            return Ok(());
        }
        let other = DqnLearner::of_run(Path::new(&self.settings.from))?;
        let mut fits = self.white.take_over(&other.white);
        if let (Some(ours), Some(theirs)) = (&mut self.black, &other.black) {
            fits &= ours.take_over(theirs);
        }
        if fits {
            return Ok(());
        }
        Err(LearnError::BadSetting {
            name: "from".into(),
            value: self.settings.from.clone(),
            why: format!(
                "its networks have {} channels and {} neurons, these {} and {}",
                other.settings.channels,
                other.settings.hidden,
                self.settings.channels,
                self.settings.hidden
            ),
        })
    }

    /// Where white's time for learning has gone since it was made or loaded, and how many batches
    /// there were; all other time is the games'.
    pub fn costs(&self) -> &Costs {
        &self.white.costs
    }

    fn agent(&mut self, color: Color) -> Option<&mut Agent> {
        match color {
            Color::White => Some(&mut self.white),
            Color::Black => self.black.as_mut(),
        }
    }

    fn reward(&self, color: Color, outcome: Outcome) -> f64 {
        let white = match result(outcome) {
            1 => self.settings.win,
            0 => self.settings.draw,
            _ => -self.settings.win,
        };
        color.fold_wb(white, -white)
    }

    fn number(&self, men: FewMen) -> usize {
        self.endgame.index.index(men)
    }

    /// Is a start kept for validation?
    fn held_out(&self, number: usize) -> bool {
        let mixed = (number as u64 ^ self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        self.settings.validate_every > 0 && mixed.is_multiple_of(HELD_OUT)
    }

    /// Plays a game; the numbers in brackets are the lines of Algorithm 5.
    fn play(&mut self, stop: &AtomicBool) -> Result<Outcome, LearnError> {
        let mut men = loop {
            let (men, _) = self.endgame.random_start(&mut self.random); // [5]
            if !self.held_out(self.number(men)) {
                break men;
            }
        };
        let start = self.number(men);
        self.starts.push(start as u32);
        self.past.restart(start as u64);
        if let Some(opponent) = &mut self.opponent {
            opponent.new_game();
        }
        loop {
            go_on(stop)?;
            let us = men.turn;
            let targets = self.endgame.rules.targets(men);
            let m = self.choose_move(men, &targets, stop)?; // [10, 20]
            if us == Color::White {
                self.moves += 1;
                let number = self.number(men);
                self.met[number / 64] |= 1 << (number % 64);
            }
            men = self.endgame.after(men, m); // [11, 21]
            self.past.push(self.number(men) as u64);
            let replies = self.endgame.rules.targets(men);
            let outcome = self.past.outcome(&self.endgame.rules, men, &replies);
            self.tell(men, outcome); // [13, 14, 23, 24]
            if us == Color::White && self.moves.is_multiple_of(self.settings.update_every) {
                self.learn();
            }
            if let Some(outcome) = outcome {
                return Ok(outcome);
            }
        }
    }

    /// The move of the side to move; an agent remembers that it has begun it.
    fn choose_move(
        &mut self,
        men: FewMen,
        targets: &Targets,
        stop: &AtomicBool,
    ) -> Result<FewMove, LearnError> {
        let us = men.turn;
        let explore = (linear(
            self.settings.epsilon_start,
            self.settings.epsilon_end,
            self.played,
            self.episodes,
        ) * f64::from(u32::MAX)) as u32;
        let agent = match us {
            Color::White => &mut self.white,
            Color::Black => match (&mut self.black, &mut self.opponent) {
                (Some(agent), _) => agent,
                (None, Some(opponent)) => {
                    let rules = &self.endgame.rules;
                    return opponent.choose(rules, men, targets, &mut self.random, stop);
                }
                (None, None) => return Ok(targets.nth(0)), // new() gives one or the other
            },
        };
        let by_lot = |random: &mut ChaCha8Rng| targets.nth(below(random, targets.len()));
        let m = if self.random.next_u32() < explore {
            by_lot(&mut self.random)
        } else if self.settings.masking {
            let legal = agent.best_legal(men, targets);
            legal.map_or_else(|| targets.nth(0), |(_, m)| m)
        } else {
            let action = agent.first_thought(men);
            let m = agent.actions.to_move(men, action);
            let m = m.filter(|&m| targets.contains(m));
            if us == Color::White {
                self.thoughts += 1;
                self.legal += u64::from(m.is_some());
            }
            if m.is_none() {
                agent.punish(&self.settings, men, action);
            }
            m.unwrap_or_else(|| by_lot(&mut self.random))
        };
        if let Some(action) = agent.actions.number(men, m) {
            agent.begin(men, action);
        }
        Ok(m)
    }

    /// Tells the agents what has become of their last move: the one whose turn it is goes on, both
    /// are told of the end.
    fn tell(&mut self, men: FewMen, outcome: Option<Outcome>) {
        let settings = self.settings.clone();
        match outcome {
            Some(outcome) => {
                for color in Color::ALL {
                    let reward = self.reward(color, outcome);
                    if let Some(agent) = self.agent(color) {
                        agent.end(&settings, reward);
                    }
                }
            }
            None => {
                let reward = men.turn.fold_wb(settings.step, -settings.step);
                if let Some(agent) = self.agent(men.turn) {
                    agent.arrive(&settings, reward, men);
                }
            }
        }
    }

    /// Both agents learn from a batch, or the one whose turn it is to learn.
    fn learn(&mut self) {
        let turn = match (self.settings.freeze, &self.black) {
            (0, _) | (_, None) => None,
            (freeze, Some(_)) if (self.played / freeze).is_multiple_of(2) => Some(Color::White),
            _ => Some(Color::Black),
        };
        let (settings, rules) = (&self.settings, &self.endgame.rules);
        if turn != Some(Color::Black) {
            self.white.learn(settings, rules, &mut self.random);
        }
        if let Some(black) = self.black.as_mut().filter(|_| turn != Some(Color::White)) {
            black.learn(settings, rules, &mut self.random);
        }
    }

    /// Tests white on starts that it never trains on; without progress for long it stops, and goes
    /// back to where it was best.
    fn validate(&mut self, stop: &AtomicBool) -> Result<(), LearnError> {
        let rules = ContestRules {
            games: self.settings.validation_games,
            max_moves: self.settings.max_moves,
            repetition: self.settings.repetition,
            ties: Ties::First,
            seed: self.seed,
        };
        let start = |random: &mut ChaCha8Rng| loop {
            let (men, _) = self.endgame.random_start(random);
            if self.held_out(self.number(men)) {
                return men;
            }
        };
        let mut defender = Defender::Opponent(Opponent::Random);
        let wins = contest_from(self, &mut defender, rules, stop, start)?.win_rate();
        let white = &self.white;
        if let Some(best) = self
            .validation
            .judge(wins, self.settings.patience, || white.networks())
        {
            self.white.return_to(&best);
        }
        Ok(())
    }
}

impl DqnLearner {
    /// The chance of a random move in the next game.
    fn epsilon(&self) -> f64 {
        let settings = &self.settings;
        linear(
            settings.epsilon_start,
            settings.epsilon_end,
            self.played,
            self.episodes,
        )
    }
}

impl Learner for DqnLearner {
    as_endgame_learner!();

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        if self.validation.is_finished() {
            return Ok(Episode::Finished);
        }
        if self.played == 0 {
            self.transfer()?;
        }
        let outcome = self.play(stop)?;
        self.played += 1;
        let every = self.settings.validate_every;
        if every > 0 && self.played.is_multiple_of(every) {
            self.validate(stop)?;
        }
        Ok(Episode::Played {
            plies: self.past.plies() as u32,
            won: outcome.winner == Some(!DEFENDER),
        })
    }

    fn scalars(&self, before: &Metrics) -> Vec<(&'static str, f64)> {
        let mut scalars = vec![
            (EPSILON, self.epsilon()),
            (POSITIONS_MET, self.extent().visited as f64),
        ];
        if let Some((legal, greedy)) = self.legal_thoughts() {
            let told = |name| {
                before
                    .series(name)
                    .iter()
                    .map(|&(_, n)| n as u64)
                    .sum::<u64>()
            };
            let greedy = greedy - told(GREEDY_CHOICES);
            scalars.extend(choices(greedy, legal - told(LEGAL_CHOICES)));
        }
        scalars
    }

    fn bytes(&self) -> u64 {
        let weights = self.white.weights() + self.black.as_ref().map_or(0, Agent::weights);
        4 * weights as u64
    }

    fn save(&self, out: &mut Writer) {
        for number in [self.played, self.moves, self.legal, self.thoughts] {
            out.u64(number);
        }
        save_random(&self.random, out);
        out.u32s(self.starts.iter().copied());
        let met: Vec<u8> = self
            .met
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        out.bytes(&met);
        self.white.save(out);
        if let Some(black) = &self.black {
            black.save(out);
        }
        self.validation.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.played = from.u64()?;
        self.moves = from.u64()?;
        self.legal = from.u64()?;
        self.thoughts = from.u64()?;
        self.random = load_random(from)?;
        self.starts = from.u32s()?.collect();
        let states = self.endgame.index.states();
        let (met, rest) = from.bytes()?.as_chunks::<8>();
        let sound = met.len() == self.met.len()
            && rest.is_empty()
            && self.starts.iter().all(|&start| (start as usize) < states);
        if !sound {
            return Err(LearnError::Record);
        }
        self.met = met.iter().map(|&word| u64::from_le_bytes(word)).collect();
        self.white.load(from)?;
        if let Some(black) = &mut self.black {
            black.load(from)?;
        }
        let white = &self.white;
        self.validation.load(from, |from| white.load_networks(from))
    }
}

impl Skill for DqnLearner {
    fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    fn choose(&self, men: FewMen) -> Option<Preference> {
        let targets = self.endgame.rules.targets(men);
        let agent = match men.turn {
            Color::White => Some(&self.white),
            Color::Black => self.black.as_ref(),
        };
        let Some(agent) = agent else {
            // Black has learned nothing here; it still has to move.
            return (!targets.is_empty()).then(|| Preference {
                m: targets.nth(0),
                visited: false,
            });
        };
        let (_, m) = agent.best_legal(men, &targets)?;
        let number = self.number(men);
        let visited = men.turn == Color::White && self.met[number / 64] >> (number % 64) & 1 == 1;
        Some(Preference { m, visited })
    }

    fn thinks_legally(&self, men: FewMen) -> Option<bool> {
        // Men of one kind in their order, as in training.
        let (men, _) = self.endgame.index.canonical(men);
        let legal = || {
            let m = self
                .white
                .actions
                .to_move(men, self.white.first_thought(men));
            m.is_some_and(|m| self.endgame.rules.targets(men).contains(m))
        };
        (men.turn == Color::White && !self.settings.masking).then(legal)
    }
}

impl EndgameLearner for DqnLearner {
    fn legal_thoughts(&self) -> Option<(u64, u64)> {
        (!self.settings.masking).then_some((self.legal, self.thoughts))
    }

    fn training_starts(&self) -> Vec<FewMen> {
        let starts = self.starts.iter();
        starts
            .filter_map(|&number| self.endgame.index.position(number as usize, Color::White))
            .collect()
    }

    fn extent(&self) -> Extent {
        Extent {
            visited: self
                .met
                .iter()
                .map(|word| u64::from(word.count_ones()))
                .sum(),
            visits: self.moves,
        }
    }
}
