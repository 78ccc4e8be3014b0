//! Certificates: proofs of what a player is worth, kept as files.

use std::{borrow::Cow, fs, path::PathBuf, sync::Mutex, time::Instant};

use axum::{Json, extract::State, http::StatusCode};
use play::{
    Candidate, Certification, CertificationError, Ending, Fingerprint, MatchError, MoveJournal,
    OthersMoves, PlayerSpec,
};
use rules::{Board, Material, plain_file};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use truth::{CertifyError, Convert, Solver, Stage};
use utoipa::ToSchema;

use super::{
    Lab, bounds,
    exact::{eight, endgame},
    example,
    extract::{Body, Named},
    game::SideName,
    jobs::{Desk, Ended, Job, JobKind},
    laboratory::{Effort, Laboratory, check_name},
    refusal::{Answer, Refusal},
};
use crate::{
    certificate_report::value,
    certify::{Beside, keep_with_run, run_of},
    files::write_atomically,
    heat_map::heat_maps,
    matches::share,
    solve::grouped,
};

/// What is to be certified.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToCertify {
    /// The player; its move must depend on the position alone.
    #[schema(example = "minimax:depth=3,history=off")]
    pub player: String,
    /// The endgame, the attacker's men first.
    #[schema(example = "KRK")]
    pub material: String,
    /// The size of the board, 4 to 8.
    #[serde(default = "eight")]
    #[schema(minimum = 4, maximum = 8)]
    pub board: usize,
    /// Which side it plays: white attacks, black defends.
    #[serde(default = "white")]
    pub side: SideName,
    /// What counts after a capture or promotion: the player's own play, or exact truth.
    #[serde(default)]
    pub convert: ConvertBy,
    /// Games against perfect play to set beside the certificate of an attack.
    #[serde(default = "two_hundred")]
    #[schema(maximum = 10000)]
    pub games: u64,
}

/// What counts after a capture or promotion.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConvertBy {
    #[default]
    Player,
    Truth,
}

fn white() -> SideName {
    SideName::White
}

fn two_hundred() -> u64 {
    200
}

/// A certificate in short.
#[derive(Serialize, ToSchema)]
pub struct CertificateSummary {
    /// The name it is found by.
    pub id: String,
    /// Who was certified.
    pub player: String,
    /// The endgame.
    pub material: String,
    /// The size of the board.
    pub board: u64,
    /// The side the player has.
    pub side: String,
    /// The share of won positions from which mate is forced, or of held ones that are kept; none where
    /// there is nothing to prove.
    pub share: Option<f64>,
    /// What tells the player from others of that name; none in certificates made before there was one.
    pub fingerprint: Option<String>,
}

fn folder(lab: &Laboratory) -> PathBuf {
    lab.reports.join("certificates")
}

/// The certificates there are.
#[utoipa::path(
    get, path = "/api/certificates", tag = "certificates",
    responses((status = 200, body = [CertificateSummary]))
)]
pub async fn list(State(lab): State<Lab>) -> Answer<Json<Vec<CertificateSummary>>> {
    let list = |lab: &Laboratory| {
        let files = fs::read_dir(folder(lab)).into_iter().flatten().flatten();
        let made_here = files
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .filter_map(|path| plain_file::read(&path, plain_file::TEXT).ok());
        let mut certificates: Vec<CertificateSummary> = made_here
            .chain(example::certificates().map(Cow::into_owned))
            .filter_map(|text| {
                let value: Value = serde_json::from_slice(&text).ok()?;
                let text = |key: &str| value[key].as_str().map(str::to_owned);
                Some(CertificateSummary {
                    id: text("id")?,
                    player: text("player")?,
                    material: text("material")?,
                    board: value["board"].as_u64()?,
                    side: text("side")?,
                    share: value["share"].as_f64().or(value["kept_share"].as_f64()),
                    fingerprint: text("fingerprint"),
                })
            })
            .collect();
        certificates.sort_by(|a, b| a.id.cmp(&b.id));
        certificates.dedup_by(|a, b| a.id == b.id);
        Ok(certificates)
    };
    lab.work(Effort::Slow, list).await.map(Json)
}

