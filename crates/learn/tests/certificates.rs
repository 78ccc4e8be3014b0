//! Runs certified by the project's own certifier.
#![allow(clippy::unwrap_used)]

use learn::{Control, Plan, Policy, Which, train};
use rules::{Board, Position};
use truth::{Certificate, Certifier, Chooser, Convert, Decision, Solver};

fn certify(recipe: &str, endgame: &str, size: usize, episodes: u64) -> Certificate {
    let (material, board) = (endgame.parse().unwrap(), Board::new(size).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan::new(recipe, material, board, episodes, 1, &[]).unwrap();
    train(&plan, folder.path(), Control::default()).unwrap();
    let policy = Policy::load(folder.path(), Which::Best).unwrap();
    let make = || -> Chooser<'_> {
        Box::new(|position: &Position| {
            let chosen = policy.choose(position).ok_or("no move")?;
            Ok(Decision {
                mv: chosen.m,
                unvisited: !chosen.visited,
            })
        })
    };
    let certifier = Certifier {
        material,
        board,
        symmetric: policy.is_symmetric(),
        convert: Convert::Player,
        policy: &make,
        journal: None,
        progress: &|_| true,
    };
    certifier.attack(&mut Solver::new(board)).unwrap()
}

#[test]
fn the_best_recipe_is_certified_perfect() {
    for (endgame, size) in [("KQK", 4), ("KRK", 6), ("KQK", 8), ("KRK", 8), ("KBNK", 4)] {
        let certificate = certify("two-bounds", endgame, size, 30_000);
        assert_eq!(certificate.share, 1.0, "{endgame} {size}: {certificate:?}");
        assert_eq!(certificate.mean_excess_moves, Some(0.0), "{endgame} {size}");
        assert_eq!(certificate.within_fifty_share, 1.0, "{endgame} {size}");
        assert_eq!(certificate.unvisited, 0, "{endgame} {size}");
    }
}

#[test]
fn a_table_says_where_it_has_never_been() {
    let certificate = certify("ypma-q", "KRK", 6, 200);
    assert!(certificate.unvisited > 0);
    assert!(certificate.share < 0.5);
}
