//! Training runs.

use std::{collections::BTreeMap, fs, path::Path};

use axum::{Json, extract::State, http::StatusCode};
use learn::{
    Control, LearnError, Metrics, Plan, RECIPES, RunInfo, Stopped, Task,
    runs::metrics::{POSITIONS_MET, WIN_RATE},
};
use rules::plain_file;
use rules::{Color, RandomPositions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    Lab, bounds,
    exact::{eight, endgame},
    extract::{Body, Named},
    jobs::{Desk, Ended, Job, JobKind},
    laboratory::{Effort, Laboratory},
    refusal::{Answer, Refusal},
};
use crate::{
    runs::{certificate, certified_share},
    solve::grouped,
    tables::SOLVED_ON_DEMAND,
};

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
        })
    });
    recipes.collect::<Answer<_>>().map(Json)
}

/// Can a run of the recipe be started here? One that reads a file of games or a book would let a request
/// open any file there is.
fn is_offered(recipe: &&learn::Recipe) -> bool {
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
    /// What it learns.
    pub endgame: String,
    /// On which board.
    pub board: usize,
    /// What all chance follows from.
    pub seed: u64,
    /// Games played.
    pub episodes: u64,
    /// Games to play.
    pub of: u64,
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
fn curve(folder: &Path, run: &RunInfo) -> Metrics {
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

fn summary(lab: &Laboratory, run: &RunInfo, metrics: &Metrics) -> RunSummary {
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

/// A run to be started.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRun {
    /// Its name: letters, digits, `-`, `_` and `.`.
    #[schema(
        example = "krk5",
        max_length = 64,
        pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$"
    )]
    pub name: String,
    /// The recipe.
    #[schema(example = "two-bounds")]
    pub recipe: String,
    /// The endgame, the attacker's men first; up to four men, no pawns.
    #[schema(example = "KRK")]
    pub endgame: String,
    /// The size of the board, 4 to 8.
    #[serde(default = "eight")]
    #[schema(minimum = 4, maximum = 8)]
    pub board: usize,
    /// Games to play.
    #[serde(default = "thirty_thousand")]
    #[schema(minimum = 1)]
    pub episodes: u64,
    /// What all chance follows from.
    #[serde(default = "one")]
    pub seed: u64,
    /// Settings of the recipe that are to be different, as text.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Players to evaluate against now and then.
    #[serde(default)]
    pub evaluate: Vec<String>,
    /// Games of an evaluation.
    #[serde(default = "two_hundred")]
    #[schema(minimum = 1, maximum = 10000)]
    pub evaluation_games: u32,
}

fn thirty_thousand() -> u64 {
    30_000
}

fn one() -> u64 {
    1
}

fn two_hundred() -> u32 {
    200
}

impl NewRun {
    /// The plan, with everything checked that can be checked before the first game.
    fn plan(&self, lab: &Laboratory) -> Answer<Plan> {
        let (material, board) = endgame(&self.endgame, self.board)?;
        let recipe = learn::Recipe::find(&self.recipe).map_err(Refusal::bad)?;
        if !is_offered(&recipe) {
            return Err(Refusal::bad(format!(
                "{} reads files of games or a book: train it on the command line",
                recipe.name
            )));
        }
        if material.men() > SOLVED_ON_DEMAND || material.has_pawns() {
            return Err(Refusal::bad(format!(
                "{material}: runs started here learn endgames of up to {SOLVED_ON_DEMAND} men without pawns"
            )));
        }
        // A learner waits for a position in which the game is not over.
        let mut random = RandomPositions::new(material, board, Some(Color::White), 1);
        let playable = random
            .next_within(1_000_000)
            .is_some_and(|position| !position.is_insufficient_material());
        if !playable {
            return Err(Refusal::bad(format!(
                "{material}: nobody can ever mate, so there is nothing to learn"
            )));
        }
        bounds::check_games_of_run(self.episodes, self.evaluation_games, self.evaluate.len())?;
        let changes: Vec<(String, String)> = self
            .settings
            .iter()
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        let mut plan = Plan::new(
            &self.recipe,
            Task::Endgame(material, board),
            self.episodes,
            self.seed,
            &changes,
        )
        .map_err(Refusal::bad)?;
        bounds::check_settings(&plan.settings)?;
        bounds::check_table(&plan.settings, material, board)?;
        // A name in a request must not start any program, nor read any folder.
        let opponent = self.settings.get("opponent").into_iter();
        for player in opponent
            .chain(&self.evaluate)
            .filter(|text| *text != "self")
        {
            lab.player(player)?;
        }
        let full = |text: &String| match text.as_str() {
            "self" => Ok(text.clone()),
            _ => lab.full_name(text),
        };
        plan.evaluate_against = self.evaluate.iter().map(full).collect::<Answer<_>>()?;
        plan.evaluation_games = self.evaluation_games;
        if let Some(opponent) = self.settings.get("opponent") {
            plan.settings
                .insert("opponent".to_owned(), full(opponent)?.into());
        }
        if let Some(from) = self.settings.get("from").filter(|from| !from.is_empty()) {
            let folder = lab.run_folder(from)?.display().to_string();
            plan.settings.insert("from".to_owned(), folder.into());
        }
        // The learner itself has the last word on its settings.
        plan.learner(Some(&lab.registry)).map_err(Refusal::bad)?;
        Ok(plan)
    }
}

