use std::{io::Write as _, path::PathBuf};

use anyhow::Context as _;
use clap::Args;
use learn::{
    games::Split,
    imitation::{ImitationNetwork, Library},
    wojcik::{Marks, NETWORKS, SevenNetworks},
};
use rules::plain_file;
use serde_json::json;

use crate::solve::grouped;

/// Say how often a network's first choice is what was played, in games it has not learned from
///
/// Openings repeat, so the share is given twice: of all positions of the games held out, and of those
/// that occur in none of the others. Of document W's seven networks each is judged by itself, with the
/// share of its first choices that are legal, and then the moves they make together.
#[derive(Args)]
#[command(
    after_help = "Example:\n  lucena games judge masters.games nets/imitation.safetensors --positions 2000"
)]
pub struct Judge {
    /// A file that 'lucena games import' has made
    data: PathBuf,
    /// What 'lucena train imitation' or 'lucena train wojcik-supervised' has made: its weights.safetensors
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
        let most = self.positions.map_or(usize::MAX, |most| most as usize);
        if let Ok(networks) = SevenNetworks::from_file(&bytes) {
            return self.seven(&networks, most);
        }
        let network = ImitationNetwork::from_file(&bytes).with_context(|| name.to_string())?;
        let library = Library::open(&self.data, self.held_out)?;
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

    /// Document W's networks.
    fn seven(&self, networks: &SevenNetworks, most: usize) -> anyhow::Result<()> {
        let library = Library::open(&self.data, self.held_out)?;
        let marks = learn::wojcik::judge(networks, &library, most);
        let mut out = std::io::stdout().lock();
        if self.json {
            let named = NETWORKS.into_iter().zip(&marks.networks);
            let named: serde_json::Map<_, _> = named
                .map(|(name, marks)| (name.to_owned(), json!(marks)))
                .collect();
            let value = json!({
                "data": self.data,
                "network": self.network,
                "held_out_percent": self.held_out.percent(),
                "networks": named,
                "moves": marks.moves,
            });
            writeln!(out, "{value:#}")?;
            return Ok(());
        }
        writeln!(
            out,
            "          positions    right  first 3  first 5    legal |       new    right  first 3  first 5 |  in check    legal"
        )?;
        let rows = NETWORKS.into_iter().zip(&marks.networks);
        for (name, marks) in rows.chain([("move", &marks.moves)]) {
            writeln!(out, "{}", line(name, marks))?;
        }
        Ok(())
    }
}

/// The marks of a network in a line.
fn line(name: &str, marks: &Marks) -> String {
    let share = |part: u64, of: u64| match of {
        0 => "–".to_owned(),
        of => format!("{:.2} %", 100.0 * part as f64 / of as f64),
    };
    let all = |part| share(part, marks.positions);
    let new = |part| share(part, marks.unseen);
    format!(
        "{name:<8} {:>10} {:>8} {:>8} {:>8} {:>8} | {:>9} {:>8} {:>8} {:>8} | {:>9} {:>8}",
        grouped(marks.positions),
        all(marks.right),
        all(marks.first_three),
        all(marks.first_five),
        all(marks.legal),
        grouped(marks.unseen),
        new(marks.unseen_right),
        new(marks.unseen_first_three),
        new(marks.unseen_first_five),
        grouped(marks.in_check),
        share(marks.legal_in_check, marks.in_check),
    )
}
