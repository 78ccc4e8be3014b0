//! The options of the engine.

use std::{path::Path, sync::Arc, time::Duration};

use truth::Syzygy;

/// Searches until a limit is reached.
pub const DEFAULT_PLAYER: &str = "minimax:depth=60";

/// The options as they are set.
pub struct Options {
    player: String,
    hash: u32,
    /// The best moves to show.
    pub lines: usize,
    /// Are the chances of a win, a draw and a loss shown, where a player tells them?
    pub wdl: bool,
    /// Time that is lost between the chess program and us.
    pub overhead: Duration,
}

/// What setting an option changes elsewhere.
pub enum Setting {
    /// Another player, or the same with another table.
    Player(String),
    /// The folder of Syzygy tables, or none.
    Syzygy(Option<Arc<Syzygy>>),
    Other,
}

const MAX_HASH: u32 = 65_536;
const MAX_LINES: usize = 256;

impl Options {
    pub fn new(player: String) -> Options {
        Options {
            player,
            hash: 16,
            lines: 1,
            wdl: false,
            overhead: Duration::from_millis(30),
        }
    }

    /// The options as `uci` lists them.
    pub fn list(&self) -> Vec<String> {
        vec![
            format!("option name Player type string default {}", self.player),
            // The searches here give the same move whatever the number of threads.
            "option name Threads type spin default 1 min 1 max 1024".to_owned(),
            format!(
                "option name Hash type spin default {} min 1 max {MAX_HASH}",
                self.hash
            ),
            "option name Ponder type check default false".to_owned(),
            format!("option name MultiPV type spin default 1 min 1 max {MAX_LINES}"),
            "option name UCI_ShowWDL type check default false".to_owned(),
            "option name Move Overhead type spin default 30 min 0 max 5000".to_owned(),
            "option name SyzygyPath type string default <empty>".to_owned(),
        ]
    }

    /// Sets what `setoption` says. Names are compared without regard to case.
    pub fn set(&mut self, words: &[&str]) -> Result<Setting, String> {
        let value_at = words.iter().position(|&word| word == "value");
        let (name, value) = words.split_at(value_at.unwrap_or(words.len()));
        let name = name.get(1..).unwrap_or_default().join(" ");
        let value = value.get(1..).unwrap_or_default().join(" ");
        let number = |least: u32, most: u32| {
            let number = value.parse::<u32>().ok();
            number
                .filter(|n| (least..=most).contains(n))
                .ok_or_else(|| format!("{name} takes a number from {least} to {most}"))
        };
        match name.to_lowercase().as_str() {
            "player" => Ok(Setting::Player(value)),
            "hash" => {
                self.hash = number(1, MAX_HASH)?;
                Ok(Setting::Player(self.player.clone()))
            }
            "threads" => number(1, 1024).map(|_| Setting::Other),
            "ponder" => Ok(Setting::Other),
            "multipv" => {
                self.lines = number(1, MAX_LINES as u32)? as usize;
                Ok(Setting::Other)
            }
            "uci_showwdl" => {
                self.wdl = match value.to_lowercase().as_str() {
                    "true" => true,
                    "false" => false,
                    _ => return Err(format!("{name} is true or false")),
                };
                Ok(Setting::Other)
            }
            "move overhead" => {
                self.overhead = Duration::from_millis(number(0, 5000)?.into());
                Ok(Setting::Other)
            }
            "syzygypath" => {
                if value.is_empty() || value == "<empty>" {
                    return Ok(Setting::Syzygy(None));
                }
                let syzygy = Syzygy::open(Path::new(&value)).map_err(|error| error.to_string())?;
                Ok(Setting::Syzygy(Some(Arc::new(syzygy))))
            }
            _ => Err(format!("there is no option {name}")),
        }
    }

    /// Keeps a player that has been understood; one that has not leaves the old one in its place.
    pub fn keep_player(&mut self, player: String) {
        self.player = player;
    }

    /// A player with the size of its table, where it has one and does not say itself.
    pub fn with_hash(&self, player: &str) -> String {
        if player.split(':').next() != Some("minimax") || player.contains("hash=") {
            return player.to_owned();
        }
        let joint = if player.contains(':') { ',' } else { ':' };
        format!("{player}{joint}hash={}", self.hash)
    }
}
