//! Players by name: `minimax:depth=4`, `uci:stockfish,nodes=10000`.
//!
//! A player is a name, a colon, perhaps a subject, and settings `key=value` separated by commas.
//! The registry reads such a text once; the [`PlayerSpec`] it returns makes as many players as
//! there are games and threads, each with a seed of its own. Other crates add kinds of players with
//! [`Registry::register`].

use std::{fmt, sync::Arc};

use truth::Oracle;

use crate::{
    Dice, Drawish, Fingerprint, Heuristic, Key, Mcts, Minimax, Perfect, Player, PuctPlayer, Random,
    Settings, SpecError, Ties, UciEngine,
};

/// Makes players of one kind and setting, each from a seed.
pub type Maker = Arc<dyn Fn(u64) -> Box<dyn Player> + Send + Sync>;

/// A kind of player.
pub struct Kind {
    /// Its name, which stands before the colon.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// What stands directly behind the colon (a description and an example), if anything must.
    pub subject: Option<(&'static str, &'static str)>,
    /// The settings it understands.
    pub keys: &'static [Key],
    /// Reads the settings, loads what all its players share, and returns their maker.
    #[allow(clippy::type_complexity)] // written out, it says what it is
    pub prepare: Box<dyn Fn(&Settings) -> Result<Prepared, SpecError> + Send + Sync>,
}

/// Players that are ready to be made.
pub struct Prepared {
    maker: Maker,
    contents: Vec<Fingerprint>,
    places: &'static [&'static str],
}

impl Prepared {
    /// Players whose moves follow from their settings alone.
    pub fn new(make: impl Fn(u64) -> Box<dyn Player> + Send + Sync + 'static) -> Prepared {
        Prepared {
            maker: Arc::new(make),
            contents: Vec::new(),
            places: &[],
        }
    }

    /// The same players, whose moves also follow from what a file held. `places` are the settings that
    /// only say where it was: keys, or [`Prepared::SUBJECT`].
    #[must_use]
    pub fn holding(mut self, contents: Fingerprint, places: &'static [&'static str]) -> Prepared {
        self.contents.push(contents);
        self.places = places;
        self
    }

    /// Stands for what is directly behind the colon, among keys.
    pub const SUBJECT: &'static str = ":";

    /// Of everything the moves follow from.
    fn fingerprint(&self, kind: &str, settings: &Settings) -> Fingerprint {
        let is_place = |key: &str| self.places.contains(&key);
        let subject = settings.subject().filter(|_| !is_place(Prepared::SUBJECT));
        let pairs = settings.beginning_with("");
        let pairs: Vec<_> = pairs.filter(|(key, _)| !is_place(key)).collect();
        Fingerprint::of_player(kind, subject, &pairs, &self.contents)
    }
}

/// The kinds of players there are.
pub struct Registry {
    kinds: Vec<Kind>,
}

/// A player by name and settings, ready to be made.
#[derive(Clone)]
pub struct PlayerSpec {
    text: String,
    fingerprint: Fingerprint,
    maker: Maker,
}

impl PlayerSpec {
    /// A player that is not in any registry, with what tells it from others of that name.
    pub fn new(text: impl Into<String>, fingerprint: Fingerprint, maker: Maker) -> PlayerSpec {
        PlayerSpec {
            text: text.into(),
            fingerprint,
            maker,
        }
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What tells it from others of that name.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// A new player whose chances follow from `seed`.
    pub fn player(&self, seed: u64) -> Box<dyn Player> {
        (self.maker)(seed)
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlayerSpec({})", self.text)
    }
}

impl Registry {
    /// Every kind of player in this crate; `perfect` asks `oracle`.
    pub fn new(oracle: Arc<dyn Oracle>) -> Registry {
        let mut registry = Registry {
            kinds: vec![
                simple("random", "any legal move with equal chance", |seed| {
                    Box::new(Random::new(seed))
                }),
                Kind {
                    name: "heuristic",
                    summary: "the defender of Ypma's thesis (2024): the king runs to the centre, every \
                              immediate draw is taken",
                    subject: None,
                    keys: &[Key {
                        name: "ties",
                        meaning: "which of several best moves: drawn (by seed, the default) or first",
                    }],
                    prepare: Box::new(|settings| {
                        let ties = [("drawn", false), ("first", true)];
                        let first = settings.one_of("ties", &ties, false)?;
                        Ok(Prepared::new(move |seed| {
                            Box::new(if first {
                                Heuristic::first()
                            } else {
                                Heuristic::new(seed)
                            })
                        }))
                    }),
                },
                simple(
                    "drawish",
                    "the defender of Deolalikar's paper: an immediate draw if there is one, else any move",
                    |seed| Box::new(Drawish::new(seed)),
                ),
            ],
        };
        registry.register(Kind {
            name: "perfect",
            summary: "exact play: the shortest mate, the longest resistance",
            subject: None,
            keys: &[Key {
                name: "ties",
                meaning: "which of several best moves: drawn (by seed, the default) or first",
            }],
            prepare: Box::new(move |settings| {
                let first = settings.one_of("ties", &[("drawn", false), ("first", true)], false)?;
                let oracle = oracle.clone();
                Ok(Prepared::new(move |seed| {
                    let ties = if first {
                        Ties::First
                    } else {
                        Ties::Drawn(Dice::new(seed))
                    };
                    Box::new(Perfect::new(oracle.clone(), ties))
                }))
            }),
        });
        registry.register(Minimax::kind());
        registry.register(Mcts::kind());
        registry.register(PuctPlayer::kind());
        registry.register(UciEngine::kind());
        registry
    }

    /// Adds a kind of player, in place of one with the same name.
    pub fn register(&mut self, kind: Kind) {
        self.kinds.retain(|known| known.name != kind.name);
        self.kinds.push(kind);
    }

    /// Every kind of player, for help texts.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// Reads a player.
    ///
    /// # Errors
    /// When the name or a key is unknown (the error lists the known ones) or a value makes no
    /// sense.
    pub fn parse(&self, text: &str) -> Result<PlayerSpec, SpecError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let kind = self
            .kinds
            .iter()
            .find(|kind| kind.name == name)
            .ok_or_else(|| SpecError::UnknownPlayer {
                name: name.to_owned(),
                known: self.kinds.iter().map(|kind| kind.name.into()).collect(),
            })?;
        let settings = Settings::read(name, rest, kind.subject.is_some(), kind.keys)?;
        if let Some((what, example)) = kind.subject
            && settings.subject().is_none()
        {
            return Err(SpecError::NoSubject {
                player: name.to_owned(),
                what,
                example,
            });
        }
        let prepared = (kind.prepare)(&settings)?;
        let fingerprint = prepared.fingerprint(name, &settings);
        Ok(PlayerSpec::new(text, fingerprint, prepared.maker))
    }

    /// Reads a player that is to be certified: as [`Registry::parse`], but `perfect` without more
    /// words is the one that takes the first of several best moves. Lots among them change no length,
    /// and a proof needs one of them.
    ///
    /// # Errors
    /// As [`Registry::parse`].
    pub fn parse_policy(&self, text: &str) -> Result<PlayerSpec, SpecError> {
        match text {
            "perfect" => self.parse("perfect:ties=first"),
            _ => self.parse(text),
        }
    }
}

fn simple(
    name: &'static str,
    summary: &'static str,
    make: impl Fn(u64) -> Box<dyn Player> + Send + Sync + Copy + 'static,
) -> Kind {
    Kind {
        name,
        summary,
        subject: None,
        keys: &[],
        prepare: Box::new(move |_| Ok(Prepared::new(make))),
    }
}
