use crate::{
    Agent, AgentStanding, Bench, Budget, Cell, Figure, Measure, Measured, PaperError, Playing,
    agent_contest::both_colours, stopwatch,
};

/// What a switch of a learner brings: several trainings with it as it is set here, and as many without. The
/// score against a random mover, its lowest and its highest, points against the learner as it is, and the
/// processor's seconds of a training.
#[derive(Clone, Copy, Debug)]
pub struct AgentSwitch {
    /// The learner with the switch as it is set here.
    pub own: Agent,
    /// The learner as it is; `None` for itself.
    pub base: Option<Agent>,
}

impl AgentSwitch {
    /// Trainings that differ by chance alone.
    fn trainings(budget: Budget) -> u64 {
        budget.pick(1, 1, 3)
    }

    /// Games of each training against a random mover, and against the learner as it is.
    fn games(budget: Budget) -> (u64, u64) {
        (budget.pick(2, 100, 1000), budget.pick(2, 20, 200))
    }

    fn repetitions(agent: Agent, budget: Budget) -> impl Iterator<Item = Agent> {
        (0..AgentSwitch::trainings(budget)).map(move |n| agent.repeated(n))
    }
}

impl Measure for AgentSwitch {
    fn cells(&self) -> usize {
        5
    }

    fn settings(&self, budget: Budget) -> String {
        let (random, base) = AgentSwitch::games(budget);
        let against = match self.base {
            Some(agent) => format!(", {base} against {}", agent.settings(budget)),
            None => String::new(),
        };
        format!(
            "{}, {} trainings, of each the likeliest moves in {random} games against random{against}",
            self.own.settings(budget),
            AgentSwitch::trainings(budget),
        )
    }

    fn agents(&self) -> Vec<Agent> {
        let of = |agent| AgentSwitch::repetitions(agent, Budget::Full);
        of(self.own)
            .chain(self.base.into_iter().flat_map(of))
            .collect()
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let (against_random, against_base) = AgentSwitch::games(bench.budget);
        let random = bench.player("random")?;
        let (mut scores, mut points, mut seconds) = (Vec::new(), Vec::new(), Vec::new());
        let repetitions = AgentSwitch::repetitions(self.own, bench.budget);
        for (n, agent) in repetitions.enumerate() {
            let folder = match agent.train(bench)? {
                Ok(folder) => folder,
                Err(why) => return Ok(Measured::missing(self.cells(), &why)),
            };
            seconds.extend(stopwatch::processor_seconds(&folder));
            let player = |agent| Playing { agent, how: "" }.player(bench, None);
            let Ok(own) = player(agent)? else {
                continue;
            };
            let [white, black] = both_colours(bench, &own, &random, against_random)?;
            scores.push(white.plus(black).score());
            if let Some(base) = self.base
                && let Ok(base) = player(base.repeated(n as u64))?
            {
                points.extend(AgentStanding::points_of_games(
                    bench,
                    &own,
                    &base,
                    against_base,
                )?);
            }
        }
        let alone = |value: Option<f64>| match value {
            Some(value) => Cell::Figure(Figure {
                interval: None,
                ..Figure::exact(value, against_random)
            }),
            None => Cell::Missing("not known".into()),
        };
        Ok(Measured::cells(vec![
            Cell::mean(&scores, "not known"),
            alone(scores.iter().copied().reduce(f64::min)),
            alone(scores.iter().copied().reduce(f64::max)),
            Cell::mean(&points, "it is itself"),
            Cell::mean(&seconds, "not known"),
        ]))
    }
}
