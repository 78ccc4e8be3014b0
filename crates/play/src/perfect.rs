use std::sync::Arc;

use rules::{Game, Move, Position, Symmetry};
use truth::{Oracle, Verdict};

use crate::{Choice, Dice, Info, Limits, Nature, Player, PlayerError, Score, Wish, tree::image};

/// Plays by exact truth: the shortest mate, the longest resistance, and never out of a draw.
///
/// Among equally good moves it draws lots, or takes the first in the order of the legal moves, as
/// [`Ties`] says.
pub struct Perfect {
    oracle: Arc<dyn Oracle>,
    ties: Ties,
}

/// Which of several equally good moves is played.
#[derive(Clone, Debug)]
pub enum Ties {
    /// The first in the order of the legal moves of the canonical image: the player is a symmetric
    /// policy and can be certified.
    First,
    /// Any of them, with equal chance.
    Drawn(Dice),
}

impl Perfect {
    /// The player that asks `oracle`.
    pub fn new(oracle: Arc<dyn Oracle>, ties: Ties) -> Perfect {
        Perfect { oracle, ties }
    }

    /// The moves of greatest value, and that value.
    fn best(&self, position: &Position) -> Option<(Vec<Move>, Verdict)> {
        let mut best: Option<(Vec<Move>, Verdict, i32)> = None;
        for m in position.legal_moves() {
            let verdict = self.value(&position.after(m))?;
            let rank = worth(verdict);
            match &mut best {
                Some((moves, _, top)) if *top == rank => moves.push(m),
                Some((_, _, top)) if *top > rank => {}
                _ => best = Some((vec![m], verdict, rank)),
            }
        }
        best.map(|(moves, verdict, _)| (moves, verdict))
    }

    /// A few moves of perfect play, `first` before them.
    fn line(&self, position: &Position, first: Move) -> Vec<Move> {
        const PLIES: usize = 16;
        let mut line = vec![first];
        let mut at = position.after(first);
        while line.len() < PLIES
            && let Some((moves, _)) = self.best(&at)
        {
            at.play(moves[0]);
            line.push(moves[0]);
        }
        line
    }

    fn value(&self, position: &Position) -> Option<Verdict> {
        self.oracle
            .probe(position)
            // A table of KRK need not know what is left when the rook is gone.
            .or_else(|| position.is_insufficient_material().then_some(Verdict::Draw))
    }
}

/// The score of a move behind which the opponent stands as `verdict` says.
fn score(verdict: Verdict) -> Score {
    let moves_to_mate = |plies: u16| i32::from(plies).div_euclid(2);
    match verdict {
        Verdict::Loss { plies } => Score::Mate(moves_to_mate(plies) + 1),
        Verdict::Draw => Score::Centipawns(0),
        Verdict::Win { plies } => Score::Mate(-moves_to_mate(plies + 1)),
    }
}

/// What a position is worth to the side that has just moved: quick wins, then draws, then slow
/// losses.
fn worth(verdict: Verdict) -> i32 {
    match verdict {
        Verdict::Loss { plies } => 100_000 - i32::from(plies),
        Verdict::Draw => 0,
        Verdict::Win { plies } => -100_000 + i32::from(plies),
    }
}

impl Player for Perfect {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let position = game.position();
        if position.legal_moves().is_empty() {
            return Err(PlayerError::no_move(game));
        }
        let (canonical, symmetry) = match self.ties {
            Ties::First => position.canonical(),
            Ties::Drawn(_) => (position.clone(), Symmetry::IDENTITY),
        };
        let (moves, verdict) = self
            .best(&canonical)
            .ok_or_else(|| PlayerError::Unsupported {
                player: "perfect".into(),
                fen: position.fen(),
                why: format!(
                    "no exact table covers {} and everything it can lead to",
                    position.material()
                ),
            })?;
        let chosen = match &mut self.ties {
            Ties::First => 0,
            Ties::Drawn(dice) => dice.below(moves.len()),
        };
        let mv = image(position, symmetry.inverse(), moves[chosen])
            .ok_or_else(|| PlayerError::no_move(game))?;
        Ok(Choice {
            mv,
            info: Info {
                score: Some(score(verdict)),
                ..Info::default()
            },
        })
    }

    fn analyse(
        &mut self,
        game: &Game,
        wish: &Wish<'_>,
        report: &mut dyn FnMut(usize, &Info),
    ) -> Result<Choice, PlayerError> {
        let choice = self.choose(game, &wish.limits)?;
        let position = game.position();
        let mut moves: Vec<(Move, Verdict)> = Vec::new();
        for m in position.legal_moves() {
            if wish.allows(m)
                && let Some(verdict) = self.value(&position.after(m))
            {
                moves.push((m, verdict));
            }
        }
        // The chosen one of equal moves comes first.
        moves.sort_by_key(|&(m, verdict)| (-worth(verdict), m != choice.mv));
        let mut first = None;
        for (i, &(m, verdict)) in moves.iter().take(wish.lines.max(1)).enumerate() {
            let info = Info {
                score: Some(score(verdict)),
                pv: self.line(position, m),
                ..Info::default()
            };
            report(i + 1, &info);
            first.get_or_insert(Choice { mv: m, info });
        }
        first.ok_or_else(|| PlayerError::no_move(game))
    }

    fn nature(&self) -> Nature {
        match self.ties {
            Ties::First => Nature::Position,
            Ties::Drawn(_) => Nature::Chance,
        }
    }

    fn is_symmetric(&self) -> bool {
        matches!(self.ties, Ties::First)
    }
}
