//! What a newcomer finds: a trained run, and certificates. `scripts/example` makes them anew.

use std::{borrow::Cow, fs, path::Path};

use rust_embed::RustEmbed;

use crate::files::write_atomically;

/// Where a run keeps its plan.
const PLAN: &str = "run.toml";

#[derive(RustEmbed)]
#[folder = "example"]
struct Example;

/// Puts the run into the folder of the runs, where there is no such folder yet: who has runs, or has deleted
/// this one, wants no other.
pub fn lay_down(runs: &Path) {
    if runs.symlink_metadata().is_ok() {
        return;
    }
    let mut files: Vec<_> = Example::iter()
        .filter_map(|path| Some((path.strip_prefix("runs/")?.to_owned(), path)))
        .collect();
    // The plan makes a run of a folder, so it comes last.
    files.sort_by_key(|(place, _)| place.ends_with(PLAN));
    for (place, path) in files {
        let Some(file) = Example::get(&path) else {
            continue;
        };
        let place = runs.join(place);
        let written = fs::create_dir_all(place.parent().unwrap_or(runs))
            .map_err(anyhow::Error::from)
            .and_then(|()| write_atomically(&place, &file.data));
        if let Err(error) = written {
            eprintln!("lucena: no example run: {error:#}");
            return;
        }
    }
}

/// The certificates, as JSON.
pub fn certificates() -> impl Iterator<Item = Cow<'static, [u8]>> {
    Example::iter()
        .filter(|path| path.starts_with("certificates/"))
        .filter_map(|path| Some(Example::get(&path)?.data))
}

/// The certificate of an id.
pub fn certificate(id: &str) -> Option<Cow<'static, [u8]>> {
    Some(Example::get(&format!("certificates/{id}.json"))?.data)
}
