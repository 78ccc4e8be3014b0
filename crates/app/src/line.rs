use std::io::Write as _;

use clap::Args;
use rules::{Game, Pgn, Position, Rules};
use serde::Serialize;
use truth::{TableError, Tablebase, Verdict};

use crate::tables::{Tables, parse_fen};

/// Show perfect play from a position to mate
///
/// The shortest mate against the longest resistance, as PGN; among equally good moves the first
/// in alphabetical order.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena line \"8/8/8/3k4/8/8/8/KBN5 w - - 0 1\"\n  lucena line \"k4/5/1K3/5/4R w\" --boards"
)]
pub struct Line {
    /// The position; N ranks of N files for an N×N board
    #[arg(value_name = "FEN", value_parser = parse_fen)]
    position: Position,
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
        let start = &self.position;
        if start.men_count() > truth::MAX_MEN || start.has_castling_rights() {
            anyhow::bail!(
                "no table covers this position: our tables hold up to {} men, without castling rights",
                truth::MAX_MEN
            );
        }
        let tablebase = self.tables.with(start.material(), start.board())?;
        let (perfect, game) = PerfectPlay::from(start, &tablebase)?;
        let verdict = tablebase.probe(start)?;
        let mut out = std::io::stdout().lock();
        if self.json {
            writeln!(out, "{:#}", serde_json::to_value(perfect)?)?;
        } else if self.boards {
            for (i, position) in game.positions().enumerate() {
                let title = match i {
                    0 => format!("{}: {}", start.turn(), text(verdict)),
                    _ => format!("{}. {}", i.div_ceil(2), perfect.san[i - 1]),
                };
                writeln!(out, "{title}\n{}", position.diagram())?;
            }
        } else {
            let mut pgn = Pgn::new(game);
            pgn.tags.set("Event", "Perfect play")?;
            pgn.comments.insert(0, text(verdict));
            write!(out, "{pgn}")?;
        }
        Ok(())
    }
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
        let (mut uci, mut san) = (Vec::new(), Vec::new());
        for m in tablebase.line(start)? {
            uci.push(game.position().uci(m));
            san.push(game.position().san(m));
            game.play(m).expect("perfect play is legal");
        }
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
