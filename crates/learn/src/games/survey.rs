//! What is in a file of games, counted.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use rules::{Color, PgnResult, Position};
use serde::Serialize;

use super::{FilePart, Filter, GameFile, GamesError, PackedMove, Phase};

/// What is in a file of games, or in those of its games that a filter wants.
#[derive(Clone, Debug, Serialize)]
pub struct Survey {
    /// Games.
    pub games: u64,
    /// Positions in which a move was played.
    pub positions: u64,
    /// White won, drawn, black won, not known.
    pub results: [u64; 4],
    /// Games that do not begin at the start position.
    pub set_up: u64,
    /// Positions in the opening, in the middlegame and in the endgame; see [`Phase`].
    pub phases: [u64; 3],
    /// Games by their number of plies, in twenties.
    pub lengths: Vec<Bar>,
    /// Players of games by rating, in hundreds.
    pub ratings: Vec<Bar>,
    /// Players of games whose rating is not known.
    pub unrated: u64,
    /// Games by year; by decade, when there are many.
    pub years: Vec<Bar>,
    /// Games whose year is not known.
    pub undated: u64,
    /// The most frequent first moves.
    pub first_moves: Vec<OpeningLine>,
    /// The most frequent beginnings of four plies.
    pub openings: Vec<OpeningLine>,
    /// The most frequent events.
    pub events: Vec<(String, u64)>,
}

/// So many from one number on, up to the next bar.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Bar {
    /// The least number.
    pub from: u64,
    /// The greatest.
    pub to: u64,
    /// How many.
    pub count: u64,
}

/// The beginning of games.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OpeningLine {
    /// Its moves.
    pub moves: String,
    /// Games that begin so.
    pub games: u64,
    /// White's score in those whose result is known, between 0 and 1.
    pub white_score: Option<f64>,
}

/// Plies of an opening line.
const OPENING: usize = 4;
/// Opening lines and events that are named.
const NAMED: usize = 12;
/// Years that get a bar each.
const YEARS: u64 = 30;

impl Survey {
    /// Counts on all cores.
    ///
    /// # Errors
    /// When a part of the file is damaged, for all its checksums say.
    pub fn of(file: &GameFile, filter: &Filter) -> Result<Survey, GamesError> {
        let counts = file
            .parts()
            .map(|part| Counts::of(&part, filter))
            .try_reduce(Counts::default, |a, b| Ok(a.plus(b)))?;
        Ok(counts.survey())
    }
}

#[derive(Default)]
struct Counts {
    games: u64,
    positions: u64,
    results: [u64; 4],
    set_up: u64,
    phases: [u64; 3],
    lengths: BTreeMap<u64, u64>,
    ratings: BTreeMap<u64, u64>,
    unrated: u64,
    years: BTreeMap<u64, u64>,
    undated: u64,
    /// Games by result, by their first moves.
    openings: HashMap<[PackedMove; OPENING], [u64; 4]>,
    events: HashMap<String, u64>,
}

impl Counts {
    fn of(part: &FilePart<'_>, filter: &Filter) -> Result<Counts, GamesError> {
        let mut counts = Counts::default();
        let names = part.names()?;
        for (i, game) in part.games().enumerate() {
            let header = game.header();
            let names = names.of(i);
            if !filter.wants(header, names) {
                continue;
            }
            counts.games += 1;
            counts.positions += u64::from(header.plies);
            let result = match header.result {
                PgnResult::Win(Color::White) => 0,
                PgnResult::Draw => 1,
                PgnResult::Win(Color::Black) => 2,
                PgnResult::Unfinished => 3,
            };
            counts.results[result] += 1;
            for (ply, position) in game.positions().enumerate() {
                counts.phases[Phase::of(&position, ply) as usize] += 1;
            }
            *counts
                .lengths
                .entry(u64::from(header.plies) / 20 * 20)
                .or_default() += 1;
            for rating in header.ratings {
                match rating {
                    Some(rating) => {
                        *counts
                            .ratings
                            .entry(u64::from(rating) / 100 * 100)
                            .or_default() += 1;
                    }
                    None => counts.unrated += 1,
                }
            }
            match header.date.year() {
                Some(year) => *counts.years.entry(u64::from(year)).or_default() += 1,
                None => counts.undated += 1,
            }
            if game.start_fen().is_some() {
                counts.set_up += 1;
            } else {
                let mut line = [PackedMove::NONE; OPENING];
                line.iter_mut()
                    .zip(game.moves())
                    .for_each(|(place, m)| *place = m);
                counts.openings.entry(line).or_default()[result] += 1;
            }
            if let Some(event) = names.get("Event") {
                match counts.events.get_mut(event) {
                    Some(count) => *count += 1,
                    None => {
                        counts.events.insert(event.to_owned(), 1);
                    }
                }
            }
        }
        Ok(counts)
    }

