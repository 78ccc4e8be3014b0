//! How well the networks know games that they have not learned from.

use rayon::prelude::*;
use rules::{Position, Role, ShakmatyPosition as _, Square};
use serde::{Deserialize, Serialize};

use super::{NETWORKS, SQUARES, SevenNetworks, Sight, network_of, networks::Product};
use crate::{
    games::{PackedMove, PackedPosition},
    imitation::Library,
};

/// What was counted of a network, or of whole moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Marks {
    /// Positions judged.
    pub positions: u64,
    /// Of them, those in which the first choice was played, …
    pub right: u64,
    /// … one of the first three …
    pub first_three: u64,
    /// … or one of the first five.
    pub first_five: u64,
    /// Positions judged that occur in no training game.
    pub unseen: u64,
    /// Of them, those in which the first choice was played, …
    pub unseen_right: u64,
    /// … one of the first three …
    pub unseen_first_three: u64,
    /// … or one of the first five.
    pub unseen_first_five: u64,
    /// Positions in which the first choice was legal: from the square the picker points at there is a
    /// legal move; the piece that moved may go to the square its network points at; the highest
    /// product of all is that of a legal move.
    pub legal: u64,
    /// Positions judged in which the side to move is in check.
    pub in_check: u64,
    /// Of them, those in which the first choice was legal.
    pub legal_in_check: u64,
}

impl Marks {
    fn add(&mut self, other: &Marks) {
        let Marks {
            positions,
            right,
            first_three,
            first_five,
            unseen,
            unseen_right,
            unseen_first_three,
            unseen_first_five,
            legal,
            in_check,
            legal_in_check,
        } = other;
        self.positions += positions;
        self.right += right;
        self.first_three += first_three;
        self.first_five += first_five;
        self.unseen += unseen;
        self.unseen_right += unseen_right;
        self.unseen_first_three += unseen_first_three;
        self.unseen_first_five += unseen_first_five;
        self.legal += legal;
        self.in_check += in_check;
        self.legal_in_check += legal_in_check;
    }

    /// Counts a position: how many answers are at least as high as the right one, that one among them.
    fn count(&mut self, kind: Kind, rank: usize, legal: bool) {
        let Kind { unseen, in_check } = kind;
        let one = |counts: bool| u64::from(counts);
        self.positions += 1;
        self.right += one(rank <= 1);
        self.first_three += one(rank <= 3);
        self.first_five += one(rank <= 5);
        self.unseen += one(unseen);
        self.unseen_right += one(unseen && rank <= 1);
        self.unseen_first_three += one(unseen && rank <= 3);
        self.unseen_first_five += one(unseen && rank <= 5);
        self.legal += one(legal);
        self.in_check += one(in_check);
        self.legal_in_check += one(in_check && legal);
    }
}

/// The marks of seven networks, and of the moves they play together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SevenMarks {
    /// Each network's, in the order of [`NETWORKS`].
    pub networks: [Marks; 7],
    /// Whole moves, compared among the legal ones.
    pub moves: Marks,
}

/// What is said of a position.
#[derive(Clone, Copy)]
struct Kind {
    unseen: bool,
    in_check: bool,
}

/// Positions that networks are asked about at a time.
const AT_A_TIME: usize = 256;

/// Judges networks by held-out positions: `most` of them, spread evenly over all.
pub fn judge(networks: &SevenNetworks, library: &Library, most: usize) -> SevenMarks {
    let picks = library.spread(most);
    let judged: Vec<SevenMarks> = picks
        .par_chunks(AT_A_TIME)
        .map(|picks| judge_some(networks, library, picks))
        .collect();
    let mut all = SevenMarks::default();
    for some in &judged {
        for (sum, marks) in all.networks.iter_mut().zip(&some.networks) {
            sum.add(marks);
        }
        all.moves.add(&some.moves);
    }
    all
}

