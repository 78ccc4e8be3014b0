//! From numbers to places on a drawing, and round numbers to write beside it.

/// A stretch of numbers along a stretch of the drawing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    log: bool,
}

impl Scale {
    /// Numbers from `low` to `high`, widened to round ones, drawn between `from` and `to`.
    pub fn new(low: f64, high: f64, from: f64, to: f64, log: bool) -> Scale {
        let (low, high) = if log {
            let low = low.max(1e-9).log10().floor();
            let high = high.max(1e-9).log10().ceil();
            (low, if high > low { high } else { low + 1.0 })
        } else {
            let high = if high > low { high } else { low + 1.0 };
            let step = step(high - low);
            ((low / step).floor() * step, (high / step).ceil() * step)
        };
        Scale {
            low,
            high,
            from,
            to,
            log,
        }
    }

    /// The place of a number.
    pub fn place(&self, value: f64) -> f64 {
        let value = if self.log {
            value.max(1e-9).log10()
        } else {
            value
        };
        let share = (value - self.low) / (self.high - self.low);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Round numbers to mark.
    pub fn ticks(&self) -> Vec<f64> {
        let step = if self.log {
            1.0
        } else {
            step(self.high - self.low)
        };
        let count = ((self.high - self.low) / step).round() as usize;
        (0..=count)
            .map(|i| self.low + step * i as f64)
            .map(|tick| if self.log { 10f64.powf(tick) } else { tick })
            .collect()
    }
}

/// A round step that divides a stretch into four to ten parts.
fn step(stretch: f64) -> f64 {
    let power = 10f64.powf((stretch / 5.0).log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| stretch / step <= 6.0)
        .unwrap_or(10.0 * power)
}

/// A number as short as it can be written beside a tick.
pub(crate) fn label(value: f64) -> String {
    let text = match value.abs() {
        v if v >= 1e6 => return format!("{}M", trimmed(value / 1e6, 1)),
        v if v >= 10_000.0 => return format!("{}k", trimmed(value / 1000.0, 1)),
        v if v >= 10.0 => trimmed(value, 1),
        0.0 => "0".into(),
        v if v < 0.01 => format!("{value:.0e}"),
        _ => trimmed(value, 2),
    };
    text.replace('-', "−")
}

fn trimmed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_numbers() {
        for (low, high) in [
            (0.0, 1.0),
            (0.0, 97.3),
            (-3.0, 12.0),
            (0.0, 0.0044),
            (5.0, 5.0),
        ] {
            let scale = Scale::new(low, high, 0.0, 100.0, false);
            let ticks = scale.ticks();
            assert!((3..=8).contains(&ticks.len()), "{ticks:?}");
            assert!(
                ticks[0] <= low && ticks[ticks.len() - 1] >= high,
                "{ticks:?}"
            );
            assert_eq!(scale.place(ticks[0]), 0.0);
        }
        let log = Scale::new(1.0, 12_300.0, 0.0, 100.0, true);
        assert_eq!(log.ticks().len(), 6);
        assert!((log.place(1000.0) - 60.0).abs() < 1e-9);
    }

    #[test]
    fn labels_are_short() {
        let labels = [0.0, 0.25, 40.0, 100.0, 12_500.0, 1e6, -2.0].map(label);
        assert_eq!(labels, ["0", "0.25", "40", "100", "12.5k", "1M", "−2"]);
    }
}
