//! The searches find what there is to find.
#![allow(clippy::unwrap_used)] // a test that cannot go on should fail

mod tables;

use play::{
    Ending, LeafValue, Limits, Match, Mcts, Minimax, Nature, Openings, Player, Running, Score,
};
use rules::{Board, Game, RandomPositions, Rules};
use tables::{position, registry};

fn game(fen: &str) -> Game {
    Game::new(position(fen), Rules::default())
}

/// Mates in 1, 2 and 3, few men and many.
const MATES: [(&str, &str, i32); 6] = [
    ("k7/8/1K6/8/8/8/8/7R w", "h1h8", 1),
    ("7k/8/5K2/8/8/8/8/6R1 w", "f6f7", 2),
    ("6k1/5ppp/8/8/8/8/8/R3K3 w", "a1a8", 1),
    ("8/8/8/8/8/5k2/r7/7K b", "f3g3", 2),
    ("kbK5/pp6/1P6/8/8/8/8/R7 w", "a1a6", 2),
    (
        "r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w",
        "d5d8",
        2,
    ),
];

#[test]
fn minimax_finds_the_shortest_mate() {
    for (fen, best, moves) in MATES {
        for history in [true, false] {
            let mut player = Minimax::new(5, LeafValue::MopUp);
            if !history {
                player = player.without_history();
            }
            let game = game(fen);
            let choice = player.choose(&game, &Limits::NONE).unwrap();
            assert_eq!(choice.info.score, Some(Score::Mate(moves)), "{fen}");
            assert_eq!(game.position().uci(choice.mv), best, "{fen}");
        }
    }
}

#[test]
fn monte_carlo_finds_the_mate() {
    for (fen, best, moves) in MATES {
        let game = game(fen);
        let choice = Mcts::best(3000, 1).choose(&game, &Limits::NONE).unwrap();
        assert_eq!(game.position().uci(choice.mv), best, "{fen}");
        assert_eq!(choice.info.score, Some(Score::Mate(moves)), "{fen}");
    }
    // Document W's test of a search: with plain UCT the visits go to the mating move, too.
    for (fen, best, _) in &MATES[..3] {
        let game = game(fen);
        let choice = Mcts::new(3000, 1).choose(&game, &Limits::NONE).unwrap();
        assert_eq!(game.position().uci(choice.mv), *best, "{fen}");
    }
}

#[test]
fn limits_are_kept() {
    let start = Game::new(rules::Position::start(), Rules::default());
    let mut player = Minimax::new(60, LeafValue::MopUp);
    let limits = Limits {
        nodes: Some(5000),
        ..Limits::NONE
    };
    let choice = player.choose(&start, &limits).unwrap();
    assert!(choice.info.nodes.unwrap() <= 5001);
    let limits = Limits {
        time: Some(std::time::Duration::from_millis(50)),
        ..Limits::NONE
    };
    let clock = std::time::Instant::now();
    player.choose(&start, &limits).unwrap();
    assert!(clock.elapsed().as_millis() < 1000);
    let choice = player
        .choose(
            &start,
            &Limits {
                depth: Some(2),
                ..Limits::NONE
            },
        )
        .unwrap();
    assert_eq!(choice.info.depth, Some(2));
    assert_eq!(choice.info.pv.first(), Some(&choice.mv));
}

