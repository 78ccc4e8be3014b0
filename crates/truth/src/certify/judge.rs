//! The graph in which one side always plays its policy's move and the other side anything.
//!
//! It is solved like an endgame (see [`crate::attack`]), ply by ply backwards from the mates; only
//! the step of the side with the policy differs: instead of "some move" or "every move" it looks
//! at one.

use std::collections::HashMap;

use rayon::prelude::*;
use rules::{Bitboard, Color, Role, Square};

use super::{
    CertifyError, Choosers, Decision, Stage,
    survey::{PackedMove, Survey, ask},
};
use crate::{
    attack::{LATE, Prepared, mark},
    conversion::{Conversions, NEVER},
    layout::Squares,
    solved::Solved,
    statistics::Statistics,
    view::Change,
};

/// Where a policy's move leads.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// To a numbered position of the same signature.
    Here(u32),
    /// To one that may allow a capture en passant.
    Push {
        place: u32,
        word: u32,
        man: u8,
        to: Square,
    },
    /// To another signature, where mate comes at this ply; [`NEVER`] if it does not.
    There(u8),
}

/// A policy's graph, solved.
pub(crate) struct Judged {
    /// Plies to mate by numbered position, as a table; what takes longer than a byte holds or never
    /// ends in mate reads as a draw.
    pub table: Solved,
    /// White to move: mates that take longer than a byte holds, as word, squares and plies.
    pub late: Vec<(usize, u64, u16)>,
    /// White to move: positions from which mate is not forced.
    pub escape: Vec<u64>,
    /// Black to move: positions in which black is stalemated.
    pub stalemates: Vec<u64>,
    /// Black to move: positions in which a capture saves him for good.
    pub captures: Vec<u64>,
    /// White to move: positions where the policy itself goes to another signature and fails there.
    pub conversions: Vec<u64>,
    /// Where each position with a policy's move leads, if it stays in the signature.
    pub next: Vec<u32>,
    /// For moves that leave the signature: the ply of mate under perfect play from then on.
    pub exact: HashMap<usize, u8>,
}

