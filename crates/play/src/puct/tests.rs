use rules::{Board, Outcome, RandomPositions};

use super::*;
use crate::{Chances, Evaluator, Leaf, Uniform, dice::derived_seed, tree::Tree as _};

/// Judges by lot, but the same position always the same way.
struct Lots(u64);

impl Lots {
    fn judge(&self, position: &Position, moves: usize) -> (Chances, Vec<f32>) {
        let key = crate::tree::ChessTree.key(position);
        let number =
            |index: u64| (derived_seed(key ^ self.0, index) >> 40) as f32 / (1 << 24) as f32;
        let mut priors: Vec<f32> = (0..moves as u64).map(|i| 0.05 + number(i + 9)).collect();
        let sum: f32 = priors.iter().sum();
        priors.iter_mut().for_each(|prior| *prior /= sum);
        let win = 0.8 * number(0);
        let draw = 0.2 * number(1);
        let loss = 1.0 - win - draw;
        (Chances { win, draw, loss }, priors)
    }
}

impl Evaluator for Lots {
    fn evaluate(
        &mut self,
        batch: &[Leaf<'_>],
        assessments: &mut Assessments,
    ) -> Result<(), EvaluatorError> {
        assessments.clear();
        for leaf in batch {
            let (chances, priors) = self.judge(leaf.moments[0].position, leaf.moves.len());
            assessments.push(chances, priors);
        }
        Ok(())
    }
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).expect(fen), Rules::default())
}

fn play(game: &mut Game, moves: &str) {
    for uci in moves.split_ascii_whitespace() {
        game.play(game.position().parse_uci(uci).expect(uci))
            .unwrap();
    }
}

fn run(tree: &mut Puct, evaluator: &mut dyn Evaluator, leaves: usize) -> Found {
    let mut scratch = Assessments::default();
    while !tree.is_finished() {
        search_together(&mut [&mut *tree], evaluator, leaves, &mut scratch).unwrap();
    }
    let pending = tree.arena.edges.iter().any(|edge| edge.pending > 0);
    assert!(!pending, "nothing waits");
    tree.found().expect("a move")
}

fn search(settings: PuctSettings, game: &Game, evaluator: &mut dyn Evaluator) -> Found {
    let mut tree = Puct::new(settings, 1);
    tree.begin(game);
    run(&mut tree, evaluator, 1)
}

fn visits(found: &Found) -> Vec<u32> {
    found.moves.iter().map(|m| m.visits).collect()
}

fn uci(game: &Game, m: Move) -> String {
    game.position().uci(m)
}

const PLAIN: Exploration = Exploration {
    init: 1.25,
    base: Some(200.0),
    first_play: FirstPlay::Reduced(0.3),
    noise: None,
};
const SMALL_GUMBEL: Gumbel = Gumbel {
    considered: 8,
    visit: 20.0,
    scale: 0.5,
    noise: false,
};

/// Positions of endgames on small boards and large, and of the whole game.
fn positions() -> Vec<Game> {
    let endgame = |name: &str, board, seed| {
        RandomPositions::new(name.parse().unwrap(), board, None, seed)
            .filter(|position| !position.legal_moves().is_empty())
            .take(4)
    };
    let small = Board::new(5).unwrap();
    let endgames = endgame("KRK", small, 1)
        .chain(endgame("KQK", Board::STANDARD, 2))
        .chain(endgame("KBNK", Board::STANDARD, 3))
        .chain([Position::start()]);
    let mut games: Vec<Game> = endgames
        .map(|position| Game::new(position, Rules::default()))
        .collect();
    // Twice the same position before the root.
    let mut shuffled = game("4k3/8/8/8/8/8/8/R3K3 w");
    play(&mut shuffled, "a1a2 e8e7 a2a1 e7e8");
    games.push(shuffled);
    games.push(game("8/8/8/8/8/2k5/8/1R1K4 w - - 96 80"));
    games
}

/// The same search, written down plainly: lists of results, recursion, double precision.
struct Reference<'a> {
    lots: &'a Lots,
    selection: Selection,
    root_ply: usize,
}

