use std::{
    fmt,
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
    sync::Arc,
};

use play::{Dice, Key, Openings, RandomOpenings, Settings, derived_seed};
use rules::{Board, Color, Epd, Game, Material, Position, Rules, plain_file};
use truth::{Oracle, Tablebase};

use super::{ChessError, stored_games::StoredGames};

/// Where games begin.
///
/// | text | where |
/// |---|---|
/// | `start` | the start position of chess |
/// | `fen:8/8/8/8/8/2k5/8/K6R w - -` | this position, on any board |
/// | `endgame:KRK`, `endgame:KQK,board=5,turn=either,won=on` | a random position of an endgame, any legal one that is not over or only those that white, the first side named, wins |
/// | `positions:FILE` | one of a file of EPD or FEN lines |
/// | `games:FILE` | any position of a file of games (PGN), with the moves that led to it |
#[derive(Clone)]
pub struct Start {
    text: String,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Position(Position),
    Random(Openings, Material, Board),
    List(Arc<[Position]>),
    Games(Arc<StoredGames>),
}

const NAMES: [&str; 5] = [
    "start",
    "fen:FEN",
    "endgame:KRK",
    "positions:FILE",
    "games:FILE",
];

const KEYS: &[Key] = &[
    Key {
        name: "board",
        meaning: "the size of the board, 4 to 8; 8",
    },
    Key {
        name: "turn",
        meaning: "the side to move: white (the default), black or either",
    },
    Key {
        name: "won",
        meaning: "only positions that white wins by exact play: on or off (the default)",
    },
];

/// How often a position is drawn from a file before giving up on one that is not over.
const ATTEMPTS: u64 = 10_000;

impl Default for Start {
    fn default() -> Start {
        Start {
            text: "start".into(),
            kind: Kind::Position(Position::start()),
        }
    }
}

impl Start {
    /// Reads where games begin. Exact `tables` are needed for positions that are to be won.
    pub(crate) fn read(text: &str, tables: Option<&Arc<Tablebase>>) -> Result<Start, ChessError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let kind = match name {
            "start" if rest.is_empty() => Kind::Position(Position::start()),
            "fen" => {
                let position = Position::from_fen(rest)?;
                if is_over(&position) {
                    return Err(ChessError::NoStart(format!(
                        "the game is over in {position}"
                    )));
                }
                Kind::Position(position)
            }
            "endgame" => endgame(rest, tables)?,
            "positions" => Kind::List(positions(Path::new(rest))?),
            "games" => Kind::Games(Arc::new(StoredGames::read(Path::new(rest))?)),
            _ => return Err(ChessError::unknown("start", text, &NAMES)),
        };
        Ok(Start {
            text: text.to_owned(),
            kind,
        })
    }

    /// The endgame whose random positions games begin from, if they do.
    pub fn endgame(&self) -> Option<(Material, Board)> {
        match self.kind {
            Kind::Random(_, material, board) => Some((material, board)),
            _ => None,
        }
    }

    /// Are the positions chosen by exact answers?
    pub fn is_won(&self) -> bool {
        matches!(&self.kind, Kind::Random(Openings::Random(random), ..) if random.won.is_some())
    }

    /// Begins `game` again from a position in which it is not over, the same for the same seed.
    pub(crate) fn begin(&self, game: &mut Game, seed: u64) -> Result<(), ChessError> {
        match &self.kind {
            Kind::Position(position) => game.restart(position.clone()),
            Kind::Random(openings, ..) => {
                let position = openings.get(0, seed);
                game.restart(position.ok_or_else(|| ChessError::NoStart(self.text.clone()))?);
            }
            Kind::List(positions) => {
                let index = Dice::new(seed).below(positions.len());
                game.restart(positions[index].clone());
            }
            Kind::Games(games) => {
                for attempt in 0..ATTEMPTS {
                    games.begin(game, derived_seed(seed, attempt));
                    if game.outcome().is_none() {
                        return Ok(());
                    }
                }
                return Err(ChessError::NoStart(self.text.clone()));
            }
        }
        Ok(())
    }
}

fn endgame(text: &str, tables: Option<&Arc<Tablebase>>) -> Result<Kind, ChessError> {
    let settings = Settings::read("endgame", text, true, KEYS)?;
    let name = settings.subject().unwrap_or_default();
    let material: Material = name
        .parse()
        .map_err(|error| ChessError::value("endgame", name, format!("such as KRK: {error}")))?;
    let size = settings.number_or("board", 4..=8, 8)?;
    let board = Board::new(size).map_err(|error| ChessError::Settings(error.to_string()))?;
    let turns = [
        ("white", Some(Color::White)),
        ("black", Some(Color::Black)),
        ("either", None),
    ];
    let turn = settings.one_of("turn", &turns, Some(Color::White))?;
    let won = match (settings.switch("won", false)?, tables) {
        (false, _) => None,
        (true, Some(tables)) => Some((Color::White, tables.clone() as Arc<dyn Oracle>)),
        (true, None) => {
            return Err(ChessError::Settings(
                "won=on needs a folder of tables to tell which positions are won".into(),
            ));
        }
    };
    if !board.is_standard() && material.has_pawns() {
        return Err(ChessError::Settings(format!(
            "{material} on {board}: boards smaller than 8×8 have no pawns"
        )));
    }
    let openings = Openings::Random(RandomOpenings {
        material,
        board,
        turn,
        won,
    });
    Ok(Kind::Random(openings, material, board))
}

/// The positions of a file in which the game is not over.
fn positions(path: &Path) -> Result<Arc<[Position]>, ChessError> {
    let refuse = |why: String| ChessError::File {
        path: path.to_owned(),
        why,
    };
    let mut positions = Vec::new();
    for epd in Epd::read_file(open(path)?) {
        let position = epd.map_err(|error| refuse(error.to_string()))?.position;
        if !is_over(&position) {
            positions.push(position);
        }
    }
    if positions.is_empty() {
        return Err(refuse(
            "there is no position in it that can be played, one EPD or FEN a line".into(),
        ));
    }
    Ok(positions.into())
}

/// A regular file, and nothing that reading would never come to the end of.
pub(crate) fn open(path: &Path) -> Result<BufReader<File>, ChessError> {
    let refuse = |why: String| ChessError::File {
        path: PathBuf::from(path),
        why,
    };
    let file = plain_file::open(path, plain_file::TABLE);
    let file = file.map_err(|error| refuse(error.to_string()))?;
    Ok(BufReader::new(file))
}

fn is_over(position: &Position) -> bool {
    Game::new(position.clone(), Rules::none())
        .outcome()
        .is_some()
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Start({})", self.text)
    }
}