fn judge_some(networks: &SevenNetworks, library: &Library, picks: &[usize]) -> SevenMarks {
    let positions: Vec<&PackedPosition> = picks
        .iter()
        .map(|&pick| &library.held_out().as_slice()[pick])
        .collect();
    let sights: Vec<Sight> = positions
        .iter()
        .map(|position| Sight::of(position, networks.code()))
        .collect();
    let boards: Vec<Position> = positions.iter().map(|packed| packed.position()).collect();
    let answers: [Vec<f32>; 7] = std::array::from_fn(|network| {
        let competing = |board| networks.code().competing(network, board);
        let competing: Vec<u64> = boards.iter().map(competing).collect();
        networks.network(network).answers(&sights, &competing)
    });
    let mut marks = SevenMarks::default();
    for (i, (packed, position)) in positions.into_iter().zip(&boards).enumerate() {
        let chess = position.chess();
        let kind = Kind {
            unseen: library.is_unseen(picks[i]),
            in_check: chess.is_check(),
        };
        let product = Product {
            networks,
            answers: answers.each_ref().map(|a| &a[i * SQUARES..][..SQUARES]),
            chess,
        };
        let turn = packed.turn();
        let seen = |square: Square| turn.fold_wb(square, square.flip_vertical());
        let played = packed.played();
        // Legal moves as pairs of squares; a pawn that promotes becomes a queen.
        let legal: Vec<_> = position
            .legal_moves()
            .iter()
            .filter(|m| matches!(m.promotion(), None | Some(Role::Queen)))
            .map(|&m| (PackedMove::new(m), product.of(m)))
            .collect();
        let is_legal = |from: Square, to: Square| {
            let mut pairs = legal.iter().map(|(m, _)| (m.from(), m.to()));
            pairs.any(|pair| pair == (from, to))
        };
        for (network, square) in [(0, played.from()), (moved(packed), played.to())] {
            let answers = product.answers[network];
            let own = answers[networks.answer(square, turn)];
            let rank = answers.iter().filter(|&&other| other >= own).count();
            let first = (0..SQUARES as u32)
                .map(Square::new)
                .max_by(|&a, &b| {
                    let of = |square: Square| answers[networks.answer(seen(square), turn)];
                    of(a).total_cmp(&of(b))
                })
                .expect("there are squares");
            let can = match network {
                0 => legal.iter().any(|(m, _)| m.from() == first),
                _ => is_legal(seen(played.from()), first),
            };
            marks.networks[network].count(kind, rank, can);
        }
        let own = legal.iter().find(|(m, _)| {
            (seen(m.from()), seen(m.to()), m.promotion())
                == (played.from(), played.to(), played.promotion())
        });
        // A pawn that became less than a queen is a move that is never found.
        let rank = own.map_or(usize::MAX, |&(_, own)| {
            legal.iter().filter(|&&(_, other)| other >= own).count()
        });
        let (from, to) = product.first_thought();
        marks.moves.count(kind, rank, is_legal(from, to));
    }
    marks
}

/// The network for the piece that was moved.
pub(super) fn moved(position: &PackedPosition) -> usize {
    let from = position.played().from();
    let role = Role::ALL
        .into_iter()
        .find(|&role| position.men(role).0.contains(from));
    // In every position of a file of games a man of the mover's was moved.
    role.map_or(NETWORKS.len() - 1, network_of)
}

/// The first choices of the networks alone, without whole moves: what a curve shows.
pub(super) fn first_choices(
    networks: &SevenNetworks,
    library: &Library,
    most: usize,
) -> [Marks; 7] {
    let picks = library.spread(most);
    std::array::from_fn(|network| {
        let mut marks = Marks::default();
        let own: Vec<usize> = picks
            .iter()
            .copied()
            .filter(|&pick| network == 0 || moved(&library.held_out().as_slice()[pick]) == network)
            .collect();
        for picks in own.chunks(AT_A_TIME) {
            let positions = picks
                .iter()
                .map(|&pick| &library.held_out().as_slice()[pick]);
            let sight = |position| Sight::of(position, networks.code());
            let sights: Vec<Sight> = positions.clone().map(sight).collect();
            let competing: Vec<u64> = positions
                .clone()
                .map(|position| networks.code().competing(network, &position.position()))
                .collect();
            let answers = networks.network(network).answers(&sights, &competing);
            for ((answers, &pick), position) in
                answers.chunks_exact(SQUARES).zip(picks).zip(positions)
            {
                let played = position.played();
                let square = if network == 0 {
                    played.from()
                } else {
                    played.to()
                };
                let own = answers[networks.answer(square, position.turn())];
                let rank = answers.iter().filter(|&&other| other >= own).count();
                let unseen = library.is_unseen(pick);
                let in_check = false;
                marks.count(Kind { unseen, in_check }, rank, false);
            }
        }
        marks
    })
}
