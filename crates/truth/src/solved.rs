//! A whole signature solved: both sides' attacks, in memory.

use rayon::prelude::*;
use rules::{Board, Color, Material, Piece, Square};

use crate::{
    attack::{Attack, Prepared, TooLong},
    conversion::Conversions,
    layout::{Layout, MAX_MEN, Squares},
    statistics::{SideStatistics, Statistics},
    verdict::Verdict,
    view::{BLACK_KING, Tables, assignment},
};

/// Every position of a signature with its distance to mate, uncompressed: one byte a position and
/// side to move.
#[derive(Debug)]
pub struct Solved {
    pub(crate) layout: Layout,
    pub(crate) white: Vec<u8>,
    pub(crate) black: Vec<u8>,
    pub(crate) statistics: Statistics,
}

/// How far a solver has come.
#[derive(Clone, Copy, Debug)]
pub struct SolveProgress {
    /// The signature being solved.
    pub material: Material,
    /// Whose attack is being played out.
    pub attacker: Color,
    /// The distance in plies that was just completed.
    pub ply: u16,
    /// How many numbered positions it decided.
    pub decided: u64,
}

/// Told about every ply; answers whether to go on.
pub type OnProgress<'a> = &'a (dyn Fn(SolveProgress) -> bool + Sync);

impl Solved {
    /// Solves `material`, which must be canonical, with the tables of its successors at hand.
    ///
    /// Needs about 2.4 bytes a numbered position for each side's attack: two for the distances,
    /// the rest for the sets.
    ///
    /// Returns `None` when `progress` asked to stop.
    pub(crate) fn solve(
        material: Material,
        board: Board,
        tables: Tables,
        progress: OnProgress<'_>,
    ) -> Result<Option<Solved>, TooLong> {
        let layout = Layout::new(material, board);
        let other = Layout::new(material.swapped(), board);
        let two_attacks = !material.black.is_bare() && !material.is_symmetric();
        let prepared = Prepared::new(&layout, &Conversions::new(&layout, &tables));
        let prepared_other =
            two_attacks.then(|| Prepared::new(&other, &Conversions::new(&other, &tables)));
        // The successors are large for five men and no longer needed.
        drop(tables);

        let tell = |attacker| {
            move |ply, decided| {
                progress(SolveProgress {
                    material,
                    attacker,
                    ply,
                    decided,
                })
            }
        };
        let Some(attack) = prepared.solve(&tell(Color::White))? else {
            return Ok(None);
        };
        let attack_other = match prepared_other {
            None => None,
            Some(prepared) => match prepared.solve(&tell(Color::Black))? {
                None => return Ok(None),
                found => found,
            },
        };
        Ok(Some(merge(layout, attack, &other, attack_other)))
    }

    /// The signature.
    pub fn material(&self) -> Material {
        self.layout.material
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.layout.board
    }

    /// The counts over the full board.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The byte of a position; illegal ones read as draws.
    #[inline]
    pub(crate) fn byte(&self, turn: Color, squares: &Squares, king: Square) -> u8 {
        let (word, symmetry) = self.layout.locate(squares);
        let place = word * 64 + usize::from(self.layout.image(symmetry, king));
        turn.fold_wb(&self.white, &self.black)[place]
    }
}

/// Joins the attacks of both sides into one table and counts.
fn merge(layout: Layout, attack: Attack, other: &Layout, attack_other: Option<Attack>) -> Solved {
    const CHUNK: usize = 1024;
    let Attack {
        mut white,
        mut black,
    } = attack;
    // Of a symmetric signature black's attack is white's, seen from the other side.
    let mirror = layout.material.is_symmetric().then(|| Attack {
        white: white.clone(),
        black: black.clone(),
    });
    let counter = attack_other
        .or(mirror)
        .filter(|attack| attack.white.iter().any(|&byte| byte != Verdict::DRAW_BYTE));
    let men: Vec<(usize, Piece)> = layout
        .slots
        .iter()
        .enumerate()
        .map(|(i, slot)| (i, slot.piece))
        .collect();
    let from = assignment(&men, other, true);

    let sides = white
        .par_chunks_mut(CHUNK * 64)
        .zip(black.par_chunks_mut(CHUNK * 64))
        .enumerate()
        .map(|(chunk, (white, black))| {
            let mut sides = [SideStatistics::default(), SideStatistics::default()];
            let words = white.chunks_exact_mut(64).zip(black.chunks_exact_mut(64));
            for (i, (white, black)) in words.enumerate() {
                let squares = layout.squares(chunk * CHUNK + i);
                let Some(occupied) = layout.occupied(&squares) else {
                    continue;
                };
                let weight = layout.weight(&squares);
                let legal = [
                    layout.legal_white(&squares, occupied),
                    layout.legal_black(&squares, occupied),
                ];
                if let Some(counter) = &counter {
                    for king in legal[0] | legal[1] {
                        let k = usize::from(king);
                        let undecided = [
                            legal[0].contains(king) && white[k] == Verdict::DRAW_BYTE,
                            legal[1].contains(king) && black[k] == Verdict::DRAW_BYTE,
                        ];
                        if undecided == [false, false] {
                            continue;
                        }
                        let mut there = [Square::A1; MAX_MEN - 1];
                        for (square, &i) in there.iter_mut().zip(&from) {
                            let own = if i == BLACK_KING { king } else { squares[i] };
                            *square = layout.upside_down(own);
                        }
                        let (word, symmetry) = other.locate(&there);
                        let king = layout.upside_down(squares[layout.king]);
                        let place = word * 64 + usize::from(other.image(symmetry, king));
                        // What is black to move for the attacker is white to move here.
                        if undecided[0] {
                            white[k] = counter.black[place];
                        }
                        if undecided[1] {
                            black[k] = counter.white[place];
                        }
                    }
                }
                for (side, (legal, bytes)) in sides
                    .iter_mut()
                    .zip([(legal[0], &*white), (legal[1], &*black)])
                {
                    for king in legal {
                        side.add(bytes[usize::from(king)], weight);
                    }
                }
            }
            sides
        })
        .reduce(Default::default, |a, b| {
            let [aw, ab] = a;
            let [bw, bb] = b;
            [aw.joined(bw), ab.joined(bb)]
        });
    let [white_to_move, black_to_move] = sides.map(|side| side.divided(layout.multiplicity()));
    let statistics = Statistics {
        white_to_move,
        black_to_move,
    };
    Solved {
        layout,
        white,
        black,
        statistics,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Solver;

    /// The classical count "up to symmetry", white to move: each orbit once.
    #[test]
    fn bishop_and_knight_have_the_published_orbits() {
        let material = "KBNK".parse().expect("a signature");
        let solved = Solver::new(Board::STANDARD)
            .solve(material, &|_| true)
            .expect("it can be solved");
        let layout = &solved.layout;
        let (won, drawn) = (0..layout.words)
            .into_par_iter()
            .map(|word| {
                let squares = layout.squares(word);
                let mut counts = (0, 0);
                for king in layout.legal(Color::White, &squares) {
                    if layout.is_first(word, &squares, king) {
                        match solved.white[word * 64 + usize::from(king)] {
                            Verdict::DRAW_BYTE => counts.1 += 1,
                            _ => counts.0 += 1,
                        }
                    }
                }
                counts
            })
            .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        assert_eq!((won, drawn), (1_352_913, 6_665));
    }
}
