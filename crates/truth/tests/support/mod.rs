//! What several test files need.

#[path = "../../../rules/tests/others/mod.rs"]
mod others;

#[allow(unused_imports)] // each test file needs a part of it
pub use others::{data, made};

/// Does `make test-full` want everything compared, not a sample?
pub fn exhaustive() -> bool {
    std::env::var_os("LUCENA_EXHAUSTIVE").is_some()
}
