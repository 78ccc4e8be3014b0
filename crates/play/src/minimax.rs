use std::sync::Arc;

use rules::{Board, Color, FewMove, Game, Material, Move, Symmetry};

use crate::{
    Choice, Dice, Evaluation, Info, Key, Kind, Limits, Nature, Player, PlayerError, Score,
    Settings, SpecError, Wish,
    search::{Aim, GRAIN, Line, MATE, MATE_BOUND, Options, Search},
    transposition::Table,
    tree::{ChessTree, FewMenTree, Tree, image, past_keys},
};

/// Minimax search with alpha-beta pruning.
///
/// With `history` off it is a [`Nature::Policy`]: it chooses by the position alone, and the same way
/// in all images of a position under symmetry.
#[derive(Debug)]
pub struct Minimax {
    depth: i32,
    nodes: Option<u64>,
    options: Options,
    table: Table,
    /// What the table was filled for; the compact form counts its men anew for each signature.
    filled_for: Option<(Material, Board)>,
    /// Draws lots among equal moves, if ties are drawn.
    dice: Option<Dice>,
}

/// The greatest depth a search can be asked for.
pub const MAX_DEPTH: u32 = 60;

impl Minimax {
    /// A player that searches `depth` plies with `evaluation` and all our improvements.
    pub fn new(depth: u32, evaluation: Evaluation) -> Minimax {
        Minimax::with_options(depth, Minimax::options(evaluation), 16, None)
    }

    fn options(evaluation: Evaluation) -> Options {
        let ours = evaluation == Evaluation::MopUp;
        Options {
            evaluation,
            ageing: ours,
            quiescence: ours,
            progress: ours,
            history: true,
            repetition: 2,
        }
    }

    fn with_options(depth: u32, options: Options, mebibytes: usize, dice: Option<Dice>) -> Minimax {
        Minimax {
            depth: depth.clamp(1, MAX_DEPTH) as i32,
            nodes: None,
            options,
            table: Table::new(mebibytes),
            filled_for: None,
            dice,
        }
    }

    /// The same player without a memory: a policy that can be certified.
    #[must_use]
    pub fn without_history(mut self) -> Minimax {
        self.options.history = false;
        self
    }

    /// How the registry knows it.
    pub fn kind() -> Kind {
        Kind {
            name: "minimax",
            summary: "alpha-beta search with iterative deepening and a transposition table",
            subject: None,
            keys: &[
                Key {
                    name: "depth",
                    meaning: "plies, 1 to 60 (default 6; 60 when limited by nodes or time)",
                },
                Key {
                    name: "eval",
                    meaning: "mop-up (default) or ypma (document Y, formula 6.1)",
                },
                Key {
                    name: "beta1",
                    meaning: "ypma: weight of the kings' distance (default 2)",
                },
                Key {
                    name: "beta2",
                    meaning: "ypma: weight of the distance to the centre (default 5)",
                },
                Key {
                    name: "history",
                    meaning: "on (default): repetitions and the fifty-move clock are known; off: a pure function of the position",
                },
                Key {
                    name: "repetition",
                    meaning: "the occurrence of a position that counts as a draw: 2 (default) or 3",
                },
                Key {
                    name: "progress",
                    meaning: "on or off: may the side that mates claim the progress made on the way (default: on for mop-up)",
                },
                Key {
                    name: "shortest",
                    meaning: "on or off: prefer the shorter of equal lines (default: on for mop-up)",
                },
                Key {
                    name: "quiescence",
                    meaning: "on or off: look at captures beyond the depth (default: on for mop-up)",
                },
                Key {
                    name: "ties",
                    meaning: "first (default) or drawn (by seed) among equally good moves",
                },
                Key {
                    name: "nodes",
                    meaning: "positions per move",
                },
                Key {
                    name: "hash",
                    meaning: "size of the transposition table in MiB (default 16)",
                },
            ],
            prepare: Box::new(|settings| {
                let prepared = Prepared::read(settings)?;
                Ok(Arc::new(move |seed| Box::new(prepared.player(seed))))
            }),
        }
    }

