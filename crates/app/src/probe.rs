use std::io::Write as _;

use clap::Args;
use rules::{Move, Position};
use serde::Serialize;
use truth::{Syzygy, SyzygyVerdict, Tablebase, Verdict};

use crate::tables::{SyzygyFolder, Tables, parse_fen};

/// Show the exact value of a position and of every move
///
/// Distances are to mate, under perfect play, and know nothing of the fifty-move rule. Where
/// Syzygy tables are given, their verdict (under the fifty-move rule) and their distance to the
/// next capture or pawn move (DTZ) stand beside ours.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena probe \"8/8/8/3k4/8/8/8/KBN5 w - - 0 1\"\n  lucena probe \"k4/5/1K3/5/4R w\" --json      # 5×5 board\n\nThe JSON has lila-tablebase's fields: category and dtm (plies) speak for the side to move, those\nof a move for the side to move after it. dtm_moves counts moves of the winning side."
)]
pub struct Probe {
    /// The position; N ranks of N files for an N×N board
    #[arg(value_name = "FEN", value_parser = parse_fen)]
    position: Position,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
    #[command(flatten)]
    syzygy: SyzygyFolder,
}

impl Probe {
    pub fn run(self) -> anyhow::Result<()> {
        let position = &self.position;
        let syzygy = self.syzygy.open()?;
        let tablebase = if position.men_count() <= truth::MAX_MEN && !position.has_castling_rights()
        {
            match self.tables.with(position.material(), position.board()) {
                // Syzygy may still have an answer.
                Err(error) if syzygy.is_some() => {
                    eprintln!("lucena: {error:#}");
                    None
                }
                result => Some(result?),
            }
        } else {
            None
        };
        let answer = Answer::new(position, tablebase.as_ref(), syzygy.as_ref())?;
        if answer.verdict.is_none() && answer.syzygy.is_none() {
            let why = if position.has_castling_rights() {
                "positions with castling rights are in no table".to_owned()
            } else {
                format!(
                    "it has {} men; our tables hold up to {}, and --syzygy DIR those you have",
                    position.men_count(),
                    truth::MAX_MEN
                )
            };
            anyhow::bail!("no table covers this position: {why}");
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            // By way of a value, whose keys are in alphabetical order.
            writeln!(out, "{:#}", serde_json::to_value(answer.probed())?)?;
        } else {
            answer.print(&mut out)?;
        }
        Ok(())
    }
}

/// Everything the tables say about a position.
pub struct Answer<'a> {
    position: &'a Position,
    verdict: Option<Verdict>,
    syzygy: Option<SyzygyVerdict>,
    moves: Vec<MoveAnswer>,
}

struct MoveAnswer {
    mv: Move,
    after: Position,
    /// For the side that plays the move.
    verdict: Option<Verdict>,
    /// For the side to move after it, as Syzygy has it.
    syzygy: Option<SyzygyVerdict>,
}

/// A probed position in lila-tablebase's form.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Probed {
    /// The position, for its side to move.
    #[serde(flatten)]
    pub state: State,
    /// The position.
    pub fen: String,
    /// The size of its board.
    pub board: usize,
    /// The legal moves, best first.
    pub moves: Vec<ProbedMove>,
}

/// A move of a probed position.
#[derive(Serialize, utoipa::ToSchema)]
pub struct ProbedMove {
    /// The position after the move, for the side to move then.
    #[serde(flatten)]
    pub state: State,
    /// The move in UCI notation.
    pub uci: String,
    /// The move in SAN.
    pub san: String,
    /// Is it a capture or a pawn move?
    pub zeroing: bool,
}

/// The fields that a position and a move have in common. They speak for the side to move.
#[derive(Serialize, utoipa::ToSchema)]
pub struct State {
    /// `win`, `draw`, `loss` or `unknown`.
    pub category: &'static str,
    /// Plies to mate, negative when the side to move is mated.
    pub dtm: Option<i32>,
    /// Moves of the winning side to mate.
    pub dtm_moves: Option<u16>,
    /// Syzygy's distance to the next capture or pawn move.
    pub dtz: Option<i32>,
    /// The same where it is exact.
    pub precise_dtz: Option<i32>,
    /// Syzygy's verdict, under the fifty-move rule.
    pub syzygy_category: Option<&'static str>,
    /// Is the side to move mated?
    pub checkmate: bool,
    /// Has it no move, without being in check?
    pub stalemate: bool,
    /// Can neither side ever mate?
    pub insufficient_material: bool,
}

