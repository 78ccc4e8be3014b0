//! Nothing; see the workspace's `Cargo.toml`.
