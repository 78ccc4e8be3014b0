//! What each fuzz target asserts. The targets themselves are two lines each.

use std::{io::Write as _, path::Path, sync::LazyLock};

use games::{GameFile, GamesError, Import};
use rules::{Epd, Game, PgnReader, Position, Rules};

// A link; see Cargo.toml.
#[allow(dead_code, unused_imports)]
mod games;

/// A FEN that is read is written and read again as the same position, and that position keeps the
/// promises of the rules.
pub fn fen(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(position) = Position::from_fen(text) {
        let fen = position.fen();
        let again = Position::from_fen(&fen).expect("what is written can be read");
        assert_eq!(again, position);
        assert_eq!(again.fen(), fen);
        promises(&position);
    }
}

/// The same for EPD: operations survive, too.
pub fn epd(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(epd) = text.parse::<Epd>() {
        let written = epd.to_string();
        let again: Epd = written.parse().expect("what is written can be read");
        assert_eq!(again, epd);
        assert_eq!(again.to_string(), written);
        assert_eq!(again.position.fen(), epd.position.fen());
    }
    // Bytes that are no text must not end the reading of a file either.
    let lines = Epd::read_file(data).count();
    assert!(lines <= 1 + data.iter().filter(|&&byte| byte == b'\n').count());
}

/// Games that are read are written and read again as the same games; whatever is between them,
/// the reader comes to an end.
pub fn pgn(data: &[u8]) {
    let reader = PgnReader::new(data, Rules::default());
    // Every game and every error takes at least one byte, so more would mean going in circles.
    for pgn in reader.take(data.len() + 1).flatten() {
        let written = pgn.to_string();
        let games: Vec<_> = PgnReader::new(written.as_bytes(), Rules::default())
            .collect::<Result<_, _>>()
            .expect("what is written can be read");
        let [again] = &games[..] else {
            panic!("{} games instead of one", games.len());
        };
        assert_eq!(again.to_string(), written);
        assert_eq!(again.tags, pgn.tags);
        assert_eq!(again.comments, pgn.comments);
        assert_eq!(again.nags, pgn.nags);
        assert_eq!(again.game.start().fen(), pgn.game.start().fen());
        assert!(again.game.moves().eq(pgn.game.moves()));
    }
    assert!(PgnReader::new(data, Rules::default()).count() <= data.len());
}

/// What holds for every position, whoever made it up.
fn promises(position: &Position) {
    for m in position.legal_moves() {
        assert!(position.is_legal(m), "legal moves are legal");
        assert_eq!(position.parse_uci(&position.uci(m)), Some(m));
        assert_eq!(position.parse_san(&position.san(m)), Ok(m));
        let after = position.after(m);
        assert_eq!(Position::from_fen(&after.fen()).as_ref(), Ok(&after));
        let mut game = Game::new(position.clone(), Rules::default());
        game.play(m).expect("legal moves can be played");
        let _ = game.outcome();
        assert_eq!(game.undo(), Some(m));
        assert_eq!(game.position().fen(), position.fen());
    }
    let canonical = position.canonical().0;
    for &symmetry in position.symmetries() {
        let image = position.transformed(symmetry);
        assert_eq!(image.legal_moves().len(), position.legal_moves().len());
        assert_eq!(image.canonical().0, canonical);
    }
    assert_eq!(position.mirrored().mirrored(), *position);
}

/// A good table, to be damaged: queen against king on the smallest board.
static GOOD_TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let board = rules::Board::new(4).expect("a board");
    let material = "KQK".parse().expect("a signature");
    truth::Solver::with_folder(board, folder.path())
        .solve(material, &|_| true)
        .expect("it can be solved");
    std::fs::read(folder.path().join("KQK-4x4.lucena")).expect("it was written")
});

/// A damaged table is refused or, when the damage carries a fresh checksum, read without harm.
///
/// The first byte says whether the header's checksum is made good again; then come patches of three
/// bytes: where (two bytes) and what. A patch beyond the end cuts the file off there.
pub fn table(data: &[u8]) {
    let Some((&resealed, patches)) = data.split_first() else {
        return;
    };
    let mut bytes = GOOD_TABLE.clone();
    for patch in patches.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([patch[0], patch[1]]));
        match bytes.get_mut(at) {
            Some(byte) => *byte = patch[2],
            None => bytes.truncate(at % (bytes.len() + 1)),
        }
    }
    let untouched = bytes == *GOOD_TABLE;
    if resealed % 2 == 1 {
        let blocks = bytes.get(32..36).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let head = (4132 + blocks as usize * 12) + 8;
        if head + 4 <= bytes.len() {
            let checksum = crc32fast::hash(&bytes[..head]).to_le_bytes();
            bytes[head..head + 4].copy_from_slice(&checksum);
        }
    }
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(&bytes).expect("it can be written");
    match truth::Table::open(file.path()) {
        Ok(table) => {
            let _ = table.load();
        }
        Err(_) => assert!(!untouched, "a good table was refused"),
    }
}

/// A game that nothing before or after it may spoil.
const GOOD_GAME: &[u8] = b"[Event \"between good games\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n";

/// Whatever stands between two good games, an import keeps both; the file it makes is sound, and its
/// export imports as the same games. The same bytes as a file of their own, packed perhaps, are
/// imported or refused.
pub fn import(data: &[u8]) {
    // In memory where there is such a folder: an import waits for the disk.
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    }
    .expect("a temporary folder");
    let made_of = |name: &str, bytes: &[u8]| -> Result<GameFile, GamesError> {
        let (pgn, out) = (folder.path().join(name), folder.path().join(format!("{name}.games")));
        std::fs::write(&pgn, bytes).expect("it can be written");
        let import = Import { force: true, threads: 1.try_into().ok(), ..Import::new(vec![pgn], out.clone()) };
        let summary = import.run(&mut |_| (), &false.into())?;
        let file = GameFile::open(&out).expect("what is made can be opened");
        assert_eq!(file.len() as u64, summary.games);
        let report = &summary.report;
        assert_eq!(report.read, report.kept + report.broken_games());
        Ok(file)
    };
    let _ = made_of("alone", data);
    let text = [GOOD_GAME, data, b"\n\n", GOOD_GAME].concat();
    let file = made_of("between", &text).expect("it is plain text");
    let exported = pgn_of(&file);
    let good = exported.matches("[Event \"between good games\"]").count();
    assert!(good >= 2, "a good game is lost");
    for game in file.games() {
        assert_eq!(game.positions().count(), game.moves().len());
    }
    let again = made_of("again", exported.as_bytes()).expect("it is plain text");
    assert_eq!(pgn_of(&again), exported);
}

fn pgn_of(file: &GameFile) -> String {
    use rayon::iter::ParallelIterator as _;
    file.parts()
        .flat_map_iter(|part| {
            let names = part.names().expect("its checksum is right");
            let games: Vec<String> = part
                .games()
                .enumerate()
                .map(|(i, game)| format!("{}\n", game.pgn(names.of(i)).expect("its moves are legal")))
                .collect();
            games
        })
        .collect()
}