impl<'a> Answer<'a> {
    pub fn new(
        position: &'a Position,
        tablebase: Option<&Tablebase>,
        syzygy: Option<&Syzygy>,
    ) -> anyhow::Result<Answer<'a>> {
        let probed: Vec<(Move, Option<Verdict>)> = match tablebase {
            Some(tables) => tables
                .moves(position)?
                .into_iter()
                .map(|m| (m.mv, m.verdict))
                .collect(),
            None => position
                .legal_moves()
                .into_iter()
                .map(|m| (m, None))
                .collect(),
        };
        let mut moves: Vec<MoveAnswer> = probed
            .into_iter()
            .map(|(mv, verdict)| {
                let after = position.after(mv);
                let syzygy = syzygy.and_then(|s| s.probe(&after));
                MoveAnswer {
                    mv,
                    after,
                    verdict,
                    syzygy,
                }
            })
            .collect();
        if tablebase.is_none() {
            // Best for the mover: the worst verdict for the opponent, then the quickest progress.
            moves.sort_by_key(|m| m.syzygy.map_or((5, 0), |s| (s.rank(), -s.dtz)));
        }
        Ok(Answer {
            position,
            verdict: tablebase.map(|t| t.probe(position)).transpose()?.flatten(),
            syzygy: syzygy.and_then(|s| s.probe(position)),
            moves,
        })
    }

    /// The answer as the JSON has it.
    pub fn probed(&self) -> Probed {
        let moves = self
            .moves
            .iter()
            .map(|m| ProbedMove {
                // lila-tablebase speaks for the side to move, also after the move.
                state: State::new(&m.after, m.verdict.map(opposite), m.syzygy),
                uci: self.position.uci(m.mv),
                san: self.position.san(m.mv),
                zeroing: m.mv.is_zeroing(),
            })
            .collect();
        Probed {
            state: State::new(self.position, self.verdict, self.syzygy),
            fen: self.position.fen(),
            board: self.position.board().size(),
            moves,
        }
    }

    fn print(&self, out: &mut impl std::io::Write) -> anyhow::Result<()> {
        writeln!(out, "{}", self.position.diagram())?;
        let turn = self.position.turn();
        match self.verdict {
            Some(verdict) => writeln!(out, "{turn} to move: {verdict}")?,
            None => writeln!(out, "{turn} to move: not in our tables")?,
        }
        if let Some(s) = self.syzygy {
            writeln!(
                out,
                "Syzygy, fifty-move rule: {}, DTZ {}{}",
                s.category,
                s.dtz,
                s.about()
            )?;
        }
        if self.moves.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let with_syzygy = self.moves.iter().any(|m| m.syzygy.is_some());
        for m in &self.moves {
            let verdict = m
                .verdict
                .map_or("not in our tables".to_owned(), |v| v.to_string());
            write!(out, "  {:8} {verdict}", self.position.san(m.mv))?;
            if with_syzygy && let Some(s) = m.syzygy {
                write!(
                    out,
                    "{}| Syzygy: {} for the opponent, DTZ {}{}",
                    " ".repeat(34usize.saturating_sub(verdict.len())),
                    s.category,
                    s.dtz,
                    s.about()
                )?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Undoes [`Verdict::before`]: the verdict of the position after the move, for its side to move.
fn opposite(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Win { plies } => Verdict::Loss { plies: plies - 1 },
        Verdict::Draw => Verdict::Draw,
        Verdict::Loss { plies } => Verdict::Win { plies: plies - 1 },
    }
}

impl State {
    fn new(position: &Position, verdict: Option<Verdict>, syzygy: Option<SyzygyVerdict>) -> State {
        State {
            category: category(verdict),
            dtm: verdict.and_then(Verdict::signed_plies),
            dtm_moves: verdict.and_then(Verdict::moves),
            dtz: syzygy.map(|s| s.dtz),
            precise_dtz: syzygy.filter(|s| !s.rounded).map(|s| s.dtz),
            syzygy_category: syzygy.map(|s| s.category),
            checkmate: position.is_checkmate(),
            stalemate: position.is_stalemate(),
            insufficient_material: position.is_insufficient_material(),
        }
    }
}

/// lila-tablebase's word for a verdict.
pub fn category(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Win { .. }) => "win",
        Some(Verdict::Draw) => "draw",
        Some(Verdict::Loss { .. }) => "loss",
        None => "unknown",
    }
}

/// How Syzygy's verdict is shown and sorted.
trait Shown {
    fn rank(&self) -> i32;
    fn about(&self) -> &'static str;
}

impl Shown for SyzygyVerdict {
    fn rank(&self) -> i32 {
        match self.category {
            "loss" => -3,
            "maybe-loss" => -2,
            "blessed-loss" => -1,
            "draw" => 0,
            "cursed-win" => 1,
            "maybe-win" => 2,
            _ => 3,
        }
    }

    fn about(&self) -> &'static str {
        if self.rounded { " (or one more)" } else { "" }
    }
}
