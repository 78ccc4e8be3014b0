//! Long work: trainings, certificates, experiments. A job belongs to the server and not to the
//! browser that started it, so that closing the browser loses nothing.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    Json,
    extract::State,
    response::sse::{Event, KeepAlive, Sse},
};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_stream::{Stream, wrappers::ReceiverStream};
use utoipa::ToSchema;

use super::{
    Lab,
    extract::Named,
    refusal::{Answer, Refusal},
};

/// Jobs that run at the same time; the others wait.
const RUNNING: usize = 2;
/// Jobs that may run or wait.
const UNFINISHED: usize = 16;
/// Streams of events that may be open at a time.
const STREAMS: usize = 256;
/// Finished jobs that are remembered.
const REMEMBERED: usize = 100;
/// Browsers need not hear of every step.
const EVENTS_APART: Duration = Duration::from_millis(100);

/// A job and how far it is.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Job {
    /// Its number.
    pub id: u64,
    /// What kind of work.
    pub kind: JobKind,
    /// What it works on: the name of a run, of a certificate or of an experiment.
    pub subject: String,
    /// What it does, in words.
    pub title: String,
    /// Where it stands.
    pub status: Status,
    /// How much is done.
    pub done: u64,
    /// How much there is to do; 0 while that is not known.
    pub of: u64,
    /// How far it is, in words.
    pub message: String,
    /// What went wrong, if it failed.
    pub error: Option<String>,
}

/// What kind of work a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobKind {
    Train,
    Certify,
    Paper,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Waiting,
    Running,
    Done,
    Failed,
    Cancelled,
}

impl Status {
    pub fn is_over(self) -> bool {
        matches!(self, Status::Done | Status::Failed | Status::Cancelled)
    }
}

/// How a job ended.
pub enum Ended {
    Done(String),
    Cancelled,
}

/// What a job's work is given: it tells how far it is, and asks whether to go on.
pub struct Desk {
    state: watch::Sender<Job>,
    cancel: AtomicBool,
}

impl Desk {
    /// Tells how far the work is.
    pub fn tell(&self, done: u64, of: u64, message: String) {
        self.state.send_if_modified(|job| {
            let changed = (job.done, job.of, &job.message) != (done, of, &message);
            (job.done, job.of, job.message) = (done, of, message);
            changed
        });
    }

    /// Set when the work should stop.
    pub fn cancel(&self) -> &AtomicBool {
        &self.cancel
    }

    /// Should it go on?
    pub fn go_on(&self) -> bool {
        !self.cancel.load(Ordering::Relaxed)
    }

    fn job(&self) -> Job {
        self.state.borrow().clone()
    }

    fn end(&self, status: Status, message: Option<String>, error: Option<String>) {
        self.state.send_modify(|job| {
            job.status = status;
            job.message = message.unwrap_or_default();
            job.error = error;
        });
    }
}

/// All jobs.
pub struct Jobs {
    desks: Mutex<BTreeMap<u64, Arc<Desk>>>,
    running: Arc<Semaphore>,
    streams: Arc<Semaphore>,
}

impl Default for Jobs {
    fn default() -> Jobs {
        Jobs {
            desks: Mutex::default(),
            running: Arc::new(Semaphore::new(RUNNING)),
            streams: Arc::new(Semaphore::new(STREAMS)),
        }
    }
}

impl Jobs {
    /// Starts a job, or puts it in the queue. The same work is never done twice at a time.
    pub fn start(
        &self,
        kind: JobKind,
        subject: &str,
        title: String,
        work: impl FnOnce(&Desk) -> Answer<Ended> + Send + 'static,
    ) -> Answer<Job> {
        self.start_after(kind, subject, title, work, || Ok(()))
    }

