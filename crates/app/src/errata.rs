use std::{io::Write as _, path::PathBuf};

use anyhow::Context as _;
use clap::Args;
use learn::DistanceNetwork;
use rules::plain_file;
use rules::{Board, Material};
use serde_json::json;

use crate::{files::write_atomically, progress::interrupt_flag, solve::grouped, tables::Tables};

/// Write the last mistakes of a network down beside it
///
/// The exact tables tell which answers have to be put right so that the network's player mates as
/// fast as possible from everywhere. They are stored in the file and count as bytes of it.
#[derive(Args)]
#[command(
    after_help = "Example:\n  lucena errata runs/kbnk/weights.safetensors --out kbnk.safetensors"
)]
pub struct Errata {
    /// A file of weights that recipe distance-net has left
    file: PathBuf,
    /// Where to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
}

impl Errata {
    pub fn run(self) -> anyhow::Result<()> {
        let name = self.file.display();
        let bytes = plain_file::read(&self.file, plain_file::TEXT)
            .with_context(|| format!("cannot read {name}"))?;
        let mut network =
            DistanceNetwork::from_file(&bytes).with_context(|| format!("cannot use {name}"))?;
        let material: Material = network.shape().endgame.parse()?;
        let board = Board::new(network.shape().board)?;
        let tables = self.tables.for_play(material, board)?;
        network.correct(&tables, interrupt_flag())?;
        let corrected = network.to_file();
        write_atomically(&self.out, &corrected)?;
        let mut out = std::io::stdout().lock();
        let (errata, weights) = (network.errata().len(), network.bytes());
        if self.json {
            let report = json!({
                "endgame": network.shape().endgame,
                "errata": errata,
                "bytes": weights,
                "file_bytes": corrected.len(),
            });
            writeln!(out, "{report:#}")?;
        } else {
            writeln!(
                out,
                "{material} on {board}: {} answers put right; {} bytes of weights and errata, {} with the \
                 file's header",
                grouped(errata as u64),
                grouped(weights),
                grouped(corrected.len() as u64)
            )?;
        }
        Ok(())
    }
}
