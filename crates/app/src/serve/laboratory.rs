//! What all requests share: tables, players, folders, jobs, and a bound on the work at one time.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, RwLock},
    time::SystemTime,
};

use play::{PlayerSpec, Registry};
use rules::{Board, Material, Position};
use tokio::sync::Semaphore;
use truth::{Tablebase, closure};

use super::{
    jobs::Jobs,
    refusal::{Answer, Refusal},
};
use crate::{progress::interrupted, tables::SOLVED_ON_DEMAND};

/// The longest text that names a player.
const LONGEST_PLAYER: usize = 300;
/// Players that are kept ready.
const READY_PLAYERS: usize = 32;
/// Requests that may wait for their turn. More are turned away with "too many requests".
const WAITING: usize = 4096;

/// The laboratory behind the page.
pub struct Laboratory {
    pub tables: Arc<Tablebase>,
    pub registry: Registry,
    /// The folder of the runs.
    pub runs: PathBuf,
    /// The folder of certificates and reports.
    pub reports: PathBuf,
    pub jobs: Jobs,
    engines: Vec<String>,
    /// Endgames whose tables are known to be there.
    covered: RwLock<HashSet<(Material, Board)>>,
    /// One endgame is solved at a time: it takes all cores anyway.
    solving: Mutex<()>,
    /// Loading what a run has learned takes a while, so that players are kept.
    players: Mutex<Vec<ReadyPlayer>>,
    quick: Turns,
    slow: Turns,
    search: Turns,
}

/// Work of one kind at a time.
struct Turns {
    running: Semaphore,
    waiting: Semaphore,
}

struct ReadyPlayer {
    text: String,
    /// When what it was made from was changed.
    stamp: Option<SystemTime>,
    spec: PlayerSpec,
}

/// How long an answer takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Looking things up.
    Quick,
    /// Loading tables, reading folders.
    Slow,
    /// Thinking about a move.
    Search,
}

impl Laboratory {
    pub fn new(
        tables: Arc<Tablebase>,
        runs: PathBuf,
        reports: PathBuf,
        engines: Vec<String>,
    ) -> Laboratory {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let turns = || Turns {
            running: Semaphore::new(cores),
            waiting: Semaphore::new(WAITING),
        };
        Laboratory {
            registry: crate::players::registry(tables.clone()),
            tables,
            runs,
            reports,
            jobs: Jobs::default(),
            engines,
            covered: RwLock::default(),
            solving: Mutex::default(),
            players: Mutex::default(),
            quick: turns(),
            slow: turns(),
            search: turns(),
        }
    }

