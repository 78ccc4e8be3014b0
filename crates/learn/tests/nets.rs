//! The networks in the folder `nets`, certified.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use learn::Policy;
use rules::Board;
use truth::{Certifier, Convert, Solver};

/// The two larger ones take half a minute on two processors.
fn names() -> &'static [&'static str] {
    match std::env::var_os("LUCENA_EXHAUSTIVE") {
        Some(_) => &["KQK", "KRK", "KBBK", "KBNK"],
        None => &["KQK", "KRK"],
    }
}

#[test]
fn every_network_in_the_tree_mates_as_fast_as_possible_from_everywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../nets");
    for name in names() {
        let file = folder.join(format!("{}.safetensors", name.to_lowercase()));
        assert!(std::fs::metadata(&file).unwrap().len() <= 1_000_000);
        let policy = Policy::from_weights(&file).unwrap();
        let make = || policy.chooser();
        let certifier = Certifier {
            material: name.parse().unwrap(),
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