/// No next position.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Solves the graph of `survey`, the moves of `side`.
pub(crate) fn judge(
    conversions: &Conversions<'_>,
    exact_conversions: &Conversions<'_>,
    side: Color,
    survey: &Survey,
    policy: Choosers<'_>,
    progress: &(dyn Fn(Stage) -> bool + Sync),
) -> Result<Judged, CertifyError> {
    let layout = conversions.layout;
    let mut prepared = Prepared::new(layout, conversions);
    let (stalemates, captures) = dead_ends(conversions, &prepared);
    let follows = follow_passing(conversions, &mut prepared, side, policy)?;

    // Sort the policy's moves by where they lead.
    let nexts: Vec<(usize, Next)> = (0..layout.words)
        .into_par_iter()
        .flat_map_iter(|word| {
            let squares = layout.squares(word);
            let moves = &survey.moves[word * 64..][..64];
            (0..64).filter(|&k| moves[k].is_some()).map(move |k| {
                let king = Square::new(k as u32);
                (
                    word * 64 + k,
                    next(conversions, word, &squares, king, moves[k], side, None),
                )
            })
        })
        .collect();
    let mut here = vec![NOWHERE; layout.words * 64];
    let mut pushes = Vec::new();
    let mut failed_conversions = vec![0u64; layout.words];
    let mut fixed: Vec<Vec<(u32, u64)>> = vec![Vec::new(); 256];
    let mut exact = HashMap::new();
    for (place, next) in nexts {
        let (word, bit) = (place / 64, 1u64 << (place % 64));
        if let Next::There(_) = next {
            let king = Square::new((place % 64) as u32);
            let m = survey.moves[place];
            let squares = layout.squares(word);
            if let Next::There(ply) =
                self::next(exact_conversions, word, &squares, king, m, side, None)
            {
                exact.insert(place, ply);
            }
        }
        match next {
            Next::Here(target) => here[place] = target,
            Next::Push { .. } => pushes.push((place, next)),
            Next::There(NEVER) => failed_conversions[word] |= bit,
            Next::There(ply) => fixed[usize::from(ply)].push((word as u32, bit)),
        }
    }
    let mut lost = std::mem::take(&mut prepared.mates);
    let mut table = Solved {
        layout: layout.clone(),
        white: vec![NEVER; layout.words * 64],
        black: vec![NEVER; layout.words * 64],
        statistics: Statistics::default(),
    };
    for (word, &set) in lost.iter().enumerate() {
        mark(&mut table.black[word * 64..][..64], set, 0);
    }
    // The side with the policy has no other conversions than its own.
    match side {
        Color::White => prepared.wins = fixed,
        Color::Black => {
            prepared.releases = fixed;
            prepared.open.iter_mut().for_each(|open| *open = 0);
        }
    }
    let last = prepared
        .wins
        .iter()
        .chain(&prepared.releases)
        .enumerate()
        .filter(|(_, list)| !list.is_empty())
        .map(|(n, _)| n % 256)
        .max()
        .unwrap_or(0);

    let mut late = Vec::new();
    let mut ply = 0u16;
    let mut quiet = 0;
    while quiet < 2 || usize::from(ply) <= last {
        if !progress(Stage::Judging {
            material: layout.material,
            ply,
        }) {
            return Err(CertifyError::Stopped);
        }
        ply += 1;
        let byte = u8::try_from(ply).unwrap_or(LATE);
        let fresh = match (ply % 2 == 1, side) {
            (true, Color::White) => {
                let before = if byte == LATE {
                    prepared.escape.clone()
                } else {
                    Vec::new()
                };
                settle(&mut prepared, &follows, &lost, byte, side);
                let fresh =
                    white_follows(&mut prepared, &here, &pushes, &lost, &mut table.white, byte);
                for (word, (&old, &new)) in before.iter().zip(&prepared.escape).enumerate() {
                    if old != new {
                        late.push((word, old & !new, ply));
                    }
                }
                fresh
            }
            (true, Color::Black) => prepared.white_ply(&lost, &mut table.white, byte),
            (false, Color::White) => prepared.black_ply(&mut lost, &mut table.black, byte),
            (false, Color::Black) => {
                settle(&mut prepared, &follows, &lost, byte, side);
                black_follows(&prepared, &here, &pushes, &mut lost, &mut table.black, byte)
            }
        };
        quiet = if fresh == 0 { quiet + 1 } else { 0 };
    }
    Ok(Judged {
        table,
        late,
        escape: prepared.escape,
        stalemates,
        captures,
        conversions: failed_conversions,
        next: here,
        exact,
    })
}

/// White plays her policy's moves: what becomes won at this ply?
fn white_follows(
    prepared: &mut Prepared<'_>,
    here: &[u32],
    pushes: &[(usize, Next)],
    lost: &[u64],
    bytes: &mut [u8],
    ply: u8,
) -> u64 {
    let mut fresh = 0;
    let passing = &prepared.passing;
    let mut win = |word: usize, set: u64, escape: &mut u64, bytes: &mut [u8]| {
        let new = *escape & set;
        *escape &= !new;
        mark(&mut bytes[word * 64..][..64], new, ply);
        fresh += u64::from(new.count_ones());
    };
    for (word, set) in std::mem::take(&mut prepared.wins[usize::from(ply)]) {
        let word = word as usize;
        win(word, set, &mut prepared.escape[word], bytes);
    }
    for &(place, next) in pushes {
        if let Next::Push {
            place: target,
            word,
            man,
            to,
        } = next
        {
            let there = lost[target as usize / 64];
            let set = passing.white_push(word as usize, man.into(), to, there, ply);
            if set >> (target % 64) & 1 == 1 {
                let word = place / 64;
                win(word, 1 << (place % 64), &mut prepared.escape[word], bytes);
            }
        }
    }
    fresh
        + prepared
            .escape
            .par_iter_mut()
            .zip(bytes.par_chunks_mut(64))
            .zip(here.par_chunks(64))
            .with_min_len(1024)
            .map(|((escape, bytes), here)| {
                let mut new = 0;
                for king in Bitboard(*escape) {
                    let target = here[usize::from(king)];
                    if target != NOWHERE && lost[target as usize / 64] >> (target % 64) & 1 == 1 {
                        new |= 1 << u32::from(king);
                    }
                }
                *escape &= !new;
                mark(bytes, new, ply);
                u64::from(new.count_ones())
            })
            .sum::<u64>()
}

