//! Every player plays legal games to the end, on every board.
#![allow(clippy::unwrap_used)] // a test that cannot go on should fail

mod tables;

use std::collections::HashSet;

use play::{
    Limits, Match, Nature, Openings, Player, PlayerError, Random, Registry, Running, SpecError,
    UciEngine,
};
use rules::{Board, Game, Position, Reason, Rules};
use tables::{position, registry};

fn game(fen: &str) -> Game {
    Game::new(position(fen), Rules::default())
}

const PLAYERS: [&str; 12] = [
    "random",
    "heuristic",
    "drawish",
    "perfect",
    "perfect:ties=first",
    "minimax:depth=2",
    "minimax:eval=ypma,depth=2,history=off",
    "mcts:simulations=30",
    "mcts:preset=best,simulations=10",
    "puct:simulations=20",
    "puct:preset=wojcik,simulations=20,leaves=4",
    "puct:c=1.5,simulations=20,history=off",
];

#[test]
fn every_player_plays_legal_games_to_the_end_on_every_board() {
    for board in Board::ALL {
        let registry = registry(&["KRK"], board);
        for (i, white) in PLAYERS.into_iter().enumerate() {
            let black = PLAYERS[(i + 2) % PLAYERS.len()];
            let contest = Match::new(
                registry.parse(white).unwrap(),
                registry.parse(black).unwrap(),
                Openings::random("KRK".parse().unwrap(), board),
                4,
            );
            let result = contest.run(Running::default()).unwrap();
            assert!(result.complete);
            for record in result.records {
                let game = record.game(contest.rules).expect("a legal game");
                assert_eq!(game.outcome(), Some(record.outcome()), "{white} – {black}");
            }
        }
    }
}

#[test]
fn searchers_play_full_chess() {
    let registry = registry(&[], Board::STANDARD);
    for spec in [
        "minimax:depth=2",
        "mcts:simulations=50",
        "mcts:preset=best,simulations=50",
        "mcts:leaf=informed,simulations=20,rollout=10,trees=2",
        "puct:simulations=50",
        "puct:preset=wojcik,simulations=50,reuse=on",
    ] {
        let mut player = registry.parse(spec).unwrap().player(1);
        let mut random = Random::new(2);
        let mut game = Game::new(Position::start(), Rules::default());
        while game.outcome().is_none() && game.plies() < 30 {
            let choice = player.choose(&game, &Limits::NONE).unwrap();
            game.play(choice.mv).expect("legal");
            if game.outcome().is_none() {
                let reply = random.choose(&game, &Limits::NONE).unwrap();
                game.play(reply.mv).expect("legal");
            }
        }
    }
}

#[test]
fn nobody_moves_when_the_game_is_over() {
    let registry = registry(&["KRK"], Board::STANDARD);
    let over = game("R6k/8/6K1/8/8/8/8/8 b");
    for spec in PLAYERS {
        let error = registry
            .parse(spec)
            .unwrap()
            .player(1)
            .choose(&over, &Limits::NONE);
        assert!(
            matches!(error, Err(PlayerError::NoMove { .. })),
            "{spec}: {error:?}"
        );
    }
}

#[test]
fn defenders_take_every_immediate_draw() {
    let registry = registry(&[], Board::STANDARD);
    for spec in [
        "heuristic",
        "drawish",
        "minimax:depth=1",
        "mcts:preset=best,simulations=20",
    ] {
        for (fen, drawing) in [
            ("8/8/8/8/8/2K5/8/kR6 b", "a1b1"), // is protected from a1: no other square either
            ("8/8/8/3k4/4R3/8/8/K7 b", "d5e4"),
        ] {
            let game = game(fen);
            let choice = registry
                .parse(spec)
                .unwrap()
                .player(7)
                .choose(&game, &Limits::NONE);
            assert_eq!(
                game.position().uci(choice.unwrap().mv),
                drawing,
                "{spec} {fen}"
            );
        }
    }
}

