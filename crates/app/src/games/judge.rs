use std::{io::Write as _, path::PathBuf};

use anyhow::Context as _;
use clap::Args;
use learn::{
    games::Split,
    imitation::{Calibration, ImitationNetwork, Judging, Library, Matches},
    wojcik::{Marks, NETWORKS, SevenNetworks},
};
use rules::plain_file;
use serde_json::json;

use super::judge_page;
use crate::solve::grouped;

/// Say how often a network's first choice is what was played, in games it has not learned from
///
/// Openings repeat, so the share is given twice: of all positions of the games held out, and of those
/// that occur in none of the others. The same by phase, by the piece that moved, by the mover's rating and without the first plies; how
/// likely it held its first choices and how often they were played, what it expected of the game and what
/// came; and where it was surest of a move that was not played, on request as a page with boards. Of document W's seven networks each is judged by itself, with the
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
    /// How many positions to show in which it was sure of a move that was not played
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(..=1000))]
    surest: u64,
    /// Write calibration and those positions as a page with boards
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Draw the boards of those positions, what it expected in blue and what was played in red
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
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
        let judging = Judging::of(&network, &library, most, self.surest as usize);
        if let Some(path) = &self.page {
            let page = judge_page::page(&name.to_string(), &judging);
            papers::write_atomically(path, &page)?;
        }
        if let Some(path) = &self.svg {
            papers::write_atomically(path, &judge_page::boards(&name.to_string(), &judging))?;
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            let mut value = json!(judging);
            value["data"] = json!(self.data);
            value["network"] = json!(self.network);
            value["weights"] = json!(network.weights());
            value["held_out_percent"] = json!(self.held_out.percent());
            writeln!(out, "{value:#}")?;
            return Ok(());
        }
        writeln!(
            out,
            "positions                      all    right  first 3 | in no other game    right  first 3"
        )?;
        writeln!(out, "{}", matched("held out", &judging.matches))?;
        for (name, matches) in judging.groups.iter().filter(|(_, m)| m.positions > 0) {
            writeln!(out, "{}", matched(name, matches))?;
        }
        calibrated(&mut out, "first choice", &judging.moves)?;
        calibrated(&mut out, "score of the game", &judging.endings)?;
        for mistake in &judging.surest {
            writeln!(
                out,
                "surest: {} {:.1} %, played {} {:.1} %: {}",
                mistake.choice,
                100.0 * mistake.share,
                mistake.played,
                100.0 * mistake.played_share,
                mistake.fen
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

/// A part of a number, in percent.
fn share(part: u64, of: u64) -> String {
    match of {
        0 => "–".to_owned(),
        of => format!("{:.2} %", 100.0 * part as f64 / of as f64),
    }
}

/// Matches in a line.
fn matched(name: &str, matches: &Matches) -> String {
    format!(
        "{name:<22} {:>11} {:>8} {:>8} | {:>16} {:>8} {:>8}",
        grouped(matches.positions),
        share(matches.right, matches.positions),
        share(matches.first_three, matches.positions),
        grouped(matches.unseen),
        share(matches.unseen_right, matches.unseen),
        share(matches.unseen_first_three, matches.unseen),
    )
}

/// A calibration in three lines: counts, what was expected, what came.
fn calibrated(
    out: &mut impl std::io::Write,
    name: &str,
    calibration: &Calibration,
) -> std::io::Result<()> {
    let filled = || calibration.tenths.iter().filter(|tenth| tenth.count > 0);
    let line = |values: Vec<String>| {
        let values: Vec<String> = values.iter().map(|value| format!("{value:>8}")).collect();
        values.concat()
    };
    let mean = |sum: f64, count: u64| format!("{:.1} %", 100.0 * sum / count as f64);
    writeln!(
        out,
        "{name}, expected and what came, by tenths; on the mean {:.1} % apart",
        100.0 * calibration.error()
    )?;
    let counts = filled().map(|t| grouped(t.count)).collect();
    let expected = filled().map(|t| mean(t.expected, t.count)).collect();
    let came = filled().map(|t| mean(t.came, t.count)).collect();
    writeln!(out, "  positions{}", line(counts))?;
    writeln!(out, "  expected {}", line(expected))?;
    writeln!(out, "  came     {}", line(came))
}

/// The marks of a network in a line.
fn line(name: &str, marks: &Marks) -> String {
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
