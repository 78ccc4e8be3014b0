//! A small file of games between players of the house, for runs that only show that an experiment works.

use std::path::{Path, PathBuf};

use learn::games::Import;
use play::{Match, Openings, Running};
use rules::{Position, Rules};

use crate::{Bench, PaperError};

/// Games in the file.
const GAMES: u64 = 80;
/// Moves of each side.
const MOVES: u32 = 40;

/// Makes the file in a folder, unless it is there.
pub(crate) fn own_games(bench: &Bench<'_>, folder: &Path) -> Result<PathBuf, PaperError> {
    let games = folder.join("own.games");
    if games.exists() {
        return Ok(games);
    }
    let player = bench.player("random")?;
    let start = Openings::List(vec![Position::start()]);
    let rules = Rules::fide().with_max_moves(MOVES);
    let contest = Match {
        rules,
        ..Match::new(player.clone(), player, start, GAMES)
    };
    let played = contest.run(Running {
        threads: bench.threads,
        stop: Some(bench.stop),
        ..Running::default()
    })?;
    if !played.complete {
        return Err(PaperError::Stopped);
    }
    let mut pgn = String::new();
    for record in &played.records {
        let game = record.pgn("Own games", rules);
        let game = game.map_err(|error| PaperError::Setting(error.to_string()))?;
        pgn += &format!("{game}\n");
    }
    let source = folder.join("own.pgn");
    crate::write_atomically(&source, &pgn)?;
    Import::new(vec![source], games.clone())
        .run(&mut |_| (), bench.stop)
        .map_err(|error| PaperError::Setting(error.to_string()))?;
    Ok(games)
}
