//! Games as data, through the real binary.

mod support;

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde_json::Value;
use support::{Lab, command, data, lucena};

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

fn import(lab: &Lab, files: &[&Path], out: &Path, more: &[&str]) -> Value {
    let mut args = vec!["games", "import"];
    args.extend(files.iter().map(|path| text(path)));
    args.extend(["--out", text(out), "--json"]);
    args.extend(more);
    lab.json(&args)
}

/// Imports a text of its own.
fn import_text(lab: &Lab, name: &str, pgn: &[u8]) -> Value {
    let path = lab.path(&format!("{name}.pgn"));
    fs::write(&path, pgn).expect("it can be written");
    import(
        lab,
        &[&path],
        &lab.path(&format!("{name}.games")),
        &["--force"],
    )
}

fn export(lab: &Lab, games: &Path, more: &[&str]) -> String {
    lab.ok_plain(&[&["games", "export", text(games)], more].concat())
}

/// Full games between players of the project, and their PGN file.
fn own_games(lab: &Lab) -> PathBuf {
    let start = lab.path("start.epd");
    fs::write(
        &start,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n",
    )
    .expect("written");
    let pgn = lab.path("own.pgn");
    if !pgn.exists() {
        lab.ok(&[
            "match",
            "--white",
            "minimax:depth=1",
            "--black",
            "random",
            "--positions",
            text(&start),
            "--games",
            "60",
            "--pgn",
            text(&pgn),
            "--rules",
            "moves=40",
        ]);
    }
    pgn
}

/// The moves of PGN without tags, numbers, comments and line breaks.
fn moves(pgn: &str) -> Vec<String> {
    let mut in_comment = false;
    let without_comments: String = pgn
        .chars()
        .filter(|c| {
            in_comment = (in_comment || *c == '{') && *c != '}';
            !in_comment && *c != '}'
        })
        .collect();
    without_comments
        .split("\n\n")
        .filter(|part| !part.trim_start().starts_with('['))
        .map(|part| {
            let words = part.split_whitespace().filter(|word| !word.ends_with('.'));
            words.collect::<Vec<_>>().join(" ")
        })
        .filter(|moves| !moves.is_empty())
        .collect()
}

#[test]
fn games_of_our_players_come_back_as_they_were() {
    let lab = Lab::new();
    let (pgn, out) = (own_games(&lab), lab.path("own.games"));
    let report = import(&lab, &[&pgn], &out, &[]);
    assert_eq!(report["games"], 60, "{report}");
    assert_eq!(report["report"]["read"], 60);
    let exported = export(&lab, &out, &[]);
    let original = fs::read_to_string(&pgn).expect("it is there");
    assert_eq!(moves(&exported), moves(&original));
    let plies: usize = moves(&original)
        .iter()
        .map(|game| game.split(' ').count() - 1)
        .sum();
    assert_eq!(report["positions"], plies);
    for name in ["minimax:depth=1", "random"] {
        assert!(exported.contains(name), "{name} is in no tag");
    }
    // What is exported imports as the same games, byte for byte of the export.
    let (again, out_again) = (lab.path("again.pgn"), lab.path("again.games"));
    fs::write(&again, &exported).expect("written");
    import(&lab, &[&again], &out_again, &[]);
    assert_eq!(export(&lab, &out_again, &[]), exported);
    // The same to a file, and only the first of them.
    let first = lab.path("first.pgn");
    let written = lab.json(&[
        "games",
        "export",
        text(&out),
        "--limit",
        "1",
        "--out",
        text(&first),
        "--json",
    ]);
    assert_eq!(written["games"], 1);
    let first = fs::read_to_string(&first).expect("it is there");
    assert!(exported.starts_with(&first) && moves(&first).len() == 1);
}