    fn plus(mut self, other: Counts) -> Counts {
        // The larger map takes up the smaller one.
        if other.openings.len() > self.openings.len() {
            return other.plus(self);
        }
        self.games += other.games;
        self.positions += other.positions;
        self.set_up += other.set_up;
        self.unrated += other.unrated;
        self.undated += other.undated;
        add(&mut self.results, &other.results);
        add(&mut self.phases, &other.phases);
        for (all, part) in [
            (&mut self.lengths, other.lengths),
            (&mut self.ratings, other.ratings),
            (&mut self.years, other.years),
        ] {
            for (key, count) in part {
                *all.entry(key).or_default() += count;
            }
        }
        for (line, results) in other.openings {
            add(self.openings.entry(line).or_default(), &results);
        }
        for (event, count) in other.events {
            *self.events.entry(event).or_default() += count;
        }
        self
    }

    fn survey(self) -> Survey {
        let mut events: Vec<(String, u64)> = self.events.into_iter().collect();
        events.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        events.truncate(NAMED);
        let mut decades = BTreeMap::new();
        for (&year, count) in &self.years {
            *decades.entry(year / 10 * 10).or_default() += count;
        }
        let years = match (self.years.keys().next(), self.years.keys().last()) {
            (Some(first), Some(last)) if last - first < YEARS => bars(&self.years, 1),
            _ => bars(&decades, 10),
        };
        Survey {
            games: self.games,
            positions: self.positions,
            results: self.results,
            set_up: self.set_up,
            phases: self.phases,
            lengths: bars(&self.lengths, 20),
            ratings: bars(&self.ratings, 100),
            unrated: self.unrated,
            years,
            undated: self.undated,
            first_moves: lines(&self.openings, 1),
            openings: lines(&self.openings, OPENING),
            events,
        }
    }
}

fn add<const N: usize>(all: &mut [u64; N], part: &[u64; N]) {
    all.iter_mut()
        .zip(part)
        .for_each(|(all, part)| *all += part);
}

/// Bars of equal width; what is missing in between is nought.
fn bars(counts: &BTreeMap<u64, u64>, width: u64) -> Vec<Bar> {
    let (Some(&first), Some(&last)) = (counts.keys().next(), counts.keys().last()) else {
        return Vec::new();
    };
    (first..=last)
        .step_by(width as usize)
        .map(|from| Bar {
            from,
            to: from + width - 1,
            count: counts.get(&from).copied().unwrap_or(0),
        })
        .collect()
}

/// The most frequent beginnings of so many plies; shorter games do not count.
fn lines(openings: &HashMap<[PackedMove; OPENING], [u64; 4]>, plies: usize) -> Vec<OpeningLine> {
    let mut together: HashMap<&[PackedMove], [u64; 4]> = HashMap::new();
    for (line, results) in openings {
        if !line[plies - 1].is_none() {
            add(together.entry(&line[..plies]).or_default(), results);
        }
    }
    let mut lines: Vec<_> = together.into_iter().collect();
    lines.sort_by_key(|(line, results)| {
        let bits: Vec<u16> = line.iter().map(|m| m.bits()).collect();
        (std::cmp::Reverse(results.iter().sum::<u64>()), bits)
    });
    lines.truncate(NAMED);
    lines
        .into_iter()
        .map(|(line, results)| {
            let known = results[..3].iter().sum::<u64>();
            let score = results[0] as f64 + results[1] as f64 / 2.0;
            OpeningLine {
                moves: written(line),
                games: results.iter().sum(),
                white_score: (known > 0).then(|| score / known as f64),
            }
        })
        .collect()
}

/// Moves from the start position as players write them.
fn written(line: &[PackedMove]) -> String {
    let mut position = Position::start();
    let mut text = String::new();
    for (ply, m) in line.iter().enumerate() {
        let Some(m) = m.unpack(position.chess()) else {
            break;
        };
        if ply > 0 {
            text.push(' ');
        }
        if ply % 2 == 0 {
            text.push_str(&format!("{}.", ply / 2 + 1));
        }
        text.push_str(&position.san(m));
        position.play(m);
    }
    text
}
