//! PGN as files have it: clean, dirty, and on small boards.

use rules::{Game, Pgn, PgnReader, PgnResult, Position, Rules};

fn read(text: &str) -> Vec<Result<Pgn, String>> {
    read_bytes(text.as_bytes())
}

fn read_bytes(bytes: &[u8]) -> Vec<Result<Pgn, String>> {
    PgnReader::new(bytes, Rules::none())
        .map(|game| game.map_err(|error| error.to_string()))
        .collect()
}

fn one(text: &str) -> Result<Pgn, String> {
    let mut games = read(text);
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0)
}

#[test]
fn tags_comments_and_glyphs_are_kept_and_variations_passed_over() {
    let text = r#"% an escaped line
[Event "?"]
[White "Morphy, \"Paul\""] [Black "a \\ b"]
[Result "1-0"]
[Opening "Philidor"]

{A night at
the opera} 1. e4 e5! 2.Nf3 d6 3. d4 Bg4?! ; worse than exd4 }
(3... exd4 4. Nxd4 (4. Qxd4 {also (good)}) 4... Nf6) 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6
7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7
14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ $3 Nxb8 17. Rd8# 1-0
"#;
    let pgn = one(text).unwrap();
    assert_eq!(pgn.tags.get("White"), Some("Morphy, \"Paul\""));
    assert_eq!(pgn.tags.get("Black"), Some("a \\ b"));
    assert_eq!(pgn.tags.get("Event"), None, "an unknown value is no value");
    assert_eq!(pgn.game.plies(), 33);
    assert_eq!(pgn.comments[&0], "A night at the opera");
    assert_eq!(pgn.comments[&6], "worse than exd4 )");
    assert_eq!(pgn.nags[&6], [6]);
    assert_eq!(pgn.nags[&31], [3]);
    assert_eq!(pgn.result, PgnResult::Win(rules::Color::White));
    let written = pgn.to_string();
    assert!(written.lines().all(|line| line.len() < 80), "{written}");
    let again = one(&written).unwrap();
    assert_eq!(again.to_string(), written);
    assert_eq!(again.tags, pgn.tags);
    assert_eq!(again.comments, pgn.comments);
    assert_eq!(again.nags, pgn.nags);
    assert!(again.game.moves().eq(pgn.game.moves()));
}

#[test]
fn a_written_game_looks_as_the_standard_has_it() {
    let start = Position::from_fen("4k/5/4K/5/R4 b - - 3 12").unwrap();
    let mut game = Game::new(start, Rules::default());
    for san in ["Kd5", "Ra4", "Ke5", "Ra5#"] {
        game.play(game.position().parse_san(san).expect(san))
            .unwrap();
    }
    let mut pgn = Pgn::new(game);
    pgn.tags.set("White", "Lucena").unwrap();
    pgn.tags.set("Annotator", "x").unwrap();
    pgn.comments.insert(2, "waits".into());
    let expected = r#"[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "Lucena"]
[Black "?"]
[Result "1-0"]
[Annotator "x"]
[SetUp "1"]
[FEN "4k/5/4K/5/R4 b - - 3 12"]
[Variant "5x5"]

12... Kd5 13. Ra4 {waits} 13... Ke5 14. Ra5# 1-0
"#;
    assert_eq!(pgn.to_string(), expected);
    assert_eq!(one(expected).unwrap().to_string(), expected);
}

