//! The update of several learners in one: the same arithmetic as [`update`](super::super::update), over
//! whole tables instead of rows.

use std::thread;

use tch::{Device, Kind, Tensor};

use super::{
    Terms,
    lesson::{Fact, Lesson, Page},
};
use crate::{
    LearnError,
    net::{
        plain::adam::AdamStep,
        torch::{self, Buffer, Layout, Owner, Stack},
    },
    ppo::update::Told,
};

/// Learns all lessons on a device that is reached by `device`, unless everybody has given up. What each
/// has told comes back; the networks are those of the lessons.
///
/// # Errors
/// [`LearnError::Stopped`] when everybody has given up.
pub(super) fn learn<D>(
    terms: &Terms,
    lessons: &mut [Lesson],
    reach: impl FnOnce() -> D,
    given_up: impl Fn() -> bool,
) -> Result<Vec<Told>, LearnError> {
    let device = torch::device(&terms.device)?;
    let most = |of: fn(&Lesson) -> usize| lessons.iter().map(of).max().unwrap_or_default();
    let rows = most(|lesson| lesson.rows.len());
    let layout = Layout::new(lessons.len(), most(Lesson::inputs), terms.width, rows);
    let page = Page {
        layout,
        moves: most(Lesson::most_moves),
        rows_a_move: terms.rows_a_move,
        minibatch: terms.minibatch.min(terms.decisions).max(1),
    };
    let decisions = Decisions::lay_out(page, terms, lessons, device);
    let steps = terms.epochs * (terms.decisions / page.minibatch);
    let schedule: Vec<Vec<AdamStep>> = lessons
        .iter()
        .map(|lesson| {
            let first = lesson.networks.steps + 1;
            let numbers = first..first + steps as u64;
            numbers
                .map(|number| AdamStep::new(number, lesson.pace.rate))
                .collect()
        })
        .collect();
    let mut owners: Vec<Owner<'_>> = lessons
        .iter_mut()
        .map(|lesson| (&mut lesson.networks, &lesson.rows[..]))
        .collect();
    let tables = layout.gather(&mut owners, device);
    drop(owners);

    let (tables, told) = tch::no_grad(|| {
        let objective = Objectives::of(terms, lessons, page.minibatch, device);
        let stack = Stack::new(
            layout,
            terms.activation,
            page.minibatch,
            tables,
            &schedule,
            device,
        );
        let mut update = Update {
            page,
            objective,
            stack,
            value_clip: f64::from_bits(terms.value_clip),
            told: Tensor::zeros([SUMS, lessons.len() as i64], (Kind::Double, device)),
        };
        let there = decisions.send(page, terms, lessons.len());
        // All is there before its turn comes.
        let _reached = reach();
        for epoch in 0..terms.epochs {
            if given_up() {
                return Err(LearnError::Stopped);
            }
            update.pass(&there, epoch);
        }
        let told = update.told.to_device(Device::Cpu).view([-1]);
        let told = Vec::<f64>::try_from(told).expect("sums are numbers");
        Ok((update.stack.fetch(), told))
    })?;

    let mut owners: Vec<Owner<'_>> = Vec::new();
    for lesson in lessons.iter_mut() {
        lesson.networks.steps += steps as u64;
        owners.push((&mut lesson.networks, &lesson.rows));
    }
    layout.scatter(tables, &mut owners);
    let runs = lessons.len();
    let of = |run: usize| {
        let sum = |which: usize| told[which * runs + run];
        Told {
            decisions: (steps * page.minibatch) as u64,
            policy_loss: sum(0),
            value_loss: sum(1),
            entropy: sum(2),
            kl: sum(3),
            clipped: sum(4),
            value_beyond: sum(5),
        }
    };
    Ok((0..runs).map(of).collect())
}

/// Zero is above it, and nothing else that is not.
const JUST_BELOW_ZERO: f64 = -1e-30;
/// The side of moves.
const MOVES: &[i64] = &[2];
/// Sums that are told of each learner.
const SUMS: i64 = 6;

/// The decisions of all lessons in memory that a device reads, …
struct Decisions {
    numbers: Buffer,
    places: Buffer,
    orders: Buffer,
}

/// … and there.
struct There {
    /// A row for each decision of each learner.
    numbers: Tensor,
    places: Tensor,
    /// Rows of both: `[passes, steps, learners, minibatch]`.
    orders: Tensor,
}

