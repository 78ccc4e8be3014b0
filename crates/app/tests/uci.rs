//! The engine, spoken to as a chess program speaks.

mod support;

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::Duration,
};

use support::{Lab, command, data};

/// Long enough for any answer on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
}

impl Engine {
    fn start(lab: &Lab, args: &[&str]) -> Engine {
        let mut child = command(lab)
            .arg("uci")
            .args(args)
            .arg("--tables")
            .arg(lab.path("tables"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let (sender, output) = channel();
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|l| sender.send(l)));
        Engine {
            input: child.stdin.take(),
            child,
            output,
        }
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("still open");
        writeln!(input, "{line}").expect("the engine listens");
    }

    /// Reads until a line that starts with `word`; returns all lines, that one last.
    fn until(&mut self, word: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.output.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("no {word} after {lines:?}"));
            let last = line.starts_with(word);
            lines.push(line);
            if last {
                return lines;
            }
        }
    }

    /// Asserts that nothing is said for a while.
    fn silent(&mut self, time: Duration) {
        match self.output.recv_timeout(time) {
            Err(RecvTimeoutError::Timeout) => {}
            other => panic!("not silent: {other:?}"),
        }
    }

    fn go(&mut self, position: &str, go: &str) -> Vec<String> {
        self.say(&format!("position {position}"));
        self.say(go);
        self.until("bestmove")
    }

    fn quit(mut self) {
        self.say("quit");
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const ROOK: &str = "fen 8/8/8/3k4/8/8/8/KR6 w - - 0 1";
const MATE_IN_TWO: &str = "fen 7k/8/5K2/8/8/8/8/R7 w - - 0 1";

#[test]
fn it_introduces_itself_and_its_options() {
    let lab = Lab::new();
    let mut engine = Engine::start(&lab, &[]);
    engine.say("uci");
    let lines = engine.until("uciok");
    assert!(lines[0].starts_with("id name Lucena"), "{lines:?}");
    for option in [
        "Player",
        "Threads",
        "Hash",
        "SyzygyPath",
        "MultiPV",
        "UCI_ShowWDL",
    ] {
        let start = format!("option name {option} type ");
        assert!(lines.iter().any(|l| l.starts_with(&start)), "no {option}");
    }
    engine.quit();
}

#[test]
fn a_tree_search_shows_chances_lines_and_visits() {
    let lab = Lab::new();
    let mut engine = Engine::start(&lab, &["--player", "puct:simulations=400"]);
    let quiet = engine.go("startpos", "go nodes 50");
    assert!(
        !quiet.iter().any(|line| line.contains(" wdl ")),
        "{quiet:?}"
    );
    engine.say("setoption name UCI_ShowWDL value true");
    engine.say("setoption name MultiPV value 3");
    let lines = engine.go(
        "startpos moves e2e4",
        "go nodes 100 searchmoves e7e5 c7c5 a7a6",
    );
    let last = |number: u32| {
        let start = format!(" multipv {number} ");
        let line = lines.iter().rev().find(|line| line.contains(&start));
        line.unwrap_or_else(|| panic!("no line {number}: {lines:?}"))
    };
    for number in 1..=3 {
        let words: Vec<&str> = last(number).split(' ').collect();
        let at = |name: &str| words.iter().position(|word| *word == name).expect("told") + 1;
        let chances = words[at("wdl")..][..3].iter();
        let chances = chances.map(|word| word.parse::<u32>().expect("a number"));
        assert_eq!(chances.sum::<u32>(), 1000, "{words:?}");
        assert_eq!(words[at("nodes")], "100");
        assert!(words[at("score")] == "cp" && words.len() > at("pv"));
    }
    let visits = lines
        .iter()
        .find(|line| line.starts_with("info string visits"));
    let visits = visits.expect("the shares of the visits");
    assert_eq!(visits.matches('%').count(), 3, "{visits}");
    // Plain PUCT tries every move, whatever the priors.
    engine.say("setoption name Player value puct:c=1.5,simulations=20000");
    let mate = engine.go(MATE_IN_TWO, "go nodes 20000");
    let proven = |line: &String| line.contains(" score mate ") && line.contains(" wdl 1000 0 0");
    assert!(mate.iter().any(proven), "{mate:?}");
    engine.quit();
}

#[test]
fn it_answers_while_it_thinks_and_gives_one_best_move() {
    let lab = Lab::new();
    let mut engine = Engine::start(&lab, &[]);
    engine.say("position startpos");
    engine.say("go infinite");
    engine.say("isready");
    let before = engine.until("readyok");
    assert!(!before.iter().any(|l| l.starts_with("bestmove")));
    engine.say("stop");
    engine.until("bestmove");
    engine.say("stop");
    engine.say("isready");
    let after = engine.until("readyok");
    assert_eq!(after, ["readyok"], "a second best move");
    engine.quit();
}

#[test]
fn an_answer_found_early_is_held_back_until_stop() {
    let lab = Lab::new();
    let mut engine = Engine::start(&lab, &["--player", "heuristic"]);
    engine.say(&format!("position {ROOK} moves a1b2 d5d4"));
    engine.say("go infinite");
    engine.until("info");
    engine.silent(Duration::from_millis(300));
    engine.say("stop");
    assert!(engine.until("bestmove")[0].starts_with("bestmove"));
    engine.quit();
}

#[test]
fn pondering_ends_with_the_hit_or_with_stop() {
    let lab = Lab::new();
    let mut engine = Engine::start(&lab, &[]);
    engine.say("position startpos moves e2e4 e7e5");
    engine.say("go ponder wtime 3000 btime 3000");
    engine.until("info depth 2");
    engine.say("ponderhit");
    engine.until("bestmove");
    engine.say("go ponder wtime 3000 btime 3000");
    engine.until("info depth 2");
    engine.say("stop");
    engine.until("bestmove");
    engine.quit();
}

#[test]
fn every_kind_of_limit_ends_a_search() {
    let lab = Lab::new();
    let mut engine = Engine::start(&lab, &[]);
    for go in [
        "go depth 3",
        "go nodes 5000",
        "go movetime 100",
        "go wtime 1000 btime 1000 winc 10 binc 10 movestogo 20",
        "go wtime 1 btime 1",
        "go depth 60 nodes 3000",
    ] {
        let lines = engine.go("startpos moves d2d4", go);
        assert!(lines.len() > 1, "{go}: {lines:?}");
    }
    let mate = engine.go(MATE_IN_TWO, "go mate 2");
    assert!(mate.iter().any(|l| l.contains("score mate 2")), "{mate:?}");
    engine.quit();
}

#[test]
fn it_keeps_to_the_moves_it_is_given_and_shows_several_lines() {
    let lab = Lab::new();
    let mut engine = Engine::start(&lab, &[]);
    let lines = engine.go("startpos", "go depth 3 searchmoves a2a3 h2h3");
    let best = lines.last().expect("a best move");
    assert!(best.starts_with("bestmove a2a3") || best.starts_with("bestmove h2h3"));
    engine.say("setoption name MultiPV value 3");
    let lines = engine.go("startpos", "go depth 3");
    let firsts: Vec<&str> = (1..=3)
        .map(|n| {
            let word = format!("info depth 3 multipv {n} ");
            let line = lines.iter().find(|l| l.starts_with(&word));
            let line = line.unwrap_or_else(|| panic!("no line {n}: {lines:?}"));
            let pv = line.split(" pv ").nth(1).expect("a line of moves");
            pv.split(' ').next().expect("a move")
        })
        .collect();
    assert!(firsts[0] != firsts[1] && firsts[1] != firsts[2] && firsts[0] != firsts[2]);
    assert!(lines.last().expect("a best move").contains(firsts[0]));
    engine.quit();
}

#[test]
fn exact_tables_show_as_mate_scores_with_several_lines() {
    let lab = Lab::new();
    lab.ok(&["solve", "KRK"]);
    let mut engine = Engine::start(&lab, &["--player", "perfect"]);
    engine.say("setoption name MultiPV value 4");
    let lines = engine.go(MATE_IN_TWO, "go depth 1");
    assert!(lines[0].contains("multipv 1 score mate 2 "), "{lines:?}");
    assert!(lines[3].contains("multipv 4 "), "{lines:?}");
    // Every player's line gets the exact distance.
    engine.say("setoption name Player value heuristic");
    let lines = engine.go("fen 8/8/8/3k4/8/8/8/KR6 b - - 0 1", "go depth 1");
    assert!(lines[0].contains("score mate -"), "{lines:?}");
    engine.quit();
}

#[test]
fn outside_its_endgame_a_trained_player_makes_room_for_minimax() {
    let lab = Lab::new();
    let run = lab.path("krk");
    let run = run.to_str().expect("a readable path");
    let train = [
        "train",
        "two-bounds",
        "--endgame",
        "KRK",
        "--episodes",
        "50",
        "--out",
        run,
    ];
    lab.ok(&train);
    let mut engine = Engine::start(&lab, &["--player", &format!("run:{run}")]);
    let lines = engine.go(ROOK, "go movetime 1000");
    assert!(!lines.iter().any(|l| l.contains("minimax")), "{lines:?}");
    let lines = engine.go("startpos", "go depth 2");
    let said = |what: &str| {
        lines
            .iter()
            .any(|l| l.starts_with("info string") && l.contains(what))
    };
    assert!(said("minimax plays this move instead"), "{lines:?}");
    assert!(lines.last().expect("a best move").len() > "bestmove ".len());
    engine.quit();
}

#[test]
fn nonsense_is_passed_over_and_mistakes_are_named() {
    let lab = Lab::new();
    let mut engine = Engine::start(&lab, &[]);
    for line in [
        "",
        "joho debug on",
        "go-away",
        "position",
        "position fen 9/9/9 w",
        "position startpos moves e2e5",
        "setoption name Nonsense value 1",
        "setoption name Hash value lots",
        "setoption name Player value nobody",
        "setoption",
        "ponderhit",
        "stop",
        "register later",
        "\u{1F40E} \0 \u{7}",
    ] {
        engine.say(line);
    }
    engine.say("nonsense isready");
    let lines = engine.until("readyok");
    assert!(
        lines
            .iter()
            .all(|l| l.starts_with("info string") || l == "readyok"),
        "{lines:?}"
    );
    let said = |what: &str| lines.iter().any(|l| l.contains(what));
    for what in ["not possible", "e2e5", "Nonsense", "Hash", "nobody"] {
        assert!(said(what), "{what} is not named in {lines:?}");
    }
    // The player that could not be understood has not taken the place of the one there was.
    engine.say("setoption name Hash value 8");
    engine.say("isready");
    assert_eq!(engine.until("readyok"), ["readyok"]);
    let lines = engine.go("startpos moves e2e4", "go depth 2 mate x wtime");
    assert!(lines.last().expect("a best move").len() > "bestmove ".len());
    engine.quit();
}

#[test]
fn a_finished_game_has_no_best_move_and_a_closed_input_ends_the_engine() {
    let lab = Lab::new();
    let mut engine = Engine::start(&lab, &[]);
    let lines = engine.go("fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "go depth 3");
    assert_eq!(lines, ["info depth 0 score mate 0", "bestmove (none)"]);
    engine.say("position startpos");
    engine.say("go depth 2");
    drop(engine.input.take());
    engine.until("bestmove");
    assert!(engine.child.wait().expect("it ends").success());
}

#[test]
fn syzygy_tables_hold_a_win_that_the_search_alone_does_not_see() {
    let Some(folder) = data("Syzygy in the engine", "syzygy") else {
        return;
    };
    let lab = Lab::new();
    let mut engine = Engine::start(&lab, &[]);
    // Kf5 alone wins. One ply deep, the pawn's step looks better.
    let fen = "fen 8/5k2/8/8/6K1/4P3/8/8 w - - 0 1";
    let best = |lines: Vec<String>| lines.last().expect("a best move").clone();
    let alone = best(engine.go(fen, "go depth 1"));
    assert!(
        !alone.starts_with("bestmove g4f5"),
        "shows nothing: {alone}"
    );
    let path = folder.display();
    engine.say(&format!("setoption name SyzygyPath value {path}"));
    let with_tables = best(engine.go(fen, "go depth 1"));
    assert!(with_tables.starts_with("bestmove g4f5"), "{with_tables}");
    engine.say("setoption name SyzygyPath value /nowhere/at/all");
    engine.say("isready");
    let lines = engine.until("readyok");
    assert!(
        lines.iter().any(|l| l.contains("/nowhere/at/all")),
        "{lines:?}"
    );
    engine.quit();
}
