//! Training: runs are started, resumed and extended as jobs.

use std::{collections::BTreeMap, fs, path::Path};

use axum::{Json, extract::State, http::StatusCode};
use learn::{Control, LearnError, Plan, Stopped, Task};
use rules::{Color, RandomPositions};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    Lab, bounds,
    exact::{eight, endgame},
    extract::{Body, Named},
    jobs::{Desk, Ended, Job, JobKind},
    laboratory::{Effort, Laboratory},
    refusal::{Answer, Refusal},
    runs::{is_offered, planned},
    upkeep::looked_after,
};
use crate::{solve::grouped, tables::SOLVED_ON_DEMAND};

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
    /// The endgame, the attacker's men first; up to four men, no pawns. Or `chess`, for recipes that
    /// learn whole games.
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

/// What is learned instead of an endgame.
const WHOLE_GAME: &str = "chess";

impl NewRun {
    fn whole_game(&self, recipe: &learn::Recipe) -> Answer<Task> {
        if !recipe.whole_game {
            let why = format!("{} learns endgames, such as KRK", recipe.name);
            return Err(Refusal::bad(why));
        }
        if self.board != 8 {
            return Err(Refusal::bad("whole games are played on 8×8"));
        }
        Ok(Task::Chess)
    }

    fn learnable_endgame(&self) -> Answer<Task> {
        let (material, board) = endgame(&self.endgame, self.board)?;
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
        Ok(Task::Endgame(material, board))
    }

    /// The plan, with everything checked that can be checked before the first game.
    fn plan(&self, lab: &Laboratory) -> Answer<Plan> {
        let recipe = learn::Recipe::find(&self.recipe).map_err(Refusal::bad)?;
        if !is_offered(&recipe) {
            return Err(Refusal::bad(format!(
                "{} reads files of games or a book: train it on the command line",
                recipe.name
            )));
        }
        let task = match self.endgame.as_str() {
            WHOLE_GAME => self.whole_game(recipe)?,
            _ => self.learnable_endgame()?,
        };
        bounds::check_games_of_run(self.episodes, self.evaluation_games, self.evaluate.len())?;
        let changes: Vec<(String, String)> = self
            .settings
            .iter()
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        let mut plan = Plan::new(&self.recipe, task, self.episodes, self.seed, &changes)
            .map_err(Refusal::bad)?;
        bounds::check_settings(&plan.settings)?;
        if let Task::Endgame(material, board) = task {
            bounds::check_table(&plan.settings, material, board)?;
        }
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
    let counts = plan.recipe().map_err(Refusal::bad)?.episodes;
    let mut progress = |progress: &learn::RunProgress| {
        let message = format!(
            "{} of {} {counts}, {:.*} {counts}/s, {}{} s left",
            grouped(progress.episodes),
            grouped(progress.of),
            usize::from(progress.episodes_per_second < 10.0),
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
        until: None,
        elsewhere: None,
    };
    let summary = learn::resume(folder, control).map_err(Refusal::broken)?;
    Ok(match summary.stopped {
        Stopped::Cancelled => Ended::Cancelled,
        Stopped::Episodes => Ended::Done(format!("all {counts} done")),
        Stopped::Finished => Ended::Done("nothing left to learn".to_owned()),
        Stopped::Early => Ended::Done("stopped early by the rule".to_owned()),
        Stopped::Paused => Ended::Done("paused".to_owned()),
    })
}
