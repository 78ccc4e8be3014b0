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

/// The scores there are and how often each came up: of pairs of games where colours alternate
/// (pentanomial), else of single games.
fn scores(statistics: &Statistics) -> Vec<(f64, f64)> {
    if statistics.is_paired() {
        let counts = statistics.pentanomial();
        return (0..5).map(|i| (i as f64 / 4.0, counts[i] as f64)).collect();
    }
    [(0.0, Ending::Loss), (0.5, Ending::Draw), (1.0, Ending::Win)]
        .into_iter()
        .map(|(score, ending)| (score, statistics.count(ending) as f64))
        .collect()
}

/// What a score that never came up counts as, as in fishtest: it might have, and without it a clean
/// sweep could not be explained by any strength but an infinite one.
const NEVER_SEEN: f64 = 1e-3;

/// How much more likely the scores are if their mean is `s1` than if it is `s0`: the logarithm of the
/// ratio, with the likeliest chances of each score that have such a mean.
fn log_likelihood_ratio(scores: &[(f64, f64)], s0: f64, s1: f64) -> f64 {
    let seen: f64 = scores.iter().map(|(_, count)| count).sum();
    if seen == 0.0 {
        return 0.0;
    }
    let counts = || {
        let seen = scores.iter();
        seen.map(|&(score, count)| (score, if count == 0.0 { NEVER_SEEN } else { count }))
    };
    // The likeliest chances with mean s are count / (1 + x (score - s)), up to a factor, with the x
    // that makes their mean s; the sum below falls as x grows, from infinity to its negative.
    let multiplier = |s: f64| {
        let too_small = |x: f64| {
            let terms =
                counts().map(|(score, count)| count * (score - s) / (1.0 + x * (score - s)));
            terms.sum::<f64>() > 0.0
        };
        let (mut low, mut high) = (-1.0 / (1.0 - s), 1.0 / s);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if too_small(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        (low + high) / 2.0
    };
    let (x0, x1) = (multiplier(s0), multiplier(s1));
    let terms = counts()
        .map(|(score, count)| count * ((1.0 + x0 * (score - s0)) / (1.0 + x1 * (score - s1))).ln());
    terms.sum()
}

/// The mean score of a game and the variance of that mean.
struct MeanScore {
    mean: f64,
    variance: f64,
}

impl MeanScore {
    fn of(statistics: &Statistics) -> Option<MeanScore> {
        let pairs = scores(statistics);
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
    /// The likelihood ratio is the generalised one that fishtest computes: of all chances of a win, a
    /// draw and a loss that promise the score of a hypothesis, those that explain the games best. It
    /// needs no variance, so that a clean sweep counts for what it is.
    pub fn sprt(&self, test: Sprt) -> SprtState {
        let lower = (test.beta / (1.0 - test.alpha)).ln();
        let upper = ((1.0 - test.beta) / test.alpha).ln();
        let (s0, s1) = (expected(test.elo0), expected(test.elo1));
        let llr = log_likelihood_ratio(&scores(self), s0, s1);
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

    #[test]
    fn no_variance_is_not_no_evidence() {
        let test = Sprt {
            elo0: 0.0,
            elo1: 100.0,
            alpha: 0.05,
            beta: 0.05,
        };
        let games =
            |winner: Option<Color>, n: usize| statistics(false, &vec![winner; n]).sprt(test);
        // A win is likelier by the ratio of the scores: ln (0.6401 / 0.5) each, twelve for 2.944.
        let win = (1.0 / (1.0 + 10f64.powf(-0.25)) / 0.5f64).ln();
        assert!((games(Some(Color::White), 10).llr - 10.0 * win).abs() < 0.02);
        assert_eq!(games(Some(Color::White), 1).decision, Decision::Continue);
        assert_eq!(games(Some(Color::White), 11).decision, Decision::Continue);
        let sweep = games(Some(Color::White), 12);
        assert_eq!(sweep.decision, Decision::AcceptAlternative, "{sweep:?}");
        assert_eq!(games(Some(Color::Black), 12).decision, Decision::AcceptNull);
        assert_eq!(games(None, 100).decision, Decision::AcceptNull, "all drawn");
        assert_eq!(games(None, 0).llr, 0.0);
        // Pairs: the first player wins both games of each.
        let both: Vec<_> = [Some(Color::White), Some(Color::Black)].repeat(12);
        let pairs = statistics(true, &both).sprt(test);
        assert_eq!(pairs.decision, Decision::AcceptAlternative, "{pairs:?}");
        assert!((pairs.llr - 12.0 * win).abs() < 0.02);
    }

    /// Of many games the ratio is that of the normal approximation.
    #[test]
    fn the_ratio_of_many_games_is_the_usual_one() {
        let mut winners = vec![Some(Color::White); 2100];
        winners.extend(vec![None; 5900]);
        winners.extend(vec![Some(Color::Black); 2000]);
        let statistics = statistics(false, &winners);
        let (s0, s1) = (expected(0.0), expected(5.0));
        let score = MeanScore::of(&statistics).unwrap();
        let normal = (s1 - s0) * (2.0 * score.mean - s0 - s1) / (2.0 * score.variance);
        let exact = log_likelihood_ratio(&scores(&statistics), s0, s1);
        assert!((exact - normal).abs() < 0.01, "{exact} {normal}");
    }
}
