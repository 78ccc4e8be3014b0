//! Games held against exact truth, move by move.

use axum::{Json, extract::State};
use play::{Judgement, PlayScore, Reviewed};
use rules::Color;
use serde::Serialize;
use truth::Verdict;
use utoipa::ToSchema;

use super::{
    Lab,
    extract::Body,
    game::{GameSoFar, name},
    laboratory::Effort,
    refusal::{Answer, Refusal},
};
use crate::probe::category;

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