struct PlainNode {
    value: f64,
    edges: Vec<PlainEdge>,
}

struct PlainEdge {
    mv: Move,
    prior: f64,
    results: Vec<f64>,
    child: Option<PlainNode>,
}

impl PlainEdge {
    fn mean(&self) -> Option<f64> {
        let count = self.results.len() as f64;
        (count > 0.0).then(|| self.results.iter().sum::<f64>() / count)
    }
}

impl Reference<'_> {
    fn node(&self, game: &Game) -> PlainNode {
        let moves = game.standing().moves;
        let (chances, priors) = self.lots.judge(game.position(), moves.len());
        let edges = moves.iter().zip(priors).map(|(&mv, prior)| PlainEdge {
            mv,
            prior: prior.into(),
            results: Vec::new(),
            child: None,
        });
        PlainNode {
            value: chances.value().into(),
            edges: edges.collect(),
        }
    }

    /// The value of one more simulation, for the side to move.
    fn simulate(&self, node: &mut PlainNode, game: &mut Game, first: Option<usize>) -> f64 {
        let index = first.unwrap_or_else(|| self.select(node));
        let edge = &mut node.edges[index];
        game.play(edge.mv).unwrap();
        let now = game.position();
        let alike = |p: &&Position| (p.men(), p.turn()) == (now.men(), now.turn());
        let occurred = game.positions().skip(self.root_ply).filter(alike).count();
        let value = if let Some(outcome) = game.outcome() {
            -f64::from(u8::from(outcome.winner.is_some()))
        } else if occurred > 1 {
            0.0
        } else if let Some(child) = &mut edge.child {
            self.simulate(child, game, None)
        } else {
            edge.child.insert(self.node(game)).value
        };
        game.undo();
        edge.results.push(-value);
        -value
    }

    fn select(&self, node: &PlainNode) -> usize {
        let n = |edge: &PlainEdge| edge.results.len() as f64;
        let sum: f64 = node.edges.iter().map(n).sum();
        let scores: Vec<f64> = match self.selection {
            Selection::Puct(exploration) => {
                let c = f64::from(exploration.init)
                    + exploration.base.map_or(0.0, |base| {
                        ((1.0 + sum + f64::from(base)) / f64::from(base)).ln()
                    });
                let first = match exploration.first_play {
                    FirstPlay::Value(value) => value.into(),
                    FirstPlay::Reduced(by) => {
                        let all = node.edges.iter().flat_map(|edge| &edge.results);
                        let mean = (node.value + all.sum::<f64>()) / (1.0 + sum);
                        let tried = node.edges.iter().filter(|edge| n(edge) > 0.0);
                        mean - f64::from(by) * tried.map(|edge| edge.prior).sum::<f64>().sqrt()
                    }
                };
                let u = |edge: &PlainEdge| c * edge.prior * sum.max(1.0).sqrt() / (1.0 + n(edge));
                let edges = node.edges.iter();
                edges.map(|e| e.mean().unwrap_or(first) + u(e)).collect()
            }
            Selection::Gumbel(gumbel) => {
                let policy = self.improved(node, &gumbel);
                let edges = node.edges.iter().zip(policy);
                edges.map(|(e, p)| p - n(e) / (1.0 + sum)).collect()
            }
        };
        argmax(&scores)
    }

    fn transformed(&self, node: &PlainNode, gumbel: &Gumbel) -> Vec<f64> {
        let tried: Vec<&PlainEdge> = node
            .edges
            .iter()
            .filter(|e| !e.results.is_empty())
            .collect();
        let sum: f64 = tried.iter().map(|e| e.results.len() as f64).sum();
        let priors: f64 = tried.iter().map(|e| e.prior).sum();
        let weighted: f64 = tried.iter().map(|e| e.prior * e.mean().unwrap()).sum();
        let mixed = match tried.is_empty() {
            true => node.value,
            false => (node.value + sum * weighted / priors) / (1.0 + sum),
        };
        let most = tried.iter().map(|e| e.results.len()).max().unwrap_or(0) as f64;
        let scale = (f64::from(gumbel.visit) + most) * f64::from(gumbel.scale);
        let edges = node.edges.iter();
        edges.map(|e| scale * e.mean().unwrap_or(mixed)).collect()
    }

    fn improved(&self, node: &PlainNode, gumbel: &Gumbel) -> Vec<f64> {
        let values = self.transformed(node, gumbel);
        let logits = node.edges.iter().zip(values).map(|(e, v)| e.prior.ln() + v);
        let logits: Vec<f64> = logits.collect();
        let most = logits.iter().copied().fold(f64::MIN, f64::max);
        let powers: Vec<f64> = logits.iter().map(|l| (l - most).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.iter().map(|p| p / sum).collect()
    }

    fn search(&self, game: &Game, simulations: u32) -> PlainNode {
        let mut game = game.clone();
        let mut root = self.node(&game);
        let Selection::Gumbel(gumbel) = self.selection else {
            for _ in 0..simulations {
                self.simulate(&mut root, &mut game, None);
            }
            return root;
        };
        let mut left: Vec<usize> = (0..root.edges.len()).collect();
        left.sort_by(|&a, &b| root.edges[b].prior.total_cmp(&root.edges[a].prior));
        left.truncate(gumbel.considered as usize);
        let halvings = (left.len() as f64).log2().ceil().max(1.0) as u32;
        let mut spent = 0;
        while spent < simulations {
            for _ in 0..(simulations / (halvings * left.len() as u32)).max(1) {
                for &index in &left {
                    if spent < simulations {
                        self.simulate(&mut root, &mut game, Some(index));
                        spent += 1;
                    }
                }
            }
            let values = self.transformed(&root, &gumbel);
            let score = |index: usize| root.edges[index].prior.ln() + values[index];
            left.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
            left.truncate((left.len() / 2).max(2));
        }
        root
    }
}

