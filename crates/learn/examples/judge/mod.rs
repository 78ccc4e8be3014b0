//! A small exact judge for examples and tests: it knows the truth and never tells a learner.

use learn::{Endgame, Folding};
use rules::{Board, BoardEnding, Color, FewMen, FewMove};

pub const NEVER: u8 = u8::MAX;

/// Exact distances to mate in white's moves, by canonical number.
pub struct Judge {
    pub endgame: Endgame,
    white: Vec<Option<FewMen>>,
    /// Positions that a canonical one stands for, with all men on the board.
    weight: Vec<u8>,
    black_next: Vec<Vec<u32>>,
    pub distance: Vec<u8>,
}

/// What the judge finds about a policy over all won positions with white to move.
#[derive(Debug)]
pub struct Finding {
    pub won: u64,
    pub mated: u64,
    pub excess: u64,
    pub worst: u8,
}

impl Judge {
    pub fn new(material: &str, board: Board) -> Judge {
        let endgame = Endgame::new(material.parse().unwrap(), board, Folding::Full).unwrap();
        let (rules, index) = (&endgame.rules, &endgame.index);
        let states = index.states();
        let at = |n, turn| {
            index
                .position(n, turn)
                .filter(|&men| rules.is_possible(men))
        };
        let white: Vec<_> = (0..states).map(|n| at(n, Color::White)).collect();
        let next = |men: FewMen| -> Vec<u32> {
            let moves = rules.targets(men);
            moves
                .iter()
                .map(|m| index.index(rules.after(men, m)) as u32)
                .collect()
        };
        let mut black = vec![NEVER; states];
        let mut open = Vec::new();
        let mut black_next = vec![Vec::new(); states];
        for n in 0..states {
            let Some(men) = at(n, Color::Black) else {
                continue;
            };
            match rules.ending(men, &rules.targets(men)) {
                Some(BoardEnding::Checkmate) => black[n] = 0,
                Some(_) => {}
                None => {
                    black_next[n] = next(men);
                    open.push(n);
                }
            }
        }
        let mut todo: Vec<(usize, Vec<u32>)> = (0..states)
            .filter_map(|n| {
                let men = white[n]?;
                let over = rules.ending(men, &rules.targets(men)).is_some();
                (!over).then(|| (n, next(men)))
            })
            .collect();
        let mut distance = vec![NEVER; states];
        for moves in 1..NEVER {
            let before = (todo.len(), open.len());
            todo.retain(|(n, next)| {
                let wins = next.iter().any(|&b| black[b as usize] < moves);
                if wins {
                    distance[*n] = moves;
                }
                !wins
            });
            open.retain(|&n| {
                let lost = black_next[n].iter().all(|&w| distance[w as usize] <= moves);
                if lost {
                    black[n] = moves;
                }
                !lost
            });
            if before == (todo.len(), open.len()) {
                break;
            }
        }
        let weight = white
            .iter()
            .map(|men| men.map_or(0, |men| images(&endgame, men)))
            .collect();
        Judge {
            endgame,
            white,
            weight,
            black_next,
            distance,
        }
    }

    /// Plays `policy` against every defence from every won position.
    pub fn certify(&self, mut policy: impl FnMut(FewMen) -> Option<FewMove>) -> Finding {
        let states = self.white.len();
        let (rules, index) = (&self.endgame.rules, &self.endgame.index);
        let reached: Vec<u32> = (0..states)
            .map(|n| match self.white[n] {
                Some(men) if self.distance[n] != NEVER => {
                    policy(men).map_or(u32::MAX, |m| index.index(rules.after(men, m)) as u32)
                }
                _ => u32::MAX,
            })
            .collect();
        let is_mate = |n| {
            let men = index
                .position(n, Color::Black)
                .filter(|&men| rules.is_possible(men));
            men.is_some_and(|men| {
                rules.ending(men, &rules.targets(men)) == Some(BoardEnding::Checkmate)
            })
        };
        let mate: Vec<bool> = (0..states).map(is_mate).collect();
        let mut length = vec![NEVER; states];
        let mut todo: Vec<usize> = (0..states).filter(|&n| reached[n] != u32::MAX).collect();
        for moves in 1..=50u8 {
            let newly: Vec<usize> = todo
                .iter()
                .copied()
                .filter(|&n| {
                    let b = reached[n] as usize;
                    let replies = &self.black_next[b];
                    mate[b]
                        || !replies.is_empty()
                            && replies.iter().all(|&w| length[w as usize] < moves)
                })
                .collect();
            for &n in &newly {
                length[n] = moves;
            }
            todo.retain(|&n| length[n] == NEVER);
        }
        let mut finding = Finding {
            won: 0,
            mated: 0,
            excess: 0,
            worst: 0,
        };
        for (n, &length) in length.iter().enumerate() {
            let weight = u64::from(self.weight[n]);
            if self.distance[n] == NEVER || weight == 0 {
                continue;
            }
            finding.won += weight;
            if length != NEVER {
                finding.mated += weight;
                finding.excess += weight * u64::from(length - self.distance[n]);
                finding.worst = finding.worst.max(length);
            }
        }
        finding
    }
}

fn images(endgame: &Endgame, men: FewMen) -> u8 {
    if men.others.iter().flatten().count() < endgame.rules.others_count() {
        return 0;
    }
    let board = endgame.rules.board();
    let mut seen = Vec::new();
    for symmetry in rules::Symmetry::ALL {
        let image = |square| symmetry.square(board, square);
        let position = (
            image(men.white_king),
            image(men.black_king),
            men.others.map(|s| s.map(image)),
        );
        if !seen.contains(&position) {
            seen.push(position);
        }
    }
    seen.len() as u8
}