impl Decisions {
    fn lay_out(page: Page, terms: &Terms, lessons: &[Lesson], device: Device) -> Decisions {
        let numbers_each = terms.decisions * page.numbers();
        let places_each = terms.decisions * page.places();
        let order_each = lessons.first().map_or(0, |lesson| lesson.order.len());
        let mut numbers = Buffer::of::<f32>(numbers_each * lessons.len(), device);
        let mut places = Buffer::of::<i16>(places_each * lessons.len(), device);
        let mut orders = Buffer::of::<i32>(order_each * lessons.len(), device);
        {
            let numbers = numbers.numbers::<f32>(numbers_each * lessons.len());
            let places = places.numbers::<i16>(places_each * lessons.len());
            let orders = orders.numbers::<i32>(order_each * lessons.len());
            let parts = numbers
                .chunks_mut(numbers_each)
                .zip(places.chunks_mut(places_each))
                .zip(orders.chunks_mut(order_each));
            thread::scope(|scope| {
                for (run, (lesson, ((numbers, places), orders))) in
                    lessons.iter().zip(parts).enumerate()
                {
                    scope.spawn(move || {
                        page.fill(lesson, numbers, places);
                        let first = (run * terms.decisions) as i32;
                        for (to, &sample) in orders.iter_mut().zip(&lesson.order) {
                            *to = first + sample as i32;
                        }
                    });
                }
            });
        }
        Decisions {
            numbers,
            places,
            orders,
        }
    }

    fn send(self, page: Page, terms: &Terms, runs: usize) -> There {
        let [runs, minibatch, decisions] =
            [runs, page.minibatch, terms.decisions].map(|n| n as i64);
        let orders = [runs, terms.epochs as i64, decisions / minibatch, minibatch];
        let orders = self.orders.send::<i32>(&orders);
        There {
            numbers: self
                .numbers
                .send::<f32>(&[runs * decisions, page.numbers() as i64]),
            places: self
                .places
                .send::<i16>(&[runs * decisions, page.places() as i64]),
            orders: orders.permute([1, 2, 0, 3]).contiguous(),
        }
    }
}

/// What the learners make smaller: a number for each, for every decision of a minibatch.
struct Objectives {
    kl: Option<Tensor>,
    /// What entropy is worth, and the opposite.
    entropy: Option<[Tensor; 2]>,
    /// What the critic's error is multiplied by to be its gradient, and the same as a number.
    value: Tensor,
    value_scale: f64,
    /// How far the ratio of chances may leave 1.
    clip: Tensor,
    minibatch: f64,
}

impl Objectives {
    fn of(terms: &Terms, lessons: &[Lesson], minibatch: usize, device: Device) -> Objectives {
        let value_scale = 2.0 * f64::from_bits(terms.value_weight) / minibatch as f64;
        let each = |of: &dyn Fn(&Lesson) -> f64| {
            let numbers: Vec<f32> = lessons.iter().map(|lesson| of(lesson) as f32).collect();
            let sides = [numbers.len() as i64, 1, 1];
            Tensor::from_slice(&numbers).to_device(device).view(sides)
        };
        let scale = 1.0 / minibatch as f64;
        // Most learners do without: then there is nothing to be worked out.
        let some = |of: &dyn Fn(&Lesson) -> f64| {
            let wanted = lessons.iter().any(|lesson| of(lesson) != 0.0);
            wanted.then(|| each(&|lesson| of(lesson) * scale))
        };
        Objectives {
            kl: some(&|lesson| lesson.objective.kl),
            entropy: some(&|lesson| lesson.objective.entropy).map(|worth| {
                let cost = -&worth;
                [worth, cost]
            }),
            value: Tensor::from(value_scale as f32).to_device(device),
            value_scale,
            clip: each(&|lesson| lesson.objective.clip),
            minibatch: minibatch as f64,
        }
    }
}

struct Update {
    page: Page,
    objective: Objectives,
    stack: Stack,
    value_clip: f64,
    /// Sums of what was told, a row for each of [`SUMS`].
    told: Tensor,
}

/// What the steps of a pass have seen, to be summed up after it.
#[derive(Default)]
struct Seen {
    ratios: Vec<Tensor>,
    /// The logarithms of the moves' chances.
    now: Vec<Tensor>,
    expected: Vec<Tensor>,
}