#[test]
fn packed_files_are_read_like_plain_ones() {
    let lab = Lab::new();
    let pgn = own_games(&lab);
    let plain = fs::read(&pgn).expect("it is there");
    let pack = |name: &str, bytes: Vec<u8>| {
        let path = lab.path(name);
        fs::write(&path, bytes).expect("written");
        path
    };
    // How a file is packed is told by what is in it, not by its name.
    let zstd = pack("own.a", zstd::encode_all(&plain[..], 3).expect("packed"));
    // Two members one after the other are one file, as from a parallel packer.
    let (head, tail) = plain.split_at(plain.len() / 2);
    let gzip = pack("own.b", [gzip(head), gzip(tail)].concat());
    let bzip2 = pack("own.c", [bzip2(head), bzip2(tail)].concat());
    let zip = pack(
        "own.d",
        zip(&[("readme.txt", b"no game"), ("x/own.pgn", &plain)]),
    );
    let expected = {
        let out = lab.path("plain.games");
        import(&lab, &[&pgn], &out, &[]);
        export(&lab, &out, &[])
    };
    for (i, path) in [&zstd, &gzip, &bzip2, &zip].into_iter().enumerate() {
        let out = lab.path(&format!("packed-{i}.games"));
        let report = import(&lab, &[path], &out, &[]);
        assert_eq!(report["games"], 60, "{}", path.display());
        assert_eq!(export(&lab, &out, &[]), expected, "{}", path.display());
    }
    // All at once: every game is there five times, and only once when duplicates are dropped.
    let all = [&*pgn, &zstd, &gzip, &bzip2, &zip];
    let kept = import(&lab, &all, &lab.path("all.games"), &[]);
    assert_eq!(kept["games"], 300);
    let duplicates = kept["duplicates"].as_u64().expect("a number");
    assert!((240..300).contains(&duplicates), "{duplicates}");
    let dropped = import(&lab, &all, &lab.path("once.games"), &["--drop-duplicates"]);
    assert_eq!(dropped["games"], 300 - duplicates);
    assert_eq!(dropped["duplicates"], duplicates);
    let once = export(&lab, &lab.path("once.games"), &[]);
    assert_eq!(moves(&once).len() as u64, 300 - duplicates);
    let mut different = moves(&expected);
    different.sort();
    different.dedup();
    assert_eq!(different.len() as u64, 300 - duplicates);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = zip::write::SimpleFileOptions::default();
        out.start_file(*name, options).expect("memory");
        out.write_all(bytes).expect("memory");
    }
    out.finish().expect("memory").into_inner()
}

#[test]
fn a_packed_file_that_is_cut_short_gives_its_games_and_an_error() {
    let lab = Lab::new();
    let plain = many_games(20_000).into_bytes();
    let packed = [
        ("z", zstd::encode_all(&plain[..], 3).expect("packed")),
        ("g", gzip(&plain)),
        ("b", bzip2(&plain)),
    ];
    for (name, bytes) in packed {
        let path = lab.path(name);
        fs::write(&path, &bytes[..bytes.len() * 2 / 3]).expect("written");
        let out = lab.path(&format!("{name}.games"));
        let args = ["games", "import", text(&path), "--out", text(&out)];
        let error = lab.fails(&args, 1);
        assert!(error.contains("cannot be read to its end"), "{error}");
        let kept = moves(&export(&lab, &out, &[])).len();
        assert!((1000..20_000).contains(&kept), "{name}: {kept}");
    }
}

const GOOD: &str = "[Event \"good\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n\
                    1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n";

