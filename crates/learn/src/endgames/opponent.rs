//! Whom a learner trains against, and whom it is tested against.

use std::sync::{Mutex, atomic::AtomicBool};

use play::{Limits, Player, Registry};
use rand_chacha::ChaCha8Rng;
use rules::{Color, FewMen, FewMenRules, FewMove, Game, Rules, Square, Targets};

use crate::{LearnError, Ties, learner::below};

/// An opponent.
///
/// The first three play in the compact form, the same way as the players of these names; any other
/// player of the registry is asked through [`Player`], at the price of its own speed.
pub enum Opponent {
    /// Any legal move with equal chance.
    Random,
    /// Document Y's defender: takes every immediate draw, else runs to the centre.
    Heuristic {
        /// Which of several moves that are as good.
        ties: Ties,
    },
    /// Document D's defender: takes every immediate draw, else any legal move.
    Drawish,
    /// Any other player.
    Player(Mutex<Box<dyn Player>>),
}

impl std::fmt::Debug for Opponent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Opponent::Random => "random",
            Opponent::Heuristic { .. } => "heuristic",
            Opponent::Drawish => "drawish",
            Opponent::Player(_) => "player",
        })
    }
}

impl Opponent {
    /// The opponent of a name that [`Registry::parse`] understands.
    ///
    /// # Errors
    /// When it does not, or when the name needs a registry and there is none.
    pub fn parse(
        name: &str,
        registry: Option<&Registry>,
        seed: u64,
    ) -> Result<Opponent, LearnError> {
        Ok(match (name, registry) {
            ("random", _) => Opponent::Random,
            ("heuristic", _) => Opponent::Heuristic { ties: Ties::Lot },
            ("heuristic:ties=first", _) => Opponent::Heuristic { ties: Ties::First },
            ("drawish", _) => Opponent::Drawish,
            (_, Some(registry)) => Opponent::Player(Mutex::new(registry.parse(name)?.player(seed))),
            (_, None) => {
                return Err(LearnError::BadSetting {
                    name: "opponent".into(),
                    value: name.into(),
                    why: "without a registry of players it is one of random, heuristic, drawish"
                        .into(),
                });
            }
        })
    }

    /// Begins a new game: what a foreign player remembers of the last one must not matter.
    pub fn new_game(&mut self) {
        if let Opponent::Player(player) = self {
            let player = player.get_mut();
            player
                .unwrap_or_else(|broken| broken.into_inner())
                .new_game();
        }
    }

    /// Its move; `targets` are the legal moves of `men`, at least one.
    ///
    /// # Errors
    /// When a foreign player fails, or `stop` is set before it has chosen.
    pub fn choose(
        &mut self,
        rules: &FewMenRules,
        men: FewMen,
        targets: &Targets,
        random: &mut ChaCha8Rng,
        stop: &AtomicBool,
    ) -> Result<FewMove, LearnError> {
        Ok(match self {
            Opponent::Random => any(targets, random),
            Opponent::Drawish => {
                drawing(rules, men, targets).unwrap_or_else(|| any(targets, random))
            }
            Opponent::Heuristic { ties } => {
                let lot = (*ties == Ties::Lot).then_some(random);
                drawing(rules, men, targets).unwrap_or_else(|| to_centre(rules, men, targets, lot))
            }
            Opponent::Player(player) => {
                // Nobody else holds the lock: it is there to make the player shareable.
                let player = player
                    .get_mut()
                    .unwrap_or_else(|broken| broken.into_inner());
                ask(player.as_mut(), rules, men, targets, stop)?
            }
        })
    }
}

fn any(targets: &Targets, random: &mut ChaCha8Rng) -> FewMove {
    targets.nth(below(random, targets.len()))
}

/// The first move after which the game is drawn at once.
fn drawing(rules: &FewMenRules, men: FewMen, targets: &Targets) -> Option<FewMove> {
    let taking = men.occupied();
    let bare = rules.material().side(men.turn).is_bare();
    targets.iter().find(|m| {
        // A bare king draws by taking or by leaving white without a move; the latter cannot
        // happen where the former cannot, because white's own men can still move.
        if bare && !taking.contains(m.to) {
            return false;
        }
        let next = rules.after(men, *m);
        let replies = rules.targets(next);
        rules
            .ending(next, &replies)
            .is_some_and(|ending| ending != rules::BoardEnding::Checkmate)
    })
}

fn to_centre(
    rules: &FewMenRules,
    men: FewMen,
    targets: &Targets,
    lot: Option<&mut ChaCha8Rng>,
) -> FewMove {
    let centre = rules.board().centre();
    let distance = |m: FewMove| {
        let king = if m.man == 0 { m.to } else { men.king(men.turn) };
        centre
            .into_iter()
            .map(|square| manhattan(king, square))
            .min()
    };
    let least = targets.iter().map(distance).min();
    let count = targets
        .iter()
        .filter(|&m| Some(distance(m)) == least)
        .count();
    let mut nearest = targets.iter().filter(|&m| Some(distance(m)) == least);
    let chosen = nearest.nth(lot.map_or(0, |random| below(random, count)));
    chosen.unwrap_or_else(|| targets.nth(0))
}

fn manhattan(a: Square, b: Square) -> u32 {
    let file = u32::from(a.file()).abs_diff(u32::from(b.file()));
    file + u32::from(a.rank()).abs_diff(u32::from(b.rank()))
}

fn ask(
    player: &mut dyn Player,
    rules: &FewMenRules,
    men: FewMen,
    targets: &Targets,
    stop: &AtomicBool,
) -> Result<FewMove, LearnError> {
    let illegal = || play::PlayerError::Forfeit {
        player: "the opponent".into(),
        reason: rules::Reason::IllegalMove,
        message: format!("{men:?}"),
    };
    let position = rules.position(men).map_err(|_| illegal())?;
    let game = Game::new(position, Rules::default());
    let choice = player.choose_unless(stop, &game, &Limits::NONE)?;
    let from = choice.mv.from();
    let king = men.king(men.turn);
    targets
        .iter()
        .find(|&m| {
            men.from(m) == from && m.to == choice.mv.to() && (m.man == 0) == (from == Some(king))
        })
        .ok_or_else(|| illegal().into())
}

/// The colour every learner here defends against.
pub(crate) const DEFENDER: Color = Color::Black;
