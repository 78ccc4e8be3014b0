//! What a search asks of a network: how good are these positions, and which moves look promising?
//!
//! A search that leads many games at once collects the leaves of all of them and asks once. It
//! knows nothing of devices, planes or weights, and an evaluator knows nothing of trees.

use rules::{Moment, Move};

use crate::Wdl;

/// Judges positions, many at a time.
///
/// ```
/// use play::{Assessments, Evaluator, Leaf, Uniform};
/// use rules::{Game, Position, Rules};
///
/// let game = Game::new(Position::start(), Rules::default());
/// let moments: Vec<_> = game.moments().take(Uniform.history()).collect();
/// let moves = game.standing().moves;
/// let mut assessments = Assessments::default();
/// Uniform.evaluate(&[Leaf { moments: &moments, moves: &moves }], &mut assessments)?;
/// let (chances, priors) = assessments.get(0).expect("one was asked for");
/// assert_eq!(chances.value(), 0.0);
/// assert_eq!(priors, [0.05; 20]);
/// # Ok::<(), play::EvaluatorError>(())
/// ```
pub trait Evaluator: Send {
    /// Replaces `assessments` by one for each position of `batch`, in its order.
    ///
    /// The same batch gives the same answers; the answer about a position may depend in its last
    /// bits on how many are asked about with it.
    ///
    /// # Errors
    /// When the positions are not of a kind it knows, or a device fails.
    fn evaluate(
        &mut self,
        batch: &[Leaf<'_>],
        assessments: &mut Assessments,
    ) -> Result<(), EvaluatorError>;

    /// How many positions of a game it looks at, the one to be judged included. It takes fewer
    /// where the game is shorter, and never looks at more.
    fn history(&self) -> usize {
        1
    }
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn evaluate(
        &mut self,
        batch: &[Leaf<'_>],
        assessments: &mut Assessments,
    ) -> Result<(), EvaluatorError> {
        (**self).evaluate(batch, assessments)
    }

    fn history(&self) -> usize {
        (**self).history()
    }
}

/// A position to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    /// The position and those before it in the game and in the search, the latest first: as
    /// [`Game::moments`](rules::Game::moments) gives them. Never empty.
    pub moments: &'a [Moment<'a>],
    /// Its legal moves, at least one: a game that is over needs no judgement.
    pub moves: &'a [Move],
}

/// How likely the side to move is to win, to draw and to lose; the three add up to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chances {
    /// A win.
    pub win: f32,
    /// A draw.
    pub draw: f32,
    /// A loss.
    pub loss: f32,
}

/// The two numbers of Leela Chess Zero's curve.
const PAWN: f32 = 90.0;
const STEEPNESS: f32 = 1.563_754_1;

impl Chances {
    /// A certain draw.
    pub const DRAW: Chances = Chances {
        win: 0.0,
        draw: 1.0,
        loss: 0.0,
    };

    /// Chances without a draw whose [`Chances::value`] is `value`, from −1 to 1: for networks that
    /// answer with one number.
    pub fn from_value(value: f32) -> Chances {
        let win = (1.0 + value.clamp(-1.0, 1.0)) / 2.0;
        Chances {
            win,
            draw: 0.0,
            loss: 1.0 - win,
        }
    }

    /// The expected result, from −1 (lost) to 1 (won).
    pub fn value(self) -> f32 {
        self.win - self.loss
    }

    /// The expected result in hundredths of a pawn, by the curve Leela Chess Zero uses for it.
    pub fn centipawns(self) -> i32 {
        let expected = self.value().clamp(-0.99, 0.99);
        (PAWN * (STEEPNESS * expected).tan()).round() as i32
    }

    /// The expected result that so many hundredths of a pawn stand for, from −1 to 1.
    pub fn expected(centipawns: i32) -> f32 {
        ((centipawns as f32 / PAWN).atan() / STEEPNESS).clamp(-1.0, 1.0)
    }

