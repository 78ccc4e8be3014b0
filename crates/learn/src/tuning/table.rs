//! The report of a search as Markdown that can also be read as it is.

use std::fmt::Write as _;

use super::{Judged, Method, Report, Score, written};
use crate::Task;

impl Report {
    /// The report as Markdown.
    pub fn markdown(&self) -> String {
        let search = &self.search;
        let mut text = format!("# {}\n\n{}\n\n", self.title(), self.setting());
        text += &self.ranking();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\nRanked by the mean over the seeds, which says more of a few numbers than the end of an interval; \
             equal means by the worst seed.\n{}\n",
            self.seen()
        );
        if let Some(best) = self.ranked.first() {
            text.push('\n');
            text += &self.best(best);
        }
        if let Method::Population { .. } = search.method {
            text += &self.lineage_table();
        }
        text
    }

    /// What was searched, in a line.
    pub fn title(&self) -> String {
        let search = &self.search;
        let game = match (&search.endgame, search.board) {
            (None, _) => "chess".to_owned(),
            (Some(endgame), board) => format!("{endgame} on {board}×{board}"),
        };
        let how = match search.method {
            Method::Grid => "a grid",
            Method::Random { .. } => "a random search",
            Method::Population { .. } => "a population",
        };
        format!("{}, {game}: {how} of settings", search.recipe)
    }

    fn setting(&self) -> String {
        let search = &self.search;
        let (episodes, kind) = (search.episodes, self.episodes);
        let mut text = match search.method {
            Method::Grid | Method::Random { .. } => format!(
                "{} settings, {} of {episodes} {kind} each.",
                self.ranked.len(),
                counted(search.seeds, "training")
            ),
            Method::Population {
                members,
                generation,
            } => format!(
                "{members} members, {} of {episodes} {kind} each; after every {generation} of them the worst \
                 quarter goes on as mutated copies of members of the best.",
                counted(search.seeds, "training")
            ),
        };
        let lowest = if search.lowest {
            " (the lowest is the best)"
        } else {
            ""
        };
        let games = match self.score {
            Score::Opponent(_) => format!(", {} games each", search.games),
            _ => String::new(),
        };
        let _ = write!(text, " Score: {}{games}{lowest}.", self.score.words());
        let _ = write!(text, " Searched: {}.", self.searched().join(", "));
        if !self.fixed.is_empty() {
            let _ = write!(text, " For all: {}.", written(&self.fixed));
        }
        let _ = write!(text, " Seed {}.", search.seed);
        text
    }

    /// The searched settings as they were given.
    fn searched(&self) -> Vec<&str> {
        let named = |text: &&str| {
            let name = text.split('=').next().unwrap_or_default().trim();
            self.varied.iter().any(|axis| axis.name == name)
        };
        let texts = self.search.set.iter().map(String::as_str);
        texts.filter(named).collect()
    }

    /// The table of all settings, the best first.
    fn ranking(&self) -> String {
        let mut head = vec!["rank".to_owned(), self.search.unit().to_owned()];
        head.extend(self.varied.iter().map(|axis| axis.name.clone()));
        head.extend(["mean", "each seed"].map(str::to_owned));
        let row = |(rank, judged): (usize, &Judged)| {
            let mut row = vec![(rank + 1).to_string(), (judged.trial + 1).to_string()];
            let values = self.varied.iter();
            row.extend(values.map(|axis| Report::value(&judged.settings, axis).to_owned()));
            row.push(self.score.written(judged.mean));
            let scores = judged.scores.iter().map(|&score| self.score.written(score));
            row.push(scores.collect::<Vec<_>>().join(", "));
            row
        };
        let rows: Vec<Vec<String>> = self.ranked.iter().enumerate().map(row).collect();
        table(&head, &rows)
    }

    /// Whether it was judged by play alone.
    fn seen(&self) -> String {
        match self.exact_play.is_empty() {
            true => "Searched by play alone: no exact answer was seen.".to_owned(),
            false => {
                let seen: Vec<String> = self.exact_play.iter().map(ToString::to_string).collect();
                format!(
                    "The runs of this search have seen exact play: {}.",
                    seen.join(", ")
                )
            }
        }
    }

    /// How the best is used and made again.
    fn best(&self, best: &Judged) -> String {
        let search = &self.search;
        let mut command = format!("lucena train {}", search.recipe);
        if let Ok(Task::Endgame(material, board)) = search.task() {
            let _ = write!(command, " --endgame {material}");
            if board.size() != 8 {
                let _ = write!(command, " --board {}", board.size());
            }
        }
        let _ = write!(command, " --episodes {}", search.episodes);
        for (name, value) in &best.settings {
            let pair = format!("{name}={value}");
            let plain = pair
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "=._-+:,/".contains(c));
            let pair = if plain { pair } else { format!("'{pair}'") };
            let _ = write!(command, " --set {pair}");
        }
        let runs = (0..search.seeds).map(|seed| search.run(best.trial, seed));
        let runs: Vec<String> = runs.map(|run| format!("run:{}", run.display())).collect();
        let (unit, number) = (search.unit(), best.trial + 1);
        let mut text = format!("Best: {unit} {number}, players {}.", runs.join(", "));
        let _ = match search.method {
            Method::Population { .. } => writeln!(
                text,
                " Its last settings from the beginning are another training:\n\n    {command}"
            ),
            _ => writeln!(text, " The same settings again:\n\n    {command}"),
        };
        text
    }

    fn lineage_table(&self) -> String {
        let mut rows = Vec::new();
        for generation in &self.generations {
            for copied in &generation.copies {
                let changes = self.changes(generation, copied);
                let changes = changes
                    .iter()
                    .map(|c| format!("{} {} → {}", c.name, c.from, c.to));
                let changes: Vec<String> = changes.collect();
                let score = |member: usize| self.score.written(generation.members[member].mean);
                rows.push(vec![
                    generation.episodes.to_string(),
                    format!("{} ({})", copied.to + 1, score(copied.to)),
                    format!("{} ({})", copied.from + 1, score(copied.from)),
                    match changes.is_empty() {
                        true => "nothing".to_owned(),
                        false => changes.join(", "),
                    },
                ]);
            }
        }
        let mut text = String::from("\n## Lineage\n\n");
        if rows.is_empty() {
            text.push_str("Nobody was replaced.\n");
        } else {
            let head = ["after", "member", "is a copy of", "changed"].map(str::to_owned);
            text += &table(&head, &rows);
        }
        if let Some(best) = self.ranked.first() {
            let line = self.line(best.trial);
            let step = |(generation, &member): (&super::Generation, &usize)| {
                let settings = &generation.members[member].settings;
                let values = self
                    .varied
                    .iter()
                    .map(|axis| (axis.name.clone(), Report::value(settings, axis).to_owned()));
                let values: Vec<_> = values.collect();
                format!(
                    "- until {}: member {}, {}",
                    generation.episodes,
                    member + 1,
                    written(&values)
                )
            };
            let steps: Vec<String> = self.generations.iter().zip(&line).map(step).collect();
            let _ = writeln!(
                text,
                "\nThe line of the best, a schedule of settings:\n\n{}",
                steps.join("\n")
            );
        }
        text
    }
}

fn counted(count: u32, what: &str) -> String {
    match count {
        1 => format!("one {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// A table of Markdown whose columns stand below each other.
fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let length = |text: &String| text.chars().count();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| length(&row[column]));
        cells.chain([length(&head[column])]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(&widths);
        let cells = cells.map(|(cell, width)| format!(" {cell:width$} |"));
        format!("|{}\n", cells.collect::<String>())
    };
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    let mut text = line(head) + &line(&rule);
    rows.iter().for_each(|row| text += &line(row));
    text
}