    /// What the search found; `carry` takes its lines back to the moves of the game.
    #[allow(clippy::too_many_arguments)] // what to search, and what to do with it
    fn search<T: Tree>(
        &mut self,
        tree: &T,
        root: &T::Node,
        game: &Game,
        past: Vec<u64>,
        carry: &dyn Fn(Vec<T::Move>) -> Vec<Move>,
        wish: &Wish<'_>,
        report: &mut dyn FnMut(usize, &Info),
    ) -> Option<Choice> {
        if self.options.history {
            self.table.forget(); // its values belong to another history
        } else {
            let position = game.position();
            let filled_for = Some((position.material(), position.board()));
            if self.filled_for != filled_for {
                self.table.forget();
                self.filled_for = filled_for;
            }
        }
        let limits = &wish.limits;
        let depth = limits.depth.map_or(self.depth, |depth| {
            (depth.clamp(1, MAX_DEPTH) as i32).min(self.depth)
        });
        let search = Search::new(
            tree,
            self.options,
            &mut self.table,
            past,
            game.rules().fifty.plies(),
            Limits {
                nodes: [self.nodes, limits.nodes].into_iter().flatten().min(),
                ..*limits
            },
            wish.stop,
        );
        let mut best_line = Vec::new();
        let found = search.run(
            root,
            game.position().halfmoves(),
            Aim {
                depth,
                all: self.dice.is_some(),
                lines: wish.lines.max(1),
                allows: &|m| {
                    wish.only.is_empty() || carry(vec![m]).first().is_some_and(|&m| wish.allows(m))
                },
                report: &mut |line: Line<T::Move>| {
                    let pv = carry(line.moves);
                    if line.number == 1 {
                        best_line.clone_from(&pv);
                    }
                    report(line.number, &info(line.value, line.depth, line.nodes, pv));
                },
            },
        )?;
        let chosen = match &mut self.dice {
            Some(dice) => found.best[dice.below(found.best.len())],
            None => found.best[0],
        };
        let mv = *carry(vec![chosen]).first()?;
        // The last line reported may be of another depth, or of an equal move that was not drawn.
        if best_line.first() != Some(&mv) {
            best_line = vec![mv];
        }
        Some(Choice {
            mv,
            info: info(found.value, found.depth, found.nodes, best_line),
        })
    }

    fn analyse_few_men(
        &mut self,
        tree: &FewMenTree,
        game: &Game,
        wish: &Wish<'_>,
        report: &mut dyn FnMut(usize, &Info),
    ) -> Option<Choice> {
        let position = game.position();
        let men = tree.rules.compact(position)?;
        // Without a history all images of a position are one.
        let (root, symmetry) = if self.options.history {
            (men, Symmetry::IDENTITY)
        } else {
            tree.canonical(men)
        };
        let past = if self.options.history {
            past_keys(tree, game, |past| tree.rules.compact(past))
        } else {
            Vec::new()
        };
        let back = symmetry.inverse();
        let board = position.board();
        let carry = |line: Vec<FewMove>| {
            let mut moves = Vec::new();
            let (mut node, mut at) = (root, position.clone());
            for m in line {
                let from = node.from(m).map(|from| back.square(board, from));
                let to = back.square(board, m.to);
                let mut legal = at.legal_moves().into_iter();
                let Some(played) = legal.find(|legal| legal.from() == from && legal.to() == to)
                else {
                    break;
                };
                moves.push(played);
                at.play(played);
                node = tree.rules.after(node, m);
            }
            moves
        };
        self.search(tree, &root, game, past, &carry, wish, report)
    }

    fn analyse_chess(
        &mut self,
        game: &Game,
        wish: &Wish<'_>,
        report: &mut dyn FnMut(usize, &Info),
    ) -> Option<Choice> {
        let position = game.position();
        let past = if self.options.history {
            past_keys(&ChessTree, game, |past| Some(past.clone()))
        } else {
            Vec::new()
        };
        let (root, symmetry) = if self.options.history {
            (position.clone(), Symmetry::IDENTITY)
        } else {
            position.canonical()
        };
        let carry = |line: Vec<Move>| {
            if symmetry == Symmetry::IDENTITY {
                return line;
            }
            let first = line.first();
            first
                .and_then(|&m| image(position, symmetry.inverse(), m))
                .into_iter()
                .collect()
        };
        self.search(&ChessTree, &root, game, past, &carry, wish, report)
    }
}