/// Whatever stands between two good games, both are kept, and the reason is counted.
#[test]
fn hostile_text_costs_no_good_game() {
    let lab = Lab::new();
    let nested = |open: &str, close: &str| {
        format!(
            "[Event \"x\"]\n\n1. e4 {} e5 {} 1-0\n\n",
            open.repeat(10_000),
            close.repeat(10_000)
        )
    };
    let line = |filling: &str| {
        let long = filling.repeat(100_000_000 / filling.len());
        format!("[Event \"x\"]\n\n1. e4 {{{long}}} e5 *\n\n")
    };
    let tag = |value: &str| format!("[Event \"x\"]\n{value}\n\n1. e4 e5 *\n\n");
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("comments", nested("{", "}").into(), ""),
        ("variations", nested("(", ")").into(), ""),
        ("open-variations", nested("(", "").into(), ""),
        (
            "open-comment",
            "[Event \"x\"]\n\n1. e4 { e5\n\n".into(),
            "unclosed",
        ),
        (
            "illegal",
            "[Event \"x\"]\n\n1. e4 e5 2. Ke3 *\n\n".into(),
            "illegal_move",
        ),
        (
            "ambiguous",
            "[Event \"x\"]\n\n1. Nf3 d5 2. d4 d6 3. Nd2 *\n\n".into(),
            "illegal_move",
        ),
        (
            "null-move",
            "[Event \"x\"]\n\n1. e4 -- 2. d4 *\n\n".into(),
            "illegal_move",
        ),
        ("one-line", line("long ").into(), "too_long"),
        ("one-word", line("x").into(), "too_long"),
        ("brackets", line("[").into(), "too_long"),
        (
            "start",
            tag("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]").into(),
            "start",
        ),
        ("small", tag("[FEN \"k4/5/1K3/5/4R w\"]").into(), "start"),
        ("variant", tag("[Variant \"Crazyhouse\"]").into(), "variant"),
        ("no-moves", "[Event \"x\"]\n\n".into(), "no_moves"),
        (
            "nul",
            b"[Event \"\0\0\"]\n\n1. e4\0 \0e5 *\n\n\0\0\0\n\n".to_vec(),
            "",
        ),
        (
            "latin-1",
            b"[Event \"x\"]\n[White \"Kram\xf6r\"]\n\n1. e4 {\xff\xfe} e5 *\n\n".to_vec(),
            "",
        ),
        (
            "utf-8",
            "[Event \"x\"]\n[White \"Кра́мник\"]\n\n1. e4 e5 ½-½\n\n".into(),
            "",
        ),
        (
            "open-tag",
            "[Event \"x\n[White \"A\"]\n\n1. e4 e5 *\n\n".into(),
            "",
        ),
        (
            "long-tag",
            tag(&format!("[White \"{}\"]", "x".repeat(1 << 20))).into(),
            "unclosed",
        ),
        ("wrong-tag", tag("[Elo]\n[]\n[\"\"]\n[White A]").into(), ""),
        ("bytes", (0..=255).cycle().take(1 << 20).collect(), ""),
    ];
    for (name, hostile, reason) in cases {
        let good = GOOD.as_bytes();
        let pgn = [good, &hostile, b"\n", good, good].concat();
        let report = import_text(&lab, name, &pgn);
        let good = export(
            &lab,
            &lab.path(&format!("{name}.games")),
            &["--event", "good"],
        );
        assert_eq!(good.matches("Qxf7#").count(), 3, "{name}: {report:#}");
        let broken = &report["report"]["broken"];
        if reason.is_empty() {
            assert!(broken["too_long"].is_null(), "{name}: {report:#}");
        } else {
            assert_eq!(broken[reason]["count"], 1, "{name}: {report:#}");
            assert_eq!(broken[reason]["first"]["game"], 2, "{name}: {report:#}");
            assert_eq!(broken[reason]["first"]["line"], 8, "{name}: {report:#}");
            assert_eq!(report["games"], 3, "{name}: {report:#}");
        }
    }
}

#[test]
fn odd_but_readable_text_is_read() {
    let lab = Lab::new();
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6";
    for (name, pgn, games, plies) in [
        ("crlf", GOOD.replace('\n', "\r\n").repeat(2), 2, 14),
        ("old-mac", GOOD.replace('\n', "\r").repeat(2), 2, 14),
        ("one-line", GOOD.replace('\n', " ").repeat(2), 2, 14),
        (
            "byte-order-mark",
            format!("\u{feff}{GOOD}\u{feff}{GOOD}"),
            2,
            14,
        ),
        (
            "no-tags",
            format!("{moves} *\n\n{moves} 1-0 {moves} 0-1\n"),
            3,
            18,
        ),
        (
            "empty-line",
            format!("[Event \"x\"]\n\n1. e4 e5\n\n2. Nf3 Nc6 *\n\n{GOOD}"),
            2,
            11,
        ),
        (
            "comment",
            format!("[Event \"x\"]\n\n1. e4 {{a\n\nb\n[%clk 1]\n}} e5 *\n\n{GOOD}"),
            2,
            9,
        ),
        (
            "no-x",
            "[Event \"x\"]\n\n1. e4 d5 2. ed5 Qd5 3. Nc3xd5 *\n".to_owned(),
            0,
            0,
        ),
        (
            "zeros",
            format!("{} 0-0 *\n", "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0"),
            1,
            8,
        ),
        (
            "no-result",
            format!("[Event \"x\"]\n\n{moves}\n\n{GOOD}"),
            2,
            13,
        ),
        (
            "tags-twice",
            format!("[Event \"x\"]\n[Event \"y\"]\n\n{moves} *\n\n{GOOD}"),
            2,
            13,
        ),
        (
            "forfeit",
            format!("[Event \"x\"]\n[Result \"0-1\"]\n\n0-1\n\n{GOOD}"),
            2,
            7,
        ),
        (
            "set-up",
            "[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. a8=N Kg6 *\n".to_owned(),
            1,
            2,
        ),
    ] {
        let report = import_text(&lab, name, pgn.as_bytes());
        assert_eq!(report["games"], games, "{name}: {report:#}");
        assert_eq!(report["positions"], plies, "{name}: {report:#}");
    }
    let set_up = export(&lab, &lab.path("set-up.games"), &[]);
    assert!(
        set_up.contains("[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]"),
        "{set_up}"
    );
    assert!(set_up.contains("1. a8=N Kg6 *"), "{set_up}");
}

