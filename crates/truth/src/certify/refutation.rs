//! What goes wrong with a policy, and the play that shows it.

use std::collections::{HashMap, HashSet, VecDeque};

use rayon::prelude::*;
use rules::{Bitboard, Color, Move, Position, Square, Symmetry};

use super::{
    Outcome,
    judge::NOWHERE,
    report::{FailureKind, Refutation},
};
use crate::{attack::black_escapes, layout::Layout, view::View};

/// Positions looked at before a refutation is given up as too hidden to show.
const SEARCHED: usize = 200_000;
/// The fifty-move rule in plies.
const FIFTY: usize = 100;

/// Which positions, white to move, can be led to which dead end.
pub(crate) struct Kinds {
    stalemate: Vec<u64>,
    piece_lost: Vec<u64>,
    conversion: Vec<u64>,
}

impl Kinds {
    /// The kind of a position from which mate is not forced.
    pub fn of(&self, word: usize, king: Square) -> FailureKind {
        let has = |set: &[u64]| set[word] >> u32::from(king) & 1 == 1;
        if has(&self.stalemate) {
            FailureKind::Stalemate
        } else if has(&self.piece_lost) {
            FailureKind::PieceLost
        } else if has(&self.conversion) {
            FailureKind::Conversion
        } else {
            FailureKind::Cycle
        }
    }
}

/// Finds the kinds of all failures: whatever dead end the defence can steer to.
pub(crate) fn kinds(outcome: &Outcome) -> Kinds {
    let judged = &outcome.judged;
    let none = vec![0; outcome.layout.words];
    Kinds {
        stalemate: reaching(outcome, &judged.stalemates, &none),
        piece_lost: reaching(outcome, &judged.captures, &none),
        conversion: reaching(outcome, &none, &judged.conversions),
    }
}

/// The positions, white to move, from which the defence can reach one of `black` (black to move)
/// or `white` (white to move) while white follows her policy.
fn reaching(outcome: &Outcome, black: &[u64], white: &[u64]) -> Vec<u64> {
    let (layout, judged) = (&outcome.layout, &outcome.judged);
    let mut white = white.to_vec();
    let mut black = black.to_vec();
    loop {
        let changed = white
            .par_iter_mut()
            .zip(&judged.escape)
            .enumerate()
            .with_min_len(1024)
            .map(|(word, (white, &escape))| {
                let mut new = 0;
                for king in Bitboard(escape & !*white) {
                    let target = judged.next[word * 64 + usize::from(king)];
                    if target != NOWHERE && black[target as usize / 64] >> (target % 64) & 1 == 1 {
                        new |= 1 << u32::from(king);
                    }
                }
                *white |= new;
                new != 0
            })
            .reduce(|| false, |a, b| a | b);
        if !changed {
            return white;
        }
        black
            .par_iter_mut()
            .enumerate()
            .with_min_len(1024)
            .for_each(|(word, black)| {
                let squares = layout.squares(word);
                if let Some(occupied) = layout.occupied(&squares) {
                    let legal = layout.legal_black(&squares, occupied);
                    *black |= legal.0
                        & black_escapes(layout, word, &squares, occupied, &white, |_, _, set| set);
                }
            });
    }
}

/// A numbered place for a position of the same signature.
fn place(layout: &Layout, position: &Position) -> usize {
    let (squares, king) = layout.place(position, false);
    let (word, symmetry) = layout.locate(&squares);
    word * 64 + usize::from(layout.image(symmetry, king))
}

/// The position of a place.
fn position(layout: &Layout, place: usize, turn: Color) -> Position {
    let king = Square::new((place % 64) as u32);
    layout.position(&layout.squares(place / 64), king, turn, Symmetry::IDENTITY)
}

/// The play that refutes the policy from a place, white to move.
pub(crate) fn refute(
    outcome: &Outcome,
    values: &View,
    start: usize,
    kind: FailureKind,
) -> Refutation {
    let first = position(&outcome.layout, start, Color::White);
    let (moves, end) = match kind {
        FailureKind::TooLong => (
            slowest(outcome, &first, FIFTY),
            "fifty moves without mate".to_owned(),
        ),
        FailureKind::Cycle => cycle(outcome, &first),
        _ => shortest(outcome, &first, kind),
    };
    refutation(&first, optimal_moves(outcome, values, start), &moves, end)
}

