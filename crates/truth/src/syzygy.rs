//! Syzygy tables that the user has: win, draw or loss under the fifty-move rule, and the distance
//! to the next capture or pawn move (DTZ). A different metric from ours, never mixed with it.

use std::path::{Path, PathBuf};

use rules::Position;
use shakmaty_syzygy::{AmbiguousWdl, MaybeRounded, Tablebase};

/// A folder of Syzygy tables.
pub struct Syzygy {
    tables: Tablebase<rules::Chess>,
}

/// What Syzygy tables say, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyzygyVerdict {
    /// Win, draw or loss in lila-tablebase's words: `win`, `maybe-win`, `cursed-win`, `draw`,
    /// `blessed-loss`, `maybe-loss` or `loss`.
    pub category: &'static str,
    /// Plies to the next capture or pawn move of a winning line, negative for a loss.
    pub dtz: i32,
    /// May the true DTZ be one ply further from zero? Syzygy rounds some tables.
    pub rounded: bool,
}

/// A folder without usable tables.
#[derive(Debug, thiserror::Error)]
pub enum SyzygyError {
    /// The folder cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no table in it.
    #[error("{}: no Syzygy tables (.rtbw, .rtbz) in this folder", .0.display())]
    Empty(PathBuf),
}

impl Syzygy {
    /// Opens the tables of a folder.
    ///
    /// # Errors
    /// When the folder cannot be read or holds no table.
    pub fn open(folder: &Path) -> Result<Syzygy, SyzygyError> {
        let mut tables = Tablebase::new();
        match tables.add_directory(folder) {
            Ok(0) => Err(SyzygyError::Empty(folder.to_owned())),
            Ok(_) => Ok(Syzygy { tables }),
            Err(source) => Err(SyzygyError::Io {
                path: folder.to_owned(),
                source,
            }),
        }
    }

    /// The most men of any table in the folder.
    pub fn max_men(&self) -> usize {
        self.tables.max_pieces()
    }

    /// What the tables say; `None` on small boards, with castling rights, and where a table is
    /// missing or damaged.
    pub fn probe(&self, position: &Position) -> Option<SyzygyVerdict> {
        let category = self.category(position)?;
        let dtz = self.tables.probe_dtz(position.chess()).ok()?;
        Some(SyzygyVerdict {
            category,
            dtz: dtz.ignore_rounding().0,
            rounded: matches!(dtz, MaybeRounded::Rounded(_)),
        })
    }

    /// Only the category, which is much cheaper to look up than the distance.
    pub fn category(&self, position: &Position) -> Option<&'static str> {
        if !position.board().is_standard() || position.has_castling_rights() {
            return None;
        }
        Some(match self.tables.probe_wdl(position.chess()).ok()? {
            AmbiguousWdl::Win => "win",
            AmbiguousWdl::MaybeWin => "maybe-win",
            AmbiguousWdl::CursedWin => "cursed-win",
            AmbiguousWdl::Draw => "draw",
            AmbiguousWdl::BlessedLoss => "blessed-loss",
            AmbiguousWdl::MaybeLoss => "maybe-loss",
            AmbiguousWdl::Loss => "loss",
        })
    }
}
