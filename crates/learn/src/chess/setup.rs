use std::{fmt, path::Path, sync::Arc};

use play::{PlayerSpec, Registry};
use rules::{Book, Color, Material};
use truth::{Syzygy, Tablebase, closure};

use super::{
    Actions, ChessError, Draws, Observation, Rewards, Start,
    rewards::{Judges, Tables},
};

/// What an environment is: how it is seen and acted in, where games begin and end, who the opponent
/// is and what is rewarded. Made from names and texts by [`Setup::read`].
#[derive(Clone)]
pub struct Setup {
    /// What is seen.
    pub observation: Observation,
    /// How moves are numbered.
    pub actions: Actions,
    /// Where games begin.
    pub start: Start,
    /// How they are drawn.
    pub draws: Draws,
    /// After this many moves of each side a game is cut off.
    pub limit: Option<u32>,
    /// Who else plays.
    pub opponent: Opponent,
    /// The learner's colour, where there is an opponent.
    pub side: Side,
    pub(crate) judges: Judges,
}

/// Who plays the side that the learner does not.
#[derive(Clone, Debug)]
pub enum Opponent {
    /// `none` or `self`: nobody, the caller moves for both sides.
    Nobody,
    /// `random`: any legal move with equal chance.
    Random,
    /// Any other player.
    Player(PlayerSpec),
}

/// The colour of the learner where there is an opponent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// Always the same.
    Always(Color),
    /// Either with equal chance, drawn for each game.
    Either,
}

/// What settings may need from outside.
#[derive(Clone, Copy, Default)]
pub struct Resources<'a> {
    /// Reads the texts of opponents other than `random`.
    pub registry: Option<&'a Registry>,
    /// Exact tables: for rewards, for positions that are won, and for the opponent `perfect`, whose
    /// registry should ask the same ones. What is missing of an endgame of up to four men is solved.
    pub tables: Option<&'a Arc<Tablebase>>,
}

/// A setting: its name, and what it means.
pub struct Setting {
    /// The name.
    pub name: &'static str,
    /// What it means, and its default.
    pub meaning: &'static str,
}

/// Every setting that [`Setup::read`] knows.
pub const SETTINGS: [Setting; 10] = [
    Setting {
        name: "observation",
        meaning: "what is seen: salisch-1, salisch-2, wojcik, wojcik-squares, planes (with settings such as planes:history=4), pettingzoo; planes",
    },
    Setting {
        name: "actions",
        meaning: "how moves are numbered: alphazero, alphazero+claim, wojcik, pettingzoo; alphazero",
    },
    Setting {
        name: "start",
        meaning: "where games begin: start, fen:FEN, endgame:KRK (with settings such as endgame:KRK,board=5,won=on), positions:FILE, games:FILE; start",
    },
    Setting {
        name: "draws",
        meaning: "automatic, claimed (by an action), claimable or never; automatic",
    },
    Setting {
        name: "limit",
        meaning: "moves of each side after which a game is cut off, or none; none",
    },
    Setting {
        name: "opponent",
        meaning: "none, self or any player; none",
    },
    Setting {
        name: "side",
        meaning: "the learner's colour where there is an opponent: white, black or either; either, in endgames white",
    },
    Setting {
        name: "rewards",
        meaning: "such as end=1000,book=10,tablebase=10; end=1",
    },
    Setting {
        name: "book",
        meaning: "the Polyglot file of the reward for book moves",
    },
    Setting {
        name: "syzygy",
        meaning: "a folder of Syzygy tables for the reward for shorter wins, instead of our own",
    },
];

/// Endgames of so many men are solved on the spot.
const SOLVED_ON_DEMAND: usize = 4;

