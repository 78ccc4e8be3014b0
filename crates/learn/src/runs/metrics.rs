//! The curve of a run: scalars by name, a row of them for each point.
//!
//! Names are those that TensorBoard groups by: what stands before the slash is a chart's place,
//! what stands behind it its title. The ones below are those of the runner and of the learners of
//! endgames; every learner can bring its own.

use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// Plies played, or examples studied, since the beginning.
pub const PLIES: &str = "training/plies";
/// The share of training games won since the last point.
pub const WIN_RATE: &str = "training/win_rate";
/// The mean length of these games in plies.
pub const PLIES_PER_GAME: &str = "training/plies_per_game";
/// The chance of a random move in the next game.
pub const EPSILON: &str = "training/epsilon";
/// Different positions met so far.
pub const POSITIONS_MET: &str = "training/positions_met";
/// Greedy choices since the last point, of a learner that can think of moves which are not legal …
pub const GREEDY_CHOICES: &str = "training/greedy_choices";
/// … how many of them were legal moves …
pub const LEGAL_CHOICES: &str = "training/legal_choices";
/// … and which share.
pub const LEGAL_RATE: &str = "training/legal_rate";
/// The mean squared error over all training positions, in moves.
pub const SQUARED_ERROR: &str = "training/squared_error";
/// Begins the names of evaluations: the share of games won against the opponent that follows.
pub const EVALUATION: &str = "evaluation/";

/// The curve: points in the order of their episodes. It holds nothing that depends on the speed of
/// the machine, so that equal runs have equal curves.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Metrics {
    names: Vec<String>,
    points: Vec<Point>,
}

/// One point of the curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// Episodes played.
    pub episodes: u64,
    /// By the number of the name; what is not there was not measured at this point.
    values: Vec<Option<f64>>,
}

impl Metrics {
    /// The names, in the order in which they came.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The points.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Adds a point. Returns whether it brought names that no point before it had.
    pub fn push(&mut self, episodes: u64, scalars: &[(String, f64)]) -> bool {
        let known = self.names.len();
        let mut values = vec![None; known];
        for (name, value) in scalars {
            let at = match self.names.iter().position(|other| other == name) {
                Some(at) => at,
                None => {
                    self.names.push(name.clone());
                    values.push(None);
                    self.names.len() - 1
                }
            };
            values[at] = Some(*value);
        }
        self.points.push(Point { episodes, values });
        self.names.len() > known
    }

    /// A scalar at a point.
    pub fn value(&self, point: &Point, name: &str) -> Option<f64> {
        let at = self.names.iter().position(|other| other == name)?;
        *point.values.get(at)?
    }

    /// The curve of one scalar: episodes and values, where it was measured.
    pub fn series(&self, name: &str) -> Vec<(u64, f64)> {
        let points = self.points.iter();
        points
            .filter_map(|point| Some((point.episodes, self.value(point, name)?)))
            .collect()
    }

    /// A scalar at the last point.
    pub fn last(&self, name: &str) -> Option<f64> {
        self.value(self.points.last()?, name)
    }

    /// The opponents of the evaluations.
    pub fn opponents(&self) -> impl Iterator<Item = &str> {
        self.names
            .iter()
            .filter_map(|name| name.strip_prefix(EVALUATION))
    }

    /// The curve as comma-separated values with a head line.
    pub fn csv(&self) -> String {
        let mut text = String::from("episodes");
        for name in &self.names {
            // A player's name may contain commas, but no quotes.
            match name.contains(',') {
                true => text.push_str(&format!(",\"{name}\"")),
                false => text.push_str(&format!(",{name}")),
            }
        }
        text.push('\n');
        for point in &self.points {
            text.push_str(&self.csv_line(point));
        }
        text
    }

    /// One line of [`Metrics::csv`].
    pub fn csv_line(&self, point: &Point) -> String {
        let mut line = point.episodes.to_string();
        for at in 0..self.names.len() {
            line.push(',');
            if let Some(value) = point.values.get(at).copied().flatten() {
                line.push_str(&value.to_string());
            }
        }
        line.push('\n');
        line
    }

