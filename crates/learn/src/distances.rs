//! Networks that know the distance to mate and play by it without a search: `distance-net`, taught
//! by exact tables, and `td-net`, taught by its own games.

pub(crate) mod backup;
pub mod distance;
pub(crate) mod distance_network;
mod encoding;
mod errata;
pub(crate) mod memory;
pub(crate) mod study;
pub mod td_net;
mod td_net_settings;
pub(crate) mod textbook;

pub use distance_network::{DistanceNetwork, DistanceShape, Reading};
pub use encoding::{Encoding, Inputs};
pub use errata::Errata;