/// Every kind of policy, asked in two orders, and anew for each position.
#[test]
fn a_policy_does_not_depend_on_what_it_has_seen() {
    let registry = registry(&["KRK", "KBNK"], Board::STANDARD);
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/../../nets/kbnk.ltn");
    let by_net = |settings: &str| format!("minimax:net={net},history=off,{settings}");
    for (spec, materials) in [
        ("minimax:depth=4,history=off", &["KRK", "KBNK", "KQKR"][..]),
        ("minimax:depth=3,eval=ypma,history=off", &["KRK", "KBNK"]),
        (
            "minimax:nodes=40,history=off",
            &["KRK", "KBNK", "KQKR", "KPK"],
        ),
        (
            "minimax:nodes=700,history=off,hash=1",
            &["KRK", "KBNK", "KPK"],
        ),
        ("minimax:nodes=3000,eval=ypma,history=off,hash=1", &["KRK"]),
        (&by_net("depth=4"), &["KBNK"]),
        (&by_net("nodes=900"), &["KBNK"]),
        ("perfect:ties=first", &["KRK", "KBNK"]),
    ] {
        let spec = registry.parse(spec).unwrap();
        assert_eq!(spec.player(0).nature(), Nature::Position, "{spec}");
        let games: Vec<Game> = (0..150)
            .map(|i| {
                let material = materials[i as usize % materials.len()].parse().unwrap();
                let mut positions = RandomPositions::new(material, Board::STANDARD, None, i);
                positions.find(|position| !position.legal_moves().is_empty())
            })
            .map(|position| Game::new(position.unwrap(), Rules::none()))
            .collect();
        let choose =
            |player: &mut dyn Player, game: &Game| player.choose(game, &Limits::NONE).unwrap().mv;
        let mut forwards = spec.player(0);
        let first: Vec<_> = games
            .iter()
            .map(|game| choose(&mut forwards, game))
            .collect();
        let mut backwards = spec.player(0);
        for (game, &mv) in games.iter().zip(&first).rev() {
            let fen = game.position().fen();
            assert_eq!(choose(&mut backwards, game), mv, "{spec}: {fen}");
            assert_eq!(choose(&mut spec.player(0), game), mv, "{spec}: {fen}");
        }
    }
}

/// The thesis' figure 6.1: its search shuffles the rook until just before the third repetition.
#[test]
fn the_shuffle_of_the_thesis_does_not_happen() {
    let registry = registry(&["KRK"], Board::STANDARD);
    for spec in [
        "minimax:depth=4",
        "minimax:depth=4,history=off",
        "mcts:preset=best",
    ] {
        let contest = Match::new(
            registry.parse(spec).unwrap(),
            registry.parse("perfect").unwrap(),
            Openings::random("KRK".parse().unwrap(), Board::STANDARD),
            30,
        );
        let result = contest.run(Running::default()).unwrap();
        assert_eq!(result.statistics.count(Ending::Win), 30, "{spec}");
        for record in &result.records {
            let game = record.game(contest.rules).unwrap();
            let mut seen: Vec<String> = game
                .positions()
                .map(|p| p.fen().split(' ').take(2).collect())
                .collect();
            seen.sort();
            let positions = seen.len();
            seen.dedup();
            assert_eq!(seen.len(), positions, "{spec} repeats in {}", record.moves);
        }
    }
}

/// The bar of the thesis: no win at all with bishop and knight.
#[test]
fn bishop_and_knight_mate_the_perfect_defender_without_tables() {
    let registry = registry(&["KBNK"], Board::STANDARD);
    // Long mates, from the corners and from the middle.
    let openings: Vec<_> = [
        "8/8/8/3k4/8/8/8/KBN5 w",
        "N6k/8/8/8/8/8/8/1BK5 w",
        "7k/8/8/8/8/8/8/NB5K w",
        "k7/8/8/8/4N3/8/8/B6K w",
    ]
    .map(position)
    .into();
    for spec in ["minimax:depth=6", "mcts:preset=best,simulations=1000"] {
        let contest = Match::new(
            registry.parse(spec).unwrap(),
            registry.parse("perfect").unwrap(),
            Openings::List(openings.clone()),
            4,
        );
        let result = contest.run(Running::default()).unwrap();
        assert_eq!(result.statistics.count(Ending::Win), 4, "{spec}");
    }
}

#[test]
fn parallel_trees_do_not_depend_on_the_threads() {
    let registry = registry(&[], Board::STANDARD);
    let spec = registry.parse("mcts:simulations=400,trees=4").unwrap();
    let game = game("8/8/8/3k4/8/8/1K6/R7 w");
    let choose = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| spec.player(5).choose(&game, &Limits::NONE).unwrap())
    };
    assert_eq!(choose(1), choose(3));
}

#[test]
fn formula_6_1_alone_wins_with_the_queen() {
    let registry = registry(&["KQK"], Board::STANDARD);
    let contest = Match::new(
        registry
            .parse("minimax:eval=ypma,depth=3,repetition=3")
            .unwrap(),
        registry.parse("perfect").unwrap(),
        Openings::random("KQK".parse().unwrap(), Board::STANDARD),
        30,
    );
    let result = contest.run(Running::default()).unwrap();
    assert!(result.statistics.count(Ending::Win) >= 25);
}