/// Starts a run. The answer is the job that does it.
#[utoipa::path(
    post, path = "/api/runs", tag = "runs", request_body = NewRun,
    responses(
        (status = 202, body = Job), (status = 400, body = Refusal),
        (status = 409, description = "there is a run of this name", body = Refusal),
        (status = 429, description = "too many jobs", body = Refusal)
    )
)]
pub async fn start(
    State(lab): State<Lab>,
    Body(new): Body<NewRun>,
) -> Answer<(StatusCode, Json<Job>)> {
    let shared = lab.clone();
    let start = move |lab: &Laboratory| {
        let folder = lab.run_folder(&new.name)?;
        let exists = || LearnError::RunExists(new.name.clone().into());
        if folder.join("run.toml").exists() {
            return Err(Refusal::conflict(exists()));
        }
        let plan = new.plan(lab)?;
        let title = format!("training {} by {}", plan.game(), plan.recipe);
        let first = |folder: &Path| {
            // Two requests for the same new run: the second one finds the first one's plan.
            if folder.join("run.toml").exists() {
                return Err(Refusal::conflict(exists()));
            }
            fs::create_dir_all(folder).map_err(Refusal::broken)?;
            plan.write(folder).map_err(Refusal::broken)
        };
        let job = train(&shared, &new.name, title, true, first)?;
        Ok((StatusCode::ACCEPTED, Json(job)))
    };
    lab.work(Effort::Slow, start).await
}

/// Goes on with a run that was stopped.
#[utoipa::path(
    post, path = "/api/runs/{name}/resume", tag = "runs", params(("name" = String, Path)),
    responses(
        (status = 202, body = Job), (status = 400, body = Refusal), (status = 404, body = Refusal),
        (status = 409, description = "it is running", body = Refusal),
        (status = 429, description = "too many jobs", body = Refusal)
    )
)]
pub async fn resume(
    State(lab): State<Lab>,
    Named(name): Named<String>,
) -> Answer<(StatusCode, Json<Job>)> {
    let shared = lab.clone();
    let resume = move |lab: &Laboratory| {
        let plan = planned(lab, &name)?;
        let title = format!("training {} by {}", plan.game(), plan.recipe);
        let job = train(&shared, &name, title, false, |_| Ok(()))?;
        Ok((StatusCode::ACCEPTED, Json(job)))
    };
    lab.work(Effort::Slow, resume).await
}

/// The plan of a run of this name.
fn planned(lab: &Laboratory, name: &str) -> Answer<Plan> {
    Plan::read(&lab.run_folder(name)?)
        .map_err(|_| Refusal::not_found(format!("there is no run '{name}'")))
}

/// How long a run is to be.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Longer {
    /// Games to play in all, those that are played included.
    #[schema(minimum = 1)]
    pub episodes: u64,
}

/// Makes a run longer and goes on with it.
#[utoipa::path(
    post, path = "/api/runs/{name}/extend", tag = "runs", params(("name" = String, Path)),
    request_body = Longer,
    responses(
        (status = 202, body = Job), (status = 400, body = Refusal), (status = 404, body = Refusal),
        (status = 409, description = "it is running, or not shorter than that", body = Refusal),
        (status = 429, description = "too many jobs", body = Refusal)
    )
)]
pub async fn extend(
    State(lab): State<Lab>,
    Named(name): Named<String>,
    Body(asked): Body<Longer>,
) -> Answer<(StatusCode, Json<Job>)> {
    let shared = lab.clone();
    let extend = move |lab: &Laboratory| {
        let plan = planned(lab, &name)?;
        bounds::check_episodes(asked.episodes)?;
        let title = format!("training {} by {}", plan.game(), plan.recipe);
        let job = train(&shared, &name, title, false, |folder| {
            learn::extend(folder, asked.episodes)
                .map(|_| ())
                .map_err(|error| looked_after(&name, error))
        })?;
        Ok((StatusCode::ACCEPTED, Json(job)))
    };
    lab.work(Effort::Slow, extend).await
}

/// A new name.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewName {
    /// Letters, digits, `-`, `_` and `.`.
    #[schema(
        example = "krk5",
        max_length = 64,
        pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$"
    )]
    pub name: String,
}

