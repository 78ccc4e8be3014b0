//! Data and programs made by others, which tests compare ours with where they are there.
//!
//! Each comparison notes whether it was made in a file under `target/tmp/comparisons`, and `make test`
//! prints these notes at its end. Where the folder of data is there and `CI` is set, a comparison that
//! cannot be made is a failure: something has been moved or forgotten.
#![allow(dead_code)] // each test file needs a part of it

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Where the data is: `$LUCENA_DATA`, or `../shared/data` beside the project.
fn folder() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("LUCENA_DATA").map_or(beside, PathBuf::from)
}

/// The file or folder that a comparison needs, if it is there.
pub fn data(comparison: &str, what: &str) -> Option<PathBuf> {
    let path = folder().join(what);
    let why = format!("{what} is not there (set LUCENA_DATA to the folder of test data)");
    made(comparison, path.exists(), &why).then_some(path)
}

/// Notes that a comparison is made, or why it is not.
pub fn made(comparison: &str, possible: bool, why_not: &str) -> bool {
    let note = match possible {
        true => "made".to_owned(),
        false => format!("NOT MADE: {why_not}"),
    };
    let notes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("comparisons");
    fs::create_dir_all(&notes).expect("a folder for notes");
    fs::write(notes.join(comparison), format!("{note}\n")).expect("a note");
    let ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    if let Err(why) = verdict(possible, ci, &folder(), why_not) {
        panic!("{comparison}: {why}");
    }
    if !possible {
        eprintln!("skipped: {why_not}");
    }
    possible
}

/// May a comparison be left out?
pub fn verdict(possible: bool, ci: bool, folder: &Path, why_not: &str) -> Result<(), String> {
    match !possible && ci && folder.exists() {
        true => Err(format!(
            "not compared, although {} is there: {why_not}",
            folder.display()
        )),
        false => Ok(()),
    }
}
