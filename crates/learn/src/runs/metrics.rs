//! The curve of a run.

use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// One point of the curve. It holds nothing that depends on the speed of the machine, so that
/// equal runs have equal curves.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// Games played.
    pub episodes: u64,
    /// Plies played.
    pub plies: u64,
    /// The share of training games won since the last point.
    pub win_rate: f64,
    /// The mean length of these games in plies.
    pub mean_plies: f64,
    /// The chance of a random move, if the learner makes random moves.
    pub epsilon: Option<f64>,
    /// Different positions in which white has moved.
    pub visited: u64,
    /// Greedy choices since the last point, of a learner that can think of moves which are not legal …
    pub greedy: u64,
    /// … and how many of them were legal moves.
    pub legal: u64,
    /// The share of evaluation games won, by opponent; `None` at points without evaluation.
    pub evaluations: Vec<Option<f64>>,
}

impl Point {
    /// The share of greedy choices that were legal, of a learner that can think of others.
    pub fn legal_rate(&self) -> Option<f64> {
        (self.greedy > 0).then(|| self.legal as f64 / self.greedy as f64)
    }
}

/// The curve: points in the order of their games.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Metrics {
    /// The opponents of the evaluations.
    pub opponents: Vec<String>,
    /// The points.
    pub points: Vec<Point>,
}

