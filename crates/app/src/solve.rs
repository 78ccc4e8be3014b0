use std::{io::Write as _, time::Duration};

use anyhow::{Context as _, bail};
use clap::Args;
use rules::{Board, Material};
use serde_json::json;
use truth::{SideStatistics, Solved, Solver, Tablebase};

use crate::{
    progress::SolveBar,
    tables::{Tables, parse_board},
};

/// Solve an endgame exactly and save its table
///
/// Everything the endgame can turn into by captures and promotions is solved first.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena solve KBNK\n  lucena solve KRK --board 5 --json\n  lucena solve --all 4"
)]
pub struct Solve {
    /// The endgame, white's men first: KRK, KBNK, KQvKR, KRPKR
    #[arg(required_unless_present = "all")]
    material: Option<Material>,
    /// Solve every endgame of up to MEN men
    #[arg(long, value_name = "MEN", conflicts_with = "material",
        value_parser = clap::value_parser!(u8).range(3..=truth::MAX_MEN as i64))]
    all: Option<u8>,
    /// Board size, 4 to 8
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse_board)]
    board: Board,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Solve again even when the table is there, and replace a damaged one
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
}

/// What solving one signature came to.
struct Row {
    solved: std::sync::Arc<Solved>,
    solve: Duration,
    save: Duration,
    bytes: u64,
    already: bool,
}

impl Solve {
    pub fn run(self) -> anyhow::Result<()> {
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads.into())
                .build_global()
                .context("cannot start the worker threads")?;
        }
        let folder = self.tables.folder()?;
        let wanted: Vec<Material> = match (self.material, self.all) {
            (Some(material), _) => vec![material],
            (None, Some(men)) => (3..=men.into())
                .flat_map(Material::all)
                .filter(|m| self.board.is_standard() || !m.has_pawns())
                .collect(),
            (None, None) => bail!("name an endgame or say --all MEN"),
        };
        let bar = SolveBar::new();
        let mut solver = Solver::with_folder(self.board, &folder);
        let mut out = std::io::stdout().lock();
        let mut rows = Vec::new();
        for &material in &wanted {
            let solved = if self.force {
                solver.solve_again(material, &|step| bar.step(step))?
            } else {
                solver.solve(material, &|step| bar.step(step))?
            };
            let report = solver
                .reports()
                .iter()
                .rev()
                .find(|r| r.material == material.canonical());
            let row = match report {
                Some(r) => Row {
                    solved,
                    solve: r.solve,
                    save: r.save,
                    bytes: r.bytes,
                    already: false,
                },
                None => {
                    let table = Tablebase::new(&folder).table(material, self.board)?;
                    let bytes = table.map_or(0, |table| table.bytes());
                    let zero = Duration::ZERO;
                    Row {
                        solved,
                        solve: zero,
                        save: zero,
                        bytes,
                        already: true,
                    }
                }
            };
            if self.json {
                rows.push(row.json());
            } else if wanted.len() == 1 {
                bar.hide(|| row.print(&mut out))?;
            } else {
                bar.hide(|| row.print_short(&mut out))?;
            }
        }
        drop(bar);
        if self.json {
            let value = if self.all.is_some() {
                json!(rows)
            } else {
                json!(rows[0])
            };
            writeln!(out, "{value:#}")?;
        }
        Ok(())
    }
}

impl Row {
    fn json(&self) -> serde_json::Value {
        let statistics = self.solved.statistics();
        json!({
            "material": self.solved.material().to_string(),
            "board": self.solved.board().size(),
            "white_to_move": statistics.white_to_move,
            "black_to_move": statistics.black_to_move,
            "seconds_solve": self.solve.as_secs_f64(),
            "seconds_save": self.save.as_secs_f64(),
            "bytes": self.bytes,
            "threads": rayon::current_num_threads(),
            "already_solved": self.already,
        })
    }

    fn print_short(&self, out: &mut impl std::io::Write) -> anyhow::Result<()> {
        let longest = self.solved.statistics().white_to_move.longest_moves();
        let longest = longest.max(self.solved.statistics().black_to_move.longest_moves());
        writeln!(
            out,
            "{:6} longest mate {:>4}  {:>11} bytes  {}",
            self.solved.material().to_string(),
            longest.map_or("none".to_owned(), |moves| format!("{moves}")),
            grouped(self.bytes),
            self.cost(),
        )?;
        Ok(())
    }

    fn cost(&self) -> String {
        if self.already {
            "(already solved; --force solves again)".to_owned()
        } else {
            format!(
                "solved in {:.3} s, saved in {:.3} s",
                self.solve.as_secs_f64(),
                self.save.as_secs_f64()
            )
        }
    }

    fn print(&self, out: &mut impl std::io::Write) -> anyhow::Result<()> {
        let statistics = self.solved.statistics();
        writeln!(
            out,
            "{} on {}, {}",
            self.solved.material(),
            self.solved.board(),
            self.cost()
        )?;
        writeln!(
            out,
            "Legal positions of the full board, from the view of the side to move:\n"
        )?;
        writeln!(
            out,
            "{:14}{:>13}{:>13}{:>13}{:>13}  longest mate",
            "", "positions", "won", "drawn", "lost"
        )?;
        for (name, side) in [
            ("white to move", &statistics.white_to_move),
            ("black to move", &statistics.black_to_move),
        ] {
            writeln!(
                out,
                "{name:14}{:>13}{:>13}{:>13}{:>13}  {}",
                grouped(side.positions()),
                grouped(side.won()),
                grouped(side.drawn()),
                grouped(side.lost()),
                side.longest_moves()
                    .map_or("none".into(), |moves| format!("{moves} moves")),
            )?;
        }
        for (title, rows) in histograms(&statistics.white_to_move) {
            writeln!(out, "\n{title}")?;
            let most = rows.iter().map(|&(_, n)| n).max().unwrap_or(1);
            for (moves, n) in rows {
                let bar = "█".repeat((n * 50).div_ceil(most) as usize);
                writeln!(out, "{moves:>4} {:>12} {bar}", grouped(n))?;
            }
        }
        writeln!(out, "\nTable: {} bytes", grouped(self.bytes))?;
        Ok(())
    }
}

fn histograms(white: &SideStatistics) -> Vec<(&'static str, Vec<(u16, u64)>)> {
    [
        ("White to move mates in … moves:", white.wins_by_moves()),
        (
            "White to move is mated in … moves:",
            white.losses_by_moves(),
        ),
    ]
    .into_iter()
    .filter(|(_, rows)| !rows.is_empty())
    .collect()
}

/// A number with its thousands apart.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_stand_apart() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (10_822_184, "10,822,184"),
        ] {
            assert_eq!(super::grouped(n), text);
        }
    }
}
