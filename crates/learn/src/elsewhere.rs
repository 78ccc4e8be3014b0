//! Games that are played elsewhere: in other processes, on other machines.
//!
//! A learner that plays and then learns can have its games played by others. They are [`Divided`] into
//! parts; whoever has time takes a part as it stands and the weights, plays an iteration's plies, and
//! hands back what came of them and how the games stand now. Nothing else is needed, so it does not matter
//! who plays a part, and a part that was lost on the way is played again. [`SelfPlay`] is the one who
//! plays; [`Elsewhere`] is what a run asks for the parts of an iteration, and who goes on meanwhile is its
//! affair.
//!
//! What travels is sealed: it says what it is, to which run and which part it belongs, and has a checksum.
//! It may come from another machine, so it is looked at as if it were anything.

use std::sync::atomic::AtomicBool;

use play::Registry;

use crate::{
    Episode, LearnError, Learner, Plan,
    runs::record::{Reader, Writer},
};

/// No part may bring more bytes, and no parts that travel together: large enough to be worth sending, small enough
/// for a store of objects.
pub const MOST_BYTES: u64 = 64 << 20;
/// No network may take more bytes.
pub const MOST_WEIGHTS: u64 = 512 << 20;

/// What came of an iteration's plies in a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What there is to learn from.
    pub harvest: Vec<u8>,
    /// How the games stand now.
    pub games: Vec<u8>,
}

/// A learner whose games can be played elsewhere, in parts.
pub trait Divided {
    /// How many parts there are.
    fn parts(&self) -> usize;

    /// Must all parts of an iteration be played by the weights that it begins with?
    fn is_synchronous(&self) -> bool {
        false
    }

    /// No part brings more bytes.
    fn most_bytes(&self) -> u64;

    /// What has been learned so far, as far as it is needed to play.
    fn weights(&self) -> Vec<u8>;

    /// Plays by these weights from now on.
    ///
    /// # Errors
    /// When they are damaged, or not those of such a learner.
    fn take_weights(&mut self, weights: &[u8]) -> Result<(), LearnError>;

    /// The games as they stand, part by part.
    ///
    /// # Errors
    /// When what was saved of them is damaged, or a file that they need is missing.
    fn games(&mut self) -> Result<Vec<Vec<u8>>, LearnError>;

    /// The games of a part as they begin; in another life they are others.
    ///
    /// # Errors
    /// When a file that they need is missing.
    fn new_games(&mut self, part: usize, life: u32) -> Result<Vec<u8>, LearnError>;

    /// Goes on with these games, part by part.
    ///
    /// # Errors
    /// When they are damaged, or no such games.
    fn put_games(&mut self, games: &[&[u8]]) -> Result<(), LearnError>;

    /// Plays an iteration's plies in the games of a part.
    ///
    /// # Errors
    /// When they are no such games, or it is to stop.
    fn play(&mut self, part: usize, games: &[u8], stop: &AtomicBool) -> Result<Piece, LearnError>;

    /// An episode of which all parts have been played.
    ///
    /// # Errors
    /// When something else has come of them than can be, or it is to stop.
    fn learn_from(&mut self, harvests: &[&[u8]], stop: &AtomicBool) -> Result<Episode, LearnError>;
}

/// Where a run has its games played.
pub trait Elsewhere {
    /// The games as they stand, part by part, before the first harvest is asked for.
    ///
    /// # Errors
    /// When it is to stop.
    fn begin(&mut self, iteration: u64, games: Vec<Vec<u8>>) -> Result<(), LearnError>;

    /// What came of an iteration, part by part; `weights` are those of so many iterations. `None` when
    /// the run is to stop before it.
    ///
    /// # Errors
    /// When it cannot go on.
    fn harvests(
        &mut self,
        iteration: u64,
        weights: Vec<u8>,
    ) -> Result<Option<Vec<Vec<u8>>>, LearnError>;

    /// How the games stood after so many iterations, the last of which harvests were asked for.
    ///
    /// # Errors
    /// When it is to stop.
    fn games(&mut self, iterations: u64) -> Result<Vec<Vec<u8>>, LearnError>;
}

