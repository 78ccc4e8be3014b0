//! Games that a small network plays, with a search, against perfect play: where it meets the positions
//! that its own mistakes lead to, and where it shows what it is worth.

use play::{TinyNetwork, features::View};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rules::{BoardEnding, Color, FewMen};

use crate::{
    Endgame, LearnError,
    distances::textbook::{GONE, Textbook, is_whole},
    learner::below,
    learner::go_on,
    runs::record::{Reader, Writer},
};
use std::sync::atomic::AtomicBool;

/// The positions met in such games, time after time. All are kept: with the last few only, the network
/// forgets what it got wrong before.
#[derive(Default)]
pub(crate) struct OwnGames {
    times: Vec<Vec<u32>>,
}

/// The looks ahead that games are played with, in moves of white's, and the games with each.
const LOOKS: [usize; 2] = [3, 4];
const GAMES: usize = 400;
/// Games that only test, always from the same positions, so that chance does not decide between two
/// networks.
const TEST_GAMES: usize = 4_000;
const TEST_LOOK: usize = 4;
/// A game that is not won counts as so many moves.
const NOT_WON: u64 = 200;

/// A position that is not won, and one in which black is mated.
const LOST: f32 = 1e6;
const MATE: f32 = -1000.0;

impl OwnGames {
    /// Plays games with a network and remembers their positions.
    pub fn play(
        &mut self,
        network: &TinyNetwork,
        endgame: &Endgame,
        textbook: &Textbook,
        random: &mut ChaCha8Rng,
        stop: &AtomicBool,
    ) -> Result<(), LearnError> {
        let mut met = Vec::new();
        for look in LOOKS {
            let table = Table::new(network, endgame, textbook, look, stop)?;
            for _ in 0..GAMES {
                go_on(stop)?;
                table.game(random, &mut met);
            }
        }
        self.times.push(met);
        Ok(())
    }

    /// A position of one of the games; `None` while there are none.
    pub fn draw(&self, endgame: &Endgame, random: &mut ChaCha8Rng) -> Option<FewMen> {
        if self.times.is_empty() {
            return None;
        }
        let time = &self.times[below(random, self.times.len())];
        let number = time[below(random, time.len())];
        endgame.index.position(number as usize, Color::White)
    }

    /// Have no games been played yet?
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    pub fn save(&self, out: &mut Writer) {
        out.u64(self.times.len() as u64);
        for time in &self.times {
            out.u32s(time.iter().copied());
        }
    }

    pub fn load(endgame: &Endgame, from: &mut Reader<'_>) -> Result<OwnGames, LearnError> {
        let states = endgame.index.states();
        let mut times = Vec::new();
        for _ in 0..from.u64()? {
            let time: Vec<u32> = from.u32s()?.collect();
            let known = |&number: &u32| (number as usize) < states;
            if time.is_empty() || !time.iter().all(known) {
                return Err(LearnError::Record);
            }
            times.push(time);
        }
        Ok(OwnGames { times })
    }
}

/// How many moves a network takes in games that only test.
pub(crate) fn moves_in_test(
    network: &TinyNetwork,
    endgame: &Endgame,
    textbook: &Textbook,
    stop: &AtomicBool,
) -> Result<u64, LearnError> {
    let table = Table::new(network, endgame, textbook, TEST_LOOK, stop)?;
    let mut same = ChaCha8Rng::seed_from_u64(1);
    let mut moves = |_| {
        go_on(stop)?;
        Ok(table.game(&mut same, &mut Vec::new()).unwrap_or(NOT_WON))
    };
    (0..TEST_GAMES).map(&mut moves).sum()
}

/// What a network with a look ahead thinks of every position with black to move.
struct Table<'a> {
    endgame: &'a Endgame,
    textbook: &'a Textbook,
    behind: Vec<f32>,
}

