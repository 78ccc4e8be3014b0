//! Chance at the root.

use rand::RngExt as _;

use crate::Dice;

/// Fills `shares` with numbers that add up to 1, drawn from the symmetric Dirichlet distribution.
pub(super) fn dirichlet(alpha: f32, shares: &mut [f32], dice: &mut Dice) {
    for share in shares.iter_mut() {
        *share = gamma(alpha.into(), dice) as f32;
    }
    let sum: f32 = shares.iter().sum();
    let even = 1.0 / shares.len() as f32;
    for share in shares {
        // All may be too small for a number when α is tiny.
        *share = if sum > 0.0 { *share / sum } else { even };
    }
}

/// A number from the standard Gumbel distribution.
pub(super) fn gumbel(dice: &mut Dice) -> f32 {
    -(-unit(dice).ln()).ln() as f32
}

/// A number above 0 and below 1.
fn unit(dice: &mut Dice) -> f64 {
    dice.random::<f64>().max(f64::MIN_POSITIVE)
}

/// A number from the gamma distribution of scale 1, by Marsaglia and Tsang (2000).
fn gamma(shape: f64, dice: &mut Dice) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, dice) * unit(dice).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(dice);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && unit(dice).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// A number from the standard normal distribution, by Box and Muller.
fn normal(dice: &mut Dice) -> f64 {
    (-2.0 * unit(dice).ln()).sqrt() * (std::f64::consts::TAU * unit(dice)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance of what is drawn.
    fn moments(mut draw: impl FnMut() -> f64) -> (f64, f64) {
        let numbers: Vec<f64> = (0..40_000).map(|_| draw()).collect();
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
        (mean, squares / numbers.len() as f64)
    }

    #[test]
    fn shares_are_spread_as_the_distribution_says() {
        let mut dice = Dice::new(1);
        for (alpha, count) in [(0.3, 20), (0.03, 40), (2.0, 3)] {
            let mut shares = vec![0.0; count];
            let (mean, variance) = moments(|| {
                dirichlet(alpha, &mut shares, &mut dice);
                assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-4);
                shares[1].into()
            });
            let even = 1.0 / count as f64;
            let expected = even * (1.0 - even) / (f64::from(alpha) * count as f64 + 1.0);
            assert!((mean - even).abs() < 0.05 * even.max(0.1), "{mean} {even}");
            assert!(
                (variance / expected - 1.0).abs() < 0.1,
                "{variance} {expected}"
            );
        }
    }

    #[test]
    fn gumbel_numbers_have_their_mean_and_variance() {
        let mut dice = Dice::new(2);
        let (mean, variance) = moments(|| gumbel(&mut dice).into());
        assert!((mean - 0.577_216).abs() < 0.03, "{mean}");
        assert!((variance - 1.644_934).abs() < 0.06, "{variance}");
    }
}
