//! Settings as texts.

use learn::chess::{
    Actions, Autoreset, ChessError, ChessPlanes, Environments, Observation, Resources, Setup,
};

use crate::{ALL_ACTIONS, ALL_OBSERVATIONS, setup};

#[test]
fn settings_that_make_no_sense_are_refused_with_what_was_expected() {
    for (settings, complaint) in [
        (
            &[("colour", "red")][..],
            "there is no setting 'colour'; known are observation",
        ),
        (
            &[("observation", "salisch-3")],
            "there is no observation 'salisch-3'; known are salisch-1",
        ),
        (
            &[("observation", "planes:depth=3")],
            "planes has no setting 'depth'; it has history",
        ),
        (
            &[("observation", "planes:history=0")],
            "a number from 1 to 32",
        ),
        (
            &[("actions", "uci")],
            "there is no actions 'uci'; known are alphazero",
        ),
        (
            &[("start", "middle")],
            "there is no start 'middle'; known are start, fen:FEN",
        ),
        (&[("start", "fen:8/8/8")], "3"),
        (
            &[("start", "fen:k7/8/1K6/8/8/8/8/8 w - -")],
            "the game is over",
        ),
        (
            &[("start", "endgame:XYZ")],
            "endgame is 'XYZ', expected such as KRK",
        ),
        (
            &[("start", "endgame:KPK,board=5")],
            "boards smaller than 8×8 have no pawns",
        ),
        (&[("start", "endgame:KRK,board=9")], "a number from 4 to 8"),
        (
            &[("start", "endgame:KRK,won=on")],
            "needs a folder of tables",
        ),
        (&[("start", "positions:no/such/file")], "no/such/file: "),
        (&[("start", "games:.")], "not a regular file"),
        (&[("draws", "sometimes")], "known are automatic, claimed"),
        (
            &[("draws", "claimed")],
            "actions=alphazero+claim belong together",
        ),
        (&[("limit", "0")], "a number of moves from 1, or none"),
        (&[("opponent", "minimax")], "expected none, self or random"),
        (&[("side", "grey")], "expected white, black or either"),
        (&[("rewards", "end=much")], "a number from"),
        (
            &[("rewards", "castling=1")],
            "rewards has no setting 'castling'; it has end",
        ),
        (
            &[("rewards", "book=10")],
            "needs the setting 'book', a Polyglot file",
        ),
        (
            &[("rewards", "book=10"), ("book", "no/such.bin")],
            "no/such.bin: ",
        ),
        (
            &[("rewards", "book=10"), ("book", "Cargo.toml")],
            "Cargo.toml: not a Polyglot book",
        ),
        (
            &[("book", "Cargo.toml")],
            "needs a reward such as rewards=book=10",
        ),
        (&[("rewards", "tablebase=10")], "needs a folder of tables"),
        (
            &[("rewards", "tablebase=10"), ("syzygy", "src")],
            "no Syzygy tables",
        ),
        (&[("limit", "1"), ("limit", "2")], "'limit' is set twice"),
    ] {
        let refused = Setup::read(settings.iter().copied(), Resources::default());
        let error = refused.expect_err(&format!("{settings:?}")).to_string();
        assert!(error.contains(complaint), "{settings:?}: {error}");
    }
    let none = Environments::new(setup(&[]), 0, 1, Autoreset::NextStep);
    assert!(matches!(none, Err(ChessError::Settings(_))));
}

#[test]
fn texts_and_values_are_two_sides_of_a_coin() {
    for text in ALL_OBSERVATIONS {
        let observation: Observation = text.parse().unwrap();
        assert_eq!(
            observation.to_string().parse::<Observation>().unwrap(),
            observation
        );
        assert_eq!(
            observation.shape().iter().product::<usize>(),
            observation.len()
        );
    }
    for actions in ALL_ACTIONS {
        assert_eq!(actions.to_string().parse::<Actions>().unwrap(), actions);
    }
    assert_eq!(ChessPlanes::default().planes(), 118);
    let shapes: Vec<Vec<usize>> = ALL_OBSERVATIONS[..4]
        .iter()
        .map(|text| text.parse::<Observation>().unwrap().shape())
        .collect();
    assert_eq!(shapes, [vec![69], vec![66], vec![16, 8, 8], vec![384]]);
}
