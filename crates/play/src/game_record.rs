use rules::{Color, FenError, Game, Outcome, Pgn, Position, Reason, Rules};
use serde::{Deserialize, Serialize};

/// A finished game: all that matches hand on, and enough to play it again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its place in the match, from 0.
    pub index: u64,
    /// Who had white.
    pub white: String,
    /// Who had black.
    pub black: String,
    /// The seed that the seeds of both players were derived from.
    pub seed: u64,
    /// The position it began from, as FEN.
    pub start: String,
    /// The moves, in UCI notation, separated by spaces.
    pub moves: String,
    /// How many there are.
    pub plies: u32,
    /// The side that won: `white`, `black`, or nobody.
    #[serde(with = "color_name")]
    pub winner: Option<Color>,
    /// Why it is over.
    #[serde(with = "reason_id")]
    pub reason: Reason,
    /// Plies to mate in the first position under perfect play, positive when white mates; absent
    /// when the position is drawn or exact truth is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimal_plies: Option<i32>,
    /// What the loser did, when it lost by forfeit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// A record that does not tell a possible game.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The first position is no position.
    #[error("game {index}: {source}")]
    Start {
        /// Which game.
        index: u64,
        /// What is wrong.
        source: FenError,
    },
    /// A move is not legal where it stands.
    #[error("game {index}: '{text}' is not legal in {fen}")]
    Move {
        /// Which game.
        index: u64,
        /// The move.
        text: String,
        /// The position.
        fen: String,
    },
}

impl GameRecord {
    /// How it ended.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            winner: self.winner,
            reason: self.reason,
        }
    }

    /// The moves that the winner made.
    pub fn winner_moves(&self) -> Option<u32> {
        let winner = self.winner?;
        Some(if self.first_to_move() == winner {
            self.plies.div_ceil(2)
        } else {
            self.plies / 2
        })
    }

    /// The moves that the winner would have needed under perfect play from the first position;
    /// `None` when that was not won for it, or not known.
    pub fn optimal_moves(&self) -> Option<u32> {
        let winner = self.winner?;
        let plies = self.optimal_plies?;
        let mating = if plies > 0 {
            Color::White
        } else {
            Color::Black
        };
        let plies = plies.unsigned_abs();
        (mating == winner).then_some(if self.first_to_move() == winner {
            plies.div_ceil(2)
        } else {
            plies / 2
        })
    }

    fn first_to_move(&self) -> Color {
        match self.start.split_ascii_whitespace().nth(1) {
            Some("b") => Color::Black,
            _ => Color::White,
        }
    }

    /// The game, played again.
    ///
    /// # Errors
    /// When the record does not tell a possible game.
    pub fn game(&self, rules: Rules) -> Result<Game, RecordError> {
        let index = self.index;
        let start = Position::from_fen(&self.start)
            .map_err(|source| RecordError::Start { index, source })?;
        let mut game = Game::new(start, rules);
        for text in self.moves.split_ascii_whitespace() {
            let refuse = |game: &Game| RecordError::Move {
                index,
                text: text.to_owned(),
                fen: game.position().fen(),
            };
            let m = game
                .position()
                .parse_uci(text)
                .ok_or_else(|| refuse(&game))?;
            if game.play(m).is_err() {
                return Err(refuse(&game));
            }
        }
        Ok(game)
    }

    /// The game as PGN: who, where from, how it ended and why.
    ///
    /// # Errors
    /// When the record does not tell a possible game.
    pub fn pgn(&self, event: &str, rules: Rules) -> Result<Pgn, RecordError> {
        let mut pgn = Pgn::new(self.game(rules)?);
        pgn.result = self.outcome().into();
        for (name, value) in [
            ("Event", event),
            ("Round", &(self.index + 1).to_string()),
            ("White", &self.white),
            ("Black", &self.black),
            ("PlyCount", &self.plies.to_string()),
            ("Termination", termination(self.reason)),
            ("Seed", &self.seed.to_string()),
        ] {
            // Only a value with line breaks is refused: then the game goes without it.
            let _ = pgn.tags.set(name, value);
        }
        let mut end = self.outcome().to_string();
        if let Some(remark) = &self.remark {
            end = format!("{end}: {remark}");
        }
        pgn.comments
            .insert(self.plies as usize, end.replace(['{', '}'], " "));
        Ok(pgn)
    }
}

/// The words that the PGN standard has for the tag `Termination`.
fn termination(reason: Reason) -> &'static str {
    match reason {
        Reason::IllegalMove => "rules infraction",
        Reason::Crash => "abandoned",
        Reason::TimeOut => "time forfeit",
        Reason::MoveCap => "adjudication",
        _ => "normal",
    }
}

mod color_name {
    use rules::Color;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    #[allow(clippy::ref_option)] // serde's signature
    pub fn serialize<S: Serializer>(color: &Option<Color>, s: S) -> Result<S::Ok, S::Error> {
        match color {
            None => s.serialize_none(),
            Some(color) => s.serialize_str(color.fold_wb("white", "black")),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Color>, D::Error> {
        match Option::<String>::deserialize(d)?.as_deref() {
            None => Ok(None),
            Some("white") => Ok(Some(Color::White)),
            Some("black") => Ok(Some(Color::Black)),
            Some(other) => Err(D::Error::custom(format!("no colour: {other}"))),
        }
    }
}

mod reason_id {
    use rules::Reason;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub fn serialize<S: Serializer>(reason: &Reason, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(reason.id())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Reason, D::Error> {
        let id = String::deserialize(d)?;
        Reason::from_id(&id).ok_or_else(|| D::Error::custom(format!("no reason: {id}")))
    }
}
