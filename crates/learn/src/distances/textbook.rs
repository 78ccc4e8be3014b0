//! The exact answers about an endgame with white to move, as a teacher wants them.

use rand_chacha::ChaCha8Rng;
use rules::{Color, FewMen};
use truth::{Oracle, Verdict};

use crate::{Endgame, LearnError, learner::below, learner::go_on};
use std::sync::atomic::AtomicBool;

/// White's moves to mate in every position of an endgame.
#[derive(Default)]
pub(crate) struct Textbook {
    /// Moves to mate by number of the position; 0 where there is no mate.
    labels: Vec<u8>,
    /// The positions that are won.
    won: Vec<u32>,
    /// The same by distance.
    by_distance: Vec<Vec<u32>>,
}

/// In place of the moves to mate where the win is gone.
pub(crate) const GONE: u8 = u8::MAX;

impl Textbook {
    /// Asks a teacher about every position.
    ///
    /// # Errors
    /// When it does not know the endgame.
    pub fn new(
        endgame: &Endgame,
        teacher: &dyn Oracle,
        stop: &AtomicBool,
    ) -> Result<Textbook, LearnError> {
        let Endgame { rules, index } = endgame;
        let mut labels = vec![0u8; index.states()];
        let mut won = Vec::new();
        for (number, label) in labels.iter_mut().enumerate() {
            go_on(stop)?;
            let men = index.position(number, Color::White);
            let Some(men) = men.filter(|&men| is_whole(endgame, men)) else {
                continue;
            };
            let Ok(position) = rules.position(men) else {
                continue; // two men on one square, or black in check
            };
            match teacher.probe(&position) {
                Some(Verdict::Win { plies }) => {
                    *label = plies.div_ceil(2) as u8;
                    won.push(number as u32);
                }
                Some(_) => {}
                None => return Err(LearnError::NoTeacher),
            }
        }
        if won.is_empty() {
            return Err(LearnError::NoTeacher);
        }
        let longest = labels.iter().copied().max().unwrap_or(0);
        let mut by_distance = vec![Vec::new(); longest.into()];
        for &number in &won {
            by_distance[usize::from(labels[number as usize]) - 1].push(number);
        }
        by_distance.retain(|positions| !positions.is_empty());
        Ok(Textbook {
            labels,
            won,
            by_distance,
        })
    }

    /// Has nobody been asked yet?
    pub fn is_empty(&self) -> bool {
        self.won.is_empty()
    }

    /// The numbers of the positions that are won.
    pub fn won(&self) -> &[u32] {
        &self.won
    }

    /// White's moves to mate in the position of this number; 0 where there is no mate.
    pub fn moves_to_mate(&self, number: usize) -> u8 {
        self.labels[number]
    }

    /// The positions after black's answers, and white's moves to mate in each, or [`GONE`].
    pub fn answers(&self, endgame: &Endgame, men: FewMen) -> Vec<(u8, FewMen)> {
        let targets = endgame.rules.targets(men);
        let answers = targets.iter().map(|m| {
            let next = endgame.after(men, m);
            let label = match is_whole(endgame, next) {
                true => self.labels[endgame.index.index(next)],
                false => 0,
            };
            (if label == 0 { GONE } else { label }, next)
        });
        answers.collect()
    }

    /// The position after black's best answer; `None` when the game ends or the win is gone.
    pub fn best_answer(&self, endgame: &Endgame, men: FewMen) -> Option<FewMen> {
        let answers = self.answers(endgame, men).into_iter();
        let (label, next) = answers.max_by_key(|&(label, _)| label)?;
        (label < GONE).then_some(next)
    }

    /// A won position drawn by lot; `even` draws the distance first, all distances alike.
    pub fn draw(&self, endgame: &Endgame, even: bool, random: &mut ChaCha8Rng) -> FewMen {
        loop {
            let from = match even {
                true => &self.by_distance[below(random, self.by_distance.len())],
                false => &self.won,
            };
            let number = from[below(random, from.len())];
            if let Some(men) = endgame.index.position(number as usize, Color::White) {
                return men;
            }
        }
    }

    /// The position after one of white's best moves and one of black's best answers, each drawn by
    /// lot; `None` when white mates.
    pub fn play_on(
        &self,
        endgame: &Endgame,
        men: FewMen,
        random: &mut ChaCha8Rng,
    ) -> Option<FewMen> {
        let label = self.labels[endgame.index.index(men)];
        let targets = endgame.rules.targets(men);
        let first = below(random, targets.len());
        (0..targets.len()).find_map(|i| {
            let m = targets.nth((first + i) % targets.len());
            let mut answers = self.answers(endgame, endgame.rules.after(men, m));
            let longest = answers.iter().map(|&(label, _)| label).max()?;
            if longest >= label {
                return None;
            }
            answers.retain(|&(label, _)| label == longest);
            Some(answers[below(random, answers.len())].1)
        })
    }
}

/// Are all men on the board?
pub(crate) fn is_whole(endgame: &Endgame, men: FewMen) -> bool {
    !men.others[..endgame.rules.others_count()].contains(&None)
}
