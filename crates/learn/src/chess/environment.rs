use std::sync::Arc;

use play::{Dice, Limits, Player, PlayerError, derived_seed};
use rand::Rng as _;
use rules::{Color, Game, Move, Outcome, Position, Reason};

use super::{
    Act, ChessError, Draws, Number, Opponent, Setup, Side,
    draws::{claim, claim_by_move},
    rewards::Least,
};

/// One game after another, seen and played through numbers.
///
/// With an opponent it is always the learner's turn, until the game is over. Without one the caller
/// moves for both sides, and every observation, mask and reward is that of the side to move.
///
/// Legal moves and the end of the game are worked out once a ply. The same setup, seed and actions
/// give the same games.
///
/// ```
/// use learn::chess::{Environment, Resources, Setup};
///
/// let setup = Setup::read([("observation", "wojcik"), ("opponent", "random")], Resources::default())?;
/// let mut environment = Environment::new(setup, 1)?;
/// while environment.outcome().is_none() {
///     let action = environment.legal_actions().next().expect("the game goes on");
///     environment.step(action as i64)?;
/// }
/// # Ok::<(), learn::chess::ChessError>(())
/// ```
pub struct Environment {
    setup: Arc<Setup>,
    dice: Dice,
    game: Game,
    /// The legal moves of the position on the board.
    moves: Vec<Move>,
    outcome: Option<Outcome>,
    truncated: bool,
    /// Plies that had been played when the game began here.
    first: usize,
    /// The learner's colour; nobody's where the caller moves for both sides.
    learner: Option<Color>,
    opponent: Reply,
    least: Least,
    /// Of each side since the last action, by colour.
    rewards: [f32; 2],
}

/// The opponent of one game.
enum Reply {
    Nobody,
    Random(Dice),
    Player(Box<dyn Player>),
}

/// What came of an action.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Step {
    /// For the side that acted, what the opponent's reply brought included.
    pub reward: f32,
    /// For the other side.
    pub other_reward: f32,
    /// Is the game over?
    pub terminated: bool,
    /// Was it cut off by the limit of moves?
    pub truncated: bool,
}

/// How often a start is drawn before giving up on one that the opponent's first move does not end.
const ATTEMPTS: u64 = 1_000;

impl Environment {
    /// An environment whose chances follow from `seed`, at the beginning of a game.
    ///
    /// # Errors
    /// When no game can begin.
    pub fn new(setup: impl Into<Arc<Setup>>, seed: u64) -> Result<Environment, ChessError> {
        let setup = setup.into();
        let game = Game::new(Position::start(), setup.draws.rules());
        let mut environment = Environment {
            moves: Vec::new(),
            setup,
            dice: Dice::new(seed),
            game,
            outcome: None,
            truncated: false,
            first: 0,
            learner: None,
            opponent: Reply::Nobody,
            least: [None; 2],
            rewards: [0.0; 2],
        };
        environment.reset()?;
        Ok(environment)
    }

    /// What it is.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Lets all chances from now on follow from `seed`.
    pub fn seed(&mut self, seed: u64) {
        self.dice = Dice::new(seed);
    }

    /// Begins a new game.
    ///
    /// # Errors
    /// When there is no position to begin from, or the opponent fails.
    pub fn reset(&mut self) -> Result<(), ChessError> {
        let seed = self.dice.next_u64();
        let setup = self.setup.clone();
        for attempt in 0..ATTEMPTS {
            let seed = derived_seed(seed, attempt);
            setup.start.begin(&mut self.game, derived_seed(seed, 0))?;
            self.begin(seed)?;
            if self.outcome.is_none() {
                return Ok(());
            }
        }
        Err(ChessError::NoStart(format!(
            "from {} the opponent's first move always ends the game",
            setup.start
        )))
    }

    /// Begins a new game from this position, whatever the setup says.
    ///
    /// # Errors
    /// When the game is over there, or after the opponent's first move, or the opponent fails.
    pub fn reset_to(&mut self, position: Position) -> Result<(), ChessError> {
        let seed = self.dice.next_u64();
        let begun = Game::new(position.clone(), self.game.rules());
        if begun.outcome().is_some() {
            return Err(ChessError::NoStart(format!(
                "the game is over in {position}"
            )));
        }
        self.game.restart(position);
        self.begin(seed)?;
        match self.outcome {
            None => Ok(()),
            Some(outcome) => Err(ChessError::NoStart(format!(
                "the opponent's first move ends the game: {outcome}"
            ))),
        }
    }

