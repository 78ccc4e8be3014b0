//! What was seen and done, and what it turned out to be worth.

use rules::Color;

use crate::{
    LearnError,
    net::plain::{Lists, extents::Extents},
    runs::record::{Reader, Writer},
};

/// Decisions of one world, in their order.
#[derive(Default)]
pub(super) struct Trace {
    /// What was seen.
    pub inputs: Lists,
    /// The rows of the legal moves, as many for each, with the logarithms of the moves' chances at the
    /// first row of each.
    pub legal: Lists,
    /// The places of the moves that were played.
    pub chosen: Vec<u16>,
    /// Who decided.
    pub movers: Vec<Color>,
    /// For the one who decided, until it decides again; only for the move itself where the other
    /// side's next decision is seen as the opposite of its own.
    pub rewards: Vec<f32>,
    /// Was the game over before the next decision?
    pub ends: Vec<bool>,
    /// Is the other side's next decision part of the trace?
    pub both: Vec<bool>,
    /// What is seen at the decision that comes next, and by whom.
    pub next: Lists,
    pub next_mover: Option<Color>,
}

impl Trace {
    pub fn save(&self, out: &mut Writer) {
        self.inputs.save(out);
        self.legal.save(out);
        out.u32s(self.chosen.iter().map(|&place| place.into()));
        let decisions = self.movers.iter().zip(&self.ends).zip(&self.both);
        let flags = decisions.map(|((mover, &end), &both)| {
            mover.fold_wb(0, 1) | u8::from(end) << 1 | u8::from(both) << 2
        });
        out.bytes(&flags.collect::<Vec<u8>>());
        out.weights(&self.rewards);
        self.next.save(out);
        out.u64(self.next_mover.map_or(2, |mover| mover.fold_wb(0, 1)));
    }

    /// Reads what [`Trace::save`] wrote of so many decisions; it may come from elsewhere, and be
    /// anything.
    ///
    /// # Errors
    /// When the record holds something else.
    pub fn load(
        from: &mut Reader<'_>,
        extents: Extents,
        decisions: usize,
    ) -> Result<Trace, LearnError> {
        let inputs = Lists::load(from, extents.inputs)?;
        let legal = Lists::load(from, extents.rows)?;
        let chosen: Vec<u16> = from.u32s()?.map(|place| place as u16).collect();
        let flags = from.bytes()?;
        let flag = |bit: u8| flags.iter().map(move |flags| flags >> bit & 1 == 1);
        let trace = Trace {
            inputs,
            legal,
            chosen,
            movers: flag(0).map(|black| Color::from_white(!black)).collect(),
            ends: flag(1).collect(),
            both: flag(2).collect(),
            rewards: from.weights(decisions)?,
            next: Lists::load(from, extents.inputs)?,
            next_mover: match from.u64()? {
                0 => Some(Color::White),
                1 => Some(Color::Black),
                _ => return Err(LearnError::Record),
            },
        };
        let lengths = [
            trace.inputs.len(),
            trace.legal.len(),
            trace.chosen.len(),
            flags.len(),
        ];
        let legal = |(i, &place): (usize, &u16)| {
            let rows = trace.legal.rows(i).len();
            rows.is_multiple_of(extents.rows_a_move)
                && usize::from(place) < rows / extents.rows_a_move
        };
        let sound = lengths == [decisions; 4]
            && trace.next.len() == 1
            && trace.chosen.iter().enumerate().all(legal)
            && trace.rewards.iter().all(|reward| reward.is_finite());
        sound.then_some(trace).ok_or(LearnError::Record)
    }
}

/// How advantages are worked out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Discounts {
    /// What the future is worth, a decision away.
    pub gamma: f64,
    /// How far advantages look ahead: 0 one decision, 1 to the end.
    pub lambda: f64,
    /// Is what comes next seen as the opposite of what it is worth to the other side, where both
    /// sides' decisions are known? Otherwise each side waits for its own next decision.
    pub negamax: bool,
}

/// What is to come for one side.
#[derive(Clone, Copy)]
struct Future {
    value: f64,
    advantage: f64,
}

impl Future {
    const NOTHING: Future = Future {
        value: 0.0,
        advantage: 0.0,
    };

