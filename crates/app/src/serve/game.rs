//! Games. The server keeps none: a request brings the first position and the moves, so that any
//! number of games can be open and none is lost when the server is started again.

use std::{sync::atomic::AtomicBool, time::Duration};

use axum::{Json, extract::State};
use play::{Judgement, Limits, PlayScore, PlayerError, Reviewed, derived_seed};
use rules::{Color, Game, Outcome, Pgn, PgnReader, Position, Reason, Rules, opening_name};
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

fn name(color: Color) -> &'static str {
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

/// A game held against exact truth.
#[derive(Serialize, ToSchema)]
pub struct Review {
    /// The value of every position, from the first to the last, for white: plies to mate,
    /// negative when black mates; absent where it is a draw or unknown.
    pub white_dtm: Vec<Option<i32>>,
    /// `win`, `draw`, `loss` for white, or `unknown`: every position.
    pub white_category: Vec<&'static str>,
    /// Move by move.
    pub moves: Vec<ReviewedMove>,
    /// White's moves, counted.
    pub white: SideScore,
    /// Black's moves, counted.
    pub black: SideScore,
}

/// A move held against the best one.
#[derive(Serialize, ToSchema)]
pub struct ReviewedMove {
    /// The move in SAN.
    pub san: String,
    /// Who played it.
    pub side: &'static str,
    /// `best`, `slower`, `win_thrown_away`, `blunder` or `unknown`.
    pub judgement: &'static str,
    /// Moves lost, where it was slower.
    pub moves_lost: u16,
    /// What would have been best, in SAN.
    pub best: Vec<String>,
}

/// One side's moves, counted.
#[derive(Serialize, ToSchema)]
pub struct SideScore {
    /// Moves whose value is known.
    pub moves: usize,
    /// Those among them that were best.
    pub best: usize,
    /// Moves lost on the way without changing the result.
    pub moves_lost: u32,
    /// Wins thrown away and games lost.
    pub thrown_away: usize,
}

impl SideScore {
    fn new(side: Color, reviewed: &[Reviewed]) -> SideScore {
        let score = PlayScore::of(side, reviewed);
        SideScore {
            moves: score.moves,
            best: score.best,
            moves_lost: score.moves_lost,
            thrown_away: score.thrown_away,
        }
    }
}

/// Holds every move of a game against exact truth.
#[utoipa::path(
    post, path = "/api/review", tag = "games", request_body = GameSoFar,
    responses((status = 200, body = Review), (status = 400, body = Refusal))
)]
pub async fn review(State(lab): State<Lab>, Body(asked): Body<GameSoFar>) -> Answer<Json<Review>> {
    lab.work(Effort::Slow, move |lab| {
        let game = asked.game()?;
        lab.cover_position(game.start())?;
        let reviewed = play::review(&game, &*lab.tables);
        let values: Vec<Option<Verdict>> = game
            .positions()
            .map(|position| {
                let verdict = lab.tables.probe(position).map_err(Refusal::broken)?;
                Ok(match position.turn() {
                    Color::White => verdict,
                    Color::Black => verdict.map(turned),
                })
            })
            .collect::<Answer<_>>()?;
        let positions = game.positions();
        Ok(Review {
            white_dtm: values
                .iter()
                .map(|v| v.and_then(Verdict::signed_plies))
                .collect(),
            white_category: values.iter().map(|&v| category(v)).collect(),
            white: SideScore::new(Color::White, &reviewed),
            black: SideScore::new(Color::Black, &reviewed),
            moves: positions
                .zip(reviewed)
                .map(|(position, reviewed)| ReviewedMove {
                    san: position.san(reviewed.played),
                    side: name(reviewed.side),
                    judgement: match reviewed.judgement {
                        None => "unknown",
                        Some(Judgement::Best) => "best",
                        Some(Judgement::Slower { .. }) => "slower",
                        Some(Judgement::WinThrownAway) => "win_thrown_away",
                        Some(Judgement::Blunder) => "blunder",
                    },
                    moves_lost: match reviewed.judgement {
                        Some(Judgement::Slower { moves }) => moves,
                        _ => 0,
                    },
                    best: reviewed.best.iter().map(|&m| position.san(m)).collect(),
                })
                .collect(),
        })
    })
    .await
    .map(Json)
}

/// The same value for the other side.
fn turned(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Win { plies } => Verdict::Loss { plies },
        Verdict::Loss { plies } => Verdict::Win { plies },
        Verdict::Draw => Verdict::Draw,
    }
}

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

/// A side.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SideName {
    White,
    Black,
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
