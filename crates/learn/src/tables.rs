//! Learners that keep a table, a number or two for every position they have met: document Y's
//! Q-learning of two agents, document D's eligibility traces, and our own two bounds.

mod action_values;
pub mod bounds;
mod grouping;
pub mod q;
pub mod q_lambda;

pub use action_values::{ActionValues, Met, Taken};
pub use grouping::Grouping;
