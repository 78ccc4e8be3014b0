//! What a certificate says.

use std::{
    cmp::Reverse,
    collections::HashMap,
    io::{self, Write},
    sync::Arc,
};

use rayon::prelude::*;
use rules::{Bitboard, Board, Color, Game, Piece, Position, Rules, Square, Symmetry};
use serde::Serialize;

use super::{Certifier, Convert, Outcome, refutation};
use crate::{
    layout::Layout,
    solved::Solved,
    view::{Change, View},
};

/// The fifty-move rule in plies.
const FIFTY: u16 = 100;
/// Examples for each kind of failure.
const EXAMPLES: usize = 3;

/// The exact worth of an attack. Positions are counted over the full board, white to move.
///
/// Where no position is won there is nothing to prove: then no share is given, least of all 100 %.
#[derive(Clone, Debug, Serialize)]
pub struct Certificate {
    /// The signature; white is the attacker.
    pub material: String,
    /// The board size.
    pub board: usize,
    /// The side with the policy: `white`.
    pub side: &'static str,
    /// `player` or `truth`: what counted after a conversion.
    pub convert: &'static str,
    /// Was every image of a position asked for by itself?
    pub full_board: bool,
    /// Positions that perfect play wins.
    pub won_positions: u64,
    /// Those from which the policy forces mate against every defence.
    pub forced_mates: u64,
    /// Their share.
    pub share: Option<f64>,
    /// The longest forced mate, in moves.
    pub longest_moves: Option<u16>,
    /// Over the forced mates: moves more than perfect play needs, against the best defence.
    pub mean_excess_moves: Option<f64>,
    /// Share of won positions whose mate is forced in the shortest possible time.
    pub optimal_share: Option<f64>,
    /// Share of won positions in which the move itself keeps the shortest mate.
    pub optimal_move_share: Option<f64>,
    /// Share of won positions whose mate is forced within fifty moves.
    pub within_fifty_share: Option<f64>,
    /// Won positions that the policy had never met and merely picked a move in.
    pub unvisited: u64,
    /// Won positions without a forced mate within fifty moves, by kind.
    pub failures: Vec<Failure>,
    /// How the longest forced mate is played, in the form of a refutation.
    #[serde(skip)]
    pub longest: Option<Refutation>,
    #[serde(skip)]
    policy: PolicyMoves,
    /// By man: the defending king first.
    #[serde(skip)]
    heat: Vec<(Piece, Vec<(Square, Heat)>)>,
}

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The defence can reach stalemate.
    Stalemate,
    /// The defence can take a piece, after which mate is not forced.
    PieceLost,
    /// The policy can be led into another endgame in which it fails.
    Conversion,
    /// The defence can go on for ever.
    Cycle,
    /// Mate is forced, but takes more than fifty moves.
    TooLong,
}

/// One kind of failure.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// The kind.
    pub kind: FailureKind,
    /// How many won positions fail like this.
    pub positions: u64,
    /// Their share.
    pub share: f64,
    /// Some of them, with the play that refutes the policy.
    pub examples: Vec<Refutation>,
}

/// A defence that beats the policy.
#[derive(Clone, Debug, Serialize)]
pub struct Refutation {
    /// Where it begins.
    pub fen: String,
    /// Moves perfect play would need.
    pub optimal_moves: u16,
    /// The play, in UCI notation.
    pub uci: Vec<String>,
    /// The play, in SAN.
    pub san: Vec<String>,
    /// How it ends.
    pub end: String,
}

impl Refutation {
    /// The play as a game; `None` when it is not one, which none of a certificate's is.
    pub fn game(&self) -> Option<Game> {
        let start = Position::from_fen(&self.fen).ok()?;
        let mut game = Game::new(start, Rules::none());
        for uci in &self.uci {
            game.play(game.position().parse_uci(uci)?).ok()?;
        }
        Some(game)
    }
}

/// The failures and the excess by the square of one man.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Heat {
    pub won: u64,
    pub failed: u64,
    pub excess_plies: u64,
}

