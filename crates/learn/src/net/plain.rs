//! Small networks on plain numbers, without burn.
//!
//! Of the first and last table only the rows that a position touches are read and changed, which no
//! framework does well; and every product is worked out by one thread in a fixed order, so that the
//! same numbers come out whoever works beside it. Policies are made of them, by `ppo` and by
//! `alphazero`.

pub(crate) mod actor_critic;
pub(crate) mod adam;
pub(crate) mod chances;
pub(crate) mod extents;
pub(crate) mod matrix;
pub(crate) mod mlp;
pub(crate) mod mlp_trainer;

pub use mlp::{Activation, Lists, Mlp, MlpShape};
