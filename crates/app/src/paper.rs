use std::{io::Write as _, path::PathBuf, time::Duration};

use clap::{Args, CommandFactory as _, error::ErrorKind};
use indicatif::{ProgressBar, ProgressStyle};
use papers::{Budget, Report, Running};
use serde_json::json;

use crate::{
    progress::{interrupt_flag, watch_for_interrupt},
    tables::Tables,
};

/// Run an experiment of the source papers again and compare
///
/// Prints the paper's figures, ours under the paper's settings, and ours with our best recipe,
/// with 95 % intervals. With --out, the report is also written as Markdown, JSON and HTML, and a
/// run that was interrupted goes on where it stopped.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena paper --list\n  lucena paper Y6.4 --quick\n  lucena paper all --quick --out reports"
)]
pub struct Paper {
    /// The experiments, or all
    #[arg(required_unless_present = "list", value_name = "ID")]
    ids: Vec<String>,
    /// List the experiments there are
    #[arg(long, conflicts_with = "ids")]
    list: bool,
    /// Fewer games: minutes for all experiments together
    #[arg(long, conflicts_with = "budget")]
    quick: bool,
    /// How much work: smoke, quick or full
    #[arg(long, default_value = "full", hide_default_value = true)]
    budget: Budget,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Folder for reports and finished measurements
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only the row of this name, or rows whose name contains it; the report in the folder stays as it is
    #[arg(long, value_name = "TEXT")]
    rows: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Threads; 0 takes one per processor
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    tables: Tables,
}

impl Paper {
    pub fn run(self) -> anyhow::Result<()> {
        if self.list {
            return self.print_list();
        }
        let ids = self.ids();
        let bar = PaperBar::new();
        let progress = |progress: &papers::Progress<'_>| bar.step(progress);
        let running = Running {
            budget: if self.quick {
                Budget::Quick
            } else {
                self.budget
            },
            seed: self.seed,
            threads: self.threads,
            tables: self.tables.folder()?,
            out: self.out.clone(),
            rows: self.rows.clone(),
            progress: Some(&progress),
            stop: Some(interrupt_flag()),
        };
        let mut reports: Vec<Report> = Vec::new();
        for id in ids {
            let report = papers::run(id, &running)?;
            if let (Some(out), None) = (&self.out, &self.rows) {
                papers::write_report(&report, out)?;
            }
            if !self.json {
                bar.hide(|| writeln!(std::io::stdout().lock(), "{}", report.markdown()))?;
            }
            reports.push(report);
        }
        drop(bar);
        if let (Some(out), None, 2..) = (&self.out, &self.rows, reports.len()) {
            papers::write_atomically(&out.join("index.html"), &papers::page(&reports))?;
        }
        if self.json {
            let mut out = std::io::stdout().lock();
            match &reports[..] {
                [report] => writeln!(out, "{}", report.json())?,
                reports => writeln!(out, "{:#}", json!(reports))?,
            }
        }
        if let (Some(out), None) = (&self.out, &self.rows) {
            eprintln!("lucena: reports are in {}", out.display());
        }
        Ok(())
    }

    /// The experiments asked for; an unknown one is a misuse of the command.
    fn ids(&self) -> Vec<&'static str> {
        let mut ids = Vec::new();
        for id in &self.ids {
            if id.eq_ignore_ascii_case("all") {
                ids.extend(papers::all().iter().map(|experiment| experiment.id));
                continue;
            }
            match papers::find(id) {
                Ok(experiment) => ids.push(experiment.id),
                Err(error) => crate::Cli::command()
                    .error(ErrorKind::InvalidValue, error)
                    .exit(),
            }
        }
        let mut seen = std::collections::HashSet::new();
        ids.retain(|id| seen.insert(*id));
        ids
    }

    fn print_list(&self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            let list: Vec<_> = papers::all()
                .iter()
                .map(|experiment| {
                    json!({
                        "id": experiment.id,
                        "cite": experiment.cite,
                        "title": experiment.title,
                        "rows": experiment.rows.len(),
                        "columns": experiment.columns.iter().map(|c| c.name).collect::<Vec<_>>(),
                    })
                })
                .collect();
            writeln!(out, "{:#}", json!(list))?;
            return Ok(());
        }
        for experiment in papers::all() {
            writeln!(
                out,
                "{:<6} {} ({})",
                experiment.id, experiment.title, experiment.cite
            )?;
        }
        Ok(())
    }
}

/// Shows how an experiment comes along.
struct PaperBar {
    bar: ProgressBar,
}

impl PaperBar {
    fn new() -> PaperBar {
        watch_for_interrupt();
        let bar = ProgressBar::no_length();
        bar.set_style(
            ProgressStyle::with_template("{spinner} [{pos}/{len}] {msg} {elapsed}")
                .expect("the template is well-formed"),
        );
        bar.enable_steady_tick(Duration::from_millis(100));
        PaperBar { bar }
    }

    /// Does something with the bar out of the way.
    fn hide<T>(&self, work: impl FnOnce() -> T) -> T {
        self.bar.suspend(work)
    }

    fn step(&self, progress: &papers::Progress<'_>) {
        self.bar.set_length(progress.measurements as u64);
        self.bar.set_position(progress.finished as u64);
        let recipe = match progress.recipe {
            "ours" => "paper's settings",
            _ => "best recipe",
        };
        let trials = if progress.of > 0 {
            format!(": {} of {}", progress.trials, progress.of)
        } else {
            String::new()
        };
        self.bar.set_message(format!(
            "{}, row {}, {recipe}{trials} {}",
            progress.experiment, progress.row, progress.remark
        ));
    }
}

impl Drop for PaperBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
