//! Files made by others, dirty as they are. Without the data the tests say so and pass.

mod others;

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufReader, Read},
    path::Path,
};

use others::{data, verdict};
use rules::{Epd, PgnErrorKind, PgnReader, Rules};

/// What `make test` prints at its end relies on it.
#[test]
fn a_comparison_is_left_out_only_where_nobody_promised_it() {
    let (here, nowhere) = (
        Path::new(env!("CARGO_MANIFEST_DIR")),
        Path::new("/no/such/folder"),
    );
    assert_eq!(verdict(true, true, here, "gone"), Ok(()));
    assert_eq!(verdict(false, false, here, "gone"), Ok(()));
    assert_eq!(verdict(false, true, nowhere, "gone"), Ok(()));
    let why = verdict(false, true, here, "gone").unwrap_err();
    assert!(
        why.contains("not compared") && why.contains("gone"),
        "{why}"
    );
}

/// Reads games up to a number, and says how many are good and why the others are not.
fn read_games(input: impl Read, most: usize) -> (usize, BTreeMap<String, usize>) {
    let mut good = 0;
    let mut bad: BTreeMap<String, usize> = BTreeMap::new();
    for game in PgnReader::new(input, Rules::none()).take(most) {
        match game {
            Ok(_) => good += 1,
            Err(error) => {
                let kind = match &error.kind {
                    PgnErrorKind::Move { source, .. } => format!("{source:?}"),
                    kind => format!("{kind:?}"),
                };
                let kind = kind.split([' ', '(']).next().unwrap_or_default().to_owned();
                if bad.get(&kind).copied().unwrap_or_default() < 2 {
                    eprintln!("for example: {error}");
                }
                *bad.entry(kind).or_default() += 1;
            }
        }
    }
    eprintln!("{good} games are good, others are refused for {bad:?}");
    (good, bad)
}

#[test]
fn human_games() {
    let Some(path) = data("games of masters", "pgn/masters.pgn.zst") else {
        return;
    };
    let input = zstd::Decoder::new(File::open(path).unwrap()).unwrap();
    let (good, bad) = read_games(input, 20_000);
    assert_eq!(good + bad.values().sum::<usize>(), 20_000);
    assert!(good > 19_000);
}

#[test]
fn engine_games() {
    let Some(path) = data("games of engines", "pgn/tcec.pgn.zst") else {
        return;
    };
    let input = zstd::Decoder::new(File::open(path).unwrap()).unwrap();
    let (good, _) = read_games(input, 3_000);
    assert!(good > 2_990);
}

#[test]
fn endgames_of_an_opening_book() {
    let Some(path) = data("endgames of a book", "epd/endgames.epd.zip") else {
        return;
    };
    let mut archive = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
    let file = archive.by_index(0).unwrap();
    let mut positions = 0;
    for epd in Epd::read_file(BufReader::new(file)) {
        let epd = epd.unwrap();
        let again: Epd = epd.to_string().parse().unwrap();
        assert_eq!(again.position.fen(), epd.position.fen());
        positions += 1;
    }
    assert_eq!(positions, 157_846);
}
