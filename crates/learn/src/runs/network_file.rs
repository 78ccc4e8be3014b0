//! What a file of weights holds, told without reading the weights.

use serde::Deserialize as _;
use serde_json::Value;

use crate::{DistanceShape, alphazero, net::Tensors, ppo::Sight};

/// What a file of weights says about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkFile {
    /// What kind of network it is, in words.
    pub kind: &'static str,
    /// The endgame that it knows; none if it plays whole games.
    pub endgame: Option<String>,
    /// The board that it plays on.
    pub board: usize,
    /// Can it lead a tree search?
    pub searches: bool,
}

impl NetworkFile {
    /// Looks at a file; `None` when it holds no network that `net:FILE` plays.
    pub fn of(file: &[u8]) -> Option<NetworkFile> {
        if let Ok(shape) = DistanceShape::from_file(file) {
            return Some(NetworkFile {
                kind: "a network of distances to mate",
                endgame: Some(shape.endgame),
                board: shape.board,
                searches: false,
            });
        }
        let whole_games = |kind, searches| NetworkFile {
            kind,
            endgame: None,
            board: 8,
            searches,
        };
        // Every kind of network names itself in a field of its own.
        let about: Value = serde_json::from_str(&Tensors::about(file).ok()?).ok()?;
        if let Some(endgame) = about.get("alphazero") {
            if endgame.as_str() == Some(alphazero::CHESS) {
                return Some(whole_games("a small network of whole games", true));
            }
            return Some(NetworkFile {
                kind: "a network that has played against itself",
                endgame: Some(endgame.as_str()?.to_owned()),
                board: about.get("board")?.as_u64()? as usize,
                searches: true,
            });
        }
        if let Some(sight) = about.get("ppo") {
            return match Sight::deserialize(sight).ok()? {
                Sight::Chess { .. } => Some(whole_games("a policy of whole games", false)),
                Sight::Endgame { .. } => None,
            };
        }
        if about.get("imitation").is_some() {
            return Some(whole_games("a tower of whole games", true));
        }
        if about.get("wojcik_alphazero").is_some() {
            return Some(whole_games("document W's network of sixteen planes", true));
        }
        about
            .get("wojcik_turned")
            .map(|_| whole_games("seven networks", false))
    }
}
