//! The experiments of the source documents.

use std::path::PathBuf;

use axum::{Json, extract::State, http::StatusCode};
use papers::{Budget, Experiment, PaperError, Report, Running};
use rules::plain_file;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Lab,
    extract::{Body, Named},
    jobs::{Desk, Ended, Job, JobKind},
    laboratory::{Effort, Laboratory},
    refusal::{Answer, Refusal},
};

/// An experiment in short.
#[derive(Serialize, ToSchema)]
pub struct PaperSummary {
    /// The letter of the document and the number of the table.
    pub id: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// Where it stands.
    pub cite: &'static str,
    /// What the paper did.
    pub setting: &'static str,
    /// Its figures, if it has been measured: here, or by the project.
    pub measured: Option<PaperMeasured>,
    /// The job that works on it.
    pub job: Option<u64>,
}

/// Where the figures of an experiment come from.
#[derive(Serialize, ToSchema)]
pub struct PaperMeasured {
    /// Were they measured by this laboratory? If not, they are those kept with the project.
    pub here: bool,
    /// How much work and when, in words.
    #[schema(example = "full, 2026-11-17")]
    pub words: String,
    /// The commands that measure them.
    pub commands: Vec<String>,
}

/// An experiment with its report.
#[derive(Serialize, ToSchema)]
pub struct PaperDetails {
    /// In short.
    #[serde(flatten)]
    pub summary: PaperSummary,
    /// What is measured.
    pub columns: Vec<&'static str>,
    /// The paper's own figures, row by row: a name, and figures where the paper has them.
    pub rows: Vec<PaperRow>,
    /// The report as HTML: a section with tables and drawings, without a page around it.
    pub report: Option<String>,
    /// The same of what is kept with the project, where the report is another one.
    pub kept: Option<String>,
}

/// A row of the paper's table.
#[derive(Serialize, ToSchema)]
pub struct PaperRow {
    /// Its heading.
    pub name: &'static str,
    /// The paper's figures.
    pub paper: Vec<Option<f64>>,
}

fn folder(lab: &Laboratory) -> PathBuf {
    lab.reports.join("papers")
}

/// What was measured here.
fn report(lab: &Laboratory, experiment: &Experiment) -> Option<Report> {
    let file = folder(lab).join(format!("{}.json", experiment.id));
    Report::from_json(&plain_file::read_to_string(&file, plain_file::TEXT).ok()?).ok()
}

/// What is kept with the project.
fn kept(experiment: &Experiment) -> Option<Report> {
    let kept = papers::Kept::built_in(experiment).ok().flatten()?;
    kept.report(experiment)
}

fn summary(lab: &Laboratory, experiment: &'static Experiment) -> PaperSummary {
    let measured = |report: Report, here| PaperMeasured {
        here,
        words: report.measured(),
        commands: report.commands(),
    };
    let here = report(lab, experiment).map(|report| measured(report, true));
    PaperSummary {
        id: experiment.id,
        title: experiment.title,
        cite: experiment.cite,
        setting: experiment.setting,
        measured: here.or_else(|| kept(experiment).map(|report| measured(report, false))),
        job: lab.jobs.working_on(JobKind::Paper, experiment.id),
    }
}

/// The experiments there are.
#[utoipa::path(get, path = "/api/papers", tag = "papers", responses((status = 200, body = [PaperSummary])))]
pub async fn list(State(lab): State<Lab>) -> Answer<Json<Vec<PaperSummary>>> {
    let list = |lab: &Laboratory| {
        Ok(papers::all()
            .iter()
            .map(|experiment| summary(lab, experiment))
            .collect())
    };
    lab.work(Effort::Slow, list).await.map(Json)
}

