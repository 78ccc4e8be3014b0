//! Probing: the exact value of any position that the tables of a folder cover.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, RwLock},
};

use rules::{Board, Material, Move, Position};

use crate::{
    layout::MAX_MEN,
    solved::OnProgress,
    solver::{SolveError, Solver},
    table::{Problem, Table, TableError},
    verdict::{Oracle, Verdict},
};

/// The tables of one folder, opened when first needed.
///
/// Safe to share between threads. A position with castling rights is never covered: tables know
/// nothing of castling.
#[derive(Debug)]
pub struct Tablebase {
    folder: PathBuf,
    tables: RwLock<HashMap<(Material, Board), Entry>>,
}

/// `None` for a signature whose table is not there.
type Entry = Option<Arc<Table>>;

/// One legal move and what it is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProbedMove {
    /// The move.
    pub mv: Move,
    /// Its value for the side that plays it; `None` when the table it leads to is missing.
    pub verdict: Option<Verdict>,
}

impl Tablebase {
    /// The tables in `folder`, which need not exist yet.
    pub fn new(folder: &Path) -> Tablebase {
        Tablebase {
            folder: folder.to_owned(),
            tables: RwLock::default(),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The table of a signature, if it is there.
    ///
    /// # Errors
    /// When the file is there but cannot be used.
    pub fn table(
        &self,
        material: Material,
        board: Board,
    ) -> Result<Option<Arc<Table>>, TableError> {
        let key = (material.canonical(), board);
        if let Some(table) = self.tables.read().expect(POISON).get(&key) {
            return Ok(table.clone());
        }
        let table = match Table::open_in(&self.folder, key.0, key.1) {
            Ok(table) => Some(Arc::new(table)),
            Err(TableError {
                problem: Problem::Io(e),
                ..
            }) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(self
            .tables
            .write()
            .expect(POISON)
            .entry(key)
            .or_insert(table)
            .clone())
    }

    /// Makes sure that a signature and everything it leads to can be probed, solving and saving
    /// what is missing.
    ///
    /// # Errors
    /// When the signature has no table, a file cannot be read or written, or `progress` answered
    /// `false`.
    pub fn ensure(
        &self,
        material: Material,
        board: Board,
        progress: OnProgress<'_>,
    ) -> Result<(), SolveError> {
        let mut missing = false;
        for material in closure(material) {
            missing |= self.table(material, board)?.is_none();
        }
        if missing {
            let mut solver = Solver::with_folder(board, &self.folder);
            for material in closure(material) {
                solver.solve(material, progress)?;
            }
            self.tables
                .write()
                .expect(POISON)
                .retain(|_, table| table.is_some());
        }
        Ok(())
    }

    /// The value of a position; `None` when its table is not there.
    ///
    /// # Errors
    /// When the table is there but cannot be used.
    pub fn probe(&self, position: &Position) -> Result<Option<Verdict>, TableError> {
        let men = position.men_count();
        if men > MAX_MEN || position.has_castling_rights() {
            return Ok(None);
        }
        if men == 2 {
            return Ok(Some(Verdict::Draw));
        }
        if position.en_passant().is_some() {
            // The right to take in passing is not part of a table: look one move ahead.
            return self.best_move(position);
        }
        let material = position.material();
        let canonical = material.canonical();
        let Some(table) = self.table(canonical, position.board())? else {
            let draw = position.is_insufficient_material();
            return Ok(draw.then_some(Verdict::Draw));
        };
        let swapped = canonical != material;
        let (squares, king) = table.layout().place(position, swapped);
        let turn = if swapped {
            !position.turn()
        } else {
            position.turn()
        };
        let byte = table.byte(turn, &squares, king)?;
        Ok(Some(Verdict::from_byte(byte)))
    }

    /// The value of the best move; `None` when that of any move is unknown.
    fn best_move(&self, position: &Position) -> Result<Option<Verdict>, TableError> {
        let mut best = None;
        for m in position.legal_moves() {
            let Some(verdict) = self.probe(&position.after(m))? else {
                return Ok(None);
            };
            best = best.max(Some(verdict.before()));
        }
        Ok(best)
    }

    /// Every legal move with its value, best first; moves of equal value in the order of their
    /// UCI notation, unknown ones last.
    ///
    /// # Errors
    /// When a table is there but cannot be used.
    pub fn moves(&self, position: &Position) -> Result<Vec<ProbedMove>, TableError> {
        let mut moves = Vec::new();
        for m in position.legal_moves() {
            let verdict = self.probe(&position.after(m))?.map(Verdict::before);
            moves.push((std::cmp::Reverse(verdict), position.uci(m), m));
        }
        moves.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        Ok(moves
            .into_iter()
            .map(|(verdict, _, mv)| ProbedMove {
                mv,
                verdict: verdict.0,
            })
            .collect())
    }

    /// Perfect play from a position: the shortest mate against the longest resistance. Ends with
    /// mate, or at once when the position is drawn or not covered.
    ///
    /// # Errors
    /// When a table is there but cannot be used.
    pub fn line(&self, position: &Position) -> Result<Vec<Move>, TableError> {
        let mut position = position.clone();
        let mut line = Vec::new();
        while self
            .probe(&position)?
            .is_some_and(|verdict| !verdict.is_draw())
        {
            let moves = self.moves(&position)?;
            let Some(best) = moves.first().filter(|m| m.verdict.is_some()) else {
                break;
            };
            line.push(best.mv);
            position.play(best.mv);
        }
        Ok(line)
    }
}

const POISON: &str = "no thread panics while it holds the list of tables";

/// A signature and everything that captures and promotions can lead to.
pub fn closure(material: Material) -> Vec<Material> {
    let mut all = vec![material.canonical()];
    let mut next = 0;
    while next < all.len() {
        for successor in crate::conversion::successors(all[next]) {
            if !all.contains(&successor) {
                all.push(successor);
            }
        }
        next += 1;
    }
    all
}

impl Oracle for Tablebase {
    /// A table that cannot be used covers nothing.
    fn probe(&self, position: &Position) -> Option<Verdict> {
        Tablebase::probe(self, position).ok().flatten()
    }
}
