//! A player that searches with an evaluator.

use std::{
    sync::{Arc, atomic::AtomicBool, atomic::Ordering},
    time::{Duration, Instant},
};

use rules::{Game, Move, Position, Symmetry};

use super::{Found, Puct, PuctError, PuctSpec, RootMove, search_together};
use crate::{
    Assessments, Choice, Evaluator, Info, Kind, Limits, Nature, Opinion, Player, PlayerError,
    Prepared, Score, Uniform, Wish, player::analyse_unless, tree::image,
};

/// A search that goes on tells what it has found at least as often.
const NEWS_APART: Duration = Duration::from_millis(400);

/// Makes evaluators, one for each player.
pub type Evaluators = Arc<dyn Fn() -> Box<dyn Evaluator> + Send + Sync>;

/// Plays what a PUCT search with an evaluator finds.
///
/// Without a history it searches the image that stands for all images of a position, so that it plays
/// symmetric positions alike.
pub struct PuctPlayer {
    name: String,
    spec: PuctSpec,
    evaluator: Box<dyn Evaluator>,
    tree: Puct,
    scratch: Assessments,
    /// Where the tree's root is, if the whole of its moves was searched: the beginning of the game,
    /// the position and how many plies lie between.
    root: Option<(Position, Position, usize)>,
}

impl PuctPlayer {
    /// A player; `name` is what its errors call it, and its chances follow from `seed`.
    pub fn new(
        name: impl Into<String>,
        spec: PuctSpec,
        evaluator: Box<dyn Evaluator>,
        seed: u64,
    ) -> PuctPlayer {
        PuctPlayer {
            name: name.into(),
            tree: Puct::new(spec.search, seed),
            spec,
            evaluator,
            scratch: Assessments::default(),
            root: None,
        }
    }

    /// Players with these evaluators.
    pub fn prepare(name: &str, spec: PuctSpec, evaluators: Evaluators) -> Prepared {
        let name = name.to_owned();
        Prepared::new(move |seed| Box::new(PuctPlayer::new(&name, spec, evaluators(), seed)))
    }

    /// How the registry knows it: with nothing but the rules to lead it.
    pub fn kind() -> Kind {
        Kind {
            name: "puct",
            summary: "AlphaZero's tree search without a network, all moves alike; with one: net:FILE,search=puct",
            subject: None,
            keys: &PuctSpec::KEYS,
            prepare: Box::new(|settings| {
                let spec = PuctSpec::read(settings)?;
                let evaluators: Evaluators = Arc::new(|| Box::new(Uniform));
                Ok(PuctPlayer::prepare("puct", spec, evaluators))
            }),
        }
    }

    /// Sets the tree up for a game, with as much of the last search as may be kept.
    fn set_up(&mut self, game: &Game, only: &[Move], simulations: u32) {
        self.tree.set_simulations(simulations);
        let since = self.root.take().and_then(|(start, root, plies)| {
            let same = self.spec.search.reuse
                && only.is_empty()
                && *game.start() == start
                && game.positions().nth(plies) == Some(&root);
            same.then(|| game.moves().skip(plies))
        });
        match since {
            Some(moves) => moves.for_each(|m| {
                self.tree.follow(m);
            }),
            None => self.tree.begin_among(game, only),
        }
        if only.is_empty() {
            self.root = Some((game.start().clone(), game.position().clone(), game.plies()));
        }
    }

    /// Searches until the end, a limit or a wish stops it.
    fn search(&mut self, wish: &Wish<'_>, report: &mut dyn FnMut(&Puct)) -> Result<(), PuctError> {
        let begun = Instant::now();
        let limits = &wish.limits;
        let (mut reported, mut told) = (1, begun);
        while !self.tree.is_finished() {
            // There is something to answer with as soon as the root has been judged.
            let enough = limits.time.is_some_and(|time| begun.elapsed() >= time)
                || limits.depth.is_some_and(|depth| self.tree.depth() >= depth)
                || wish.stop.load(Ordering::Relaxed);
            if enough && self.tree.is_judged() {
                break;
            }
            search_together(
                &mut [&mut self.tree],
                &mut *self.evaluator,
                self.spec.leaves,
                &mut self.scratch,
            )?;
            // Often at first, and then as often as somebody who looks on wants to see something new.
            if self.tree.simulations() >= 2 * reported || told.elapsed() >= NEWS_APART {
                reported = self.tree.simulations();
                told = Instant::now();
                report(&self.tree);
            }
        }
        Ok(())
    }

    /// The image that is searched, and how to come back from it.
    fn image(&self, game: &Game) -> (Option<Game>, Symmetry) {
        if self.spec.search.history {
            return (None, Symmetry::IDENTITY);
        }
        let (position, symmetry) = game.position().canonical();
        (Some(Game::new(position, game.rules())), symmetry)
    }
}