    /// The same, with something to be done once it is clear that the job may start.
    pub fn start_after(
        &self,
        kind: JobKind,
        subject: &str,
        title: String,
        work: impl FnOnce(&Desk) -> Answer<Ended> + Send + 'static,
        first: impl FnOnce() -> Answer<()>,
    ) -> Answer<Job> {
        let mut desks = self.desks.lock().expect(POISON);
        let open = |desk: &&Arc<Desk>| !desk.state.borrow().status.is_over();
        check_idle(&desks, kind, subject)?;
        if desks.values().filter(open).count() >= UNFINISHED {
            return Err(Refusal::busy(format!(
                "{UNFINISHED} jobs are running or waiting; wait for one to end, or cancel one"
            )));
        }
        first()?;
        while desks.len() >= UNFINISHED + REMEMBERED {
            let oldest = desks
                .iter()
                .find(|(_, desk)| !open(desk))
                .map(|(&id, _)| id);
            let Some(oldest) = oldest else { break };
            desks.remove(&oldest);
        }
        let id = desks.last_key_value().map_or(1, |(&id, _)| id + 1);
        let job = Job {
            id,
            kind,
            subject: subject.to_owned(),
            title,
            status: Status::Waiting,
            done: 0,
            of: 0,
            message: "waiting for its turn".to_owned(),
            error: None,
        };
        let desk = Arc::new(Desk {
            state: watch::Sender::new(job.clone()),
            cancel: AtomicBool::new(false),
        });
        desks.insert(id, desk.clone());
        drop(desks);
        let running = self.running.clone();
        tokio::spawn(async move {
            // The semaphore is never closed.
            let Ok(_turn) = running.acquire_owned().await else {
                return;
            };
            if !desk.go_on() {
                return desk.end(Status::Cancelled, None, None);
            }
            desk.state.send_modify(|job| {
                job.status = Status::Running;
                job.message = "starting".to_owned();
            });
            let inner = desk.clone();
            match tokio::task::spawn_blocking(move || work(&inner)).await {
                Ok(Ok(Ended::Done(message))) => desk.end(Status::Done, Some(message), None),
                Ok(Ok(Ended::Cancelled)) => desk.end(Status::Cancelled, None, None),
                Ok(Err(refusal)) => desk.end(Status::Failed, None, Some(refusal.error)),
                // A panic is a bug of ours; it costs this job and nothing else.
                Err(_) => {
                    let error = "something went wrong inside; the log of the server says what";
                    desk.end(Status::Failed, None, Some(error.to_owned()));
                }
            }
        });
        Ok(job)
    }

    /// Does something that must not happen while a job works on the subject.
    pub fn while_idle<T>(
        &self,
        kind: JobKind,
        subject: &str,
        work: impl FnOnce() -> Answer<T>,
    ) -> Answer<T> {
        let desks = self.desks.lock().expect(POISON);
        check_idle(&desks, kind, subject)?;
        work()
    }

    /// Every job, the newest first.
    pub fn list(&self) -> Vec<Job> {
        let desks = self.desks.lock().expect(POISON);
        desks.values().rev().map(|desk| desk.job()).collect()
    }

    /// The unfinished job that works on something.
    pub fn working_on(&self, kind: JobKind, subject: &str) -> Option<u64> {
        self.list()
            .into_iter()
            .find(|job| job.kind == kind && job.subject == subject && !job.status.is_over())
            .map(|job| job.id)
    }

    /// A place for one more stream of events, while it is held.
    pub fn look_on(&self) -> Answer<OwnedSemaphorePermit> {
        let place = self.streams.clone().try_acquire_owned();
        place.map_err(|_| Refusal::busy("too many look on; ask again in a moment"))
    }

    fn desk(&self, id: u64) -> Answer<Arc<Desk>> {
        let desks = self.desks.lock().expect(POISON);
        let desk = desks.get(&id).cloned();
        desk.ok_or_else(|| Refusal::not_found(format!("there is no job {id}")))
    }

