//! What a file of games knows of a game besides its moves.

use rules::{Color, PgnResult};

use super::Date;

/// Bytes of a [`GameHeader`] in a file.
pub(super) const HEADER_BYTES: usize = 32;

/// What is known of a game besides its moves and names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameHeader {
    /// How many moves were played, of both sides together: as many positions has the game to learn
    /// from.
    pub plies: u16,
    /// Who won.
    pub result: PgnResult,
    /// White's rating and black's.
    pub ratings: [Option<u16>; 2],
    /// When it was played.
    pub date: Date,
    /// A number that games share when they start from the same position and have the same moves.
    pub key: u64,
    /// Its first move among those of its block.
    pub(super) first_move: u32,
    /// Where the FEN it starts from is among those of its block, counted from 1; 0 for the start
    /// position.
    pub(super) start: u32,
}

impl GameHeader {
    /// The rating of a side.
    pub fn rating(&self, color: Color) -> Option<u16> {
        self.ratings[color.fold_wb(0, 1)]
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.first_move.to_le_bytes());
        out.extend(self.plies.to_le_bytes());
        out.push(match self.result {
            PgnResult::Unfinished => 0,
            PgnResult::Win(Color::White) => 1,
            PgnResult::Draw => 2,
            PgnResult::Win(Color::Black) => 3,
        });
        out.push(0);
        for rating in self.ratings {
            out.extend(rating.unwrap_or(0).to_le_bytes());
        }
        out.extend(self.date.0.to_le_bytes());
        out.extend(self.key.to_le_bytes());
        out.extend(self.start.to_le_bytes());
        out.extend([0; 4]);
    }

    /// Reads the first [`HEADER_BYTES`] of `bytes`.
    pub(super) fn read(bytes: &[u8]) -> GameHeader {
        let rating = |at| Some(u16_at(bytes, at)).filter(|&rating| rating > 0);
        GameHeader {
            first_move: u32_at(bytes, 0),
            plies: u16_at(bytes, 4),
            result: match bytes[6] {
                1 => PgnResult::Win(Color::White),
                2 => PgnResult::Draw,
                3 => PgnResult::Win(Color::Black),
                _ => PgnResult::Unfinished,
            },
            ratings: [rating(8), rating(10)],
            date: Date(u32_at(bytes, 12)),
            key: u64_at(bytes, 16),
            start: u32_at(bytes, 24),
        }
    }
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
