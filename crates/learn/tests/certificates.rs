//! Runs certified by the project's own certifier.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use learn::{Control, LearnError, Plan, Policy, PolicyPlayer, Task, Which, train};
use play::{Candidate, Certification, Player};
use rules::{Board, Material};
use truth::{Certificate, Convert, Solver, Tablebase};

fn certify(recipe: &str, endgame: &str, size: usize, episodes: u64) -> Certificate {
    let (material, board) = (endgame.parse().unwrap(), Board::new(size).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan::new(recipe, Task::Endgame(material, board), episodes, 1, &[]).unwrap();
    train(&plan, folder.path(), Control::default()).unwrap();
    judge(
        &Policy::load(folder.path(), Which::Best).unwrap(),
        material,
        board,
    )
}

fn judge(policy: &Policy, material: Material, board: Board) -> Certificate {
    let make = || -> Box<dyn Player + '_> { Box::new(PolicyPlayer::new("it", policy)) };
    let certification = Certification {
        material,
        board,
        convert: Convert::Player,
        journal: None,
        stop: &std::sync::atomic::AtomicBool::new(false),
        progress: &|_| true,
    };
    let player = Candidate::new("it", policy.fingerprint(), make);
    let proof = certification.attack(&player, &mut Solver::new(board));
    proof.unwrap().certificate
}

#[test]
fn the_best_recipe_is_certified_perfect() {
    for (endgame, size) in [("KQK", 4), ("KRK", 6), ("KQK", 8), ("KRK", 8), ("KBNK", 4)] {
        let certificate = certify("two-bounds", endgame, size, 30_000);
        assert_eq!(
            certificate.share,
            Some(1.0),
            "{endgame} {size}: {certificate:?}"
        );
        assert_eq!(certificate.mean_excess_moves, Some(0.0), "{endgame} {size}");
        assert_eq!(
            certificate.within_fifty_share,
            Some(1.0),
            "{endgame} {size}"
        );
        assert_eq!(certificate.unvisited, 0, "{endgame} {size}");
    }
}

#[test]
fn a_table_says_where_it_has_never_been() {
    let certificate = certify("ypma-q", "KRK", 6, 200);
    assert!(certificate.unvisited > 0);
    assert!(certificate.share.unwrap() < 0.5);
}

#[test]
fn a_network_taught_by_exact_tables_is_certified_and_so_is_its_file() {
    let (material, board) = ("KQK".parse().unwrap(), Board::new(4).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let tables = Tablebase::new(folder.path());
    tables.ensure(material, board, &|_| true).unwrap();
    let changes = [("width", "48"), ("layers", "1"), ("batch", "256")];
    let changes = changes.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let plan = Plan::new(
        "distance-net",
        Task::Endgame(material, board),
        600,
        1,
        &changes,
    )
    .unwrap();

    // Without a teacher there is nothing to learn.
    let alone = train(&plan, &folder.path().join("alone"), Control::default());
    assert!(matches!(alone, Err(LearnError::NoTeacher)));

    let run = folder.path().join("run");
    let control = Control {
        teacher: Some(Arc::new(tables)),
        ..Control::default()
    };
    train(&plan, &run, control).unwrap();
    let policy = Policy::load(&run, Which::Newest).unwrap();
    let certificate = judge(&policy, material, board);
    assert_eq!(certificate.share, Some(1.0), "{certificate:?}");
    assert_eq!(certificate.mean_excess_moves, Some(0.0));

    let file = run.join("weights.safetensors");
    let exported = Policy::from_weights(&file).unwrap();
    let again = judge(&exported, material, board);
    assert_eq!(again.forced_mates, certificate.forced_mates);
    assert_eq!(again.mean_excess_moves, Some(0.0));
    // Four bits to a weight: the file is no larger than that, but for its header.
    let size = std::fs::metadata(&file).unwrap().len();
    let bytes = learn::load(&run, Which::Newest).unwrap().learner.bytes();
    assert!((bytes..bytes + 1000).contains(&size), "{size} for {bytes}");
}

#[test]
fn errata_make_up_for_what_a_network_too_small_gets_wrong() {
    let (material, board) = ("KRK".parse().unwrap(), Board::new(5).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let certified = |errata: &str| {
        let tables = Tablebase::new(folder.path());
        tables.ensure(material, board, &|_| true).unwrap();
        let changes = [
            ("width", "8"),
            ("layers", "1"),
            ("batch", "256"),
            ("errata", errata),
        ];
        let changes = changes.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let plan = Plan::new(
            "distance-net",
            Task::Endgame(material, board),
            100,
            1,
            &changes,
        )
        .unwrap();
        let run = folder.path().join(errata);
        let control = Control {
            teacher: Some(Arc::new(tables)),
            ..Control::default()
        };
        train(&plan, &run, control).unwrap();
        let policy = Policy::load(&run, Which::Newest).unwrap();
        let bytes = learn::load(&run, Which::Newest).unwrap().learner.bytes();
        (judge(&policy, material, board), bytes)
    };
    let (alone, small) = certified("false");
    let (corrected, large) = certified("true");
    assert!(alone.share.unwrap() < 0.9, "{:?}", alone.share);
    assert_eq!(corrected.share, Some(1.0));
    assert_eq!(corrected.mean_excess_moves, Some(0.0));
    assert!(large > small, "errata count as bytes: {large}, {small}");
}