    /// Reads what [`Metrics::csv`] wrote; a last line that is cut short is left out.
    ///
    /// The file `metrics.csv` of a run is newer than its last checkpoint while the run goes on.
    pub fn from_csv(text: &str) -> Metrics {
        let mut lines = text.split_inclusive('\n');
        let mut metrics = Metrics {
            names: names(lines.next().unwrap_or_default().trim_end()),
            points: Vec::new(),
        };
        // Before names had groups, the columns were others; then the checkpoint has the curve.
        if metrics.names.iter().any(|name| !name.contains('/')) {
            return Metrics::default();
        }
        let count = metrics.names.len();
        let point = |line: &str| -> Option<Point> {
            let mut fields = line.strip_suffix('\n')?.split(',');
            let episodes = fields.next()?.parse().ok()?;
            let value = |field: &str| match field.is_empty() {
                true => Some(None),
                false => field.parse().ok().map(Some),
            };
            let values: Vec<Option<f64>> = fields.map(value).collect::<Option<_>>()?;
            (values.len() == count).then_some(Point { episodes, values })
        };
        metrics.points = lines.map_while(point).collect();
        metrics
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        out.u64(self.names.len() as u64);
        self.names
            .iter()
            .for_each(|name| out.bytes(name.as_bytes()));
        out.u64(self.points.len() as u64);
        for point in &self.points {
            out.u64(point.episodes);
            out.u64(point.values.len() as u64);
            point
                .values
                .iter()
                .for_each(|value| out.f64(value.unwrap_or(f64::NAN)));
        }
    }

    pub(crate) fn load(from: &mut Reader<'_>) -> Result<Metrics, LearnError> {
        let mut metrics = Metrics::default();
        for _ in 0..from.u64()? {
            metrics.names.push(text(from)?);
        }
        for _ in 0..from.u64()? {
            let episodes = from.u64()?;
            let count = from.u64()?;
            if count > metrics.names.len() as u64 {
                return Err(LearnError::Record);
            }
            let values = (0..count)
                .map(|_| optional(from))
                .collect::<Result<_, _>>()?;
            metrics.points.push(Point { episodes, values });
        }
        Ok(metrics)
    }

    /// Reads the curve of a checkpoint of version 1 or 2, which had a fixed set of columns; version
    /// 1 did not count choices.
    pub(crate) fn load_fixed(
        from: &mut Reader<'_>,
        with_choices: bool,
    ) -> Result<Metrics, LearnError> {
        let mut opponents = Vec::new();
        for _ in 0..from.u64()? {
            opponents.push(format!("{EVALUATION}{}", text(from)?));
        }
        let mut metrics = Metrics::default();
        for _ in 0..from.u64()? {
            let episodes = from.u64()?;
            let mut scalars = vec![
                (PLIES.to_owned(), from.u64()? as f64),
                (WIN_RATE.to_owned(), from.f64()?),
                (PLIES_PER_GAME.to_owned(), from.f64()?),
            ];
            scalars.extend(optional(from)?.map(|epsilon| (EPSILON.to_owned(), epsilon)));
            scalars.push((POSITIONS_MET.to_owned(), from.u64()? as f64));
            if with_choices {
                let (greedy, legal) = (from.u64()?, from.u64()?);
                scalars.extend(
                    choices(greedy, legal)
                        .into_iter()
                        .map(|(n, v)| (n.to_owned(), v)),
                );
            }
            for name in &opponents {
                scalars.extend(optional(from)?.map(|wins| (name.clone(), wins)));
            }
            metrics.push(episodes, &scalars);
        }
        Ok(metrics)
    }
}

/// The scalars of a learner that can think of moves which are not legal: of so many greedy choices
/// so many were legal. None where it only explored.
pub(crate) fn choices(greedy: u64, legal: u64) -> Vec<(&'static str, f64)> {
    if greedy == 0 {
        return Vec::new();
    }
    vec![
        (GREEDY_CHOICES, greedy as f64),
        (LEGAL_CHOICES, legal as f64),
        (LEGAL_RATE, legal as f64 / greedy as f64),
    ]
}

