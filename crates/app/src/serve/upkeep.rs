//! Runs are renamed and deleted; only those in the folder of the runs, and only while nobody works on them.

use axum::{Json, extract::State, http::StatusCode};
use learn::LearnError;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    Lab,
    extract::{Body, Named},
    jobs::JobKind,
    laboratory::{Effort, Laboratory},
    refusal::{Answer, Refusal},
    runs::{RunSummary, curve, planned, summary},
};

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
pub(super) fn looked_after(name: &str, error: LearnError) -> Refusal {
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
