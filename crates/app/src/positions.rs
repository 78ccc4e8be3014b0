use std::{collections::HashSet, io::Write as _};

use anyhow::bail;
use clap::{Args, ValueEnum};
use rules::{Board, Color, Epd, Material, Operation, Position, RandomPositions};
use serde_json::json;
use truth::{Oracle, Tablebase, Verdict};

use crate::tables::{Tables, parse_board};

/// Draw positions of an endgame, as EPD
///
/// With --mate-in, positions from which the first side named (white) mates in exactly so many
/// moves; otherwise uniform random legal positions. All are different from each other.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena positions KRK --mate-in 7 --count 20 --seed 1\n  lucena positions KQK --random --board 5 --side black --count 3\n\nOperations: dm, the side to move mates in so many moves; bm, its best moves; ce, 32767 less the\nplies to mate, negative when the side to move is mated, 0 for a draw."
)]
pub struct Positions {
    /// The endgame, white's men first
    material: Material,
    /// White mates in exactly this many moves
    #[arg(long, value_name = "MOVES", conflicts_with = "random")]
    mate_in: Option<u16>,
    /// Any legal position (the default without --mate-in)
    #[arg(long)]
    random: bool,
    /// The side to move
    #[arg(long, value_enum, default_value = "white")]
    side: SideToMove,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 10)]
    count: usize,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Board size, 4 to 8
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse_board)]
    board: Board,
    /// Print only FENs
    #[arg(long, conflicts_with = "json")]
    fen: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
}

/// Whose move it is in the positions wanted.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SideToMove {
    White,
    Black,
    /// White or black, by the toss of a coin
    Either,
}

impl Positions {
    pub fn run(self) -> anyhow::Result<()> {
        if self.material.has_pawns() && !self.board.is_standard() {
            bail!(
                "{} has pawns, and boards smaller than 8×8 have none",
                self.material
            );
        }
        let tablebase = if self.material.men() <= truth::MAX_MEN {
            Some(self.tables.with(self.material, self.board)?)
        } else {
            None
        };
        let positions = match self.mate_in {
            Some(moves) => self.wanted().by_distance(moves, tablebase.as_ref())?,
            None => self.wanted().at_random(),
        };
        if let (Some(moves), true) = (self.mate_in, positions.is_empty()) {
            bail!(
                "no position of {} on {} is a mate in {moves} move{}{}",
                self.material,
                self.board,
                if moves == 1 { "" } else { "s" },
                self.longest(tablebase.as_ref())?
            );
        }
        if positions.is_empty() {
            bail!(
                "there is no position of {} on {}",
                self.material,
                self.board
            );
        }
        if positions.len() < self.count {
            eprintln!("lucena: there are only {} such positions", positions.len());
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            let rows: Vec<_> = positions
                .iter()
                .map(|position| {
                    let verdict = tablebase.as_ref().and_then(|t| Oracle::probe(t, position));
                    json!({
                        "fen": position.fen(),
                        "dtm": verdict.and_then(Verdict::signed_plies),
                        "dtm_moves": verdict.and_then(Verdict::moves),
                    })
                })
                .collect();
            writeln!(out, "{:#}", json!(rows))?;
            return Ok(());
        }
        for position in positions {
            if self.fen {
                writeln!(out, "{position}")?;
            } else {
                writeln!(out, "{}", epd(position, tablebase.as_ref())?)?;
            }
        }
        Ok(())
    }

    /// How far its mates go, as the end of a sentence.
    fn longest(&self, tablebase: Option<&Tablebase>) -> anyhow::Result<String> {
        // The statistics count from the side that mates.
        if self.side != SideToMove::White {
            return Ok(String::new());
        }
        let table = tablebase
            .map(|tables| tables.table(self.material, self.board))
            .transpose()?
            .flatten();
        let longest = table.as_ref().and_then(|table| {
            let statistics = table.statistics();
            let swapped = self.material.canonical() != self.material;
            let white = match swapped {
                true => &statistics.black_to_move,
                false => &statistics.white_to_move,
            };
            white.longest_win_plies()
        });
        Ok(longest.map_or(String::new(), |plies| {
            format!("; the longest takes {}", plies.div_ceil(2))
        }))
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            material: self.material,
            board: self.board,
            side: self.side,
            count: self.count,
            seed: self.seed,
        }
    }
}