#[test]
fn the_heuristic_king_runs_to_the_centre() {
    let registry = registry(&[], Board::STANDARD);
    let game = game("k7/8/8/8/8/8/6K1/7R b");
    for seed in 0..20 {
        let mut player = registry.parse("heuristic").unwrap().player(seed);
        let choice = player.choose(&game, &Limits::NONE).unwrap();
        assert_eq!(game.position().uci(choice.mv), "a8b7");
    }
}

#[test]
fn the_heuristic_king_can_be_learned_by_heart() {
    let registry = registry(&[], Board::STANDARD);
    let game = game("8/8/8/3k4/8/8/6K1/7R b"); // three more squares are as central
    let moves = |spec: &str| -> HashSet<String> {
        let spec = registry.parse(spec).unwrap();
        let choose = |seed| spec.player(seed).choose(&game, &Limits::NONE).unwrap().mv;
        (0..40)
            .map(|seed| game.position().uci(choose(seed)))
            .collect()
    };
    assert_eq!(moves("heuristic").len(), 3);
    assert_eq!(
        moves("heuristic:ties=first"),
        HashSet::from(["d5d4".to_owned()])
    );
}

#[test]
fn unknown_names_and_keys_are_refused_with_what_there_is() {
    let registry = registry(&[], Board::STANDARD);
    for (spec, words) in [
        (
            "minmax",
            "known are random, heuristic, drawish, perfect, minimax, mcts, puct, uci",
        ),
        (
            "minimax:dept=3",
            "has no setting 'dept'; it has depth, eval",
        ),
        ("random:seed=1", "has no setting 'seed'; it has none"),
        ("minimax:depth", "'depth' is not key=value"),
        (
            "minimax:depth=0",
            "depth is '0', expected a number from 1 to 60",
        ),
        ("minimax:depth=x", "expected a number"),
        ("minimax:eval=stockfish", "expected one of mop-up, ypma"),
        ("minimax:eval=mop-up,beta1=3", "belong to eval=ypma"),
        ("minimax:depth=2,depth=3", "'depth' is set twice"),
        ("mcts:leaf=evaluation,trees=4", "trees is '4'"),
        ("puct:considered=0", "expected a number from 1 to 256"),
        ("puct:preset=wojcik,considered=8", "nothing with plain PUCT"),
        ("puct:scale=-1", "expected a number from 0 to 1000"),
        ("puct:c=1.25,scale=0.1", "nothing with plain PUCT"),
        ("puct:history=off,reuse=on", "a policy forgets"),
        ("puct:leaves=256", "expected a number from 1 to 255"),
        ("uci", "needs a program behind the colon"),
        ("uci:no-such-engine", "there is no program 'no-such-engine'"),
        (
            "uci:sh,optionThreads=1",
            "has no setting 'optionThreads'; it has nodes, movetime",
        ),
    ] {
        let error = registry.parse(spec).expect_err(spec);
        assert!(error.to_string().contains(words), "{spec}: {error}");
    }
}

#[test]
fn other_crates_can_register_players() {
    let mut registry = registry(&[], Board::STANDARD);
    registry.register(play::Kind {
        name: "run",
        summary: "a trained player",
        subject: Some(("a folder", "runs/krk")),
        keys: &[],
        prepare: Box::new(|settings| {
            let folder = settings.subject().unwrap_or_default();
            if folder == "runs/missing" {
                return Err(SpecError::Other {
                    player: "run".into(),
                    why: "no such folder".into(),
                });
            }
            Ok(play::Prepared::new(|seed| Box::new(Random::new(seed))))
        }),
    });
    assert_eq!(
        registry.parse("run:runs/krk").unwrap().text(),
        "run:runs/krk"
    );
    assert!(registry.parse("run:runs/missing").is_err());
    assert!(registry.parse("run").is_err());
}