fn argmax(scores: &[f64]) -> usize {
    (1..scores.len()).fold(0, |best, i| if scores[i] > scores[best] { i } else { best })
}

#[test]
fn visits_and_values_are_those_of_the_formulas() {
    let selections = [
        PuctSettings::WOJCIK.without_noise().selection,
        Selection::Puct(PLAIN),
        Selection::Gumbel(SMALL_GUMBEL),
    ];
    for (number, game) in positions().into_iter().enumerate() {
        for selection in selections {
            let mut lots = Lots(number as u64);
            let settings = PuctSettings {
                simulations: 150,
                selection,
                solver: false,
                history: true,
                reuse: false,
            };
            let found = search(settings, &game, &mut lots);
            let reference = Reference {
                lots: &lots,
                selection,
                root_ply: game.plies(),
            };
            let plain = reference.search(&game, 150);
            let expected: Vec<u32> = plain.edges.iter().map(|e| e.results.len() as u32).collect();
            let fen = game.position().fen();
            assert_eq!(visits(&found), expected, "{fen} {selection:?}");
            for (found, plain) in found.moves.iter().zip(&plain.edges) {
                if let Some(mean) = plain.mean() {
                    assert!(
                        (f64::from(found.chances.value()) - mean).abs() < 1e-4,
                        "{fen}"
                    );
                }
            }
            if let Selection::Gumbel(gumbel) = selection {
                let policy = reference.improved(&plain, &gumbel);
                for (found, share) in found.moves.iter().zip(policy) {
                    assert!((f64::from(found.share) - share).abs() < 1e-3, "{fen}");
                }
            }
            let shares: f32 = found.moves.iter().map(|m| m.share).sum();
            assert!((shares - 1.0).abs() < 1e-4);
        }
    }
}

