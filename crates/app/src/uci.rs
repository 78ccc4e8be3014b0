//! The engine: any player, for any chess program that speaks UCI.
//!
//! One thread reads commands and answers at once, also during a search; another one searches
//! ([`worker`]). What cannot be understood is passed over, as the protocol asks; what is understood
//! but cannot be done is said in an `info string`.

mod go;
mod options;
mod position;
mod worker;

use std::{
    io::{BufRead as _, Write as _},
    sync::Arc,
};

use clap::Args;
use rules::Game;
use truth::Tablebase;

use crate::{players::registry, tables::Tables};
use go::Go;
use options::{Options, Setting};
use position::start_game;
use worker::{Order, Worker};

/// Play as an engine for any chess program, over UCI
///
/// Enter it in a chess program as an engine with the argument `uci`, and choose the player among
/// its options or with --player. Where the player cannot play a position, minimax does.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena uci\n  lucena uci --player run:runs/krk\n  \
                  printf 'position fen 8/8/8/3k4/8/8/8/KR6 w - - 0 1\\ngo depth 8\\n' | lucena uci"
)]
pub struct Uci {
    /// The player, also an option of the engine
    #[arg(long, default_value = options::DEFAULT_PLAYER)]
    player: String,
    #[command(flatten)]
    tables: Tables,
}

impl Uci {
    pub fn run(self) -> anyhow::Result<()> {
        let tablebase = Arc::new(Tablebase::new(&self.tables.folder()?));
        let registry = registry(tablebase.clone());
        let spec = registry.parse(&self.player)?;
        let mut options = Options::new(self.player);
        let mut worker = Worker::start(tablebase);
        worker.send(Order::Player(spec));
        let mut game = Game::new(rules::Position::start(), rules::Rules::fide());
        // Rubbish need not even be text.
        for line in std::io::stdin().lock().split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            let mut words = line.split_whitespace();
            // Unknown words before a command are passed over, as the protocol says.
            let Some(command) = words.find(|word| COMMANDS.contains(word)) else {
                continue;
            };
            let rest: Vec<&str> = words.collect();
            match command {
                "uci" => {
                    say(&format!("id name Lucena {}", env!("CARGO_PKG_VERSION")));
                    say("id author the Lucena developers");
                    options.list().iter().for_each(|option| say(option));
                    say("uciok");
                }
                "isready" => say("readyok"),
                "setoption" => match options.set(&rest) {
                    Ok(Setting::Player(text)) => match registry.parse(&options.with_hash(&text)) {
                        Ok(spec) => {
                            worker.send(Order::Player(spec));
                            options.keep_player(text);
                        }
                        Err(error) => say(&format!("info string {error}")),
                    },
                    Ok(Setting::Syzygy(syzygy)) => worker.send(Order::Syzygy(syzygy)),
                    Ok(Setting::Other) => {}
                    Err(why) => say(&format!("info string {why}")),
                },
                "ucinewgame" => worker.send(Order::NewGame),
                "position" => match start_game(&rest) {
                    Ok((new, None)) => game = new,
                    Ok((new, Some(complaint))) => {
                        say(&format!("info string {complaint}"));
                        game = new;
                    }
                    Err(why) => say(&format!("info string {why}")),
                },
                "go" => {
                    worker.stop();
                    worker.go(game.clone(), Go::read(&rest, &game), &options);
                }
                "stop" => worker.stop(),
                "ponderhit" => worker.ponderhit(),
                "quit" => {
                    worker.stop();
                    return Ok(());
                }
                _ => {}
            }
        }
        // The input has ended: what has an end of its own is finished, the rest stopped.
        worker.finish();
        Ok(())
    }
}

const COMMANDS: [&str; 11] = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
];

/// A line to the chess program, at once. When it no longer listens there is nobody to play for.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
