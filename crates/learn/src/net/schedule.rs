//! The learning rate over the course of a training.

/// A rate that rises at the start, stays, and falls to zero along half a cosine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Schedule {
    /// The highest rate.
    pub rate: f64,
    /// Steps over which it rises; 0 to begin with the highest.
    pub warm_up: u64,
    /// The share of the course after which it begins to fall, 0 to 1.
    pub settle: f64,
}

impl Schedule {
    /// A rate that falls from the start.
    pub fn falling(rate: f64) -> Schedule {
        Schedule {
            rate,
            warm_up: 0,
            settle: 0.0,
        }
    }

    /// The rate after so many steps, at a point of the course, 0 to 1.
    ///
    /// Steps and course are told apart because a course may be counted in games.
    pub fn at(&self, steps: u64, course: f64) -> f64 {
        let warm = ((steps + 1) as f64 / self.warm_up as f64).min(1.0);
        let fallen = (course - self.settle) / (1.0 - self.settle).max(1e-9);
        let fallen = fallen.clamp(0.0, 1.0);
        self.rate * warm * (0.5 + 0.5 * (std::f64::consts::PI * fallen).cos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rises_stays_and_falls() {
        let schedule = Schedule {
            rate: 0.1,
            warm_up: 10,
            settle: 0.5,
        };
        assert!((schedule.at(0, 0.0) - 0.01).abs() < 1e-12);
        assert_eq!(schedule.at(9, 0.1), 0.1);
        assert_eq!(schedule.at(1_000, 0.5), 0.1);
        assert!((schedule.at(1_000, 0.75) - 0.05).abs() < 1e-12);
        assert!(schedule.at(1_000, 1.0).abs() < 1e-12);
        assert!(schedule.at(1_000, 1.5).abs() < 1e-12);
    }

    #[test]
    fn without_rise_and_rest_it_is_half_a_cosine() {
        for i in 0..=10u32 {
            let course = f64::from(i) / 10.0;
            let half_cosine = 0.5 + 0.5 * (std::f64::consts::PI * course).cos();
            assert_eq!(
                Schedule::falling(0.3).at(i.into(), course),
                0.3 * half_cosine
            );
        }
    }
}