    /// In thousandths, as UCI tells them.
    pub fn wdl(self) -> Wdl {
        let thousandths = |chance: f32| (chance * 1000.0).round().clamp(0.0, 1000.0) as u16;
        let win = thousandths(self.win);
        let loss = thousandths(self.loss).min(1000 - win);
        Wdl {
            win,
            draw: 1000 - win - loss,
            loss,
        }
    }

    /// The same position as the other side sees it.
    #[must_use]
    pub fn reversed(self) -> Chances {
        Chances {
            win: self.loss,
            draw: self.draw,
            loss: self.win,
        }
    }
}

/// What an evaluator thinks of a batch. It is filled again and again, so that its memory is kept.
#[derive(Clone, Debug, Default)]
pub struct Assessments {
    chances: Vec<Chances>,
    priors: Vec<f32>,
    /// Where the priors of each position end.
    ends: Vec<usize>,
}

impl Assessments {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.chances.clear();
        self.priors.clear();
        self.ends.clear();
    }

    /// Adds the next position's chances and, in the order of [`Leaf::moves`], the priors of its
    /// moves: how likely each is to be the best, adding up to 1.
    pub fn push(&mut self, chances: Chances, priors: impl IntoIterator<Item = f32>) {
        self.chances.push(chances);
        self.priors.extend(priors);
        self.ends.push(self.priors.len());
    }

    /// The chances and priors of position `index` of the batch.
    pub fn get(&self, index: usize) -> Option<(Chances, &[f32])> {
        let end = *self.ends.get(index)?;
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some((self.chances[index], &self.priors[begin..end]))
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.chances.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.chances.is_empty()
    }
}

/// Why positions could not be judged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the evaluator failed: {0}")]
pub struct EvaluatorError(pub String);

/// Knows nothing: every position is even and every move as likely as the next. What a search is
/// worth by itself, without a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uniform;

impl Evaluator for Uniform {
    fn evaluate(
        &mut self,
        batch: &[Leaf<'_>],
        assessments: &mut Assessments,
    ) -> Result<(), EvaluatorError> {
        assessments.clear();
        for leaf in batch {
            let prior = 1.0 / leaf.moves.len() as f32;
            assessments.push(Chances::DRAW, leaf.moves.iter().map(|_| prior));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rules::{Game, Position, Rules};

    use super::*;

    #[test]
    fn each_position_of_a_batch_finds_its_own_priors() {
        let games: Vec<Game> = ["k7/8/1K6/8/8/8/8/7R b", "k7/8/1K6/8/8/8/8/7R w"]
            .map(|fen| Game::new(Position::from_fen(fen).unwrap(), Rules::default()))
            .into();
        let moves: Vec<_> = games.iter().map(|game| game.standing().moves).collect();
        let moments: Vec<Vec<Moment<'_>>> =
            games.iter().map(|game| game.moments().collect()).collect();
        let batch: Vec<Leaf<'_>> = moments
            .iter()
            .zip(&moves)
            .map(|(moments, moves)| Leaf { moments, moves })
            .collect();
        let mut assessments = Assessments::default();
        assessments.push(Chances::DRAW, [1.0]);
        Uniform.evaluate(&batch, &mut assessments).unwrap();
        assert_eq!(assessments.len(), 2);
        for (index, moves) in moves.iter().enumerate() {
            let (_, priors) = assessments.get(index).unwrap();
            assert_eq!(priors.len(), moves.len());
            assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
        assert!(assessments.get(2).is_none());
    }

    #[test]
    fn chances_are_worth_the_same_to_both_sides() {
        let chances = Chances::from_value(0.5);
        assert_eq!(
            (chances.win, chances.loss, chances.value()),
            (0.75, 0.25, 0.5)
        );
        assert_eq!(chances.reversed().value(), -0.5);
        assert_eq!(Chances::from_value(7.0).value(), 1.0);
        let third = Chances {
            win: 0.3335,
            draw: 0.333,
            loss: 0.3335,
        };
        for (chances, pawns) in [(third, 0), (chances, 89), (chances.reversed(), -89)] {
            let Wdl { win, draw, loss } = chances.wdl();
            assert_eq!(win + draw + loss, 1000);
            assert_eq!(chances.centipawns(), pawns);
        }
    }
}
