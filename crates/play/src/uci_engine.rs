use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use rules::{Game, Move, Position, Reason};

use crate::{
    Choice, Fingerprint, Info, Key, Kind, Limits, Nature, Player, PlayerError, Prepared, Score,
    Settings, SpecError, Wish,
    engine_process::{EngineError, EngineProcess, find},
    player::analyse_unless,
};

/// A foreign engine that speaks UCI, as a process of its own.
///
/// The process starts with the first move. An engine that crashes, hangs, talks nonsense or plays
/// an illegal move is started again, once in a game; the second time it forfeits the game, and the
/// reason says by what. The process ends with the player.
#[derive(Debug)]
pub struct UciEngine {
    text: String,
    program: PathBuf,
    options: Vec<(String, String)>,
    limits: Limits,
    patience: Duration,
    process: Option<EngineProcess>,
    restarts_left: u32,
    /// Must the engine be told that the next position belongs to another game?
    fresh: bool,
}

/// What the engine did instead of a legal move.
struct Trouble {
    reason: Reason,
    message: String,
}

impl Trouble {
    fn of(error: &EngineError) -> Trouble {
        Trouble {
            reason: match error {
                EngineError::Silent { .. } => Reason::TimeOut,
                _ => Reason::Crash,
            },
            message: error.to_string(),
        }
    }
}

/// How soon an engine that is told to stop must have answered.
const PATIENCE_AFTER_STOP: Duration = Duration::from_millis(300);
/// Moves of an engine's line that are looked at.
const LONGEST_LINE: usize = 40;
/// Nodes per move when nothing else limits an engine.
const DEFAULT_NODES: u64 = 10_000;

impl UciEngine {
    /// The engine `program`: a path, or a name on `PATH`.
    pub fn new(program: &str, limits: Limits) -> UciEngine {
        UciEngine {
            text: format!("uci:{program}"),
            program: find(program),
            options: Vec::new(),
            limits,
            patience: Duration::from_secs(10),
            process: None,
            restarts_left: 1,
            fresh: true,
        }
    }

    /// The same engine with an option set.
    #[must_use]
    pub fn with_option(mut self, name: &str, value: &str) -> UciEngine {
        self.options.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same engine, given up on after this time beyond the time it may think.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> UciEngine {
        self.patience = patience;
        self
    }

    /// How the registry knows it.
    pub fn kind() -> Kind {
        Kind {
            name: "uci",
            summary: "any engine that speaks UCI, as a process",
            subject: Some(("a program", "stockfish,nodes=10000")),
            keys: &[
                Key {
                    name: "nodes",
                    meaning: "positions per move (default 10,000 unless movetime or depth is set)",
                },
                Key {
                    name: "movetime",
                    meaning: "milliseconds per move",
                },
                Key {
                    name: "depth",
                    meaning: "plies",
                },
                Key {
                    name: "timeout",
                    meaning: "milliseconds beyond its time until an engine is given up (default 10,000)",
                },
                Key {
                    name: "option.*",
                    meaning: "an option of the engine, such as option.Threads=1",
                },
            ],
            prepare: Box::new(|settings| {
                let made = UciEngine::read(settings)?;
                // A foreign program is told by its name and its size: it is never certified, and to read
                // a hundred megabytes of it takes longer than to start it.
                let program = find(settings.subject().unwrap_or_default());
                let size = program.metadata().map_or(0, |file| file.len());
                let size = Fingerprint::of([size.to_le_bytes()]);
                Ok(Prepared::new(move |_| Box::new(made())).holding(size, &[]))
            }),
        }
    }

    fn read(settings: &Settings) -> Result<impl Fn() -> UciEngine + use<>, SpecError> {
        let program = settings.subject().unwrap_or_default().to_owned();
        let limits = Limits {
            depth: settings.number("depth", 1..=1000)?,
            nodes: settings.number("nodes", 1..=u64::MAX)?,
            time: settings
                .number("movetime", 1..=86_400_000)?
                .map(Duration::from_millis),
        };
        let patience =
            Duration::from_millis(settings.number_or("timeout", 1..=3_600_000, 10_000)?);
        let options: Vec<(String, String)> = settings
            .beginning_with("option.")
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let path = find(&program);
        if !path.is_file() {
            return Err(SpecError::Other {
                player: "uci".into(),
                why: format!("there is no program '{program}' (looked on PATH and in /usr/games)"),
            });
        }
        Ok(move || UciEngine {
            options: options.clone(),
            patience,
            ..UciEngine::new(&program, limits)
        })
    }

    /// Asks the engine. When `stop` is set while it thinks, it is told so and has a moment to name
    /// the move it has come to.
    fn ask(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(usize, &Info),
    ) -> Result<Choice, Trouble> {
        let error = |error: EngineError| Trouble::of(&error);
        let mut patience = self.patience;
        if self.process.is_none() {
            let process = EngineProcess::start(&self.program, &self.options, patience, stop);
            self.process = Some(process.map_err(error)?);
            self.fresh = true;
        }
        let process = self.process.as_mut().expect("started above");
        if self.fresh {
            process.send("ucinewgame").map_err(error)?;
            process.ready(patience, stop).map_err(error)?;
            self.fresh = false;
        }
        process.send(&position_command(game)).map_err(error)?;
        process.send(&go_command(limits)).map_err(error)?;
        patience += limits.time.unwrap_or_default();
        let mut deadline = Instant::now() + patience;
        let never = AtomicBool::new(false);
        let mut stop = stop;
        let mut info = Info::default();
        loop {
            let line = match process.line(deadline, patience, "bestmove", stop) {
                Err(EngineError::Stopped) => {
                    process.send("stop").map_err(error)?;
                    patience = PATIENCE_AFTER_STOP;
                    deadline = Instant::now() + patience;
                    stop = &never;
                    continue;
                }
                line => line.map_err(error)?,
            };
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("info") => {
                    let before = (info.depth, info.score);
                    read_info(&mut info, game.position(), words);
                    if (info.depth, info.score) != before && !info.pv.is_empty() {
                        report(1, &info);
                    }
                }
                Some("bestmove") => {
                    let text = words.next().unwrap_or_default();
                    let mv = game.position().parse_uci(text).ok_or_else(|| Trouble {
                        reason: Reason::IllegalMove,
                        message: format!("it played '{text}' in {}", game.position()),
                    })?;
                    // The last line told may be of another move.
                    if info.pv.first() != Some(&mv) {
                        info.pv = vec![mv];
                    }
                    return Ok(Choice { mv, info });
                }
                _ => {} // a line we have no use for
            }
        }
    }
}