/// What is in an envelope.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Weights = 1,
    Games = 2,
    Harvest = 3,
}

/// Seals and opens what travels between the processes of one run.
#[derive(Clone, Copy)]
pub(crate) struct Seal {
    /// Tells runs, and versions of the program, apart.
    mark: u32,
}

const MAGIC: u64 = u64::from_le_bytes(*b"LUCENAPT");

impl Seal {
    pub fn of(plan: &Plan) -> Seal {
        let Plan {
            recipe,
            endgame,
            board,
            seed,
            settings,
            ..
        } = plan;
        let version = env!("CARGO_PKG_VERSION");
        let all = format!("{version} {recipe} {endgame:?} {board} {seed} {settings}");
        Seal {
            mark: crc32fast::hash(all.as_bytes()),
        }
    }

    fn seal(self, kind: Kind, part: usize, content: &[u8]) -> Vec<u8> {
        let mut out = Writer::default();
        out.u64(MAGIC);
        out.u64(u64::from(self.mark) << 8 | kind as u64);
        out.u64(part as u64);
        out.u64(crc32fast::hash(content).into());
        out.bytes(content);
        out.into_bytes()
    }

    fn open(self, kind: Kind, part: usize, sealed: &[u8]) -> Result<&[u8], LearnError> {
        let most = match kind {
            Kind::Weights => MOST_WEIGHTS,
            Kind::Games | Kind::Harvest => MOST_BYTES,
        };
        if sealed.len() as u64 > most {
            return Err(LearnError::Foreign("it is larger than it may be"));
        }
        let mut from = Reader::new(sealed);
        if from.u64()? != MAGIC {
            return Err(LearnError::Foreign("it is no part of a run"));
        }
        if from.u64()? != u64::from(self.mark) << 8 | kind as u64 {
            let why = "it belongs to another run, or to another version of the program";
            return Err(LearnError::Foreign(why));
        }
        let (whose, checksum) = (from.u64()?, from.u64()?);
        let content = from.bytes()?;
        if whose != part as u64 || checksum != u64::from(crc32fast::hash(content)) {
            return Err(LearnError::Foreign("it is damaged, or another part"));
        }
        match from.is_empty() {
            true => Ok(content),
            false => Err(LearnError::Foreign("there is something behind it")),
        }
    }

    pub fn weights(self, learner: &dyn Divided) -> Vec<u8> {
        self.seal(Kind::Weights, 0, &learner.weights())
    }

    pub fn games(self, games: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let games = games.iter().enumerate();
        games
            .map(|(part, games)| self.seal(Kind::Games, part, games))
            .collect()
    }

    /// Opens what came of all parts.
    fn all(self, kind: Kind, parts: usize, sealed: &[Vec<u8>]) -> Result<Vec<&[u8]>, LearnError> {
        if sealed.len() != parts {
            return Err(LearnError::Foreign(
                "there are not as many parts as there must be",
            ));
        }
        let sealed = sealed.iter().enumerate();
        sealed
            .map(|(part, sealed)| self.open(kind, part, sealed))
            .collect()
    }

    /// An episode of which all parts have been played.
    pub fn learn(
        self,
        learner: &mut dyn Divided,
        harvests: &[Vec<u8>],
        stop: &AtomicBool,
    ) -> Result<Episode, LearnError> {
        let harvests = self.all(Kind::Harvest, learner.parts(), harvests)?;
        learner.learn_from(&harvests, stop)
    }

    /// Goes on with games that have come back.
    pub fn put(self, learner: &mut dyn Divided, games: &[Vec<u8>]) -> Result<(), LearnError> {
        learner.put_games(&self.all(Kind::Games, learner.parts(), games)?)
    }
}

