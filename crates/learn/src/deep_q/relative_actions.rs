//! Moves as places in a list that is the same in every position: document Y's relative actions.

use rules::{Board, Color, FewMen, FewMenRules, FewMove, Role, Square, Symmetry, Targets};

/// Straight and diagonal directions, as files and ranks.
const STRAIGHT: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const JUMPS: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];
/// The longest slide.
const FAR: i8 = 7;

/// The actions of a side: its king's eight steps, then each other man's jumps, or its slides by one
/// to seven squares in each direction. White has 36 of them in KRK.
///
/// An action that leads off the board or is not legal keeps its place: whoever chooses it has to
/// learn that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelativeActions {
    color: Color,
    board: Board,
    /// The man, numbered as in [`FewMove::man`], and how far it goes in files and ranks.
    steps: Vec<(u8, i8, i8)>,
}

impl RelativeActions {
    /// The actions of `color`.
    pub fn new(rules: &FewMenRules, color: Color) -> RelativeActions {
        let mut steps = Vec::new();
        let mut add = |man: u8, directions: &[(i8, i8)], far: i8| {
            for &(file, rank) in directions {
                steps.extend((1..=far).map(|n| (man, n * file, n * rank)));
            }
        };
        add(0, &STRAIGHT, 1);
        add(0, &DIAGONAL, 1);
        for (man, piece) in (1..).zip(rules.others()) {
            let Some(piece) = piece.filter(|piece| piece.color == color) else {
                continue;
            };
            match piece.role {
                Role::Knight => add(man, &JUMPS, 1),
                Role::Rook => add(man, &STRAIGHT, FAR),
                Role::Bishop => add(man, &DIAGONAL, FAR),
                _ => {
                    add(man, &STRAIGHT, FAR);
                    add(man, &DIAGONAL, FAR);
                }
            }
        }
        RelativeActions {
            color,
            board: rules.board(),
            steps,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.steps.len()
    }

    /// Where an action leads, legal or not; `None` off the board or for a man that has been taken.
    pub fn to_move(&self, men: FewMen, action: usize) -> Option<FewMove> {
        let &(man, files, ranks) = self.steps.get(action)?;
        let from = match man {
            0 => men.king(self.color),
            man => men.others[usize::from(man) - 1]?,
        };
        let within = |at: u32, by: i8| {
            let to = at as i32 + i32::from(by);
            (0..self.board.size() as i32)
                .contains(&to)
                .then_some(to as u32)
        };
        let file = within(from.file().into(), files)?;
        let rank = within(from.rank().into(), ranks)?;
        Some(FewMove {
            man,
            to: Square::new(8 * rank + file),
        })
    }

    /// The action that a move is.
    pub fn number(&self, men: FewMen, m: FewMove) -> Option<usize> {
        let man = self.steps.iter().position(|step| step.0 == m.man)?;
        let of_man = self.steps[man..].iter().take_while(|step| step.0 == m.man);
        (man..man + of_man.count()).find(|&action| self.to_move(men, action) == Some(m))
    }

    /// The action that points where this one does once the board is turned.
    pub fn turned(&self, action: usize, symmetry: Symmetry) -> Option<usize> {
        let &(man, files, ranks) = self.steps.get(action)?;
        let turned = |files: i8, ranks: i8| {
            let one = |file: u32, rank: u32| {
                let square = symmetry.square(Board::STANDARD, Square::new(8 * rank + file));
                (
                    u32::from(square.file()) as i8,
                    u32::from(square.rank()) as i8,
                )
            };
            // From a corner that the way leads away from.
            let from = |by: i8| if by < 0 { 7 } else { 0 };
            let (f, r) = (from(files), from(ranks));
            let start = one(f, r);
            let end = one((f as i8 + files) as u32, (r as i8 + ranks) as u32);
            (end.0 - start.0, end.1 - start.1)
        };
        let (files, ranks) = turned(files, ranks);
        self.steps
            .iter()
            .position(|&step| step == (man, files, ranks))
    }

    /// The action of another list that means the same: the same way of the man in the same place,
    /// or of the last one where there are fewer.
    pub fn counterpart(&self, action: usize, other: &RelativeActions) -> Option<usize> {
        let &(man, files, ranks) = self.steps.get(action)?;
        let last = other.steps.last().map_or(0, |step| step.0);
        let wanted = (man.min(last), files, ranks);
        other.steps.iter().position(|&step| step == wanted)
    }

    /// The legal actions, in the order of the list; `targets` are the legal moves of `men`.
    pub fn legal(&self, men: FewMen, targets: &Targets) -> impl Iterator<Item = (usize, FewMove)> {
        let actions = (0..self.count()).map(move |action| (action, self.to_move(men, action)));
        actions.filter_map(move |(action, m)| Some((action, m.filter(|&m| targets.contains(m))?)))
    }
}

#[cfg(test)]
mod tests {
    use rules::Position;

