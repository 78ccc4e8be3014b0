use std::{io::Write as _, path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use clap::{Args, CommandFactory as _, error::ErrorKind};
use indicatif::{ProgressBar, ProgressStyle};
use learn::{
    Control, Episodes, Plan, RECIPES, Recipe, RunProgress, Stopped, Summary, Task,
    runs::metrics::{EPSILON, POSITIONS_MET, WIN_RATE},
};
use rules::{Board, Material};
use serde_json::{Value, json};

use crate::{
    progress::{interrupt_flag, watch_for_interrupt},
    runs::run_folder,
    solve::grouped,
    tables::{Tables, parse_board},
};

/// Train a player, from play alone or taught by exact tables (--list says which)
///
/// A run is a folder: settings, curve (CSV and TensorBoard), checkpoints. It can be killed at any
/// moment and goes on with --resume to the same result, bit for bit. The result is the player
/// 'run:FOLDER'.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lucena train --list\n  lucena train two-bounds --endgame KRK --episodes 100000 --out runs/krk\n  lucena train ypma-q --endgame KQK --board 5 --episodes 30000 --set alpha=0.05 --evaluate random --out runs/kqk5\n  lucena train --resume --out runs/krk\n  lucena train --resume --episodes 200000 --out runs/krk\n  lucena train imitation --set data=masters.games --out runs/masters\n  lucena certify run:runs/krk KRK"
)]
pub struct Train {
    /// The recipe
    #[arg(required_unless_present_any = ["list", "resume"], conflicts_with = "list")]
    recipe: Option<String>,
    /// List the recipes there are
    #[arg(long)]
    list: bool,
    /// The endgame, the attacker's men first; none for a recipe that learns the whole game
    #[arg(long, value_name = "MATERIAL")]
    endgame: Option<Material>,
    /// Board size, 4 to 8
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse_board)]
    board: Board,
    /// Games to play [default: 30000]; with --resume, so many in all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    episodes: Option<u64>,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The run's folder
    #[arg(long, value_name = "DIR", required_unless_present = "list", value_parser = run_folder)]
    out: Option<PathBuf>,
    /// Change a setting of the recipe
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_change)]
    changes: Vec<(String, String)>,
    /// Evaluate against this player now and then; may be given several times
    #[arg(long, value_name = "PLAYER")]
    evaluate: Vec<String>,
    /// Games between evaluations [default: a tenth of the run]
    #[arg(long, value_name = "N")]
    evaluate_every: Option<u64>,
    /// Games of an evaluation
    #[arg(long, value_name = "N", default_value_t = 200)]
    evaluation_games: u32,
    /// Stop early when the mean share of evaluation games won reaches this
    #[arg(long, value_name = "SHARE", requires = "evaluate")]
    stop_at: Option<f64>,
    /// … so many evaluations in a row
    #[arg(long, value_name = "N", default_value_t = 3)]
    stop_after: u64,
    /// Episodes between checkpoints [default: a tenth of the run]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    checkpoint_every: Option<u64>,
    /// Checkpoints to keep besides the best one
    #[arg(long, value_name = "N", default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..))]
    keep: u32,
    /// Go on with the run in the folder; with --episodes, to a new end
    #[arg(long)]
    resume: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
}

/// Games of a run, where nobody says how many.
const EPISODES: u64 = 30_000;

fn parse_change(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
        .ok_or_else(|| "a name and a value, such as alpha=0.05".to_owned())
}

