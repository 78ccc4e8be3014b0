//! Document W's seven networks, through the real binary.

mod support;

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::Stdio,
};

use support::{Lab, command, data};

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

const NETWORKS: [&str; 7] = [
    "picker", "king", "queen", "rook", "bishop", "knight", "pawn",
];

/// Trains on so many threads and returns the folder of the run.
fn train(lab: &Lab, games: &Path, out: &str, threads: &str, settings: &[&str]) -> PathBuf {
    let run = lab.path(out);
    let data = format!("data={}", text(games));
    let mut training = command(lab);
    #[rustfmt::skip]
    training.args([
        "train", "wojcik-supervised", "--episodes", "300", "--out", text(&run), "--set", &data, "--set",
        "held_out=10", "--set", "batch=32", "--set", "warm_up=5",
    ]);
    for setting in settings {
        training.args(["--set", setting]);
    }
    let output = training
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    run
}

fn read(run: &Path, file: &str) -> Vec<u8> {
    fs::read(run.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The bytes of a table of a safetensors file.
fn table<'a>(file: &'a [u8], name: &str) -> &'a [u8] {
    let (length, rest) = file.split_at(8);
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
    let (header, data) = rest.split_at(usize::try_from(length).expect("small"));
    let header: serde_json::Value = serde_json::from_slice(header).expect("JSON");
    let offsets = &header[name]["data_offsets"];
    let at = |end: usize| usize::try_from(offsets[end].as_u64().expect("offsets")).expect("small");
    &data[at(0)..at(1)]
}