#[test]
fn a_file_that_ends_within_a_game_keeps_the_games_before() {
    let lab = Lab::new();
    let pgn = GOOD.repeat(3);
    // From within the last game's moves back to its tags.
    for cut in [GOOD.len() - 8, GOOD.len() - 20, 50, 30, 10] {
        let report = import_text(&lab, "cut", &pgn.as_bytes()[..2 * GOOD.len() + cut]);
        assert_eq!(report["games"], 2, "{cut}: {report:#}");
        assert_eq!(report["report"]["read"], 3, "{cut}: {report:#}");
        assert_eq!(
            report["report"]["broken"]["cut_short"]["count"], 1,
            "{cut}: {report:#}"
        );
    }
}

/// The board knows better than whoever wrote the result; where it does not, contradictions leave the
/// result open.
#[test]
fn wrong_results_are_counted_and_not_learned() {
    let lab = Lab::new();
    let game = |tag: &str, moves: &str| format!("[Event \"x\"]\n[Result \"{tag}\"]\n\n{moves}\n\n");
    let mate = "1. f3 e5 2. g4 Qh4#";
    let pgn = [
        game("1-0", &format!("{mate} 1-0")),
        game("0-1", &format!("{mate} 0-1")),
        game("1-0", "1. e4 e5 0-1"),
        game("*", "1. e4 e5 1/2-1/2"),
        game("nonsense", "1. e4 e5 1-0"),
    ]
    .concat();
    let report = import_text(&lab, "results", pgn.as_bytes());
    assert_eq!(
        report["report"]["remarks"]["contradictory_result"]["count"], 2,
        "{report:#}"
    );
    let shown = lab.json(&["games", "show", text(&lab.path("results.games")), "--json"]);
    // White won, drawn, black won, not known.
    assert_eq!(shown["survey"]["results"], serde_json::json!([1, 1, 2, 1]));
}

