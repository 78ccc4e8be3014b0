//! What all requests share: tables, players, folders, jobs, and a bound on the work at one time.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{
        Arc, Mutex, RwLock, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};

use play::{PlayerSpec, Registry};
use rules::{Board, Material, Position};
use tokio::sync::Semaphore;
use truth::{Tablebase, closure};

use super::{
    bounds,
    jobs::Jobs,
    refusal::{Answer, Refusal},
};
use crate::tables::SOLVED_ON_DEMAND;

/// The longest text that names a player.
const LONGEST_PLAYER: usize = 300;
/// Players that are kept ready.
const READY_PLAYERS: usize = 32;
/// What they may take together.
const READY_BYTES: u64 = 1 << 30;
/// Requests that may wait for their turn. More are turned away with "too many requests".
const WAITING: usize = 4096;
/// Between two looks whether somebody else has finished.
const A_MOMENT: Duration = Duration::from_millis(5);

/// The laboratory behind the page.
pub struct Laboratory {
    pub tables: Arc<Tablebase>,
    pub registry: Registry,
    /// The folder of the runs.
    pub runs: PathBuf,
    /// The folder of certificates and reports.
    pub reports: PathBuf,
    /// The folder of the networks that are offered.
    nets: PathBuf,
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
    analysis: Turns,
}

/// Work of one kind at a time.
struct Turns {
    running: Arc<Semaphore>,
    waiting: Semaphore,
}

/// Somebody waits for an answer, as long as this is there.
#[derive(Default)]
struct Wanted {
    gone: Arc<AtomicBool>,
}

impl Drop for Wanted {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
    }
}

struct ReadyPlayer {
    text: String,
    /// When what it was made from was changed.
    stamp: Option<SystemTime>,
    /// About what it takes.
    bytes: u64,
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
    /// Thinking about a position for as long as somebody looks on; a game must not wait for that.
    Analysis,
}

impl Laboratory {
    pub fn new(
        tables: Arc<Tablebase>,
        runs: PathBuf,
        reports: PathBuf,
        nets: PathBuf,
        engines: Vec<String>,
    ) -> Laboratory {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let turns = || Turns {
            running: Arc::new(Semaphore::new(cores)),
            waiting: Semaphore::new(WAITING),
        };
        Laboratory {
            registry: crate::players::registry(tables.clone()),
            tables,
            runs,
            reports,
            nets,
            jobs: Jobs::default(),
            engines,
            covered: RwLock::default(),
            solving: Mutex::default(),
            players: Mutex::default(),
            quick: turns(),
            slow: turns(),
            search: turns(),
            analysis: turns(),
        }
    }

