use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use rules::{Game, Move, Position};

use crate::{
    Choice, Dice, Info, Key, Kind, LeafValue, Limits, Nature, Player, PlayerError, Prepared, Score,
    Settings, SpecError, Wish, derived_seed,
    memory::OutOfMemory,
    player::analyse_unless,
    rollout::Rollout,
    search::{GRAIN, MATE, MATE_BOUND},
    tree::{ChessTree, FewMenTree, Tree, past_keys},
    uct::{Leaf, Method, Node, Uct},
};

/// Monte Carlo tree search.
///
/// As the thesis has it by default: UCT (formula 3.1), random rollouts up to a depth, and the most
/// visited move is played. Every improvement is a switch; `preset=best` turns on those that make it
/// strongest.
pub struct Mcts {
    settings: Settled,
    seed: u64,
    /// Choices made so far: each gets numbers of its own.
    choices: u64,
    kept: Option<Kept>,
}

/// The settings of the search.
#[derive(Clone, Copy, Debug)]
struct Settled {
    simulations: u64,
    method: Method,
    reuse: bool,
    /// Independent trees whose visits are added up.
    trees: u64,
    /// Is the move of best value played, rather than the most visited?
    by_value: bool,
}

/// A tree that the next choice may go on with.
enum Kept {
    FewMen(FewMenTree, Vec<Node<FewMenTree>>),
    Chess(Vec<Node<ChessTree>>),
}

/// What one tree says about a move of the root.
struct Candidate<M> {
    mv: M,
    visits: u64,
    /// For the side that makes the move.
    value: i32,
    proven: bool,
}

impl Mcts {
    /// The search of the thesis: UCT with this many simulations a move.
    pub fn new(simulations: u64, seed: u64) -> Mcts {
        Mcts::with(
            Settled {
                simulations,
                ..Settled::THESIS
            },
            seed,
        )
    }

    /// The strongest settings, with this many simulations a move.
    pub fn best(simulations: u64, seed: u64) -> Mcts {
        Mcts::with(
            Settled {
                simulations,
                ..Settled::BEST
            },
            seed,
        )
    }

    fn with(settings: Settled, seed: u64) -> Mcts {
        Mcts {
            settings,
            seed,
            choices: 0,
            kept: None,
        }
    }

    /// How the registry knows it.
    pub fn kind() -> Kind {
        Kind {
            name: "mcts",
            summary: "Monte Carlo tree search: UCT with rollouts, or led by an evaluation",
            subject: None,
            keys: &[
                Key {
                    name: "preset",
                    meaning: "thesis (default) or best: what the other settings are unless set",
                },
                Key {
                    name: "simulations",
                    meaning: "per move (default 1000)",
                },
                Key {
                    name: "c",
                    meaning: "weight of exploration in formula 3.1 (thesis √2, best 0.4)",
                },
                Key {
                    name: "leaf",
                    meaning: "how a leaf is valued: random or informed rollouts, or evaluation (thesis random, best evaluation)",
                },
                Key {
                    name: "rollout",
                    meaning: "plies of a rollout (default 40)",
                },
                Key {
                    name: "solver",
                    meaning: "on or off: keep proven wins, draws and losses (thesis off, best on)",
                },
                Key {
                    name: "reuse",
                    meaning: "on or off: go on with the tree of the last move (thesis off, best on)",
                },
                Key {
                    name: "trees",
                    meaning: "independent trees that share the simulations, grown in parallel (default 1); the result does not depend on the number of threads",
                },
                Key {
                    name: "play",
                    meaning: "visits or value: which move is played (thesis visits, best value)",
                },
            ],
            prepare: Box::new(|settings| {
                let read = Settled::read(settings)?;
                Ok(Prepared::new(move |seed| Box::new(Mcts::with(read, seed))))
            }),
        }
    }

