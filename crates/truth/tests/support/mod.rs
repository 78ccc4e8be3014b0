//! What several test files need.

use std::path::PathBuf;

/// Tables and games made by others: `$LUCENA_DATA`, or `../shared/data` beside the project.
/// Without them a test says that it was skipped.
pub fn data(what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("LUCENA_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let path = folder.join(what);
    if path.exists() {
        Some(path)
    } else {
        eprintln!("skipped: {what} is not there (set LUCENA_DATA to the folder of test data)");
        None
    }
}

/// Does `make test-full` want everything compared, not a sample?
pub fn exhaustive() -> bool {
    std::env::var_os("LUCENA_EXHAUSTIVE").is_some()
}