    /// What follows after the first position has been set up.
    fn begin(&mut self, seed: u64) -> Result<(), ChessError> {
        self.first = self.game.plies();
        self.least = [None; 2];
        self.rewards = [0.0; 2];
        let setup = self.setup.clone();
        let seed_of_opponent = derived_seed(seed, 1);
        match &setup.opponent {
            Opponent::Nobody => self.opponent = Reply::Nobody,
            Opponent::Random => self.opponent = Reply::Random(Dice::new(seed_of_opponent)),
            Opponent::Player(spec) => {
                let renewed = match &mut self.opponent {
                    Reply::Player(player) => player.renew(seed_of_opponent),
                    _ => false,
                };
                if !renewed {
                    self.opponent = Reply::Player(spec.player(seed_of_opponent));
                }
            }
        }
        self.learner = match (&setup.opponent, setup.side) {
            (Opponent::Nobody, _) => None,
            (_, Side::Always(color)) => Some(color),
            (_, Side::Either) => Some(Color::from_white(derived_seed(seed, 2) & 1 == 0)),
        };
        self.settle();
        self.let_opponent_move()?;
        // What the opponent got before the learner's first action is nobody's business.
        self.rewards = [0.0; 2];
        Ok(())
    }

    /// Plays an action of the side to move, and the opponent's reply.
    ///
    /// # Errors
    /// When the action is not legal or the game is over; nothing has changed then. When the
    /// opponent cannot play; the action is taken back.
    pub fn step(&mut self, action: i64) -> Result<Step, ChessError> {
        let act = self.act(action)?;
        self.perform(act)
    }

    /// What an action stands for, if it is legal.
    ///
    /// # Errors
    /// When it is not, or the game is over.
    pub fn act(&self, action: i64) -> Result<Act, ChessError> {
        if let Some(outcome) = self.outcome {
            return Err(ChessError::Over {
                outcome: outcome.to_string(),
            });
        }
        let act = usize::try_from(action).ok().and_then(|number| {
            let moves = &self.moves;
            self.setup.actions.act(self.game.position(), moves, number)
        });
        match act {
            Some(Act::ClaimDraw) if !self.may_claim() => Err(self.illegal(
                action,
                "a draw can be claimed at the third occurrence of the position and after fifty \
                 moves without a capture or a pawn move"
                    .into(),
            )),
            Some(act) => Ok(act),
            None => Err(self.illegal(
                action,
                format!(
                    "expected one of the {} numbers below {} that the mask shows",
                    self.legal_actions().count(),
                    self.setup.actions.count()
                ),
            )),
        }
    }

    fn illegal(&self, action: i64, why: String) -> ChessError {
        ChessError::IllegalAction {
            action,
            fen: self.game.position().fen(),
            why,
        }
    }

    /// Performs what [`Environment::act`] has returned for the position on the board.
    ///
    /// # Errors
    /// When the opponent cannot play; the act is taken back.
    pub fn perform(&mut self, act: Act) -> Result<Step, ChessError> {
        let actor = self.game.position().turn();
        self.rewards = [0.0; 2];
        match act {
            Act::ClaimDraw => {
                let reason = claim(&self.game).unwrap_or(Reason::Threefold);
                self.end(Outcome::draw(reason));
            }
            Act::Play(m) => {
                let least = self.least;
                self.play(m);
                if let Err(error) = self.let_opponent_move() {
                    self.game.undo();
                    self.least = least;
                    self.settle();
                    return Err(error);
                }
            }
        }
        Ok(Step {
            reward: self.rewards[index(actor)],
            other_reward: self.rewards[index(!actor)],
            terminated: self.outcome.is_some() && !self.truncated,
            truncated: self.truncated,
        })
    }

    fn play(&mut self, m: Move) {
        let position = self.game.position();
        let mover = position.turn();
        self.rewards[index(mover)] += self.setup.judges.worth(position, m, &mut self.least);
        self.game.play_legal(m);
        self.settle();
        if let Some(outcome) = self.outcome {
            self.end(outcome);
        }
    }