/// Black plays his policy's moves: what becomes lost at this ply?
fn black_follows(
    prepared: &Prepared<'_>,
    here: &[u32],
    pushes: &[(usize, Next)],
    lost: &mut [u64],
    bytes: &mut [u8],
    ply: u8,
) -> u64 {
    let mut fresh = 0;
    let mut lose = |word: usize, set: u64, lost: &mut u64, bytes: &mut [u8]| {
        let new = set & !*lost;
        *lost |= new;
        mark(&mut bytes[word * 64..][..64], new, ply);
        fresh += u64::from(new.count_ones());
    };
    for &(word, set) in &prepared.releases[usize::from(ply)] {
        let word = word as usize;
        lose(word, set, &mut lost[word], bytes);
    }
    for &(place, next) in pushes {
        if let Next::Push {
            place: target,
            word,
            man,
            to,
        } = next
        {
            let there = prepared.escape[target as usize / 64];
            let set = prepared
                .passing
                .black_push(word as usize, man.into(), to, there, ply);
            if set >> (target % 64) & 1 == 0 {
                let word = place / 64;
                lose(word, 1 << (place % 64), &mut lost[word], bytes);
            }
        }
    }
    fresh
        + lost
            .par_iter_mut()
            .zip(bytes.par_chunks_mut(64))
            .zip(here.par_chunks(64))
            .with_min_len(1024)
            .map(|((lost, bytes), here)| {
                let mut new = 0;
                for (k, &target) in here.iter().enumerate() {
                    if target != NOWHERE
                        && *lost >> k & 1 == 0
                        && prepared.escape[target as usize / 64] >> (target % 64) & 1 == 0
                    {
                        new |= 1u64 << k;
                    }
                }
                *lost |= new;
                mark(bytes, new, ply);
                u64::from(new.count_ones())
            })
            .sum::<u64>()
}

/// The black positions, black to move, that end a refutation: stalemates, and captures after which
/// mate is never forced.
fn dead_ends(conversions: &Conversions<'_>, prepared: &Prepared<'_>) -> (Vec<u64>, Vec<u64>) {
    let layout = conversions.layout;
    (0..layout.words)
        .into_par_iter()
        .with_min_len(1024)
        .map(|word| {
            let squares = layout.squares(word);
            let Some(occupied) = layout.occupied(&squares) else {
                return (0, 0);
            };
            let legal = layout.legal_black(&squares, occupied);
            let found = conversions.of(&squares, occupied);
            let saved: Bitboard = (found.replies & legal)
                .into_iter()
                .filter(|&king| found.black[usize::from(king)] == NEVER)
                .collect();
            let stuck = legal.0 & !found.replies.0 & !prepared.open[word] & !prepared.mates[word];
            (stuck, saved.0)
        })
        .unzip()
}

/// Where a policy's move leads.
fn next(
    conversions: &Conversions<'_>,
    word: usize,
    squares: &Squares,
    king: Square,
    m: PackedMove,
    turn: Color,
    passing: Option<Square>,
) -> Next {
    let layout = conversions.layout;
    let (from, to) = (m.from(), m.to());
    let men = 0..layout.slots.len();
    let at = |square: Square| men.clone().find(|&i| squares[i] == square);
    let numbered = |squares: &Squares, king: Square| {
        let (word, symmetry) = layout.locate(squares);
        (word * 64 + usize::from(layout.image(symmetry, king))) as u32
    };
    let ply = |plies: Option<u8>| Next::There(plies.map_or(NEVER, |plies| plies + 1));
    if from == king && turn == Color::Black {
        return match at(to) {
            None => Next::Here(numbered(squares, to)),
            taken => {
                let view = conversions.view(Change {
                    taken,
                    promoted: None,
                });
                ply(view.white(squares, to))
            }
        };
    }
    let man = at(from).expect("a legal move moves a man");
    let mut after = *squares;
    after[man] = to;
    let is_pawn = layout.slots[man].piece.role == Role::Pawn;
    let taken = at(to).or_else(|| {
        // A pawn that goes sideways to an empty square takes in passing.
        (is_pawn && passing == Some(to) && from.file() != to.file())
            .then(|| at(Square::from_coords(to.file(), from.rank())))
            .flatten()
    });
    let promoted = m.promotion().map(|role| (man, role));
    if taken.is_some() || promoted.is_some() {
        let view = conversions.view(Change { taken, promoted });
        return match turn {
            Color::White => ply(view.black(&after, king)),
            Color::Black => ply(view.white(&after, king)),
        };
    }
    let place = numbered(&after, king);
    if is_pawn && from.rank().distance(to.rank()) == 2 {
        // A push never changes the file of the leading pawn, so no symmetry is at work here.
        return Next::Push {
            place,
            word: word as u32,
            man: man as u8,
            to,
        };
    }
    Next::Here(place)
}

