mod game_clock;
mod settings;

use std::{
    collections::HashMap,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use rules::{Board, Color, FewMove, Game, Material, Move, Position, Symmetry};

use self::game_clock::{GameClock, MOVES_TO_COME};
use crate::{
    Choice, Dice, Info, LeafValue, Limits, Nature, Player, PlayerError, Score, TinyNetwork, Wish,
    player::analyse_unless,
    search::{AGE_OF_ESTIMATES, Aim, GRAIN, MATE, MATE_BOUND, Options, Search, Variation},
    transposition::Table,
    tree::{ChessTree, FewMenTree, Tree, image, past_keys},
};

/// Minimax search with alpha-beta pruning.
///
/// With `history` off it is a [`Nature::Position`]: it chooses by the position alone, and the same way
/// in all images of a position under symmetry.
#[derive(Debug)]
pub struct Minimax {
    depth: i32,
    nodes: Option<u64>,
    options: Options,
    /// How large its table is to be, in MiB.
    mebibytes: usize,
    /// Made for the first search: a player that is only looked at should not take so much memory.
    table: Option<Table>,
    /// What the table was filled for; the compact form counts its men anew for each signature.
    filled_for: Option<(Material, Board)>,
    /// Draws lots among equal moves, if ties are drawn.
    dice: Option<Dice>,
    /// Time for all moves of a game, and how much of it is spent.
    clock: Option<GameClock>,
}

/// The greatest depth a search can be asked for.
pub const MAX_DEPTH: u32 = 60;

impl Minimax {
    /// A player that searches `depth` plies with `evaluation` and all our improvements.
    pub fn new(depth: u32, evaluation: LeafValue) -> Minimax {
        Minimax::with_options(depth, Minimax::options(evaluation), 16, None)
    }

    fn options(evaluation: LeafValue) -> Options {
        let ours = evaluation == LeafValue::MopUp;
        Options {
            ageing: age(&evaluation, !evaluation.is_document_ys()),
            evaluation,
            quiescence: ours,
            progress: ours,
            history: true,
            repetition: 2,
            keeps: false,
        }
    }

    fn with_options(depth: u32, options: Options, mebibytes: usize, dice: Option<Dice>) -> Minimax {
        Minimax {
            depth: depth.clamp(1, MAX_DEPTH) as i32,
            nodes: None,
            options,
            mebibytes,
            table: None,
            filled_for: None,
            dice,
            clock: None,
        }
    }

    /// The same player with so much time for all its moves of a game.
    #[must_use]
    pub fn with_time_for_game(mut self, time: Duration) -> Minimax {
        self.clock = Some(GameClock {
            whole: time,
            spent: Duration::ZERO,
        });
        self.depth = MAX_DEPTH as i32;
        self.options.history = false;
        self.options.keeps = true;
        self
    }

    /// The same player with another depth.
    #[must_use]
    pub fn with_depth(mut self, depth: u32) -> Minimax {
        self.depth = depth.clamp(1, MAX_DEPTH) as i32;
        self
    }

    /// The same player without a memory: a policy that can be certified.
    #[must_use]
    pub fn without_history(mut self) -> Minimax {
        self.options.history = false;
        self
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
        let table = self.table.as_mut()?;
        let nodes = [self.nodes, wish.limits.nodes].into_iter().flatten().min();
        let position = game.position();
        let filled_for = Some((position.material(), position.board()));
        // With a history the table's values belong to another one. And how far a search gets with so many
        // positions must not depend on what was asked before.
        if self.options.history
            || nodes.is_some() && !self.options.keeps
            || self.filled_for != filled_for
        {
            table.forget();
        }
        self.filled_for = filled_for;
        let (mut limits, mut enough) = (wish.limits, None);
        if let Some(clock) = &self.clock {
            let moves = self.options.evaluation.moves_left(&tree.men(root));
            let (until, begin) = clock.share(moves.unwrap_or(MOVES_TO_COME));
            limits.time = Some(limits.time.map_or(until, |time| time.min(until)));
            enough = Some(begin);
        }
        let limits = &limits;
        let depth = limits.depth.map_or(self.depth, |depth| {
            (depth.clamp(1, MAX_DEPTH) as i32).min(self.depth)
        });
        let search = Search::new(
            tree,
            self.options.clone(),
            table,
            past,
            game.rules().fifty.plies(),
            Limits { nodes, ..*limits },
            wish.stop,
        )
        .enough_after(enough);
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
                report: &mut |line: Variation<T::Move>| {
                    let pv = carry(line.moves);
                    if line.number == 1 {
                        best_line.clone_from(&pv);
                    }
                    let age = self.options.ageing.max(1);
                    report(
                        line.number,
                        &info(line.value, age, line.depth, line.nodes, pv),
                    );
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
        let age = self.options.ageing.max(1);
        let info = info(found.value, age, found.depth, found.nodes, best_line);
        Some(Choice {
            mv,
            info: Info {
                leaves: Some(found.leaves),
                ..info
            },
        })
    }

    fn look(
        &mut self,
        game: &Game,
        wish: &Wish<'_>,
        report: &mut dyn FnMut(usize, &Info),
    ) -> Result<Choice, PlayerError> {
        if self.table.is_none() {
            let table = Table::new(self.mebibytes);
            self.table =
                Some(table.map_err(|source| PlayerError::out_of_memory("minimax", source))?);
        }
        let choice = match FewMenTree::of(game.position()) {
            Some(tree) => self.analyse_few_men(&tree, game, wish, report),
            None => self.analyse_chess(game, wish, report),
        };
        choice.ok_or_else(|| PlayerError::no_move(game))
    }

    /// Chooses among the moves to positions that have not been on the board, as long as one of them
    /// keeps the win: the search itself knows no history (its table lives as long as the game), and
    /// a guess that is wrong must not lead in a circle.
    fn look_for_new_ground(
        &mut self,
        game: &Game,
        wish: &Wish<'_>,
        report: &mut dyn FnMut(usize, &Info),
    ) -> Result<Choice, PlayerError> {
        let position = game.position();
        let mut met: HashMap<_, usize> = HashMap::new();
        for past in game.positions() {
            *met.entry(ChessTree.key(past)).or_default() += 1;
        }
        for most in [0, 1] {
            let fresh: Vec<Move> = position
                .legal_moves()
                .into_iter()
                .filter(|&m| wish.allows(m))
                .filter(|&m| {
                    met.get(&ChessTree.key(&position.after(m)))
                        .copied()
                        .unwrap_or(0)
                        <= most
                })
                .collect();
            if fresh.is_empty() {
                continue;
            }
            let choice = self.look(
                game,
                &Wish {
                    only: &fresh,
                    ..*wish
                },
                report,
            )?;
            match choice.info.score {
                Some(Score::Centipawns(value)) if value <= 0 => {}
                Some(Score::Mate(moves)) if moves < 0 => {}
                _ => return Ok(choice),
            }
        }
        self.look(game, wish, report)
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

/// How much a value shrinks with every ply.
fn age(evaluation: &LeafValue, shrinks: bool) -> i32 {
    match evaluation {
        _ if !shrinks => 0,
        LeafValue::Network(_) => AGE_OF_ESTIMATES,
        _ => 1,
    }
}

fn info(found_value: i32, age: i32, depth: i32, nodes: u64, pv: Vec<Move>) -> Info {
    let score = if found_value.abs() > MATE_BOUND {
        let moves = ((MATE - found_value.abs()) / age + 1) / 2;
        Score::Mate(moves * found_value.signum())
    } else {
        Score::Centipawns(found_value / GRAIN)
    };
    Info {
        score: Some(score),
        depth: Some(depth as u32),
        nodes: Some(nodes),
        pv,
        ..Info::default()
    }
}

impl Player for Minimax {
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
        let position = game.position();
        if self.options.evaluation.is_document_ys()
            && Color::ALL
                .into_iter()
                .all(|color| !position.material().side(color).is_bare())
        {
            return Err(PlayerError::Unsupported {
                player: "minimax with document Y's evaluation".into(),
                fen: position.fen(),
                why: "it needs one side to have a king only".into(),
            });
        }
        if let LeafValue::Network(network) = &self.options.evaluation
            && !knows(network, position)
        {
            return Err(PlayerError::Unsupported {
                player: "minimax with a network".into(),
                fen: position.fen(),
                why: format!(
                    "the network has learned {} on 8×8",
                    network.blueprint().material
                ),
            });
        }
        if self.clock.is_none() {
            return self.look(game, wish, report);
        }
        let begin = Instant::now();
        let choice = self.look_for_new_ground(game, wish, report);
        if let Some(clock) = &mut self.clock {
            clock.spent += begin.elapsed();
        }
        choice
    }

    fn new_game(&mut self) {
        if let Some(clock) = &mut self.clock {
            clock.spent = Duration::ZERO;
            // What one game has found must not shorten the next one's thinking.
            self.table.iter_mut().for_each(Table::forget);
        }
    }

    fn nature(&self) -> Nature {
        if self.clock.is_some() {
            return Nature::Chance;
        }
        match (&self.dice, self.options.history) {
            (Some(_), _) => Nature::Chance,
            (None, true) => Nature::History,
            (None, false) => Nature::Position,
        }
    }

    fn is_symmetric(&self) -> bool {
        !self.options.history && self.dice.is_none()
    }
}

/// Is the position one of the network's endgame, or one that a capture leads to from there?
fn knows(network: &TinyNetwork, position: &Position) -> bool {
    let men = position.material();
    let own = |color: Color| format!("{}{}", men.side(color), men.side(!color));
    position.board().is_standard()
        && (own(Color::White) == network.blueprint().material
            || own(Color::Black) == network.blueprint().material)
}
