//! Runs and networks as players: `run:runs/krk`, `net:krk.safetensors`.

use std::{
    ops::Deref,
    path::Path,
    sync::{Arc, LazyLock},
    time::Duration,
};

use play::{
    Choice, Evaluators, Fingerprint, Info, Key, Kind, LeafValue, Limits, MAX_DEPTH, Minimax,
    Nature, Player, PlayerError, Prepared, PuctPlayer, PuctSpec, Registry, Settings, SpecError,
    TinyNetwork,
};
use rules::{Game, plain_file};

use super::{
    Policy, Which,
    policy::{Learned, load, load_sound},
};
use crate::{
    LearnError, Learner, Skill,
    alphazero::{
        DenseEvaluator, DenseNetwork, EndgameEvaluator, EndgameNetwork,
        wojcik::{WojcikEvaluator, WojcikNetwork},
    },
    imitation::{ImitationEvaluator, ImitationNetwork},
    ppo::{Manner, PpoNetwork, PpoPlayer, Sight},
    whole_games::without_search,
    wojcik::{SevenNetworks, WojcikPlayer},
};

/// A player who plays a learned policy, which it owns, shares or borrows.
#[derive(Clone)]
pub struct PolicyPlayer<P> {
    name: String,
    policy: P,
}

impl<P: Deref<Target = Policy>> PolicyPlayer<P> {
    /// The player of a policy; `name` is what its errors call it.
    pub fn new(name: impl Into<String>, policy: P) -> PolicyPlayer<P> {
        PolicyPlayer {
            name: name.into(),
            policy,
        }
    }
}

impl<P: Deref<Target = Policy> + Send> Player for PolicyPlayer<P> {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let position = game.position();
        if position.legal_moves().is_empty() {
            return Err(PlayerError::no_move(game));
        }
        let chosen = self.policy.choose(position);
        let chosen = chosen.ok_or_else(|| {
            let rules = &self.policy.skill().endgame().rules;
            PlayerError::Unsupported {
                player: self.name.clone(),
                fen: position.fen(),
                why: format!("it has learned {} on {}", rules.material(), rules.board()),
            }
        })?;
        let info = Info {
            unvisited: !chosen.visited,
            ..Info::default()
        };
        Ok(Choice { mv: chosen.m, info })
    }

    fn nature(&self) -> Nature {
        Nature::Position
    }

    fn is_symmetric(&self) -> bool {
        self.policy.is_symmetric()
    }
}

/// How a small network is searched with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Searching {
    /// To a depth in plies; without a history it is a policy.
    Depth {
        /// Plies.
        plies: u32,
        /// Does it know the game?
        history: bool,
    },
    /// With so much time for all moves of a game.
    Game(Duration),
}

impl Searching {
    fn read(settings: &Settings) -> Result<Option<Searching>, SpecError> {
        let depth = settings.number("depth", 1..=MAX_DEPTH)?;
        let history = settings.switch("history", true)?;
        let game = settings.number("game", 0.001..=86_400.0)?;
        match (depth, game) {
            (Some(plies), None) => Ok(Some(Searching::Depth { plies, history })),
            (None, Some(seconds)) if history => {
                Ok(Some(Searching::Game(Duration::from_secs_f64(seconds))))
            }
            (None, None) if history => Ok(None),
            (None, None) => Err(settings.refuse("history", "nothing without depth")),
            _ => Err(settings.refuse("game", "nothing beside it but checkpoint")),
        }
    }

    /// The player that searches so with a network at the leaves.
    pub fn player(self, network: Arc<TinyNetwork>) -> Minimax {
        let evaluation = LeafValue::Network(network);
        match self {
            Searching::Depth { plies, history } => {
                let player = Minimax::new(plies, evaluation);
                if history {
                    player
                } else {
                    player.without_history()
                }
            }
            Searching::Game(time) => Minimax::new(MAX_DEPTH, evaluation).with_time_for_game(time),
        }
    }
}

/// What a tree search is set by, behind what a kind of player has of its own.
fn with_search(own: &[Key]) -> Vec<Key> {
    let search = Key {
        name: "search",
        meaning: "puct: lead a tree search with the network, where it has one that can; none (the default)",
    };
    let new = |key: &Key| own.iter().all(|known| known.name != key.name);
    let keys = PuctSpec::KEYS.into_iter().filter(new);
    own.iter().copied().chain([search]).chain(keys).collect()
}

