//! Ratings of many players from the games they have played, all at once.
//!
//! The likeliest ratings under the logistic model: a player rated d above another scores
//! 1 / (1 + 10^(−d/400)) a game, a draw counting as half a win. That is Ordo's and, but for its draws,
//! BayesElo's model; the likelihood has one maximum, which Newton's method finds in a few steps.
//!
//! Whoever wins or loses every game has no finite rating. As in BayesElo, a prior keeps it finite: each
//! player has drawn some games that nobody saw, shared among those it has met. With a prior of zero the
//! ratings are Ordo's, and a clean sweep is an error.
//!
//! Intervals do not trust the model: they come from how far the results of pairs of games (the same
//! opening with either colour) scatter around what the ratings promise (White 1982, the sandwich
//! estimator), so that draws and lopsided openings count for what they are. To what was seen one pair is
//! added as the model has it, without draws: a few games that ended alike are no certainty.

use serde::Serialize;

use crate::statistics::Z95;

/// What two players have scored against each other: pairs of games by the half points of the first, 0
/// to 4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encounter {
    /// The number of the first player …
    pub first: usize,
    /// … and of the second.
    pub second: usize,
    /// Pairs of games by half points of the first player.
    pub pairs: [u64; 5],
}

impl Encounter {
    /// Games.
    pub fn games(&self) -> u64 {
        2 * self.pairs.iter().sum::<u64>()
    }

    /// Points of the first player.
    pub fn points(&self) -> f64 {
        let half_points = (0..).zip(&self.pairs).map(|(points, &n)| points * n);
        half_points.sum::<u64>() as f64 / 2.0
    }
}

/// A rating with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// Elo points.
    pub elo: f64,
    /// Half the width of the interval; 0 for anchors.
    pub error: f64,
}

/// The ratings of players.
#[derive(Clone, PartialEq, Debug)]
pub struct Ratings {
    elo: Vec<f64>,
    /// Covariances of the ratings, row by row.
    covariances: Vec<f64>,
}

/// Why there are no ratings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RatingError {
    /// Without a prior, a player that has won or lost everything against the others.
    #[error("player {player} has {what} every game: without a prior it has no finite rating")]
    CleanSweep {
        /// Its number.
        player: usize,
        /// What it has done.
        what: &'static str,
    },
    /// Players that have met nobody whose rating is known, not even indirectly.
    #[error("player {player} has met nobody who leads to {anchor}, by whom all are rated")]
    Apart {
        /// Its number.
        player: usize,
        /// One that it cannot be compared with.
        anchor: usize,
    },
}

/// Elo points to one unit of the logistic model.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

impl Ratings {
    /// The likeliest ratings of `players` players.
    ///
    /// `anchors` are numbers of players whose rating is known. Without one, the mean of all is zero.
    /// `prior` is the number of games that each player is taken to have drawn besides.
    ///
    /// # Errors
    /// When a rating is not finite, or players cannot be compared.
    pub fn fit(
        players: usize,
        encounters: &[Encounter],
        anchors: &[(usize, f64)],
        prior: f64,
    ) -> Result<Ratings, RatingError> {
        connected(players, encounters, anchors)?;
        if prior == 0.0 {
            no_clean_sweep(players, encounters, anchors)?;
        }
        // Without an anchor the first player stands still, and the mean is taken away at the end.
        let fixed: Vec<(usize, f64)> = match anchors.is_empty() {
            true => vec![(0, 0.0)],
            false => anchors.to_vec(),
        };
        let mut at = vec![0.0; players];
        let middle = fixed.iter().map(|(_, elo)| elo).sum::<f64>() / fixed.len() as f64;
        at.fill(middle / SCALE);
        for &(player, elo) in &fixed {
            at[player] = elo / SCALE;
        }
        let free: Vec<usize> = (0..players)
            .filter(|player| fixed.iter().all(|(anchor, _)| anchor != player))
            .collect();
        let weights = prior_weights(players, encounters, prior);
        for _ in 0..100 {
            let (slope, bend) = derivatives(&at, &free, encounters, &weights);
            let step = solve(&bend, &slope, free.len());
            // Far from the maximum a whole step may lead further away.
            let longest = step.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
            let shorten = (1.0 / longest.max(1e-300)).min(1.0);
            for (&player, step) in free.iter().zip(&step) {
                at[player] += shorten * step;
            }
            if longest < 1e-12 {
                break;
            }
        }
        let covariances = covariances(&at, &free, players, encounters, &weights);
        let mut ratings = Ratings {
            elo: at.iter().map(|x| x * SCALE).collect(),
            covariances: covariances.iter().map(|c| c * SCALE * SCALE).collect(),
        };
        for &(player, elo) in anchors {
            ratings.elo[player] = elo;
        }
        if anchors.is_empty() {
            ratings.centre();
        }
        Ok(ratings)
    }

