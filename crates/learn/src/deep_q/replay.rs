//! What an agent remembers of its games, move by move.

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Color, FewMen, Square};

use crate::{
    LearnError,
    learner::below,
    runs::record::{Reader, Writer},
};

/// A move and what came of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Transition {
    /// The position the agent moved in.
    pub men: FewMen,
    /// Its action.
    pub action: u16,
    /// The reward, of several moves with n-step returns.
    pub reward: f32,
    /// What the value of the next position is multiplied with; 0 when the game was over.
    pub discount: f32,
    /// The position in which it is the agent's turn again.
    pub next: FewMen,
}

/// How strongly an error of the prediction draws attention (Schaul and others 2016) …
const ATTENTION: f64 = 0.6;
/// … and how much of that is taken back when learning.
const CORRECTION: f64 = 0.4;
/// Nothing is forgotten altogether.
const LEAST: f64 = 1e-3;

/// The newest transitions; the oldest give way.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay {
    capacity: usize,
    transitions: Vec<Transition>,
    /// Where the next one goes.
    at: usize,
    /// With priorities: a tree of sums, the transitions its leaves. Empty without.
    sums: Vec<f64>,
    highest: f64,
}

/// Places in the memory, and how much each is to count.
pub struct Sample {
    /// The places.
    pub places: Vec<usize>,
    /// 1 without priorities.
    pub weights: Vec<f32>,
}

impl Replay {
    /// An empty memory.
    pub fn new(capacity: usize, prioritised: bool) -> Replay {
        let leaves = capacity.max(1).next_power_of_two();
        Replay {
            capacity: capacity.max(1),
            transitions: Vec::new(),
            at: 0,
            sums: vec![0.0; if prioritised { 2 * leaves } else { 0 }],
            highest: 1.0,
        }
    }

    /// How many transitions it holds.
    pub fn len(&self) -> usize {
        self.transitions.len()
    }

    /// The transition at a place.
    pub fn get(&self, place: usize) -> &Transition {
        &self.transitions[place]
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Transition> {
        self.transitions.iter()
    }

    /// Remembers a transition.
    pub fn push(&mut self, transition: Transition) {
        if self.transitions.len() < self.capacity {
            self.transitions.push(transition);
        } else {
            self.transitions[self.at] = transition;
        }
        self.set_priority(self.at, self.highest);
        self.at = (self.at + 1) % self.capacity;
    }

    /// Draws places, some maybe twice.
    pub fn sample(&self, count: usize, random: &mut ChaCha8Rng) -> Sample {
        if self.sums.is_empty() {
            return Sample {
                places: (0..count).map(|_| below(random, self.len())).collect(),
                weights: vec![1.0; count],
            };
        }
        let total = self.sums[1];
        let places: Vec<usize> = (0..count)
            .map(|i| {
                // One from each of equal parts, so that a batch is not all of one kind.
                let part = f64::from(random.next_u32()) / 2f64.powi(32);
                self.find((i as f64 + part) / count as f64 * total)
            })
            .collect();
        let leaf = |place: usize| self.sums[self.sums.len() / 2 + place];
        let weight = |&place: &usize| {
            let chance = leaf(place).max(f64::MIN_POSITIVE) / total;
            (1.0 / (self.len() as f64 * chance)).powf(CORRECTION)
        };
        let weights: Vec<f64> = places.iter().map(weight).collect();
        let most = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        Sample {
            weights: weights.iter().map(|w| (w / most) as f32).collect(),
            places,
        }
    }

    /// Takes notice of how far off the predictions at some places were.
    pub fn surprised(&mut self, places: &[usize], off: &[f32]) {
        if self.sums.is_empty() {
            return;
        }
        for (&place, off) in places.iter().zip(off) {
            let priority = (f64::from(off.abs()) + LEAST).powf(ATTENTION);
            self.highest = self.highest.max(priority);
            self.set_priority(place, priority);
        }
    }

    fn set_priority(&mut self, place: usize, priority: f64) {
        if self.sums.is_empty() {
            return;
        }
        let mut node = self.sums.len() / 2 + place;
        self.sums[node] = priority;
        while node > 1 {
            node /= 2;
            self.sums[node] = self.sums[2 * node] + self.sums[2 * node + 1];
        }
    }

    /// The place at which the sum of priorities passes `sum`.
    fn find(&self, mut sum: f64) -> usize {
        let leaves = self.sums.len() / 2;
        let mut node = 1;
        while node < leaves {
            node *= 2;
            if sum >= self.sums[node] && self.sums[node + 1] > 0.0 {
                sum -= self.sums[node];
                node += 1;
            }
        }
        (node - leaves).min(self.len() - 1)
    }

    /// Writes everything.
    pub fn save(&self, out: &mut Writer) {
        out.u64(self.at as u64);
        let mut bytes = Vec::with_capacity(self.len() * SIZE);
        for t in &self.transitions {
            bytes.extend(packed(t.men));
            bytes.extend(packed(t.next));
            bytes.extend(t.action.to_le_bytes());
            bytes.extend(t.reward.to_le_bytes());
            bytes.extend(t.discount.to_le_bytes());
        }
        out.bytes(&bytes);
        out.f64(self.highest);
        let leaves = self.sums.len() / 2;
        let priorities = self.sums.iter().skip(leaves).take(self.len());
        let priorities: Vec<u8> = priorities.flat_map(|p| p.to_le_bytes()).collect();
        out.bytes(&priorities);
    }

    /// Reads what [`Replay::save`] wrote, for a memory of the same capacity.
    ///
    /// # Errors
    /// When the record does not fit.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        let at = usize::try_from(from.u64()?).map_err(|_| LearnError::Record)?;
        let (chunks, rest) = from.bytes()?.as_chunks::<SIZE>();
        self.highest = from.f64()?;
        let (priorities, more) = from.bytes()?.as_chunks::<8>();
        let wanted = if self.sums.is_empty() {
            0
        } else {
            chunks.len()
        };
        let sound = rest.is_empty()
            && more.is_empty()
            && chunks.len() <= self.capacity
            && at < self.capacity
            && priorities.len() == wanted;
        if !sound {
            return Err(LearnError::Record);
        }
        self.transitions = chunks
            .iter()
            .map(|chunk| {
                let (men, rest) = chunk.split_at(MEN);
                let (next, rest) = rest.split_at(MEN);
                Some(Transition {
                    men: unpacked(men)?,
                    next: unpacked(next)?,
                    action: u16::from_le_bytes(rest[..2].try_into().ok()?),
                    reward: f32::from_le_bytes(rest[2..6].try_into().ok()?),
                    discount: f32::from_le_bytes(rest[6..].try_into().ok()?),
                })
            })
            .collect::<Option<_>>()
            .ok_or(LearnError::Record)?;
        self.at = at;
        self.sums.fill(0.0);
        for (place, &priority) in priorities.iter().enumerate() {
            self.set_priority(place, f64::from_le_bytes(priority));
        }
        Ok(())
    }
}