    /// Asks a job to stop; what it has finished is kept.
    fn cancel(&self, id: u64) -> Answer<Job> {
        let desk = self.desk(id)?;
        desk.cancel.store(true, Ordering::Relaxed);
        if desk.job().status == Status::Waiting {
            desk.end(Status::Cancelled, None, None);
        }
        Ok(desk.job())
    }

    /// Asks all jobs to stop and waits until they have saved what they must.
    pub async fn stop_all(&self) {
        let desks: Vec<Arc<Desk>> = self.desks.lock().expect(POISON).values().cloned().collect();
        for desk in &desks {
            desk.cancel.store(true, Ordering::Relaxed);
        }
        for desk in desks {
            let mut state = desk.state.subscribe();
            let over = state.wait_for(|job| job.status.is_over() || job.status == Status::Waiting);
            // A job that does not listen must not keep the server from ending.
            let _ = tokio::time::timeout(Duration::from_secs(30), over).await;
        }
    }
}

/// Refuses what an unfinished job works on.
fn check_idle(desks: &BTreeMap<u64, Arc<Desk>>, kind: JobKind, subject: &str) -> Answer<()> {
    let mut jobs = desks.values().map(|desk| desk.state.borrow());
    match jobs.find(|job| job.kind == kind && job.subject == subject && !job.status.is_over()) {
        Some(job) => Err(Refusal::conflict(format!(
            "{subject} is being worked on already, by job {}",
            job.id
        ))),
        None => Ok(()),
    }
}

/// Every job, the newest first.
#[utoipa::path(get, path = "/api/jobs", tag = "jobs", responses((status = 200, body = [Job])))]
pub async fn list(State(lab): State<Lab>) -> Json<Vec<Job>> {
    Json(lab.jobs.list())
}

/// One job.
#[utoipa::path(
    get, path = "/api/jobs/{id}", tag = "jobs", params(("id" = u64, Path)),
    responses((status = 200, body = Job), (status = 404, body = Refusal))
)]
pub async fn show(State(lab): State<Lab>, Named(id): Named<u64>) -> Answer<Json<Job>> {
    Ok(Json(lab.jobs.desk(id)?.job()))
}

/// Asks a job to stop. What it has finished is kept; a training can be resumed.
#[utoipa::path(
    delete, path = "/api/jobs/{id}", tag = "jobs", params(("id" = u64, Path)),
    responses((status = 200, body = Job), (status = 404, body = Refusal))
)]
pub async fn cancel(State(lab): State<Lab>, Named(id): Named<u64>) -> Answer<Json<Job>> {
    Ok(Json(lab.jobs.cancel(id)?))
}

/// A job as it goes on: server-sent events, each a job as JSON, until it is over.
#[utoipa::path(
    get, path = "/api/jobs/{id}/events", tag = "jobs", params(("id" = u64, Path)),
    responses(
        (status = 200, body = String, content_type = "text/event-stream"),
        (status = 404, body = Refusal),
        (status = 429, description = "too many look on", body = Refusal)
    )
)]
pub async fn events(
    State(lab): State<Lab>,
    Named(id): Named<u64>,
) -> Answer<Sse<impl Stream<Item = Result<Event, axum::Error>>>> {
    let desk = lab.jobs.desk(id)?;
    let place = lab.jobs.look_on()?;
    let mut states = desk.state.subscribe();
    let (send, events) = mpsc::channel(1);
    tokio::spawn(async move {
        let _place = place;
        loop {
            let job = states.borrow_and_update().clone();
            let over = job.status.is_over();
            let event = Event::default().event("job").json_data(job);
            if send.send(event).await.is_err() || over {
                break;
            }
            // Somebody who goes away is missed at once, however long nothing happens.
            tokio::select! {
                changed = states.changed() => if changed.is_err() { break },
                () = send.closed() => break,
            }
            tokio::time::sleep(EVENTS_APART).await;
        }
    });
    Ok(Sse::new(ReceiverStream::new(events)).keep_alive(KeepAlive::default()))
}

const POISON: &str = "no thread panics while it holds the list of jobs";