/// Refuses a learner whose parts or weights would be too large to travel, or that has none.
pub(crate) fn divisible<'a>(
    plan: &Plan,
    learner: &'a mut dyn Learner,
) -> Result<&'a mut dyn Divided, LearnError> {
    let bytes = learner.bytes();
    let divided = learner
        .divided()
        .ok_or_else(|| LearnError::NotDivided(plan.recipe.clone()))?;
    let bad = |name: &str, why: String| LearnError::BadSetting {
        name: name.to_owned(),
        value: plan
            .settings
            .get(name)
            .map(ToString::to_string)
            .unwrap_or_default(),
        why,
    };
    let most = divided.most_bytes();
    if most > MOST_BYTES {
        let name = match plan.settings.contains_key("group") {
            true => "group",
            false => "fragment",
        };
        let why = format!(
            "a part of the games could bring {} MiB, more than {} MiB; choose a smaller number",
            most >> 20,
            MOST_BYTES >> 20
        );
        return Err(bad(name, why));
    }
    if bytes > MOST_WEIGHTS / 2 {
        return Err(bad(
            "width",
            "the network is too large to be sent around".into(),
        ));
    }
    Ok(divided)
}

/// Someone who plays the games of a run, part by part.
pub struct SelfPlay {
    learner: Box<dyn Learner>,
    seal: Seal,
}

impl SelfPlay {
    /// Plays for a run of this plan, by random weights until there are others.
    ///
    /// # Errors
    /// When the plan makes no sense, or its games cannot be divided.
    pub fn new(plan: &Plan, registry: Option<&Registry>) -> Result<SelfPlay, LearnError> {
        let seal = Seal::of(plan);
        let mut plan = plan.clone();
        // Training may need a device; playing does not.
        if let Some(device) = plan.settings.get_mut("device") {
            *device = "cpu".into();
        }
        let mut learner = plan.learner(registry)?;
        divisible(&plan, learner.as_mut())?;
        Ok(SelfPlay { learner, seal })
    }

    fn divided(&mut self) -> &mut dyn Divided {
        self.learner.divided().expect("it was when it was made")
    }

    /// How many parts there are.
    pub fn parts(&mut self) -> usize {
        self.divided().parts()
    }

    /// So many parts bring no more bytes than may travel together.
    pub fn room(&mut self) -> usize {
        let most = self.divided().most_bytes().max(1);
        usize::try_from(MOST_BYTES / most).unwrap_or(usize::MAX)
    }

    /// Must all parts of an iteration be played by the weights that it begins with?
    pub fn is_synchronous(&mut self) -> bool {
        self.divided().is_synchronous()
    }

    fn check(&mut self, part: usize) -> Result<(), LearnError> {
        match part < self.parts() {
            true => Ok(()),
            false => Err(LearnError::Foreign("there is no such part")),
        }
    }

    /// Plays by these weights from now on.
    ///
    /// # Errors
    /// When they are damaged, or those of another run.
    pub fn take_weights(&mut self, weights: &[u8]) -> Result<(), LearnError> {
        let weights = self.seal.open(Kind::Weights, 0, weights)?;
        self.divided().take_weights(weights)
    }

    /// The games of a part as they begin; in another life they are others.
    ///
    /// # Errors
    /// When there is no such part, or a file that it needs is missing.
    pub fn new_games(&mut self, part: usize, life: u32) -> Result<Vec<u8>, LearnError> {
        self.check(part)?;
        let games = self.divided().new_games(part, life)?;
        Ok(self.seal.seal(Kind::Games, part, &games))
    }

    /// Plays an iteration's plies in the games of a part.
    ///
    /// # Errors
    /// When they are damaged or those of another part, or it is to stop.
    pub fn play(
        &mut self,
        part: usize,
        games: &[u8],
        stop: &AtomicBool,
    ) -> Result<Piece, LearnError> {
        self.check(part)?;
        let games = self.seal.open(Kind::Games, part, games)?;
        let Piece { harvest, games } = self.divided().play(part, games, stop)?;
        Ok(Piece {
            harvest: self.seal.seal(Kind::Harvest, part, &harvest),
            games: self.seal.seal(Kind::Games, part, &games),
        })
    }
}
