//! The thread that searches, and how it is told to stop.

use std::{
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use play::{
    Choice, Info, LeafValue, MAX_DEPTH, Minimax, Player, PlayerError, PlayerSpec, Score, Wish,
};
use rules::{Game, Move, Position};
use truth::{Oracle as _, Syzygy, Tablebase, Verdict};

use super::{go::Go, options::Options, say};

/// What the thread is told, one after the other.
pub enum Order {
    /// Play as this one from now on.
    Player(PlayerSpec),
    /// Use these tables from now on.
    Syzygy(Option<Arc<Syzygy>>),
    NewGame,
    Search(Box<Task>),
}

/// One search.
pub struct Task {
    game: Game,
    go: Go,
    lines: usize,
    wdl: bool,
    overhead: Duration,
    leash: Arc<Leash>,
}

/// How a search is held and stopped from outside.
#[derive(Default)]
struct Leash {
    stop: AtomicBool,
    /// The best move must not be told yet.
    held: Mutex<bool>,
    let_go: Condvar,
}

impl Leash {
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.release();
    }

    fn release(&self) {
        *self.held.lock().unwrap_or_else(|e| e.into_inner()) = false;
        self.let_go.notify_all();
    }

    fn wait(&self) {
        let held = self.held.lock().unwrap_or_else(|e| e.into_inner());
        drop(self.let_go.wait_while(held, |held| *held));
    }

    /// Stops the search after a while, unless it has ended by then.
    fn stop_after(self: &Arc<Self>, time: Duration) {
        let leash = Arc::downgrade(self);
        thread::spawn(move || {
            thread::sleep(time);
            if let Some(leash) = leash.upgrade() {
                leash.stop();
            }
        });
    }
}

/// The handle that the reading thread keeps.
pub struct Worker {
    orders: mpsc::Sender<Order>,
    thread: Option<thread::JoinHandle<()>>,
    /// The search under way, or the last one.
    current: Option<(Go, Duration, Arc<Leash>)>,
}

impl Worker {
    pub fn start(tablebase: Arc<Tablebase>) -> Worker {
        let (orders, received) = mpsc::channel();
        let thread = thread::spawn(move || {
            let mut seat = Seat {
                tablebase,
                spec: None,
                player: None,
                fallback: None,
                syzygy: None,
            };
            for order in received {
                match order {
                    Order::Player(spec) => (seat.spec, seat.player) = (Some(spec), None),
                    Order::Syzygy(syzygy) => seat.syzygy = syzygy,
                    Order::NewGame => {
                        if let Some(player) = &mut seat.player {
                            player.new_game();
                        }
                    }
                    Order::Search(task) => seat.search(*task),
                }
            }
        });
        Worker {
            orders,
            thread: Some(thread),
            current: None,
        }
    }

    pub fn send(&mut self, order: Order) {
        // It only ever ends with the process.
        let _ = self.orders.send(order);
    }

    pub fn go(&mut self, game: Game, go: Go, options: &Options) {
        let leash = Arc::new(Leash {
            held: Mutex::new(go.infinite || go.ponder),
            ..Leash::default()
        });
        self.current = Some((go.clone(), options.overhead, leash.clone()));
        self.send(Order::Search(Box::new(Task {
            game,
            go,
            lines: options.lines,
            wdl: options.wdl,
            overhead: options.overhead,
            leash,
        })));
    }

    pub fn stop(&mut self) {
        if let Some((_, _, leash)) = self.current.take() {
            leash.stop();
        }
    }

    /// The move we pondered on was played: from now on our own clock runs.
    pub fn ponderhit(&mut self) {
        let Some((go, overhead, leash)) = &self.current else {
            return;
        };
        if go.ponder {
            if let Some(time) = go.time(*overhead) {
                leash.stop_after(time);
            }
            if !go.infinite {
                leash.release();
            }
        }
    }

