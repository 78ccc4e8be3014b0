use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::Args;
use learn::{
    Metrics, RunInfo,
    runs::metrics::{EVALUATION, POSITIONS_MET, WIN_RATE},
};
use rules::plain_file;
use serde_json::{Value, json};

use crate::{certificate_report::where_from, solve::grouped};

/// List the runs of a folder and compare them
#[derive(Args)]
#[command(after_help = "Examples:\n  lucena runs\n  lucena runs experiments --json")]
pub struct Runs {
    /// The folder that holds the runs
    #[arg(default_value = "runs")]
    folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Show a run: settings, curve and certificate
///
/// The certificate is the one that 'lucena certify run:FOLDER' has left in the folder.
#[derive(Args)]
#[command(after_help = "Example:\n  lucena show runs/krk5")]
pub struct Show {
    /// The run's folder; run:FOLDER will do
    #[arg(value_parser = run_folder)]
    run: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Runs {
    pub fn run(self) -> anyhow::Result<()> {
        std::fs::read_dir(&self.folder)
            .with_context(|| format!("cannot read the folder {}", self.folder.display()))?;
        let runs = learn::list(&self.folder);
        let mut out = std::io::stdout().lock();
        if self.json {
            let list: Vec<Value> = runs.iter().map(summary).collect();
            writeln!(out, "{:#}", json!(list))?;
            return Ok(());
        }
        if runs.is_empty() {
            writeln!(out, "no runs in {}", self.folder.display())?;
            return Ok(());
        }
        writeln!(
            out,
            "{:24} {:20} {:6} {:5} {:>12} {:>7} {:>11} {:>9}  exact play",
            "run", "recipe", "game", "board", "games", "won", "met", "certified"
        )?;
        for run in &runs {
            let metrics = metrics(run);
            let percent = |share: Option<f64>| {
                share.map_or("–".to_owned(), |share| format!("{:.1} %", share * 100.0))
            };
            writeln!(
                out,
                "{:24} {:20} {:6} {:5} {:>12} {:>7} {:>11} {:>9}  {}",
                run.folder.display().to_string(),
                run.plan.recipe,
                run.plan.game(),
                format!("{0}×{0}", run.plan.board),
                grouped(run.progressed.as_ref().map_or(0, |p| p.episodes)),
                percent(metrics.last(WIN_RATE)),
                metrics
                    .last(POSITIONS_MET)
                    .map_or("–".to_owned(), |met| grouped(met as u64)),
                percent(certified_share(run)),
                if run.plan.exact_play().is_empty() {
                    "none"
                } else {
                    "seen"
                }
            )?;
        }
        Ok(())
    }
}

impl Show {
    pub fn run(self) -> anyhow::Result<()> {
        let run = learn::info(&self.run)?;
        let certificate = certificate(&run);
        let mut out = std::io::stdout().lock();
        if self.json {
            let mut value = summary(&run);
            value["plan"] = json!(run.plan);
            value["curve"] = curve(&metrics(&run));
            value["certificate"] = certificate.unwrap_or(Value::Null);
            writeln!(out, "{value:#}")?;
            return Ok(());
        }
        writeln!(out, "{}\n", run.folder.display())?;
        writeln!(out, "{}", toml::to_string(&run.plan)?)?;
        writeln!(out, "{}", where_from(&run.plan.exact_play()))?;
        for path in &run.damaged {
            writeln!(out, "the checkpoint {} is damaged", path.display())?;
        }
        let metrics = metrics(&run);
        let share = |name: &str| {
            let series = metrics.series(name);
            let rates: Vec<f64> = series.iter().map(|&(_, rate)| rate).collect();
            let last = rates.last().map(|last| last * 100.0)?;
            Some((series, format!("{} {last:.1} %", sparkline(&rates))))
        };
        if let Some((series, line)) = share(WIN_RATE) {
            writeln!(
                out,
                "training games won, {} to {} games:\n  {line}",
                grouped(series[0].0),
                grouped(series[series.len() - 1].0),
            )?;
        }
        for opponent in metrics.opponents() {
            if let Some((_, line)) = share(&format!("{EVALUATION}{opponent}")) {
                writeln!(out, "won against {opponent}:\n  {line}")?;
            }
        }
        match certificate {
            Some(c) => {
                let percent =
                    |name: &str| play::rounding::percent(c[name].as_f64().unwrap_or_default(), 3);
                if c["current"] != json!(true) {
                    writeln!(
                        out,
                        "the certificate below is that of {}, fingerprint {}, and not of what the run plays now",
                        c["player"].as_str().unwrap_or("an earlier player"),
                        c["fingerprint"].as_str().unwrap_or("unknown"),
                    )?;
                }
                writeln!(
                    out,
                    "certificate: mate forced from {} of {} won positions, at best length from {}, mean excess {} \
                     moves, unvisited {}",
                    percent("share"),
                    grouped(c["won_positions"].as_u64().unwrap_or_default()),
                    percent("optimal_share"),
                    play::rounding::moves(c["mean_excess_moves"].as_f64().unwrap_or_default(), 3),
                    grouped(c["unvisited"].as_u64().unwrap_or_default()),
                )?;
            }
            None => writeln!(
                out,
                "no certificate yet: lucena certify run:{} {}{}",
                run.folder.display(),
                run.plan.game(),
                if run.plan.board == 8 {
                    String::new()
                } else {
                    format!(" --board {}", run.plan.board)
                }
            )?,
        }
        Ok(())
    }
}

/// Reads the folder of a run, which may also be named as its player is.
pub fn run_folder(text: &str) -> Result<PathBuf, std::convert::Infallible> {
    Ok(PathBuf::from(text.strip_prefix("run:").unwrap_or(text)))
}

/// Where a run's certificate is kept.
pub fn certificate_path(run: &Path) -> PathBuf {
    run.join("certificate.json")
}

/// A run's certificate, if it has one. `current` says whether it is the certificate of what the run
/// plays now, and not of an earlier checkpoint or of other settings.
pub fn certificate(run: &RunInfo) -> Option<Value> {
    let text = plain_file::read(&certificate_path(&run.folder), plain_file::TEXT).ok()?;
    let mut certificate: Value = serde_json::from_slice(&text).ok()?;
    let now = run.fingerprint().map(|fingerprint| json!(fingerprint));
    certificate["current"] = json!(now.as_ref() == certificate.get("fingerprint"));
    Some(certificate)
}

/// The certified share of what a run plays now, if that has a certificate.
pub fn certified_share(run: &RunInfo) -> Option<f64> {
    let certificate = certificate(run)?;
    certificate["share"]
        .as_f64()
        .filter(|_| certificate["current"] == json!(true))
}

fn metrics(run: &RunInfo) -> Metrics {
    let progressed = run.progressed.as_ref();
    progressed.map(|p| p.metrics.clone()).unwrap_or_default()
}

/// A curve as a list of points: the episodes, and the scalars that were measured, by name.
fn curve(metrics: &Metrics) -> Value {
    let point = |point: &learn::Point| {
        let mut value = json!({ "episodes": point.episodes });
        for name in metrics.names() {
            if let Some(scalar) = metrics.value(point, name) {
                value[name] = json!(scalar);
            }
        }
        value
    };
    metrics.points().iter().map(point).collect()
}

fn summary(run: &RunInfo) -> Value {
    json!({
        "run": run.folder,
        "recipe": run.plan.recipe,
        "endgame": run.plan.game(),
        "board": run.plan.board,
        "seed": run.plan.seed,
        "episodes": run.progressed.as_ref().map(|p| p.episodes),
        "of": run.plan.episodes,
        "finished": run.progressed.as_ref().map(|p| p.finished),
        "win_rate": metrics(run).last(WIN_RATE),
        "visited": metrics(run).last(POSITIONS_MET).map(|met| met as u64),
        "certified_share": certified_share(run),
        "exact_play": run.plan.exact_play(),
        "damaged": run.damaged,
    })
}

/// A curve between 0 and 1 in one line.
fn sparkline(values: &[f64]) -> String {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const WIDTH: usize = 60;
    let step = values.len().div_ceil(WIDTH).max(1);
    values
        .chunks(step)
        .map(|chunk| {
            let mean = chunk.iter().sum::<f64>() / chunk.len() as f64;
            LEVELS[((mean * 8.0) as usize).min(7)]
        })
        .collect()
}
