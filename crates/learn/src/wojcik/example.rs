//! What a network learns from.

use super::{Code, SQUARES, Sight};
use crate::games::PackedPosition;

/// A position as a network sees it, and what it should answer.
#[derive(Clone, Copy)]
pub(super) struct Example {
    pub sight: Sight,
    /// The answers that compete.
    pub competing: u64,
    /// The square that was left, or reached.
    pub right: u8,
}

/// Exchanges the files of a square, and of every number made of one.
const FILES: u8 = 7;

impl Example {
    /// What a network, by its place, learns from a position.
    pub fn of(position: &PackedPosition, network: usize, code: Code) -> Example {
        let played = position.played();
        let square = match network {
            0 => played.from(),
            _ => played.to(),
        };
        Example {
            sight: Sight::of(position, code),
            competing: code.competing(network, &position.position()),
            right: code.answer(square, position.turn()) as u8,
        }
    }

    /// The same with king's and queen's wing exchanged, which changes nothing in chess but castling.
    pub fn wings_exchanged(self) -> Example {
        Example {
            sight: self.sight.wings_exchanged(),
            // The bits of every rank turned round.
            competing: self.competing.reverse_bits().swap_bytes(),
            right: self.right ^ FILES,
        }
    }
}

/// A number for every square, with the wings exchanged.
pub(super) fn wings_exchanged(numbers: [f32; SQUARES]) -> [f32; SQUARES] {
    std::array::from_fn(|square| numbers[square ^ usize::from(FILES)])
}

#[cfg(test)]
mod tests {
    use rules::Position;

    use super::*;
    use crate::games::PackedMove;

    #[test]
    fn with_the_wings_exchanged_it_is_the_position_in_the_mirror() {
        let example = |fen: &str, san: &str, network, code| {
            let position = Position::from_fen(fen).expect("sound");
            let played = PackedMove::new(position.parse_san(san).expect("legal"));
            let none = PackedMove::NONE;
            let packed = PackedPosition::new(position.chess(), none, none, played, None);
            Example::of(&packed, network, code)
        };
        for turned in [false, true] {
            let code = Code {
                turned,
                legal: true,
                ..Code::default()
            };
            for (turn, san, there) in [("w", "Rxa7", "Rxh7"), ("b", "Nb4", "Ng4")] {
                for network in [0, 3, 5] {
                    let here = format!("2k5/p1pp4/2n5/8/8/4P3/5PK1/R7 {turn} - - 0 1");
                    let mirror = format!("5k2/4pp1p/5n2/8/8/3P4/1KP5/7R {turn} - - 0 1");
                    let found = example(&here, san, network, code).wings_exchanged();
                    let right = example(&mirror, there, network, code);
                    let sorted = |places: &[u16]| {
                        let mut places = places.to_vec();
                        places.sort_unstable();
                        places
                    };
                    assert_eq!(sorted(found.sight.own()), sorted(right.sight.own()));
                    assert_eq!(sorted(found.sight.others()), sorted(right.sight.others()));
                    assert_eq!(found.competing, right.competing);
                    assert_eq!(found.right, right.right);
                }
            }
        }
    }
}