impl<'a> Table<'a> {
    /// A look of one move of white's is the best of its moves by the guess behind black's best
    /// answer. For all positions at once, a look is made from the one that is a move shorter.
    fn new(
        network: &TinyNetwork,
        endgame: &'a Endgame,
        textbook: &'a Textbook,
        look: usize,
        stop: &AtomicBool,
    ) -> Result<Table<'a>, LearnError> {
        let mut table = Table {
            endgame,
            textbook,
            behind: Vec::new(),
        };
        let Endgame { rules, index } = endgame;
        let guess = |number: usize| {
            let men = index.position(number, Color::White);
            let view = men.and_then(|men| View::of_few_men(rules, men));
            view.map_or(LOST, |view| network.moves(&view))
        };
        let mut values = table.of_won(guess, stop)?;
        for _ in 1..look {
            table.behind = table.after_answers(&values, stop)?;
            values = table.of_won(|number| table.after_best_move(number), stop)?;
        }
        table.behind = table.after_answers(&values, stop)?;
        Ok(table)
    }

    /// A value for each won position, by number; the others do not count.
    fn of_won(
        &self,
        value: impl Fn(usize) -> f32 + Sync,
        stop: &AtomicBool,
    ) -> Result<Vec<f32>, LearnError> {
        let value = |number| match self.textbook.moves_to_mate(number) {
            0 => Ok(LOST),
            _ => {
                go_on(stop)?;
                Ok(value(number))
            }
        };
        let states = 0..self.endgame.index.states();
        states.into_par_iter().map(value).collect()
    }

    /// What black's best answer makes of each position with black to move.
    fn after_answers(&self, values: &[f32], stop: &AtomicBool) -> Result<Vec<f32>, LearnError> {
        let Endgame { rules, index } = self.endgame;
        let worth = |number: usize| {
            let men = index.position(number, Color::Black);
            let men = men.filter(|&men| is_whole(self.endgame, men) && rules.is_possible(men));
            let Some(men) = men else {
                return LOST;
            };
            let targets = rules.targets(men);
            match rules.ending(men, &targets) {
                Some(BoardEnding::Checkmate) => return MATE,
                Some(_) => return LOST,
                None => {}
            }
            let answers = targets.iter().map(|m| {
                let next = rules.after(men, m);
                if !is_whole(self.endgame, next) {
                    return LOST;
                }
                values[index.index(next)]
            });
            answers.fold(MATE, f32::max)
        };
        let worth = |number| {
            go_on(stop)?;
            Ok(worth(number))
        };
        (0..index.states()).into_par_iter().map(worth).collect()
    }

    /// What white's best move makes of a won position.
    fn after_best_move(&self, number: usize) -> f32 {
        let Endgame { rules, index } = self.endgame;
        let Some(men) = index.position(number, Color::White) else {
            return LOST;
        };
        let targets = rules.targets(men);
        let moves = targets
            .iter()
            .map(|m| self.behind[index.index(rules.after(men, m))]);
        moves.fold(LOST, f32::min) + 1.0
    }

    /// Plays one game, white by the value behind its moves and without repeating a position as long
    /// as another move keeps the win, black perfectly; adds its positions to `met`. Returns the moves until
    /// white mates.
    fn game(&self, random: &mut ChaCha8Rng, met: &mut Vec<u32>) -> Option<u64> {
        let Endgame { rules, index } = self.endgame;
        let mut men = self.textbook.draw(self.endgame, false, random);
        let mut left_behind = Vec::new();
        for count in 1..=50 {
            met.push(index.index(men) as u32);
            let targets = rules.targets(men);
            let moves = targets.iter().map(|m| {
                let next = rules.after(men, m);
                let number = index.index(next);
                let value = self.behind[number];
                let old = left_behind.contains(&number) && value < LOST;
                ((value >= LOST, old), value, number, next)
            });
            let best = moves.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let (_, value, number, next) = best?;
            if value <= MATE {
                return Some(count);
            } else if value >= LOST {
                return None;
            }
            left_behind.push(number);
            let mut answers = self.textbook.answers(self.endgame, next);
            let longest = answers.iter().map(|&(label, _)| label).max();
            let longest = longest.filter(|&longest| longest < GONE)?;
            answers.retain(|&(label, _)| label == longest);
            men = answers[below(random, answers.len())].1;
        }
        None
    }
}