#[test]
fn mates_are_found_proven_and_the_shortest_is_played() {
    for (fen, moves) in [
        ("k7/8/1K6/8/8/8/8/7R w", 1),
        ("7k/8/5KQ1/8/8/8/8/8 w", 1),
        ("k7/8/2K5/8/8/8/8/7R w", 2),
        ("7k/8/8/5K2/8/8/8/6Q1 w", 2),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w", 2),
        ("5rk1/5Npp/8/3Q4/8/8/8/7K w", 3),
    ] {
        let game = game(fen);
        for (name, preset) in PuctSettings::PRESETS {
            let settings = PuctSettings {
                simulations: 60_000,
                solver: true,
                ..preset.without_noise()
            };
            let found = search(settings, &game, &mut Uniform);
            let mate = found.mate.unwrap_or_else(|| panic!("{fen} {name}"));
            // The first mate that is found may not be the shortest there is, but it is a mate.
            assert!((moves..=moves + 2).contains(&mate), "{fen} {name}: {mate}");
            assert_eq!(found.chances.value(), 1.0);
            let line = &found.line;
            assert_eq!(line.len() as i32, 2 * mate - 1, "{fen} {name}");
            let mut end = game.clone();
            line.iter().for_each(|&m| end.play(m).unwrap());
            assert!(end.position().is_checkmate());
        }
    }
}

#[test]
fn a_lost_position_resists_as_long_as_it_can() {
    // a6 is mate at once, a8 a move later.
    let game = game("8/k7/2K5/8/8/8/8/1R6 b");
    let settings = PuctSettings {
        simulations: 20_000,
        ..PuctSettings::BEST
    };
    let found = search(settings, &game, &mut Uniform);
    assert_eq!(
        (uci(&game, found.best).as_str(), found.mate),
        ("a7a8", Some(-2))
    );
    assert_eq!(found.chances.loss, 1.0);
}

/// Looks at every line of a tree: is it drawn where it must be, and nowhere else?
fn check_draws(tree: &Puct, node: u32, game: &mut Game, seen: &mut [u32; 2]) {
    for edge in tree.arena.edges_of(node) {
        if edge.child == ROOT {
            continue;
        }
        game.play(edge.mv).unwrap();
        let child = tree.arena.node(edge.child);
        let now = game.position();
        let alike = |p: &&Position| (p.men(), p.turn()) == (now.men(), now.turn());
        let occurred = game.positions().skip(tree.root_ply).filter(alike).count();
        let expected = match game.outcome() {
            Some(_) => State::Over,
            None if occurred > 1 => State::Repeated,
            None => State::Open,
        };
        assert_eq!(child.state, expected, "{now} {:?}", game.outcome());
        seen[0] += u32::from(expected == State::Repeated);
        seen[1] += u32::from(game.outcome().is_some_and(Outcome::is_draw));
        check_draws(tree, edge.child, game, seen);
        game.undo();
    }
}

#[test]
fn every_line_is_drawn_where_it_must_be() {
    let mut seen = [0; 2];
    for game in positions() {
        for settings in [PuctSettings::WOJCIK.without_noise(), PuctSettings::BEST] {
            let mut tree = Puct::new(
                PuctSettings {
                    simulations: 1500,
                    ..settings
                },
                1,
            );
            tree.begin(&game);
            let found = run(&mut tree, &mut Lots(2), 1);
            check_draws(&tree, ROOT, &mut game.clone(), &mut seen);
            // Kept subtrees begin later: what came back from before is no repetition any more.
            if tree.follow(found.best) {
                tree.set_simulations(2 * tree.inherited + 500);
                let mut game = game.clone();
                game.play(found.best).unwrap();
                run(&mut tree, &mut Lots(2), 1);
                check_draws(&tree, ROOT, &mut game, &mut seen);
            }
        }
    }
    assert!(seen.iter().all(|&times| times > 100), "{seen:?}");
}

