use std::{
    io::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::bail;
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
/// run that was interrupted goes on where it stopped. --kept prints what the project has measured, at
/// once. In the project's own tree --keep keeps what was measured, and --docs draws docs/papers.md.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena paper --list\n  lucena paper Y6.4 --kept\n  lucena paper Y6.4 --quick\n  lucena paper W1 --games masters.games\n  lucena paper all --quick --out reports"
)]
pub struct Paper {
    /// The experiments, or all
    #[arg(required_unless_present_any = ["list", "docs"], value_name = "ID")]
    ids: Vec<String>,
    /// List the experiments there are, and what is kept of them
    #[arg(long, conflicts_with = "ids")]
    list: bool,
    /// Print what is kept with the project instead of measuring
    #[arg(long, conflicts_with_all = ["list", "quick", "budget", "seed", "out", "rows", "keep"])]
    kept: bool,
    /// Keep what is measured in the folder measurements of the project's own tree
    #[arg(long, conflicts_with = "list")]
    keep: bool,
    /// The machine in words, to be noted beside the figures
    #[arg(long, value_name = "TEXT")]
    machine: Option<String>,
    /// Draw docs/papers.md and its pictures from the folder measurements
    #[arg(long, conflicts_with_all = ["ids", "list", "json", "keep", "kept"])]
    docs: bool,
    /// Fewer games: minutes for all experiments together
    #[arg(long, conflicts_with = "budget")]
    quick: bool,
    /// How much work: smoke, quick or full
    #[arg(long, default_value = "full", hide_default_value = true)]
    budget: Budget,
    /// A file of games to learn from, for the experiments that need one; 'lucena games import' makes it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "kept", "docs"])]
    games: Option<PathBuf>,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Folder for reports and finished measurements
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only the row of this name, or rows whose name contains it; the report in the folder stays as it is
    #[arg(long, value_name = "TEXT")]
    rows: Option<String>,
    /// Where agents of whole games learn, all of an experiment at the same time: cpu; cuda (a GPU) or libtorch
    /// (the processor) in a program built with libtorch; with ',shifts=1' no half of them plays while the other learns
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["list", "kept", "docs"])]
    device: Option<String>,
    /// Only train agents of whole games, all at the same time, and measure nothing; the same command without it goes
    /// on from there
    #[arg(long, requires = "out", conflicts_with_all = ["list", "kept", "docs", "keep", "json"])]
    train_only: bool,
    /// Only under the paper's settings (ours), or only our best recipe (best); the report in the folder stays as it is
    #[arg(long, value_name = "WHICH", conflicts_with_all = ["list", "kept", "docs"])]
    recipe: Option<Settings>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Threads; 0 takes one per processor
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    tables: Tables,
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Settings {
    /// The paper's settings.
    Ours,
    /// Our best recipe.
    Best,
}