fn position_command(game: &Game) -> String {
    let mut command = format!("position fen {}", game.start().fen());
    for (i, (position, m)) in game.positions().zip(game.moves()).enumerate() {
        command.push_str(if i == 0 { " moves " } else { " " });
        command.push_str(&position.uci(m));
    }
    command
}

fn go_command(limits: &Limits) -> String {
    let mut command = "go".to_owned();
    if let Some(depth) = limits.depth {
        command.push_str(&format!(" depth {depth}"));
    }
    if let Some(nodes) = limits.nodes {
        command.push_str(&format!(" nodes {nodes}"));
    }
    if let Some(time) = limits.time {
        command.push_str(&format!(" movetime {}", time.as_millis()));
    }
    command
}

/// Reads what is of use in an `info` line; what makes no sense is passed over.
fn read_info<'a>(info: &mut Info, position: &Position, mut words: impl Iterator<Item = &'a str>) {
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = words.next().and_then(|w| w.parse().ok()).or(info.depth),
            "nodes" => info.nodes = words.next().and_then(|w| w.parse().ok()).or(info.nodes),
            "score" => {
                let kind = words.next();
                let value = words.next().and_then(|w| w.parse().ok());
                info.score = match (kind, value) {
                    (Some("cp"), Some(value)) => Some(Score::Centipawns(value)),
                    (Some("mate"), Some(value)) => Some(Score::Mate(value)),
                    _ => info.score,
                };
            }
            "pv" => {
                let line = legal_line(position, words);
                if !line.is_empty() {
                    info.pv = line;
                }
                break;
            }
            "string" => break,
            _ => {}
        }
    }
}

/// The moves of a line as far as they are legal: what an engine says is not to be trusted.
fn legal_line<'a>(position: &Position, words: impl Iterator<Item = &'a str>) -> Vec<Move> {
    let mut at = position.clone();
    let mut line = Vec::new();
    for word in words.take(LONGEST_LINE) {
        let Some(m) = at.parse_uci(word) else { break };
        line.push(m);
        at.play(m);
    }
    line
}

/// The stricter of two limits.
fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

impl Player for UciEngine {
    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError> {
        self.analyse(game, &Wish::choice(limits), &mut |_, _| ())
    }

    fn choose_unless(
        &mut self,
        stop: &AtomicBool,
        game: &Game,
        limits: &Limits,
    ) -> Result<Choice, PlayerError> {
        analyse_unless(self, stop, game, limits)
    }

    fn analyse(
        &mut self,
        game: &Game,
        wish: &Wish<'_>,
        report: &mut dyn FnMut(usize, &Info),
    ) -> Result<Choice, PlayerError> {
        let position = game.position();
        if !position.board().is_standard() {
            return Err(PlayerError::Unsupported {
                player: self.text.clone(),
                fen: position.fen(),
                why: format!(
                    "UCI engines play on 8×8 only, this board is {}",
                    position.board()
                ),
            });
        }
        if position.legal_moves().is_empty() {
            return Err(PlayerError::no_move(game));
        }
        let mut limits = Limits {
            depth: least(self.limits.depth, wish.limits.depth),
            nodes: least(self.limits.nodes, wish.limits.nodes),
            time: least(self.limits.time, wish.limits.time),
        };
        if limits == Limits::NONE {
            limits.nodes = Some(DEFAULT_NODES);
        }
        loop {
            match self.ask(game, &limits, wish.stop, report) {
                Ok(choice) => {
                    wish.check(game, choice.mv)?;
                    report(1, &choice.info);
                    return Ok(choice);
                }
                Err(trouble) => {
                    self.process = None;
                    // No fault of an engine that was not given the time to answer.
                    if wish.stop.load(Ordering::Relaxed) {
                        return Err(PlayerError::Stopped);
                    }
                    if self.restarts_left == 0 {
                        return Err(PlayerError::Forfeit {
                            player: self.text.clone(),
                            reason: trouble.reason,
                            message: trouble.message,
                        });
                    }
                    self.restarts_left -= 1;
                }
            }
        }
    }

    fn new_game(&mut self) {
        self.fresh = true;
        self.restarts_left = 1;
    }

    fn renew(&mut self, _: u64) -> bool {
        self.new_game();
        // The hash table is cleared by `ucinewgame`; what else an engine remembers, nobody knows.
        true
    }

    fn nature(&self) -> Nature {
        Nature::Chance
    }
}
