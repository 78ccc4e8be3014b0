//! The networks in the folder `nets`, certified.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use learn::Policy;
use rules::Board;
use truth::{Certifier, Convert, Solver};

/// A file, its endgame, and how far it is from the shortest mates: moves on average, at most. The larger
/// ones take a minute on two processors.
fn nets() -> &'static [(&'static str, &'static str, f64)] {
    match std::env::var_os("LUCENA_EXHAUSTIVE") {
        Some(_) => &[
            ("kqk", "KQK", 0.0),
            ("krk", "KRK", 0.0),
            ("kbbk", "KBBK", 0.0),
            ("kbnk", "KBNK", 0.0),
            ("kbnk-pure", "KBNK", 0.001),
        ],
        None => &[("kqk", "KQK", 0.0), ("krk", "KRK", 0.0)],
    }
}

#[test]
fn every_network_in_the_tree_mates_from_everywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../nets");
    for (name, material, most) in nets() {
        let file = folder.join(format!("{name}.safetensors"));
        assert!(std::fs::metadata(&file).unwrap().len() <= 1_000_000);
        let policy = Policy::from_weights(&file).unwrap();
        let make = || policy.chooser();
        let certifier = Certifier {
            material: material.parse().unwrap(),
            board: Board::STANDARD,
            symmetric: true,
            convert: Convert::Player,
            policy: &make,
            journal: None,
            progress: &|_| true,
        };
        let certificate = certifier.attack(&mut Solver::new(Board::STANDARD)).unwrap();
        assert_eq!(certificate.share, 1.0, "{name}");
        assert_eq!(certificate.within_fifty_share, 1.0, "{name}");
        let excess = certificate.mean_excess_moves.unwrap();
        assert!(excess <= *most, "{name}: {excess}");
    }
}