/// The exact worth of a defence. Positions are counted over the full board, black to move.
#[derive(Clone, Debug, Serialize)]
pub struct Defence {
    /// The signature; black is the defender.
    pub material: String,
    /// The board size.
    pub board: usize,
    /// The side with the policy: `black`.
    pub side: &'static str,
    /// `player` or `truth`: what counted after a conversion.
    pub convert: &'static str,
    /// Was every image of a position asked for by itself?
    pub full_board: bool,
    /// Positions that perfect defence holds.
    pub held_positions: u64,
    /// Those that the policy holds against every attack.
    pub kept: u64,
    /// Their share.
    pub kept_share: Option<f64>,
    /// Positions lost against perfect play, mates left out.
    pub lost_positions: u64,
    /// Share of these that the policy holds as long as can be.
    pub optimal_share: Option<f64>,
    /// Moves by which it is mated earlier than need be, on the mean.
    pub mean_shortfall_moves: Option<f64>,
    /// The most moves by which it is mated earlier than need be.
    pub worst_shortfall_moves: u16,
    /// Positions that the policy had never met.
    pub unvisited: u64,
    /// Held positions that the policy loses, with the play that mates it.
    pub failures: Vec<Refutation>,
}

/// What each part of the board contributes.
#[derive(Clone, Default)]
struct Tally {
    won: u64,
    forced: u64,
    optimal: u64,
    optimal_moves: u64,
    within_fifty: u64,
    unvisited: u64,
    excess_plies: u64,
    /// The longest mate in plies, and the first of the places where it begins.
    longest: Option<(u16, Reverse<usize>)>,
    kinds: HashMap<FailureKind, u64>,
    /// Examples: optimal plies first, so that the most telling ones come first.
    examples: HashMap<FailureKind, Vec<(u8, usize)>>,
    /// 64 squares for each man: the defending king, then the slots.
    by_man: Vec<Heat>,
}

impl Tally {
    fn join(mut self, other: Tally) -> Tally {
        self.won += other.won;
        self.forced += other.forced;
        self.optimal += other.optimal;
        self.optimal_moves += other.optimal_moves;
        self.within_fifty += other.within_fifty;
        self.unvisited += other.unvisited;
        self.excess_plies += other.excess_plies;
        self.longest = self.longest.max(other.longest);
        for (kind, n) in other.kinds {
            *self.kinds.entry(kind).or_default() += n;
        }
        for (kind, list) in other.examples {
            let all = self.examples.entry(kind).or_default();
            all.extend(list);
            all.sort_unstable();
            all.truncate(EXAMPLES);
        }
        if self.by_man.is_empty() {
            self.by_man = other.by_man;
        } else {
            for (a, b) in self.by_man.iter_mut().zip(other.by_man) {
                a.won += b.won;
                a.failed += b.failed;
                a.excess_plies += b.excess_plies;
            }
        }
        self
    }
}

/// The exact values seen from a layout.
pub(crate) fn exact(layout: &Layout, truth: &Arc<Solved>) -> View {
    let tables = HashMap::from([(truth.material(), truth.clone())]);
    View::new(layout, Change::default(), &tables)
}

