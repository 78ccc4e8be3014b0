//! What our own small networks are told about each endgame, and how they are taught.

use play::{features::Feature, tiny_network::Form};

/// What the networks of an endgame are told, and how they are taught.
pub(crate) struct Lessons {
    /// What the networks are told.
    pub inputs: Vec<(Feature, Form)>,
    /// What telling pairs of moves apart is worth.
    pub ranking: f32,
    /// The share of positions from perfect games.
    pub played: f64,
    /// The share of positions from the network's own games.
    pub own: f64,
    /// Weights of more than so many times the usual size are cut off.
    pub cut: f32,
}

impl Lessons {
    /// `None` for endgames that there are no lessons for.
    pub fn of(material: &str) -> Option<Lessons> {
        let (ranking, played, own, cut) = match material {
            "KBNK" => (0.5, 0.6, 0.4, 2.5),
            _ => (2.0, 0.0, 0.0, f32::INFINITY),
        };
        Some(Lessons {
            inputs: inputs(material)?,
            ranking,
            played,
            own,
            cut,
        })
    }
}

/// What the networks of an endgame are told.
///
/// For queen, rook and two bishops chosen by adding, one at a time, what made the error of a network
/// with six neurons smallest, as long as 200 bytes hold the weights. Bishop and knight need more
/// neurons than the rows of choices leave room for: all inputs are numbers. They were chosen by
/// leaving out of eighty, a few at a time, what a network missed least.
fn inputs(material: &str) -> Option<Vec<(Feature, Form)>> {
    use Feature::*;
    let (choices, numbers): (&[Feature], &[Feature]) = match material {
        "KQK" => (
            &[
                BareSquare,
                Kings,
                KingToCorner,
                RoomInTwo,
                KingSquare,
                FirstBehind,
            ],
            &[Hanging],
        ),
        "KRK" => (
            &[
                BareSquare,
                Kings,
                KingAside,
                FirstBehind,
                KingToCorner,
                FirstAside,
                FirstToKing,
            ],
            &[],
        ),
        "KBBK" => (
            &[
                BareSquare,
                KingToCorner,
                RoomInThree,
                FirstToBare,
                KingSquare,
                Freedom,
            ],
            &[],
        ),
        "KBNK" => {
            let spread = [
                BareFile,
                BareRank,
                SquaresInThree,
                RightInThree,
                RightInFive,
                AwayInFive,
                FreeToTheLeft,
                FreeToTheRight,
                FreeAbove,
                KingAbove,
                KingToPost,
                KingToLeftPost,
                KingFromWrongCorner,
                KnightFile,
                KnightAcross,
            ];
            return Some(spread.map(|feature| (feature, Form::Spread)).to_vec());
        }
        _ => return None,
    };
    let choices = choices.iter().map(|&feature| (feature, Form::Choice));
    let numbers = numbers.iter().map(|&feature| (feature, Form::Number));
    Some(choices.chain(numbers).collect())
}
