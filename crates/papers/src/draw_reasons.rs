use learn::{ContestResult, ContestRules, Ties};
use rules::Reason;

use crate::{
    Against, Bench, Budget, Cell, Figure, Measure, Measured, PaperError, Training, against::play,
};

/// Why games are drawn, over players trained on several boards: the share of drawn games, then of
/// these the share of stalemate, of the fifty-move rule, of lost pieces, and of repetition.
#[derive(Clone, Copy, Debug)]
pub struct DrawReasons {
    /// One training for each board.
    pub trainings: &'static [Training],
    /// Who defends.
    pub against: Against,
}

/// The reasons in the order of the thesis' columns.
const REASONS: [Reason; 4] = [
    Reason::Stalemate,
    Reason::FiftyMoves,
    Reason::InsufficientMaterial,
    Reason::Threefold,
];

fn rules(budget: Budget) -> ContestRules {
    ContestRules {
        games: budget.pick(5, 200, 1000) as u32,
        max_moves: 50,
        repetition: true,
        ties: Ties::First,
        seed: 0,
    }
}

impl Measure for DrawReasons {
    fn cells(&self) -> usize {
        1 + REASONS.len()
    }

    fn settings(&self, budget: Budget) -> String {
        let trainings: Vec<String> = self
            .trainings
            .iter()
            .map(|training| training.settings(budget))
            .collect();
        format!(
            "{} games on each board against {}, fifty moves of each side, repetitions drawn, the \
             first of equal moves, after: {}",
            rules(budget).games,
            self.against.name(),
            trainings.join("; ")
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let mut all = ContestResult::default();
        for training in self.trainings {
            let trained = training.train(bench)?;
            match play(&trained.policy, self.against, rules(bench.budget), bench)? {
                Ok(result) => all.add(result),
                Err(why) => return Ok(Measured::missing(self.cells(), &why)),
            }
        }
        let drawn: u32 = all.draws.values().sum();
        let share = |count: u32, of: u32| Cell::Figure(Figure::percent(count.into(), of.into()));
        let mut cells = vec![share(drawn, all.games)];
        cells.extend(REASONS.iter().map(|reason| {
            if drawn == 0 {
                return Cell::Missing("no game was drawn".into());
            }
            share(all.draws.get(reason).copied().unwrap_or(0), drawn)
        }));
        Ok(Measured::cells(cells))
    }
}