impl Certificate {
    pub(crate) fn new(what: &Certifier<'_>, outcome: &Outcome, truth: &Arc<Solved>) -> Certificate {
        let (layout, judged) = (&outcome.layout, &outcome.judged);
        let values = exact(layout, truth);
        let late: HashMap<usize, Vec<(u64, u16)>> =
            judged
                .late
                .iter()
                .fold(HashMap::new(), |mut map, &(word, set, ply)| {
                    map.entry(word).or_default().push((set, ply));
                    map
                });
        let kinds = refutation::kinds(outcome);
        let tally = (0..layout.words)
            .into_par_iter()
            .fold(Tally::default, |mut tally, word| {
                let men = layout.slots.len() + 1;
                if tally.by_man.is_empty() {
                    tally.by_man = vec![Heat::default(); 64 * men];
                }
                let squares = layout.squares(word);
                let weight = layout.weight(&squares);
                for king in layout.legal(Color::White, &squares) {
                    let Some(optimal) = values.white(&squares, king) else {
                        continue;
                    };
                    let place = word * 64 + usize::from(king);
                    tally.won += weight;
                    let m = outcome.survey.moves[place];
                    if m.is_unvisited() {
                        tally.unvisited += weight;
                    }
                    if keeps_the_shortest(outcome, &values, place, optimal) {
                        tally.optimal_moves += weight;
                    }
                    let plies = match judged.table.white[place] {
                        u8::MAX => late.get(&word).and_then(|list| {
                            let bit = 1 << u32::from(king);
                            list.iter()
                                .find(|(set, _)| set & bit != 0)
                                .map(|&(_, ply)| ply)
                        }),
                        plies => Some(u16::from(plies)),
                    };
                    let mut heat = Heat {
                        won: weight,
                        ..Heat::default()
                    };
                    let kind = match plies {
                        Some(plies) => {
                            tally.forced += weight;
                            tally.longest = tally.longest.max(Some((plies, Reverse(place))));
                            let excess = u64::from(plies) - u64::from(optimal);
                            tally.excess_plies += excess * weight;
                            heat.excess_plies = excess * weight;
                            if excess == 0 {
                                tally.optimal += weight;
                            }
                            if plies < FIFTY {
                                tally.within_fifty += weight;
                                None
                            } else {
                                Some(FailureKind::TooLong)
                            }
                        }
                        None => Some(kinds.of(word, king)),
                    };
                    heat.failed = if kind.is_some() { weight } else { 0 };
                    let places = std::iter::once(&king).chain(&squares);
                    for (man, &square) in places.take(men).enumerate() {
                        tally.by_man[64 * man + usize::from(square)].add(heat);
                    }
                    let Some(kind) = kind else { continue };
                    *tally.kinds.entry(kind).or_default() += weight;
                    let examples = tally.examples.entry(kind).or_default();
                    if examples.len() < EXAMPLES || examples[EXAMPLES - 1] > (optimal, place) {
                        examples.push((optimal, place));
                        examples.sort_unstable();
                        examples.truncate(EXAMPLES);
                    }
                }
                tally
            })
            .reduce(Tally::default, Tally::join);

        let many = layout.multiplicity();
        let count = |n: u64| n / many;
        let share = |n: u64| share(n, tally.won);
        let mut failures: Vec<Failure> = tally
            .kinds
            .iter()
            .map(|(&kind, &n)| Failure {
                kind,
                positions: count(n),
                share: n as f64 / tally.won as f64,
                examples: tally.examples[&kind]
                    .iter()
                    .map(|&(_, place)| refutation::refute(outcome, &values, place, kind))
                    .collect(),
            })
            .collect();
        failures.sort_by_key(|failure| failure.kind);
        Certificate {
            material: what.material.to_string(),
            board: what.board.size(),
            side: "white",
            convert: convert_name(what.convert),
            full_board: !what.symmetric,
            won_positions: count(tally.won),
            forced_mates: count(tally.forced),
            share: share(tally.forced),
            longest_moves: tally.longest.map(|(plies, _)| plies.div_ceil(2)),
            mean_excess_moves: (tally.forced > 0)
                .then(|| tally.excess_plies as f64 / 2.0 / tally.forced as f64),
            optimal_share: share(tally.optimal),
            optimal_move_share: share(tally.optimal_moves),
            within_fifty_share: share(tally.within_fifty),
            unvisited: count(tally.unvisited),
            failures,
            longest: tally
                .longest
                .map(|(_, Reverse(place))| refutation::mate(outcome, &values, place)),
            heat: heat_by_man(layout, &tally.by_man),
            policy: PolicyMoves::new(outcome, &values),
        }
    }

    /// Is no position won, so that there is nothing to prove?
    pub fn is_empty(&self) -> bool {
        self.won_positions == 0
    }

