//! Chess for learners, one binary of several files.

mod actions;
mod games;
mod many;
mod observations;
mod settings;

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