    /// Makes the mean of all ratings zero.
    fn centre(&mut self) {
        let n = self.elo.len();
        let mean = self.elo.iter().sum::<f64>() / n as f64;
        self.elo.iter_mut().for_each(|elo| *elo -= mean);
        let at = |c: &[f64], i: usize, j: usize| c[i * n + j];
        let old = self.covariances.clone();
        let row = |i: usize| (0..n).map(|j| at(&old, i, j)).sum::<f64>() / n as f64;
        let rows: Vec<f64> = (0..n).map(row).collect();
        let all = rows.iter().sum::<f64>() / n as f64;
        for i in 0..n {
            for j in 0..n {
                self.covariances[i * n + j] = at(&old, i, j) - rows[i] - rows[j] + all;
            }
        }
    }

    /// A player's rating.
    pub fn of(&self, player: usize) -> Rating {
        let n = self.elo.len();
        Rating {
            elo: self.elo[player],
            error: Z95 * self.covariances[player * n + player].max(0.0).sqrt(),
        }
    }

    /// How much higher one player is rated than another.
    pub fn difference(&self, player: usize, other: usize) -> Rating {
        let n = self.elo.len();
        let c = |i: usize, j: usize| self.covariances[i * n + j];
        let variance = c(player, player) + c(other, other) - 2.0 * c(player, other);
        Rating {
            elo: self.elo[player] - self.elo[other],
            error: Z95 * variance.max(0.0).sqrt(),
        }
    }

    /// How likely it is that one player is better than another.
    pub fn superiority(&self, player: usize, other: usize) -> f64 {
        let Rating { elo, error } = self.difference(player, other);
        match error > 0.0 {
            true => normal(elo * Z95 / error),
            false => 0.5 + 0.5 * elo.signum() * f64::from(u8::from(elo != 0.0)),
        }
    }
}

/// The score that a difference promises.
fn promised(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// For each encounter, games that its players are taken to have drawn.
fn prior_weights(players: usize, encounters: &[Encounter], prior: f64) -> Vec<f64> {
    let mut games = vec![0.0; players];
    for encounter in encounters {
        games[encounter.first] += encounter.games() as f64;
        games[encounter.second] += encounter.games() as f64;
    }
    let share = |games: f64, of: u64| prior * of as f64 / games.max(1.0);
    encounters
        .iter()
        .map(|e| (share(games[e.first], e.games()) + share(games[e.second], e.games())) / 2.0)
        .collect()
}

/// The slope of the log-likelihood by the free ratings, and how it bends (negative second
/// derivatives, row by row).
fn derivatives(
    at: &[f64],
    free: &[usize],
    encounters: &[Encounter],
    prior: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let n = free.len();
    let (mut slope, mut bend) = (vec![0.0; n], vec![0.0; n * n]);
    let place = |player: usize| free.iter().position(|&other| other == player);
    for (encounter, drawn) in encounters.iter().zip(prior) {
        let games = encounter.games() as f64 + drawn;
        let points = encounter.points() + drawn / 2.0;
        let score = promised(at[encounter.first] - at[encounter.second]);
        let (excess, curve) = (points - games * score, games * score * (1.0 - score));
        let places = [place(encounter.first), place(encounter.second)];
        for (i, sign) in places.into_iter().zip([1.0, -1.0]) {
            let Some(i) = i else { continue };
            slope[i] += sign * excess;
            for (j, other) in places.into_iter().zip([1.0, -1.0]) {
                let Some(j) = j else { continue };
                bend[i * n + j] += sign * other * curve;
            }
        }
    }
    (slope, bend)
}

/// Covariances of all ratings: how results scatter, seen through the bend of the likelihood.
fn covariances(
    at: &[f64],
    free: &[usize],
    players: usize,
    encounters: &[Encounter],
    prior: &[f64],
) -> Vec<f64> {
    let n = free.len();
    let (_, bend) = derivatives(at, free, encounters, prior);
    let inverse: Vec<Vec<f64>> = (0..n)
        .map(|column| {
            let unit: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == column))).collect();
            solve(&bend, &unit, n)
        })
        .collect();
    let mut covariances = vec![0.0; players * players];
    let place = |player: usize| free.iter().position(|&other| other == player);
    for (encounter, drawn) in encounters.iter().zip(prior) {
        let score = promised(at[encounter.first] - at[encounter.second]);
        let promised = 2.0 * score;
        let pairs = (0..).zip(&encounter.pairs);
        let scatter = |points: f64, n: f64| n * (points - promised).powi(2);
        let seen: f64 = pairs
            .map(|(half_points, &n)| scatter(f64::from(half_points) / 2.0, n as f64))
            .sum();
        let unseen = 2.0 * score * (1.0 - score);
        let scatter = seen + unseen + scatter(1.0, drawn / 2.0);
        // What a surplus in this encounter does to each rating.
        let effect = |player: usize| -> f64 {
            let Some(row) = place(player) else { return 0.0 };
            let of = |side: usize| place(side).map_or(0.0, |i| inverse[i][row]);
            of(encounter.first) - of(encounter.second)
        };
        let effects: Vec<f64> = (0..players).map(effect).collect();
        for i in 0..players {
            for j in 0..players {
                covariances[i * players + j] += scatter * effects[i] * effects[j];
            }
        }
    }
    covariances
}