    /// Grows the trees and returns what they say about each move, and the first of them.
    #[allow(clippy::type_complexity)] // the candidates, and a tree
    fn grow<T>(
        &mut self,
        tree: &T,
        root: &T::Node,
        past: &[u64],
        old: Option<(&[Node<T>], usize)>,
        wish: &Wish<'_>,
    ) -> Result<(Vec<Candidate<T::Move>>, Vec<Node<T>>), OutOfMemory>
    where
        T: Tree + Sync,
        T::Node: Send + Sync,
        T::Move: Send + Sync,
    {
        let settings = self.settings;
        let limits = &wish.limits;
        let simulations = limits.nodes.map_or(settings.simulations, |nodes| {
            nodes.min(settings.simulations)
        });
        let seed = derived_seed(self.seed, self.choices);
        self.choices += 1;
        let deadline = limits.time.map(|time| std::time::Instant::now() + time);
        let share = simulations.div_ceil(settings.trees);
        let one = |i: u64| {
            let dice = Dice::new(derived_seed(seed, i));
            let mut uct = Uct::new(tree, root.clone(), settings.method, past, dice);
            if let Some((nodes, index)) = old
                && i == 0
            {
                uct.adopt(nodes, index)?;
            }
            for n in 0..share {
                uct.simulate()?;
                let stopped = wish.stop.load(Ordering::Relaxed);
                let late = || deadline.is_some_and(|d| std::time::Instant::now() >= d);
                if uct.is_settled() || stopped || (n % 16 == 15 && late()) {
                    break;
                }
            }
            let candidates: Vec<Candidate<T::Move>> = uct
                .candidates()
                .iter()
                .filter_map(|child| {
                    Some(Candidate {
                        mv: child.mv?,
                        visits: child.visits.into(),
                        value: -child.value,
                        proven: child.proven,
                    })
                })
                .collect();
            Ok((candidates, uct.nodes))
        };
        if settings.trees == 1 {
            return one(0);
        }
        let grown: Result<Vec<_>, _> = (0..settings.trees).into_par_iter().map(one).collect();
        let mut grown = grown?;
        let (mut sum, nodes) = grown.swap_remove(0);
        for (candidates, _) in grown {
            for other in candidates {
                if let Some(mine) = sum.iter_mut().find(|c| c.mv == other.mv) {
                    mine.visits += other.visits;
                    // What one tree has proven holds for all.
                    if other.proven && !mine.proven {
                        (mine.value, mine.proven) = (other.value, true);
                    }
                }
            }
        }
        Ok((sum, nodes))
    }

    /// The move to play.
    fn pick<M: Copy>(&self, candidates: &[Candidate<M>]) -> Option<(M, i32, u64)> {
        let by_value = self.settings.by_value;
        let rank = |c: &Candidate<M>| {
            if by_value || c.proven && c.value.abs() > MATE_BOUND {
                (c.value, c.visits) // of mates the shortest, or the longest resistance
            } else if c.proven && self.settings.method.solver {
                (-1, c.visits) // a proven draw is played when all else loses
            } else {
                (0, c.visits)
            }
        };
        let mut best: Option<&Candidate<M>> = None;
        for candidate in candidates {
            if best.is_none_or(|best| rank(candidate) > rank(best)) {
                best = Some(candidate);
            }
        }
        let visits = candidates.iter().map(|c| c.visits).sum();
        best.map(|best| (best.mv, best.value, visits))
    }

    fn info(&self, value: i32, nodes: u64, mv: Move) -> Info {
        let score = if value.abs() > MATE_BOUND {
            // The move itself is not counted in the value of the position behind it.
            let moves = (MATE - value.abs() + 2) / 2;
            Some(Score::Mate(moves * value.signum()))
        } else if self.settings.method.leaf == Leaf::Evaluated {
            Some(Score::Centipawns(value / GRAIN))
        } else {
            None
        };
        Info {
            score,
            nodes: Some(nodes),
            pv: vec![mv],
            ..Info::default()
        }
    }

    fn choose_few_men(
        &mut self,
        tree: FewMenTree,
        game: &Game,
        wish: &Wish<'_>,
    ) -> Result<Option<Choice>, OutOfMemory> {
        let position = game.position();
        let Some(root) = tree.rules.compact(position) else {
            return Ok(None);
        };
        let past = past_keys(&tree, game, |past| tree.rules.compact(past));
        let kept = self.kept.take();
        let old = match &kept {
            Some(Kept::FewMen(old_tree, nodes))
                if old_tree.rules.material() == tree.rules.material()
                    && old_tree.rules.board() == tree.rules.board() =>
            {
                find(nodes, |node| *node == root).map(|index| (&nodes[..], index))
            }
            _ => None,
        };
        let (candidates, nodes) = self.grow(&tree, &root, &past, old, wish)?;
        let to_move = |m| tree.rules.to_move(root, m, position);
        let picked = self
            .pick(&candidates)
            .and_then(|(m, value, visits)| Some((to_move(m)?, value, visits)));
        let tried = candidates.iter();
        let tried = tried.filter_map(|c| Some((to_move(c.mv)?, c.visits)));
        let tried: Vec<(Move, u64)> = tried.collect();
        if self.settings.reuse {
            self.kept = Some(Kept::FewMen(tree, nodes));
        }
        Ok(picked.map(|(mv, value, visits)| Choice {
            mv,
            info: Info {
                visits: tried,
                ..self.info(value, visits, mv)
            },
        }))
    }