    /// Writes the policy where it matters: one `FEN,uci` a line, every won position once, up to
    /// symmetry unless the policy had to be asked on the full board.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn write_policy(&self, out: &mut impl Write) -> io::Result<()> {
        let layout = self
            .policy
            .layout
            .as_ref()
            .expect("a certificate has a layout");
        for &(place, m) in &self.policy.moves {
            let squares = layout.squares(place as usize / 64);
            let king = Square::new(place % 64);
            let position = layout.position(&squares, king, Color::White, Symmetry::IDENTITY);
            let m = super::survey::PackedMove(m)
                .in_position(&position)
                .expect("the move was legal when it was asked for");
            writeln!(out, "{position},{}", position.uci(m))?;
        }
        Ok(())
    }

    /// Over the full board, by the defending king's square: share of won positions that fail, and
    /// mean excess in moves of those that do not.
    pub fn heat_map(&self) -> Vec<(Square, f64, f64)> {
        self.heat_maps().swap_remove(0).1
    }

    /// The same by the square of each kind of man, the defending king first.
    #[allow(clippy::type_complexity)] // written out, it says what it is
    pub fn heat_maps(&self) -> Vec<(Piece, Vec<(Square, f64, f64)>)> {
        let shares = |heat: &[(Square, Heat)]| {
            heat.iter()
                .filter(|(_, heat)| heat.won > 0)
                .map(|&(square, heat)| {
                    let kept = (heat.won - heat.failed).max(1) as f64;
                    let won = heat.won as f64;
                    (
                        square,
                        heat.failed as f64 / won,
                        heat.excess_plies as f64 / 2.0 / kept,
                    )
                })
                .collect()
        };
        self.heat
            .iter()
            .map(|(piece, heat)| (*piece, shares(heat)))
            .collect()
    }
}

impl Heat {
    fn add(&mut self, other: Heat) {
        self.won += other.won;
        self.failed += other.failed;
        self.excess_plies += other.excess_plies;
    }
}

/// The counts of a layout by man, spread over the full board; equal men are counted together.
fn heat_by_man(layout: &Layout, by_man: &[Heat]) -> Vec<(Piece, Vec<(Square, Heat)>)> {
    let men = std::iter::once(Color::Black.king()).chain(layout.slots.iter().map(|s| s.piece));
    let mut maps: Vec<(Piece, Vec<(Square, Heat)>)> = Vec::new();
    // Without a won position nothing was counted.
    let nothing = [Heat::default(); 64];
    for (man, piece) in men.enumerate() {
        let squares = by_man.get(64 * man..64 * (man + 1)).unwrap_or(&nothing);
        let unfolded = unfold(layout, squares);
        match maps.iter_mut().find(|(known, _)| *known == piece) {
            Some((_, map)) => {
                for (sum, (_, heat)) in map.iter_mut().zip(unfolded) {
                    sum.1.add(heat);
                }
            }
            None => maps.push((piece, unfolded)),
        }
    }
    maps
}

/// Spreads counts by square of a layout over the full board by symmetry.
fn unfold(layout: &Layout, by_square: &[Heat]) -> Vec<(Square, Heat)> {
    let board: Board = layout.board;
    let mut all = vec![Heat::default(); 64];
    for square in board.squares() {
        let heat = by_square[usize::from(square)];
        for &symmetry in layout.symmetries {
            all[usize::from(symmetry.square(board, square))].add(heat);
        }
    }
    board
        .squares()
        .into_iter()
        .map(|square| (square, all[usize::from(square)]))
        .collect()
}

/// Does the policy's move keep the shortest mate?
fn keeps_the_shortest(outcome: &Outcome, values: &View, place: usize, optimal: u8) -> bool {
    let judged = &outcome.judged;
    match (judged.next[place], judged.exact.get(&place)) {
        (_, Some(&ply)) => ply == optimal,
        // A double step that may be answered en passant: where it forces mate in the shortest time
        // it was a shortest move. (One that goes wrong later counts against it; such are rare.)
        (super::judge::NOWHERE, None) => judged.table.white[place] == optimal,
        (target, None) => {
            let there = outcome.layout.squares(target as usize / 64);
            values
                .black(&there, Square::new(target % 64))
                .is_some_and(|p| p + 1 == optimal)
        }
    }
}

impl Defence {
    /// Is no position held or lost, so that there is nothing to prove?
    pub fn is_empty(&self) -> bool {
        self.held_positions == 0 && self.lost_positions == 0
    }