#[test]
fn what_happened_before_the_root_counts_where_it_is_known() {
    // A position that has been on the board twice is drawn when it comes back, with the game known.
    let mut twice = game("4k3/8/8/8/8/8/8/R3K3 w");
    play(&mut twice, "a1a2 e8e7 a2a1 e7e8 a1a2 e8e7 a2a1");
    let back = twice.position().parse_uci("e7e8").unwrap();
    for history in [true, false] {
        let settings = PuctSettings {
            history,
            simulations: 600,
            ..PuctSettings::BEST
        };
        let found = search(settings, &twice, &mut Lots(1));
        let back = found.moves.iter().find(|m| m.mv == back).unwrap();
        assert_eq!(back.chances == Chances::DRAW, history, "{back:?}");
    }

    // One ply before the fifty-move rule nothing but a capture or mate avoids the draw.
    let late = game("4k3/8/8/8/8/8/8/R3K3 w - - 99 90");
    let found = search(PuctSettings::BEST, &late, &mut Lots(1));
    assert_eq!((found.chances, found.mate), (Chances::DRAW, None));
    let policy = PuctSettings::BEST.as_policy();
    assert_ne!(search(policy, &late, &mut Lots(1)).chances, Chances::DRAW);
}

#[test]
fn a_policy_sees_the_position_alone() {
    let mut played = game("4k3/8/8/8/8/8/8/R3K3 w - - 7 30");
    play(&mut played, "a1a2 e8e7 a2a1 e7e8");
    let fresh = game("4k3/8/8/8/8/8/8/R3K3 w");
    for preset in [PuctSettings::WOJCIK, PuctSettings::BEST] {
        let policy = preset.as_policy();
        assert!(policy.is_deterministic());
        let of = |game: &Game, seed| {
            let mut tree = Puct::new(policy, seed);
            tree.begin(game);
            run(&mut tree, &mut Lots(3), 1)
        };
        assert_eq!(of(&played, 1), of(&fresh, 2));
    }
}

#[test]
fn trees_do_not_learn_of_each_other_and_gumbel_not_of_its_batches() {
    for preset in [PuctSettings::WOJCIK, PuctSettings::BEST] {
        let mut preset = preset;
        if let Selection::Gumbel(gumbel) = &mut preset.selection {
            gumbel.noise = true;
        }
        let alone: Vec<Found> = positions()
            .iter()
            .map(|game| search(preset, game, &mut Lots(5)))
            .collect();
        let mut trees: Vec<Puct> = positions()
            .iter()
            .map(|game| {
                let mut tree = Puct::new(preset, 1);
                tree.begin(game);
                tree
            })
            .collect();
        let widest = match preset.selection {
            Selection::Puct(_) => 1,
            Selection::Gumbel(_) => 13,
        };
        let mut scratch = Assessments::default();
        let mut largest = 0;
        while trees.iter().any(|tree| !tree.is_finished()) {
            let judged = search_together(&mut trees, &mut Lots(5), widest, &mut scratch).unwrap();
            largest = largest.max(judged);
        }
        for (tree, alone) in trees.iter().zip(&alone) {
            let together = tree.found().unwrap();
            assert_eq!((together.best, together.mate), (alone.best, alone.mate));
            // A proof ends the search, but not the simulations that wait for a judgement then.
            if alone.mate.is_none() {
                assert_eq!(together.moves, alone.moves);
            }
        }
        assert!(largest > 3 * widest, "{largest}");
    }
}

#[test]
fn simulations_that_wait_spread_and_all_are_counted() {
    let settings = PuctSettings {
        simulations: 400,
        selection: Selection::Puct(PLAIN),
        ..PuctSettings::BEST
    };
    let game = Game::new(Position::start(), Rules::default());
    let mut tree = Puct::new(settings, 1);
    tree.begin(&game);
    assert_eq!(tree.leaves(32, 1), Ok(1), "the root comes first");
    let mut lots = Lots(1);
    let found = run(&mut tree, &mut lots, 32);
    assert_eq!(visits(&found).iter().sum::<u32>(), 400);
    assert_eq!((found.simulations, tree.simulations()), (400, 400));
    // Leaves that nobody judges are given up as if they had not been asked about.
    tree.begin(&game);
    let mut scratch = Assessments::default();
    let mut round = 0;
    while !tree.is_finished() {
        if round % 3 == 1 {
            assert!(tree.leaves(32, 1).unwrap() > 0);
            let failed = tree.apply(&Assessments::default(), 0);
            assert_eq!(failed, Err(PuctError::Answers));
        }
        search_together(&mut [&mut tree], &mut lots, 32, &mut scratch).unwrap();
        round += 1;
    }
    assert_eq!(tree.found().unwrap(), found);
}

