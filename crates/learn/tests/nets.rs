//! The networks in the folder `nets`, certified.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use learn::Policy;
use rules::Board;
use truth::{Certifier, Convert, Solver};

/// Files and their endgames. The larger ones take a minute on two processors.
fn nets() -> &'static [(&'static str, &'static str)] {
    match std::env::var_os("LUCENA_EXHAUSTIVE") {
        Some(_) => &[
            ("kqk", "KQK"),
            ("krk", "KRK"),
            ("kbbk", "KBBK"),
            ("kbbk-pure", "KBBK"),
            ("kbnk", "KBNK"),
            ("kbnk-pure", "KBNK"),
        ],
        None => &[("kqk", "KQK"), ("krk", "KRK"), ("kbbk-pure", "KBBK")],
    }
}

#[test]
fn every_network_in_the_tree_plays_the_shortest_mate_from_everywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../nets");
    for (name, material) in nets() {
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
        assert_eq!(certificate.mean_excess_moves, Some(0.0), "{name}");
    }
}