/// A certificate, with refutations and heat maps.
#[utoipa::path(
    get, path = "/api/certificates/{id}", tag = "certificates", params(("id" = String, Path)),
    responses((status = 200, body = Object), (status = 400, body = Refusal), (status = 404, body = Refusal))
)]
pub async fn show(State(lab): State<Lab>, Named(id): Named<String>) -> Answer<Json<Value>> {
    let show = move |lab: &Laboratory| {
        check_name(&id)?;
        let none = || Refusal::not_found(format!("there is no certificate '{id}'"));
        let path = folder(lab).join(format!("{id}.json"));
        let made_here = plain_file::read(&path, plain_file::TEXT).ok();
        let text = made_here
            .or_else(|| example::certificate(&id).map(Cow::into_owned))
            .ok_or_else(none)?;
        serde_json::from_slice(&text).map_err(Refusal::broken)
    };
    lab.work(Effort::Slow, show).await.map(Json)
}

/// Starts to certify a player. The answer is the job that does it; its subject is the name of the
/// certificate to come.
#[utoipa::path(
    post, path = "/api/certificates", tag = "certificates", request_body = ToCertify,
    responses(
        (status = 202, body = Job), (status = 400, body = Refusal),
        (status = 409, description = "it is being made already", body = Refusal),
        (status = 429, description = "too many jobs", body = Refusal)
    )
)]
pub async fn start(
    State(lab): State<Lab>,
    Body(asked): Body<ToCertify>,
) -> Answer<(StatusCode, Json<Job>)> {
    let shared = lab.clone();
    let start = move |lab: &Laboratory| {
        let work = Work::new(lab, asked)?;
        let id = work.id.clone();
        let title = format!(
            "certifying {} in {} on {}",
            work.text, work.material, work.board
        );
        let job = lab.jobs.start(JobKind::Certify, &id, title, move |desk| {
            work.carry_out(&shared, desk)
        })?;
        Ok((StatusCode::ACCEPTED, Json(job)))
    };
    lab.work(Effort::Slow, start).await
}

/// A certificate to be made.
struct Work {
    id: String,
    /// The player's name as the page knows it.
    text: String,
    player: PlayerSpec,
    material: Material,
    board: Board,
    side: SideName,
    convert: Convert,
    games: u64,
}

impl Work {
    fn new(lab: &Laboratory, asked: ToCertify) -> Answer<Work> {
        let (material, board) = endgame(&asked.material, asked.board)?;
        bounds::check_games(asked.games)?;
        if material.men() < 3 || !lab.cover(material, board)? {
            return Err(Refusal::bad(format!(
                "{material} has no table: endgames of 3 and 4 men are solved on demand, those of {} by 'lucena solve {material}'",
                truth::MAX_MEN
            )));
        }
        if matches!(asked.side, SideName::White) && material.white.is_bare() {
            return Err(Refusal::bad(CertifyError::NothingToWin(material)));
        }
        // As the registry reads a player that is to be certified.
        let text = match asked.player.as_str() {
            "perfect" => "perfect:ties=first".to_owned(),
            _ => asked.player,
        };
        let player = lab.player(&text)?;
        Candidate::of(&player)
            .named(&text)
            .check()
            .map_err(Refusal::bad)?;
        let side = match asked.side {
            SideName::White => "white",
            SideName::Black => "black",
        };
        let convert = match asked.convert {
            ConvertBy::Player => Convert::Player,
            ConvertBy::Truth => Convert::Truth,
        };
        // Two networks under one name, or a run that has gone on, have a certificate each.
        let what = Fingerprint::of([
            text.as_bytes(),
            player.fingerprint().as_ref(),
            &[u8::from(convert == Convert::Player)],
        ]);
        Ok(Work {
            id: format!(
                "{material}-{0}x{0}-{side}-{1:.16}",
                board.size(),
                what.to_string()
            ),
            text,
            player,
            material,
            board,
            side: asked.side,
            convert,
            games: asked.games,
        })
    }