/// Solves `matrix` · x = `right` for a positive definite matrix, by Cholesky's decomposition.
fn solve(matrix: &[f64], right: &[f64], n: usize) -> Vec<f64> {
    let mut root = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| root[i * n + k] * root[j * n + k]).sum();
            let rest = matrix[i * n + j] - known;
            root[i * n + j] = match i == j {
                true => rest.max(1e-12).sqrt(),
                false => rest / root[j * n + j],
            };
        }
    }
    let mut x = right.to_vec();
    for i in 0..n {
        let known: f64 = (0..i).map(|k| root[i * n + k] * x[k]).sum();
        x[i] = (x[i] - known) / root[i * n + i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| root[k * n + i] * x[k]).sum();
        x[i] = (x[i] - known) / root[i * n + i];
    }
    x
}

/// Can everybody be compared with the anchors, or with the first player?
fn connected(
    players: usize,
    encounters: &[Encounter],
    anchors: &[(usize, f64)],
) -> Result<(), RatingError> {
    let mut known = vec![false; players];
    let anchor = anchors.first().map_or(0, |&(player, _)| player);
    known[anchor] = true;
    anchors.iter().for_each(|&(player, _)| known[player] = true);
    loop {
        let before = known.clone();
        for encounter in encounters.iter().filter(|e| e.games() > 0) {
            let either = known[encounter.first] || known[encounter.second];
            (known[encounter.first], known[encounter.second]) = (either, either);
        }
        if known == before {
            break;
        }
    }
    match known.iter().position(|known| !known) {
        Some(player) => Err(RatingError::Apart { player, anchor }),
        None => Ok(()),
    }
}

fn no_clean_sweep(
    players: usize,
    encounters: &[Encounter],
    anchors: &[(usize, f64)],
) -> Result<(), RatingError> {
    for player in (0..players).filter(|p| anchors.iter().all(|(anchor, _)| anchor != p)) {
        let (mut points, mut games) = (0.0, 0.0);
        for encounter in encounters {
            let all = encounter.games() as f64;
            if encounter.first == player {
                (points, games) = (points + encounter.points(), games + all);
            } else if encounter.second == player {
                (points, games) = (points + all - encounter.points(), games + all);
            }
        }
        let what = match points {
            _ if points == games => "won",
            0.0 => "lost",
            _ => continue,
        };
        return Err(RatingError::CleanSweep { player, what });
    }
    Ok(())
}

