//! Games. The server keeps none: a request brings the first position and the moves, so that any
//! number of games can be open and none is lost when the server is started again.

use std::{sync::atomic::AtomicBool, time::Duration};

use axum::{Json, extract::State};
use play::{Limits, PlayerError, derived_seed};
use rules::{Color, Game, Outcome, Position, Rules, opening_name};
use serde::{Deserialize, Serialize};
use truth::Verdict;
use utoipa::ToSchema;

use super::{
    Lab,
    extract::Body,
    laboratory::{Effort, Laboratory},
    refusal::{Answer, Refusal},
    thoughts::Thoughts,
};
use crate::probe::category;

/// The longest game, in plies.
const LONGEST_GAME: usize = 2000;
/// A player that is asked over the web has so much time for a move.
const TIME_FOR_A_MOVE: Duration = Duration::from_secs(10);

/// A game: where it began and what was played.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GameSoFar {
    /// The first position as FEN; N ranks of N files for an N×N board.
    #[schema(example = "8/8/8/3k4/8/8/8/KR6 w - - 0 1")]
    pub start: String,
    /// The moves, each in UCI notation or SAN.
    #[serde(default)]
    pub moves: Vec<String>,
    /// The draw rules: `fifty,threefold` unless said otherwise.
    pub rules: Option<String>,
}

impl GameSoFar {
    /// The game, played again.
    pub(super) fn game(&self) -> Answer<Game> {
        let start = Position::from_fen(&self.start).map_err(Refusal::bad)?;
        let rules = match self.rules.as_deref() {
            None => Rules::default(),
            Some(text) => text.parse().map_err(Refusal::bad)?,
        };
        if self.moves.len() > LONGEST_GAME {
            return Err(Refusal::bad(format!(
                "a game has at most {LONGEST_GAME} plies here"
            )));
        }
        let mut game = Game::new(start, rules);
        for text in &self.moves {
            let position = game.position();
            let m = match position.parse_uci(text) {
                Some(m) => m,
                None => position.parse_san(text).map_err(Refusal::bad)?,
            };
            game.play(m).map_err(Refusal::bad)?;
        }
        Ok(game)
    }
}

/// A game as the page shows it.
#[derive(Serialize, ToSchema)]
pub struct GameState {
    /// The position on the board.
    pub fen: String,
    /// The size of the board.
    pub board: usize,
    /// What is on it, white's men first.
    pub material: String,
    /// The side to move.
    pub turn: &'static str,
    /// Is it in check?
    pub check: bool,
    /// The moves so far.
    pub moves: Vec<PlayedMove>,
    /// The legal moves.
    pub legal: Vec<LegalMove>,
    /// How it ended, if it is over.
    pub outcome: Option<Ending>,
    /// What exact truth says about the position.
    pub verdict: ExactValue,
    /// The name of the opening, if the game has followed one that has a name.
    pub opening: Option<&'static str>,
}

/// A move that was played.
#[derive(Serialize, ToSchema)]
pub struct PlayedMove {
    /// In UCI notation.
    pub uci: String,
    /// In SAN.
    pub san: String,
    /// The position after it.
    pub fen: String,
}

/// A move that could be played.
#[derive(Serialize, ToSchema)]
pub struct LegalMove {
    /// In UCI notation.
    pub uci: String,
    /// In SAN.
    pub san: String,
}

/// How a game ended.
#[derive(Serialize, ToSchema)]
pub struct Ending {
    /// `white`, `black` or nobody.
    pub winner: Option<&'static str>,
    /// Why it is over, in a word.
    pub reason: &'static str,
    /// The same as a sentence.
    pub text: String,
    /// As PGN writes it.
    pub result: &'static str,
}

impl Ending {
    fn new(outcome: Outcome) -> Ending {
        Ending {
            winner: outcome.winner.map(name),
            reason: outcome.reason.id(),
            text: outcome.to_string(),
            result: outcome.pgn(),
        }
    }
}

/// The exact value of a position for its side to move.
#[derive(Serialize, ToSchema)]
pub struct ExactValue {
    /// `win`, `draw`, `loss` or `unknown`.
    pub category: &'static str,
    /// Plies to mate, negative when the side to move is mated.
    pub dtm: Option<i32>,
    /// Moves of the winning side to mate.
    pub dtm_moves: Option<u16>,
}

impl ExactValue {
    fn new(verdict: Option<Verdict>) -> ExactValue {
        ExactValue {
            category: category(verdict),
            dtm: verdict.and_then(Verdict::signed_plies),
            dtm_moves: verdict.and_then(Verdict::moves),
        }
    }
}

/// A side.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SideName {
    White,
    Black,
}

pub(super) fn name(color: Color) -> &'static str {
    color.fold_wb("white", "black")
}

