//! Three networks as in document W's duels, by our own recipes: a new one, the same after the moves of a file of
//! games (`imitation`), and that one after games against itself (`alphazero`).

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use learn::{Plan, Task};

use crate::{
    Bench, Budget, PaperError,
    games_training::{from_games, games_for, settings_text},
    three_networks::Stage,
    training::carry_out,
};

type Changes = &'static [(&'static str, &'static str)];

/// A recipe, how many episodes of it, and what is not as it has it.
struct Part {
    recipe: &'static str,
    episodes: u64,
    changes: Changes,
}

/// A tower that a GPU trains in a few minutes; in a quick run a small one, for two cores.
fn parts(budget: Budget) -> [Part; 2] {
    let (studied, played): ((u64, Changes), (u64, Changes)) = match budget {
        Budget::Full => ((703, STUDIED), (200, PLAYED)),
        Budget::Quick => ((470, QUICK_STUDIED), (40, QUICK_PLAYED)),
        Budget::Smoke => ((3, SMOKE_STUDIED), (2, SMOKE_PLAYED)),
    };
    let part = |recipe, (episodes, changes)| Part {
        recipe,
        episodes,
        changes,
    };
    [part("imitation", studied), part("alphazero", played)]
}

/// 720,000 positions, a thousand at a time: six times the document's 120,000.
const STUDIED: Changes = &[
    ("blocks", "ccccccc"),
    ("batch", "1024"),
    ("warm_up", "100"),
    ("judged", "2000"),
];
const PLAYED: Changes = &[
    ("blocks", "ccccccc"),
    ("games", "16384"),
    ("group", "1024"),
    ("plies", "4"),
    ("full_share", "0.5"),
    ("scale", "0.4"),
    ("restarts", "0.3"),
    ("passes", "2"),
    ("batch", "2048"),
    ("rate", "0.002"),
    ("max_moves", "100"),
    ("resign", "0.95"),
    ("window_least", "50000"),
    ("window_most", "1000000"),
    ("window_share", "0.5"),
    ("beside", "true"),
];
const QUICK_STUDIED: Changes = &[
    ("blocks", "cc"),
    ("width", "16"),
    ("squeeze", "4"),
    ("hidden", "64"),
    ("keys", "16"),
    ("batch", "256"),
    ("warm_up", "50"),
];
const QUICK_PLAYED: Changes = &[
    ("blocks", "cc"),
    ("width", "16"),
    ("scale", "0.4"),
    ("restarts", "0.3"),
    ("passes", "2"),
];
const SMOKE_STUDIED: Changes = &[
    ("blocks", "c"),
    ("width", "8"),
    ("squeeze", "2"),
    ("hidden", "32"),
    ("keys", "8"),
    ("batch", "32"),
    ("judged", "20"),
];
const SMOKE_PLAYED: Changes = &[
    ("blocks", "c"),
    ("width", "8"),
    ("games", "2"),
    ("plies", "2"),
    ("simulations", "4"),
    ("considered", "2"),
];

fn settings(part: &Part) -> String {
    let changes: Vec<(String, String)> = part
        .changes
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    // What a learner becomes is the same wherever it learns, but for rounding.
    let settings = settings_text(part.recipe, &changes, &["data", "from", "device"]);
    format!(
        "{} for {} episodes ({settings})",
        part.recipe, part.episodes
    )
}

/// All that the networks depend on besides the seed and the games.
pub(crate) fn description(budget: Budget) -> String {
    let games = match budget {
        Budget::Smoke => "random games",
        _ => "a file of games",
    };
    let [studied, played] = parts(budget);
    format!(
        "from {games} {}, then {}",
        settings(&studied),
        settings(&played)
    )
}

/// The folder in which each network has its file; `None` where there are no games to begin with.
pub(crate) fn train(bench: &Bench<'_>) -> Result<Option<PathBuf>, PaperError> {
    let Some(games) = games_for(bench)? else {
        return Ok(None);
    };
    let key = from_games(&description(bench.budget), bench.seed, &games)?;
    let folder = bench.trainings.join(format!("own-networks-{key}"));
    let [studied, played] = parts(bench.budget);
    let [study, play] = [&studied, &played].map(|part| folder.join(part.recipe));
    let data = ("data", games.as_path());
    for (stage, part, run, source, until) in [
        (Stage::New, &studied, &study, data, Some(0)),
        (Stage::Studied, &studied, &study, data, None),
        (Stage::SelfPlayed, &played, &play, ("from", &study), None),
    ] {
        if folder.join(stage.file_name()).exists() {
            continue;
        }
        let plan = plan(part, source, bench)?;
        let begin = Instant::now();
        carry_out(&plan, run, None, until, bench, "episodes of training")?;
        let positions = match stage {
            Stage::New => 0.0,
            Stage::Studied => (part.episodes * batch(&plan)) as f64,
            Stage::SelfPlayed => lessons(run)?,
        };
        stage.keep(run, &folder, positions, begin.elapsed())?;
    }
    Ok(Some(folder))
}

fn plan(part: &Part, source: (&str, &Path), bench: &Bench<'_>) -> Result<Plan, PaperError> {
    let (name, path) = source;
    let source = (name, &*path.to_string_lossy());
    let device = ("device", bench.device.as_deref().unwrap_or("cpu"));
    let changes: Vec<(String, String)> = part
        .changes
        .iter()
        .copied()
        .chain([source, device])
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut plan = Plan::new(
        part.recipe,
        Task::Chess,
        part.episodes,
        bench.seed,
        &changes,
    )?;
    plan.keep_checkpoints = 1;
    (plan.checkpoint_every, plan.report_every) = ((part.episodes / 10).max(1), 1);
    Ok(plan)
}

fn batch(plan: &Plan) -> u64 {
    let batch = plan.settings.get("batch").and_then(|it| it.as_integer());
    batch.map_or(0, |batch| batch as u64)
}

/// Positions of games against itself that a run has learned from.
fn lessons(run: &Path) -> Result<f64, PaperError> {
    let told = learn::info(run)?.progressed.unwrap_or_default().metrics;
    let lessons = told.series("self_play/lessons").into_iter();
    Ok(lessons.map(|(_, lessons)| lessons).sum())
}