    fn opposite(self) -> Future {
        Future {
            value: -self.value,
            advantage: -self.advantage,
        }
    }
}

impl Discounts {
    /// The advantages of a trace's decisions, given what the critic says of each and of the one that
    /// comes next.
    pub fn advantages(&self, trace: &Trace, values: &[f32], next_value: f32) -> Vec<f32> {
        let index = |color: Color| color.fold_wb(0, 1);
        let mut futures = [Future::NOTHING; 2];
        if let Some(mover) = trace.next_mover {
            let future = Future {
                value: next_value.into(),
                advantage: 0.0,
            };
            futures[index(mover)] = future;
            futures[index(!mover)] = future.opposite();
        }
        let mut advantages = vec![0.0; values.len()];
        for i in (0..values.len()).rev() {
            if trace.ends[i] {
                futures = [Future::NOTHING; 2];
            }
            let mover = trace.movers[i];
            let future = futures[index(mover)];
            let (reward, value) = (f64::from(trace.rewards[i]), f64::from(values[i]));
            let error = reward + self.gamma * future.value - value;
            let advantage = error + self.gamma * self.lambda * future.advantage;
            let own = Future { value, advantage };
            futures[index(mover)] = own;
            if self.negamax && trace.both[i] {
                futures[index(!mover)] = own.opposite();
            }
            advantages[i] = advantage as f32;
        }
        advantages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(movers: &[Color], rewards: &[f32], ends: &[bool], both: bool) -> Trace {
        Trace {
            movers: movers.to_vec(),
            rewards: rewards.to_vec(),
            ends: ends.to_vec(),
            both: vec![both; movers.len()],
            next_mover: Some(Color::White),
            ..Trace::default()
        }
    }

    const W: Color = Color::White;
    const B: Color = Color::Black;

    fn close(found: &[f32], right: &[f32]) {
        assert_eq!(found.len(), right.len());
        for (a, b) in found.iter().zip(right) {
            assert!((a - b).abs() < 1e-6, "{found:?} {right:?}");
        }
    }

    #[test]
    fn one_side_alone_is_the_usual_estimate() {
        let trace = trace(&[W, W, W], &[1.0, 0.0, 2.0], &[false, true, false], false);
        let values = [0.5, 0.25, -1.0];
        let discounts = Discounts {
            gamma: 0.9,
            lambda: 0.8,
            negamax: false,
        };
        let last = 2.0 + 0.9 * 3.0 + 1.0;
        let second = 0.0 - 0.25;
        let first = (1.0 + 0.9 * 0.25 - 0.5) + 0.9 * 0.8 * second;
        close(
            &discounts.advantages(&trace, &values, 3.0),
            &[first, second, last],
        );
    }

    #[test]
    fn with_lambda_one_only_rewards_and_the_last_value_count() {
        let trace = trace(&[W; 3], &[1.0, 2.0, 3.0], &[false; 3], false);
        let discounts = Discounts {
            gamma: 0.5,
            lambda: 1.0,
            negamax: false,
        };
        let values = [7.0, -3.0, 11.0];
        let found = discounts.advantages(&trace, &values, 8.0);
        close(
            &found,
            &[
                1.0 + 1.0 + 0.75 + 1.0 - 7.0,
                2.0 + 1.5 + 2.0 + 3.0,
                3.0 + 4.0 - 11.0,
            ],
        );
    }

    #[test]
    fn what_the_other_side_gains_is_lost() {
        // White moves, black mates.
        let trace = trace(&[W, B], &[0.0, 1.0], &[false, true], true);
        let negamax = Discounts {
            gamma: 0.9,
            lambda: 1.0,
            negamax: true,
        };
        close(
            &negamax.advantages(&trace, &[0.25, 0.5], 9.0),
            &[-0.9 - 0.25, 0.5],
        );
        // Without it, what black's mate brings white is a reward of white's own.
        let plain = Discounts {
            negamax: false,
            ..negamax
        };
        let trace = Trace {
            rewards: vec![-1.0, 1.0],
            ..trace
        };
        close(&plain.advantages(&trace, &[0.25, 0.5], 9.0), &[-1.25, 0.5]);
    }
}
