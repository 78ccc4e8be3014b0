use std::{io::Write as _, path::PathBuf};

use anyhow::Context as _;
use clap::Args;
use learn::{
    games::Split,
    imitation::{ImitationNetwork, Library},
};
use rules::plain_file;
use serde_json::json;

use crate::solve::grouped;

/// Say how often a network's first choice is what was played, in games it has not learned from
///
/// Openings repeat, so the share is given twice: of all positions of the games held out, and of those
/// that occur in none of the others.
#[derive(Args)]
#[command(
    after_help = "Example:\n  lucena games judge masters.games nets/imitation.safetensors --positions 2000"
)]
pub struct Judge {
    /// A file that 'lucena games import' has made
    data: PathBuf,
    /// A network that 'lucena train imitation' has made
    network: PathBuf,
    /// Share of the games that was held out, in percent
    #[arg(long, value_name = "PERCENT", default_value_t)]
    held_out: Split,
    /// How many positions to judge, spread evenly over the games held out [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Judge {
    pub fn run(self) -> anyhow::Result<()> {
        let name = self.network.display();
        let bytes =
            plain_file::read(&self.network, plain_file::TEXT).with_context(|| name.to_string())?;
        let network = ImitationNetwork::from_file(&bytes).with_context(|| name.to_string())?;
        let library = Library::open(&self.data, self.held_out)?;
        let most = self.positions.map_or(usize::MAX, |most| most as usize);
        let matches = library.judge(network.tower(), most);
        let mut out = std::io::stdout().lock();
        if self.json {
            let value = json!({
                "data": self.data,
                "network": self.network,
                "weights": network.tower().shape().weights(),
                "held_out_percent": self.held_out.percent(),
                "matches": matches,
            });
            writeln!(out, "{value:#}")?;
            return Ok(());
        }
        let share = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
        for (what, positions, right, three) in [
            (
                "held-out positions",
                matches.positions,
                matches.right,
                matches.first_three,
            ),
            (
                "that occur in no other game",
                matches.unseen,
                matches.unseen_right,
                matches.unseen_first_three,
            ),
        ] {
            writeln!(
                out,
                "{:>9} {what}: first choice {:.2} %, first three {:.2} %",
                grouped(positions),
                share(right, positions),
                share(three, positions)
            )?;
        }
        Ok(())
    }
}
