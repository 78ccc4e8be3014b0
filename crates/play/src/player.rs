use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use rules::{Game, Move, Reason};

use crate::memory::OutOfMemory;

/// Someone who can choose a move.
///
/// A player belongs to one game at a time. What it knows of the game is the [`Game`] it is handed:
/// the position, the moves that led there and the draw rules.
pub trait Player: Send {
    /// Chooses a move in a game that is not over.
    ///
    /// # Errors
    /// When the game leaves no move ([`PlayerError::NoMove`]), when the player does not know this
    /// kind of game, or when it forfeits the game, as a crashed engine does.
    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError>;

    /// Chooses a move as [`Player::choose`] does, unless `stop` is set before it is done. Then there
    /// is no move at all: one that the player would not have made must not get into a record or a
    /// proof.
    ///
    /// A player that may think for long looks at `stop` while it thinks.
    ///
    /// # Errors
    /// As [`Player::choose`], and [`PlayerError::Stopped`] when `stop` was set.
    fn choose_unless(
        &mut self,
        stop: &AtomicBool,
        game: &Game,
        limits: &Limits,
    ) -> Result<Choice, PlayerError> {
        not_stopped(stop)?;
        let choice = self.choose(game, limits);
        not_stopped(stop)?;
        choice
    }

    /// Chooses a move as [`Player::choose`] does, but can be interrupted, kept to some moves, asked
    /// for several lines, and reports what it has found so far: the number of the line, from 1, and
    /// what is known about it.
    ///
    /// A player that only ever has one answer gives that one.
    ///
    /// # Errors
    /// As [`Player::choose`]; also when it would play a move it was not to consider.
    fn analyse(
        &mut self,
        game: &Game,
        wish: &Wish<'_>,
        report: &mut dyn FnMut(usize, &Info),
    ) -> Result<Choice, PlayerError> {
        let mut choice = self.choose(game, &wish.limits)?;
        wish.check(game, choice.mv)?;
        if choice.info.pv.is_empty() {
            choice.info.pv.push(choice.mv);
        }
        report(1, &choice.info);
        Ok(choice)
    }

    /// Says that the next [`Player::choose`] belongs to another game.
    fn new_game(&mut self) {}

    /// Becomes the player that its maker would make from `seed`, ready for another game.
    ///
    /// Returns `false` when it cannot; then a new one must be made. It is for players that are dear
    /// to make, such as foreign engines.
    fn renew(&mut self, seed: u64) -> bool {
        let _ = seed;
        false
    }

    /// What the choice depends on. Only a [`Nature::Position`] can be certified.
    fn nature(&self) -> Nature {
        Nature::Chance
    }

    /// Does it play symmetric positions alike?
    ///
    /// If so, the moves it chooses in two images of one position under
    /// [`Position::symmetries`](rules::Position::symmetries) lead to images of one position again,
    /// and a certificate needs to look at one of the images only.
    fn is_symmetric(&self) -> bool {
        false
    }
}

/// [`Player::choose_unless`] for a player whose [`Player::analyse`] is its way to choose and comes to
/// its end when it is stopped.
pub(crate) fn analyse_unless<P: Player>(
    player: &mut P,
    stop: &AtomicBool,
    game: &Game,
    limits: &Limits,
) -> Result<Choice, PlayerError> {
    let wish = Wish {
        stop,
        ..Wish::choice(limits)
    };
    let choice = player.analyse(game, &wish, &mut |_, _| ());
    // What was found until then is not what the player would have played.
    not_stopped(stop)?;
    choice
}

fn not_stopped(stop: &AtomicBool) -> Result<(), PlayerError> {
    match stop.load(Ordering::Relaxed) {
        true => Err(PlayerError::Stopped),
        false => Ok(()),
    }
}

impl<P: Player + ?Sized> Player for Box<P> {
    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError> {
        (**self).choose(game, limits)
    }

    fn choose_unless(
        &mut self,
        stop: &AtomicBool,
        game: &Game,
        limits: &Limits,
    ) -> Result<Choice, PlayerError> {
        (**self).choose_unless(stop, game, limits)
    }

    fn analyse(
        &mut self,
        game: &Game,
        wish: &Wish<'_>,
        report: &mut dyn FnMut(usize, &Info),
    ) -> Result<Choice, PlayerError> {
        (**self).analyse(game, wish, report)
    }

    fn new_game(&mut self) {
        (**self).new_game();
    }

    fn renew(&mut self, seed: u64) -> bool {
        (**self).renew(seed)
    }

    fn nature(&self) -> Nature {
        (**self).nature()
    }

    fn is_symmetric(&self) -> bool {
        (**self).is_symmetric()
    }
}

/// What a player's choice depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Nature {
    /// On the position alone: the same men on the same squares, the same move, whatever happened
    /// before and whatever the clocks say.
    Position,
    /// On the position and the game that led to it.
    History,
    /// On random numbers, time, or a foreign program.
    Chance,
}

impl fmt::Display for Nature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Nature::Position => "depends on the position alone",
            Nature::History => "depends on the history of the game",
            Nature::Chance => "depends on chance",
        })
    }
}

/// A chosen move and what the player thinks of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// What led to it.
    pub info: Info,
}

