//! One step of looking ahead over all moves: what answers further on say about a position.

use rules::{BoardEnding, FewMen, FewMove};

use crate::Endgame;

/// What the rules alone say about a position with black to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Black is mated.
    Mate,
    /// Stalemate, or black takes the man that white cannot do without.
    Draw,
}

/// What the rules alone say about a position with black to move, if they say anything.
pub fn ended(endgame: &Endgame, men: FewMen) -> Option<Ended> {
    let rules = &endgame.rules;
    let targets = rules.targets(men);
    match rules.ending(men, &targets) {
        Some(BoardEnding::Checkmate) => Some(Ended::Mate),
        Some(_) => Some(Ended::Draw),
        None => {
            let standing = men.others.into_iter().flatten();
            let mut takes = standing.filter(|&square| targets.by_man[0].contains(square));
            let draws = takes
                .any(|to| rules.is_insufficient_material(rules.after(men, FewMove { man: 0, to })));
            draws.then_some(Ended::Draw)
        }
    }
}

/// White's moves to mate from a position with black to move that is not over: the reply that takes
/// longest, white answering each as well as `answer` knows.
///
/// `answer` is asked by the number of a position with black to move; anything above `longest`
/// means "never", and so does `longest + 1`, which is returned for it.
pub fn full_width(endgame: &Endgame, men: FewMen, longest: u8, answer: impl Fn(usize) -> u8) -> u8 {
    let rules = &endgame.rules;
    let never = longest + 1;
    let mut slowest = 0;
    for reply in rules.targets(men).iter() {
        let white = rules.after(men, reply);
        let best = attack(endgame, white, &answer).map_or(never, |(answer, _)| answer);
        slowest = slowest.max(best.saturating_add(1));
        if slowest > longest {
            return never;
        }
    }
    slowest
}

/// White's quickest move by the answers, the first of equal ones.
pub fn attack(
    endgame: &Endgame,
    white: FewMen,
    answer: impl Fn(usize) -> u8,
) -> Option<(u8, FewMove)> {
    let rules = &endgame.rules;
    let moves = rules.targets(white);
    moves
        .iter()
        .map(|m| {
            let (_, _, number) = endgame.index.canonical_and_index(rules.after(white, m));
            (answer(number), m)
        })
        .min_by_key(|&(answer, _)| answer)
}

#[cfg(test)]
mod tests {
    use rules::{Board, Position};

    use super::*;
    use crate::Folding;

    fn endgame(material: &str) -> Endgame {
        let material = material.parse().expect("a signature");
        Endgame::new(material, Board::STANDARD, Folding::Full).expect("few men")
    }

    fn men(endgame: &Endgame, fen: &str) -> FewMen {
        let position = Position::from_fen(fen).expect("a position");
        endgame.rules.compact(&position).expect("compact")
    }

    fn number(endgame: &Endgame, fen: &str) -> usize {
        endgame.index.canonical_and_index(men(endgame, fen)).2
    }

    #[test]
    fn the_rules_end_games_and_nothing_else_does() {
        let krk = endgame("KRK");
        let of = |fen| ended(&krk, men(&krk, fen));
        assert_eq!(of("k6R/8/K7/8/8/8/8/8 b - - 0 1"), Some(Ended::Mate));
        assert_eq!(of("k7/1R6/K7/8/8/8/8/8 b - - 0 1"), Some(Ended::Draw)); // stalemate
        assert_eq!(of("8/8/8/8/8/8/1k6/R6K b - - 0 1"), Some(Ended::Draw)); // takes the rook
        assert_eq!(of("8/8/8/8/8/1k6/R7/1K6 b - - 0 1"), None); // the king protects it
        let kqqk = endgame("KQQK");
        let open = "4Q3/8/8/8/8/8/kQ6/7K b - - 0 1"; // one queen less is still a win
        assert_eq!(ended(&kqqk, men(&kqqk, open)), None);
    }

    #[test]
    fn a_forced_reply_and_a_mate_after_it_are_mate_in_one() {
        let krk = endgame("KRK");
        // The king on a8 has one move, b8, and then the rook mates on h8.
        let before = men(&krk, "k7/7R/1K6/8/8/8/8/8 b - - 0 1");
        let mate = number(&krk, "1k5R/8/1K6/8/8/8/8/8 b - - 0 1");
        let answer = |n: usize| if n == mate { 0 } else { 17 };
        assert_eq!(full_width(&krk, before, 16, answer), 1);
        // Without the mate nothing is known, and nothing becomes of it.
        assert_eq!(full_width(&krk, before, 16, |_| 17), 17);
        assert_eq!(full_width(&krk, before, 16, |_| u8::MAX), 17);
        // The best answer of white's counts, whatever the others are.
        let answer = |n: usize| if n == mate { 7 } else { 9 };
        assert_eq!(full_width(&krk, before, 16, answer), 8);
        // A mate longer than the longest is none.
        assert_eq!(full_width(&krk, before, 16, |_| 16), 17);
    }

    #[test]
    fn the_reply_that_takes_longest_counts() {
        let krk = endgame("KRK");
        let before = men(&krk, "8/8/8/3k4/8/8/7R/K7 b - - 0 1");
        // After Kd4 white can reach anything only at 9, after all other replies at 3.
        let slow = men(&krk, "8/8/8/8/3k4/8/7R/K7 w - - 0 1");
        let slow: Vec<usize> = krk
            .rules
            .targets(slow)
            .iter()
            .map(|m| krk.index.canonical_and_index(krk.rules.after(slow, m)).2)
            .collect();
        let answer = |n: usize| if slow.contains(&n) { 9 } else { 3 };
        assert_eq!(full_width(&krk, before, 16, answer), 10);
        assert_eq!(full_width(&krk, before, 16, |_| 3), 4);
    }
}
