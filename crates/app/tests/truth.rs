//! The commands about exact truth, through the real binary.

mod support;

use serde_json::Value;
use support::{Lab, lucena};

#[test]
fn solve_prints_the_published_counts() {
    let lab = Lab::new();
    let solved: Value = lab.json(&["solve", "KRK", "--json", "--threads", "2"]);
    assert_eq!(solved["material"], "KRK");
    assert_eq!(solved["board"], 8);
    assert_eq!(solved["white_to_move"]["positions"], 175_168);
    assert_eq!(solved["white_to_move"]["won"], 175_168);
    assert_eq!(solved["black_to_move"]["lost"], 201_700);
    assert_eq!(solved["black_to_move"]["drawn"], 22_244);
    assert_eq!(solved["white_to_move"]["longest_moves"], 16);
    assert_eq!(solved["threads"], 2);
    assert_eq!(solved["already_solved"], false);
    assert!(solved["seconds_solve"].as_f64() > Some(0.0));
    let bytes = solved["bytes"].as_u64().expect("a number");
    assert_eq!(
        std::fs::metadata(lab.path("tables/KRK.lucena"))
            .expect("a file")
            .len(),
        bytes
    );
    // The second time it is read from disk, and says so.
    let again = lab.json(&["solve", "KRK", "--json"]);
    assert_eq!(again["already_solved"], true);
    assert_eq!(again["white_to_move"], solved["white_to_move"]);
    let forced = lab.json(&["solve", "KRK", "--json", "--force"]);
    assert_eq!(forced["already_solved"], false);
}

#[test]
fn solve_all_covers_every_signature_of_a_small_board() {
    let lab = Lab::new();
    let rows = lab.json(&["solve", "--all", "4", "--board", "4", "--json"]);
    // 4 of three men and 20 of four men have no pawn.
    assert_eq!(rows.as_array().expect("a list").len(), 24);
    let text = lab.ok(&["solve", "KQK", "--board", "4"]);
    assert!(text.contains("4 moves"), "{text}");
}

