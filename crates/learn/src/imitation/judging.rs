//! A network held against games it has not learned from, in detail.

use std::fmt;

use rules::{Role, ShakmatyPosition as _};
use serde::Serialize;

use super::{ImitationNetwork, Library, MOST_MOVES, lessons, move_number};
use crate::{
    games::{PackedMove, Phase},
    net::TowerOnDevice,
};

/// How often a network's first choice was what was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Matches {
    /// Positions judged.
    pub positions: u64,
    /// Of them, those in which the first choice was played …
    pub right: u64,
    /// … or one of the first three.
    pub first_three: u64,
    /// Positions judged that occur in no training game.
    pub unseen: u64,
    /// Of them, those in which the first choice was played …
    pub unseen_right: u64,
    /// … or one of the first three.
    pub unseen_first_three: u64,
}

/// All that was found out.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Judging {
    /// Over all positions.
    pub matches: Matches,
    /// Over some of them, which overlap: by phase, by the piece that moved, by the mover's rating, and without the first
    /// plies.
    pub groups: Vec<(String, Matches)>,
    /// How likely it held its first choice, and how often that was played.
    pub moves: Calibration,
    /// The score it expected, and the one that came.
    pub endings: Calibration,
    /// Where it was surest of a move that was not played, the surest first.
    pub surest: Vec<Mistake>,
}

/// What was expected beside what came, by tenths of what was expected.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Calibration {
    /// From nothing to certainty.
    pub tenths: [Tenth; 10],
}

/// The cases in which something between two tenths was expected.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Tenth {
    /// How many.
    pub count: u64,
    /// What was expected in them, added up.
    pub expected: f64,
    /// What came, added up.
    pub came: f64,
}

/// A position in which a network was sure of another move than the one that was played.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Mistake {
    /// The position.
    pub fen: String,
    /// Its first choice.
    pub choice: String,
    /// How likely it held that.
    pub share: f32,
    /// What was played.
    pub played: String,
    /// How likely it held that.
    pub played_share: f32,
    /// The number of the game in its file, from 1.
    pub game: u64,
    /// Plies played before.
    pub ply: usize,
}

impl Matches {
    fn count(&mut self, rank: usize, unseen: bool) {
        let unseen = u64::from(unseen);
        self.positions += 1;
        self.unseen += unseen;
        if rank == 1 {
            self.right += 1;
            self.unseen_right += unseen;
        }
        if rank <= 3 {
            self.first_three += 1;
            self.unseen_first_three += unseen;
        }
    }
}

impl Calibration {
    fn count(&mut self, expected: f32, came: f64) {
        let tenth = ((10.0 * expected) as usize).min(9);
        let tenth = &mut self.tenths[tenth];
        tenth.count += 1;
        tenth.expected += f64::from(expected);
        tenth.came += came;
    }

    /// The mean distance between what was expected and what came, over all cases.
    pub fn error(&self) -> f64 {
        let cases: u64 = self.tenths.iter().map(|tenth| tenth.count).sum();
        let apart = self.tenths.iter();
        let apart: f64 = apart.map(|tenth| (tenth.expected - tenth.came).abs()).sum();
        apart / cases.max(1) as f64
    }
}

/// The groups of a position.
struct Groups(Vec<(String, Matches)>);

/// Ratings below the first, between two, and from the last on.
const RATINGS: [u16; 4] = [2000, 2200, 2400, 2600];
const ROLES: [(Role, &str); 6] = [
    (Role::Pawn, "pawn moves"),
    (Role::Knight, "knight moves"),
    (Role::Bishop, "bishop moves"),
    (Role::Rook, "rook moves"),
    (Role::Queen, "queen moves"),
    (Role::King, "king moves"),
];

impl Groups {
    fn new() -> Groups {
        let phases = Phase::ALL.iter().map(|phase| phase.to_string());
        let plies = ["from ply 10 on", "from ply 20 on"].map(String::from);
        let pieces = ROLES.iter().map(|(_, name)| (*name).to_owned());
        let ratings = (0..=RATINGS.len()).map(|i| Rated(i).to_string());
        let names = phases.chain(plies).chain(pieces).chain(ratings);
        Groups(names.map(|name| (name, Matches::default())).collect())
    }

    fn count(&mut self, library: &Library, pick: usize, rank: usize, unseen: bool) {
        let positions = library.held_out();
        let packed = positions.as_slice()[pick];
        let (_, ply) = positions.origin(pick);
        let phase = Phase::ALL
            .iter()
            .position(|p| *p == Phase::of(&packed, ply));
        let from = packed.played().from();
        let role = ROLES
            .iter()
            .position(|(role, _)| packed.men(*role).0.contains(from));
        let rating = positions.rating(pick);
        let rating = rating.map(|rating| RATINGS.iter().filter(|&&bound| rating >= bound).count());
        let places = [
            phase,
            (ply >= 10).then_some(3),
            (ply >= 20).then_some(4),
            role.map(|role| 5 + role),
            rating.map(|rating| 5 + ROLES.len() + rating),
        ];
        for place in places.into_iter().flatten() {
            self.0[place].1.count(rank, unseen);
        }
    }
}

/// A range of ratings by its place.
struct Rated(usize);