/// What a player knows about its choice; a player fills in what it has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// How good the position is for the side to move.
    pub score: Option<Score>,
    /// Plies searched.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Of them, those at the end of a line that the player's evaluation was asked about.
    pub leaves: Option<u64>,
    /// The expected line, the chosen move first.
    pub pv: Vec<Move>,
    /// The chances of the side to move.
    pub wdl: Option<Wdl>,
    /// How often a search has tried each move of the position, in the order of the legal moves.
    pub visits: Vec<(Move, u64)>,
    /// What is thought of the moves of the position, as far as the player has an opinion of each.
    pub opinions: Vec<Opinion>,
    /// Has a learned player never met this position, and merely picked something?
    pub unvisited: bool,
}

/// How likely a win, a draw and a loss are, in thousandths that add up to 1000.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Wdl {
    /// A win.
    pub win: u16,
    /// A draw.
    pub draw: u16,
    /// A loss.
    pub loss: u16,
}

/// What a player thinks of one move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Opinion {
    /// The move.
    pub mv: Move,
    /// How promising it looks before any search, in thousandths; those of all legal moves add up to
    /// about 1000.
    pub prior: Option<u16>,
    /// What is expected of the game after it by the side that makes it, in thousandths: −1000 a loss,
    /// 1000 a win.
    pub value: Option<i16>,
}

impl Opinion {
    /// An opinion by chances from 0 to 1 and by expectations from −1 to 1.
    pub fn new(mv: Move, prior: Option<f32>, value: Option<f32>) -> Opinion {
        Opinion {
            mv,
            prior: prior.map(|prior| (prior * 1000.0).round().clamp(0.0, 1000.0) as u16),
            value: value.map(|value| (value * 1000.0).round().clamp(-1000.0, 1000.0) as i16),
        }
    }
}

/// How good a position is for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many moves; negative when the side to move gets mated.
    Mate(i32),
}

impl Score {
    /// The expected result, from −1 (lost) to 1 (won): hundredths of a pawn by the curve of
    /// [`Chances::centipawns`](crate::Chances::centipawns), backwards.
    pub fn expected(self) -> f32 {
        match self {
            Score::Centipawns(hundredths) => crate::Chances::expected(hundredths),
            Score::Mate(moves) if moves > 0 => 1.0,
            Score::Mate(_) => -1.0,
        }
    }
}

/// How long a player may think, beyond what its own settings say; `None` sets no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Plies.
    pub depth: Option<u32>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Time for this move.
    pub time: Option<Duration>,
}

impl Limits {
    /// The player's own settings alone.
    pub const NONE: Limits = Limits {
        depth: None,
        nodes: None,
        time: None,
    };
}

/// What an analysis is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// How long to think.
    pub limits: Limits,
    /// Set by someone else when the analysis is to come to its end.
    pub stop: &'a AtomicBool,
    /// The moves to consider; none stands for all.
    pub only: &'a [Move],
    /// How many of the best moves are wanted, each with its line.
    pub lines: usize,
}

impl Wish<'_> {
    /// A single choice within `limits`, never interrupted.
    pub fn choice(limits: &Limits) -> Wish<'static> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Wish {
            limits: *limits,
            stop: &NEVER,
            only: &[],
            lines: 1,
        }
    }

    /// Is the move to be considered?
    pub fn allows(&self, m: Move) -> bool {
        self.only.is_empty() || self.only.contains(&m)
    }

    /// Refuses a move that was not to be considered.
    ///
    /// # Errors
    /// When the move is not allowed.
    pub fn check(&self, game: &Game, m: Move) -> Result<(), PlayerError> {
        if self.allows(m) {
            return Ok(());
        }
        Err(PlayerError::Unsupported {
            player: "the player".into(),
            fen: game.position().fen(),
            why: format!(
                "its move is {}, and it knows no other",
                game.position().uci(m)
            ),
        })
    }
}

impl Choice {
    /// A choice that nothing is known about.
    pub fn plain(mv: Move) -> Choice {
        Choice {
            mv,
            info: Info::default(),
        }
    }
}

/// Why a player did not choose a move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlayerError {
    /// There is no legal move.
    #[error("there is no legal move in {fen}")]
    NoMove {
        /// The position.
        fen: String,
    },
    /// The player cannot play this position at all.
    #[error("{player} cannot play {fen}: {why}")]
    Unsupported {
        /// Who.
        player: String,
        /// The position.
        fen: String,
        /// Why not.
        why: String,
    },
    /// The player loses the game by this.
    #[error("{player} forfeits by {reason}: {message}")]
    Forfeit {
        /// Who.
        player: String,
        /// What the game is recorded as lost by.
        reason: Reason,
        /// What happened.
        message: String,
    },
    /// The player needs more memory than there is.
    #[error("{player}: {source}")]
    OutOfMemory {
        /// Who.
        player: String,
        /// How much.
        source: OutOfMemory,
    },
    /// Somebody asked to stop before a move was chosen.
    #[error("stopped before a move was chosen")]
    Stopped,
}

impl PlayerError {
    /// The error of a game without a legal move.
    pub fn no_move(game: &Game) -> PlayerError {
        PlayerError::NoMove {
            fen: game.position().fen(),
        }
    }

    pub(crate) fn out_of_memory(player: &str, source: OutOfMemory) -> PlayerError {
        PlayerError::OutOfMemory {
            player: player.to_owned(),
            source,
        }
    }
}

impl From<PlayerError> for truth::Undecided {
    fn from(error: PlayerError) -> truth::Undecided {
        match error {
            PlayerError::Stopped => truth::Undecided::Stopped,
            other => truth::Undecided::Because(other.to_string()),
        }
    }
}
