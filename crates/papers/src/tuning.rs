//! The picture of a search for settings: each setting against the score with every seed as a dot, or the lineage
//! of a population and the settings of its best.

use learn::tuning::{Axis, Judged, Method, Report, Values};

use crate::{
    Plot, Point, Series, Style,
    drawing::{Drawing, picture},
    lineage,
};

/// The picture of a search: a file by itself.
pub fn tuning_picture(report: &Report) -> String {
    let axes = report.varied.iter();
    let drawings: Vec<Drawing> = match report.search.method {
        Method::Population { .. } => {
            let schedules = axes.filter_map(|axis| schedule(report, axis));
            let schedules = schedules.map(|plot| Drawing::plot(&plot));
            [lineage::draw(report)]
                .into_iter()
                .chain(schedules)
                .collect()
        }
        Method::Grid | Method::Random { .. } => axes
            .map(|axis| Drawing::plot(&scores(report, axis)))
            .collect(),
    };
    picture(&drawings).unwrap_or_default()
}

/// A score in the unit of the vertical axis.
pub(crate) fn height(report: &Report, score: f64) -> f64 {
    if report.score.is_share() {
        100.0 * score
    } else {
        score
    }
}

/// The scores of all settings over the values of one.
fn scores(report: &Report, axis: &Axis) -> Plot {
    let (names, log_x) = match &axis.values {
        Values::Listed(values) => (values.clone(), false),
        Values::Range { log, .. } => (Vec::new(), *log),
    };
    let place = |judged: &Judged| -> f64 {
        let value = Report::value(&judged.settings, axis);
        match names.iter().position(|name| name == value) {
            // Settings that share this value stand beside each other, not upon each other.
            Some(at) => at as f64 + spread(report, axis, judged),
            None => value.parse().unwrap_or_default(),
        }
    };
    let (mut seeds, mut means, mut best) = (Vec::new(), Vec::new(), Vec::new());
    for (rank, judged) in report.ranked.iter().enumerate() {
        let x = place(judged);
        let heights = judged.scores.iter().flatten();
        let heights: Vec<f64> = heights.map(|&score| height(report, score)).collect();
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        seeds.extend(heights.iter().map(|&y| Point {
            x,
            y,
            interval: None,
        }));
        let mean = judged.mean.map(|mean| Point {
            x,
            y: height(report, mean),
            interval: Some((low, high)),
        });
        if rank == 0 {
            best.extend(mean);
        } else {
            means.extend(mean);
        }
    }
    let series = [
        ("each seed", 0, seeds),
        ("mean", 1, means),
        ("best mean", 2, best),
    ];
    let series = series.map(|(name, colour, points)| Series {
        name: name.into(),
        colour,
        points,
    });
    Plot {
        title: format!("{} by {}", report.score.words(), axis.name),
        x: axis.name.clone(),
        y: unit(report),
        names,
        log_x,
        log: false,
        style: Style::Dots,
        series: series
            .into_iter()
            .filter(|s| !s.points.is_empty())
            .collect(),
    }
}

fn unit(report: &Report) -> String {
    if report.score.is_share() {
        "%".into()
    } else {
        String::new()
    }
}

/// How far to the side of a value a setting stands among those that share it: within a third of the room.
fn spread(report: &Report, axis: &Axis, judged: &Judged) -> f64 {
    let value = Report::value(&judged.settings, axis);
    let mut same: Vec<usize> = report
        .ranked
        .iter()
        .filter(|other| Report::value(&other.settings, axis) == value)
        .map(|other| other.trial)
        .collect();
    same.sort_unstable();
    let at = same.iter().position(|&trial| trial == judged.trial);
    let share = (at.unwrap_or(0) as f64 + 0.5) / same.len().max(1) as f64;
    0.66 * (share - 0.5)
}

/// A setting of all members over the episodes, and that of the line of the best; `None` where it is no number.
fn schedule(report: &Report, axis: &Axis) -> Option<Plot> {
    let log = matches!(axis.values, Values::Range { log: true, .. });
    let mut before = 0;
    let (mut all, mut best) = (Vec::new(), Vec::new());
    let line = report.line(report.ranked.first()?.trial);
    let members = report.generations.first()?.members.len();
    let mut steps = vec![Vec::new(); members];
    for (generation, &of_best) in report.generations.iter().zip(&line) {
        for member in &generation.members {
            let y: f64 = Report::value(&member.settings, axis).parse().ok()?;
            let at = |x: u64| Point {
                x: x as f64,
                y,
                interval: None,
            };
            let step = [at(before), at(generation.episodes)];
            steps[member.trial].extend(step);
            if member.trial == of_best {
                best.extend(step);
            }
        }
        before = generation.episodes;
    }
    all.extend(steps.into_iter().flatten());
    let series = [("all members", 0, all), ("the line of the best", 2, best)];
    Some(Plot {
        title: format!("{} over the training", axis.name),
        x: report.episodes.to_string(),
        y: axis.name.clone(),
        names: Vec::new(),
        log_x: false,
        log,
        style: Style::Lines,
        series: series
            .map(|(name, colour, points)| Series {
                name: name.into(),
                colour,
                points,
            })
            .into(),
    })
}