#[test]
fn they_learn_from_games_and_resume_to_the_bit_on_any_number_of_threads() {
    let lab = Lab::new();
    let games = lab.own_games();
    let run = train(&lab, &games, "whole", "2", &[]);
    let curve = String::from_utf8(read(&run, "metrics.csv")).expect("text");
    let lines: Vec<Vec<&str>> = curve.lines().map(|l| l.split(',').collect()).collect();
    // A network with few positions says nothing until it has learned from some.
    let values = |name: &str| -> Vec<f64> {
        let column = lines[0].iter().position(|known| *known == name);
        let column = column.unwrap_or_else(|| panic!("{name} in {:?}", lines[0]));
        let cells = lines[1..].iter().map(|line| line[column]);
        let cells = cells.filter(|cell| !cell.is_empty());
        cells.map(|cell| cell.parse().expect("a number")).collect()
    };
    let ends = |name: String| match values(&name)[..] {
        [first, .., last] => (first, last),
        ref few => panic!("{name}: {few:?}"),
    };
    for name in NETWORKS {
        let (first, last) = ends(format!("training/loss_{name}"));
        assert!(last < first, "{name}: {first} {last}");
        let (first, last) = ends(format!("training/right_{name}"));
        assert!(last > first, "{name}: {first} {last}");
        let (_, right) = ends(format!("held_out/right_{name}"));
        assert!((0.0..=1.0).contains(&right), "{name}: {right}");
    }

    // The same on one thread, thrown back to an earlier checkpoint, ends where the first one ended.
    let again = train(&lab, &games, "again", "1", &[]);
    let mut checkpoints: Vec<PathBuf> = fs::read_dir(again.join("checkpoints"))
        .expect("checkpoints")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    checkpoints.sort();
    assert!(checkpoints.len() > 1, "{checkpoints:?}");
    fs::remove_file(checkpoints.pop().expect("the last one")).expect("removed");
    fs::remove_file(again.join("weights.safetensors")).expect("removed");
    lab.ok(&["train", "--resume", "--out", text(&again)]);
    assert!(read(&run, "weights.safetensors") == read(&again, "weights.safetensors"));
    assert!(read(&run, "metrics.csv") == read(&again, "metrics.csv"));
    // Counting the answers for black from H1 makes other networks.
    let turned = train(&lab, &games, "turned", "2", &["turned=true"]);
    assert!(read(&run, "weights.safetensors") != read(&turned, "weights.safetensors"));

    // Each network is judged by itself, and all of them together.
    let weights = run.join("weights.safetensors");
    #[rustfmt::skip]
    let judged = lab.ok_plain(&[
        "games", "judge", text(&games), text(&weights), "--held-out", "10", "--json",
    ]);
    let judged: serde_json::Value = serde_json::from_str(&judged).expect("JSON");
    let count = |of: &serde_json::Value, name: &str| of[name].as_u64().expect("a count");
    let of = |name: &str| count(&judged["networks"][name], "positions");
    let pieces: u64 = NETWORKS[1..].iter().map(|name| of(name)).sum();
    assert!(of("picker") > 100 && pieces == of("picker"), "{judged:#}");
    let moves = &judged["moves"];
    assert_eq!(count(moves, "positions"), of("picker"));
    assert!(count(moves, "first_three") >= count(moves, "right"));
    assert!(count(moves, "first_five") >= count(moves, "first_three"));
    assert!(count(moves, "unseen") > 0 && count(moves, "in_check") > 0);
    let printed = lab.ok_plain(&[
        "games",
        "judge",
        text(&games),
        text(&weights),
        "--held-out",
        "10",
    ]);
    assert_eq!(printed.lines().count(), 9, "{printed}");

    // From its run and from its file it plays the same games.
    let start = lab.start();
    let played = |player: &str, name: &str| {
        let pgn = lab.path(name);
        #[rustfmt::skip]
        lab.ok(&[
            "match", "--white", player, "--black", "random", "--positions", text(&start), "--games", "2",
            "--rules", "moves=20", "--pgn", text(&pgn),
        ]);
        let text = fs::read_to_string(pgn).expect("games");
        text.lines()
            .filter(|line| line.starts_with("1."))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let from_run = played(&format!("run:{}", text(&run)), "run.pgn");
    assert!(!from_run.is_empty());
    assert_eq!(
        from_run,
        played(&format!("net:{}", text(&weights)), "net.pgn")
    );
    // Where only squares of legal moves compete, the picked man can move, and the king, who is alone, can go where he is sent.
    let settings = ["legal=true", "mirrored=true", "wings=true", "decay=0.1"];
    let legal = train(&lab, &games, "legal", "2", &settings);
    let weights = legal.join("weights.safetensors");
    #[rustfmt::skip]
    let judged = lab.ok_plain(&[
        "games", "judge", text(&games), text(&weights), "--held-out", "10", "--json",
    ]);
    let judged: serde_json::Value = serde_json::from_str(&judged).expect("JSON");
    for name in ["picker", "king"] {
        let marks = &judged["networks"][name];
        assert_eq!(count(marks, "legal"), count(marks, "positions"), "{name}");
    }
    assert!(!played(&format!("net:{}", text(&weights)), "legal.pgn").is_empty());
    // Six that inherit begin with what the picker makes of a position; when nothing is learned, it stays so.
    let heirs = train(&lab, &games, "heirs", "2", &["inherit=true", "rate=0"]);
    let file = read(&heirs, "weights.safetensors");
    let (picker, rook) = (
        table(&file, "picker.2.weight"),
        table(&file, "rook.2.weight"),
    );
    assert!(!picker.is_empty() && picker == rook);
    assert!(table(&file, "picker.3.weight") != table(&file, "rook.3.weight"));
    let heirs = train(&lab, &games, "learned", "2", &["inherit=true"]);
    let file = read(&heirs, "weights.safetensors");
    assert!(table(&file, "picker.2.weight") != table(&file, "rook.2.weight"));
    // Orthogonal steps and a mean over the last batches make other networks, the same on any number of threads.
    let settings = ["orthogonal=true", "average=0.9"];
    let [one, other] = ["1", "2"]
        .map(|threads| train(&lab, &games, &format!("mean-{threads}"), threads, &settings));
    let means = read(&one, "weights.safetensors");
    assert!(means == read(&other, "weights.safetensors"));
    assert!(means != read(&run, "weights.safetensors"));
    // A player needs no games.
    fs::remove_file(&games).expect("removed");
    assert_eq!(
        from_run,
        played(&format!("run:{}", text(&run)), "without.pgn")
    );
}

#[test]
fn they_play_legal_moves_over_uci() {
    let lab = Lab::new();
    let games = lab.own_games();
    let run = train(&lab, &games, "run", "2", &[]);
    let player = format!("run:{}", text(&run));
    // Black to move; a king in check; a pawn that can only promote.
    for (position, legal) in [
        ("startpos moves e2e4 e7e5 e1e2", None),
        ("fen 4k3/8/8/8/8/8/4q3/4K3 w - - 0 1", Some(vec!["e1e2"])),
        (
            "fen 7k/P7/8/8/8/8/6rr/K7 w - - 0 1",
            Some(vec!["a7a8q", "a1b1"]),
        ),
    ] {
        let mut engine = command(&lab)
            .args(["uci", "--player", &player])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut input = engine.stdin.take().expect("piped");
        let asked = format!("uci\nposition {position}\ngo depth 1\n");
        input.write_all(asked.as_bytes()).expect("it listens");
        let output = BufReader::new(engine.stdout.take().expect("piped"));
        let best = output
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("bestmove ").map(str::to_owned))
            .expect("a move");
        input.write_all(b"quit\n").expect("it listens");
        assert!(engine.wait().expect("it ends").success());
        match legal {
            Some(legal) => assert!(legal.contains(&&best[..]), "{position}: {best}"),
            None => assert_eq!(best.len(), 4, "{position}: {best}"),
        }
    }
    // They have learned the game on eight files and ranks, and search nothing.
    let deep = format!("{player},depth=2");
    let complaint = lab.fails(
        &[
            "match",
            "--white",
            &deep,
            "--black",
            "random",
            "--endgame",
            "KRK",
        ],
        2,
    );
    assert!(complaint.contains("without search"), "{complaint}");
    #[rustfmt::skip]
    let complaint = lab.fails(
        &["match", "--white", &player, "--black", "random", "--endgame", "KRK", "--board", "5", "--games", "1"],
        1,
    );
    assert!(complaint.contains("8×8"), "{complaint}");
}

