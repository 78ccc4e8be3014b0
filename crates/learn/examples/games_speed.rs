//! How fast games are read: by our strict reader and by `pgn-reader` with shakmaty alone, on one core,
//! and imported, on one core and on all. Prints JSON; `scripts/bench --games` puts it beside python-chess.
//!
//!     cargo run --release -p lucena-learn --example games_speed -- FILE.pgn.zst [SAMPLE.pgn]
//!
//! Writes the first two million bytes of the text to SAMPLE.pgn, for other readers.

use std::{fs::File, io::Read, num::NonZeroUsize, ops::ControlFlow, time::Instant};

use learn::games::{GameFile, Import, Positions, SeenPositions, Split};
use pgn_reader::{Reader, SanPlus, Visitor};
use rules::{Chess, PgnReader, Rules, ShakmatyPosition as _};

/// The least that a reader has to do: play every move.
struct Playing {
    games: u64,
    plies: u64,
}

impl Visitor for Playing {
    type Tags = ();
    type Movetext = Chess;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(Chess::default())
    }

    fn san(&mut self, chess: &mut Chess, san: SanPlus) -> ControlFlow<()> {
        let Ok(m) = san.san.to_move(chess) else {
            return ControlFlow::Break(());
        };
        chess.play_unchecked(m);
        self.plies += 1;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, _: Chess) {
        self.games += 1;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a .pgn.zst file")?;
    let mut text = Vec::new();
    zstd::Decoder::new(File::open(&path)?)?.read_to_end(&mut text)?;

    if let Some(sample) = std::env::args().nth(2) {
        std::fs::write(sample, &text[..text.len().min(2_000_000)])?;
    }

    let begun = Instant::now();
    let mut playing = Playing { games: 0, plies: 0 };
    Reader::new(&text[..]).visit_all_games(&mut playing)?;
    let plain = playing.games as f64 / begun.elapsed().as_secs_f64();

    // A tenth is enough: it is some times slower.
    let part = &text[..text.len() / 10];
    let begun = Instant::now();
    let strict = PgnReader::new(part, Rules::none()).count() as f64 / begun.elapsed().as_secs_f64();

    let folder = tempfile::tempdir()?;
    let out = folder.path().join("games");
    let import = |threads| -> Result<f64, Box<dyn std::error::Error>> {
        let import = Import {
            threads,
            force: true,
            ..Import::new(vec![path.clone().into()], out.clone())
        };
        let begun = Instant::now();
        let summary = import.run(&mut |_| (), &false.into())?;
        Ok(summary.report.read as f64 / begun.elapsed().as_secs_f64())
    };
    let one = import(NonZeroUsize::new(1))?;
    let all = import(None)?;

    let file = GameFile::open(&out)?;
    let (training, held_out) = Split::default().of(&file);
    let begun = Instant::now();
    let positions = Positions::of(&file, &training)?;
    let unpacked = positions.len() as f64 / begun.elapsed().as_secs_f64();
    let judged = Positions::of(&file, &held_out)?;
    let begun = Instant::now();
    let seen = SeenPositions::of(judged.as_slice(), &file, &training)?;
    let looked_up = positions.len() as f64 / begun.elapsed().as_secs_f64();
    // As a learner does: from all over the array.
    let begun = Instant::now();
    let mut dice = play::Dice::new(1);
    let (batches, batch) = (1000, 4096);
    let mut squares = 0_u32;
    for _ in 0..batches * batch {
        let position = &positions.as_slice()[dice.below(positions.len())];
        squares ^= position
            .planes()
            .iter()
            .fold(0, |n, plane| n ^ *plane as u32);
    }
    let planes = f64::from(batches * batch) / begun.elapsed().as_secs_f64();
    println!(
        "{:#}",
        serde_json::json!({
            "games": playing.games,
            "plies": playing.plies,
            "threads": rayon::current_num_threads(),
            "plain_games_per_second": plain,
            "strict_games_per_second": strict,
            "import_one_thread_games_per_second": one,
            "import_games_per_second": all,
            "bytes_per_position": file.bytes() as f64 / file.summary().positions as f64,
            "unpacked_positions_per_second": unpacked,
            "looked_up_positions_per_second": looked_up,
            "random_planes_per_second_one_core": planes,
            "held_out_seen_positions": seen.len(),
            "planes_checksum": squares,
        })
    );
    Ok(())
}
