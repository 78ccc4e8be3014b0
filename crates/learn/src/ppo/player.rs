//! The player of a policy.

use std::sync::{Arc, atomic::AtomicBool};

use play::{
    Chances, Choice, Info, Limits, Nature, Opinion, Player, PlayerError, Registry, Score, Settings,
    SpecError, derived_seed,
};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Board, Color, Game, Position, Rules};

use super::{network::PpoNetwork, sight::Sight};
use crate::{
    LearnError,
    learner::go_on,
    net::plain::{
        Lists,
        chances::{draw, likeliest},
    },
};

/// How moves are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Manner {
    /// The likeliest.
    #[default]
    Best,
    /// Drawn by their chances, as in training.
    Drawn,
}

impl Manner {
    /// Reads the setting `moves` of a player.
    pub(super) fn read(how: &Settings) -> Result<Manner, SpecError> {
        let manners = [("best", Manner::Best), ("drawn", Manner::Drawn)];
        how.one_of("moves", &manners, Manner::Best)
    }
}

/// Plays chess as a policy says, without search.
#[derive(Clone)]
pub struct PpoPlayer {
    name: String,
    network: Arc<PpoNetwork>,
    manner: Manner,
    random: ChaCha8Rng,
}

impl PpoPlayer {
    /// The player of a network; `name` is what its errors call it.
    pub fn new(name: impl Into<String>, network: Arc<PpoNetwork>, manner: Manner) -> PpoPlayer {
        PpoPlayer {
            name: name.into(),
            network,
            manner,
            random: ChaCha8Rng::seed_from_u64(0),
        }
    }

    /// The same, its chances following from a seed.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> PpoPlayer {
        PpoPlayer {
            random: ChaCha8Rng::seed_from_u64(seed),
            ..self.clone()
        }
    }
}

impl Player for PpoPlayer {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let position = game.position();
        let (Sight::Chess { sees, moves }, Board::STANDARD) =
            (&self.network.sight, position.board())
        else {
            return Err(PlayerError::Unsupported {
                player: self.name.clone(),
                fen: position.fen(),
                why: "it has learned chess on 8×8".to_owned(),
            });
        };
        let legal = position.legal_moves();
        if legal.is_empty() {
            return Err(PlayerError::no_move(game));
        }
        let (mut inputs, mut rows) = (Lists::default(), Lists::default());
        sees.show(game, &mut inputs);
        moves.rows(position, &legal, false, &mut rows);
        let each = sees.extents(*moves).rows_a_move;
        let (chances, value) = self.network.judge(&inputs, &rows, each);
        let place = match self.manner {
            Manner::Best => likeliest(&chances),
            Manner::Drawn => draw(&chances, &mut self.random),
        };
        let expected = Chances::from_value(value / self.network.win);
        let info = Info {
            score: Some(Score::Centipawns(expected.centipawns())),
            opinions: legal
                .iter()
                .zip(&chances)
                .map(|(&m, &chance)| Opinion::new(m, Some(chance), None))
                .collect(),
            ..Info::default()
        };
        Ok(Choice {
            mv: legal[place],
            info,
        })
    }

    fn nature(&self) -> Nature {
        Nature::History
    }
}

/// The share of games that a player wins from the start position, colours changing, against an
/// opponent by name; `self` is the same player.
pub(super) fn evaluate(
    own: &PpoPlayer,
    opponent: &str,
    games: u32,
    seed: u64,
    registry: Option<&Registry>,
    stop: &AtomicBool,
) -> Result<f64, LearnError> {
    let other = match (opponent, registry) {
        ("self", _) => None,
        (text, Some(registry)) => Some(registry.parse(text)?),
        (text, None) => {
            return Err(LearnError::BadSetting {
                name: "opponent".into(),
                value: text.into(),
                why: "without a registry of players it is self".into(),
            });
        }
    };
    let mut won = 0;
    for number in 0..games {
        let seed = derived_seed(seed, number.into());
        let mut own = own.with_seed(seed);
        let mut opponent: Box<dyn Player> = match &other {
            Some(spec) => spec.player(seed),
            None => Box::new(own.clone()),
        };
        let color = Color::from_white(number % 2 == 0);
        let mut game = Game::new(Position::start(), Rules::default());
        let outcome = loop {
            go_on(stop)?;
            if let Some(outcome) = game.outcome() {
                break outcome;
            }
            let player: &mut dyn Player = match game.position().turn() == color {
                true => &mut own,
                false => opponent.as_mut(),
            };
            let choice = player.choose(&game, &Limits::NONE)?;
            game.play_legal(choice.mv);
        };
        won += u32::from(outcome.winner == Some(color));
    }
    Ok(f64::from(won) / f64::from(games.max(1)))
}