/// The players that search with what was learned, if the settings ask for a search.
fn searching(
    name: &str,
    settings: &Settings,
    evaluators: impl FnOnce() -> Option<Evaluators>,
) -> Result<Option<Prepared>, SpecError> {
    let refused = |keys: &[&'static str], why: &str| {
        let set = keys.iter().find(|key| settings.get(key).is_some());
        set.map_or(Ok(()), |key| Err(settings.refuse(key, why)))
    };
    if !settings.one_of("search", &[("puct", true), ("none", false)], false)? {
        let keys = PuctSpec::KEYS.map(|key| key.name);
        let keys: Vec<_> = keys.into_iter().filter(|&key| key != "history").collect();
        refused(&keys, "nothing without search=puct")?;
        return Ok(None);
    }
    refused(&["depth", "game", "moves"], "nothing with search=puct")?;
    let spec = PuctSpec::read(settings)?;
    let evaluators = evaluators()
        .ok_or_else(|| settings.refuse("search", "none: it has no policy that a tree could ask"))?;
    Ok(Some(PuctPlayer::prepare(name, spec, evaluators)))
}

static RUN_KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    with_search(&[
        Key {
            name: "checkpoint",
            meaning: "which one: best (by its evaluations, the default), newest, or a number of episodes",
        },
        Key {
            name: "damaged",
            meaning: "a checkpoint that is damaged: refuse (the default), or skip it for the newest sound one",
        },
        Key {
            name: "depth",
            meaning: "small networks: search so many plies with the network at the leaves; networks of distances: 3",
        },
        Key {
            name: "history",
            meaning: "with depth or search=puct: on (default) or off, as for minimax",
        },
        Key {
            name: "game",
            meaning: "small networks: search, with so many seconds for all moves of a game",
        },
        Key {
            name: "moves",
            meaning: "policies of whole games (ppo): best (the default), or drawn by their chances",
        },
    ])
});

static NET_KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    with_search(&[Key {
        name: "depth",
        meaning: "plies to look ahead: 1 (the default); networks of distances: or 3",
    }])
});

/// Evaluators of a network of whole games that a search can ask, and what their answers depend on.
fn evaluators_of_chess(file: &[u8]) -> Option<(Evaluators, Nature)> {
    if let Ok(network) = ImitationNetwork::from_file(file) {
        let evaluators = ImitationEvaluator::many(Arc::new(network));
        return Some((evaluators, Nature::History));
    }
    if let Ok(network) = WojcikNetwork::from_file(file) {
        let evaluators = WojcikEvaluator::many(Arc::new(network));
        return Some((evaluators, Nature::Position));
    }
    let network = DenseNetwork::from_file(file).ok()?;
    Some((DenseEvaluator::many(Arc::new(network)), Nature::History))
}