    use super::*;

    fn rules(material: &str, size: usize) -> FewMenRules {
        let board = Board::new(size).expect("a size");
        FewMenRules::new(material.parse().expect("a signature"), board).expect("few men")
    }

    #[test]
    fn as_many_as_the_thesis_counts() {
        let count = |material, color| RelativeActions::new(&rules(material, 8), color).count();
        assert_eq!(count("KRK", Color::White), 36);
        assert_eq!(count("KRK", Color::Black), 8);
        assert_eq!(count("KQK", Color::White), 8 + 56);
        assert_eq!(count("KBBK", Color::White), 8 + 28 + 28);
        assert_eq!(count("KBNK", Color::White), 8 + 28 + 8);
        assert_eq!(count("KQKR", Color::Black), 36);
    }

    #[test]
    fn a_corner_has_few_ways_out() {
        let krk = rules("KRK", 8);
        let actions = RelativeActions::new(&krk, Color::White);
        // White king a1, rook b1, black king h8.
        let position = Position::from_fen("7k/8/8/8/8/8/8/KR6 w - - 0 1").expect("a position");
        let men = krk.compact(&position).expect("compact");
        let on_board = (0..36).filter(|&action| actions.to_move(men, action).is_some());
        // King: a2, b2, b1 (its own rook); rook: seven up, six right, one left (its own king).
        assert_eq!(on_board.count(), 3 + 14);
        let legal: Vec<_> = actions.legal(men, &krk.targets(men)).collect();
        assert_eq!(legal.len(), 2 + 13);
        // The first king step is straight up, the rook's first slides go up by one to seven.
        assert_eq!(
            legal[0],
            (
                0,
                FewMove {
                    man: 0,
                    to: Square::A2
                }
            )
        );
        assert_eq!(
            legal[8],
            (
                14,
                FewMove {
                    man: 1,
                    to: Square::B8
                }
            )
        );
        assert_eq!(
            actions.to_move(men, 1),
            Some(FewMove {
                man: 0,
                to: Square::B1
            })
        );
    }

    #[test]
    fn every_legal_move_is_one_action_and_the_other_way_round() {
        use rand::SeedableRng as _;
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(4);
        for (material, size) in [
            ("KRK", 8),
            ("KQK", 5),
            ("KBNK", 8),
            ("KBBK", 6),
            ("KQKR", 8),
        ] {
            let rules = rules(material, size);
            for color in Color::ALL {
                let actions = RelativeActions::new(&rules, color);
                for _ in 0..200 {
                    let men = rules.random(color, &mut random);
                    let targets = rules.targets(men);
                    let legal: Vec<_> = actions.legal(men, &targets).collect();
                    assert_eq!(legal.len(), targets.len());
                    for (action, m) in legal {
                        assert_eq!(actions.number(men, m), Some(action));
                    }
                }
            }
        }
    }

    #[test]
    fn actions_turn_with_the_board() {
        use rand::SeedableRng as _;
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(4);
        for (material, size) in [("KRK", 8), ("KQK", 5), ("KBNK", 6)] {
            let rules = rules(material, size);
            let actions = RelativeActions::new(&rules, Color::White);
            for symmetry in Symmetry::ALL {
                let men = rules.random(Color::White, &mut random);
                let image = crate::deep_q::planes::image(rules.board(), men, symmetry);
                let mut seen = Vec::new();
                for action in 0..actions.count() {
                    let turned = actions.turned(action, symmetry).expect("a way is a way");
                    assert!(!seen.contains(&turned));
                    seen.push(turned);
                    let to = |men, action| actions.to_move(men, action).map(|m| m.to);
                    let expected = to(men, action).map(|to| symmetry.square(rules.board(), to));
                    assert_eq!(to(image, turned), expected);
                }
            }
        }
    }

    #[test]
    fn what_a_queen_knows_of_straight_lines_a_rook_can_use() {
        let of = |material| RelativeActions::new(&rules(material, 8), Color::White);
        let (krk, kqk, kbbk) = (of("KRK"), of("KQK"), of("KBBK"));
        assert!((0..36).all(|action| krk.counterpart(action, &kqk) == Some(action)));
        let found = |action: &usize| kbbk.counterpart(*action, &krk).is_some();
        assert_eq!((0..64).filter(found).count(), 8); // the king's
    }

    #[test]
    fn a_taken_man_does_not_move() {
        let kbbk = rules("KBBK", 8);
        let actions = RelativeActions::new(&kbbk, Color::White);
        let position = Position::from_fen("8/8/8/3k4/8/8/7B/K7 w - - 0 1").expect("a position");
        let men = kbbk.compact(&position).expect("compact");
        assert!((8 + 28..8 + 56).all(|action| actions.to_move(men, action).is_none()));
    }
}