/// Moves of a line from a position, each carried over by a symmetry.
fn carried(position: &Position, symmetry: Symmetry, line: &[Move]) -> Vec<Move> {
    if symmetry == Symmetry::IDENTITY {
        return line.to_vec();
    }
    let mut at = position.clone();
    let mut moves = Vec::with_capacity(line.len());
    for &m in line {
        let Some(m) = image(&at, symmetry, m) else {
            break;
        };
        at.play(m);
        moves.push(m);
    }
    moves
}

impl Player for PuctPlayer {
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
        if position.legal_moves().is_empty() {
            return Err(PlayerError::no_move(game));
        }
        let (searched, symmetry) = self.image(game);
        let searched = searched.as_ref().unwrap_or(game);
        let only = wish.only.iter().filter_map(|&m| {
            carried(searched.position(), symmetry, &[m])
                .first()
                .copied()
        });
        let only: Vec<Move> = only.collect();
        let nodes = wish.limits.nodes.unwrap_or(u64::MAX);
        let simulations = u64::from(self.spec.search.simulations).min(nodes) as u32;
        self.set_up(searched, &only, simulations);
        let back = symmetry.inverse();
        let mut tell = |tree: &Puct| {
            let infos = infos(tree, position, back, wish.lines);
            for (number, info) in (1..).zip(&infos) {
                report(number, info);
            }
            infos
        };
        let searched = self.search(wish, &mut |tree| drop(tell(tree)));
        searched.map_err(|error| {
            self.root = None;
            match error {
                PuctError::OutOfMemory(source) => PlayerError::out_of_memory(&self.name, source),
                error => PlayerError::Unsupported {
                    player: self.name.clone(),
                    fen: position.fen(),
                    why: error.to_string(),
                },
            }
        })?;
        let info = tell(&self.tree).into_iter().next();
        let info = info.ok_or_else(|| PlayerError::no_move(game))?;
        let mv = *info.pv.first().ok_or_else(|| PlayerError::no_move(game))?;
        Ok(Choice { mv, info })
    }

    fn new_game(&mut self) {
        self.root = None;
    }

    fn renew(&mut self, seed: u64) -> bool {
        self.tree = Puct::new(self.spec.search, seed);
        self.root = None;
        true
    }

    fn nature(&self) -> Nature {
        match (
            self.spec.search.is_deterministic(),
            self.spec.search.history,
        ) {
            (false, _) => Nature::Chance,
            (true, true) => Nature::History,
            (true, false) => Nature::Position,
        }
    }

    fn is_symmetric(&self) -> bool {
        self.nature() == Nature::Position
    }
}

/// What a tree has found: the best lines, first the best.
fn infos(tree: &Puct, position: &Position, back: Symmetry, lines: usize) -> Vec<Info> {
    let Some(found) = tree.found() else {
        return Vec::new();
    };
    let mut ranked: Vec<&RootMove> = found.moves.iter().collect();
    ranked.sort_by(|a, b| rank(&found, b).total_cmp(&rank(&found, a)));
    let first = |m: Move| carried(position, back, &[m]).first().copied();
    let visits = found.moves.iter();
    let visits = visits.filter_map(|m| Some((first(m.mv)?, m.visits.into())));
    let visits: Vec<(Move, u64)> = visits.collect();
    let opinions = found.moves.iter().filter_map(|m| {
        let value = match m.mate {
            Some(moves) => Some(if moves > 0 { 1.0 } else { -1.0 }),
            None => (m.visits > 0).then(|| m.chances.value()),
        };
        Some(Opinion::new(first(m.mv)?, Some(m.prior), value))
    });
    let opinions: Vec<Opinion> = opinions.collect();
    let lines = ranked.iter().take(lines.max(1));
    let infos = lines.enumerate().map(|(number, of)| {
        // The best move's chances are those of the position.
        let (chances, mate) = match number {
            0 => (found.chances, found.mate),
            _ => (of.chances, of.mate),
        };
        Info {
            score: Some(match mate {
                Some(moves) => Score::Mate(moves),
                None => Score::Centipawns(chances.centipawns()),
            }),
            depth: Some(found.depth),
            nodes: Some(found.simulations.into()),
            wdl: Some(chances.wdl()),
            visits: match number {
                0 => visits.clone(),
                _ => Vec::new(),
            },
            opinions: match number {
                0 => opinions.clone(),
                _ => Vec::new(),
            },
            pv: carried(position, back, &tree.line(of.mv)),
            ..Info::default()
        }
    });
    infos.collect()
}

/// Where a move stands among the others: the best first, proven mates before visits, the visits before
/// all else.
fn rank(found: &Found, of: &RootMove) -> f64 {
    let proven = match of.mate {
        _ if of.mv == found.best => 1e12,
        Some(moves) if moves > 0 => 1e11 - f64::from(moves),
        Some(moves) => -1e11 - f64::from(moves),
        None => 0.0,
    };
    proven + f64::from(of.visits) + f64::from(of.chances.value()) / 4.0
}