#[test]
fn a_teacher_teaches_the_six_and_resumes_to_the_bit() {
    let lab = Lab::new();
    let games = lab.own_games();
    let teacher = lab.path("teacher");
    let data = format!("data={}", text(&games));
    #[rustfmt::skip]
    lab.ok(&[
        "train", "imitation", "--episodes", "60", "--out", text(&teacher), "--set", &data, "--set", "held_out=10",
        "--set", "blocks=dense", "--set", "width=16", "--set", "batch=32",
    ]);
    let weights = teacher.join("weights.safetensors");
    let taught = format!("teacher={}", text(&weights));
    let run = train(&lab, &games, "taught", "2", &[&taught]);
    let alone = train(&lab, &games, "alone", "2", &[]);
    let [of_taught, of_alone] = [&run, &alone].map(|run| read(run, "weights.safetensors"));
    assert!(table(&of_taught, "picker.0.weight") == table(&of_alone, "picker.0.weight"));
    for name in &NETWORKS[1..] {
        let layer = format!("{name}.0.weight");
        assert!(
            table(&of_taught, &layer) != table(&of_alone, &layer),
            "{name}"
        );
    }
    // Whom nobody trusts teaches nothing.
    let distrusted = train(&lab, &games, "distrusted", "1", &[&taught, "trust=0"]);
    assert!(read(&distrusted, "weights.safetensors") == of_alone);

    // What the teacher said is not in a checkpoint: it is asked again.
    let again = train(&lab, &games, "again", "1", &[&taught]);
    let checkpoints = fs::read_dir(again.join("checkpoints")).expect("checkpoints");
    let mut checkpoints: Vec<PathBuf> =
        checkpoints.map(|it| it.expect("an entry").path()).collect();
    checkpoints.sort();
    fs::remove_file(checkpoints.pop().expect("the last one")).expect("removed");
    fs::remove_file(again.join("weights.safetensors")).expect("removed");
    lab.ok(&["train", "--resume", "--out", text(&again)]);
    assert!(read(&again, "weights.safetensors") == of_taught);

    let out = lab.path("refused");
    for (file, why) in [(lab.path("nobody"), "nobody"), (games.clone(), "teacher")] {
        let taught = format!("teacher={}", text(&file));
        #[rustfmt::skip]
        let complaint = lab.fails(
            &["train", "wojcik-supervised", "--out", text(&out), "--set", &data, "--set", &taught],
            1,
        );
        assert!(complaint.contains(why), "{complaint}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let lab = Lab::new();
    let out = lab.path("run");
    let train = |more: &[&str], code: i32| {
        let args = [&["train", "wojcik-supervised", "--out", text(&out)], more].concat();
        lab.fails(&args, code)
    };
    assert!(train(&[], 1).contains("data"));
    assert!(train(&["--set", "data=no.games"], 1).contains("no.games"));
    assert!(train(&["--set", "data=x", "--endgame", "KRK"], 1).contains("whole game"));
    assert!(train(&["--set", "data=x", "--set", "batch=0"], 2).contains("batch"));
    assert!(train(&["--set", "data=x", "--set", "rate=-1"], 2).contains("rate"));
    assert!(train(&["--set", "data=x", "--set", "held_out=101"], 2).contains("held_out"));
    assert!(train(&["--set", "turned=perhaps"], 2).contains("turned"));
    assert!(train(&["--set", "data=x", "--set", "trust=2"], 2).contains("trust"));
    assert!(train(&["--set", "colour=red"], 2).contains("pieces"));
    // One game has no position for every network.
    let (pgn, games) = (lab.path("short.pgn"), lab.path("short.games"));
    fs::write(&pgn, "1. f3 e5 2. g4 Qh4# 0-1\n").expect("written");
    lab.ok_plain(&["games", "import", text(&pgn), "--out", text(&games)]);
    let data = format!("data={}", text(&games));
    let complaint = train(&["--set", &data, "--set", "held_out=0"], 1);
    assert!(complaint.contains("'king'"), "{complaint}");
    // A damaged file of weights is no player.
    let damaged = lab.path("damaged.safetensors");
    fs::write(&damaged, b"not weights").expect("written");
    let complaint = {
        let output = command(&lab)
            .args(["games", "judge", text(&games), text(&damaged)])
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).expect("text")
    };
    assert!(complaint.contains("damaged"), "{complaint}");
}

#[test]
fn the_experiment_asks_for_games_and_shows_which_square_is_picked() {
    let lab = Lab::new();
    let printed = lab.ok(&["paper", "W1", "--quick", "--rows", "picker"]);
    assert!(printed.contains("--games"), "{printed}");
    let missing = lab.path("missing.games");
    let complaint = lab.fails(&["paper", "W1", "--quick", "--games", text(&missing)], 1);
    assert!(complaint.contains("missing.games"), "{complaint}");

    let out = lab.path("reports");
    let printed = lab.ok(&["paper", "W1", "--budget", "smoke", "--out", text(&out)]);
    for row in ["| picker | 35.9 %", "| king | 60.2 %", "| pawn | 49.5 %"] {
        assert!(printed.contains(row), "{row}: {printed}");
    }
    let page = fs::read_to_string(out.join("W1.html")).expect("a page");
    assert!(page.contains("class=\"mark\"") && page.contains("Which square is picked"));
}

#[test]
fn master_moves_are_learned() {
    let Some(masters) = data("wojcik-masters", "pgn/masters.pgn.zst") else {
        return;
    };
    let lab = Lab::new();
    let games = lab.path("masters.games");
    lab.ok_plain(&["games", "import", text(&masters), "--out", text(&games)]);
    let run = lab.path("run");
    let data = format!("data={}", text(&games));
    #[rustfmt::skip]
    lab.ok(&[
        "train", "wojcik-supervised", "--episodes", "200", "--out", text(&run), "--set", &data,
        "--set", "picker=100000", "--set", "pieces=40000", "--set", "judged=0",
    ]);
    #[rustfmt::skip]
    let judged = lab.ok_plain(&[
        "games", "judge", text(&games), text(&run.join("weights.safetensors")), "--positions", "20000", "--json",
    ]);
    let judged: serde_json::Value = serde_json::from_str(&judged).expect("JSON");
    // Far below the document's figures, whose networks have seen fifty times as much, and far above
    // guessing among the moves of a piece.
    for (name, least) in NETWORKS
        .into_iter()
        .zip([0.12, 0.3, 0.08, 0.1, 0.18, 0.22, 0.2])
    {
        let marks = &judged["networks"][name];
        let count = |of: &str| marks[of].as_u64().expect("a count") as f64;
        let share = count("right") / count("positions");
        assert!(share > least, "{name}: {share}");
        assert!(count("unseen_right") / count("unseen") < share, "{name}");
        assert!(
            count("legal") > 0.25 * count("positions"),
            "{name}: {marks}"
        );
    }
}