#[test]
fn noise_is_mixed_into_the_roots_priors_only() {
    let game = Game::new(Position::start(), Rules::default());
    let prior = |found: &Found| -> Vec<f32> { found.moves.iter().map(|m| m.prior).collect() };
    let mut plain = PuctSettings {
        simulations: 50,
        ..PuctSettings::WOJCIK
    };
    let quiet = prior(&search(plain.without_noise(), &game, &mut Lots(1)));
    let of_seed = |settings, seed| {
        let mut tree = Puct::new(settings, seed);
        tree.begin(&game);
        let found = run(&mut tree, &mut Lots(1), 1);
        let below = tree
            .arena
            .edges_of(tree.arena.edges_of(ROOT)[0].child)
            .to_vec();
        (
            prior(&found),
            below.iter().map(|e| e.prior).collect::<Vec<f32>>(),
        )
    };
    let (loud, below) = of_seed(plain, 1);
    assert_eq!(of_seed(plain, 1).0, loud);
    let (other, other_below) = of_seed(plain, 2);
    assert_ne!(other, loud);
    assert_eq!(other_below, below);
    assert!((loud.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    // A quarter of every prior is noise.
    assert!(
        loud.iter()
            .zip(&quiet)
            .all(|(loud, quiet)| *loud >= 0.75 * quiet - 1e-6)
    );
    if let Selection::Puct(exploration) = &mut plain.selection {
        exploration.noise = Some(Noise {
            alpha: 0.3,
            weight: 1.0,
        });
    }
    let (all, _) = of_seed(plain, 1);
    assert!(
        all.iter()
            .zip(&quiet)
            .any(|(all, quiet)| *all < 0.5 * quiet)
    );
    // Gumbel's lots decide what is tried, and leave the priors alone.
    let mut gumbel = PuctSettings {
        simulations: 8,
        ..PuctSettings::BEST
    };
    gumbel.selection = Selection::Gumbel(Gumbel {
        noise: true,
        considered: 4,
        ..SMALL_GUMBEL
    });
    let tried = |seed| {
        let mut tree = Puct::new(gumbel, seed);
        tree.begin(&game);
        let found = run(&mut tree, &mut Lots(1), 8);
        assert_eq!(prior(&found), quiet);
        visits(&found)
    };
    assert!((0..20).any(|seed| tried(seed) != tried(99)));
    assert_eq!(tried(1).iter().filter(|&&n| n > 0).count(), 4);
}

#[test]
fn a_subtree_is_kept_and_everything_else_thrown_away() {
    for preset in [PuctSettings::WOJCIK.without_noise(), PuctSettings::BEST] {
        let mut game = Game::new(Position::start(), Rules::default());
        let mut tree = Puct::new(
            PuctSettings {
                simulations: 300,
                ..preset
            },
            1,
        );
        tree.begin(&game);
        let mut lots = Lots(4);
        for _ in 0..6 {
            let found = run(&mut tree, &mut lots, 1);
            let before = tree.arena.nodes.len();
            let visited = found
                .moves
                .iter()
                .find(|m| m.mv == found.best)
                .unwrap()
                .visits;
            let second = found.line[1];
            let behind = {
                let child = tree
                    .arena
                    .edges_of(ROOT)
                    .iter()
                    .find(|e| e.mv == found.best);
                let edges = tree.arena.edges_of(child.unwrap().child);
                edges
                    .iter()
                    .find(|e| e.mv == second)
                    .map(|e| (e.visits, e.value))
            };
            assert!(tree.follow(found.best));
            game.play(found.best).unwrap();
            assert_eq!(tree.inherited + 1, visited);
            assert!(tree.arena.nodes.len() < before);
            assert_eq!(tree.arena.node(ROOT).visits, visited);
            let kept = tree.arena.edges_of(ROOT).iter().find(|e| e.mv == second);
            assert_eq!(kept.map(|e| (e.visits, e.value)), behind);
            let legal = game.position().legal_moves();
            assert!(tree.arena.edges_of(ROOT).iter().map(|e| &e.mv).eq(&legal));
            // Every child stands behind its parent, once.
            let mut reached = vec![0; tree.arena.nodes.len()];
            for edge in tree.arena.edges.iter().filter(|edge| edge.child != ROOT) {
                reached[edge.child as usize] += 1;
            }
            assert!(reached[1..].iter().all(|&times| times == 1));
        }
        // A move that nobody looked at, and settings that keep nothing.
        let mut tree = Puct::new(
            PuctSettings {
                reuse: false,
                ..preset
            },
            1,
        );
        tree.begin(&game);
        let found = run(&mut tree, &mut lots, 1);
        assert!(!tree.follow(found.best));
        assert_eq!((tree.inherited, tree.arena.nodes.len()), (0, 0));
    }
}

#[test]
fn some_moves_only_and_no_moves_at_all() {
    let start = Game::new(Position::start(), Rules::default());
    let only: Vec<Move> = ["a2a3", "h2h4"]
        .map(|uci| start.position().parse_uci(uci).unwrap())
        .into();
    for (_, preset) in PuctSettings::PRESETS {
        let mut tree = Puct::new(preset, 1);
        tree.begin_among(&start, &only);
        let found = run(&mut tree, &mut Lots(1), 4);
        let moves: Vec<Move> = found.moves.iter().map(|m| m.mv).collect();
        assert!(moves.len() == 2 && moves.iter().all(|m| only.contains(m)));
        assert!((found.moves.iter().map(|m| m.prior).sum::<f32>() - 1.0).abs() < 1e-5);
        let mated = game("R5k1/5ppp/8/8/8/8/8/6K1 b");
        tree.begin(&mated);
        assert_eq!(tree.leaves(4, 1), Ok(0));
        assert!(tree.is_finished() && tree.found().is_none());
    }
}

#[test]
fn memory_grows_with_the_simulations_alone() {
    let game = Game::new(Position::start(), Rules::default());
    let mut tree = Puct::new(
        PuctSettings {
            simulations: 500,
            ..PuctSettings::BEST
        },
        1,
    );
    tree.begin(&game);
    run(&mut tree, &mut Lots(1), 8);
    // A node for each simulation and the root, and for each of them some twenty to forty moves.
    assert_eq!(tree.arena.nodes.len(), 501);
    assert_eq!(tree.bytes(), 501 * 20 + tree.arena.edges.len() * 24);
    assert!((501 * 18..501 * 45).contains(&tree.arena.edges.len()));
    let room = (tree.arena.nodes.capacity(), tree.arena.edges.capacity());
    for _ in 0..3 {
        tree.begin(&game);
        run(&mut tree, &mut Lots(1), 8);
        assert_eq!(
            (tree.arena.nodes.capacity(), tree.arena.edges.capacity()),
            room
        );
    }
}

#[test]
fn answers_that_make_no_sense_are_refused() {
    struct Nonsense(f32, usize);
    impl Evaluator for Nonsense {
        fn evaluate(
            &mut self,
            batch: &[Leaf<'_>],
            assessments: &mut Assessments,
        ) -> Result<(), EvaluatorError> {
            assessments.clear();
            for leaf in batch {
                let count = leaf.moves.len() - self.1;
                assessments.push(Chances::from_value(0.0), vec![self.0; count]);
            }
            Ok(())
        }
    }
    let game = Game::new(Position::start(), Rules::default());
    for mut evaluator in [Nonsense(f32::NAN, 0), Nonsense(0.05, 1)] {
        let mut tree = Puct::new(PuctSettings::BEST, 1);
        tree.begin(&game);
        let mut scratch = Assessments::default();
        let error = search_together(&mut [&mut tree], &mut evaluator, 1, &mut scratch);
        assert_eq!(error, Err(PuctError::Answers));
        run(&mut tree, &mut Uniform, 1);
    }
}