/// A double step of the other side, after which the policy may take in passing and is asked what
/// it does.
struct Follow {
    step: (usize, usize),
    king: Square,
    next: Next,
}

/// Asks the policy in every position in which it may take in passing.
fn follow_passing(
    conversions: &Conversions<'_>,
    prepared: &mut Prepared<'_>,
    side: Color,
    policy: Choosers<'_>,
) -> Result<Vec<Follow>, CertifyError> {
    let layout = conversions.layout;
    let mut steps = Vec::new();
    let mut positions = Vec::new();
    for (&(word, man), step) in &mut prepared.passing.steps {
        if layout.slots[man].piece.color == side {
            continue;
        }
        let squares = layout.squares(word);
        for king in layout.legal(!side, &squares) {
            let before = layout.position(&squares, king, !side, rules::Symmetry::IDENTITY);
            let push = before
                .legal_moves()
                .into_iter()
                .find(|m| m.from() == Some(squares[man]) && m.to() == step.to);
            let Some(after) = push.map(|m| before.after(m)) else {
                continue;
            };
            let Some(passing) = after.en_passant() else {
                continue;
            };
            step.asked |= 1 << u32::from(king);
            let mut pushed = squares;
            pushed[man] = step.to;
            steps.push(((word, man), king, pushed, passing));
            positions.push(after);
        }
    }
    let moves = ask(policy, &positions)?;
    let follows = steps.into_iter().zip(moves);
    let follow = |((step, king, pushed, passing), m)| {
        let (there, _) = layout.locate(&pushed);
        Follow {
            step,
            king,
            next: next(conversions, there, &pushed, king, m, side, Some(passing)),
        }
    };
    Ok(follows.map(follow).collect())
}

/// Notes which of the positions in [`follow_passing`] are decided by now.
fn settle(prepared: &mut Prepared<'_>, follows: &[Follow], lost: &[u64], ply: u8, side: Color) {
    for follow in follows {
        let decided = match follow.next {
            Next::There(at) => at != NEVER && at <= ply,
            Next::Here(target) | Next::Push { place: target, .. } => {
                let (word, bit) = (target as usize / 64, target % 64);
                let set = match (side, follow.next) {
                    (Color::White, Next::Push { word, man, to, .. }) => {
                        prepared.passing.white_push(
                            word as usize,
                            man.into(),
                            to,
                            lost[target as usize / 64],
                            ply,
                        )
                    }
                    (Color::White, _) => lost[word],
                    (Color::Black, Next::Push { word, man, to, .. }) => {
                        !prepared.passing.black_push(
                            word as usize,
                            man.into(),
                            to,
                            prepared.escape[target as usize / 64],
                            ply,
                        )
                    }
                    (Color::Black, _) => !prepared.escape[word],
                };
                set >> bit & 1 == 1
            }
        };
        if decided && let Some(step) = prepared.passing.steps.get_mut(&follow.step) {
            step.settled |= 1 << u32::from(follow.king);
        }
    }
}

/// A decision for tests and tables that have no opinion of their own about having seen a position.
impl From<rules::Move> for Decision {
    fn from(mv: rules::Move) -> Decision {
        Decision {
            mv,
            unvisited: false,
        }
    }
}