/// Bytes of a position, and of a transition.
const MEN: usize = 6;
const SIZE: usize = 2 * MEN + 10;
/// A man that has been taken.
const TAKEN: u8 = u8::MAX;

fn packed(men: FewMen) -> [u8; MEN] {
    let square = |square: Option<Square>| square.map_or(TAKEN, |s| u32::from(s) as u8);
    let [a, b, c] = men.others.map(square);
    let turn = men.turn.fold_wb(0, 1);
    let (white, black) = (square(Some(men.white_king)), square(Some(men.black_king)));
    [white, black, a, b, c, turn]
}

fn unpacked(bytes: &[u8]) -> Option<FewMen> {
    let &[white, black, a, b, c, turn] = bytes else {
        return None;
    };
    let square = |byte: u8| (byte < 64).then(|| Square::new(byte.into()));
    let maybe = |byte: u8| match byte {
        TAKEN => Some(None),
        byte => square(byte).map(Some),
    };
    Some(FewMen {
        white_king: square(white)?,
        black_king: square(black)?,
        others: [maybe(a)?, maybe(b)?, maybe(c)?],
        turn: if turn == 0 {
            Color::White
        } else {
            Color::Black
        },
    })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    fn transition(i: u16) -> Transition {
        let men = FewMen {
            white_king: Square::new(u32::from(i) % 64),
            black_king: Square::new(63),
            others: [Some(Square::new(17)), None, None],
            turn: Color::White,
        };
        Transition {
            men,
            action: i,
            reward: f32::from(i),
            discount: 0.5,
            next: FewMen {
                turn: Color::Black,
                ..men
            },
        }
    }

    fn filled(count: u16, prioritised: bool) -> Replay {
        let mut replay = Replay::new(10, prioritised);
        (0..count).for_each(|i| replay.push(transition(i)));
        replay
    }

    #[test]
    fn the_oldest_give_way() {
        let replay = filled(13, false);
        assert_eq!(replay.len(), 10);
        let mut actions: Vec<u16> = (0..10).map(|place| replay.get(place).action).collect();
        actions.sort_unstable();
        assert_eq!(actions, (3..13).collect::<Vec<u16>>());
    }

    #[test]
    fn the_same_dice_draw_the_same() {
        for prioritised in [false, true] {
            let replay = filled(13, prioritised);
            let draw = |seed| {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                replay.sample(37, &mut random).places
            };
            assert_eq!(draw(1), draw(1));
            assert_ne!(draw(1), draw(2));
            // Without an opinion everything is drawn about as often.
            let places = draw(3);
            assert!((0..10).all(|place| places.contains(&place)), "{places:?}");
        }
    }

    #[test]
    fn surprises_are_drawn_more_often_and_count_less() {
        let mut replay = filled(8, true);
        replay.surprised(&(0..8).collect::<Vec<_>>(), &[0.1; 8]);
        replay.surprised(&[5], &[-10.0]);
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let sample = replay.sample(1000, &mut random);
        let fives = sample.places.iter().filter(|&&place| place == 5).count();
        // (10 / .1)^.6 = 15.8 times as often as each of the seven others.
        assert!((650..730).contains(&fives), "{fives}");
        let weight = |place| {
            let i = sample.places.iter().position(|&p| p == place);
            sample.weights[i.expect("drawn")]
        };
        assert!((weight(0) - 1.0).abs() < 1e-6 && (weight(5) - 0.333).abs() < 0.01);
    }

    #[test]
    fn saved_and_read_back() {
        for prioritised in [false, true] {
            let mut replay = filled(13, prioritised);
            replay.surprised(&[2, 4], &[3.0, 0.0]);
            let mut out = Writer::default();
            replay.save(&mut out);
            let record = out.into_bytes();
            let mut other = Replay::new(10, prioritised);
            other.load(&mut Reader::new(&record)).expect("sound");
            assert_eq!(other, replay);
            for length in [0, 7, 20, record.len() - 1] {
                let mut other = Replay::new(10, prioritised);
                assert!(other.load(&mut Reader::new(&record[..length])).is_err());
            }
            assert!(
                Replay::new(5, prioritised)
                    .load(&mut Reader::new(&record))
                    .is_err()
            );
        }
    }
}