impl Update {
    /// Goes over all decisions once.
    fn pass(&mut self, there: &There, number: usize) {
        let page = self.page;
        let order = there.orders.get(number as i64);
        let (steps, runs, minibatch) = order.size3().expect("steps, learners, decisions");
        let order = order.view([-1]);
        let numbers = there.numbers.index_select(0, &order);
        let numbers = numbers.view([steps, runs, minibatch, -1]);
        let places = there.places.index_select(0, &order).to_kind(Kind::Int64);
        let places = places.view([steps, runs, minibatch, -1]);

        let inputs = page.layout.inputs as i64;
        let moves = page.moves as i64;
        // Policies and critics are shown the same.
        let seen = numbers.narrow(3, 0, inputs).unsqueeze(2);
        let seen = seen.expand([steps, runs, 2, minibatch, inputs], false);
        let seen = seen.reshape([steps, 2 * runs, minibatch, inputs]);
        let old = numbers.narrow(3, inputs, moves).exp();
        let rows = moves * page.rows_a_move as i64;
        let legal = places.narrow(3, 0, rows).contiguous().unbind(0);
        let chosen = places.narrow(3, rows, 1).contiguous().unbind(0);
        let fact = |fact: Fact| numbers.narrow(3, page.fact(fact) as i64, 1).contiguous();
        let (advantage, sense, bound) =
            (fact(Fact::Advantage), fact(Fact::Sense), fact(Fact::Bound));
        let (target, chance) = (fact(Fact::Target), fact(Fact::Chance));
        let (against, against_sense) = (-&advantage, -sense);
        let aim = &target * -self.objective.value_scale;
        let pull_back = self.objective.kl.as_ref().map(|kl| (&old * kl).unbind(0));

        let mut told = Seen::default();
        let rest = [&seen, &against, &against_sense, &bound, &aim, &chance];
        let mut rest = rest.map(|tensor| tensor.unbind(0).into_iter());
        for (step, (legal, chosen)) in legal.iter().zip(&chosen).enumerate() {
            let next = rest
                .each_mut()
                .map(|tensors| tensors.next().expect("as many steps"));
            let [seen, against, against_sense, bound, aim, chance] = next;
            let (scores, expected) = self.stack.forward(&seen);
            let mut scores = scores.gather(2, legal, false);
            if page.rows_a_move > 1 {
                let each = [runs, minibatch, moves, page.rows_a_move as i64];
                let none = None::<Kind>;
                scores = scores
                    .view(each)
                    .sum_dim_intlist([3].as_slice(), false, none);
            }
            let now = scores.log_softmax(2, None);
            let mut gradient = now.exp();
            let ratio = (now.gather(2, chosen, false) - chance).exp_();
            // The gradients of the moves' scores, as `Objective::judge` has them. A push is the opposite of
            // its pull, and nothing where the ratio has gone as far as it may.
            let left = bound.addcmul(&against_sense, &ratio);
            let push = left.threshold_backward(&(&ratio * against), JUST_BELOW_ZERO);
            let mut factor = match &self.objective.kl {
                Some(kl) => kl - &push,
                None => -&push,
            };
            if let Some([worth, cost]) = &self.objective.entropy {
                let certainty = (&gradient * &now).sum_dim_intlist(MOVES, true, None::<Kind>);
                factor = factor.addcmul(cost, &certainty).addcmul(worth, &now);
            }
            let _ = gradient.g_mul_(&factor);
            if let Some(pull_back) = &pull_back {
                let _ = gradient.g_sub_(&pull_back[step]);
            }
            let _ = gradient.scatter_add_(2, chosen, &push);
            self.put(&gradient, legal);

            // Of the critic's error, scaled as its gradient is; nothing beyond the clip.
            let error = aim.addcmul(&expected, &self.objective.value);
            let limit = self.value_clip.sqrt() * self.objective.value_scale;
            let slope = error.hardtanh_backward(&error, -limit, limit);
            self.stack
                .step(&seen, &slope, number * steps as usize + step);

            told.ratios.push(ratio);
            told.now.push(now);
            told.expected.push(expected);
        }
        let certainty = fact(Fact::Certainty);
        self.tell(&told, &old, &advantage, &target, &certainty);
    }

    /// Puts gradients of moves where the gradients of all rows are.
    fn put(&mut self, gradient: &Tensor, legal: &Tensor) {
        let each = self.page.rows_a_move as i64;
        let to_scores = self.stack.gradient_of_scores();
        let _ = to_scores.zero_();
        if each == 1 {
            let _ = to_scores.scatter_(2, legal, gradient);
            return;
        }
        // Several moves may share a row.
        let (runs, minibatch, moves) = gradient.size3().expect("learners, decisions, moves");
        let gradient = gradient
            .unsqueeze(3)
            .expand([runs, minibatch, moves, each], false);
        let gradient = gradient.reshape([runs, minibatch, moves * each]);
        let _ = to_scores.scatter_add_(2, legal, &gradient);
    }

    /// Sums up what a pass has seen.
    fn tell(
        &mut self,
        seen: &Seen,
        old: &Tensor,
        advantage: &Tensor,
        target: &Tensor,
        old_certainty: &Tensor,
    ) {
        let now = Tensor::stack(&seen.now, 0);
        let ratio = Tensor::stack(&seen.ratios, 0);
        let error = Tensor::stack(&seen.expected, 0) - target;
        let squared = error.square();
        let clip = &self.objective.clip;
        let within = ratio.minimum(&(clip + 1.0)).maximum(&(1.0 - clip));
        let advantage = advantage * self.objective.minibatch;
        let gain = (&advantage * &ratio).minimum(&(&advantage * within));
        let sums = [
            -gain,
            squared.clamp_max(self.value_clip),
            -(now.exp() * &now),
            old * now,
            (&ratio - 1.0).abs().gt_tensor(clip),
            squared.gt(self.value_clip),
        ];
        let sum = |each: &Tensor| each.sum_dim_intlist([0, 2, 3].as_slice(), false, Kind::Double);
        let mut sums = sums.each_ref().map(sum);
        sums[3] = sum(old_certainty) - &sums[3];
        self.told += Tensor::stack(&sums, 0);
    }
}
