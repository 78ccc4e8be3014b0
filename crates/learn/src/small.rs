//! Networks of a few hundred bytes that guess the distance to mate inside a search: document S's,
//! and our own.

mod mate_search;
mod own_games;
mod retro_play;
pub mod samadi;
mod tiny;
mod tiny_lessons;
pub mod tiny_net;