    fn choose_chess(
        &mut self,
        game: &Game,
        wish: &Wish<'_>,
    ) -> Result<Option<Choice>, OutOfMemory> {
        let root = game.position();
        let past = past_keys(&ChessTree, game, |past| Some(past.clone()));
        let kept = self.kept.take();
        let same = |node: &Position| node.men() == root.men() && node.turn() == root.turn();
        let old = match &kept {
            Some(Kept::Chess(nodes)) => find(nodes, same).map(|index| (&nodes[..], index)),
            _ => None,
        };
        let (candidates, nodes) = self.grow(&ChessTree, root, &past, old, wish)?;
        if self.settings.reuse {
            self.kept = Some(Kept::Chess(nodes));
        }
        let picked = self.pick(&candidates);
        let tried = candidates.iter().map(|c| (c.mv, c.visits)).collect();
        Ok(picked.map(|(mv, value, visits)| Choice {
            mv,
            info: Info {
                visits: tried,
                ..self.info(value, visits, mv)
            },
        }))
    }
}

/// The node two plies below the root that holds the position.
fn find<T: Tree>(nodes: &[Node<T>], is_it: impl Fn(&T::Node) -> bool) -> Option<usize> {
    let root = nodes.first()?;
    root.children()
        .flat_map(|child| nodes[child].children())
        .find(|&index| is_it(&nodes[index].position))
}

impl Player for Mcts {
    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError> {
        self.analyse(game, &Wish::choice(limits), &mut |_, _| ())
    }

    fn choose_unless(
        &mut self,
        stop: &AtomicBool,
        game: &Game,
        limits: &Limits,
    ) -> Result<Choice, PlayerError> {
        analyse_unless(self, stop, game, limits)
    }

    fn analyse(
        &mut self,
        game: &Game,
        wish: &Wish<'_>,
        report: &mut dyn FnMut(usize, &Info),
    ) -> Result<Choice, PlayerError> {
        let choice = match FewMenTree::of(game.position()) {
            Some(tree) => self.choose_few_men(tree, game, wish),
            None => self.choose_chess(game, wish),
        };
        let choice = choice
            .map_err(|source| PlayerError::out_of_memory("mcts", source))?
            .ok_or_else(|| PlayerError::no_move(game))?;
        wish.check(game, choice.mv)?;
        report(1, &choice.info);
        Ok(choice)
    }

    fn new_game(&mut self) {
        self.kept = None;
    }

    fn nature(&self) -> Nature {
        match self.settings.method.leaf {
            Leaf::Evaluated => Nature::History,
            Leaf::Sampled { .. } => Nature::Chance,
        }
    }
}

impl Settled {
    const THESIS: Settled = Settled {
        simulations: 1000,
        method: Method {
            c: std::f64::consts::SQRT_2,
            leaf: Leaf::Sampled {
                rollout: Rollout::Random,
                plies: 40,
            },
            solver: false,
            evaluation: &LeafValue::MopUp,
        },
        reuse: false,
        trees: 1,
        by_value: false,
    };

    const BEST: Settled = Settled {
        method: Method {
            c: 0.4,
            leaf: Leaf::Evaluated,
            solver: true,
            evaluation: &LeafValue::MopUp,
        },
        reuse: true,
        by_value: true,
        ..Settled::THESIS
    };

    fn read(settings: &Settings) -> Result<Settled, SpecError> {
        let preset = settings.one_of(
            "preset",
            &[("thesis", Settled::THESIS), ("best", Settled::BEST)],
            Settled::THESIS,
        )?;
        let plies = settings.number_or("rollout", 0..=10_000, 40)?;
        let sampled = |rollout| Leaf::Sampled { rollout, plies };
        let default_leaf = match preset.method.leaf {
            Leaf::Sampled { rollout, .. } => sampled(rollout),
            Leaf::Evaluated => Leaf::Evaluated,
        };
        let leaf = settings.one_of(
            "leaf",
            &[
                ("random", sampled(Rollout::Random)),
                ("informed", sampled(Rollout::Informed)),
                ("evaluation", Leaf::Evaluated),
            ],
            default_leaf,
        )?;
        let evaluated = leaf == Leaf::Evaluated;
        let trees = settings.number_or("trees", 1..=256, preset.trees)?;
        if evaluated && trees > 1 {
            return Err(settings.refuse(
                "trees",
                "1 with leaf=evaluation: all trees would be the same",
            ));
        }
        if evaluated && settings.get("rollout").is_some() {
            return Err(settings.refuse(
                "rollout",
                "nothing with leaf=evaluation: nothing is played out",
            ));
        }
        Ok(Settled {
            simulations: settings.number_or(
                "simulations",
                1..=1_000_000_000,
                preset.simulations,
            )?,
            method: Method {
                c: settings.number_or("c", 0.0..=1000.0, preset.method.c)?,
                leaf,
                solver: settings.switch("solver", preset.method.solver || evaluated)?,
                evaluation: preset.method.evaluation,
            },
            reuse: settings.switch("reuse", preset.reuse)?,
            trees,
            by_value: settings.one_of(
                "play",
                &[("visits", false), ("value", true)],
                preset.by_value || evaluated,
            )?,
        })
    }
}
