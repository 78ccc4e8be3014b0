//! Chess for learners: what they see, how they act, and the games they play, whole ones and endgames
//! on every board.
//!
//! A network knows only numbers. An [`Observation`] is a game as numbers, [`Actions`] number the
//! moves, and both are from the mover's side: black sees the board reflected and the same position
//! with colours exchanged looks the same, so a network learns every lesson once. They are read off
//! the bitboards of the position on the board; no mirrored position is ever made. A mask says which
//! actions are legal, and an action leads back to exactly one move.
//!
//! An [`Environment`] is a game behind these numbers. A [`Setup`], read from names and texts, says
//! what it is: where games begin ([`Start`]: the start position, a FEN, a random position of an
//! endgame, a position of a file or of a game), how they are drawn ([`Draws`]), who the opponent is
//! (nobody, so that the caller moves for both sides, or any player by its text), and what is rewarded
//! ([`Rewards`]: the end, moves of an opening book, moves that shorten a win). [`Environments`] are
//! many at once, on all cores, with results written into arrays of the caller's; that is all
//! that the Python package does.
//!
//! ```
//! use learn::chess::{Arrays, Autoreset, Environments, Resources, Setup};
//!
//! let setup = Setup::read(
//!     [("start", "endgame:KRK,board=5"), ("observation", "salisch-2"), ("opponent", "random")],
//!     Resources::default(),
//! )?;
//! let (seen, acted) = (setup.observation.len(), setup.actions.count());
//! let mut environments = Environments::new(setup, 4, 1, Autoreset::NextStep)?;
//! let (mut observations, mut masks) = (vec![0.0_f32; 4 * seen], vec![0; 4 * acted]);
//! let (mut rewards, mut terminated, mut truncated) = ([0.0; 4], [false; 4], [false; 4]);
//! environments.reset(None, &mut observations, &mut masks)?;
//! for _ in 0..100 {
//!     // The first legal action of each; a network would choose better.
//!     let actions: Vec<i64> = masks
//!         .chunks(acted)
//!         .map(|mask| mask.iter().position(|&legal| legal == 1).unwrap_or(0) as i64)
//!         .collect();
//!     environments.step(&actions, Arrays {
//!         observations: &mut observations,
//!         masks: &mut masks,
//!         rewards: &mut rewards,
//!         terminated: &mut terminated,
//!         truncated: &mut truncated,
//!         last_observations: None,
//!     })?;
//! }
//! # Ok::<(), learn::chess::ChessError>(())
//! ```

mod actions;
mod chess_planes;
mod draws;
mod environment;
mod environments;
mod error;
mod move_planes;
mod number;
mod observation;
mod pettingzoo;
mod random_play;
mod rewards;
mod salisch;
mod setup;
mod sight;
mod start;
mod stored_games;
mod view;
mod wojcik;

pub use actions::{Act, Actions};
pub use chess_planes::ChessPlanes;
pub use draws::Draws;
pub use environment::{Environment, Step};
pub use environments::{Arrays, Autoreset, Environments};
pub use error::ChessError;
pub use number::Number;
pub use observation::Observation;
pub use random_play::RandomPlay;
pub use rewards::Rewards;
pub use setup::{Opponent, Resources, SETTINGS, Setting, Setup, Side};
pub use sight::{ChessSight, MoveSight};
pub(crate) use sight::{MoveKind, Seen};
pub use start::Start;
pub(crate) use view::View;
