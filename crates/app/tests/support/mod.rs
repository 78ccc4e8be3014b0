//! Driving the real binary in a folder of its own.
#![allow(dead_code)] // each test file needs a part of it

#[path = "../../../rules/tests/others/mod.rs"]
mod others;

#[allow(unused_imports)]
pub use others::data;

use std::{
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::Value;

/// A folder for the tables, the unfinished work and the files of one test.
pub struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    pub fn new() -> Lab {
        Lab {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a command that must succeed and returns what it printed.
    pub fn ok(&self, args: &[&str]) -> String {
        text(args, lucena(self, args))
    }

    /// The same for a command without tables.
    pub fn ok_plain(&self, args: &[&str]) -> String {
        text(args, command(self).args(args).output().expect("it runs"))
    }

    /// Runs a command that must succeed and reads its JSON.
    pub fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(args);
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{args:?}: {e}\n{text}"))
    }

    /// Runs a command that must fail with `code`, without a panic, and returns its complaint.
    pub fn fails(&self, args: &[&str], code: i32) -> String {
        let output = lucena(self, args);
        let error = String::from_utf8(output.stderr).expect("messages are text");
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(!error.contains("panicked"), "{args:?}: {error}");
        assert!(!error.trim().is_empty(), "{args:?} fails without a word");
        error
    }

    /// A file of positions that holds the first one of chess.
    pub fn start(&self) -> PathBuf {
        let start = self.path("start.epd");
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
        std::fs::write(&start, fen).expect("written");
        start
    }

    /// A file of games between players of the project.
    pub fn own_games(&self) -> PathBuf {
        let files = [self.start(), self.path("own.pgn"), self.path("own.games")];
        let [start, pgn, games] = files
            .each_ref()
            .map(|file| file.to_str().expect("a readable path"));
        #[rustfmt::skip]
        self.ok(&[
            "match", "--white", "minimax:depth=1", "--black", "random", "--positions", start,
            "--games", "60", "--pgn", pgn, "--rules", "moves=40",
        ]);
        self.ok_plain(&["games", "import", pgn, "--out", games]);
        self.path("own.games")
    }
}

fn text(args: &[&str], output: Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {error}");
    String::from_utf8(output.stdout).expect("output is text")
}

/// The binary with its folders inside the lab.
pub fn command(lab: &Lab) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lucena"));
    command
        .env("XDG_STATE_HOME", lab.path("state"))
        .env("XDG_DATA_HOME", lab.path("data"));
    command
}

/// Runs the binary with the lab's tables.
pub fn lucena(lab: &Lab, args: &[&str]) -> Output {
    let mut command = command(lab);
    command.args(args);
    let known = [
        "solve",
        "probe",
        "line",
        "positions",
        "match",
        "ladder",
        "certify",
        "paper",
        "play-random",
        "train",
        "tune",
    ];
    if args.first().is_some_and(|name| known.contains(name)) {
        command.arg("--tables").arg(lab.path("tables"));
    }
    command.output().expect("it runs")
}
