//! What can be set, and how the registry knows it.

use std::{path::Path, sync::Arc, time::Duration};

use rules::plain_file;

use super::{MAX_DEPTH, Minimax, age};
use crate::{
    Dice, Fingerprint, Key, Kind, LeafValue, Prepared, Settings, SpecError, TinyNetwork,
    memory::room_for, search::Options, transposition::Table,
};

impl Minimax {
    /// How the registry knows it.
    pub fn kind() -> Kind {
        Kind {
            name: "minimax",
            summary: "alpha-beta search with iterative deepening and a transposition table",
            subject: None,
            keys: &[
                Key {
                    name: "depth",
                    meaning: "plies, 1 to 60 (default 6; 60 when limited by nodes or time)",
                },
                Key {
                    name: "eval",
                    meaning: "mop-up (default), ypma (that of Ypma's thesis, formula 6.1) or ypma-edge (its Table 5.2)",
                },
                Key {
                    name: "net",
                    meaning: "the file of a small network, which takes the place of eval",
                },
                Key {
                    name: "game",
                    meaning: "seconds for all moves of a game, such as 0.15; depth and history are then its own affair",
                },
                Key {
                    name: "beta1",
                    meaning: "ypma: weight of the kings' distance (default 2)",
                },
                Key {
                    name: "beta2",
                    meaning: "ypma: weight of the distance to the centre (default 5)",
                },
                Key {
                    name: "history",
                    meaning: "on (default): repetitions and the fifty-move clock are known; off: a pure function of the position",
                },
                Key {
                    name: "repetition",
                    meaning: "the occurrence of a position that counts as a draw: 2 (default) or 3",
                },
                Key {
                    name: "progress",
                    meaning: "on or off: may the side that mates claim the progress made on the way (default: on for mop-up)",
                },
                Key {
                    name: "shortest",
                    meaning: "on or off: prefer the shorter of equal lines (default: on for mop-up)",
                },
                Key {
                    name: "quiescence",
                    meaning: "on or off: look at captures beyond the depth (default: on for mop-up)",
                },
                Key {
                    name: "ties",
                    meaning: "first (default) or drawn (by seed) among equally good moves",
                },
                Key {
                    name: "nodes",
                    meaning: "positions per move",
                },
                Key {
                    name: "hash",
                    meaning: "size of the transposition table in MiB (default 16)",
                },
            ],
            prepare: Box::new(|settings| {
                let settled = Settled::read(settings)?;
                let network = match &settled.options.evaluation {
                    LeafValue::Network(network) => Some(Fingerprint::of([network.to_bytes()])),
                    _ => None,
                };
                let prepared = Prepared::new(move |seed| Box::new(settled.player(seed)));
                Ok(match network {
                    Some(network) => prepared.holding(network, &["net"]),
                    None => prepared,
                })
            }),
        }
    }
}

/// Settings that have been read.
struct Settled {
    depth: u32,
    options: Options,
    mebibytes: usize,
    nodes: Option<u64>,
    game: Option<Duration>,
    drawn: bool,
}

/// Evaluations by name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    MopUp,
    Ypma,
    YpmaEdge,
}

/// Networks larger than this are not small.
const MOST_BYTES: u64 = 1 << 20;

fn read_network(path: &Path) -> Result<TinyNetwork, String> {
    let said = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let bytes = plain_file::read(path, MOST_BYTES).map_err(|error| said(&error))?;
    TinyNetwork::from_bytes(&bytes).map_err(|error| said(&error))
}

impl Settled {
    fn read(settings: &Settings) -> Result<Settled, SpecError> {
        let names = [
            ("mop-up", Named::MopUp),
            ("ypma", Named::Ypma),
            ("ypma-edge", Named::YpmaEdge),
        ];
        let named = settings.one_of("eval", &names, Named::MopUp)?;
        let ypma = named == Named::Ypma;
        let beta1 = settings.number("beta1", 0..=1000)?;
        let beta2 = settings.number("beta2", 0..=1000)?;
        if !ypma && (beta1.is_some() || beta2.is_some()) && settings.get("eval").is_some() {
            return Err(SpecError::Other {
                player: "minimax".into(),
                why: "beta1 and beta2 belong to eval=ypma".into(),
            });
        }
        let evaluation = if let Some(path) = settings.get("net") {
            if settings.get("eval").is_some() || beta1.is_some() || beta2.is_some() {
                return Err(SpecError::Other {
                    player: "minimax".into(),
                    why: "net takes the place of eval".into(),
                });
            }
            let network = read_network(Path::new(path)).map_err(|why| SpecError::Other {
                player: "minimax".into(),
                why,
            })?;
            LeafValue::Network(Arc::new(network))
        } else if ypma || beta1.is_some() || beta2.is_some() {
            LeafValue::Ypma {
                beta1: beta1.unwrap_or(2),
                beta2: beta2.unwrap_or(5),
            }
        } else if named == Named::YpmaEdge {
            LeafValue::YpmaEdge
        } else {
            LeafValue::MopUp
        };
        let default = Minimax::options(evaluation.clone());
        let game = settings.number("game", 0.001..=86_400.0)?;
        let game = game.map(Duration::from_secs_f64);
        if game.is_some() && (settings.get("depth").is_some() || settings.get("history").is_some())
        {
            return Err(SpecError::Other {
                player: "minimax".into(),
                why: "with game=, depth and history cannot be set".into(),
            });
        }
        let mebibytes = settings.number_or("hash", 1..=65_536, 16)?;
        room_for(Table::bytes(mebibytes))
            .map_err(|why| settings.refuse("hash", format!("less: {why}")))?;
        let nodes = settings.number("nodes", 1..=u64::MAX)?;
        let default_depth = if nodes.is_some() { MAX_DEPTH } else { 6 };
        Ok(Settled {
            depth: settings.number_or("depth", 1..=MAX_DEPTH, default_depth)?,
            options: Options {
                ageing: age(
                    &evaluation,
                    settings.switch("shortest", default.ageing != 0)?,
                ),
                evaluation,
                quiescence: settings.switch("quiescence", default.quiescence)?,
                progress: settings.switch("progress", default.progress)?,
                history: settings.switch("history", default.history)?,
                repetition: settings.number_or("repetition", 2..=3, default.repetition)?,
                keeps: default.keeps,
            },
            mebibytes,
            nodes,
            game,
            drawn: settings.one_of("ties", &[("first", false), ("drawn", true)], false)?,
        })
    }

    fn player(&self, seed: u64) -> Minimax {
        let dice = self.drawn.then(|| Dice::new(seed));
        let player = Minimax {
            nodes: self.nodes,
            ..Minimax::with_options(self.depth, self.options.clone(), self.mebibytes, dice)
        };
        match self.game {
            Some(time) => player.with_time_for_game(time),
            None => player,
        }
    }
}