    /// Does work on a thread that may block, as many at a time as there are cores. Long searches
    /// never keep short questions waiting, because each kind has turns of its own.
    pub async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        effort: Effort,
        work: impl FnOnce(&Laboratory) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let turns = match effort {
            Effort::Quick => &self.quick,
            Effort::Slow => &self.slow,
            Effort::Search => &self.search,
        };
        let _place = turns
            .waiting
            .try_acquire()
            .map_err(|_| Refusal::busy("too many questions at once; ask again in a moment"))?;
        let _turn = turns.running.acquire().await.map_err(Refusal::broken)?;
        let laboratory = self.clone();
        tokio::task::spawn_blocking(move || work(&laboratory))
            .await
            // A panic is a bug of ours; it costs this request and nothing else.
            .map_err(|_| {
                Refusal::broken("something went wrong inside; the log of the server says what")
            })?
    }

    /// Makes sure that the tables of an endgame are there, if it is small enough to be solved on
    /// the spot. Are they?
    pub fn cover(&self, material: Material, board: Board) -> Answer<bool> {
        let key = (material.canonical(), board);
        if material.men() <= 2 || self.covered.read().expect(POISON).contains(&key) {
            return Ok(true);
        }
        if material.men() > truth::MAX_MEN || material.has_pawns() && !board.is_standard() {
            return Ok(false);
        }
        if material.men() <= SOLVED_ON_DEMAND {
            let _turn = self.solving.lock().expect(POISON);
            self.tables
                .ensure(material, board, &|_| !interrupted())
                .map_err(Refusal::broken)?;
        } else {
            for needed in closure(material) {
                if self
                    .tables
                    .table(needed, board)
                    .map_err(Refusal::broken)?
                    .is_none()
                {
                    return Ok(false);
                }
            }
        }
        self.covered.write().expect(POISON).insert(key);
        Ok(true)
    }

    /// The same for a position.
    pub fn cover_position(&self, position: &Position) -> Answer<bool> {
        if position.has_castling_rights() || position.men_count() > truth::MAX_MEN {
            return Ok(false);
        }
        self.cover(position.material(), position.board())
    }

    /// The engines that may be played: a name in a request must not start any program there is.
    pub fn engines(&self) -> &[String] {
        &self.engines
    }

    /// Reads a player. A run is named by its name, `run:krk`, because the laboratory knows the
    /// folder; an engine must be one of those the server was told of.
    pub fn player(&self, text: &str) -> Answer<PlayerSpec> {
        let full = self.full_name(text)?;
        let stamp = stamp(&full);
        let mut players = self.players.lock().expect(POISON);
        if let Some(at) = players
            .iter()
            .position(|p| p.text == text && p.stamp == stamp)
        {
            // The one used last stands last.
            let ready = players.remove(at);
            let spec = ready.spec.clone();
            players.push(ready);
            return Ok(spec);
        }
        drop(players);
        let spec = self.registry.parse(&full).map_err(Refusal::bad)?;
        let mut players = self.players.lock().expect(POISON);
        players.retain(|p| p.text != text);
        if players.len() >= READY_PLAYERS {
            players.remove(0);
        }
        players.push(ReadyPlayer {
            text: text.to_owned(),
            stamp,
            spec: spec.clone(),
        });
        Ok(spec)
    }

    /// The player's name as the registry knows it.
    pub fn full_name(&self, text: &str) -> Answer<String> {
        if text.len() > LONGEST_PLAYER {
            return Err(Refusal::bad("the name of the player is too long"));
        }
        if let Some(rest) = text.strip_prefix("run:") {
            let name = subject(rest);
            let folder = self.run_folder(name)?;
            return Ok(format!("run:{}{}", folder.display(), &rest[name.len()..]));
        }
        if let Some(rest) = text.strip_prefix("uci:") {
            let engine = subject(rest);
            if !self.engines.iter().any(|known| known == engine) {
                return Err(Refusal::bad(format!(
                    "the engine '{engine}' is not offered here; start the server with --engine {engine}"
                )));
            }
            // Engines write files where an option tells them to.
            if rest.contains("option.") {
                return Err(Refusal::bad(
                    "options of engines can be set on the command line only",
                ));
            }
        }
        Ok(text.to_owned())
    }

    /// The folder of a run of this name, whether or not it is there.
    pub fn run_folder(&self, name: &str) -> Answer<PathBuf> {
        check_name(name)?;
        Ok(self.runs.join(name))
    }
}

/// When what a player is made from was last changed: a run that has gone on plays differently, and so does
/// another network in a file of the same name.
fn stamp(full: &str) -> Option<SystemTime> {
    let (kind, rest) = full.split_once(':')?;
    let files: Vec<PathBuf> = match kind {
        "run" => ["checkpoints", "best"]
            .map(|part| Path::new(subject(rest)).join(part))
            .into(),
        "net" => vec![subject(rest).into()],
        _ => {
            let nets = rest.split(',').filter_map(|part| part.strip_prefix("net="));
            nets.map(PathBuf::from).collect()
        }
    };
    let changed = |file: &PathBuf| file.metadata().ok()?.modified().ok();
    files.iter().filter_map(changed).max()
}

fn subject(text: &str) -> &str {
    text.split(',').next().unwrap_or(text)
}

/// A name that is also the name of a file, and of one inside its folder.
pub fn check_name(name: &str) -> Answer<()> {
    let good = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let first = name
        .chars()
        .next()
        .is_some_and(|c| c.is_ascii_alphanumeric());
    if first && name.len() <= 64 && name.chars().all(good) {
        Ok(())
    } else {
        Err(Refusal::bad(
            "a name has up to 64 letters, digits, '-', '_' and '.', and begins with a letter or a digit",
        ))
    }
}

const POISON: &str = "no thread panics while it holds this";

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names_stay_inside_their_folder() {
        for good in ["krk", "KRK-5x5", "a.b_c", "7"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        let long = "x".repeat(65);
        for bad in [
            "", ".", "..", "../x", "a/b", "a\\b", ".hidden", "-x", "a b", "ä", "a\0", &long,
        ] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