fn state(lab: &Laboratory, game: &Game) -> Answer<GameState> {
    let position = game.position();
    let verdict = if lab.cover_position(position)? {
        lab.tables.probe(position).map_err(Refusal::broken)?
    } else {
        None
    };
    let before_and_after = game.positions().zip(game.positions().skip(1));
    let standing = game.standing();
    Ok(GameState {
        fen: position.fen(),
        board: position.board().size(),
        material: position.material().to_string(),
        turn: name(position.turn()),
        check: position.is_check(),
        moves: before_and_after
            .zip(game.moves())
            .map(|((before, after), m)| PlayedMove {
                uci: before.uci(m),
                san: before.san(m),
                fen: after.fen(),
            })
            .collect(),
        legal: standing
            .moves
            .into_iter()
            .map(|m| LegalMove {
                uci: position.uci(m),
                san: position.san(m),
            })
            .collect(),
        outcome: standing.outcome.map(Ending::new),
        verdict: ExactValue::new(verdict),
        opening: opening_name(game),
    })
}

/// A game: its position, legal moves and how it ended. Also says what is wrong with a position.
#[utoipa::path(
    post, path = "/api/game", tag = "games", request_body = GameSoFar,
    responses((status = 200, body = GameState), (status = 400, body = Refusal))
)]
pub async fn show(State(lab): State<Lab>, Body(asked): Body<GameSoFar>) -> Answer<Json<GameState>> {
    let state = move |lab: &Laboratory| state(lab, &asked.game()?);
    lab.work(Effort::Quick, state).await.map(Json)
}

/// A game and who is to reply.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplyWanted {
    /// The first position as FEN.
    #[schema(example = "8/8/8/3k4/8/8/8/KR6 w - - 0 1")]
    pub start: String,
    /// The moves, each in UCI notation or SAN.
    #[serde(default)]
    pub moves: Vec<String>,
    /// The draw rules.
    pub rules: Option<String>,
    /// The player, such as `perfect`, `minimax:depth=4` or `run:krk`.
    #[schema(example = "perfect")]
    pub player: String,
    /// What its chances follow from; with the same number, the same game.
    #[serde(default)]
    pub seed: u64,
    /// Seconds that it has for the move, such as a share of what its clock shows: 10 unless said
    /// otherwise, and never more.
    #[schema(minimum = 0.01, maximum = 10.0, example = 1.0)]
    pub seconds: Option<f64>,
}

/// A player's move.
#[derive(Serialize, ToSchema)]
pub struct Reply {
    /// In UCI notation.
    pub uci: String,
    /// In SAN.
    pub san: String,
    /// Has a learned player never met this position, and merely picked something?
    pub unvisited: bool,
    /// What led to it, as far as the player tells.
    pub thoughts: Thoughts,
    /// The game after it.
    pub game: GameState,
}

/// Asks a player for its move.
#[utoipa::path(
    post, path = "/api/reply", tag = "games", request_body = ReplyWanted,
    responses(
        (status = 200, body = Reply), (status = 400, body = Refusal), (status = 409, body = Refusal),
        (status = 422, description = "the player cannot play this position", body = Refusal)
    )
)]
pub async fn reply(State(lab): State<Lab>, Body(asked): Body<ReplyWanted>) -> Answer<Json<Reply>> {
    // These look their move up; the others search.
    let quick = ["perfect", "random", "heuristic", "drawish"].contains(&asked.player.as_str());
    let effort = if quick { Effort::Quick } else { Effort::Search };
    let time = match asked.seconds {
        None => TIME_FOR_A_MOVE,
        Some(seconds) if (0.01..=TIME_FOR_A_MOVE.as_secs_f64()).contains(&seconds) => {
            Duration::from_secs_f64(seconds)
        }
        Some(_) => {
            return Err(Refusal::bad(
                "a player may have 0.01 to 10 seconds for a move",
            ));
        }
    };
    let reply = move |lab: &Laboratory, gone: &AtomicBool| {
        let mut game = GameSoFar {
            start: asked.start,
            moves: asked.moves,
            rules: asked.rules,
        }
        .game()?;
        if let Some(outcome) = game.outcome() {
            return Err(Refusal::conflict(format!("the game is over: {outcome}")));
        }
        let spec = lab.player(&asked.player)?;
        lab.cover_position(game.position())?;
        let seed = derived_seed(asked.seed, game.plies() as u64);
        let limits = Limits {
            time: Some(time),
            ..Limits::NONE
        };
        let choice = spec.player(seed).choose_unless(gone, &game, &limits);
        let choice = choice.map_err(|error| match error {
            PlayerError::Unsupported { .. } => Refusal::beyond(error),
            // An engine that fails is not the fault of the server.
            _ => Refusal::conflict(error),
        })?;
        let (uci, san) = (
            game.position().uci(choice.mv),
            game.position().san(choice.mv),
        );
        let thoughts = Thoughts::new(game.position(), &choice.info);
        game.play(choice.mv).map_err(Refusal::conflict)?;
        Ok(Reply {
            uci,
            san,
            unvisited: choice.info.unvisited,
            thoughts,
            game: state(lab, &game)?,
        })
    };
    lab.work_while_wanted(effort, reply).await.map(Json)
}