impl fmt::Display for Rated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => write!(f, "rated below {}", RATINGS[0]),
            i if i == RATINGS.len() => write!(f, "rated {} and more", RATINGS[i - 1]),
            i => write!(f, "rated {} to {}", RATINGS[i - 1], RATINGS[i] - 1),
        }
    }
}

/// Positions that a network judges at a time.
const AT_A_TIME: usize = 256;

/// A mistake by its place: how sure, where, which number was chosen, and how likely the played one was.
type Sure = (f32, usize, i16, f32);

impl Judging {
    /// Judges a network by held-out positions: `most` of them, spread evenly over all; its `surest` mistakes are named.
    pub fn of(
        network: &ImitationNetwork,
        library: &Library,
        most: usize,
        surest: usize,
    ) -> Judging {
        let answers = |sights: &[u64], legal: &[i16]| network.answers(sights, legal, MOST_MOVES);
        Judging::by(answers, library, most, surest)
    }

    /// The same of a tower that answers on a device.
    pub(super) fn on_device(
        tower: &mut dyn TowerOnDevice,
        library: &Library,
        most: usize,
    ) -> Judging {
        let answers = |sights: &[u64], legal: &[i16]| {
            let answered = tower.answer(sights, legal, MOST_MOVES);
            let scores = answered.moves.iter().map(|share| share.ln());
            (scores.collect(), answered.endings)
        };
        Judging::by(answers, library, most, 0)
    }

    /// Judges what gives scores of moves and chances of the ending for boards and their legal moves.
    fn by(
        mut answers: impl FnMut(&[u64], &[i16]) -> (Vec<f32>, Vec<f32>),
        library: &Library,
        most: usize,
        surest: usize,
    ) -> Judging {
        let (mut matches, mut groups) = (Matches::default(), Groups::new());
        let (mut moves, mut endings) = (Calibration::default(), Calibration::default());
        let mut sure: Vec<Sure> = Vec::new();
        for picks in library.spread(most).chunks(AT_A_TIME) {
            let batch = lessons(library.held_out(), picks, MOST_MOVES);
            let (scores, expected) = answers(&batch.sights, &batch.legal);
            for (i, &pick) in picks.iter().enumerate() {
                let legal = &batch.legal[i * MOST_MOVES..][..MOST_MOVES];
                let scores = &scores[i * MOST_MOVES..][..MOST_MOVES];
                let own = scores[batch.played[i] as usize];
                let known = || (0..MOST_MOVES).filter(|&place| legal[place] >= 0);
                // Another move with the same score counts as a better one.
                let rank = known().filter(|&place| scores[place] >= own).count();
                let unseen = library.is_unseen(pick);
                matches.count(rank, unseen);
                groups.count(library, pick, rank, unseen);

                let first = known().max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
                let first = first.expect("a move was played, so there is one");
                let best = scores[first];
                let sum: f32 = known().map(|place| (scores[place] - best).exp()).sum();
                moves.count(1.0 / sum, f64::from(u8::from(rank == 1)));
                if let (&[_, draw, win], ending @ 0..) = (&expected[3 * i..][..3], batch.endings[i])
                {
                    endings.count(win + draw / 2.0, f64::from(ending) / 2.0);
                }
                if rank > 1 {
                    let played = (own - best).exp() / sum;
                    sure.push((1.0 / sum, pick, legal[first], played));
                }
            }
            // The surest first; of equal ones the earlier.
            sure.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            sure.truncate(surest);
        }
        Judging {
            matches,
            groups: groups.0,
            moves,
            endings,
            surest: sure
                .into_iter()
                .map(|sure| mistake(library, sure))
                .collect(),
        }
    }
}

fn mistake(library: &Library, (share, pick, number, played_share): Sure) -> Mistake {
    let positions = library.held_out();
    let packed = positions.as_slice()[pick];
    let position = packed.position();
    let black = position.chess().turn().is_black();
    let san = |number: usize| {
        let of = |m: rules::Move| {
            let m = PackedMove::new(m);
            move_number(if black { m.mirrored() } else { m })
        };
        let found = position
            .legal_moves()
            .into_iter()
            .find(|&m| of(m) == number);
        found.map_or_else(String::new, |m| position.san(m))
    };
    let (game, ply) = positions.origin(pick);
    Mistake {
        fen: position.fen(),
        choice: san(number as usize),
        share,
        played: san(move_number(packed.played())),
        played_share,
        game: u64::from(positions.games()[game]) + 1,
        ply,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calibration_says_how_far_it_is_off() {
        let mut calibration = Calibration::default();
        for came in [1.0, 0.0, 1.0, 1.0] {
            calibration.count(0.75, came);
        }
        assert_eq!(calibration.error(), 0.0);
        calibration.count(1.0, 0.0);
        assert_eq!(calibration.error(), 0.2);
        assert_eq!(calibration.tenths[9].count, 1);
    }

    #[test]
    fn ranges_of_ratings_have_names() {
        let names: Vec<String> = (0..=RATINGS.len()).map(|i| Rated(i).to_string()).collect();
        assert_eq!(names[0], "rated below 2000");
        assert_eq!(names[1], "rated 2000 to 2199");
        assert_eq!(names[4], "rated 2600 and more");
    }
}
