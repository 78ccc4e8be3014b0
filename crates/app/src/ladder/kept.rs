//! A ladder from the JSON that it was written as.

use std::path::Path;

use anyhow::{Context as _, ensure};
use play::Rating;
use rules::plain_file;
use serde::Deserialize;

use super::{
    MOST_PLAYERS,
    table::{Row, Table},
};

#[derive(Deserialize)]
struct Kept {
    players: Vec<KeptPlayer>,
}

#[derive(Deserialize)]
struct KeptPlayer {
    player: String,
    elo: f64,
    error: f64,
    anchor: bool,
    wins: u64,
    draws: u64,
    losses: u64,
    against: Vec<KeptMeeting>,
    superiority: Vec<f64>,
}

#[derive(Deserialize)]
struct KeptMeeting {
    player: String,
    points: f64,
    games: u64,
}

/// The table of a file, and the file as it stands.
pub fn read(path: &Path) -> anyhow::Result<(Table, String)> {
    let name = || path.display().to_string();
    let bytes = plain_file::read(path, plain_file::TEXT).with_context(name)?;
    let json = String::from_utf8(bytes).with_context(name)?;
    let kept: Kept = serde_json::from_str(&json).with_context(name)?;
    let count = kept.players.len();
    ensure!(
        (2..=MOST_PLAYERS).contains(&count),
        "{}: a ladder has 2 to {MOST_PLAYERS} players, not {count}",
        name()
    );
    let names: Vec<String> = kept.players.iter().map(|row| row.player.clone()).collect();
    let row = |player: KeptPlayer| {
        ensure!(
            player.superiority.len() == count,
            "{}: {} is compared with {} players instead of {count}",
            name(),
            player.player,
            player.superiority.len()
        );
        let met = |other: &String| {
            let meeting = player.against.iter().find(|met| met.player == *other)?;
            Some((meeting.points, meeting.games))
        };
        Ok(Row {
            against: names.iter().map(met).collect(),
            rating: Rating {
                elo: player.elo,
                error: player.error,
            },
            is_anchor: player.anchor,
            wins: player.wins,
            draws: player.draws,
            losses: player.losses,
            superiority: player.superiority,
            player: player.player,
        })
    };
    let rows: anyhow::Result<Vec<Row>> = kept.players.into_iter().map(row).collect();
    Ok((Table { rows: rows? }, json))
}