impl Paper {
    pub fn run(self) -> anyhow::Result<()> {
        if self.list {
            return self.print_list();
        }
        if self.docs {
            return draw_docs();
        }
        let ids = self.ids();
        if self.kept {
            return self.print_kept(&ids);
        }
        if self.keep {
            self.check_that_it_can_be_kept()?;
        }
        let bar = PaperBar::new();
        let progress = |progress: &papers::ExperimentProgress<'_>| bar.step(progress);
        let running = Running {
            budget: if self.quick {
                Budget::Quick
            } else {
                self.budget
            },
            seed: self.seed,
            threads: self.threads,
            tables: self.tables.folder()?,
            games: self.games.clone(),
            out: self.out.clone(),
            rows: self.rows.clone(),
            only: self.recipe.map(|settings| match settings {
                Settings::Ours => papers::Kind::Ours,
                Settings::Best => papers::Kind::Best,
            }),
            device: self.device.clone(),
            machine: self.machine.clone().unwrap_or_else(papers::this_machine),
            progress: Some(&progress),
            stop: Some(interrupt_flag()),
        };
        if self.train_only {
            return ids
                .iter()
                .try_for_each(|id| Ok(papers::train(id, &running)?));
        }
        let whole = self.rows.is_none() && self.recipe.is_none();
        let mut reports: Vec<Report> = Vec::new();
        for id in ids {
            let report = papers::run(id, &running)?;
            if let (Some(out), true) = (&self.out, whole) {
                papers::write_report(&report, out)?;
            }
            if self.keep {
                let keeping = papers::keep(&report, Path::new(papers::KEPT_FOLDER))?;
                bar.hide(|| tell(id, &keeping));
            }
            if !self.json {
                bar.hide(|| writeln!(std::io::stdout().lock(), "{}", report.markdown()))?;
            }
            reports.push(report);
        }
        drop(bar);
        if let (Some(out), true, 2..) = (&self.out, whole, reports.len()) {
            papers::write_atomically(&out.join("index.html"), &papers::page(&reports))?;
        }
        if self.json {
            print_json(&reports)?;
        }
        if let (Some(out), true) = (&self.out, whole) {
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

    /// Hours of work should not end with "there is no such folder".
    fn check_that_it_can_be_kept(&self) -> anyhow::Result<()> {
        if self.budget == Budget::Smoke {
            let error = "a smoke run measures nothing that could be kept";
            crate::Cli::command()
                .error(ErrorKind::ArgumentConflict, error)
                .exit();
        }
        in_the_tree(papers::KEPT_FOLDER)
    }

    /// What is kept with the project.
    fn print_kept(&self, ids: &[&str]) -> anyhow::Result<()> {
        let mut reports = Vec::new();
        for id in ids {
            let experiment = papers::find(id)?;
            let kept = papers::Kept::built_in(experiment)?;
            match kept.and_then(|kept| kept.report(experiment)) {
                Some(report) => reports.push(report),
                None => eprintln!("lucena: nothing is kept of {id}"),
            }
        }
        if reports.is_empty() {
            bail!("there is nothing to print");
        }
        if self.json {
            return print_json(&reports);
        }
        let mut out = std::io::stdout().lock();
        for report in &reports {
            writeln!(out, "{}", report.markdown())?;
        }
        Ok(())
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
                        "kept": kept(experiment),
                    })
                })
                .collect();
            writeln!(out, "{:#}", json!(list))?;
            return Ok(());
        }
        for experiment in papers::all() {
            writeln!(
                out,
                "{:<14} {} ({}): {}",
                experiment.id,
                experiment.title,
                experiment.cite,
                kept(experiment).unwrap_or_else(|| "not measured".into())
            )?;
        }
        Ok(())
    }
}

/// How much of an experiment is kept, in words.
fn kept(experiment: &papers::Experiment) -> Option<String> {
    let kept = papers::Kept::built_in(experiment).ok().flatten()?;
    Some(kept.report(experiment)?.measured())
}

fn print_json(reports: &[Report]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match reports {
        [report] => writeln!(out, "{}", report.json())?,
        reports => writeln!(out, "{:#}", json!(reports))?,
    }
    Ok(())
}

/// Says what was kept and what was not.
fn tell(id: &str, keeping: &papers::Keeping) {
    eprintln!("lucena: {id}: {} measurements kept", keeping.kept.len());
    for refused in &keeping.refused {
        eprintln!("lucena: {id}: not kept: {refused}");
    }
}

/// Is this folder of the project's tree here?
fn in_the_tree(folder: &str) -> anyhow::Result<()> {
    if !Path::new(folder).is_dir() {
        bail!("there is no folder '{folder}' here; this is done in the tree of the project itself");
    }
    Ok(())
}

/// Draws what `docs` shows of the papers from what is kept, and removes pictures that are no longer drawn.
fn draw_docs() -> anyhow::Result<()> {
    for folder in [papers::KEPT_FOLDER, "docs"] {
        in_the_tree(folder)?;
    }
    let docs = papers::draw_docs(Path::new(papers::KEPT_FOLDER))?;
    let folder = Path::new("docs");
    for (path, text) in &docs {
        papers::write_atomically(&folder.join(path), text)?;
    }
    for entry in std::fs::read_dir(folder.join("papers"))
        .into_iter()
        .flatten()
    {
        let entry = entry?;
        let name = format!("papers/{}", entry.file_name().to_string_lossy());
        if name.ends_with(".svg") && !docs.contains_key(&name) {
            std::fs::remove_file(entry.path())?;
        }
    }
    eprintln!(
        "lucena: docs/papers.md and {} pictures are drawn",
        docs.len() - 1
    );
    Ok(())
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

    fn step(&self, progress: &papers::ExperimentProgress<'_>) {
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
