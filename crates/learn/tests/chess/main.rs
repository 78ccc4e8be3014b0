//! Chess for learners, one binary of several files.
#![allow(clippy::unwrap_used)]

mod actions;
mod games;
mod many;
mod observations;
mod playthrough;
mod rewards;
mod settings;
mod starts;

use std::path::PathBuf;

use learn::chess::{Actions, Resources, Setup};
use rules::Position;

const ALL_ACTIONS: [Actions; 4] = [
    Actions::AlphaZero,
    Actions::AlphaZeroClaim,
    Actions::Wojcik,
    Actions::PettingZoo,
];

const ALL_OBSERVATIONS: [&str; 8] = [
    "salisch-1",
    "salisch-2",
    "wojcik",
    "wojcik-squares",
    "planes",
    "planes:history=1,repetitions=off,castling=off,en-passant=off,clock=off",
    "planes:history=3,moves=on,colour=on,board=on",
    "pettingzoo",
];

fn position(fen: &str) -> Position {
    Position::from_fen(fen).expect(fen)
}

fn setup(settings: &[(&str, &str)]) -> Setup {
    Setup::read(settings.iter().copied(), Resources::default()).expect("sensible settings")
}

/// Data made by others: `$LUCENA_DATA`, or `../shared/data` beside the project.
fn data(what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("LUCENA_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let path = folder.join(what);
    if !path.exists() {
        eprintln!("skipped: {what} is not there (set LUCENA_DATA to the folder of test data)");
        return None;
    }
    Some(path)
}