impl Train {
    pub fn run(self) -> anyhow::Result<()> {
        if self.list {
            return self.print_list();
        }
        let folder = self.out.clone().expect("clap asks for it");
        watch_for_interrupt();
        let plan = if self.resume {
            let plan = learn::info(&folder)?.plan;
            self.check_against(&plan)?;
            match self.episodes {
                Some(episodes) if episodes != plan.episodes => learn::extend(&folder, episodes)?,
                _ => plan,
            }
        } else {
            self.plan()?
        };
        // Tables serve opponents that are perfect; only recipes that say so are taught by them.
        let tablebase = Arc::new(match plan.task()? {
            Task::Endgame(material, board) => self.tables.for_play(material, board)?,
            Task::Chess => self.tables.as_they_are()?,
        });
        let registry = crate::players::registry(tablebase.clone());
        let bar = TrainBar::new(&plan);
        let mut progress = |progress: &RunProgress| bar.step(progress);
        let mut notice = |text: &str| bar.say(text);
        let control = Control {
            registry: Some(&registry),
            teacher: Some(tablebase),
            progress: Some(&mut progress),
            notice: Some(&mut notice),
            cancel: Some(interrupt_flag()),
            until: None,
            elsewhere: None,
        };
        let summary = if self.resume {
            learn::resume(&folder, control)?
        } else {
            learn::train(&plan, &folder, control)?
        };
        drop(bar);
        self.print(&plan, &summary)?;
        if summary.stopped == Stopped::Cancelled {
            let out = folder.display();
            eprintln!("lucena: 'lucena train --resume --out {out}' goes on");
            bail!("interrupted");
        }
        Ok(())
    }

    fn plan(&self) -> anyhow::Result<Plan> {
        let misuse = |error: learn::LearnError| -> ! {
            crate::Cli::command()
                .error(ErrorKind::InvalidValue, error)
                .exit()
        };
        let recipe = self
            .recipe
            .as_deref()
            .context("name a recipe; see --list")?;
        let task = match self.endgame {
            Some(material) => Task::Endgame(material, self.board),
            None => Task::Chess,
        };
        let found = Recipe::find(recipe).unwrap_or_else(|error| misuse(error));
        if task == Task::Chess && !found.whole_game {
            let why = format!("{recipe} learns endgames: name one, such as --endgame KRK\n");
            crate::Cli::command()
                .error(ErrorKind::MissingRequiredArgument, why)
                .exit();
        }
        let episodes = self.episodes.unwrap_or(EPISODES);
        let mut plan = Plan::new(recipe, task, episodes, self.seed, &self.changes)
            .unwrap_or_else(|error| misuse(error));
        plan.evaluate_against = self.evaluate.clone();
        plan.evaluation_games = self.evaluation_games;
        if let Some(every) = self.evaluate_every {
            plan.evaluate_every = every.max(1);
        }
        plan.keep_checkpoints = self.keep as usize;
        if let Some(every) = self.checkpoint_every {
            plan.checkpoint_every = every;
        }
        plan.stop_at = self.stop_at;
        plan.stop_after = self.stop_after;
        Ok(plan)
    }

    /// A run goes on as it was planned: what is said besides must not contradict the plan.
    fn check_against(&self, plan: &Plan) -> anyhow::Result<()> {
        if let Some(recipe) = &self.recipe
            && *recipe != plan.recipe
        {
            bail!("this run was made by {}, not by {recipe}", plan.recipe);
        }
        if let Some(endgame) = self.endgame
            && endgame.to_string() != plan.game()
        {
            bail!("this run trains {}, not {endgame}", plan.game());
        }
        Ok(())
    }

