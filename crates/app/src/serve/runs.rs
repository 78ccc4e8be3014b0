//! The runs there are, and the recipes for more.

use std::path::Path;

use axum::{Json, extract::State};
use learn::{
    Metrics, Plan, RECIPES, RunInfo,
    runs::metrics::{POSITIONS_MET, WIN_RATE},
};
use rules::plain_file;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    Lab,
    extract::Named,
    jobs::JobKind,
    laboratory::{Effort, Laboratory},
    refusal::{Answer, Refusal},
};
use crate::runs::{certificate, certified_share};

/// A way to train.
#[derive(Serialize, ToSchema)]
pub struct RecipeOffer {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// What it is recommended for, if it is.
    pub best_for: Option<&'static str>,
    /// Its settings and their defaults.
    #[schema(value_type = BTreeMap<String, Value>)]
    pub settings: toml::Table,
    /// What they mean, in this order.
    pub explained: Vec<ExplainedSetting>,
    /// What it counts: games, batches or iterations.
    pub episodes: String,
    /// Can it learn whole games, besides endgames?
    pub whole_game: bool,
}

/// A setting of a recipe.
#[derive(Serialize, ToSchema)]
pub struct ExplainedSetting {
    /// Its name.
    pub name: &'static str,
    /// What it means, in a line.
    pub meaning: String,
    /// The least it may be, if it is a number.
    pub least: Option<f64>,
    /// The most.
    pub most: Option<f64>,
}

/// The ways to train, with their settings.
#[utoipa::path(get, path = "/api/recipes", tag = "runs", responses((status = 200, body = [RecipeOffer])))]
pub async fn recipes() -> Answer<Json<Vec<RecipeOffer>>> {
    let recipes = RECIPES.iter().filter(is_offered).map(|recipe| {
        Ok(RecipeOffer {
            name: recipe.name,
            summary: recipe.summary,
            best_for: recipe.best_for,
            settings: recipe.settings(&[]).map_err(Refusal::broken)?,
            explained: recipe
                .explained()
                .iter()
                .map(|setting| ExplainedSetting {
                    name: setting.name,
                    meaning: setting.meaning(),
                    least: setting.range.map(|range| range.least),
                    most: setting.range.map(|range| range.most),
                })
                .collect(),
            episodes: recipe.episodes.to_string(),
            whole_game: recipe.whole_game,
        })
    });
    recipes.collect::<Answer<_>>().map(Json)
}

/// Can a run of the recipe be started here? One that reads a file of games or a book would let a request
/// open any file there is.
pub(super) fn is_offered(recipe: &&learn::Recipe) -> bool {
    recipe
        .settings(&[])
        .is_ok_and(|settings| !settings.contains_key("data") && !settings.contains_key("book"))
}

/// A run in short.
#[derive(Serialize, ToSchema)]
pub struct RunSummary {
    /// Its name.
    pub name: String,
    /// How it learns.
    pub recipe: String,
    /// What it learns: an endgame, or `chess`.
    pub endgame: String,
    /// On which board.
    pub board: usize,
    /// What all chance follows from.
    pub seed: u64,
    /// Games played, or what else it counts.
    pub episodes: u64,
    /// Games to play.
    pub of: u64,
    /// What is counted: games, batches or iterations.
    pub counts: String,
    /// `running`, `finished` or `stopped`; a stopped one can be resumed.
    pub status: &'static str,
    /// The job that works on it.
    pub job: Option<u64>,
    /// The share of training games won lately.
    pub win_rate: Option<f64>,
    /// Different positions met.
    pub visited: Option<u64>,
    /// The certified share of what it plays now, if that has a certificate.
    pub certified_share: Option<f64>,
    /// How it has seen exact play; empty if it learned from play alone.
    pub exact_play: Vec<String>,
}

/// A run with its curve.
#[derive(Serialize, ToSchema)]
pub struct RunDetails {
    /// In short.
    #[serde(flatten)]
    pub summary: RunSummary,
    /// All its settings, as in `run.toml`.
    #[schema(value_type = Object)]
    pub plan: Plan,
    /// Its curves by name, such as `training/win_rate` or `evaluation/random`; what stands before
    /// the slash groups them.
    pub curves: Vec<NamedCurve>,
    /// The certificate that was made for it last; `current` says whether it is that of what it plays now.
    #[schema(value_type = Option<Object>)]
    pub certificate: Option<Value>,
}