impl Setup {
    /// Reads settings, each a name of [`SETTINGS`] and a text. Those that are not there have their
    /// defaults.
    ///
    /// ```
    /// use learn::chess::{Resources, Setup};
    /// let setup = Setup::read(
    ///     [("observation", "salisch-1"), ("actions", "alphazero+claim"), ("draws", "claimed"),
    ///      ("limit", "400"), ("opponent", "random"), ("rewards", "end=100")],
    ///     Resources::default(),
    /// )?;
    /// assert_eq!((setup.observation.len(), setup.actions.count()), (69, 4673));
    /// # Ok::<(), learn::chess::ChessError>(())
    /// ```
    ///
    /// # Errors
    /// When a name is unknown or there twice, a text makes no sense, a file cannot be used, or one
    /// setting needs another.
    pub fn read<'a>(
        settings: impl IntoIterator<Item = (&'a str, &'a str)>,
        resources: Resources<'_>,
    ) -> Result<Setup, ChessError> {
        let names = SETTINGS.each_ref().map(|setting| setting.name);
        let mut texts: [Option<&str>; SETTINGS.len()] = [None; SETTINGS.len()];
        for (name, text) in settings {
            let index = names.iter().position(|&known| known == name);
            let index = index.ok_or_else(|| ChessError::unknown("setting", name, &names))?;
            if texts[index].replace(text).is_some() {
                return Err(ChessError::Settings(format!("'{name}' is set twice")));
            }
        }
        let [
            observation,
            actions,
            start,
            draws,
            limit,
            opponent,
            side,
            rewards,
            book,
            syzygy,
        ] = texts;
        let start = Start::read(start.unwrap_or("start"), resources.tables)?;
        let rewards = Rewards::read(rewards.unwrap_or_default())?;
        let default_side = match start.endgame() {
            Some(_) => "white",
            None => "either",
        };
        let setup = Setup {
            observation: observation.unwrap_or("planes").parse()?,
            actions: actions.unwrap_or("alphazero").parse()?,
            draws: draws.unwrap_or("automatic").parse()?,
            limit: read_limit(limit.unwrap_or("none"))?,
            opponent: Opponent::read(opponent.unwrap_or("none"), resources.registry)?,
            side: Side::read(side.unwrap_or(default_side))?,
            judges: Judges {
                rewards,
                book: read_book(&rewards, book)?,
                tables: read_tables(&rewards, syzygy, resources.tables)?,
            },
            start,
        };
        setup.check()?;
        if let (Some((material, _)), Some(tables)) = (setup.start.endgame(), resources.tables)
            && setup.asks_tables()
        {
            setup.solve(material, tables)?;
        }
        Ok(setup)
    }

    /// What is rewarded.
    pub fn rewards(&self) -> Rewards {
        self.judges.rewards
    }

    /// Does a learner that plays here see exact answers, by rewards, by positions that are chosen for
    /// being won, or by the replies of a perfect opponent?
    pub fn sees_exact_answers(&self) -> bool {
        self.judges.tables.is_some() || self.start.is_won() || self.opponent.is_perfect()
    }

    fn asks_tables(&self) -> bool {
        matches!(self.judges.tables, Some(Tables::Own(_)))
            || self.start.is_won()
            || self.opponent.is_perfect()
    }

    fn check(&self) -> Result<(), ChessError> {
        let claims = self.draws == Draws::Claimed;
        if claims != self.actions.claim().is_some() {
            return Err(ChessError::Settings(format!(
                "draws={} with actions={}: a draw is claimed by an action, so draws=claimed and \
                 actions=alphazero+claim belong together",
                self.draws, self.actions
            )));
        }
        Ok(())
    }

    /// Makes sure that an endgame and all it leads to can be looked up.
    fn solve(&self, material: Material, tables: &Tablebase) -> Result<(), ChessError> {
        let board = self
            .start
            .endgame()
            .map(|(_, board)| board)
            .unwrap_or_default();
        let trouble =
            |error: String| ChessError::Settings(format!("tables of {material}: {error}"));
        if material.men() <= SOLVED_ON_DEMAND {
            return tables
                .ensure(material, board, &|_| true)
                .map_err(|error| trouble(error.to_string()));
        }
        for needed in closure(material) {
            let table = tables.table(needed, board);
            if table.map_err(|error| trouble(error.to_string()))?.is_none() && needed.men() > 2 {
                return Err(trouble(format!("{needed} is not solved yet")));
            }
        }
        Ok(())
    }
}

fn read_limit(text: &str) -> Result<Option<u32>, ChessError> {
    match text {
        "none" => Ok(None),
        _ => match text.parse() {
            Ok(limit) if limit > 0 => Ok(Some(limit)),
            _ => Err(ChessError::value(
                "limit",
                text,
                "a number of moves from 1, or none",
            )),
        },
    }
}

fn read_book(rewards: &Rewards, path: Option<&str>) -> Result<Option<Arc<Book>>, ChessError> {
    match (rewards.book != 0.0, path) {
        (true, Some(path)) => Ok(Some(Arc::new(Book::open(Path::new(path))?))),
        (false, None) => Ok(None),
        (true, None) => Err(ChessError::Settings(
            "the reward 'book' needs the setting 'book', a Polyglot file".into(),
        )),
        (false, Some(_)) => Err(ChessError::Settings(
            "the setting 'book' needs a reward such as rewards=book=10".into(),
        )),
    }
}

fn read_tables(
    rewards: &Rewards,
    syzygy: Option<&str>,
    own: Option<&Arc<Tablebase>>,
) -> Result<Option<Tables>, ChessError> {
    match (rewards.tablebase != 0.0, syzygy, own) {
        (true, Some(folder), _) => {
            let syzygy = Syzygy::open(Path::new(folder))?;
            Ok(Some(Tables::Syzygy(Arc::new(syzygy))))
        }
        (true, None, Some(own)) => Ok(Some(Tables::Own(own.clone()))),
        (false, None, _) => Ok(None),
        (true, None, None) => Err(ChessError::Settings(
            "the reward 'tablebase' needs a folder of tables, our own or the setting 'syzygy'"
                .into(),
        )),
        (false, Some(_), _) => Err(ChessError::Settings(
            "the setting 'syzygy' needs a reward such as rewards=tablebase=10".into(),
        )),
    }
}

impl Opponent {
    fn read(text: &str, registry: Option<&Registry>) -> Result<Opponent, ChessError> {
        match (text, registry) {
            ("none" | "self", _) => Ok(Opponent::Nobody),
            ("random", _) => Ok(Opponent::Random),
            (_, Some(registry)) => Ok(Opponent::Player(registry.parse(text)?)),
            (_, None) => Err(ChessError::value(
                "opponent",
                text,
                "none, self or random where no other player is known",
            )),
        }
    }

    fn is_perfect(&self) -> bool {
        matches!(self, Opponent::Player(spec) if spec.text().split(':').next() == Some("perfect"))
    }
}

impl Side {
    fn read(text: &str) -> Result<Side, ChessError> {
        match text {
            "white" => Ok(Side::Always(Color::White)),
            "black" => Ok(Side::Always(Color::Black)),
            "either" => Ok(Side::Either),
            _ => Err(ChessError::value("side", text, "white, black or either")),
        }
    }
}

impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Opponent::Nobody => f.write_str("none"),
            Opponent::Random => f.write_str("random"),
            Opponent::Player(spec) => spec.fmt(f),
        }
    }
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Setup(observation={}, actions={}, start={}, draws={}, limit={:?}, opponent={}, rewards={})",
            self.observation,
            self.actions,
            self.start,
            self.draws,
            self.limit,
            self.opponent,
            self.judges.rewards
        )
    }
}
