use std::{io::Write as _, path::PathBuf, sync::Arc};

use clap::Args;
use papers::{boards_svg, game_frames};
use play::{Limits, Player as _};
use rules::{Game, Pgn, Position, Rules};
use serde::Serialize;
use serde_json::json;
use truth::{TableError, Tablebase, Verdict};

use crate::{
    files::write_or_print,
    matches::spec,
    progress::{interrupt_flag, watch_for_interrupt},
    tables::{Tables, parse_fen},
};

/// Show perfect play from a position to mate, or a game of players
///
/// The shortest mate against the longest resistance, as PGN; among equally good moves the first
/// in alphabetical order. With --white or --black a player takes that side, and the draw rules hold.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena line \"8/8/8/3k4/8/8/8/KBN5 w - - 0 1\"\n  lucena line \"k4/5/1K3/5/4R w\" --boards\n  lucena line \"8/8/8/4k3/8/8/8/R3K3 w - - 0 1\" --white minimax:depth=2 --svg rook.svg\n\nPlayers: see 'lucena players'."
)]
pub struct Line {
    /// The position; N ranks of N files for an N×N board
    #[arg(value_name = "FEN", value_parser = parse_fen)]
    position: Position,
    /// Who plays white [default: perfect play]
    #[arg(long, value_name = "PLAYER")]
    white: Option<String>,
    /// Who plays black [default: perfect play]
    #[arg(long, value_name = "PLAYER")]
    black: Option<String>,
    /// With players: end after so many plies
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=2000))]
    plies: u32,
    /// With players: seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Write the boards as a picture, too, one for each move of both sides; - is stdout, and nothing else
    /// is then printed
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw the board after every move instead of PGN
    #[arg(long, conflicts_with = "json")]
    boards: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
}

impl Line {
    pub fn run(self) -> anyhow::Result<()> {
        if self.white.is_some() || self.black.is_some() {
            return self.played();
        }
        let start = &self.position;
        if start.men_count() > truth::MAX_MEN || start.has_castling_rights() {
            anyhow::bail!(
                "no table covers this position: our tables hold up to {} men, without castling rights",
                truth::MAX_MEN
            );
        }
        let tablebase = self.tables.with(start.material(), start.board())?;
        let (perfect, game) = PerfectPlay::from(start, &tablebase)?;
        let verdict = text(tablebase.probe(start)?);
        let told = Told {
            event: "Perfect play",
            names: None,
            verdict: verdict.clone(),
            picture: format!("Perfect play: {verdict}"),
            json: serde_json::to_value(&perfect)?,
        };
        self.tell(&game, &told)
    }

    /// A game of players.
    fn played(&self) -> anyhow::Result<()> {
        let start = &self.position;
        let tablebase = self.tables.for_play(start.material(), start.board())?;
        let registry = crate::players::registry(Arc::new(tablebase));
        let sides = [&self.white, &self.black]
            .map(|side| spec(&registry, side.as_deref().unwrap_or("perfect:ties=first")));
        let mut players = sides.each_ref().map(|side| side.player(self.seed));
        let mut game = Game::new(start.clone(), Rules::default());
        watch_for_interrupt();
        while game.outcome().is_none() && game.plies() < self.plies as usize {
            let player = &mut players[game.position().turn().fold_wb(0, 1)];
            let choice = player.choose_unless(interrupt_flag(), &game, &Limits::NONE)?;
            game.play(choice.mv)?;
        }
        let end = match game.outcome() {
            Some(outcome) => outcome.to_string(),
            None => format!("not over after {} plies", game.plies()),
        };
        let (uci, san) = words(&game);
        let [white, black] = sides.each_ref().map(|side| side.text().to_owned());
        let told = Told {
            event: "Lucena line",
            picture: format!("White: {white}; black: {black}; {end}"),
            json: json!({
                "fen": start.fen(),
                "white": white,
                "black": black,
                "uci": uci,
                "san": san,
                "final_fen": game.position().fen(),
                "checkmate": game.position().is_checkmate(),
                "end": end,
            }),
            names: Some([white, black]),
            verdict: end,
        };
        self.tell(&game, &told)
    }

    /// Prints a game, and draws it.
    fn tell(&self, game: &Game, told: &Told) -> anyhow::Result<()> {
        if let Some(path) = &self.svg {
            let picture = boards_svg(&told.picture, &game_frames(game));
            write_or_print(path, picture.as_bytes())?;
            if crate::files::is_stdout(path) {
                return Ok(());
            }
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            writeln!(out, "{:#}", told.json)?;
        } else if self.boards {
            let (_, san) = words(game);
            for (i, position) in game.positions().enumerate() {
                let title = match i {
                    0 => format!("{}: {}", game.start().turn(), told.verdict),
                    _ => format!("{}. {}", i.div_ceil(2), san[i - 1]),
                };
                writeln!(out, "{title}\n{}", position.diagram())?;
            }
        } else {
            let mut pgn = Pgn::new(game.clone());
            pgn.tags.set("Event", told.event)?;
            let place = match &told.names {
                Some([white, black]) => {
                    pgn.tags.set("White", white)?;
                    pgn.tags.set("Black", black)?;
                    game.plies()
                }
                None => 0,
            };
            pgn.comments.insert(place, told.verdict.clone());
            write!(out, "{pgn}")?;
        }
        Ok(())
    }
}

/// What is told of a game besides its moves.
struct Told {
    event: &'static str,
    names: Option<[String; 2]>,
    /// What perfect play says of its beginning, or how it ended.
    verdict: String,
    /// What stands above its picture.
    picture: String,
    json: serde_json::Value,
}

/// The moves of a game in UCI notation and in SAN.
fn words(game: &Game) -> (Vec<String>, Vec<String>) {
    let moves = game.positions().zip(game.moves());
    moves.map(|(now, m)| (now.uci(m), now.san(m))).unzip()
}

fn text(verdict: Option<Verdict>) -> String {
    verdict.map_or("not in our tables".to_owned(), |verdict| {
        verdict.to_string()
    })
}

/// Perfect play from a position to mate.
#[derive(Serialize, utoipa::ToSchema)]
pub struct PerfectPlay {
    /// The position.
    pub fen: String,
    /// Plies to mate, negative when the side to move is mated; absent for a draw.
    pub dtm: Option<i32>,
    /// Moves of the winning side to mate.
    pub dtm_moves: Option<u16>,
    /// The moves in UCI notation.
    pub uci: Vec<String>,
    /// The moves in SAN.
    pub san: Vec<String>,
    /// The last position.
    pub final_fen: String,
    /// Does it end with mate?
    pub checkmate: bool,
}

impl PerfectPlay {
    /// Perfect play, and the same as a game.
    pub fn from(
        start: &Position,
        tablebase: &Tablebase,
    ) -> Result<(PerfectPlay, Game), TableError> {
        let verdict = tablebase.probe(start)?;
        // Distances know no draw rules, so the line is played without them.
        let mut game = Game::new(start.clone(), Rules::none());
        for m in tablebase.line(start)? {
            game.play(m).expect("perfect play is legal");
        }
        let (uci, san) = words(&game);
        let perfect = PerfectPlay {
            fen: start.fen(),
            dtm: verdict.and_then(Verdict::signed_plies),
            dtm_moves: verdict.and_then(Verdict::moves),
            uci,
            san,
            final_fen: game.position().fen(),
            checkmate: game.position().is_checkmate(),
        };
        Ok((perfect, game))
    }
}