#[test]
fn probe_answers_in_lila_tablebase_form() {
    let lab = Lab::new();
    let answer = lab.json(&["probe", "8/8/8/3k4/8/8/8/KBN5 w - - 0 1", "--json"]);
    assert_eq!(answer["category"], "win");
    assert_eq!(answer["dtm"], 59);
    assert_eq!(answer["dtm_moves"], 30);
    let moves = answer["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), 13);
    // For the side to move after it, as lila-tablebase has it.
    assert_eq!(moves[0]["category"], "loss");
    assert_eq!(moves[0]["dtm"], -58);
    assert_eq!(moves[0]["uci"], "a1b2");
    assert_eq!(moves[0]["san"], "Kb2");
    let dtm: Vec<i64> = moves.iter().filter_map(|m| m["dtm"].as_i64()).collect();
    assert!(dtm.is_sorted_by(|a, b| a >= b), "best first: {dtm:?}");

    let mate = lab.json(&["probe", "k4/1Q3/1K3/5/5 b", "--json"]);
    assert_eq!(
        (&mate["category"], &mate["dtm"], &mate["checkmate"]),
        (&"loss".into(), &0.into(), &true.into())
    );
    let text = lab.ok(&["probe", "8/8/8/8/8/5k2/8/5K1R b - - 0 1"]);
    assert!(text.contains("black to move: loss, mated in"), "{text}");
}

#[test]
fn syzygy_stands_beside_our_metric() {
    let Some(folder) = support::data("Syzygy beside our metric", "syzygy") else {
        return;
    };
    let lab = Lab::new();
    let folder = folder.to_str().expect("a readable path");
    let fen = "8/8/8/3k4/8/8/8/KBN5 w - - 0 1";
    let answer = lab.json(&["probe", fen, "--json", "--syzygy", folder]);
    assert_eq!(answer["dtm"], 59);
    assert_eq!(answer["syzygy_category"], "win");
    assert!(answer["dtz"].as_i64() > Some(0));
    let text = lab.ok(&["probe", fen, "--syzygy", folder]);
    assert!(text.contains("Syzygy, fifty-move rule: win, DTZ"), "{text}");
    let error = lab.fails(&["probe", fen, "--syzygy", "/nowhere"], 1);
    assert!(error.contains("/nowhere"), "{error}");
}

#[test]
fn a_line_is_pgn_that_reads_back_and_mates() {
    let lab = Lab::new();
    let text = lab.ok(&["line", "8/8/8/3k4/8/8/8/KBN5 w - - 0 1"]);
    let pgn = rules::PgnReader::new(text.as_bytes(), rules::Rules::none())
        .next()
        .expect("a game")
        .expect("a sound one");
    assert_eq!(pgn.game.plies(), 59);
    assert!(pgn.game.position().is_checkmate());
    let line = lab.json(&["line", "k4/5/1K3/5/4R w", "--json"]);
    assert_eq!(line["checkmate"], true);
    assert_eq!(
        line["uci"].as_array().map(Vec::len),
        line["dtm"].as_u64().map(|n| n as usize)
    );
    let boards = lab.ok(&["line", "k4/5/1K3/5/4R w", "--boards"]);
    assert!(boards.contains('♚'), "{boards}");
}

#[test]
fn positions_are_epd_of_the_distance_asked_for() {
    let lab = Lab::new();
    let args = [
        "positions",
        "KRK",
        "--mate-in",
        "7",
        "--count",
        "20",
        "--seed",
        "1",
    ];
    let text = lab.ok(&args);
    let epds: Vec<rules::Epd> = text.lines().map(|line| line.parse().expect(line)).collect();
    assert_eq!(epds.len(), 20);
    for epd in &epds {
        assert_eq!(epd.direct_mate(), Some(7));
        let probe = lab.json(&["probe", &epd.position.fen(), "--json"]);
        assert_eq!(probe["dtm"], 13);
        assert!(!epd.best_moves().is_empty());
    }
    assert_eq!(lab.ok(&args), text, "the same seed, the same positions");
    let black = lab.ok(&[
        "positions",
        "KRK",
        "--mate-in",
        "7",
        "--side",
        "black",
        "--count",
        "2",
    ]);
    assert!(
        black
            .lines()
            .all(|line| line.contains(" b ") && line.contains("ce -32753")),
        "{black}"
    );
    let random = lab.json(&[
        "positions",
        "KQK",
        "--random",
        "--board",
        "5",
        "--json",
        "--count",
        "5",
    ]);
    assert_eq!(random.as_array().map(Vec::len), Some(5));
    // A signature with the colours exchanged: white, the first side named, is still the one to mate.
    let swapped = lab.ok(&["positions", "KRKQ", "--mate-in", "1", "--count", "3"]);
    assert_eq!(swapped.lines().count(), 3, "{swapped}");
    assert!(
        swapped
            .lines()
            .all(|line| line.contains(" w ") && line.contains("dm 1; bm R")),
        "{swapped}"
    );
    #[rustfmt::skip]
    let none = lab.fails(&["positions", "KNKR", "--side", "black", "--mate-in", "1"], 1);
    assert!(
        none.contains("no position of KNKR on 8×8 is a mate in 1 move\n"),
        "{none}"
    );
    let few = lucena(
        &lab,
        &[
            "positions",
            "KRK",
            "--mate-in",
            "16",
            "--count",
            "1000",
            "--fen",
        ],
    );
    assert_eq!(String::from_utf8_lossy(&few.stdout).lines().count(), 916);
    assert!(String::from_utf8_lossy(&few.stderr).contains("only 916"));
}

#[test]
fn bad_input_gets_a_clear_message_and_never_a_panic() {
    let lab = Lab::new();
    for (args, code, what) in [
        (&["solve", "KXK"][..], 2, "'X' is not one of"),
        (&["solve"], 2, "required"),
        (&["solve", "KRK", "--board", "9"], 2, "4×4 to 8×8"),
        (&["solve", "KRK", "--threads", "0"], 2, "threads"),
        (&["solve", "KPK", "--board", "5"], 1, "pawns"),
        (&["solve", "KRRRRK"], 1, "3 to 5 men"),
        (&["solve", "--all", "6"], 2, "3..=5"),
        (&["probe", "8/8 w"], 2, "2 ranks"),
        (&["probe", "k4/5/1K3/5/R4 w"], 2, "could take the king"),
        (
            &[
                "probe",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            ],
            1,
            "no table covers",
        ),
        (
            &["probe", "8/8/8/k7/8/8/8/KBNQR3 w - - 0 1"],
            1,
            "no table covers",
        ),
        (
            &["probe", "8/8/8/4k3/8/8/8/KBNR4 w - - 0 1"],
            1,
            "lucena solve KRBNK",
        ),
        (&["line", "nonsense"], 2, "ranks"),
        (
            &["positions", "KRK", "--mate-in", "0"],
            1,
            "cannot mate in 0",
        ),
        (
            &["positions", "KRK", "--mate-in", "99"],
            1,
            "no position of KRK on 8×8 is a mate in 99 moves; the longest takes 16",
        ),
        (
            &["runs", "/nowhere"],
            1,
            "cannot read the folder /nowhere: No such file",
        ),
        (
            &["positions", "KRK", "--side", "blue"],
            2,
            "possible values",
        ),
        (&["frobnicate"], 2, "unrecognized subcommand"),
        (&["certify", "nobody", "KRK"], 2, "nobody"),
        (&["certify", "random", "KRK"], 1, "depends on chance"),
        (&["certify", "perfect", "KKR"], 1, "nothing but a king"),
        (
            &[
                "match",
                "--white",
                "random",
                "--black",
                "minimax:dept=3",
                "--endgame",
                "KRK",
            ],
            2,
            "dept",
        ),
        (
            &[
                "match",
                "--white",
                "random",
                "--black",
                "random",
                "--positions",
                "/nowhere.epd",
            ],
            1,
            "/nowhere.epd",
        ),
    ] {
        let error = lab.fails(args, code);
        assert!(error.contains(what), "{args:?}: {error}");
    }
    // A path and a cause, each once.
    for args in [
        &[
            "certify",
            "perfect",
            "KRK",
            "--board",
            "4",
            "--games",
            "0",
            "--policy",
            "/nowhere/moves",
        ][..],
        &[
            "certify",
            "perfect",
            "KRK",
            "--board",
            "4",
            "--games",
            "0",
            "--refutations",
            "/nowhere/games",
        ],
        &["train", "--resume", "--out", "/nowhere"],
        &["show", "/nowhere"],
        &["runs", "/nowhere"],
        &["games", "show", "/nowhere"],
    ] {
        let error = lab.fails(args, 1);
        for once in ["/nowhere", "No such file or directory"] {
            assert_eq!(error.matches(once).count(), 1, "{args:?}: {error}");
        }
    }
    let output = support::command(&lab)
        .args(["solve", "KRK", "--tables", "/proc/nowhere"])
        .output()
        .expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(error.matches("No such file").count(), 1, "{error}");
}

#[test]
fn the_moves_of_a_policy_go_to_stdout_and_the_report_out_of_their_way() {
    let lab = Lab::new();
    #[rustfmt::skip]
    let output = lucena(&lab, &["certify", "perfect", "KRK", "--board", "4", "--games", "0", "--policy", "-"]);
    assert!(output.status.success());
    let moves = String::from_utf8_lossy(&output.stdout);
    assert!(
        moves.lines().count() > 100,
        "every won position, once up to symmetry"
    );
    for line in moves.lines().take(20) {
        let (fen, uci) = line.split_once(',').expect("two columns");
        let position = rules::Position::from_fen(fen).expect("a position");
        assert!(position.parse_uci(uci).is_some(), "{line}");
    }
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(
        report.contains("mate forced") && !moves.contains("mate forced"),
        "{report}"
    );
    #[rustfmt::skip]
    let error = lab.fails(&["certify", "perfect", "KRK", "--board", "4", "--policy", "-", "--refutations", "-"], 1);
    assert!(error.contains("stdout takes one of them"), "{error}");
}

#[test]
fn a_damaged_table_is_refused_and_replaced_by_force() {
    let lab = Lab::new();
    lab.ok(&["solve", "KRK"]);
    let path = lab.path("tables/KRK.lucena");
    let mut bytes = std::fs::read(&path).expect("a table");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).expect("it can be written");
    let error = lab.fails(&["probe", "8/8/8/8/8/5k2/8/5K1R b - - 0 1"], 1);
    assert!(
        error.contains("damaged") && error.contains("--force"),
        "{error}"
    );
    let error = lab.fails(&["solve", "KRK"], 1);
    assert!(error.contains("damaged"), "{error}");
    lab.ok(&["solve", "KRK", "--force"]);
    lab.ok(&["probe", "8/8/8/8/8/5k2/8/5K1R b - - 0 1"]);
}

#[test]
fn tables_go_where_xdg_says_unless_told_otherwise() {
    let lab = Lab::new();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_lucena"))
        .args(["solve", "KQK", "--board", "4"])
        .env("XDG_DATA_HOME", lab.path("data"))
        .output()
        .expect("it runs");
    assert!(output.status.success());
    assert!(lab.path("data/lucena/tables/KQK-4x4.lucena").exists());
}

#[test]
fn every_command_has_help_with_an_example() {
    let lab = Lab::new();
    for command in [
        "solve",
        "probe",
        "line",
        "positions",
        "match",
        "certify",
        "players",
        "paper",
    ] {
        let help = lab.ok_plain(&[command, "--help"]);
        assert!(help.contains("Example"), "{command}: {help}");
    }
}