#[test]
fn every_refusal_says_what_is_wrong_and_where() {
    for (text, what) in [
        (
            "1. e4 e5 2. Ke3 *",
            "game 1, line 1: move 2.: 'Ke3' is not legal in",
        ),
        (
            "1. e4\n\ne5 2. Nf3\nNd2 *",
            "line 4: move 2...: 'Nd2' is not legal",
        ),
        ("1. e4 rubbish *", "move 1...: 'rubbish' is not a move"),
        ("1. e4 -- *", "'--' is not a move"),
        (
            "1. Nf3 e5 2. Nc3 e4 3. Nd4 e3 4. Nb5 *",
            "move 4.: 'Nb5' is ambiguous",
        ),
        ("1. e4 0-0 *", "'0-0' is not a move"),
        ("1. e4", "the moves end without a result"),
        ("[White \"x\"]", "the moves end without a result"),
        ("[White x]\n*", "line 1: '[White x]' is not a tag"),
        ("[White \"x]\n\n*", "'[White \"x]' is not a tag"),
        ("[Wh-ite \"x\"]\n*", "is not a tag"),
        (
            "[White \"x\"]\n[White \"y\"]\n*",
            "the tag White is there twice",
        ),
        (
            "[FEN \"8/8/8/8/8/8/8/8 w\"]\n*",
            "tag FEN: impossible position: white has 0 kings",
        ),
        ("[SetUp \"1\"]\n*", "tag SetUp is '1' without a tag FEN"),
        (
            "[SetUp \"0\"]\n[FEN \"k3/4/1K2/3R w\"]\n*",
            "tag SetUp is '0' with a tag FEN",
        ),
        (
            "[Variant \"Atomic\"]\n*",
            "tag Variant is 'Atomic', but the game is played as Standard",
        ),
        (
            "[FEN \"k3/4/1K2/3R w\"]\n[Variant \"5x5\"]\n*",
            "is played as 4x4",
        ),
        ("[Result \"2-0\"]\n*", "tag Result is '2-0' instead of"),
        (
            "[Result \"1-0\"]\n1. e4 0-1",
            "the game ends with 0-1, but tag Result says 1-0",
        ),
        (
            "1. f3 e5 2. g4 Qh4# 1-0",
            "on the board it is black wins by checkmate",
        ),
        (
            "1. f3 e5 2. g4 Qh4# 1/2-1/2",
            "ends with 1/2-1/2, but on the board",
        ),
        (
            "1. e4 {no end\n\n*",
            "the comment that begins on line 1 does not end",
        ),
        ("1. e4 (1. d4 *", "a parenthesis of a variation"),
        ("1. e4) *", "a parenthesis of a variation"),
        ("1. e4 $256 *", "'$256' is not an annotation"),
        ("1. e4 $ *", "'$' is not an annotation"),
        ("1. e4 !!! *", "'!!!' is not an annotation"),
        ("1. e4 } *", "a '}' has no place here"),
        ("1. e4 \" *", "a '\"' has no place here"),
    ] {
        let error = one(text).expect_err(text);
        assert!(error.contains(what), "{text}: {error}");
    }
}

#[test]
fn an_error_costs_one_game_only() {
    let good = "[White \"x\"]\n[Result \"*\"]\n\n1. e4 *\n\n";
    for bad in [
        "[White \"x\"]\n[Result \"*\"]\n\n1. e5 {\n[White is here]} 1-0\n\n",
        "[White \"x]\n[Result \"*\"]\n[Black \"y\"]\n\n1. e4 *\n\n",
        "[White \"x\"]\n[Result \"1-0\"]\n\n1. e4 *\n\n",
        "[White \"x\"]\n[FEN \"x\"]\n[Black \"y\"]\n\n1. e4 *\n\n",
        "[White \"x\"]\n\n1. e4\n\n",
        "[White \"x\"]\n\n1. e4 (1. d4\n\n",
        "}{\n",
    ] {
        let games = read(&format!("{good}{bad}{good}"));
        let fine: Vec<bool> = games.iter().map(Result::is_ok).collect();
        assert_eq!(fine, [true, false, true], "{bad}: {games:?}");
    }
    // A brace that is never closed ends with the next event.
    let games = read("[Event \"1\"]\n\n1. e4 {oops\n\n[Event \"2\"]\n\n1. d4 *\n");
    assert!(games[0].is_err() && games[1].is_ok() && games.len() == 2);
}

#[test]
fn games_need_no_tags_and_no_line_breaks() {
    let games = read("1. e4 1-0 1. d4 d5 0-1 *");
    let plies: Vec<usize> = games.iter().flatten().map(|pgn| pgn.game.plies()).collect();
    assert_eq!(plies, [1, 2, 0]);
    assert!(
        read(" \n\n; nothing\n").len() == 1,
        "a comment without a game is an error"
    );
    assert!(read("").is_empty());
    assert!(read("\u{feff}\n \r\n").is_empty());
}

#[test]
fn text_that_is_not_utf8_is_latin1() {
    let games = read_bytes(b"[White \"M\xfcller\"]\n\n1. e4 {sch\xf6n} *\n");
    let pgn = games[0].as_ref().unwrap();
    assert_eq!(pgn.tags.get("White"), Some("Müller"));
    assert_eq!(pgn.comments[&1], "schön");
}

#[test]
fn a_million_move_numbers_are_no_trouble() {
    let text = "1 ".repeat(1_000_000) + &"(".repeat(100_000) + &")".repeat(100_000) + "*";
    assert!(one(&text).is_ok());
}

#[test]
fn a_broken_file_ends_the_reading() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("pulled out"))
        }
    }
    let games: Vec<_> = PgnReader::new(Broken, Rules::none()).collect();
    assert_eq!(games.len(), 1);
    assert!(
        games[0]
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("pulled out")
    );
}
