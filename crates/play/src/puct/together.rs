//! Many trees, one batch.

use rules::{Moment, Move};

use super::{Puct, PuctError};
use crate::{Assessments, Evaluator, Leaf};

/// One round of many searches: collects up to `leaves_each` leaves of every tree that is not finished,
/// has the evaluator judge all of them at once, and tells the trees. Returns how many were judged; 0
/// when every tree is finished, or when all that was looked at needed no judgement.
///
/// One thread can hold hundreds of games this way and fill a large batch without waiting. No tree
/// learns anything of the others: what it finds does not depend on who is asked about with it, as far
/// as the evaluator's answers do not.
///
/// # Errors
/// When the evaluator fails or memory ends. The trees stay as they were before the round.
///
/// ```
/// use play::{Assessments, Puct, PuctSettings, Uniform, search_together};
/// use rules::{Game, Position, Rules};
///
/// let fens = ["k7/8/1K6/8/8/8/8/7R w", "6k1/5ppp/8/8/8/8/8/R5K1 w"];
/// let mut trees: Vec<Puct> = fens
///     .map(|fen| {
///         let mut tree = Puct::new(PuctSettings::BEST, 1);
///         tree.begin(&Game::new(Position::from_fen(fen).unwrap(), Rules::default()));
///         tree
///     })
///     .into();
/// let mut scratch = Assessments::default();
/// while trees.iter().any(|tree| !tree.is_finished()) {
///     search_together(&mut trees, &mut Uniform, 8, &mut scratch)?;
/// }
/// for tree in &trees {
///     assert_eq!(tree.found().unwrap().mate, Some(1));
/// }
/// # Ok::<(), play::PuctError>(())
/// ```
pub fn search_together<T: AsMut<Puct> + AsRef<Puct>>(
    trees: &mut [T],
    evaluator: &mut dyn Evaluator,
    leaves_each: usize,
    scratch: &mut Assessments,
) -> Result<usize, PuctError> {
    let history = evaluator.history();
    let mut count = 0;
    for tree in trees.iter_mut() {
        count += tree.as_mut().leaves(leaves_each, history)?;
    }
    if count == 0 {
        return Ok(0);
    }
    judge(trees, count, evaluator, scratch)?;
    let mut first = 0;
    for tree in trees.iter_mut() {
        first += tree.as_mut().apply(scratch, first)?;
    }
    Ok(count)
}

/// Has all leaves of all trees judged.
fn judge<T: AsRef<Puct>>(
    trees: &[T],
    count: usize,
    evaluator: &mut dyn Evaluator,
    scratch: &mut Assessments,
) -> Result<(), PuctError> {
    let mut moments: Vec<Moment<'_>> = Vec::with_capacity(count * evaluator.history().max(1));
    let mut parts: Vec<(usize, &[Move])> = Vec::with_capacity(count);
    for tree in trees {
        let waiting = &tree.as_ref().waiting;
        for leaf in 0..waiting.len() {
            moments.extend(waiting.moments(leaf));
            parts.push((moments.len(), waiting.moves(leaf)));
        }
    }
    let mut begin = 0;
    let mut batch: Vec<Leaf<'_>> = Vec::with_capacity(count);
    for (end, moves) in parts {
        batch.push(Leaf {
            moments: &moments[begin..end],
            moves,
        });
        begin = end;
    }
    evaluator.evaluate(&batch, scratch)?;
    if scratch.len() != count {
        return Err(PuctError::Answers);
    }
    Ok(())
}