    /// Lets a search that has an end of its own come to it.
    pub fn finish(mut self) {
        if let Some((go, _, leash)) = &self.current
            && (go.infinite || go.ponder)
        {
            leash.stop();
        }
        drop(self.orders);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Who sits at the board.
struct Seat {
    tablebase: Arc<Tablebase>,
    spec: Option<PlayerSpec>,
    /// Made when it is first needed.
    player: Option<Box<dyn Player>>,
    /// Plays where the player cannot.
    fallback: Option<Minimax>,
    syzygy: Option<Arc<Syzygy>>,
}

impl Seat {
    fn search(&mut self, task: Task) {
        let position = task.game.position();
        let choice = if position.legal_moves().is_empty() {
            let score = if position.is_check() {
                "mate 0"
            } else {
                "cp 0"
            };
            say(&format!("info depth 0 score {score}"));
            None
        } else {
            self.choose(&task)
        };
        task.leash.wait();
        let Some(choice) = choice else {
            say("bestmove (none)");
            return;
        };
        let mut answer = format!("bestmove {}", position.uci(choice.mv));
        if let [first, second, ..] = choice.info.pv[..]
            && first == choice.mv
        {
            let next = position.after(first);
            answer.push_str(&format!(" ponder {}", next.uci(second)));
        }
        say(&answer);
    }

    fn choose(&mut self, task: &Task) -> Option<Choice> {
        let position = task.game.position();
        let only = self.worth_considering(position, &task.go.only);
        let mut limits = task.go.limits;
        limits.time = task.go.time(task.overhead).filter(|_| !task.go.ponder);
        let wish = Wish {
            limits,
            stop: &task.leash.stop,
            only: &only,
            lines: task.lines,
        };
        let begun = Instant::now();
        let known = |m: Move| self.tablebase.probe(&position.after(m));
        let mut report = |number: usize, info: &Info| {
            let mut info = info.clone();
            info.wdl = info.wdl.filter(|_| task.wdl);
            say(&line(position, number, &info, begun.elapsed(), &known));
        };
        let spec = self.spec.as_ref()?;
        if spec.text().starts_with("perfect") && position.men_count() <= 4 {
            let solved = self
                .tablebase
                .ensure(position.material(), position.board(), &|_| true);
            if let Err(error) = solved {
                say(&format!("info string {error}"));
            }
        }
        let player = self.player.get_or_insert_with(|| spec.player(1));
        let error = match player.analyse(&task.game, &wish, &mut report) {
            Ok(choice) => {
                if choice.info.unvisited {
                    say(&format!(
                        "info string {} has never met this position",
                        spec.text()
                    ));
                }
                if !choice.info.visits.is_empty() {
                    say(&format!("info string {}", shares(position, &choice.info)));
                }
                return Some(choice);
            }
            Err(error) => error,
        };
        // A crashed engine is made anew for the next move.
        if matches!(error, PlayerError::Forfeit { .. }) {
            self.player = None;
        }
        say(&format!("info string {error}"));
        say("info string minimax plays this move instead");
        let fallback = self
            .fallback
            .get_or_insert_with(|| Minimax::new(MAX_DEPTH, LeafValue::MopUp));
        match fallback.analyse(&task.game, &wish, &mut report) {
            Ok(choice) => Some(choice),
            Err(error) => {
                say(&format!("info string {error}"));
                position.legal_moves().first().copied().map(Choice::plain)
            }
        }
    }

    /// The moves to consider: those that were asked for, and of them those that keep what Syzygy's
    /// tables promise, the quickest way to the next capture or pawn move first of all.
    fn worth_considering(&self, position: &Position, asked: &[Move]) -> Vec<Move> {
        let asked: Vec<Move> = asked.to_vec();
        let Some(syzygy) = &self.syzygy else {
            return asked;
        };
        let candidates = if asked.is_empty() {
            position.legal_moves().into_iter().collect()
        } else {
            asked.clone()
        };
        let mut ranked = Vec::new();
        for &m in &candidates {
            let next = position.after(m);
            let Some(verdict) = syzygy.probe(&next) else {
                return asked;
            };
            // The verdict speaks for the opponent. A mate is better than any other win.
            let rank = match (next.is_checkmate(), verdict.dtz.signum()) {
                (true, _) => i32::MAX,
                // A capture or pawn move starts the count anew.
                (_, -1) if next.halfmoves() == 0 => 10_000,
                (_, -1) => 10_000 + verdict.dtz,
                (_, 0) => 0,
                _ => -10_000 + verdict.dtz,
            };
            ranked.push((rank, m));
        }
        let best = ranked.iter().map(|&(rank, _)| rank).max();
        ranked
            .into_iter()
            .filter(|&(rank, _)| Some(rank) == best)
            .map(|(_, m)| m)
            .collect()
    }
}

/// How a search has divided its visits among the moves, the most visited first.
fn shares(position: &Position, info: &Info) -> String {
    let mut visits = info.visits.clone();
    visits.sort_by_key(|&(_, visits)| std::cmp::Reverse(visits));
    let all: u64 = visits.iter().map(|(_, visits)| visits).sum();
    let tried = visits.iter().filter(|(_, visits)| *visits > 0);
    let share = |visits: u64| 100.0 * visits as f64 / all.max(1) as f64;
    let tried = tried.map(|&(m, visits)| format!("{} {:.1}%", position.uci(m), share(visits)));
    format!("visits {}", tried.collect::<Vec<_>>().join(" "))
}

/// A line as `info` shows it. Where exact tables know better than the player, their distance
/// stands there.
fn line(
    position: &Position,
    number: usize,
    info: &Info,
    time: Duration,
    known: &dyn Fn(Move) -> Option<Verdict>,
) -> String {
    let mut text = String::from("info");
    let mut add = |word: &str, value: String| {
        text.push(' ');
        text.push_str(word);
        text.push(' ');
        text.push_str(&value);
    };
    add("depth", info.depth.unwrap_or(1).to_string());
    add("multipv", number.to_string());
    let exact = info.pv.first().and_then(|&m| known(m));
    let score = match (exact, info.score) {
        (Some(Verdict::Loss { plies }), _) => format!("mate {}", plies / 2 + 1),
        (Some(Verdict::Win { plies }), _) => format!("mate -{}", plies.div_ceil(2)),
        (Some(Verdict::Draw), _) => "cp 0".to_owned(),
        (None, Some(Score::Mate(moves))) => format!("mate {moves}"),
        (None, Some(Score::Centipawns(hundredths))) => format!("cp {hundredths}"),
        (None, None) => "cp 0".to_owned(),
    };
    let wdl = info.wdl.map(|wdl| match exact {
        Some(Verdict::Loss { .. }) => "1000 0 0".to_owned(),
        Some(Verdict::Win { .. }) => "0 0 1000".to_owned(),
        Some(Verdict::Draw) => "0 1000 0".to_owned(),
        None => format!("{} {} {}", wdl.win, wdl.draw, wdl.loss),
    });
    add("score", score);
    if let Some(wdl) = wdl {
        add("wdl", wdl);
    }
    if let Some(nodes) = info.nodes {
        add("nodes", nodes.to_string());
        let seconds = time.as_secs_f64().max(1e-3);
        add("nps", ((nodes as f64 / seconds) as u64).to_string());
    }
    add("time", time.as_millis().to_string());
    let mut at = position.clone();
    let mut moves = Vec::new();
    for &m in &info.pv {
        moves.push(at.uci(m));
        at.play(m);
    }
    add("pv", moves.join(" "));
    text
}
