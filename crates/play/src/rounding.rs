//! Numbers for people. "All", "none" and "nothing more" are said only when they are true: of ten million
//! positions a few hundred that fail would round to none, and a certificate would claim what it does not prove.

/// A share in per cent with so many digits behind the point.
pub fn percent(share: f64, digits: usize) -> String {
    format!("{} %", between(share * 100.0, 100.0, digits))
}

/// A number of moves with so many digits behind the point.
pub fn moves(moves: f64, digits: usize) -> String {
    between(moves, f64::INFINITY, digits)
}

/// A number that is rounded to neither 0 nor `all` unless it is that.
fn between(number: f64, all: f64, digits: usize) -> String {
    let least = 0.1_f64.powi(digits as i32);
    let number = match number {
        n if n > 0.0 && n < least => least,
        n if n < all && n > all - least => all - least,
        n => n,
    };
    format!("{number:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_and_none_are_said_only_of_all_and_none() {
        assert_eq!(percent(1.0, 3), "100.000 %");
        assert_eq!(percent(10_822_183.0 / 10_822_184.0, 3), "99.999 %");
        assert_eq!(percent(0.9996, 1), "99.9 %");
        assert_eq!(percent(0.5, 1), "50.0 %");
        assert_eq!(percent(1.0 / 10_822_184.0, 3), "0.001 %");
        assert_eq!(percent(0.0, 3), "0.000 %");
        assert_eq!(moves(0.0, 3), "0.000");
        assert_eq!(moves(0.000_02, 3), "0.001");
        assert_eq!(moves(33.0, 1), "33.0");
    }
}
