//! Games are written down as PGN, and read.

use axum::{Json, extract::State};
use rules::{Color, Outcome, Pgn, PgnReader, Reason, Rules, opening_name};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Lab,
    extract::Body,
    game::{GameSoFar, SideName},
    laboratory::{Effort, Laboratory},
    refusal::{Answer, Refusal},
};

/// A game to be written down.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToWrite {
    /// The first position as FEN.
    #[schema(example = "8/8/8/3k4/8/8/8/KR6 w - - 0 1")]
    pub start: String,
    /// The moves, each in UCI notation or SAN.
    #[serde(default)]
    pub moves: Vec<String>,
    /// The draw rules.
    pub rules: Option<String>,
    /// Who has white.
    pub white: Option<String>,
    /// Who has black.
    pub black: Option<String>,
    /// The side that has given up, if one has.
    pub resigned: Option<SideName>,
    /// The side whose time has run out, if one's has.
    pub timed_out: Option<SideName>,
}

/// A game as PGN.
#[derive(Serialize, ToSchema)]
pub struct Written {
    /// The text.
    pub pgn: String,
}

/// Writes a game as PGN.
#[utoipa::path(
    post, path = "/api/pgn", tag = "games", request_body = ToWrite,
    responses((status = 200, body = Written), (status = 400, body = Refusal))
)]
pub async fn write_pgn(
    State(lab): State<Lab>,
    Body(asked): Body<ToWrite>,
) -> Answer<Json<Written>> {
    let write = move |_: &Laboratory| {
        let game = GameSoFar {
            start: asked.start,
            moves: asked.moves,
            rules: asked.rules,
        }
        .game()?;
        let plies = game.plies();
        let lost = |side: SideName, reason: Reason| {
            let winner = match side {
                SideName::White => Color::Black,
                SideName::Black => Color::White,
            };
            Outcome::win(winner, reason)
        };
        let given_up = asked.resigned.map(|side| lost(side, Reason::Resignation));
        // Nobody wins on time with a king alone.
        let material = game.position().material();
        let too_late = asked.timed_out.map(|side| {
            let outcome = lost(side, Reason::TimeOut);
            match outcome.winner.map(|winner| material.side(winner).is_bare()) {
                Some(true) => Outcome::draw(Reason::TimeOut),
                _ => outcome,
            }
        });
        let outcome = game.outcome().or(given_up).or(too_late);
        let mut pgn = Pgn::new(game);
        if let Some(outcome) = outcome {
            pgn.result = outcome.into();
            pgn.comments.insert(plies, outcome.to_string());
        }
        let tags = [
            ("Event", Some("A game in the laboratory".to_owned())),
            ("White", asked.white),
            ("Black", asked.black),
            ("Opening", opening_name(&pgn.game).map(str::to_owned)),
        ];
        for (tag, value) in tags {
            if let Some(value) = value {
                pgn.tags.set(tag, &value).map_err(Refusal::bad)?;
            }
        }
        Ok(Written {
            pgn: pgn.to_string(),
        })
    };
    lab.work(Effort::Quick, write).await.map(Json)
}

/// A game that was read.
#[derive(Serialize, ToSchema)]
pub struct Read {
    /// The first position as FEN.
    pub start: String,
    /// The moves in UCI notation.
    pub moves: Vec<String>,
    /// Who has white, if the text says so.
    pub white: Option<String>,
    /// Who has black, if the text says so.
    pub black: Option<String>,
}

/// A text to be read.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToRead {
    /// One game as PGN; of several, the first is read.
    pub pgn: String,
}

/// Reads a game from PGN, and says what is wrong with it.
#[utoipa::path(
    post, path = "/api/pgn/read", tag = "games", request_body = ToRead,
    responses((status = 200, body = Read), (status = 400, body = Refusal))
)]
pub async fn read_pgn(State(lab): State<Lab>, Body(asked): Body<ToRead>) -> Answer<Json<Read>> {
    let read = move |_: &Laboratory| {
        let pgn = PgnReader::new(asked.pgn.as_bytes(), Rules::none())
            .next()
            .ok_or_else(|| Refusal::bad("there is no game in this text"))?
            .map_err(Refusal::bad)?;
        let game = &pgn.game;
        let who = |tag: &str| pgn.tags.get(tag).map(str::to_owned);
        Ok(Read {
            start: game.start().fen(),
            moves: game
                .positions()
                .zip(game.moves())
                .map(|(p, m)| p.uci(m))
                .collect(),
            white: who("White"),
            black: who("Black"),
        })
    };
    lab.work(Effort::Quick, read).await.map(Json)
}