/// An experiment with the report of its last measurement.
#[utoipa::path(
    get, path = "/api/papers/{id}", tag = "papers", params(("id" = String, Path, example = "Y6.4")),
    responses((status = 200, body = PaperDetails), (status = 404, body = Refusal))
)]
pub async fn show(State(lab): State<Lab>, Named(id): Named<String>) -> Answer<Json<PaperDetails>> {
    let show = move |lab: &Laboratory| {
        let experiment = papers::find(&id).map_err(Refusal::not_found)?;
        let section = |report: Report| papers::section(&report);
        let here = report(lab, experiment).map(section);
        let kept = kept(experiment).map(section);
        let (report, kept) = match here {
            Some(here) => (Some(here), kept),
            None => (kept, None),
        };
        Ok(PaperDetails {
            columns: experiment
                .columns
                .iter()
                .map(|column| column.name)
                .collect(),
            rows: experiment
                .rows
                .iter()
                .map(|row| PaperRow {
                    name: row.name,
                    paper: row
                        .paper
                        .iter()
                        .map(|&figure| (!figure.is_nan()).then_some(figure))
                        .collect(),
                })
                .collect(),
            report,
            kept,
            summary: summary(lab, experiment),
        })
    };
    lab.work(Effort::Slow, show).await.map(Json)
}

/// How much work an experiment may be.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HowMuch {
    /// `quick` takes minutes, `smoke` only shows that it runs; the full measurement belongs on the
    /// command line: `lucena paper`.
    #[serde(default = "quick")]
    pub budget: WebBudget,
}

/// How much work.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebBudget {
    Smoke,
    Quick,
}

fn quick() -> WebBudget {
    WebBudget::Quick
}

/// Measures an experiment again. The answer is the job that does it.
#[utoipa::path(
    post, path = "/api/papers/{id}/run", tag = "papers", params(("id" = String, Path, example = "Y6.4")),
    request_body = HowMuch,
    responses(
        (status = 202, body = Job), (status = 404, body = Refusal),
        (status = 409, description = "it is running", body = Refusal),
        (status = 429, description = "too many jobs", body = Refusal)
    )
)]
pub async fn run(
    State(lab): State<Lab>,
    Named(id): Named<String>,
    Body(much): Body<HowMuch>,
) -> Answer<(StatusCode, Json<Job>)> {
    let experiment = papers::find(&id).map_err(Refusal::not_found)?;
    let budget = match much.budget {
        WebBudget::Smoke => Budget::Smoke,
        WebBudget::Quick => Budget::Quick,
    };
    let shared = lab.clone();
    let title = format!("experiment {}, {budget}", experiment.id);
    let job = lab
        .jobs
        .start(JobKind::Paper, experiment.id, title, move |desk| {
            carry_out(&shared, experiment.id, budget, desk)
        })?;
    Ok((StatusCode::ACCEPTED, Json(job)))
}

fn carry_out(lab: &Laboratory, id: &str, budget: Budget, desk: &Desk) -> Answer<Ended> {
    let progress = |progress: &papers::ExperimentProgress<'_>| {
        let trials = match progress.of {
            0 => String::new(),
            of => format!(": {} of {of}", progress.trials),
        };
        let recipe = match progress.recipe {
            "ours" => "the paper's settings",
            _ => "our best recipe",
        };
        desk.tell(
            progress.finished as u64,
            progress.measurements as u64,
            format!("row {}, {recipe}{trials} {}", progress.row, progress.remark),
        );
    };
    let running = Running {
        budget,
        seed: 1,
        threads: 0,
        tables: lab.tables.folder().to_owned(),
        games: None,
        out: Some(folder(lab)),
        rows: None,
        only: None,
        device: None,
        machine: papers::this_machine(),
        progress: Some(&progress),
        stop: Some(desk.cancel()),
    };
    let report = match papers::run(id, &running) {
        Ok(report) => report,
        Err(PaperError::Stopped) => return Ok(Ended::Cancelled),
        // A match that was stopped says so in its own words.
        Err(_) if !desk.go_on() => return Ok(Ended::Cancelled),
        Err(error) => return Err(Refusal::broken(error)),
    };
    papers::write_report(&report, &folder(lab)).map_err(Refusal::broken)?;
    Ok(Ended::Done("measured".to_owned()))
}
