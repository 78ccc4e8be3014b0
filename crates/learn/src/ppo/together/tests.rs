//! Learners together against the same learners each alone.

use std::thread;

use super::*;
use crate::{
    net::plain::{Mlp, MlpShape},
    ppo::update::{
        learn,
        tests::{batch_of, objective, random},
    },
};

const WIDTH: usize = 24;
const DECISIONS: usize = 130;

fn terms(activation: Activation, each: usize, decisions: usize, minibatch: usize) -> Terms {
    Terms {
        device: "libtorch".into(),
        shifts: 1,
        decisions,
        epochs: 3,
        minibatch,
        width: WIDTH,
        activation,
        value_clip: objective(each).value_clip.to_bits(),
        value_weight: objective(each).value_weight.to_bits(),
        rows_a_move: each,
    }
}

/// A learner, and what differs from one to the next.
struct Own {
    seed: u64,
    inputs: usize,
    moves: usize,
    rate: f64,
    objective: Objective,
}

impl Own {
    fn networks(&self, activation: Activation) -> ActorCritic {
        let shape = |outputs| MlpShape {
            inputs: self.inputs,
            width: WIDTH,
            outputs,
            activation,
        };
        let mut random = random(self.seed);
        let policy = Mlp::random(shape(self.moves), 0.5, &mut random);
        let value = Mlp::random(shape(1), 0.5, &mut random);
        ActorCritic::new(policy, value)
    }

    /// Two iterations, by whatever way to learn.
    fn learn(
        &self,
        terms: &Terms,
        way: impl Fn(&mut ActorCritic, &mut Batch, Pace, &mut ChaCha8Rng) -> Told,
    ) -> (ActorCritic, Told) {
        let mut networks = self.networks(terms.activation);
        let mut random = random(100 + self.seed);
        let pace = Pace {
            epochs: terms.epochs,
            minibatch: terms.minibatch,
            rate: self.rate,
        };
        let mut told = Told::default();
        for iteration in 0..2 + self.seed % 2 {
            let sizes = [self.inputs, self.moves];
            let each = terms.rows_a_move;
            let mut batch = batch_of(sizes, terms.decisions, each, &mut random);
            // The first iteration of some is alone, so that they have more steps behind them.
            let alone = self.seed % 2 == 1 && iteration == 0;
            told = match alone {
                true => self.plainly(&mut networks, &batch, pace, &mut random),
                false => way(&mut networks, &mut batch, pace, &mut random),
            };
        }
        (networks, told)
    }

    fn plainly(
        &self,
        networks: &mut ActorCritic,
        batch: &Batch,
        pace: Pace,
        random: &mut ChaCha8Rng,
    ) -> Told {
        let never = AtomicBool::new(false);
        learn(networks, batch, self.objective, pace, random, &never).expect("not stopped")
    }
}

fn three(each: usize) -> [Own; 3] {
    let own = |seed, inputs, moves, rate, change: fn(&mut Objective)| {
        let mut objective = objective(each);
        change(&mut objective);
        Own {
            seed,
            inputs,
            moves,
            rate,
            objective,
        }
    };
    [
        own(1, 23, 51, 1e-3, |_| {}),
        own(2, 20, 50, 3e-3, |objective| {
            objective.kl = 0.0;
            objective.entropy = 0.0;
        }),
        own(3, 20, 50, 1e-3, |objective| {
            objective.clip = 0.05;
        }),
    ]
}

fn check(terms: &Terms, learners: &[Own]) {
    let seats: Vec<Seat> = learners
        .iter()
        .map(|_| Seat::take(terms.clone()).expect("libtorch"))
        .collect();
    let never = AtomicBool::new(false);
    thread::scope(|scope| {
        for (own, seat) in learners.iter().zip(seats) {
            let never = &never;
            scope.spawn(move || {
                let (alone, told_alone) = own.learn(terms, |networks, batch, pace, random| {
                    own.plainly(networks, batch, pace, random)
                });
                let (together, told) = own.learn(terms, |networks, batch, pace, random| {
                    let told = seat.learn(networks, batch, own.objective, pace, random, never);
                    told.expect("not stopped")
                });
                assert_eq!(alone.steps, together.steps);
                compare("policy", &alone.policy.mlp, &together.policy.mlp);
                compare("critic", &alone.value.mlp, &together.value.mlp);
                let sums = |told: &Told| {
                    [
                        told.policy_loss,
                        told.value_loss,
                        told.entropy,
                        told.kl,
                        told.clipped,
                        told.value_beyond,
                    ]
                };
                assert_eq!(told_alone.decisions, told.decisions);
                for (a, b) in sums(&told_alone).into_iter().zip(sums(&told)) {
                    let close = (a - b).abs() < 1e-3 * a.abs().max(1.0);
                    assert!(close, "{told_alone:?} {told:?}");
                }
            });
        }
    });
}

fn compare(name: &str, alone: &Mlp, together: &Mlp) {
    for (a, b) in [
        (&alone.first, &together.first),
        (&alone.first_bias, &together.first_bias),
        (&alone.second, &together.second),
        (&alone.second_bias, &together.second_bias),
        (&alone.last, &together.last),
        (&alone.last_bias, &together.last_bias),
    ] {
        assert_eq!(a.len(), b.len());
        let pairs = a.iter().zip(b);
        let farthest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(farthest < 1e-4, "{name}: {farthest}");
    }
}

#[test]
fn learners_become_the_same_together_and_alone() {
    for (activation, each) in [(Activation::Tanh, 1), (Activation::Relu, 3)] {
        // Five steps a pass, and two decisions over.
        check(&terms(activation, each, DECISIONS, 25), &three(each));
    }
}

#[test]
fn a_batch_smaller_than_a_minibatch_is_one_step() {
    check(&terms(Activation::Tanh, 1, 20, 128), &three(1)[..1]);
}

#[test]
fn nobody_waits_for_one_who_has_gone_or_stopped() {
    let terms = terms(Activation::Relu, 1, 60, 20);
    let [first, second, _] = three(1);
    let learn = |own: &Own, seat: &Seat, stop: &AtomicBool| {
        let mut networks = own.networks(terms.activation);
        let mut random = random(own.seed);
        let mut batch = batch_of([own.inputs, own.moves], 60, 1, &mut random);
        let pace = Pace {
            epochs: terms.epochs,
            minibatch: terms.minibatch,
            rate: own.rate,
        };
        let objective = own.objective;
        seat.learn(
            &mut networks,
            &mut batch,
            objective,
            pace,
            &mut random,
            stop,
        )
    };
    let never = AtomicBool::new(false);
    let [a, b, c] = [0; 3].map(|_| Seat::take(terms.clone()).expect("libtorch"));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| learn(&first, &a, &never));
        // One is told to stop while it waits, and goes; one leaves without a word.
        let stop = AtomicBool::new(true);
        assert!(matches!(
            learn(&second, &b, &stop),
            Err(LearnError::Stopped)
        ));
        stop.store(false, Ordering::Relaxed);
        thread::scope(|scope| {
            let stopped = scope.spawn(|| learn(&second, &b, &stop));
            thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
            let stopped = stopped.join().expect("no panic");
            assert!(matches!(stopped, Err(LearnError::Stopped)));
        });
        assert!(!waiting.is_finished());
        drop(b);
        assert!(!waiting.is_finished());
        drop(c);
        let told = waiting.join().expect("no panic").expect("taught");
        assert_eq!(told.decisions, 3 * 60);
    });
}