/// The normal distribution up to `x`, by the rational approximation of Abramowitz and Stegun (7.1.26),
/// to about 10⁻⁷.
fn normal(x: f64) -> f64 {
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let series = t
        * (0.254_829_592
            + t * (-0.284_496_736
                + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let above = 0.5 * series * (-z * z).exp();
    if x < 0.0 { above } else { 1.0 - above }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encounter(first: usize, second: usize, pairs: [u64; 5]) -> Encounter {
        Encounter {
            first,
            second,
            pairs,
        }
    }

    #[test]
    fn two_players_differ_by_the_logistic_curve() {
        // 30 points of 40 games.
        let games = [encounter(0, 1, [0, 0, 5, 10, 5])];
        let ratings = Ratings::fit(2, &games, &[], 0.0).unwrap();
        let difference = ratings.difference(0, 1).elo;
        assert!((difference - 400.0 * 3.0_f64.log10()).abs() < 1e-9);
        assert!((ratings.of(0).elo + ratings.of(1).elo).abs() < 1e-9);
        assert!(ratings.superiority(0, 1) > 0.999);
        assert!((ratings.superiority(0, 1) + ratings.superiority(1, 0) - 1.0).abs() < 1e-9);
        // The interval is that of the score's own scatter: 20 pairs with a variance of 1/8 each, and
        // one as two games without draws have it.
        let score = 0.75_f64;
        let slope = SCALE / (score * (1.0 - score));
        let variance = (20.0 * 0.125 + 2.0 * score * (1.0 - score)) / 20.0;
        let deviation = (variance / 20.0).sqrt() / 2.0;
        let error = ratings.difference(0, 1).error;
        assert!((error - Z95 * slope * deviation).abs() < 1e-6, "{error}");
    }

    #[test]
    fn ratings_explain_the_scores_they_come_from() {
        let games = [
            encounter(0, 1, [1, 2, 3, 4, 5]),
            encounter(1, 2, [0, 3, 3, 4, 2]),
            encounter(2, 3, [5, 1, 1, 1, 0]),
            encounter(3, 0, [2, 2, 2, 2, 2]),
        ];
        let ratings = Ratings::fit(4, &games, &[(2, 1500.0)], 0.0).unwrap();
        assert_eq!((ratings.of(2).elo, ratings.of(2).error), (1500.0, 0.0));
        for player in [0, 1, 3] {
            let mut surplus = 0.0;
            for e in &games {
                let promised = promised(ratings.difference(e.first, e.second).elo / SCALE);
                let more = e.points() - e.games() as f64 * promised;
                if e.first == player {
                    surplus += more;
                } else if e.second == player {
                    surplus -= more;
                }
            }
            assert!(surplus.abs() < 1e-8, "{player}: {surplus}");
            assert!(ratings.of(player).error > 0.0);
        }
    }

    #[test]
    fn a_clean_sweep_needs_a_prior() {
        let games = [encounter(0, 1, [0, 0, 0, 0, 50])];
        let error = Ratings::fit(2, &games, &[], 0.0).unwrap_err();
        assert!(matches!(error, RatingError::CleanSweep { player: 0, .. }));
        let ratings = Ratings::fit(2, &games, &[], 1.0).unwrap();
        let difference = ratings.difference(0, 1);
        // One draw beside a hundred wins.
        let score = 100.5_f64 / 101.0;
        let right = SCALE * (score / (1.0 - score)).ln();
        assert!((difference.elo - right).abs() < 1e-6, "{difference:?}");
        assert!(difference.error > 100.0, "{difference:?}");
    }

    #[test]
    fn who_has_met_nobody_cannot_be_rated() {
        let games = [encounter(0, 1, [1, 1, 1, 1, 1]), encounter(2, 3, [1; 5])];
        let error = Ratings::fit(4, &games, &[], 1.0).unwrap_err();
        assert_eq!(
            error,
            RatingError::Apart {
                player: 2,
                anchor: 0
            }
        );
        assert!(Ratings::fit(4, &games, &[(0, 0.0), (3, 100.0)], 1.0).is_ok());
    }

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        for (x, right) in [
            (0.0, 0.5),
            (1.0, 0.841_344_75),
            (-1.96, 0.024_997_9),
            (4.0, 0.999_968_33),
        ] {
            assert!((normal(x) - right).abs() < 2e-7, "{x}");
        }
    }
}