/// The mate that the policy forces from a place, white to move, against the longest resistance.
pub(crate) fn mate(outcome: &Outcome, values: &View, start: usize) -> Refutation {
    let first = position(&outcome.layout, start, Color::White);
    let moves = slowest(outcome, &first, usize::MAX);
    let last = moves.iter().fold(first.clone(), |now, &m| now.after(m));
    let end = match last.is_checkmate() {
        true => "mate",
        false => "the mate is in another endgame",
    };
    let optimal = optimal_moves(outcome, values, start);
    refutation(&first, optimal, &moves, end.to_owned())
}

/// Moves that perfect play needs from a place, white to move.
fn optimal_moves(outcome: &Outcome, values: &View, start: usize) -> u16 {
    let squares = outcome.layout.squares(start / 64);
    let king = Square::new((start % 64) as u32);
    let plies = values.white(&squares, king).unwrap_or_default();
    u16::from(plies).div_ceil(2)
}

fn refutation(first: &Position, optimal_moves: u16, moves: &[Move], end: String) -> Refutation {
    let mut now = first.clone();
    let (mut uci, mut san) = (Vec::new(), Vec::new());
    for &m in moves {
        uci.push(now.uci(m));
        san.push(now.san(m));
        now.play(m);
    }
    Refutation {
        fen: first.fen(),
        optimal_moves,
        uci,
        san,
        end,
    }
}

/// The policy's move in a position, which may be an image of the numbered one.
fn chosen(outcome: &Outcome, here: &Position) -> Option<Move> {
    let layout = &outcome.layout;
    let (squares, king) = layout.place(here, false);
    let (word, symmetry) = layout.locate(&squares);
    let at = word * 64 + usize::from(layout.image(symmetry, king));
    let m = outcome.survey.moves[at];
    if !m.is_some() {
        return None;
    }
    // The table knows the image; turn the move back.
    let back = symmetry.inverse();
    let (from, to) = (layout.image(back, m.from()), layout.image(back, m.to()));
    here.legal_moves()
        .into_iter()
        .find(|l| l.from() == Some(from) && l.to() == to && l.promotion() == m.promotion())
}

/// Is mate forced, black to move?
fn is_lost(outcome: &Outcome, here: &Position) -> bool {
    outcome.judged.table.black[place(&outcome.layout, here)] != u8::MAX
}

/// A line as a chain of links to earlier positions.
struct Link {
    position: Position,
    from: Option<(usize, Move, Move)>,
}

/// The shortest play to a dead end, by breadth-first search over the defence's replies.
fn shortest(outcome: &Outcome, first: &Position, kind: FailureKind) -> (Vec<Move>, String) {
    let layout = &outcome.layout;
    let material = first.material();
    let mut links = vec![Link {
        position: first.clone(),
        from: None,
    }];
    let mut seen = HashSet::from([place(layout, first)]);
    let mut queue = VecDeque::from([0]);
    while let Some(i) = queue.pop_front() {
        let here = links[i].position.clone();
        let Some(m) = chosen(outcome, &here) else {
            continue;
        };
        let after = here.after(m);
        let so_far = line(&links, i);
        let finish = |last: &[Move], end: &str| ([&so_far[..], last].concat(), end.to_owned());
        if after.material() != material {
            if kind == FailureKind::Conversion {
                return finish(&[m], "the policy fails in the endgame this leads to");
            }
            continue;
        }
        if after.is_stalemate() {
            if kind == FailureKind::Stalemate {
                return finish(&[m], "stalemate");
            }
            continue;
        }
        for reply in after.legal_moves() {
            let next = after.after(reply);
            if next.material() != material {
                if kind == FailureKind::PieceLost && reply.is_capture() {
                    return finish(&[m, reply], "the piece is lost");
                }
                continue;
            }
            let at = place(layout, &next);
            let open = outcome.judged.escape[at / 64] >> (at % 64) & 1 == 1;
            if open && seen.insert(at) && links.len() < SEARCHED {
                links.push(Link {
                    position: next,
                    from: Some((i, m, reply)),
                });
                queue.push_back(links.len() - 1);
            }
        }
    }
    (Vec::new(), "the refutation is too long to show".to_owned())
}

