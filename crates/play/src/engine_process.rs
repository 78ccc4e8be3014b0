//! A foreign program that speaks UCI, as a process: lines in, lines out, and never a zombie.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// Lines that are longer than this are nonsense.
const LONGEST_LINE: usize = 1 << 16;
/// So much output may wait to be read before a program is held up.
const WAITING_LINES: usize = 4096;
/// How long nobody looks whether to stop while an engine thinks.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A running engine. Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct EngineProcess {
    child: Child,
    /// `None` once the process is being ended.
    input: Option<ChildStdin>,
    output: Receiver<String>,
    reader: Option<JoinHandle<()>>,
    /// From `id name`.
    pub name: Option<String>,
    /// Options the engine has, from `option name …`.
    options: Vec<String>,
}

/// What went wrong with an engine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum EngineError {
    #[error("{0} cannot be started: {1}")]
    Start(String, String),
    #[error("it ended")]
    Ended,
    #[error("it said nothing of use for {} ms while waiting for '{waiting_for}'", patience.as_millis())]
    Silent {
        patience: Duration,
        waiting_for: &'static str,
    },
    #[error("stopped while waiting for it")]
    Stopped,
    #[error("it has no option '{0}'; it has {1}")]
    NoOption(String, String),
}

/// Finds a program: a path as it is, a bare name on `PATH` and where Debian puts games.
pub(crate) fn find(program: &str) -> PathBuf {
    if program.contains('/') || program.contains(std::path::MAIN_SEPARATOR) {
        return PathBuf::from(program);
    }
    std::env::var_os("PATH")
        .iter()
        .flat_map(std::env::split_paths)
        .chain(["/usr/games", "/usr/local/games"].map(PathBuf::from))
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
        .unwrap_or_else(|| PathBuf::from(program))
}

impl EngineProcess {
    /// Starts a program and shakes hands with it.
    pub fn start(
        program: &Path,
        options: &[(String, String)],
        patience: Duration,
        stop: &AtomicBool,
    ) -> Result<EngineProcess, EngineError> {
        let mut command = Command::new(program);
        // Ctrl-C is ours to answer: it must not end the engine in the middle of a game.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| {
                EngineError::Start(program.display().to_string(), error.to_string())
            })?;
        let input = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout was piped");
        let (sender, output) = mpsc::sync_channel(WAITING_LINES);
        // Its own thread reads, so that a silent engine can be given up on.
        let reader = std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut line = Vec::new();
            loop {
                line.clear();
                let mut limited = std::io::Read::take(&mut stdout, LONGEST_LINE as u64);
                match limited.read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => break,
                    Ok(_) => {}
                }
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                if sender.send(text).is_err() {
                    break;
                }
            }
        });
        let mut engine = EngineProcess {
            child,
            input,
            output,
            reader: Some(reader),
            name: None,
            options: Vec::new(),
        };
        engine.shake_hands(options, patience, stop)?;
        Ok(engine)
    }

    fn shake_hands(
        &mut self,
        options: &[(String, String)],
        patience: Duration,
        stop: &AtomicBool,
    ) -> Result<(), EngineError> {
        self.send("uci")?;
        let deadline = Instant::now() + patience;
        loop {
            let line = self.line(deadline, patience, "uciok", stop)?;
            if line == "uciok" {
                break;
            } else if let Some(name) = line.strip_prefix("id name ") {
                self.name = Some(name.to_owned());
            } else if let Some(rest) = line.strip_prefix("option name ") {
                let name = rest.split(" type ").next().unwrap_or(rest);
                self.options.push(name.to_owned());
            }
        }
        for (name, value) in options {
            if !self.options.iter().any(|o| o.eq_ignore_ascii_case(name)) {
                return Err(EngineError::NoOption(name.clone(), self.options.join(", ")));
            }
            self.send(&format!("setoption name {name} value {value}"))?;
        }
        self.ready(patience, stop)
    }

    /// Waits until the engine has done everything it was told.
    pub fn ready(&mut self, patience: Duration, stop: &AtomicBool) -> Result<(), EngineError> {
        self.send("isready")?;
        let deadline = Instant::now() + patience;
        while self.line(deadline, patience, "readyok", stop)? != "readyok" {}
        Ok(())
    }

    pub fn send(&mut self, command: &str) -> Result<(), EngineError> {
        let input = self.input.as_mut().ok_or(EngineError::Ended)?;
        input
            .write_all(format!("{command}\n").as_bytes())
            .and_then(|()| input.flush())
            .map_err(|_| EngineError::Ended)
    }

    /// The next line, unless `stop` is set first; `patience` and `waiting_for` are for the error.
    pub fn line(
        &mut self,
        deadline: Instant,
        patience: Duration,
        waiting_for: &'static str,
        stop: &AtomicBool,
    ) -> Result<String, EngineError> {
        let silent = EngineError::Silent {
            patience,
            waiting_for,
        };
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(EngineError::Stopped);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left.min(LOOK_EVERY)) {
                // A program that babbles without end must not get more time for it.
                Ok(_) if left.is_zero() => return Err(silent),
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(silent),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(EngineError::Ended),
            }
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        let _ = self.send("quit");
        self.input = None;
        let patience = Instant::now() + Duration::from_millis(100);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = self.child.kill();
        let _ = self.child.wait(); // without this the process would stay as a zombie
        // The reader ends with the pipe, or at its next line if a grandchild holds the pipe open:
        // it is not waited for.
        drop(self.reader.take());
    }
}
