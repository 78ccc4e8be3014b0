//! What was counted while games were read.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

/// What came of reading games: every game that was met is kept, sorted out by a filter, or broken.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Games met.
    pub read: u64,
    /// Games kept.
    pub kept: u64,
    /// Positions in which a move was played, in the games kept.
    pub positions: u64,
    /// Games skipped because they cannot be read, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub broken: BTreeMap<Reason, Counted>,
    /// Games that a filter sorted out, by filter.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub filtered: BTreeMap<Sieve, u64>,
    /// Games that were kept although something is odd about them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub remarks: BTreeMap<Remark, Counted>,
    /// Files that could only be read in part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<Damage>,
    /// Lines read.
    pub lines: u64,
}

/// A file that cannot be read to its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Damage {
    /// The file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// So many bytes of text could be read.
    pub bytes: u64,
    /// Why no more.
    pub why: String,
}

/// How often something happened, and where first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counted {
    /// How often.
    pub count: u64,
    /// The first time.
    pub first: Example,
}

/// A game that something is wrong with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Example {
    /// The file it is in.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The game, counted from 1 in its file.
    pub game: u64,
    /// The line it begins on, counted from 1 in its file.
    pub line: u64,
    /// What is wrong.
    pub what: String,
}

/// Why a game is broken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A move that no man can make, or that more than one can.
    IllegalMove,
    /// Neither a move nor a result.
    NoMoves,
    /// The position it starts from is none.
    Start,
    /// Another game than chess.
    Variant,
    /// The text ends within the game.
    CutShort,
    /// A comment or a tag does not end before the next game begins.
    Unclosed,
    /// More moves, or more text, than any game has.
    TooLong,
}

/// What is odd about a game that is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// The tag, the end of the moves and the board do not agree on the result.
    ContradictoryResult,
    /// The moves end without a result.
    NoResultAfterMoves,
    /// A result without moves: the game was not played.
    NoMoves,
}

/// Which filter sorted a game out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sieve {
    /// The players' ratings.
    Rating,
    /// The result.
    Result,
    /// The number of plies.
    Length,
    /// The year.
    Year,
    /// The event's name.
    Event,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::IllegalMove => "a move cannot be played",
            Reason::NoMoves => "neither moves nor a result",
            Reason::Start => "the start is not a position",
            Reason::Variant => "another game than chess",
            Reason::CutShort => "cut short by the end of the file",
            Reason::Unclosed => "a comment or tag does not end",
            Reason::TooLong => "too long for a game",
        })
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Remark::ContradictoryResult => "results contradict each other",
            Remark::NoResultAfterMoves => "no result after the moves",
            Remark::NoMoves => "a result without moves",
        })
    }
}

impl fmt::Display for Sieve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sieve::Rating => "rating",
            Sieve::Result => "result",
            Sieve::Length => "length",
            Sieve::Year => "year",
            Sieve::Event => "event",
        })
    }
}

impl Report {
    /// Adds what was counted in the next part of a file, of which `before` games and lines were
    /// read already.
    pub(super) fn absorb(&mut self, part: Report, source: &str, before: (u64, u64)) {
        self.read += part.read;
        self.kept += part.kept;
        self.positions += part.positions;
        self.lines += part.lines;
        for (sieve, count) in part.filtered {
            *self.filtered.entry(sieve).or_default() += count;
        }
        self.damaged
            .extend(part.damaged.into_iter().map(|damage| Damage {
                source: source.to_owned(),
                ..damage
            }));
        merge(&mut self.broken, part.broken, source, before);
        merge(&mut self.remarks, part.remarks, source, before);
    }

    /// Games that could not be read.
    pub fn broken_games(&self) -> u64 {
        self.broken.values().map(|counted| counted.count).sum()
    }

    /// Games that filters sorted out.
    pub fn filtered_games(&self) -> u64 {
        self.filtered.values().sum()
    }
}

fn merge<K: Ord>(
    all: &mut BTreeMap<K, Counted>,
    part: BTreeMap<K, Counted>,
    source: &str,
    (games, lines): (u64, u64),
) {
    for (key, mut counted) in part {
        all.entry(key)
            .and_modify(|all| all.count += counted.count)
            .or_insert_with(|| {
                counted.first.source = source.to_owned();
                counted.first.game += games;
                counted.first.line += lines;
                counted
            });
    }
}

/// Counts one more, and takes down the first.
pub(super) fn count<K: Ord>(
    map: &mut BTreeMap<K, Counted>,
    key: K,
    example: impl FnOnce() -> Example,
) {
    map.entry(key)
        .and_modify(|counted| counted.count += 1)
        .or_insert_with(|| Counted {
            count: 1,
            first: example(),
        });
}