/// The moves that led to a link.
fn line(links: &[Link], mut i: usize) -> Vec<Move> {
    let mut pairs = Vec::new();
    while let Some((from, m, reply)) = links[i].from {
        pairs.push([m, reply]);
        i = from;
    }
    pairs.into_iter().rev().flatten().collect()
}

/// Play that never ends: the defence stays where mate is not forced until a position comes back.
fn cycle(outcome: &Outcome, first: &Position) -> (Vec<Move>, String) {
    let layout = &outcome.layout;
    let material = first.material();
    let mut here = first.clone();
    let mut moves = Vec::new();
    let mut seen: HashMap<usize, usize> = HashMap::new();
    loop {
        let move_number = moves.len() / 2 + 1;
        if let Some(&before) = seen.get(&place(layout, &here)) {
            return (
                moves,
                format!("the position of move {before} has come back, up to symmetry"),
            );
        }
        seen.insert(place(layout, &here), move_number);
        let Some(m) = chosen(outcome, &here) else {
            return (moves, "the win is gone".to_owned());
        };
        moves.push(m);
        let after = here.after(m);
        let reply = after
            .legal_moves()
            .into_iter()
            .map(|reply| (reply, after.after(reply)))
            .find(|(_, next)| {
                next.material() == material && {
                    let at = place(layout, next);
                    outcome.judged.escape[at / 64] >> (at % 64) & 1 == 1
                }
            });
        match reply {
            Some((reply, next)) => {
                moves.push(reply);
                here = next;
            }
            None => return (moves, "the win is gone".to_owned()),
        }
    }
}

/// The longest resistance where mate is forced, cut off after so many plies.
fn slowest(outcome: &Outcome, first: &Position, most: usize) -> Vec<Move> {
    let layout = &outcome.layout;
    let material = first.material();
    let mut here = first.clone();
    let mut moves = Vec::new();
    while moves.len() < most {
        let Some(m) = chosen(outcome, &here) else {
            break;
        };
        moves.push(m);
        let after = here.after(m);
        // A byte that reads as a draw is later than any other.
        let reply = after
            .legal_moves()
            .into_iter()
            .filter(|&reply| after.after(reply).material() == material)
            .max_by_key(|&reply| outcome.judged.table.white[place(layout, &after.after(reply))]);
        let Some(reply) = reply else { break };
        moves.push(reply);
        here = after.after(reply);
    }
    moves
}

/// How an attack mates a defence from a position it should have held, black to move.
pub(crate) fn mate_the_defence(outcome: &Outcome, start: usize) -> Refutation {
    let layout = &outcome.layout;
    let first = position(layout, start, Color::Black);
    let material = first.material();
    let mut here = first.clone();
    let mut moves = Vec::new();
    let end = loop {
        if here.is_checkmate() {
            break "mate".to_owned();
        }
        let Some(m) = chosen(outcome, &here) else {
            break "no move".to_owned();
        };
        moves.push(m);
        let after = here.after(m);
        // The mate comes nearer with every move, or a capture or promotion is what brings it:
        // the best of the other moves would then go round in circles.
        let plies = |position: &Position| outcome.judged.table.black[place(layout, position)];
        let best = after
            .legal_moves()
            .into_iter()
            .filter(|&m| after.after(m).material() == material)
            .filter(|&m| is_lost(outcome, &after.after(m)))
            .min_by_key(|&m| plies(&after.after(m)))
            .filter(|&m| plies(&after.after(m)) < plies(&here));
        let Some(best) = best else {
            break "a conversion decides".to_owned();
        };
        moves.push(best);
        here = after.after(best);
    };
    let plies = u16::from(outcome.judged.table.black[start]);
    refutation(&first, plies.div_ceil(2), &moves, end)
}
