//! Deep Q-learning: document Y's Algorithm 5, and what the thesis wished for.

pub mod dqn;
mod dqn_agent;
mod dqn_settings;
mod dqn_validation;
mod planes;
mod relative_actions;
mod replay;

pub use dqn_settings::DqnSettings;
pub use planes::Planes;
pub use relative_actions::RelativeActions;
