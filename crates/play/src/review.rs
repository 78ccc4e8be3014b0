//! A game held against exact truth, move by move.

use rules::{Color, Game, Move};
use truth::{Oracle, Verdict};

/// What a move did to the position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Judgement {
    /// It kept the shortest mate, the longest resistance, or the draw.
    Best,
    /// It kept the win but mates later, or is mated earlier than need be, by so many moves.
    Slower {
        /// Moves lost.
        moves: u16,
    },
    /// It threw a win away and kept a draw.
    WinThrownAway,
    /// It lost what was not lost.
    Blunder,
}

/// A move of a game and what it was worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reviewed {
    /// The move.
    pub played: Move,
    /// Who played it.
    pub side: Color,
    /// The value before the move for the side that played it, if it is known.
    pub before: Option<Verdict>,
    /// The value of the move for the same side, if it is known.
    pub after: Option<Verdict>,
    /// The moves that would have been best; empty where the value of any is unknown.
    pub best: Vec<Move>,
    /// What the move did, if that is known.
    pub judgement: Option<Judgement>,
}

/// One side's moves, counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PlayScore {
    /// Moves whose value is known.
    pub moves: usize,
    /// Those among them that were best.
    pub best: usize,
    /// Moves lost on the way without changing the result.
    pub moves_lost: u32,
    /// Wins thrown away and games lost.
    pub thrown_away: usize,
}

impl PlayScore {
    /// Counts the moves of one side.
    pub fn of(side: Color, reviewed: &[Reviewed]) -> PlayScore {
        let mut score = PlayScore::default();
        for judgement in reviewed
            .iter()
            .filter(|reviewed| reviewed.side == side)
            .filter_map(|reviewed| reviewed.judgement)
        {
            score.moves += 1;
            match judgement {
                Judgement::Best => score.best += 1,
                Judgement::Slower { moves } => score.moves_lost += u32::from(moves),
                Judgement::WinThrownAway | Judgement::Blunder => score.thrown_away += 1,
            }
        }
        score
    }
}

/// Every move of a game held against `oracle`.
pub fn review(game: &Game, oracle: &dyn Oracle) -> Vec<Reviewed> {
    game.positions()
        .zip(game.moves())
        .map(|(position, played)| {
            let values: Option<Vec<(Move, Verdict)>> = position
                .legal_moves()
                .into_iter()
                .map(|m| Some((m, oracle.probe(&position.after(m))?.before())))
                .collect();
            let values = values.unwrap_or_default();
            let before = values.iter().map(|&(_, verdict)| verdict).max();
            let after = oracle.probe(&position.after(played)).map(Verdict::before);
            let best = values
                .iter()
                .filter(|&&(_, verdict)| Some(verdict) == before)
                .map(|&(m, _)| m)
                .collect();
            Reviewed {
                played,
                side: position.turn(),
                before,
                after,
                best,
                judgement: before.zip(after).map(judge),
            }
        })
        .collect()
}

fn judge((before, after): (Verdict, Verdict)) -> Judgement {
    match (before, after) {
        (before, after) if before == after => Judgement::Best,
        (Verdict::Win { .. }, Verdict::Draw) => Judgement::WinThrownAway,
        (Verdict::Win { plies: best }, Verdict::Win { plies }) => Judgement::Slower {
            moves: (plies - best).div_ceil(2),
        },
        (Verdict::Loss { plies: best }, Verdict::Loss { plies }) => Judgement::Slower {
            moves: (best - plies).div_ceil(2),
        },
        _ => Judgement::Blunder,
    }
}

#[cfg(test)]
mod tests {
    use rules::{Position, Rules};

    use super::*;

    /// Knows what it was told; everything else is won for the side to move.
    struct Told(Vec<(&'static str, Verdict)>);

    impl Oracle for Told {
        fn probe(&self, position: &Position) -> Option<Verdict> {
            let placement = position.fen();
            let placement = placement.split(' ').next().unwrap();
            let found = self.0.iter().find(|(fen, _)| *fen == placement);
            Some(found.map_or(Verdict::Win { plies: 9 }, |&(_, verdict)| verdict))
        }
    }

    fn judged(uci: &str, oracle: &dyn Oracle) -> Reviewed {
        let start = Position::from_fen("k7/8/1K6/8/8/8/8/7R w").unwrap();
        let m = start.parse_uci(uci).unwrap();
        let mut game = Game::new(start, Rules::none());
        game.play(m).unwrap();
        review(&game, oracle).remove(0)
    }

    #[test]
    fn moves_are_held_against_the_best_one() {
        // Whatever is not told is won for black, so that the three moves told are the choice.
        let told = Told(vec![
            ("k6R/8/1K6/8/8/8/8/8", Verdict::Loss { plies: 0 }),
            ("k7/7R/1K6/8/8/8/8/8", Verdict::Loss { plies: 4 }),
            ("k7/8/1K5R/8/8/8/8/8", Verdict::Draw),
        ]);
        let mate = judged("h1h8", &told);
        assert_eq!(mate.before, Some(Verdict::Win { plies: 1 }));
        assert_eq!(
            (mate.judgement, mate.best.len()),
            (Some(Judgement::Best), 1)
        );
        let late = judged("h1h7", &told);
        assert_eq!(late.judgement, Some(Judgement::Slower { moves: 2 }));
        let draw = judged("h1h6", &told);
        assert_eq!(draw.judgement, Some(Judgement::WinThrownAway));
        let lost = judged("h1h2", &told);
        assert_eq!(lost.judgement, Some(Judgement::Blunder));
        let score = PlayScore::of(Color::White, &[mate, late, draw, lost]);
        let expected = PlayScore {
            moves: 4,
            best: 1,
            moves_lost: 2,
            thrown_away: 2,
        };
        assert_eq!(score, expected);
        assert_eq!(PlayScore::of(Color::Black, &[]), PlayScore::default());
    }

    #[test]
    fn what_is_not_known_is_not_judged() {
        struct Nothing;
        impl Oracle for Nothing {
            fn probe(&self, _: &Position) -> Option<Verdict> {
                None
            }
        }
        let move_ = judged("h1h8", &Nothing);
        assert_eq!((move_.judgement, move_.best.len()), (None, 0));
    }
}
