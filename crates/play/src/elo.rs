//! Rating differences and the sequential test that tells two players apart, as fastchess has them.

use serde::Serialize;

use crate::{Ending, Statistics, statistics::Z95};

/// A difference in rating with half its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Elo {
    /// The difference; infinite when one side won every game.
    pub difference: f64,
    /// Half the width of the interval, as far as the score allows to say.
    pub error: f64,
}

/// A sequential probability ratio test: is the first player better by `elo1` rather than by `elo0`?
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The difference of the null hypothesis.
    pub elo0: f64,
    /// The difference of the alternative.
    pub elo1: f64,
    /// The chance to accept the alternative although the null hypothesis holds.
    pub alpha: f64,
    /// The chance of the opposite error.
    pub beta: f64,
}

/// Where a test stands.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SprtState {
    /// The logarithm of the likelihood ratio.
    pub llr: f64,
    /// At or below this, the null hypothesis is accepted.
    pub lower: f64,
    /// At or above this, the alternative is accepted.
    pub upper: f64,
    /// What has been decided.
    pub decision: Decision,
}

/// What a test has decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Nothing yet.
    Continue,
    /// The difference is `elo0`.
    AcceptNull,
    /// The difference is `elo1`.
    AcceptAlternative,
}

/// The mean score of a game and the variance of that mean.
struct MeanScore {
    mean: f64,
    variance: f64,
}

impl MeanScore {
    /// From pairs of games where colours alternate (pentanomial), else from single games.
    fn of(statistics: &Statistics) -> Option<MeanScore> {
        let pairs: Vec<(f64, f64)> = if statistics.is_paired() {
            let counts = statistics.pentanomial();
            (0..5).map(|i| (i as f64 / 4.0, counts[i] as f64)).collect()
        } else {
            [(0.0, Ending::Loss), (0.5, Ending::Draw), (1.0, Ending::Win)]
                .into_iter()
                .map(|(score, ending)| (score, statistics.count(ending) as f64))
                .collect()
        };
        let n: f64 = pairs.iter().map(|(_, count)| count).sum();
        if n == 0.0 {
            return None;
        }
        let mean = pairs.iter().map(|(s, count)| s * count).sum::<f64>() / n;
        let variance = pairs
            .iter()
            .map(|(s, count)| (s - mean).powi(2) * count)
            .sum::<f64>()
            / n;
        Some(MeanScore {
            mean,
            variance: variance / n,
        })
    }
}

/// The score that a rating difference promises.
fn expected(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

fn difference(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

impl Statistics {
    /// The first player's rating above the second's; `None` without games (or pairs).
    pub fn elo(&self) -> Option<Elo> {
        let score = MeanScore::of(self)?;
        let margin = Z95 * score.variance.sqrt();
        let inside = |score: f64| score.clamp(1e-6, 1.0 - 1e-6);
        Some(Elo {
            difference: difference(score.mean),
            error: (difference(inside(score.mean + margin))
                - difference(inside(score.mean - margin)))
                / 2.0,
        })
    }

    /// Where a sequential test stands after these games.
    ///
    /// The likelihood ratio is that of the normal approximation, with the variance measured.
    pub fn sprt(&self, test: Sprt) -> SprtState {
        let lower = (test.beta / (1.0 - test.alpha)).ln();
        let upper = ((1.0 - test.beta) / test.alpha).ln();
        let (s0, s1) = (expected(test.elo0), expected(test.elo1));
        let llr = MeanScore::of(self)
            .filter(|score| score.variance > 0.0)
            .map_or(0.0, |score| {
                (s1 - s0) * (2.0 * score.mean - s0 - s1) / (2.0 * score.variance)
            });
        SprtState {
            llr,
            lower,
            upper,
            decision: if llr >= upper {
                Decision::AcceptAlternative
            } else if llr <= lower {
                Decision::AcceptNull
            } else {
                Decision::Continue
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GameRecord;
    use rules::{Color, Reason};

    fn statistics(paired: bool, winners: &[Option<Color>]) -> Statistics {
        let mut statistics = Statistics::new(paired);
        for (index, &winner) in winners.iter().enumerate() {
            statistics.add(&GameRecord {
                index: index as u64,
                white: String::new(),
                black: String::new(),
                seed: 0,
                start: "8/8/8/8/8/8/8/8 w - - 0 1".into(),
                moves: String::new(),
                plies: 0,
                winner,
                reason: Reason::Resignation,
                optimal_plies: None,
                remark: None,
            });
        }
        statistics
    }

    #[test]
    fn elo_of_known_scores() {
        let mut winners = vec![Some(Color::White); 30];
        winners.extend([Some(Color::Black); 10]);
        let elo = statistics(false, &winners).elo().unwrap();
        // 75 % is 190.8 points.
        assert!((elo.difference - 190.85).abs() < 0.01, "{elo:?}");
        assert!((80.0..160.0).contains(&elo.error), "{elo:?}");
        assert_eq!(statistics(false, &[]).elo(), None);
        let all = statistics(false, &[Some(Color::White); 5]).elo().unwrap();
        assert_eq!(all.difference, f64::INFINITY);
    }

    #[test]
    fn a_pair_of_wins_with_white_is_a_draw() {
        let white = [Some(Color::White); 40];
        let paired = statistics(true, &white);
        assert_eq!(paired.pentanomial(), [0, 0, 20, 0, 0]);
        assert_eq!(paired.elo().unwrap().difference, 0.0);
    }

    #[test]
    fn the_test_decides_in_the_right_direction() {
        let test = Sprt {
            elo0: 0.0,
            elo1: 10.0,
            alpha: 0.05,
            beta: 0.05,
        };
        let mixed = |wins: usize, losses: usize| {
            let mut winners = vec![Some(Color::White); wins];
            winners.extend(vec![Some(Color::Black); losses]);
            statistics(false, &winners).sprt(test)
        };
        assert!((mixed(1, 1).upper - 2.944).abs() < 1e-3);
        assert_eq!(mixed(1, 1).decision, Decision::Continue);
        assert_eq!(mixed(1200, 900).decision, Decision::AcceptAlternative);
        assert_eq!(mixed(900, 1200).decision, Decision::AcceptNull);
    }
}
