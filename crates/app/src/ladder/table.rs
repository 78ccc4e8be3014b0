//! The table of a ladder: as text, Markdown and JSON.

use std::fmt::Write as _;

use play::{Encounter, Rating, Ratings, Standings};
use serde_json::{Value, json};

/// The players by their ratings, the best first.
pub struct Table {
    pub rows: Vec<Row>,
}

/// A player's row.
pub struct Row {
    pub player: String,
    pub rating: Rating,
    pub is_anchor: bool,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Against each of the others, in the order of the rows: points and games.
    pub against: Vec<Option<(f64, u64)>>,
    /// How likely this player is better than each of the others.
    pub superiority: Vec<f64>,
}

impl Row {
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    fn share(&self, part: f64) -> f64 {
        100.0 * part / self.games().max(1) as f64
    }
}

impl Table {
    pub fn new(
        players: &[String],
        standings: &Standings,
        ratings: &Ratings,
        anchors: &[(usize, f64)],
    ) -> Table {
        let mut order: Vec<usize> = (0..players.len()).collect();
        order.sort_by(|&a, &b| ratings.of(b).elo.total_cmp(&ratings.of(a).elo));
        let row = |&player: &usize| {
            let name = &players[player];
            let of_player = |side: &str| side == name;
            let (mut wins, mut draws, mut losses) = (0, 0, 0);
            for record in &standings.records {
                let white = of_player(&record.white);
                if !white && !of_player(&record.black) {
                    continue;
                }
                match record.winner {
                    None => draws += 1,
                    Some(color) if color.is_white() == white => wins += 1,
                    Some(_) => losses += 1,
                }
            }
            Row {
                player: name.clone(),
                rating: ratings.of(player),
                is_anchor: anchors.iter().any(|(anchor, _)| *anchor == player),
                wins,
                draws,
                losses,
                against: order
                    .iter()
                    .map(|&other| met(&standings.encounters, player, other))
                    .collect(),
                superiority: order
                    .iter()
                    .map(|&other| ratings.superiority(player, other))
                    .collect(),
            }
        };
        Table {
            rows: order.iter().map(row).collect(),
        }
    }

    pub fn json(&self, seed: u64, prior: f64) -> Value {
        let names: Vec<&str> = self.rows.iter().map(|row| row.player.as_str()).collect();
        let players: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let against = row.against.iter().zip(&names).filter_map(|(met, name)| {
                    let (points, games) = (*met)?;
                    Some(json!({ "player": name, "points": points, "games": games }))
                });
                json!({
                    "player": row.player,
                    "elo": row.rating.elo,
                    "error": row.rating.error,
                    "anchor": row.is_anchor,
                    "games": row.games(),
                    "wins": row.wins,
                    "draws": row.draws,
                    "losses": row.losses,
                    "points": row.points(),
                    "draw_rate": row.share(row.draws as f64) / 100.0,
                    "against": against.collect::<Vec<_>>(),
                    "superiority": row.superiority,
                })
            })
            .collect();
        json!({ "seed": seed, "prior": prior, "order": names, "players": players })
    }

    pub fn text(&self) -> String {
        let width = self.rows.iter().map(|row| row.player.chars().count()).max();
        let width = width.unwrap_or(0).max(6);
        let mut text = format!(
            "{:>3}  {:width$}  {:>7}  {:>7}  {:>6}  {:>7}  {:>6}  {:>7}\n",
            "", "player", "Elo", "±", "games", "points", "drawn", "better*"
        );
        for (place, row) in self.rows.iter().enumerate() {
            let _ = writeln!(
                text,
                "{:>3}  {:width$}  {:>7.1}  {:>7}  {:>6}  {:>5.1} %  {:>4.1} %  {:>7}",
                place + 1,
                row.player,
                row.rating.elo,
                interval(row),
                row.games(),
                row.share(row.points()),
                row.share(row.draws as f64),
                next(row, place),
            );
        }
        text += "* how likely the player is better than the next one\n\npoints of games\n";
        for (place, row) in self.rows.iter().enumerate() {
            let _ = write!(text, "{:>3}  {:width$}", place + 1, row.player);
            for met in &row.against {
                let _ = write!(text, "  {:>11}", cell(*met));
            }
            text.push('\n');
        }
        text
    }

    pub fn markdown(&self) -> String {
        let mut text = "| | player | Elo | ± | games | points | drawn | better than the next |\n\
                        |---|---|---|---|---|---|---|---|\n"
            .to_owned();
        for (place, row) in self.rows.iter().enumerate() {
            let _ = writeln!(
                text,
                "| {} | `{}` | {:.1} | {} | {} | {:.1} % | {:.1} % | {} |",
                place + 1,
                row.player,
                row.rating.elo,
                interval(row),
                row.games(),
                row.share(row.points()),
                row.share(row.draws as f64),
                next(row, place),
            );
        }
        text += "\n| points of games |";
        (1..=self.rows.len()).for_each(|place| {
            let _ = write!(text, " {place} |");
        });
        text += "\n|---|";
        text += &"---|".repeat(self.rows.len());
        for (place, row) in self.rows.iter().enumerate() {
            let _ = write!(text, "\n| {} `{}` |", place + 1, row.player);
            for met in &row.against {
                let _ = write!(text, " {} |", cell(*met));
            }
        }
        text.push('\n');
        text
    }
}

fn interval(row: &Row) -> String {
    match row.is_anchor {
        true => "anchor".to_owned(),
        false => format!("{:.1}", row.rating.error),
    }
}

fn next(row: &Row, place: usize) -> String {
    match row.superiority.get(place + 1) {
        Some(likely) => format!("{:.1} %", 100.0 * likely),
        None => "–".to_owned(),
    }
}

fn cell(met: Option<(f64, u64)>) -> String {
    met.map_or("–".to_owned(), |(points, games)| {
        format!("{points} / {games}")
    })
}

/// Points and games of a player against another.
fn met(encounters: &[Encounter], player: usize, other: usize) -> Option<(f64, u64)> {
    encounters.iter().find_map(|encounter| {
        let games = encounter.games();
        match (encounter.first == player, encounter.second == player) {
            (true, _) if encounter.second == other => Some((encounter.points(), games)),
            (_, true) if encounter.first == other => {
                Some((games as f64 - encounter.points(), games))
            }
            _ => None,
        }
    })
}