/// Which positions are wanted.
pub struct Wanted {
    /// The endgame, white's men first.
    pub material: Material,
    pub board: Board,
    pub side: SideToMove,
    pub count: usize,
    pub seed: u64,
}

impl Wanted {
    /// Positions from which white mates in exactly so many moves.
    pub fn by_distance(
        &self,
        moves: u16,
        tablebase: Option<&Tablebase>,
    ) -> anyhow::Result<Vec<Position>> {
        // No table holds a longer mate, and a longer one would not fit its bytes.
        if moves > LONGEST {
            return Ok(Vec::new());
        }
        let swapped = self.material.canonical() != self.material;
        let table = tablebase
            .map(|t| t.table(self.material, self.board))
            .transpose()?
            .flatten();
        let Some(table) = table else {
            bail!("--mate-in needs a table: 3 to {} men", truth::MAX_MEN);
        };
        let solved = table.load()?;
        let (turn, verdict) = match self.side {
            SideToMove::White if moves == 0 => bail!("the side to move cannot mate in 0 moves"),
            SideToMove::White => (
                Color::White,
                Verdict::Win {
                    plies: moves * 2 - 1,
                },
            ),
            SideToMove::Black => (Color::Black, Verdict::Loss { plies: moves * 2 }),
            SideToMove::Either => bail!("--mate-in needs --side white or --side black"),
        };
        // The table may know the signature with its colours exchanged.
        let turn = if swapped { !turn } else { turn };
        let found = solved.sample(turn, verdict, self.count, self.seed);
        Ok(found
            .into_iter()
            .map(|p| if swapped { p.mirrored() } else { p })
            .collect())
    }

    /// Any legal positions, all different.
    pub fn at_random(&self) -> Vec<Position> {
        let turn = match self.side {
            SideToMove::White => Some(Color::White),
            SideToMove::Black => Some(Color::Black),
            SideToMove::Either => None,
        };
        let mut random = RandomPositions::new(self.material, self.board, turn, self.seed);
        let mut seen = HashSet::new();
        let mut positions = Vec::new();
        // After so many repetitions in a row, no more different ones are to be expected.
        let mut misses = 0;
        while positions.len() < self.count && misses < 10_000 {
            let Some(position) = random.next_within(1_000_000) else {
                break;
            };
            if seen.insert(position.fen()) {
                positions.push(position);
                misses = 0;
            } else {
                misses += 1;
            }
        }
        positions
    }
}

/// The position with what the tables know about it.
fn epd(position: Position, tablebase: Option<&Tablebase>) -> anyhow::Result<Epd> {
    let mut operations = Vec::new();
    if let Some(tables) = tablebase
        && let Some(verdict) = tables.probe(&position)?
    {
        if let Verdict::Win { .. } = verdict {
            operations.extend(
                verdict
                    .moves()
                    .map(|moves| Operation::DirectMate(moves.into())),
            );
        }
        let moves = tables.moves(&position)?;
        if let Some(best) = moves.first() {
            let best = moves
                .iter()
                .filter(|m| m.verdict == best.verdict)
                .map(|m| m.mv)
                .collect();
            operations.push(Operation::BestMove(best));
        }
        let evaluation = verdict.signed_plies().map_or(0, |plies| match verdict {
            Verdict::Win { .. } => MATE - plies,
            _ => -MATE - plies,
        });
        operations.push(Operation::CentipawnEvaluation(evaluation));
    }
    Ok(Epd {
        position,
        operations,
    })
}

/// The longest mate that a byte of plies can tell, in moves.
const LONGEST: u16 = 127;

/// EPD's value of mate; each ply to it costs one.
const MATE: i32 = 32_767;
