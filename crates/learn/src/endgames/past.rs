//! A game in the compact form, as far as its end depends on its past.

use rules::{BoardEnding, Color, FewMen, FewMenRules, Outcome, Reason, Targets};

const CROWDS: usize = 256;

/// The positions of a game so far, by any numbers that tell them apart.
#[derive(Clone, Debug)]
pub struct Past {
    numbers: Vec<u64>,
    /// How many positions of the game fall on each hash: most positions are alone on theirs and
    /// need not be compared with the whole game.
    crowds: Box<[u8; CROWDS]>,
    max_plies: usize,
    repetition: bool,
}

impl Past {
    /// A game that is drawn after `max_moves` moves of each side, and at the third occurrence of a
    /// position if `repetition` says so.
    pub fn new(max_moves: u32, repetition: bool) -> Past {
        Past {
            numbers: Vec::with_capacity(256),
            crowds: Box::new([0; CROWDS]),
            max_plies: 2 * max_moves as usize,
            repetition,
        }
    }

    /// Begins again with a position.
    pub fn restart(&mut self, number: u64) {
        self.numbers.clear();
        self.crowds.fill(0);
        self.push(number);
    }

    /// Plies played.
    pub fn plies(&self) -> usize {
        self.numbers.len() - 1
    }

    fn crowd(&mut self, number: u64) -> &mut u8 {
        &mut self.crowds[number as usize % CROWDS]
    }

    /// Adds a position.
    pub fn push(&mut self, number: u64) {
        self.numbers.push(number);
        let crowd = self.crowd(number);
        *crowd = crowd.saturating_add(1);
    }

    /// Takes the last position back.
    pub fn pop(&mut self) {
        if let Some(number) = self.numbers.pop() {
            // A crowd that has reached 255 stays one: comparing too often does no harm.
            let crowd = self.crowd(number);
            *crowd -= u8::from(*crowd < u8::MAX);
        }
    }

    /// How the game has ended at its last position, if it has.
    #[inline]
    pub fn outcome(&self, rules: &FewMenRules, men: FewMen, targets: &Targets) -> Option<Outcome> {
        match rules.ending(men, targets) {
            Some(BoardEnding::Checkmate) => {
                return Some(Outcome::win(!men.turn, Reason::Checkmate));
            }
            Some(BoardEnding::Stalemate) => return Some(Outcome::draw(Reason::Stalemate)),
            Some(BoardEnding::InsufficientMaterial) => {
                return Some(Outcome::draw(Reason::InsufficientMaterial));
            }
            None => {}
        }
        if self.plies() >= self.max_plies {
            let fifty = self.max_plies == 100;
            let reason = if fifty {
                Reason::FiftyMoves
            } else {
                Reason::MoveCap
            };
            return Some(Outcome::draw(reason));
        }
        (self.repetition && self.occurrences() >= 3).then(|| Outcome::draw(Reason::Threefold))
    }

    /// How often the last position has occurred, with the same side to move.
    #[inline]
    fn occurrences(&self) -> usize {
        let Some(&last) = self.numbers.last() else {
            return 0;
        };
        let crowd = self.crowds[last as usize % CROWDS];
        if crowd < 3 {
            return crowd.into();
        }
        // The side to move alternates, so every second position counts.
        self.numbers
            .iter()
            .rev()
            .step_by(2)
            .filter(|&&number| number == last)
            .count()
    }
}

/// White's result: 1 for a win, 0 for a draw, −1 for a loss.
pub fn result(outcome: Outcome) -> i32 {
    match outcome.winner {
        Some(Color::White) => 1,
        Some(Color::Black) => -1,
        None => 0,
    }
}