impl Metrics {
    /// The curve as comma-separated values with a head line.
    pub fn csv(&self) -> String {
        let mut text =
            String::from("episodes,plies,win_rate,mean_plies,epsilon,visited,greedy,legal");
        for opponent in &self.opponents {
            // A player's name may contain commas.
            text.push_str(&format!(",\"wins against {opponent}\""));
        }
        text.push('\n');
        let number =
            |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.6}"));
        for point in &self.points {
            text.push_str(&format!(
                "{},{},{:.6},{:.3},{},{},{},{}",
                point.episodes,
                point.plies,
                point.win_rate,
                point.mean_plies,
                number(point.epsilon),
                point.visited,
                point.greedy,
                point.legal
            ));
            for &evaluation in &point.evaluations {
                text.push(',');
                text.push_str(&number(evaluation));
            }
            text.push('\n');
        }
        text
    }

    /// Reads what [`Metrics::csv`] wrote; a last line that is cut short is left out.
    ///
    /// The file `metrics.csv` of a run is newer than its last checkpoint while the run goes on.
    pub fn from_csv(text: &str) -> Metrics {
        let mut lines = text.lines();
        let head = lines.next().unwrap_or_default();
        let opponents = head
            .split(",\"wins against ")
            .skip(1)
            .map(|name| name.trim_end_matches('"').to_owned());
        let mut metrics = Metrics {
            opponents: opponents.collect(),
            points: Vec::new(),
        };
        let optional = |field: &str| (!field.is_empty()).then(|| field.parse()).transpose().ok();
        let point = |line: &str| -> Option<Point> {
            let fields: Vec<&str> = line.split(',').collect();
            let [
                episodes,
                plies,
                win_rate,
                mean_plies,
                epsilon,
                visited,
                greedy,
                legal,
                evaluations @ ..,
            ] = &fields[..]
            else {
                return None;
            };
            if evaluations.len() != metrics.opponents.len() {
                return None;
            }
            Some(Point {
                episodes: episodes.parse().ok()?,
                plies: plies.parse().ok()?,
                win_rate: win_rate.parse().ok()?,
                mean_plies: mean_plies.parse().ok()?,
                epsilon: optional(epsilon)?,
                visited: visited.parse().ok()?,
                greedy: greedy.parse().ok()?,
                legal: legal.parse().ok()?,
                evaluations: evaluations
                    .iter()
                    .map(|field| optional(field))
                    .collect::<Option<_>>()?,
            })
        };
        metrics.points = lines.map_while(point).collect();
        metrics
    }

    /// The curves of one point by name, as TensorBoard wants them.
    pub fn scalars(&self, point: &Point) -> Vec<(String, f64)> {
        let mut scalars = vec![
            ("training/win rate".to_owned(), point.win_rate),
            ("training/plies per game".to_owned(), point.mean_plies),
            (
                "training/positions visited".to_owned(),
                point.visited as f64,
            ),
        ];
        let optional = [
            ("training/epsilon", point.epsilon),
            ("training/legal rate", point.legal_rate()),
        ];
        for (tag, value) in optional {
            scalars.extend(value.map(|value| (tag.to_owned(), value)));
        }
        for (opponent, evaluation) in self.opponents.iter().zip(&point.evaluations) {
            scalars.extend(evaluation.map(|wins| (format!("evaluation/{opponent}"), wins)));
        }
        scalars
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        out.u64(self.opponents.len() as u64);
        self.opponents
            .iter()
            .for_each(|name| out.bytes(name.as_bytes()));
        out.u64(self.points.len() as u64);
        let optional = |value: Option<f64>| value.unwrap_or(f64::NAN);
        for point in &self.points {
            out.u64(point.episodes);
            out.u64(point.plies);
            out.f64(point.win_rate);
            out.f64(point.mean_plies);
            out.f64(optional(point.epsilon));
            out.u64(point.visited);
            out.u64(point.greedy);
            out.u64(point.legal);
            point
                .evaluations
                .iter()
                .for_each(|&wins| out.f64(optional(wins)));
        }
    }

    /// Reads what [`Metrics::save`] wrote, in older records without the counts of choices.
    pub(crate) fn load(from: &mut Reader<'_>, with_choices: bool) -> Result<Metrics, LearnError> {
        let mut metrics = Metrics::default();
        for _ in 0..from.u64()? {
            let name = String::from_utf8(from.bytes()?.to_vec());
            metrics
                .opponents
                .push(name.map_err(|_| LearnError::Record)?);
        }
        let optional = |value: f64| Some(value).filter(|value| !value.is_nan());
        let choices = |from: &mut Reader<'_>| match with_choices {
            true => from.u64(),
            false => Ok(0),
        };
        for _ in 0..from.u64()? {
            metrics.points.push(Point {
                episodes: from.u64()?,
                plies: from.u64()?,
                win_rate: from.f64()?,
                mean_plies: from.f64()?,
                epsilon: optional(from.f64()?),
                visited: from.u64()?,
                greedy: choices(from)?,
                legal: choices(from)?,
                evaluations: (0..metrics.opponents.len())
                    .map(|_| from.f64().map(optional))
                    .collect::<Result<_, _>>()?,
            });
        }
        Ok(metrics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_read_back_and_a_torn_line_left_out() {
        let point = |episodes: u64, wins: Option<f64>| Point {
            episodes,
            plies: 10 * episodes,
            win_rate: 0.25,
            mean_plies: 10.0,
            epsilon: wins,
            visited: 7,
            greedy: 5,
            legal: 4,
            evaluations: vec![wins, None],
        };
        let metrics = Metrics {
            opponents: vec!["minimax:depth=2,history=off".into(), "random".into()],
            points: vec![point(1, None), point(2, Some(0.5))],
        };
        let csv = metrics.csv();
        assert_eq!(Metrics::from_csv(&csv), metrics);
        let torn = Metrics::from_csv(&csv[..csv.len() - 8]);
        assert_eq!(torn.points, metrics.points[..1]);
        assert_eq!(Metrics::from_csv(""), Metrics::default());
    }

    #[test]
    fn records_without_choices_are_still_read() {
        let point = Point {
            episodes: 3,
            plies: 30,
            win_rate: 0.5,
            mean_plies: 10.0,
            epsilon: None,
            visited: 7,
            greedy: 4,
            legal: 3,
            evaluations: Vec::new(),
        };
        assert_eq!(point.legal_rate(), Some(0.75));
        let metrics = Metrics {
            opponents: Vec::new(),
            points: vec![point.clone()],
        };
        let mut out = Writer::default();
        metrics.save(&mut out);
        let record = out.into_bytes();
        let load = |record: &[u8], new| Metrics::load(&mut Reader::new(record), new).unwrap();
        assert_eq!(load(&record, true), metrics);
        // What is added stands at the end of a point.
        let old = load(&record[..record.len() - 16], false);
        let before = Point {
            greedy: 0,
            legal: 0,
            ..point
        };
        assert_eq!(old.points, [before]);
    }
}
