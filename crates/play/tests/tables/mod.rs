//! Exact tables for the tests, solved once in a folder that goes with the test program.

use std::sync::{Arc, OnceLock};

use play::Registry;
use rules::{Board, Position};
use truth::{Oracle, Tablebase};

fn tablebase() -> &'static Arc<Tablebase> {
    static TABLES: OnceLock<(tempfile::TempDir, Arc<Tablebase>)> = OnceLock::new();
    let (_, tables) = TABLES.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let tables = Arc::new(Tablebase::new(folder.path()));
        (folder, tables)
    });
    tables
}

/// Knows these signatures and what they lead to.
pub fn oracle(signatures: &[&str], board: Board) -> Arc<dyn Oracle> {
    static SOLVING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let tables = tablebase();
    let guard = SOLVING.lock().expect("no test panics while solving");
    for signature in signatures {
        let material = signature.parse().expect("a signature");
        tables.ensure(material, board, &|_| true).expect("solved");
    }
    drop(guard);
    tables.clone()
}

/// All players; `perfect` knows these signatures.
pub fn registry(signatures: &[&str], board: Board) -> Registry {
    Registry::new(oracle(signatures, board))
}

/// The position of a FEN.
pub fn position(fen: &str) -> Position {
    Position::from_fen(fen).expect(fen)
}