#[test]
fn filters_choose_games_and_say_how_many_they_sorted_out() {
    let lab = Lab::new();
    let game = |i: u32| {
        let (event, result) = match i % 2 {
            0 => ("Rated Blitz game", "1-0"),
            _ => ("Rated Bullet game", "0-1"),
        };
        let moves = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(i as usize + 1);
        let elo = 1500 + 100 * i;
        format!(
            "[Event \"{event}\"]\n[Date \"{}.01.02\"]\n[WhiteElo \"{elo}\"]\n[BlackElo \"{}\"]\n\
             [Result \"{result}\"]\n\n{moves} {result}\n\n",
            2000 + i,
            elo + 50
        )
    };
    let pgn: String = (0..10).map(game).collect();
    let unrated = "[Event \"Casual\"]\n\n1. e4 *\n\n";
    let path = lab.path("ten.pgn");
    fs::write(&path, pgn + unrated).expect("written");
    for (filter, games, sieve) in [
        (vec!["--rating", "1800.."], 7, "rating"),
        (vec!["--rating", "..1649"], 1, "rating"),
        (vec!["--year", "2003..2005"], 3, "year"),
        (vec!["--year", "2004"], 1, "year"),
        (vec!["--plies", "20.."], 6, "length"),
        (vec!["--result", "1-0"], 5, "result"),
        (vec!["--result", "1-0,*"], 6, "result"),
        (vec!["--event", "BLITZ", "--event", "casual"], 6, "event"),
        (vec!["--not-event", "bullet"], 6, "event"),
    ] {
        let out = lab.path("filtered.games");
        let report = import(&lab, &[&path], &out, &[&["--force"], &filter[..]].concat());
        assert_eq!(report["games"], games, "{filter:?}: {report:#}");
        assert_eq!(
            report["report"]["filtered"][sieve],
            11 - games,
            "{filter:?}"
        );
        // The same filter on a file of everything.
        let all = lab.path("ten.games");
        import(&lab, &[&path], &all, &["--force"]);
        let args = [&["games", "show", text(&all), "--json"], &filter[..]].concat();
        assert_eq!(lab.json(&args)["survey"]["games"], games, "{filter:?}");
        assert_eq!(
            export(&lab, &all, &filter),
            export(&lab, &out, &[]),
            "{filter:?}"
        );
    }
    for wrong in [
        ["--rating", "x"],
        ["--year", "3..2"],
        ["--result", "2-0"],
        ["--plies", "-1"],
    ] {
        let out = lab.path("wrong.games");
        let args = [
            &["games", "import", text(&path), "--out", text(&out)],
            &wrong[..],
        ]
        .concat();
        lab.fails(&args, 2);
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let lab = Lab::new();
    let pgn = lab.path("many.pgn");
    fs::write(&pgn, many_games(20_000)).expect("written");
    let made = |threads: &str| {
        let out = lab.path(&format!("{threads}.games"));
        import(
            &lab,
            &[&pgn],
            &out,
            &["--threads", threads, "--drop-duplicates"],
        );
        fs::read(out).expect("it is there")
    };
    let one = made("1");
    assert!(one == made("2") && one == made("7"), "not the same bytes");
}

/// Many different games, some MB of text.
fn many_games(games: usize) -> String {
    let first = ["e4", "d4", "c4", "Nf3", "g3", "b3", "f4", "Nc3", "e3", "d3"];
    let second = ["e5", "d5", "c5", "Nf6", "g6", "b6", "f5", "Nc6", "e6", "d6"];
    let third = ["a3", "a4", "h3", "h4", "Na3", "Nh3"];
    let mut pgn = String::new();
    for i in 0..games {
        let (a, b, c) = (first[i % 10], second[i / 10 % 10], third[i / 100 % 6]);
        let comment = "words ".repeat(i / 600 % 50);
        pgn.push_str(&format!(
            "[Event \"many\"]\n[White \"Player {i}\"]\n[Result \"1-0\"]\n\n1. {a} {{{comment}}} {b} 2. {c} 1-0\n\n"
        ));
    }
    pgn
}

/// Killed at any time, an import goes on and makes the same file.
#[test]
fn an_interrupted_import_goes_on() {
    let lab = Lab::new();
    let pgn = lab.path("many.pgn.zst");
    let text_of_it = many_games(150_000);
    fs::write(
        &pgn,
        zstd::encode_all(text_of_it.as_bytes(), 1).expect("packed"),
    )
    .expect("written");
    let whole = lab.path("whole.games");
    import(&lab, &[&pgn], &whole, &[]);
    let whole = fs::read(whole).expect("it is there");
    let out = lab.path("parts.games");
    let part = lab.path("parts.games.part");
    let args = ["games", "import", text(&pgn), "--out", text(&out)];
    let (mut killed, mut most) = (0, 0);
    for attempt in 0..40 {
        let mut child = command(&lab)
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        // Let it get further each time, or it would never come to an end.
        let wanted = most + 50_000;
        loop {
            if child.try_wait().expect("it can be waited for").is_some() {
                break;
            }
            let length = part.metadata().map_or(0, |m| m.len());
            if length > wanted {
                child.kill().expect("it can be killed");
                child.wait().expect("it ends");
                killed += 1;
                most = length;
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        if out.exists() {
            break;
        }
        if attempt % 2 == 0 {
            // As if the last block had only been written in part.
            let file = fs::OpenOptions::new()
                .write(true)
                .open(&part)
                .expect("there");
            let length = file.metadata().expect("there").len();
            file.set_len(length - 1000).expect("cut");
        }
    }
    assert!(killed > 0, "it was never killed");
    assert!(
        fs::read(&out).expect("it came to an end") == whole,
        "not the same bytes"
    );
    assert!(!part.exists());
}

#[test]
fn an_unfinished_import_is_not_mixed_with_another() {
    let lab = Lab::new();
    let (pgn, out) = (lab.path("a.pgn"), lab.path("a.games"));
    fs::write(&pgn, GOOD.repeat(10)).expect("written");
    import(&lab, &[&pgn], &out, &[]);
    // What is there is not overwritten unasked.
    let error = lab.fails(&["games", "import", text(&pgn), "--out", text(&out)], 1);
    assert!(error.contains("there already"), "{error}");
    // An unfinished file is a finished one without its end.
    let part = lab.path("a.games.part");
    fs::copy(&out, &part).expect("copied");
    fs::remove_file(&out).expect("removed");
    let args = [
        "games",
        "import",
        text(&pgn),
        "--out",
        text(&out),
        "--year",
        "1999",
    ];
    let error = lab.fails(&args, 1);
    assert!(error.contains("other files or other settings"), "{error}");
    import(&lab, &[&pgn], &out, &[]);
    assert!(!part.exists());
    // Something else of that name is left alone.
    fs::remove_file(&out).expect("removed");
    fs::write(&part, "notes").expect("written");
    lab.fails(&["games", "import", text(&pgn), "--out", text(&out)], 1);
    assert_eq!(fs::read_to_string(&part).expect("there"), "notes");
    import(&lab, &[&pgn], &out, &["--force"]);
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let lab = Lab::new();
    let out = lab.path("x.games");
    let no_game = lab.path("no-game.pgn");
    fs::write(&no_game, "nothing here\n\nis a game\n").expect("written");
    let empty = lab.path("empty.pgn");
    fs::write(&empty, "").expect("written");
    let not_zip = lab.path("not.zip");
    fs::write(&not_zip, b"PK\x03\x04nonsense").expect("written");
    let folder = lab.path("");
    for (path, why) in [
        (&no_game, "no game"),
        (&empty, "no game"),
        (&not_zip, "not.zip"),
        (&lab.path("absent.pgn"), "absent.pgn"),
        (&folder, "not a regular file"),
    ] {
        let error = lab.fails(&["games", "import", text(path), "--out", text(&out)], 1);
        assert!(error.contains(why), "{error}");
        assert!(!out.exists());
    }
    lab.fails(&["games", "import", text(&no_game)], 2);
    lab.fails(&["games"], 2);
    for command in ["show", "export"] {
        for path in [&no_game, &empty, &folder, &lab.path("absent.games")] {
            let error = lab.fails(&["games", command, text(path)], 1);
            assert!(error.contains(text(path)), "{error}");
        }
    }
}

/// A byte anywhere in the file that is not as it was written is noticed.
#[test]
fn a_damaged_file_is_refused() {
    let lab = Lab::new();
    import_text(&lab, "a", GOOD.repeat(3).as_bytes());
    let good = fs::read(lab.path("a.games")).expect("it is there");
    let bad = lab.path("bad.games");
    for at in (0..good.len()).step_by(7) {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        fs::write(&bad, bytes).expect("written");
        let output = lucena(&lab, &["games", "export", text(&bad)]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "byte {at}: {error}");
        assert!(
            error.contains("bad.games") && !error.contains("panicked"),
            "{at}: {error}"
        );
    }
    for length in (0..good.len()).step_by(31) {
        fs::write(&bad, &good[..length]).expect("written");
        lab.fails(&["games", "show", text(&bad)], 1);
    }
}

#[test]
fn show_says_what_is_in_a_file_and_draws_it() {
    let lab = Lab::new();
    let (pgn, out) = (own_games(&lab), lab.path("own.games"));
    import(&lab, &[&pgn], &out, &[]);
    let svg = lab.path("own.svg");
    let shown = lab.ok_plain(&["games", "show", text(&out), "--picture", text(&svg)]);
    for what in [
        "60 games",
        "results",
        "phases",
        "first moves",
        "openings",
        "held out",
        "█",
    ] {
        assert!(shown.contains(what), "{what} is not in\n{shown}");
    }
    let svg = fs::read_to_string(svg).expect("it was drawn");
    assert!(svg.starts_with("<svg") && svg.contains("60 games") && svg.contains("endgame"));
    let json = lab.json(&["games", "show", text(&out), "--held-out", "50", "--json"]);
    let survey = &json["survey"];
    let sum = |list: &Value| -> u64 {
        list.as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_u64)
            .sum()
    };
    assert_eq!(sum(&survey["results"]), 60);
    assert_eq!(Some(sum(&survey["phases"])), survey["positions"].as_u64());
    let counts = &json["held_out"]["counts"];
    let count = |name: &str| counts[name].as_u64().expect("a number");
    assert_eq!(count("training_games") + count("held_out_games"), 60);
    let positions = count("training_positions") + count("held_out_positions");
    assert_eq!(Some(positions), survey["positions"].as_u64());
    assert!(
        count("unseen_positions") < count("held_out_positions"),
        "the start is in all games"
    );
    assert!(count("unseen_positions") > 0);
    lab.fails(&["games", "show", text(&out), "--held-out", "101"], 2);
}

/// Games on the held-out side stay there when others are added, whatever their order, and equal games
/// are on the same side.
#[test]
fn a_split_never_changes_when_games_are_added() {
    let lab = Lab::new();
    let pgn = many_games(600);
    let games: Vec<&str> = pgn.split_inclusive("1-0\n\n").collect();
    let held_out = |name: &str, pgn: String| {
        import_text(&lab, name, pgn.as_bytes());
        let path = lab.path(&format!("{name}.games"));
        let json = lab.json(&["games", "show", text(&path), "--held-out", "10", "--json"]);
        let count = |name: &str| json["held_out"]["counts"][name].as_u64().expect("a number");
        (count("held_out_games"), count("training_games"))
    };
    let first = held_out("first", games[..300].concat());
    let second = held_out("second", games[300..].concat());
    let mut backwards = games.clone();
    backwards.reverse();
    let both = held_out("both", backwards.concat());
    assert_eq!(both, (first.0 + second.0, first.1 + second.1));
    assert!((30..90).contains(&both.0), "{both:?}");
    let twice = held_out("twice", pgn.repeat(2));
    assert_eq!(twice, (2 * both.0, 2 * both.1));
}

/// The real thing: dirty games of a century, none of them lost.
#[test]
fn no_master_game_is_lost() {
    let Some(masters) = data("master games imported", "pgn/masters.pgn.zst") else {
        return;
    };
    let lab = Lab::new();
    let out = lab.path("masters.games");
    let report = import(&lab, &[&masters], &out, &[]);
    eprintln!("{:.0} games/s", report["games_per_second"]);
    assert_eq!(report["games"], 145_716, "{report:#}");
    assert_eq!(report["positions"], 11_264_836);
    assert_eq!(report["report"]["read"], 145_716);
    assert!(report["report"]["broken"].is_null(), "{report:#}");
    assert!(report["report"]["remarks"]["contradictory_result"]["count"].as_u64() > Some(0));
    assert!(
        report["bytes"].as_u64() < Some(11_264_836 * 3),
        "{report:#}"
    );
    let shown = lab.json(&["games", "show", text(&out), "--json"]);
    let counts = &shown["held_out"]["counts"];
    let unseen = counts["unseen_positions"].as_f64().expect("a number")
        / counts["held_out_positions"].as_f64().expect("a number");
    assert!((0.55..0.7).contains(&unseen), "{counts}");
}

#[test]
fn engine_games_are_read_with_their_ratings() {
    let Some(tcec) = data("engine games imported", "pgn/tcec.pgn.zst") else {
        return;
    };
    let lab = Lab::new();
    let out = lab.path("tcec.games");
    let report = import(&lab, &[&tcec], &out, &[]);
    assert_eq!(report["report"]["read"], 16_821, "{report:#}");
    assert_eq!(report["games"], 16_821, "{report:#}");
    let shown = lab.json(&["games", "show", text(&out), "--rating", "3600..", "--json"]);
    assert!(shown["survey"]["games"].as_u64() > Some(1000));
}
