//! Where the tables of several learners lie on top of each other, and how they get there and back.

use tch::Device;

use super::Buffer;
use crate::net::plain::{actor_critic::ActorCritic, mlp_trainer::Aspect};

/// The sizes of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// Learners.
    pub runs: usize,
    /// Inputs of the widest network, with the one that is always one, rounded up.
    pub inputs: usize,
    /// Neurons of a hidden layer.
    pub width: usize,
    /// Rows of the policies' last tables, with one for what is no move and the critic's, rounded up.
    pub rows: usize,
}

/// A learner's networks, and the rows of its policy's last table that matter.
pub(crate) type Owner<'a> = (&'a mut ActorCritic, &'a [u16]);

/// What a move scores that is none: no chance is left of it.
pub(crate) const NO_MOVE: f32 = -1e9;
const ASPECTS: [Aspect; 3] = [Aspect::Weight, Aspect::Mean, Aspect::Square];

impl Layout {
    /// A stack of so many learners, the largest with so many inputs and rows.
    pub fn new(runs: usize, inputs: usize, width: usize, rows: usize) -> Layout {
        Layout {
            runs,
            inputs: round(inputs + 1),
            width,
            rows: round(rows + 2),
        }
    }

    /// Neurons of a layer with the one that is always one, rounded up.
    pub fn padded(&self) -> usize {
        round(self.width + 1)
    }

    /// The input that is always one.
    pub fn one(&self) -> usize {
        self.inputs - 1
    }

    /// The row of what is no move.
    pub fn no_move(&self) -> usize {
        self.rows - 2
    }

    fn critic(&self) -> usize {
        self.rows - 1
    }

    /// Numbers in the first two tables of a network.
    pub fn hidden(&self) -> usize {
        (self.inputs + self.padded()) * self.width
    }

    /// Numbers in the last tables of a learner.
    pub fn last(&self) -> usize {
        self.rows * self.padded()
    }

    /// Numbers of an aspect of all learners.
    pub fn numbers(&self) -> usize {
        self.runs * (2 * self.hidden() + self.last())
    }

    /// Copies a learner's tables to their places, or back. Of the policy's last table there are `rows`.
    fn copy(
        &self,
        networks: &mut ActorCritic,
        rows: &[u16],
        aspect: Aspect,
        hidden: &mut [f32],
        last: &mut [f32],
        back: bool,
    ) {
        let (width, padded) = (self.width, self.padded());
        if !back {
            hidden.fill(0.0);
            last.fill(0.0);
        }
        let exchange = |table: &mut [f32], place: &mut [f32]| match back {
            true => table.copy_from_slice(&place[..table.len()]),
            false => place[..table.len()].copy_from_slice(table),
        };
        let all: Vec<u16> = vec![0];
        let trainers = [
            (&mut networks.policy, rows, 0),
            (&mut networks.value, &all, self.critic()),
        ];
        for ((trainer, rows, begin), hidden) in
            trainers.into_iter().zip(hidden.chunks_mut(self.hidden()))
        {
            let [first, first_bias, second, second_bias, table, biases] =
                trainer.tables_mut(aspect);
            exchange(first, hidden);
            exchange(first_bias, &mut hidden[self.one() * width..]);
            exchange(second, &mut hidden[self.inputs * width..]);
            exchange(second_bias, &mut hidden[(self.inputs + width) * width..]);
            for (place, &row) in (begin..).zip(rows) {
                let (row, place) = (usize::from(row), place * padded);
                let weights = &mut table[row * width..(row + 1) * width];
                exchange(weights, &mut last[place..]);
                exchange(&mut biases[row..=row], &mut last[place + width..]);
            }
        }
        if aspect == Aspect::Weight && !back {
            for place in rows.len()..self.critic() {
                last[place * padded + width] = NO_MOVE;
            }
        }
    }

    /// Copies all tables of learners, each with the rows of its policy's last table, to their places, or
    /// back: for every aspect the hidden layers of all of them, then the last ones.
    fn exchange(&self, learners: &mut [Owner<'_>], numbers: &mut [f32], back: bool) {
        let mut places: Vec<Vec<_>> = learners.iter().map(|_| Vec::new()).collect();
        for (aspect, numbers) in ASPECTS.iter().zip(numbers.chunks_mut(self.numbers())) {
            let (hidden, last) = numbers.split_at_mut(self.runs * 2 * self.hidden());
            let hidden = hidden.chunks_mut(2 * self.hidden());
            let last = last.chunks_mut(self.last());
            for (places, (hidden, last)) in places.iter_mut().zip(hidden.zip(last)) {
                places.push((*aspect, hidden, last));
            }
        }
        // Threads of their own: those of the pool may be in the middle of other learners' games.
        std::thread::scope(|scope| {
            for ((networks, rows), places) in learners.iter_mut().zip(places) {
                scope.spawn(move || {
                    for (aspect, hidden, last) in places {
                        self.copy(networks, rows, aspect, hidden, last, back);
                    }
                    if back {
                        networks.policy.wake(rows);
                        networks.value.wake(&[0]);
                    }
                });
            }
        });
    }

    /// The learners' tables on top of each other.
    pub fn gather(&self, learners: &mut [Owner<'_>], device: Device) -> Buffer {
        let mut tables = Buffer::of::<f32>(3 * self.numbers(), device);
        self.exchange(learners, tables.numbers(3 * self.numbers()), false);
        tables
    }

    /// Gives the learners back what has become of them.
    pub fn scatter(&self, mut tables: Buffer, learners: &mut [Owner<'_>]) {
        self.exchange(learners, tables.numbers(3 * self.numbers()), true);
        tables.leave();
    }
}

fn round(side: usize) -> usize {
    side.next_multiple_of(8)
}