/// The names in a head line, behind `episodes`.
fn names(head: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut quoted = false;
    for c in head.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => names.push(String::new()),
            _ => names.last_mut().expect("there is one").push(c),
        }
    }
    names.remove(0);
    names
}

fn text(from: &mut Reader<'_>) -> Result<String, LearnError> {
    String::from_utf8(from.bytes()?.to_vec()).map_err(|_| LearnError::Record)
}

fn optional(from: &mut Reader<'_>) -> Result<Option<f64>, LearnError> {
    Ok(Some(from.f64()?).filter(|value| !value.is_nan()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalars(list: &[(&str, f64)]) -> Vec<(String, f64)> {
        list.iter().map(|&(n, v)| (n.to_owned(), v)).collect()
    }

    fn curve() -> Metrics {
        let mut metrics = Metrics::default();
        assert!(metrics.push(10, &scalars(&[(WIN_RATE, 0.25), (EPSILON, 0.1)])));
        assert!(metrics.push(
            20,
            &scalars(&[("evaluation/minimax:depth=2,history=off", 1.0 / 3.0)])
        ));
        assert!(!metrics.push(30, &scalars(&[(EPSILON, 0.05), (WIN_RATE, 0.5)])));
        metrics
    }

    #[test]
    fn scalars_are_found_by_name() {
        let metrics = curve();
        assert_eq!(metrics.series(WIN_RATE), [(10, 0.25), (30, 0.5)]);
        assert_eq!(metrics.series("nothing"), []);
        assert_eq!(metrics.last(EPSILON), Some(0.05));
        let opponents: Vec<&str> = metrics.opponents().collect();
        assert_eq!(opponents, ["minimax:depth=2,history=off"]);
    }

    #[test]
    fn what_is_written_is_read() {
        let metrics = curve();
        let csv = metrics.csv();
        let read = Metrics::from_csv(&csv);
        for name in metrics.names() {
            assert_eq!(read.series(name), metrics.series(name));
        }
        let mut out = Writer::default();
        metrics.save(&mut out);
        let record = out.into_bytes();
        assert_eq!(Metrics::load(&mut Reader::new(&record)).unwrap(), metrics);
        assert!(Metrics::load(&mut Reader::new(&record[..record.len() - 1])).is_err());
        // A line that is being written is not there yet.
        let short = Metrics::from_csv(&csv[..csv.len() - 1]);
        assert_eq!(short.points().len(), 2);
        assert_eq!(Metrics::from_csv(""), Metrics::default());
    }

    #[test]
    fn lines_appended_are_the_whole() {
        let metrics = curve();
        let mut text = metrics.csv().lines().next().unwrap().to_owned() + "\n";
        for point in metrics.points() {
            text += &metrics.csv_line(point);
        }
        assert_eq!(text, metrics.csv());
    }

    #[test]
    fn older_checkpoints_are_read() {
        for with_choices in [false, true] {
            let mut out = Writer::default();
            out.u64(1);
            out.bytes(b"random");
            out.u64(2);
            for (episodes, wins) in [(5, f64::NAN), (10, 0.75)] {
                out.u64(episodes);
                out.u64(100);
                out.f64(0.5);
                out.f64(20.0);
                out.f64(f64::NAN);
                out.u64(33);
                if with_choices {
                    out.u64(4);
                    out.u64(3);
                }
                out.f64(wins);
            }
            let record = out.into_bytes();
            let mut reader = Reader::new(&record);
            let metrics = Metrics::load_fixed(&mut reader, with_choices).unwrap();
            assert!(reader.is_empty());
            assert_eq!(metrics.series(WIN_RATE), [(5, 0.5), (10, 0.5)]);
            assert_eq!(metrics.series("evaluation/random"), [(10, 0.75)]);
            assert_eq!(metrics.last(POSITIONS_MET), Some(33.0));
            assert_eq!(metrics.last(EPSILON), None);
            assert_eq!(metrics.last(LEGAL_RATE), with_choices.then_some(0.75));
        }
    }
}
