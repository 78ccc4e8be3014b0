//! Our distances against Gaviota's, through its own probing library (Debian: `libgaviotatb1`).
//!
//! The library is loaded at run time, so that nothing has to be installed to build the project.
//! Tables of three men are compared in full, those of four men by a sample, or in full when
//! `LUCENA_EXHAUSTIVE` is set.

mod support;

use std::{
    ffi::{CString, c_char, c_int, c_uchar, c_uint},
    sync::{LazyLock, Mutex},
};

use libloading::{Library, Symbol};
use rayon::prelude::*;
use rules::{Board, Color, Material, Position, RandomPositions, Role};
use truth::{Solver, Tablebase, Verdict};

/// Positions of each signature of four men, without `LUCENA_EXHAUSTIVE`.
const SAMPLE: usize = 20_000;

struct Gaviota {
    library: Library,
}

/// The library keeps its state in global variables and serves one caller at a time.
static GAVIOTA: LazyLock<Mutex<Option<Gaviota>>> = LazyLock::new(|| Mutex::new(Gaviota::open()));

const COMPARISON: &str = "Gaviota's distances";

impl Gaviota {
    fn open() -> Option<Gaviota> {
        let folder = support::data(COMPARISON, "gaviota")?;
        // SAFETY: the library has no initialisers of its own.
        let library = unsafe { Library::new("libgaviotatb.so.1") };
        let why = "Gaviota's library is not installed (Debian: libgaviotatb1)";
        support::made(COMPARISON, library.is_ok(), why);
        let library = library.ok()?;
        let folder = folder.to_str().expect("a readable path");
        // Gaviota keeps pointers to the path, so it must live as long as the process.
        let folder = CString::new(folder)
            .expect("a path has no zero byte")
            .into_raw();
        type Paths = *const *const c_char;
        const COMPRESSED_4: c_int = 4;
        // SAFETY: the signatures are those of gtb-probe.h.
        unsafe {
            let missing = "Gaviota's library has this function";
            let paths_init: Symbol<unsafe extern "C" fn() -> Paths> =
                library.get(b"tbpaths_init").expect(missing);
            let paths_add: Symbol<unsafe extern "C" fn(Paths, *const c_char) -> Paths> =
                library.get(b"tbpaths_add").expect(missing);
            let init: Symbol<unsafe extern "C" fn(c_int, c_int, Paths) -> *const c_char> =
                library.get(b"tb_init").expect(missing);
            let cache: Symbol<unsafe extern "C" fn(usize, c_int) -> c_int> =
                library.get(b"tbcache_init").expect(missing);
            init(0, COMPRESSED_4, paths_add(paths_init(), folder));
            cache(256 << 20, 0);
        }
        Some(Gaviota { library })
    }

    /// The distance, for the side to move.
    fn probe(&self, position: &Position) -> Verdict {
        const NO_SQUARE: c_uint = 64;
        let list = |color: Color| {
            let men = position.men();
            let mut squares: Vec<c_uint> = Vec::new();
            let mut pieces: Vec<c_uchar> = Vec::new();
            for square in men.by_color(color) {
                squares.push(u32::from(square));
                pieces.push(match men.role_at(square).expect("a man stands there") {
                    Role::Pawn => 1,
                    Role::Knight => 2,
                    Role::Bishop => 3,
                    Role::Rook => 4,
                    Role::Queen => 5,
                    Role::King => 6,
                });
            }
            squares.push(NO_SQUARE);
            pieces.push(0);
            (squares, pieces)
        };
        let (white, black) = (list(Color::White), list(Color::Black));
        let turn = position.turn().fold_wb(0, 1);
        let passing = position.en_passant().map_or(NO_SQUARE, u32::from);
        let (mut info, mut plies): (c_uint, c_uint) = (0, 0);
        // SAFETY: the signature is that of gtb-probe.h; the lists are ended as it asks.
        let found = unsafe {
            type Probe = unsafe extern "C" fn(
                c_uint,
                c_uint,
                c_uint,
                *const c_uint,
                *const c_uint,
                *const c_uchar,
                *const c_uchar,
                *mut c_uint,
                *mut c_uint,
            ) -> c_int;
            let probe: Symbol<Probe> = self.library.get(b"tb_probe_hard").expect("a symbol");
            probe(
                turn,
                passing,
                0,
                white.0.as_ptr(),
                black.0.as_ptr(),
                white.1.as_ptr(),
                black.1.as_ptr(),
                &mut info,
                &mut plies,
            )
        };
        assert!(found != 0, "Gaviota has no answer for {position}");
        let plies = plies as u16;
        match (info, turn) {
            (0, _) => Verdict::Draw,
            (1, 0) | (2, 1) => Verdict::Win { plies },
            (1, 1) | (2, 0) => Verdict::Loss { plies },
            _ => panic!("Gaviota says {info} of {position}"),
        }
    }
}

#[test]
fn distances_agree_with_gaviota() {
    let gaviota = GAVIOTA.lock().expect("the other test did not fail");
    let Some(gaviota) = gaviota.as_ref() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tablebase = Tablebase::new(folder.path());
    let mut solver = Solver::with_folder(Board::STANDARD, folder.path());
    let mut compared = 0u64;
    for material in (3..=4).flat_map(Material::all) {
        let solved = solver.solve(material, &|_| true).expect("it can be solved");
        let compare = |position: &Position, ours: Verdict| {
            assert_eq!(ours, gaviota.probe(position), "{position}");
        };
        if material.men() == 3 || support::exhaustive() {
            for turn in Color::ALL {
                // Gaviota's library serves one caller at a time: hand it the positions in order.
                let positions: Vec<(Position, Verdict)> = solved.positions(turn).collect();
                for (position, verdict) in &positions {
                    compare(position, *verdict);
                }
                compared += positions.len() as u64;
            }
        } else {
            // Through the table on disk, so that the whole path is compared.
            for position in RandomPositions::new(material, Board::STANDARD, None, 1).take(SAMPLE) {
                let ours = tablebase
                    .probe(&position)
                    .expect("a good table")
                    .expect("a table");
                compare(&position, ours);
                compared += 1;
            }
        }
    }
    eprintln!("{compared} positions of 35 signatures agree with Gaviota");
    assert!(compared > 600_000);
}

/// En passant is not part of any table: the probe looks a move ahead, and so does Gaviota.
#[test]
fn en_passant_agrees_with_gaviota() {
    let gaviota = GAVIOTA.lock().expect("the other test did not fail");
    let Some(gaviota) = gaviota.as_ref() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tablebase = Tablebase::new(folder.path());
    let material: Material = "KPKP".parse().expect("a signature");
    tablebase
        .ensure(material, Board::STANDARD, &|_| true)
        .expect("it can be solved");
    let mut compared = 0;
    for position in RandomPositions::new(material, Board::STANDARD, None, 7).take(400_000) {
        for m in position.legal_moves() {
            let after = position.after(m);
            if after.en_passant().is_some() {
                let ours = tablebase
                    .probe(&after)
                    .expect("a good table")
                    .expect("a table");
                assert_eq!(ours, gaviota.probe(&after), "{after}");
                compared += 1;
            }
        }
    }
    assert!(
        compared > 100,
        "only {compared} positions with a capture en passant"
    );
}
