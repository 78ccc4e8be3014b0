//! Whole games, or any other games on 8×8, for the learner.

use std::sync::Arc;

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Board, Color, Game, Move, Position, Role, Rules};

use super::world::{Played, World};
use crate::{
    LearnError,
    chess::{Act, ChessError, ChessSight, Environment, MoveSight, Setup, Start},
    learner::below,
    net::plain::Lists,
    runs::record::{Reader, Writer},
};

/// What all worlds of a learner share.
pub(super) struct ChessTerms {
    /// Where games begin and end, and what is rewarded.
    pub setup: Arc<Setup>,
    /// What is seen.
    pub sight: ChessSight,
    /// How moves are told apart.
    pub moves: MoveSight,
    /// What a pawn is worth that is won, for its winner; the other side loses as much.
    pub material: f32,
    /// The share of games that begin with a position out of an earlier decisive game …
    pub restarts: f64,
    /// … and the share that begins with one of these.
    pub endgames: f64,
    /// Endgames to begin with.
    pub starts: Vec<Start>,
}

/// Positions of earlier games that a world remembers.
const REMEMBERED: usize = 64;
/// How many plies before the end such a position may lie.
const BACK: usize = 60;

pub(super) struct ChessWorld {
    terms: Arc<ChessTerms>,
    environment: Environment,
    /// What the present game began with: the chances of the environment, and the position unless it is
    /// the environment's own.
    seed: u64,
    start: Option<Position>,
    /// The moves since, by their places.
    played: Vec<u16>,
    remembered: Vec<Position>,
    next: usize,
}

/// Errors of environments as errors of learners.
pub(super) fn refused(error: ChessError) -> LearnError {
    LearnError::BadSetting {
        name: "games".into(),
        value: "cannot be played".into(),
        why: error.to_string(),
    }
}

impl ChessWorld {
    pub fn new(terms: Arc<ChessTerms>) -> Result<ChessWorld, LearnError> {
        let environment = Environment::new(terms.setup.clone(), 0).map_err(refused)?;
        Ok(ChessWorld {
            terms,
            environment,
            seed: 0,
            start: None,
            played: Vec::new(),
            remembered: Vec::new(),
            next: 0,
        })
    }

    /// Begins as `seed` and `start` say.
    fn set_up(&mut self) -> Result<(), LearnError> {
        self.played.clear();
        self.environment.seed(self.seed);
        let begun = match self.start.clone() {
            None => self.environment.reset(),
            Some(position) => self.environment.reset_to(position),
        };
        begun.map_err(refused)
    }

    fn perform(&mut self, place: usize) -> Result<Played, LearnError> {
        let moves = self.environment.legal_moves();
        let act = moves.get(place).map_or(Act::ClaimDraw, |&m| Act::Play(m));
        let gain = match act {
            Act::Play(m) => self.terms.material * pawns_won(m),
            Act::ClaimDraw => 0.0,
        };
        let step = self.environment.perform(act).map_err(refused)?;
        self.played.push(place as u16);
        let over = self.environment.outcome().map(|outcome| outcome.winner);
        Ok(Played {
            reward: step.reward + gain,
            other_reward: step.other_reward - gain,
            over,
        })
    }

    /// Keeps a position of a game that somebody has won.
    fn remember(&mut self, random: &mut ChaCha8Rng) {
        let game = self.environment.game();
        let plies = game.plies();
        if plies < 2 {
            return;
        }
        let back = 1 + below(random, plies.min(BACK));
        let Some(position) = game.positions().nth(plies - back).cloned() else {
            return;
        };
        if self.remembered.len() < REMEMBERED {
            self.remembered.push(position);
        } else {
            self.remembered[self.next] = position;
        }
        self.next = (self.next + 1) % REMEMBERED;
    }
}

impl World for ChessWorld {
    fn begin(&mut self, random: &mut ChaCha8Rng) -> Result<(), LearnError> {
        self.seed = random.next_u64();
        let chance = f64::from(random.next_u32()) / 4_294_967_296.0;
        let terms = self.terms.clone();
        self.start = None;
        if chance < terms.restarts {
            if !self.remembered.is_empty() {
                let place = below(random, self.remembered.len());
                self.start = Some(self.remembered[place].clone());
            }
        } else if chance < terms.restarts + terms.endgames && !terms.starts.is_empty() {
            let start = &terms.starts[below(random, terms.starts.len())];
            let mut game = Game::new(Position::start(), Rules::none());
            start.begin(&mut game, random.next_u64()).map_err(refused)?;
            self.start = Some(game.position().clone());
        }
        self.set_up()
    }

    fn turn(&self) -> Color {
        self.environment.turn()
    }

    fn moves(&self) -> usize {
        self.environment.legal_moves().len() + usize::from(self.environment.may_claim())
    }

    fn show(&self, inputs: &mut Lists) {
        self.terms.sight.show(self.environment.game(), inputs);
    }

    fn legal(&self, rows: &mut Lists) {
        let position = self.environment.game().position();
        let claim = self.environment.may_claim();
        let moves = self.environment.legal_moves();
        self.terms.moves.rows(position, moves, claim, rows);
    }

    fn play(&mut self, place: usize, random: &mut ChaCha8Rng) -> Result<Played, LearnError> {
        let played = self.perform(place)?;
        if self.terms.restarts > 0.0 && matches!(played.over, Some(Some(_))) {
            self.remember(random);
        }
        Ok(played)
    }

    fn plies(&self) -> usize {
        self.environment.plies()
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.seed);
        let start = self.start.as_ref().map(Position::fen).unwrap_or_default();
        out.bytes(start.as_bytes());
        out.u32s(self.played.iter().map(|&place| place.into()));
        out.u64(self.next as u64);
        out.u64(self.remembered.len() as u64);
        for position in &self.remembered {
            out.bytes(position.fen().as_bytes());
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.seed = from.u64()?;
        self.start = match from.bytes()? {
            [] => None,
            fen => Some(position(fen)?),
        };
        let places: Vec<u32> = from.u32s()?.collect();
        self.next = from.u64()? as usize;
        let remembered = from.u64()?;
        if remembered > REMEMBERED as u64 || self.next >= REMEMBERED {
            return Err(LearnError::Record);
        }
        self.remembered = (0..remembered)
            .map(|_| position(from.bytes()?))
            .collect::<Result<_, LearnError>>()?;
        self.set_up()?;
        for place in places {
            if self.environment.outcome().is_some() || place as usize >= self.moves() {
                return Err(LearnError::Record);
            }
            self.perform(place as usize)?;
        }
        match self.environment.outcome() {
            None => Ok(()),
            Some(_) => Err(LearnError::Record),
        }
    }
}

/// A position in which there is a move to play.
fn position(fen: &[u8]) -> Result<Position, LearnError> {
    let text = std::str::from_utf8(fen).map_err(|_| LearnError::Record)?;
    let position = Position::from_fen(text).map_err(|_| LearnError::Record)?;
    match position.board() == Board::STANDARD && !position.legal_moves().is_empty() {
        true => Ok(position),
        false => Err(LearnError::Record),
    }
}

/// What a move wins, in pawns.
fn pawns_won(m: Move) -> f32 {
    let worth = |role: Role| match role {
        Role::Pawn => 1.0,
        Role::Knight | Role::Bishop => 3.0,
        Role::Rook => 5.0,
        Role::Queen => 9.0,
        Role::King => 0.0,
    };
    let captured = match m {
        Move::EnPassant { .. } => 1.0,
        _ => m.capture().map_or(0.0, worth),
    };
    captured + m.promotion().map_or(0.0, |role| worth(role) - 1.0)
}
