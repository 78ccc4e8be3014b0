//! Random games of few men by the hundred thousand, without a [`Game`](rules::Game) around each.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rules::{
    Board, BoardEnding, Color, FewMenError, FewMenRules, Material, MoveRule, Reason, Rules,
};

use crate::{
    Dice, derived_seed,
    tree::{FewMenTree, Tree as _},
};

/// How many random games ended how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RandomGames {
    /// Games by the reason of their end.
    pub reasons: BTreeMap<Reason, u64>,
    /// Moves played in all of them, both sides' counted.
    pub plies: u64,
}

impl RandomGames {
    /// Plays games from random positions with white to move, both sides playing any legal move.
    ///
    /// The same as a match of `random` against itself, many times faster; the same for the same
    /// seed whatever the number of threads.
    ///
    /// # Errors
    /// When there are pawns or more than five men.
    pub fn play(
        material: Material,
        board: Board,
        rules: Rules,
        games: u64,
        seed: u64,
    ) -> Result<RandomGames, FewMenError> {
        const BATCH: u64 = 1024;
        let tree = FewMenTree::new(FewMenRules::new(material, board)?);
        let batches = games.div_ceil(BATCH);
        Ok((0..batches)
            .into_par_iter()
            .map(|batch| {
                let mut dice = Dice::new(derived_seed(seed, batch));
                let mut sum = RandomGames::default();
                let mut line = Vec::with_capacity(256);
                for _ in batch * BATCH..games.min((batch + 1) * BATCH) {
                    let (reason, plies) = one(&tree, rules, &mut dice, &mut line);
                    *sum.reasons.entry(reason).or_default() += 1;
                    sum.plies += plies;
                }
                sum
            })
            .reduce(RandomGames::default, RandomGames::plus))
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.reasons.values().sum()
    }

    /// How many games ended so.
    pub fn count(&self, reason: Reason) -> u64 {
        self.reasons.get(&reason).copied().unwrap_or(0)
    }

    fn plus(mut self, other: RandomGames) -> RandomGames {
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        self.plies += other.plies;
        self
    }
}

/// One game: how it ended, and after how many plies. `line` is room for its positions.
fn one(tree: &FewMenTree, rules: Rules, dice: &mut Dice, line: &mut Vec<u64>) -> (Reason, u64) {
    let mut men = loop {
        let men = tree.rules.random(Color::White, dice);
        // A position that is over already is no beginning.
        if tree.rules.ending(men, &tree.rules.targets(men)).is_none() {
            break men;
        }
    };
    let occurrences = rules.repetition.occurrences();
    let clock_limit = rules.fifty.plies().unwrap_or(u32::MAX);
    let ply_limit = rules
        .max_moves
        .map_or(u64::MAX, |moves| 2 * u64::from(moves));
    line.clear();
    let (mut clock, mut plies) = (0, 0);
    loop {
        let targets = tree.rules.targets(men);
        match tree.rules.ending(men, &targets) {
            Some(BoardEnding::Checkmate) => return (Reason::Checkmate, plies),
            Some(BoardEnding::Stalemate) => return (Reason::Stalemate, plies),
            Some(BoardEnding::InsufficientMaterial) => {
                return (Reason::InsufficientMaterial, plies);
            }
            None => {}
        }
        if let Some(occurrences) = occurrences {
            let key = tree.key(&men);
            line.push(key);
            let before = line.iter().rev().skip(2).step_by(2);
            if before.filter(|&&past| past == key).count() + 1 >= occurrences {
                let fivefold = rules.repetition == rules::Repetition::Fivefold;
                let reason = if fivefold {
                    Reason::Fivefold
                } else {
                    Reason::Threefold
                };
                return (reason, plies);
            }
        }
        if clock >= clock_limit {
            let fifty = rules.fifty == MoveRule::Fifty;
            let reason = if fifty {
                Reason::FiftyMoves
            } else {
                Reason::SeventyFiveMoves
            };
            return (reason, plies);
        }
        if plies >= ply_limit {
            return (Reason::MoveCap, plies);
        }
        let m = targets.random(dice).expect("the game is not over");
        clock += 1;
        if tree.is_irreversible(&men, m) {
            clock = 0;
            line.clear();
        }
        men = tree.after(&men, m);
        plies += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Match, Openings, PlayerSpec, Random, Running};
    use std::sync::Arc;

    #[test]
    fn they_end_as_often_in_each_way_as_the_games_of_a_match() {
        let material: Material = "KRK".parse().unwrap();
        let board = Board::new(5).unwrap();
        let rules = Rules::default();
        let fast = RandomGames::play(material, board, rules, 20_000, 1).unwrap();
        assert_eq!(fast.games(), 20_000);
        let random = PlayerSpec::new(
            "random",
            crate::Fingerprint::of(["random"]),
            Arc::new(|seed| Box::new(Random::new(seed))),
        );
        let contest = Match::new(
            random.clone(),
            random,
            Openings::random(material, board),
            4_000,
        );
        let mut slow = BTreeMap::new();
        let mut plies = 0.0;
        for record in contest.run(Running::default()).unwrap().records {
            *slow.entry(record.reason).or_insert(0u64) += 1;
            plies += f64::from(record.plies);
        }
        for reason in [
            Reason::Checkmate,
            Reason::Stalemate,
            Reason::InsufficientMaterial,
            Reason::Threefold,
        ] {
            let (p, q) = (
                fast.count(reason) as f64 / 20_000.0,
                slow.get(&reason).copied().unwrap_or(0) as f64 / 4_000.0,
            );
            let error = (p * (1.0 - p) / 4_000.0).sqrt().max(1e-3);
            assert!((p - q).abs() < 5.0 * error, "{reason}: {p} against {q}");
        }
        let mean = fast.plies as f64 / 20_000.0;
        assert!((mean - plies / 4_000.0).abs() < 1.5, "{mean}");
    }
}