/// The curve of one scalar.
#[derive(Serialize, ToSchema)]
pub struct NamedCurve {
    /// What it is.
    pub name: String,
    /// Episodes and values, where it was measured.
    pub points: Vec<(u64, f64)>,
}

/// The curve as far as it is on disk: the file of figures is newer than the last checkpoint.
pub(super) fn curve(folder: &Path, run: &RunInfo) -> Metrics {
    let written = plain_file::read_to_string(&folder.join("metrics.csv"), plain_file::TEXT)
        .map(|text| Metrics::from_csv(&text))
        .unwrap_or_default();
    let saved = run
        .progressed
        .as_ref()
        .map(|p| p.metrics.clone())
        .unwrap_or_default();
    if written.points().len() >= saved.points().len() {
        written
    } else {
        saved
    }
}

pub(super) fn summary(lab: &Laboratory, run: &RunInfo, metrics: &Metrics) -> RunSummary {
    let name = run
        .folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let last = metrics.points().last();
    let saved = run.progressed.as_ref();
    let episodes = saved
        .map_or(0, |p| p.episodes)
        .max(last.map_or(0, |p| p.episodes));
    let enough = |p: &learn::runs::checkpoint::Progressed| {
        run.plan.stop_at.is_some() && p.satisfied >= run.plan.stop_after.max(1)
    };
    let finished = saved.is_some_and(|p| p.finished || enough(p)) || episodes >= run.plan.episodes;
    let job = lab.jobs.working_on(JobKind::Train, &name);
    RunSummary {
        recipe: run.plan.recipe.clone(),
        endgame: run.plan.game().to_owned(),
        board: run.plan.board,
        seed: run.plan.seed,
        episodes,
        of: run.plan.episodes,
        counts: match run.plan.recipe() {
            Ok(recipe) => recipe.episodes.to_string(),
            Err(_) => "games".to_owned(),
        },
        status: match (job, finished) {
            (Some(_), _) => "running",
            (None, true) => "finished",
            (None, false) => "stopped",
        },
        job,
        win_rate: metrics.last(WIN_RATE),
        visited: metrics.last(POSITIONS_MET).map(|met| met as u64),
        certified_share: certified_share(run),
        exact_play: run
            .plan
            .exact_play()
            .iter()
            .map(ToString::to_string)
            .collect(),
        name,
    }
}

/// The runs there are.
#[utoipa::path(get, path = "/api/runs", tag = "runs", responses((status = 200, body = [RunSummary])))]
pub async fn list(State(lab): State<Lab>) -> Answer<Json<Vec<RunSummary>>> {
    let list = |lab: &Laboratory| {
        let runs = learn::list(&lab.runs);
        Ok(runs
            .iter()
            .map(|run| summary(lab, run, &curve(&run.folder, run)))
            .collect())
    };
    lab.work(Effort::Slow, list).await.map(Json)
}

/// A run with its settings and its curve.
#[utoipa::path(
    get, path = "/api/runs/{name}", tag = "runs", params(("name" = String, Path)),
    responses((status = 200, body = RunDetails), (status = 400, body = Refusal), (status = 404, body = Refusal))
)]
pub async fn show(State(lab): State<Lab>, Named(name): Named<String>) -> Answer<Json<RunDetails>> {
    let show = move |lab: &Laboratory| {
        let folder = lab.run_folder(&name)?;
        let run = learn::info(&folder)
            .map_err(|_| Refusal::not_found(format!("there is no run '{name}'")))?;
        let metrics = curve(&folder, &run);
        Ok(RunDetails {
            summary: summary(lab, &run, &metrics),
            curves: metrics
                .names()
                .iter()
                .map(|name| NamedCurve {
                    name: name.clone(),
                    points: metrics.series(name),
                })
                .collect(),
            certificate: certificate(&run),
            plan: run.plan,
        })
    };
    lab.work(Effort::Slow, show).await.map(Json)
}

/// The plan of a run of this name.
pub(super) fn planned(lab: &Laboratory, name: &str) -> Answer<Plan> {
    Plan::read(&lab.run_folder(name)?)
        .map_err(|_| Refusal::not_found(format!("there is no run '{name}'")))
}
