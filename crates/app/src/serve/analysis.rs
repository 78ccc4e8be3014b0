//! What a player thinks of a position, told while it thinks.
//!
//! The answer is a stream of events that ends by itself: a search has a time, and ends when nobody
//! reads any more. Comparing two players is asking twice.

use std::{sync::atomic::AtomicBool, time::Duration};

use axum::{
    extract::State,
    response::sse::{Event, KeepAlive, Sse},
};
use play::{Info, Limits, PlayerError, PlayerSpec, Wish, derived_seed};
use rules::Game;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};
use tokio_stream::{Stream, wrappers::ReceiverStream};
use utoipa::ToSchema;

use super::{
    Lab,
    extract::Body,
    game::GameSoFar,
    laboratory::{Effort, Laboratory},
    refusal::{Answer, Refusal},
    thoughts::Thoughts,
};

/// The longest that a request may have somebody think.
const LONGEST: f64 = 60.0;
/// Moves of which a line is worked out, at most.
const MOST_LINES: usize = 10;
/// Browsers need not hear of every step.
const EVENTS_APART: Duration = Duration::from_millis(100);

/// A game, and who is to think about its last position.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalysisWanted {
    /// The first position as FEN.
    #[schema(example = "8/8/8/3k4/8/8/8/KR6 w - - 0 1")]
    pub start: String,
    /// The moves, each in UCI notation or SAN.
    #[serde(default)]
    pub moves: Vec<String>,
    /// The draw rules.
    pub rules: Option<String>,
    /// The player; its own settings hold as well, so that `minimax:depth=4` is done after four plies.
    #[schema(example = "puct:simulations=200")]
    pub player: String,
    /// What its chances follow from.
    #[serde(default)]
    pub seed: u64,
    /// Seconds to think, at most.
    #[serde(default = "five")]
    #[schema(minimum = 0.05, maximum = 60.0, example = 0.5)]
    pub seconds: f64,
    /// Of how many moves a line is wanted, from players that can look at several.
    #[serde(default = "three")]
    #[schema(minimum = 1, maximum = 10)]
    pub lines: usize,
}

fn five() -> f64 {
    5.0
}

fn three() -> usize {
    3
}

/// What is known at a moment.
#[derive(Clone, Serialize, ToSchema)]
pub struct Thinking {
    /// What the player thinks.
    pub thoughts: Thoughts,
    /// Its move, when it is done.
    pub uci: Option<String>,
    /// The same in SAN.
    pub san: Option<String>,
    /// Has a learned player never met this position, and merely picked something?
    pub unvisited: bool,
}

/// An event of an analysis.
#[derive(ToSchema)]
#[allow(dead_code)] // it is written by axum, and stands here for the description
pub struct Told {
    /// `thoughts` or `refused`.
    pub event: String,
    /// As JSON: a `Thinking` or a `Refusal`.
    pub data: String,
}

/// Has a player think about a position. Server-sent events: each `thoughts` is what is known so far, and the
/// last one has the move; `refused` says why there is none. Hanging up ends the search.
#[utoipa::path(
    post, path = "/api/analyse", tag = "games", request_body = AnalysisWanted,
    responses(
        (status = 200, body = Told, content_type = "text/event-stream"),
        (status = 400, body = Refusal),
        (status = 409, description = "the game is over", body = Refusal),
        (status = 429, description = "too many look on", body = Refusal)
    )
)]
pub async fn analyse(
    State(lab): State<Lab>,
    Body(asked): Body<AnalysisWanted>,
) -> Answer<Sse<impl Stream<Item = Result<Event, axum::Error>>>> {
    let place = lab.jobs.look_on()?;
    let (seconds, lines) = (asked.seconds, asked.lines);
    if !(0.05..=LONGEST).contains(&seconds) {
        return Err(Refusal::bad(format!(
            "a player may think for 0.05 to {LONGEST} seconds here"
        )));
    }
    if !(1..=MOST_LINES).contains(&lines) {
        return Err(Refusal::bad(format!("1 to {MOST_LINES} lines can be had")));
    }
    let set_up = move |lab: &Laboratory| {
        let game = GameSoFar {
            start: asked.start,
            moves: asked.moves,
            rules: asked.rules,
        }
        .game()?;
        if let Some(outcome) = game.outcome() {
            return Err(Refusal::conflict(format!("the game is over: {outcome}")));
        }
        lab.cover_position(game.position())?;
        let seed = derived_seed(asked.seed, game.plies() as u64);
        Ok((game, lab.player(&asked.player)?, seed))
    };
    let (game, player, seed) = lab.work(Effort::Slow, set_up).await?;
    let (tell, mut told) = watch::channel(None);
    let think = move |_: &Laboratory, gone: &AtomicBool| {
        let wish = Wish {
            limits: Limits {
                time: Some(Duration::from_secs_f64(seconds)),
                ..Limits::NONE
            },
            stop: gone,
            only: &[],
            lines,
        };
        think(&game, &player, seed, &wish, &|thinking| {
            tell.send_replace(Some(thinking));
        })
    };
    let (send, events) = mpsc::channel(1);
    tokio::spawn(async move {
        let _place = place;
        let work = lab.work_while_wanted(Effort::Analysis, think);
        tokio::pin!(work);
        let last = loop {
            tokio::select! {
                ended = &mut work => break ended,
                Ok(()) = told.changed() => {
                    let now = told.borrow_and_update().clone();
                    let event = Event::default().event("thoughts").json_data(now);
                    if send.send(event).await.is_err() {
                        return; // whoever has hung up is no longer thought for
                    }
                    tokio::time::sleep(EVENTS_APART).await;
                }
                () = send.closed() => return,
            }
        };
        let event = match last {
            Ok(thinking) => Event::default().event("thoughts").json_data(thinking),
            Err(refusal) => Event::default().event("refused").json_data(refusal),
        };
        let _ = send.send(event).await;
    });
    Ok(Sse::new(ReceiverStream::new(events)).keep_alive(KeepAlive::default()))
}

/// Has a player think; `tell` is told what it knows so far.
fn think(
    game: &Game,
    player: &PlayerSpec,
    seed: u64,
    wish: &Wish<'_>,
    tell: &dyn Fn(Thinking),
) -> Answer<Thinking> {
    let position = game.position();
    let mut known: Vec<Info> = Vec::new();
    let mut report = |number: usize, info: &Info| {
        // The lines of a new round replace those of the last one, from the first on.
        if number == 0 || number > known.len() + 1 {
            return;
        }
        match known.get_mut(number - 1) {
            Some(line) => line.clone_from(info),
            None => known.push(info.clone()),
        }
        tell(Thinking {
            thoughts: Thoughts::of_lines(position, &known),
            uci: None,
            san: None,
            unvisited: info.unvisited,
        });
    };
    let choice = player.player(seed).analyse(game, wish, &mut report);
    let choice = choice.map_err(|error| match error {
        PlayerError::Unsupported { .. } => Refusal::beyond(error),
        _ => Refusal::conflict(error),
    })?;
    // What the player has settled on comes first; the other lines stay as they were told last.
    match known.first_mut() {
        Some(first) => first.clone_from(&choice.info),
        None => known.push(choice.info.clone()),
    }
    if known[0].pv.is_empty() {
        known[0].pv.push(choice.mv);
    }
    Ok(Thinking {
        thoughts: Thoughts::of_lines(position, &known),
        uci: Some(position.uci(choice.mv)),
        san: Some(position.san(choice.mv)),
        unvisited: choice.info.unvisited,
    })
}
