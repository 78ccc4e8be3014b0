//! The folder of tables, and the options that every command about exact truth shares.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::Args;
use etcetera::BaseStrategy as _;
use rules::{Board, Material, Position};
use truth::{Syzygy, Tablebase, closure};

use crate::progress::SolveBar;

/// Signatures of up to this many men are solved on the spot when a command needs them: that takes
/// a second or two. Larger ones are asked for by `lucena solve`.
pub const SOLVED_ON_DEMAND: usize = 4;

#[derive(Args)]
pub struct Tables {
    /// Folder of tables [default: lucena/tables in the user's data folder, by XDG]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
}

impl Tables {
    /// The folder to use.
    pub fn folder(&self) -> anyhow::Result<PathBuf> {
        match &self.tables {
            Some(folder) => Ok(folder.clone()),
            None => Ok(etcetera::choose_base_strategy()
                .context("no home folder: say where tables go with --tables DIR")?
                .data_dir()
                .join("lucena/tables")),
        }
    }

    /// The tables of the folder, with those of `material` and all it leads to made sure of.
    pub fn with(&self, material: Material, board: Board) -> anyhow::Result<Tablebase> {
        let tablebase = Tablebase::new(&self.folder()?);
        if material.men() <= 2 {
            return Ok(tablebase);
        }
        for needed in closure(material) {
            if needed.men() > SOLVED_ON_DEMAND && tablebase.table(needed, board)?.is_none() {
                bail!("there is no table for {needed} yet; solve it first: lucena solve {needed}");
            }
        }
        let bar = SolveBar::new();
        tablebase.ensure(material, board, &|step| bar.step(step))?;
        Ok(tablebase)
    }

    /// The tables a match can use: those of an endgame that is small enough, else what is there.
    pub fn for_play(&self, material: Material, board: Board) -> anyhow::Result<Tablebase> {
        if material.men() <= SOLVED_ON_DEMAND {
            self.with(material, board)
        } else {
            self.as_they_are()
        }
    }

    /// What is there.
    pub fn as_they_are(&self) -> anyhow::Result<Tablebase> {
        Ok(Tablebase::new(&self.folder()?))
    }
}

#[derive(Args)]
pub struct SyzygyFolder {
    /// Folder of Syzygy tables, for up to 7 men
    #[arg(long = "syzygy", value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl SyzygyFolder {
    pub fn open(&self) -> anyhow::Result<Option<Syzygy>> {
        Ok(self.folder.as_deref().map(Syzygy::open).transpose()?)
    }
}

/// Reads a FEN from the command line.
pub fn parse_fen(text: &str) -> Result<Position, rules::FenError> {
    Position::from_fen(text)
}

/// Reads a board size from the command line: `5` or `5x5`.
pub fn parse_board(text: &str) -> Result<Board, String> {
    let size = text
        .split_once(['x', '×'])
        .map_or(text, |(n, m)| if n == m { n } else { "" });
    let size: usize = size
        .parse()
        .map_err(|_| "a number from 4 to 8".to_owned())?;
    Board::new(size).map_err(|e| e.to_string())
}