    /// Works out legal moves and the end of the game, once a ply.
    fn settle(&mut self) {
        let standing = self.game.standing();
        self.moves.clear();
        self.moves.extend_from_slice(&standing.moves);
        self.truncated = false;
        self.outcome = standing.outcome;
        if self.outcome.is_none() && self.setup.draws == Draws::Claimable {
            let reason = claim_by_move(&mut self.game, &self.moves);
            self.outcome = reason.map(Outcome::draw);
        }
        if let Some(limit) = self.setup.limit
            && self.outcome.is_none()
            && self.plies() / 2 >= limit as usize
        {
            self.outcome = Some(Outcome::draw(Reason::MoveCap));
            self.truncated = true;
        }
    }

    fn end(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
        for color in Color::ALL {
            self.rewards[index(color)] += self.setup.judges.rewards.end(outcome, color);
        }
    }

    fn let_opponent_move(&mut self) -> Result<(), ChessError> {
        let turn = self.game.position().turn();
        if self.outcome.is_some() || self.learner.is_none_or(|learner| learner == turn) {
            return Ok(());
        }
        let chosen = match &mut self.opponent {
            Reply::Nobody => return Ok(()),
            Reply::Random(dice) => {
                let moves = &self.moves;
                Ok(moves[dice.below(moves.len())])
            }
            Reply::Player(player) => player
                .choose(&self.game, &Limits::NONE)
                .map(|choice| choice.mv),
        };
        match chosen {
            Ok(m) if self.moves.contains(&m) => self.play(m),
            Ok(_) => self.end(Outcome::win(!turn, Reason::IllegalMove)),
            Err(PlayerError::Forfeit { reason, .. }) => self.end(Outcome::win(!turn, reason)),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Takes the last ply back, as if it had not been played: for those who look ahead in a game that
    /// they lead for both sides. Rewards that depend on the game so far are not taken back.
    ///
    /// Returns `false` at the beginning of the game.
    pub fn undo(&mut self) -> bool {
        if self.plies() == 0 {
            return false;
        }
        self.game.undo();
        self.settle();
        true
    }

    /// Writes what the side to move sees; the length of `out` must be that of the observation.
    pub fn observe<T: Number>(&self, out: &mut [T]) {
        self.observe_as(self.viewer(), out);
    }

    /// Writes what one side sees, whoever is to move.
    pub fn observe_as<T: Number>(&self, viewer: Color, out: &mut [T]) {
        self.setup.observation.write(&self.game, viewer, out);
    }

    /// Writes 1 for every legal action of the side to move and 0 for all others; all are 0 when the
    /// game is over.
    pub fn mask(&self, mask: &mut [i8]) {
        let (moves, may_claim) = match self.outcome {
            None => (&self.moves[..], self.may_claim()),
            Some(_) => (&[][..], false),
        };
        let actions = self.setup.actions;
        actions.mask(self.game.position(), moves, may_claim, mask);
    }

    /// The legal actions of the side to move, in the order of its moves; none when the game is over.
    /// Moves that share a number are there more than once.
    pub fn legal_actions(&self) -> impl Iterator<Item = usize> {
        let claim = self.setup.actions.claim().filter(|_| self.may_claim());
        let moves = match self.outcome {
            None => &self.moves[..],
            Some(_) => &[],
        };
        moves.iter().map(|&m| self.action(m)).chain(claim)
    }

    /// The legal moves of the side to move; none when the game is over.
    pub fn legal_moves(&self) -> &[Move] {
        match self.outcome {
            None => &self.moves,
            Some(_) => &[],
        }
    }

    /// The number of a legal move.
    pub fn action(&self, m: Move) -> usize {
        self.setup.actions.number(self.game.position(), m)
    }

    /// May the side to move claim a draw by an action?
    pub fn may_claim(&self) -> bool {
        self.setup.draws == Draws::Claimed && self.outcome.is_none() && claim(&self.game).is_some()
    }

    /// The game so far.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// How the game ended; `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Was the game cut off by the limit of moves?
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// The learner's colour in this game; `None` where the caller moves for both sides.
    pub fn learner(&self) -> Option<Color> {
        self.learner
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.game.position().turn()
    }

    /// Plies played since the last reset, the opponent's included.
    pub fn plies(&self) -> usize {
        self.game.plies() - self.first
    }

    /// Who looks: the learner, also when the opponent has just ended the game; else the side to move.
    fn viewer(&self) -> Color {
        self.learner.unwrap_or(self.turn())
    }
}

#[inline]
fn index(color: Color) -> usize {
    color.fold_wb(0, 1)
}