    fn carry_out(&self, lab: &Laboratory, desk: &Desk) -> Answer<Ended> {
        let begin = Instant::now();
        let asked = Mutex::new(begin);
        let step = |stage: Stage| {
            match stage {
                Stage::Asking {
                    material,
                    asked: done,
                    total,
                } => {
                    *asked
                        .lock()
                        .expect("no thread panics while it holds the clock") = Instant::now();
                    let message = format!(
                        "{material}: asked for its move in {} of {} positions",
                        grouped(done),
                        grouped(total)
                    );
                    desk.tell(done, total, message);
                }
                Stage::Judging { material, ply } => {
                    let message = format!("{material}: judging mates in {} moves", ply.div_ceil(2));
                    desk.tell(0, 0, message);
                }
            }
            desk.go_on()
        };
        let folder = folder(lab);
        fs::create_dir_all(&folder).map_err(Refusal::broken)?;
        let journal = folder.join(format!("{}.journal", self.id));
        let certification = Certification {
            material: self.material,
            board: self.board,
            convert: self.convert,
            journal: Some(MoveJournal {
                folder: journal.clone(),
                others: OthersMoves::Discard,
            }),
            stop: desk.cancel(),
            progress: &step,
        };
        let candidate = Candidate::of(&self.player).named(&self.text);
        let run = run_of(&self.text).and_then(|name| lab.run_folder(name).ok());
        let mut solver = Solver::with_folder(self.board, lab.tables.folder());
        let made = match self.side {
            SideName::White => certification.attack(&candidate, &mut solver).map(|proof| {
                if let Some(run) = &run {
                    // The certificate below is the one that counts; this one is a copy.
                    let _ = keep_with_run(run, &proof);
                }
                let mut value = value(&proof, proof.certificate.is_empty(), run.as_deref())?;
                value["heat_maps"] = heat_maps(&proof.certificate);
                Ok(value)
            }),
            SideName::Black => certification
                .defence(&candidate, &mut solver)
                .map(|proof| value(&proof, proof.certificate.is_empty(), run.as_deref())),
        };
        let mut value = match made {
            Ok(value) => value.map_err(|error: serde_json::Error| Refusal::broken(error))?,
            Err(CertificationError::Certify(CertifyError::Stopped)) => {
                return Ok(Ended::Cancelled);
            }
            Err(error @ CertificationError::Certify(CertifyError::Player { .. }))
                if self.convert == Convert::Player =>
            {
                return Err(Refusal::bad(format!(
                    "{error}; if the player does not know the endgames this one turns into, let exact truth count there"
                )));
            }
            Err(error) => return Err(Refusal::bad(error)),
        };
        let nothing = value["nothing_to_prove"] == json!(true);
        value["seconds_judging"] = json!(
            asked
                .lock()
                .expect("no thread panics while it holds the clock")
                .elapsed()
                .as_secs_f64()
        );
        value["seconds"] = json!(begin.elapsed().as_secs_f64());
        if matches!(self.side, SideName::White) && self.games > 0 && !nothing {
            desk.tell(0, 0, format!("{} games against perfect play", self.games));
            let beside = Beside {
                material: self.material,
                board: self.board,
                games: self.games,
                seed: 1,
                threads: 0,
            };
            let perfect = lab.player("perfect")?;
            match beside.play(&self.player, perfect, &lab.tables, desk.cancel()) {
                Ok(result) if !result.complete => return Ok(Ended::Cancelled),
                Ok(result) => {
                    value["games_won_share"] = share(result.statistics.share(Ending::Win));
                }
                // Won positions can be too rare to be met by chance.
                Err(MatchError::NoOpening { .. }) => {}
                Err(error) => return Err(Refusal::broken(error)),
            }
        }
        value["id"] = json!(self.id);
        let text = serde_json::to_vec_pretty(&value).map_err(Refusal::broken)?;
        write_atomically(&folder.join(format!("{}.json", self.id)), &text)
            .map_err(Refusal::broken)?;
        let _ = fs::remove_dir_all(journal);
        let ended = if nothing {
            "nothing to prove"
        } else {
            "certified"
        };
        Ok(Ended::Done(ended.to_owned()))
    }
}
