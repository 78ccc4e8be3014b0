//! Games as data: PGN made into a compact file, and positions to learn from out of it.
//!
//! [`Import`] makes a file of games out of PGN, [`GameFile`] opens one. [`Split`] says which games to
//! learn from and which to judge by, [`Positions`] has all positions of some games in memory,
//! [`SeenPositions`] tells which of them occur in other games, [`HeldOut`] counts both kinds. `docs/games.md` describes the file.
//!
//! ```
//! use learn::games::{GameFile, Import, Positions, SeenPositions, Split};
//!
//! let folder = tempfile::tempdir()?;
//! let (pgn, out) = (folder.path().join("a.pgn"), folder.path().join("a.games"));
//! std::fs::write(&pgn, "[White \"Légal\"]\n\n1. e4 e5 2. Bc4 d6 3. Nf3 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 \
//!                       6. Bxf7+ Ke7 7. Nd5# 1-0\n")?;
//! let summary = Import::new(vec![pgn], out.clone()).run(&mut |_| (), &false.into())?;
//! assert_eq!((summary.games, summary.positions), (1, 13));
//!
//! let file = GameFile::open(&out)?;
//! let (training, held_out) = Split::default().of(&file);
//! let positions = Positions::of(&file, &[training, held_out].concat())?;
//! let last = positions.as_slice()[12];
//! assert_eq!(last.position().uci(last.played().unpack(last.position().chess()).ok_or("no move")?), "c3d5");
//! assert!(SeenPositions::of(&[last], &file, positions.games())?.contains(&last));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod blocks;
mod date;
mod duplicates;
mod error;
mod file;
mod filter;
mod header;
mod held_out;
mod import;
mod mix;
mod names;
mod packed_move;
mod packed_position;
mod phase;
mod pieces;
mod positions;
mod reading;
mod report;
mod seen;
mod source;
mod split;
mod stored_game;
mod survey;
mod unfinished;

pub use date::Date;
pub use error::GamesError;
pub use file::{FilePart, GameFile, Origin, PartNames, SourceInfo, Summary};
pub use filter::{Filter, Limits, LimitsError};
pub use header::GameHeader;
pub use held_out::HeldOut;
pub use import::{Import, ImportProgress};
pub use names::{KEPT_TAGS, Names};
pub use packed_move::PackedMove;
pub use packed_position::{Ending, PLANES, PackedPosition};
pub use phase::Phase;
pub use positions::Positions;
pub use report::{Counted, Damage, Example, Reason, Remark, Report, Sieve};
pub use seen::SeenPositions;
pub use split::{Split, SplitError};
pub use stored_game::{Replay, StoredGame};
pub use survey::{Bar, OpeningLine, Survey};