/// Adds the players `run:FOLDER` and `net:FILE` to a registry.
pub fn register(registry: &mut Registry) {
    registry.register(Kind {
        name: "run",
        summary: "what a training run has learned",
        subject: Some(("the folder of a run", "run:runs/krk")),
        keys: &RUN_KEYS,
        prepare: Box::new(|settings| {
            let which = match settings.get("checkpoint") {
                None | Some("best") => Which::Best,
                Some("newest") => Which::Newest,
                Some(number) => Which::After(number.parse().map_err(|_| {
                    settings.refuse("checkpoint", "best, newest, or a number of episodes")
                })?),
            };
            // The registry refuses a text without a folder before it comes here.
            let folder = settings.subject().unwrap_or_default();
            let refuse = |error: LearnError| SpecError::Other {
                player: "run".to_owned(),
                why: explained(&error),
            };
            let damaged = [("refuse", false), ("skip", true)];
            let learned = match settings.one_of("damaged", &damaged, false)? {
                true => load_sound(Path::new(folder), which),
                false => load(Path::new(folder), which),
            };
            let Learned {
                learner,
                fingerprint,
            } = learned.map_err(refuse)?;
            let (name, learner) = (format!("run:{folder}"), Arc::<dyn Learner>::from(learner));
            let searching = searching(&name, settings, || learner.clone().evaluators())?;
            let players = match searching {
                Some(players) => players,
                None => learner.players(&name, settings)?,
            };
            Ok(players.holding(fingerprint, PLACES))
        }),
    });
    registry.register(Kind {
        name: "net",
        summary: "a network of ours from a file",
        subject: Some(("a file of weights", "net:runs/krk/weights.safetensors")),
        keys: &NET_KEYS,
        prepare: Box::new(|settings| {
            let file = settings.subject().unwrap_or_default();
            let refuse = |error: LearnError| SpecError::Other {
                player: "net".to_owned(),
                why: error.to_string(),
            };
            let path = Path::new(file);
            let bytes = plain_file::read(path, plain_file::TEXT)
                .map_err(LearnError::file(path))
                .map_err(refuse)?;
            let name = format!("net:{file}");
            let endgame = EndgameNetwork::from_file(&bytes).ok().map(Arc::new);
            let of_chess = evaluators_of_chess(&bytes);
            let evaluators = || {
                let of_chess = of_chess.clone().map(|(evaluators, _)| evaluators);
                of_chess.or(endgame.clone().map(EndgameEvaluator::many))
            };
            if let Some(players) = searching(&name, settings, evaluators)? {
                return Ok(players.holding(Fingerprint::of([&bytes]), PLACES));
            }
            if let Some(network) = endgame {
                settings.one_of("depth", &[("1", ())], ())?;
                let fingerprint = Fingerprint::of([&bytes]);
                let players = prepared(&name, Policy::new(network, fingerprint));
                return Ok(players.holding(fingerprint, PLACES));
            }
            if let Some((evaluators, nature)) = of_chess {
                settings.one_of("depth", &[("1", ())], ())?;
                let players = Prepared::new(move |_| without_search(&name, evaluators(), nature));
                return Ok(players.holding(Fingerprint::of([&bytes]), PLACES));
            }
            if let Ok(networks) = SevenNetworks::from_file(&bytes) {
                settings.one_of("depth", &[("1", ())], ())?;
                let player = WojcikPlayer::new(name, Arc::new(networks));
                let players = Prepared::new(move |_| Box::new(player.clone()));
                return Ok(players.holding(Fingerprint::of([&bytes]), PLACES));
            }
            if let Ok(network) = PpoNetwork::from_file(&bytes)
                && matches!(network.sight, Sight::Chess { .. })
            {
                settings.one_of("depth", &[("1", ())], ())?;
                let player = PpoPlayer::new(name, Arc::new(network), Manner::Best);
                let players = Prepared::new(move |_| Box::new(player.clone()));
                return Ok(players.holding(Fingerprint::of([&bytes]), PLACES));
            }
            let policy = Policy::from_weights(path).map_err(refuse)?;
            let ahead = settings.one_of("depth", &[("1", false), ("3", true)], false)?;
            let policy = match ahead {
                // A file of weights holds nothing but a network of distances.
                true => policy.looking_ahead().expect("a network of distances"),
                false => policy,
            };
            let fingerprint = policy.fingerprint();
            Ok(prepared(&name, policy).holding(fingerprint, PLACES))
        }),
    });
}

/// The players of someone who knows an endgame: by its policy, or with a search where it holds
/// something that a search can ask.
pub(crate) fn policy_players(
    skill: Arc<dyn Skill>,
    name: &str,
    how: &Settings,
) -> Result<Prepared, SpecError> {
    how.one_of("moves", &[("best", ())], ())?;
    let network = skill.network();
    // What tells the players apart is said by whoever read the skill from a file.
    let policy = Policy::new(skill, Fingerprint::of([name]));
    let Some(search) = Searching::read(how)? else {
        return Ok(prepared(name, policy));
    };
    if let Some(network) = network {
        return Ok(Prepared::new(move |_| {
            Box::new(search.player(network.clone()))
        }));
    }
    let ahead = match search {
        Searching::Depth { plies: 3, .. } => policy.looking_ahead(),
        _ => None,
    };
    let ahead = ahead.ok_or_else(|| SpecError::Other {
        player: "run".to_owned(),
        why: format!(
            "{name} holds no small network, so it cannot search; a network of distances can look \
             three plies ahead (depth=3)"
        ),
    })?;
    Ok(prepared(name, ahead))
}

/// Settings that only say where to find what was learned.
const PLACES: &[&str] = &[Prepared::SUBJECT, "checkpoint", "damaged"];

fn prepared(name: &str, policy: Policy) -> Prepared {
    let player = PolicyPlayer::new(name, Arc::new(policy));
    Prepared::new(move |_| Box::new(player.clone()))
}

/// What went wrong, and what can be done about it.
fn explained(error: &LearnError) -> String {
    match error {
        LearnError::DamagedCheckpoint { .. } => {
            format!("{error}; with 'damaged=skip' the newest sound one is played instead")
        }
        _ => error.to_string(),
    }
}