#[test]
fn players_say_what_they_depend_on() {
    let registry = registry(&[], Board::STANDARD);
    for (spec, nature, symmetric) in [
        ("random", Nature::Chance, false),
        ("perfect", Nature::Chance, false),
        ("perfect:ties=first", Nature::Position, true),
        ("minimax", Nature::History, false),
        ("minimax:history=off", Nature::Position, true),
        ("minimax:history=off,ties=drawn", Nature::Chance, false),
        ("mcts", Nature::Chance, false),
        ("mcts:preset=best", Nature::History, false),
        ("puct", Nature::History, false),
        ("puct:noise=on", Nature::Chance, false),
        ("puct:preset=wojcik", Nature::Chance, false),
        ("puct:preset=wojcik,noise=off", Nature::History, false),
        ("puct:history=off", Nature::Position, true),
        ("puct:history=off,noise=on", Nature::Chance, false),
    ] {
        let player = registry.parse(spec).unwrap().player(1);
        assert_eq!(
            (player.nature(), player.is_symmetric()),
            (nature, symmetric),
            "{spec}"
        );
    }
}

#[test]
fn perfect_mates_the_heuristic_king_no_later_than_truth_says() {
    let registry = registry(&["KRK"], Board::STANDARD);
    let oracle = tables::oracle(&["KRK"], Board::STANDARD);
    let contest = Match::new(
        registry.parse("perfect").unwrap(),
        registry.parse("heuristic").unwrap(),
        Openings::random("KRK".parse().unwrap(), Board::STANDARD),
        200,
    );
    let result = contest
        .run(Running {
            oracle: Some(&*oracle),
            ..Running::default()
        })
        .unwrap();
    for record in result.records {
        assert_eq!(record.reason, Reason::Checkmate);
        assert!(record.winner_moves() <= record.optimal_moves());
    }
    let best = Match {
        second: registry.parse("perfect").unwrap(),
        ..contest
    };
    for record in best
        .run(Running {
            oracle: Some(&*oracle),
            ..Running::default()
        })
        .unwrap()
        .records
    {
        assert_eq!(
            record.winner_moves(),
            record.optimal_moves(),
            "{}",
            record.start
        );
    }
}

#[test]
fn a_symmetric_policy_plays_all_images_of_a_position_alike() {
    let registry = registry(&["KRK", "KBBK"], Board::STANDARD);
    for spec in ["minimax:depth=4,history=off", "perfect:ties=first"] {
        let mut player = registry.parse(spec).unwrap().player(1);
        for fen in [
            "8/8/8/3k4/8/8/1K6/R7 w",
            "8/8/8/3k4/8/8/8/K7 w",
            "8/8/2k5/8/8/5B2/4B3/3K4 w",
        ] {
            let Ok(start) = Position::from_fen(fen) else {
                continue;
            };
            if start.men_count() == 2 {
                continue;
            }
            let mut after = Vec::new();
            for &symmetry in start.symmetries() {
                let image = start.transformed(symmetry);
                let game = Game::new(image.clone(), Rules::none());
                let choice = player.choose(&game, &Limits::NONE).unwrap();
                after.push(image.after(choice.mv).canonical().0.fen());
            }
            after.sort();
            after.dedup();
            assert_eq!(after.len(), 1, "{spec} {fen}: {after:?}");
        }
    }
}

#[test]
fn engines_refuse_small_boards() {
    let mut engine = UciEngine::new("stockfish", Limits::NONE);
    let small = game("k4/5/1K3/5/4R w");
    let error = engine
        .choose(&small, &Limits::NONE)
        .expect_err("a small board");
    assert!(error.to_string().contains("8×8 only"), "{error}");
}

#[test]
fn a_registry_is_shared_by_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let registry: Registry = registry(&[], Board::STANDARD);
    shared(&registry);
    shared(&registry.parse("mcts").unwrap());
}