    /// Does work on a thread that may block, as many at a time as there are cores. Long searches
    /// never keep short questions waiting, because each kind has turns of its own.
    pub async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        effort: Effort,
        work: impl FnOnce(&Laboratory) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        self.work_while_wanted(effort, |laboratory, _| work(laboratory))
            .await
    }

    /// The same for work that looks at a flag, which is set when nobody waits for the answer any
    /// more.
    pub async fn work_while_wanted<T: Send + 'static>(
        self: &Arc<Self>,
        effort: Effort,
        work: impl FnOnce(&Laboratory, &AtomicBool) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let turns = match effort {
            Effort::Quick => &self.quick,
            Effort::Slow => &self.slow,
            Effort::Search => &self.search,
            Effort::Analysis => &self.analysis,
        };
        let _place = turns
            .waiting
            .try_acquire()
            .map_err(|_| Refusal::busy("too many questions at once; ask again in a moment"))?;
        let turn = turns.running.clone().acquire_owned().await;
        let turn = turn.map_err(Refusal::broken)?;
        let laboratory = self.clone();
        let wanted = Wanted::default();
        let gone = wanted.gone.clone();
        tokio::task::spawn_blocking(move || {
            // Whoever asked may hang up; the turn is over when the work is.
            let _turn = turn;
            work(&laboratory, &gone)
        })
        .await
        // A panic is a bug of ours; it costs this request and nothing else.
        .map_err(|_| {
            Refusal::broken("something went wrong inside; the log of the server says what")
        })?
    }

    /// Makes sure that the tables of an endgame are there, if it is small enough to be solved on
    /// the spot. Are they?
    pub fn cover(&self, material: Material, board: Board) -> Answer<bool> {
        self.cover_unless(&AtomicBool::new(false), material, board)
    }

    /// The same for work that can be stopped.
    pub fn cover_unless(
        &self,
        stop: &AtomicBool,
        material: Material,
        board: Board,
    ) -> Answer<bool> {
        let key = (material.canonical(), board);
        if material.men() <= 2 || self.covered.read().expect(POISON).contains(&key) {
            return Ok(true);
        }
        if material.men() > truth::MAX_MEN || material.has_pawns() && !board.is_standard() {
            return Ok(false);
        }
        if material.men() <= SOLVED_ON_DEMAND {
            let go_on = || !stop.load(Ordering::Relaxed);
            let _turn = loop {
                match self.solving.try_lock() {
                    Ok(turn) => break turn,
                    Err(TryLockError::WouldBlock) if go_on() => std::thread::sleep(A_MOMENT),
                    Err(error) => return Err(Refusal::broken(error)),
                }
            };
            self.tables
                .ensure(material, board, &|_| go_on())
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
        let (stamp, bytes) = self.learned(text);
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
        players.push(ReadyPlayer {
            text: text.to_owned(),
            stamp,
            bytes,
            spec: spec.clone(),
        });
        let all = |players: &[ReadyPlayer]| players.iter().map(|p| p.bytes).sum::<u64>();
        // The last one is used right now, however large it is.
        while players.len() > READY_PLAYERS || players.len() > 1 && all(&players) > READY_BYTES {
            players.remove(0);
        }
        Ok(spec)
    }

    /// When that which a player has learned was written last, and how many bytes it takes.
    fn learned(&self, text: &str) -> (Option<SystemTime>, u64) {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut files = Vec::new();
        match kind {
            "run" => {
                if let Ok(folder) = self.run_folder(subject(rest)) {
                    files.push(folder.join("best"));
                    files.extend(learn::runs::checkpoint::all(&folder));
                }
            }
            "net" => files.extend(self.network(subject(rest))),
            _ => {
                let names = rest.split(',').filter_map(|part| part.strip_prefix("net="));
                files.extend(names.flat_map(|name| self.network(name)));
            }
        }
        let found: Vec<_> = files.iter().flat_map(std::fs::metadata).collect();
        let stamp = found.iter().flat_map(|file| file.modified()).max();
        let bytes = found.iter().map(|file| file.len()).max();
        (stamp, bytes.unwrap_or(0))
    }

    /// The player's name as the registry knows it. What it is made of comes from the folders that
    /// are offered: a name in a request must not open any file there is, nor start any program.
    pub fn full_name(&self, text: &str) -> Answer<String> {
        if text.len() > LONGEST_PLAYER {
            return Err(Refusal::bad("the name of the player is too long"));
        }
        bounds::check_player(text)?;
        let Some((kind, rest)) = text.split_once(':') else {
            return Ok(text.to_owned());
        };
        let settings = &rest[subject(rest).len()..];
        match kind {
            "run" => {
                let folder = self.run_folder(subject(rest))?;
                Ok(format!("run:{}{settings}", folder.display()))
            }
            "net" => {
                let file = self.network(subject(rest))?;
                Ok(format!("net:{}{settings}", file.display()))
            }
            "uci" => {
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
                Ok(text.to_owned())
            }
            _ => {
                let parts = rest.split(',').map(|part| match part.strip_prefix("net=") {
                    Some(name) => Ok(format!("net={}", self.network(name)?.display())),
                    None => Ok(part.to_owned()),
                });
                let parts: Vec<String> = parts.collect::<Answer<_>>()?;
                Ok(format!("{kind}:{}", parts.join(",")))
            }
        }
    }

    /// The networks that are offered, by name.
    pub fn networks(&self) -> Vec<String> {
        let files = std::fs::read_dir(&self.nets)
            .into_iter()
            .flatten()
            .flatten();
        let names = files.filter_map(|file| file.file_name().into_string().ok());
        let mut names: Vec<String> = names
            .filter(|name| name.ends_with(".safetensors") || name.ends_with(".ltn"))
            .filter(|name| check_name(name).is_ok())
            .collect();
        names.sort();
        names
    }

    /// The file of a network that is offered.
    pub fn network(&self, name: &str) -> Answer<PathBuf> {
        let offered = self.networks();
        match offered.iter().any(|known| known == name) {
            true => Ok(self.nets.join(name)),
            false => Err(Refusal::bad(format!(
                "the network '{name}' is not offered here; {}",
                match offered.is_empty() {
                    true => "there are none in the folder of networks (--nets)".to_owned(),
                    false => format!("offered are {}", offered.join(", ")),
                }
            ))),
        }
    }

    /// The folder of a run of this name, whether or not it is there.
    pub fn run_folder(&self, name: &str) -> Answer<PathBuf> {
        check_name(name)?;
        Ok(self.runs.join(name))
    }
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