/// Gives a run another name. Certificates keep the name that it had when they were made.
#[utoipa::path(
    post, path = "/api/runs/{name}/rename", tag = "runs", params(("name" = String, Path)),
    request_body = NewName,
    responses(
        (status = 200, body = RunSummary), (status = 400, body = Refusal), (status = 404, body = Refusal),
        (status = 409, description = "it is running, or the name is taken", body = Refusal)
    )
)]
pub async fn rename(
    State(lab): State<Lab>,
    Named(name): Named<String>,
    Body(asked): Body<NewName>,
) -> Answer<Json<RunSummary>> {
    let rename = move |lab: &Laboratory| {
        planned(lab, &name)?;
        let (from, to) = (lab.run_folder(&name)?, lab.run_folder(&asked.name)?);
        lab.jobs.while_idle(JobKind::Train, &name, || {
            learn::rename(&from, &to).map_err(|error| looked_after(&asked.name, error))
        })?;
        let run = learn::info(&to).map_err(Refusal::broken)?;
        Ok(summary(lab, &run, &curve(&to, &run)))
    };
    lab.work(Effort::Slow, rename).await.map(Json)
}

/// Deletes a run. Certificates that were made of it stay.
#[utoipa::path(
    delete, path = "/api/runs/{name}", tag = "runs", params(("name" = String, Path)),
    responses(
        (status = 204, description = "it is gone"), (status = 400, body = Refusal),
        (status = 404, body = Refusal), (status = 409, description = "it is running", body = Refusal)
    )
)]
pub async fn delete(State(lab): State<Lab>, Named(name): Named<String>) -> Answer<StatusCode> {
    let delete = move |lab: &Laboratory| {
        planned(lab, &name)?;
        let folder = lab.run_folder(&name)?;
        lab.jobs.while_idle(JobKind::Train, &name, || {
            learn::delete(&folder).map_err(|error| looked_after(&name, error))
        })?;
        Ok(StatusCode::NO_CONTENT)
    };
    lab.work(Effort::Slow, delete).await
}

/// What keeps a run from being looked after, in words that name it as the page does.
fn looked_after(name: &str, error: LearnError) -> Refusal {
    match error {
        LearnError::RunExists(_) => Refusal::conflict(LearnError::RunExists(name.into())),
        LearnError::Busy(_) => Refusal::conflict(LearnError::Busy(name.into())),
        LearnError::NothingLeft(_) => Refusal::conflict(LearnError::NothingLeft(name.into())),
        LearnError::NotLonger { played, asked, .. } => Refusal::conflict(LearnError::NotLonger {
            folder: name.into(),
            played,
            asked,
        }),
        LearnError::NoRun { why, .. } => Refusal::bad(LearnError::NoRun {
            folder: name.into(),
            why,
        }),
        other => Refusal::broken(other),
    }
}

/// Starts the job, after `first` has prepared its folder. A new run's plan is on disk before the job is in
/// the queue, so that a server that ends early loses no run: such a run is resumed from its beginning.
fn train(
    lab: &Lab,
    name: &str,
    title: String,
    fresh: bool,
    first: impl FnOnce(&Path) -> Answer<()>,
) -> Answer<Job> {
    let folder = lab.run_folder(name)?;
    let shared = lab.clone();
    let at = folder.clone();
    let job = move |desk: &Desk| carry_out(&shared, &at, fresh, desk);
    lab.jobs
        .start_after(JobKind::Train, name, title, job, || first(&folder))
}

fn carry_out(lab: &Laboratory, folder: &Path, fresh: bool, desk: &Desk) -> Answer<Ended> {
    let plan = Plan::read(folder).map_err(Refusal::broken)?;
    // Tables serve opponents that are perfect; only recipes that say so are taught by them.
    if let Task::Endgame(material, board) = plan.task().map_err(Refusal::bad)? {
        let covered = lab.cover_unless(desk.cancel(), material, board);
        if !desk.go_on() {
            return Ok(Ended::Cancelled);
        }
        covered?;
    }
    let mut progress = |progress: &learn::RunProgress| {
        let message = format!(
            "{} of {} games, {:.0} games/s, {}{} s left",
            grouped(progress.episodes),
            grouped(progress.of),
            progress.episodes_per_second,
            crate::train::told(progress),
            progress.left.as_secs()
        );
        desk.tell(progress.episodes, progress.of, message);
    };
    // A new run has no checkpoint yet, which is no news.
    let mut notice = |text: &str| {
        if !fresh {
            eprintln!("lucena: {text}");
        }
    };
    let control = Control {
        registry: Some(&lab.registry),
        teacher: Some(lab.tables.clone()),
        progress: Some(&mut progress),
        notice: Some(&mut notice),
        cancel: Some(desk.cancel()),
    };
    let summary = learn::resume(folder, control).map_err(Refusal::broken)?;
    Ok(match summary.stopped {
        Stopped::Cancelled => Ended::Cancelled,
        Stopped::Episodes => Ended::Done("all games played".to_owned()),
        Stopped::Finished => Ended::Done("nothing left to learn".to_owned()),
        Stopped::Early => Ended::Done("stopped early by the rule".to_owned()),
    })
}