    pub(crate) fn new(what: &Certifier<'_>, outcome: &Outcome, truth: &Arc<Solved>) -> Defence {
        let (layout, judged) = (&outcome.layout, &outcome.judged);
        let values = exact(layout, truth);
        #[derive(Clone, Default)]
        struct Sum {
            held: u64,
            kept: u64,
            lost: u64,
            optimal: u64,
            shortfall_plies: u64,
            worst: u16,
            unvisited: u64,
            examples: Vec<(u8, usize)>,
        }
        let sum = (0..layout.words)
            .into_par_iter()
            .fold(Sum::default, |mut sum, word| {
                let squares = layout.squares(word);
                let weight = layout.weight(&squares);
                for king in layout.legal(Color::Black, &squares) {
                    let place = word * 64 + usize::from(king);
                    let plies = judged.table.black[place];
                    if outcome.survey.moves[place].is_unvisited() {
                        sum.unvisited += weight;
                    }
                    match values.black(&squares, king) {
                        None => {
                            sum.held += weight;
                            if plies == u8::MAX {
                                sum.kept += weight;
                            } else {
                                sum.examples.push((plies, place));
                                sum.examples.sort_unstable();
                                sum.examples.truncate(EXAMPLES);
                            }
                        }
                        Some(0) => {}
                        Some(best) => {
                            let shortfall = u16::from(best) - u16::from(plies.min(best));
                            sum.lost += weight;
                            sum.optimal += if shortfall == 0 { weight } else { 0 };
                            sum.shortfall_plies += u64::from(shortfall) * weight;
                            sum.worst = sum.worst.max(shortfall);
                        }
                    }
                }
                sum
            })
            .reduce(Sum::default, |mut a, b| {
                a.held += b.held;
                a.kept += b.kept;
                a.lost += b.lost;
                a.optimal += b.optimal;
                a.shortfall_plies += b.shortfall_plies;
                a.worst = a.worst.max(b.worst);
                a.unvisited += b.unvisited;
                a.examples.extend(b.examples);
                a.examples.sort_unstable();
                a.examples.truncate(EXAMPLES);
                a
            });
        let many = layout.multiplicity();
        Defence {
            material: what.material.to_string(),
            board: what.board.size(),
            side: "black",
            convert: convert_name(what.convert),
            full_board: !what.symmetric,
            held_positions: sum.held / many,
            kept: sum.kept / many,
            kept_share: share(sum.kept, sum.held),
            lost_positions: sum.lost / many,
            optimal_share: share(sum.optimal, sum.lost),
            mean_shortfall_moves: (sum.lost > 0)
                .then(|| sum.shortfall_plies as f64 / 2.0 / sum.lost as f64),
            worst_shortfall_moves: sum.worst / 2,
            unvisited: sum.unvisited / many,
            failures: sum
                .examples
                .iter()
                .map(|&(_, place)| refutation::mate_the_defence(outcome, place))
                .collect(),
        }
    }
}

/// A share of something there is.
fn share(n: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| n as f64 / of as f64)
}

fn convert_name(convert: Convert) -> &'static str {
    match convert {
        Convert::Player => "player",
        Convert::Truth => "truth",
    }
}

/// The moves of a policy in won positions, each position once.
#[derive(Clone, Debug, Default)]
struct PolicyMoves {
    layout: Option<Layout>,
    moves: Vec<(u32, u16)>,
}

impl PolicyMoves {
    fn new(outcome: &Outcome, values: &View) -> PolicyMoves {
        let layout = &outcome.layout;
        let moves = (0..layout.words)
            .into_par_iter()
            .flat_map_iter(|word| {
                let squares = layout.squares(word);
                let kings: Bitboard = layout
                    .legal(Color::White, &squares)
                    .into_iter()
                    .filter(|&king| values.white(&squares, king).is_some())
                    .filter(|&king| layout.is_first(word, &squares, king))
                    .collect();
                kings.into_iter().map(move |king| {
                    let place = word * 64 + usize::from(king);
                    (place as u32, outcome.survey.moves[place].0)
                })
            })
            .collect();
        PolicyMoves {
            layout: Some(layout.clone()),
            moves,
        }
    }
}