fn info(found_value: i32, depth: i32, nodes: u64, pv: Vec<Move>) -> Info {
    let score = if found_value.abs() > MATE_BOUND {
        let moves = (MATE - found_value.abs() + 1) / 2;
        Score::Mate(moves * found_value.signum())
    } else {
        Score::Centipawns(found_value / GRAIN)
    };
    Info {
        unvisited: false,
        score: Some(score),
        depth: Some(depth as u32),
        nodes: Some(nodes),
        pv,
    }
}

impl Player for Minimax {
    fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, PlayerError> {
        self.analyse(game, &Wish::choice(limits), &mut |_, _| ())
    }

    fn analyse(
        &mut self,
        game: &Game,
        wish: &Wish<'_>,
        report: &mut dyn FnMut(usize, &Info),
    ) -> Result<Choice, PlayerError> {
        let position = game.position();
        if let Evaluation::Ypma { .. } = self.options.evaluation
            && Color::ALL
                .into_iter()
                .all(|color| !position.material().side(color).is_bare())
        {
            return Err(PlayerError::Unsupported {
                player: "minimax:eval=ypma".into(),
                fen: position.fen(),
                why: "formula 6.1 needs one side to have a king only".into(),
            });
        }
        let choice = match FewMenTree::of(position) {
            Some(tree) => self.analyse_few_men(&tree, game, wish, report),
            None => self.analyse_chess(game, wish, report),
        };
        choice.ok_or_else(|| PlayerError::no_move(game))
    }

    fn nature(&self) -> Nature {
        match (&self.dice, self.options.history) {
            (Some(_), _) => Nature::Chance,
            (None, true) => Nature::History,
            (None, false) => Nature::Policy,
        }
    }

    fn is_symmetric(&self) -> bool {
        !self.options.history && self.dice.is_none()
    }
}

/// Settings that have been read.
struct Prepared {
    depth: u32,
    options: Options,
    mebibytes: usize,
    nodes: Option<u64>,
    drawn: bool,
}

impl Prepared {
    fn read(settings: &Settings) -> Result<Prepared, SpecError> {
        let ypma = settings.one_of("eval", &[("mop-up", false), ("ypma", true)], false)?;
        let beta1 = settings.number("beta1", 0..=1000)?;
        let beta2 = settings.number("beta2", 0..=1000)?;
        if !ypma && (beta1.is_some() || beta2.is_some()) && settings.get("eval").is_some() {
            return Err(SpecError::Other {
                player: "minimax".into(),
                why: "beta1 and beta2 belong to eval=ypma".into(),
            });
        }
        let evaluation = if ypma || beta1.is_some() || beta2.is_some() {
            Evaluation::Ypma {
                beta1: beta1.unwrap_or(2),
                beta2: beta2.unwrap_or(5),
            }
        } else {
            Evaluation::MopUp
        };
        let default = Minimax::options(evaluation);
        let nodes = settings.number("nodes", 1..=u64::MAX)?;
        let default_depth = if nodes.is_some() { MAX_DEPTH } else { 6 };
        Ok(Prepared {
            depth: settings.number_or("depth", 1..=MAX_DEPTH, default_depth)?,
            options: Options {
                evaluation,
                ageing: settings.switch("shortest", default.ageing)?,
                quiescence: settings.switch("quiescence", default.quiescence)?,
                progress: settings.switch("progress", default.progress)?,
                history: settings.switch("history", default.history)?,
                repetition: settings.number_or("repetition", 2..=3, default.repetition)?,
            },
            mebibytes: settings.number_or("hash", 1..=65_536, 16)?,
            nodes,
            drawn: settings.one_of("ties", &[("first", false), ("drawn", true)], false)?,
        })
    }

    fn player(&self, seed: u64) -> Minimax {
        let dice = self.drawn.then(|| Dice::new(seed));
        Minimax {
            nodes: self.nodes,
            ..Minimax::with_options(self.depth, self.options, self.mebibytes, dice)
        }
    }
}
