//! A game of a run's present player, to see how well it plays by now.

use std::{
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use axum::{Json, extract::State};
use learn::Task;
use play::{Choice, Dice, Limits, Player, PlayerError, derived_seed};
use rules::{Game, Position, Rules};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Lab,
    extract::{Asked, Named},
    laboratory::{Effort, Laboratory},
    refusal::{Answer, Refusal},
    runs::planned,
};
use crate::positions::{SideToMove, Wanted};

/// Longer games are shown as far as they go.
const LONGEST: usize = 200;
/// All moves of a game have so much time together.
const TIME: Duration = Duration::from_secs(10);
/// Plies by lot at the beginning of a whole game, lest all be the same.
const BY_LOT: usize = 4;

/// Which game.
#[derive(Deserialize, IntoParams)]
pub struct WhichGame {
    /// What its beginning follows from; the same number and the same checkpoint, the same game. With 0 a
    /// whole game begins without a ply by lot.
    #[serde(default)]
    pub seed: u64,
}

/// A game of a run's player.
#[derive(Serialize, ToSchema)]
pub struct Sample {
    /// The first position as FEN.
    pub start: String,
    /// The moves in UCI notation.
    pub moves: Vec<String>,
    /// Who had white.
    pub white: String,
    /// Who had black: `perfect`, where the run has learned white's side only.
    pub black: String,
    /// Games, or what else it counts, after which the run plays so.
    pub episodes: u64,
    /// How it ended, in words.
    pub end: String,
}

/// A game that the run's newest checkpoint plays against itself, or, where it has learned one side only, against
/// perfect play. A run that goes on plays another one later.
#[utoipa::path(
    get, path = "/api/runs/{name}/sample", tag = "runs", params(("name" = String, Path), WhichGame),
    responses(
        (status = 200, body = Sample), (status = 400, body = Refusal), (status = 404, body = Refusal),
        (status = 409, description = "it has learned nothing yet", body = Refusal)
    )
)]
pub async fn sample(
    State(lab): State<Lab>,
    Named(name): Named<String>,
    Asked(asked): Asked<WhichGame>,
) -> Answer<Json<Sample>> {
    let play = move |lab: &Laboratory, gone: &AtomicBool| {
        let plan = planned(lab, &name)?;
        let run = learn::info(&lab.run_folder(&name)?).map_err(Refusal::broken)?;
        let Some(progressed) = run.progressed else {
            return Err(Refusal::conflict(format!(
                "{name} has learned nothing yet that it could play; its first checkpoint comes after {} {}",
                plan.checkpoint_every,
                plan.recipe().map_err(Refusal::bad)?.episodes
            )));
        };
        let text = format!("run:{name}");
        let own = lab.player(&format!("{text},checkpoint=newest"))?;
        let game = begin(lab, plan.task().map_err(Refusal::bad)?, asked.seed)?;
        let perfect = lab.player("perfect")?;
        let mut table = Table {
            game,
            own: own.player(asked.seed),
            perfect: perfect.player(asked.seed),
            alone: true,
        };
        let end = table.play(gone)?;
        let game = &table.game;
        Ok(Sample {
            start: game.start().fen(),
            moves: game
                .positions()
                .zip(game.moves())
                .map(|(position, m)| position.uci(m))
                .collect(),
            white: text.clone(),
            black: if table.alone { text } else { "perfect".into() },
            episodes: progressed.episodes,
            end,
        })
    };
    lab.work_while_wanted(Effort::Search, play).await.map(Json)
}

/// Where a game begins.
fn begin(lab: &Laboratory, task: Task, seed: u64) -> Answer<Game> {
    let (material, board) = match task {
        Task::Endgame(material, board) => (material, board),
        Task::Chess => {
            let mut game = Game::new(Position::start(), Rules::default());
            let mut dice = Dice::new(derived_seed(seed, 0));
            for _ in 0..if seed == 0 { 0 } else { BY_LOT } {
                let moves = game.position().legal_moves();
                game.play_legal(moves[dice.below(moves.len())]);
            }
            return Ok(game);
        }
    };
    lab.cover(material, board)?;
    let wanted = Wanted {
        material,
        board,
        side: SideToMove::White,
        count: 20,
        seed,
    };
    let games = wanted.at_random().into_iter();
    let mut games = games.map(|position| Game::new(position, Rules::default()));
    let found = games.find(|game| game.outcome().is_none());
    found.ok_or_else(|| Refusal::not_found("there is no position to begin with"))
}

/// The run's player, and somebody who stands in for it.
struct Table {
    game: Game,
    own: Box<dyn Player>,
    perfect: Box<dyn Player>,
    /// Has it moved for black, too?
    alone: bool,
}

impl Table {
    /// Plays to the end, which it tells in words.
    fn play(&mut self, gone: &AtomicBool) -> Answer<String> {
        let begun = Instant::now();
        while self.game.plies() < LONGEST {
            if let Some(outcome) = self.game.outcome() {
                return Ok(outcome.to_string());
            }
            let left = TIME.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Ok("broken off: it took too long".to_owned());
            }
            let limits = Limits {
                time: Some(left),
                ..Limits::NONE
            };
            let choice = self.choose(gone, &limits).map_err(Refusal::conflict)?;
            self.game.play_legal(choice.mv);
        }
        Ok(match self.game.outcome() {
            Some(outcome) => outcome.to_string(),
            None => format!("broken off after {LONGEST} plies"),
        })
    }

    fn choose(&mut self, gone: &AtomicBool, limits: &Limits) -> Result<Choice, PlayerError> {
        match self.own.choose_unless(gone, &self.game, limits) {
            Err(PlayerError::Unsupported { .. }) => {
                self.alone &= self.game.position().turn().is_white();
                self.perfect.choose_unless(gone, &self.game, limits)
            }
            other => other,
        }
    }
}