    fn print_list(&self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            let list = RECIPES.iter().map(|recipe| {
                let mut value = json!(recipe);
                value["settings"] = recipe
                    .explained()
                    .iter()
                    .map(|setting| {
                        json!({
                            "name": setting.name,
                            "meaning": setting.meaning(),
                            "range": setting.range,
                        })
                    })
                    .collect();
                value["defaults"] = json!(recipe.settings(&[])?);
                Ok(value)
            });
            let list: Vec<Value> = list.collect::<anyhow::Result<_>>()?;
            writeln!(out, "{:#}", json!(list))?;
            return Ok(());
        }
        for recipe in RECIPES {
            let best = recipe
                .best_for
                .map_or(String::new(), |what| format!(" [best for {what}]"));
            writeln!(out, "{}{best}\n    {}", recipe.name, recipe.summary)?;
            let defaults = recipe.settings(&[])?;
            for setting in recipe.explained() {
                let value = defaults.get(setting.name).map(ToString::to_string);
                let set = format!("{} = {}", setting.name, value.unwrap_or_default());
                let range = setting.range.map(|range| format!(" [{range}]"));
                writeln!(
                    out,
                    "      {set:28} {}{}",
                    setting.meaning(),
                    range.unwrap_or_default()
                )?;
            }
        }
        Ok(())
    }

    fn print(&self, plan: &Plan, summary: &Summary) -> anyhow::Result<()> {
        let folder = self.out.as_deref().expect("clap asks for it");
        let done = &summary.progressed;
        let recipe = plan.recipe()?;
        let (reason, parts) = match recipe.episodes {
            Episodes::Games => ("all games played", "plies"),
            Episodes::Batches => ("all batches studied", "examples"),
            Episodes::Iterations => ("all iterations done", "moves"),
        };
        let reason = match summary.stopped {
            Stopped::Episodes => reason,
            Stopped::Finished => "nothing left to learn",
            Stopped::Early => "stopped early by the rule",
            Stopped::Cancelled => "interrupted",
            Stopped::Paused => "paused",
        };
        let mut out = std::io::stdout().lock();
        if self.json {
            let value = json!({
                "run": folder,
                "recipe": plan.recipe,
                "endgame": plan.game(),
                "board": plan.board,
                "seed": plan.seed,
                "episodes": done.episodes,
                "plies": done.plies,
                "stopped": reason,
                "seconds": summary.elapsed.as_secs_f64(),
                "bytes": summary.bytes,
                "visited": done.metrics.last(POSITIONS_MET).map(|met| met as u64),
                "win_rate": done.metrics.last(WIN_RATE),
            });
            writeln!(out, "{value:#}")?;
            return Ok(());
        }
        writeln!(
            out,
            "{} on {} {}×{}: {} {}, {} {parts} in {:.1} s ({reason}); {} of {}",
            plan.recipe,
            plan.game(),
            plan.board,
            plan.board,
            grouped(done.episodes),
            recipe.episodes,
            grouped(done.plies),
            summary.elapsed.as_secs_f64(),
            memory(summary.bytes),
            recipe.learns
        )?;
        if plan.task()? == Task::Chess {
            writeln!(out, "Play it as run:{}", folder.display())?;
            return Ok(());
        }
        writeln!(
            out,
            "Play it as run:{0}, prove it with: lucena certify run:{0} {1}{2}",
            folder.display(),
            plan.game(),
            if plan.board == 8 {
                String::new()
            } else {
                format!(" --board {}", plan.board)
            }
        )?;
        Ok(())
    }
}

fn memory(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{} bytes", grouped(bytes)),
        10_000..1_000_000 => format!("{:.0} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// What a learner tells of its training while it goes on, each with a comma behind it.
pub fn told(progress: &RunProgress) -> String {
    let mut text = String::new();
    if let Some(rate) = progress.scalar(WIN_RATE) {
        text += &format!("won {:.1} %, ", rate * 100.0);
    }
    if let Some(epsilon) = progress.scalar(EPSILON) {
        text += &format!("ε {epsilon:.2}, ");
    }
    if let Some(met) = progress.scalar(POSITIONS_MET) {
        text += &format!("{} positions met, ", grouped(met as u64));
    }
    text
}

/// Shows how a run comes along.
struct TrainBar {
    bar: ProgressBar,
}

impl TrainBar {
    fn new(plan: &Plan) -> TrainBar {
        let bar = ProgressBar::new(plan.episodes);
        // A plan of an unknown recipe is refused before it is shown.
        let episodes = plan
            .recipe()
            .map_or(Episodes::Games, |recipe| recipe.episodes);
        let template = format!("{{bar:30}} {{pos}}/{{len}} {episodes}, {{msg}} {{elapsed}}");
        bar.set_style(
            ProgressStyle::with_template(&template).expect("the template is well-formed"),
        );
        bar.enable_steady_tick(Duration::from_millis(100));
        TrainBar { bar }
    }

    fn step(&self, progress: &RunProgress) {
        self.bar.set_position(progress.episodes);
        self.bar.set_message(format!(
            "{:.0}/s, {}left {} s,",
            progress.episodes_per_second,
            told(progress),
            progress.left.as_secs()
        ));
    }

    fn say(&self, text: &str) {
        self.bar.suspend(|| eprintln!("lucena: {text}"));
    }
}

impl Drop for TrainBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
