//! What a request may ask for. Whoever sits at the command line may ask for more: it is their own
//! machine, and they can see what becomes of it.

use rules::{Board, Material};
use toml::{Table, Value};

use super::refusal::{Answer, Refusal};

/// The most that a setting of a player may be: kind, setting, and how much.
const PLAYERS: [(&str, &str, f64); 17] = [
    ("minimax", "depth", 20.0),
    ("minimax", "hash", 64.0),
    ("minimax", "nodes", 1e8),
    ("minimax", "game", 600.0),
    ("mcts", "simulations", 1e5),
    ("mcts", "rollout", 1000.0),
    ("mcts", "trees", 64.0),
    ("puct", "simulations", 1e5),
    ("run", "simulations", 1e5),
    ("net", "simulations", 1e5),
    ("run", "depth", 20.0),
    ("run", "game", 600.0),
    ("net", "depth", 20.0),
    ("uci", "nodes", 1e8),
    ("uci", "depth", 40.0),
    ("uci", "movetime", 10_000.0),
    ("uci", "timeout", 10_000.0),
];

/// Refuses a player that would think too long or take too much memory.
pub fn check_player(text: &str) -> Answer<()> {
    let (kind, settings) = text.split_once(':').unwrap_or((text, ""));
    for (key, value) in settings.split(',').filter_map(|part| part.split_once('=')) {
        let bound = PLAYERS
            .iter()
            .find(|bound| (bound.0, bound.1) == (kind, key));
        if let Some(&(_, _, most)) = bound
            && value.parse::<f64>().is_ok_and(|value| value > most)
        {
            return Err(too_much(&format!("{kind}: {key}"), value, most));
        }
    }
    Ok(())
}

/// The most that settings of a training may be, multiplied with each other. A training of a network
/// holds what passes between its layers for every example of a batch, and its weights several times.
const TRAININGS: [(&[&str], f64); 36] = [
    (&["width"], 512.0),
    (&["layers"], 16.0),
    (&["batch"], 65_536.0),
    (&["width", "layers", "batch"], 16_777_216.0),
    (&["width", "width", "layers"], 1_048_576.0),
    (&["channels"], 256.0),
    (&["hidden"], 1024.0),
    (&["channels", "hidden", "ensemble"], 65_536.0),
    (&["channels", "batch", "ensemble"], 262_144.0),
    (&["hidden", "batch", "ensemble"], 4_194_304.0),
    (&["memory"], 1e6),
    (&["warm_up"], 1e6),
    (&["n_step"], 100.0),
    (&["positions"], 1e6),
    (&["deepest"], 1000.0),
    (&["longest"], 64.0),
    (&["batches", "batch"], 1_048_576.0),
    (&["max_moves"], 1000.0),
    (&["move_limit"], 1000.0),
    (&["validation_games"], 10_000.0),
    (&["patience"], 1e6),
    (&["averaged"], 1e6),
    (&["steps", "epochs"], 1e6),
    (&["fragment"], 1e4),
    (&["minibatch"], 65_536.0),
    (&["pool", "width"], 16_384.0),
    (&["games", "plies"], 262_144.0),
    (&["games", "simulations"], 1_048_576.0),
    (&["simulations"], 10_000.0),
    (&["passes"], 100.0),
    (&["window_most"], 1e6),
    (&["window"], 1e6),
    (&["harvest"], 1e5),
    (&["duel", "simulations"], 131_072.0),
    (&["filters"], 256.0),
    (&["filters", "blocks", "batch"], 1_048_576.0),
];

/// Blocks of a tower, a letter each.
const MOST_BLOCKS: usize = 16;

/// Opponents of the evaluations of a run.
const MOST_OPPONENTS: usize = 8;
/// Games of one evaluation against all opponents.
const MOST_EVALUATION_GAMES: u64 = 10_000;
/// Longer runs belong on the command line.
const MOST_EPISODES: u64 = 100_000_000;
/// Games that stand beside a certificate.
const MOST_GAMES: u64 = 10_000;

/// Refuses a training by settings that would take too long for one step, or too much memory.
pub fn check_settings(settings: &Table) -> Answer<()> {
    for (names, most) in TRAININGS {
        let number = |name: &&str| match settings.get(*name)? {
            Value::Integer(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            _ => None,
        };
        // A bound on a product is one on those learners that have its first factor.
        if number(&names[0]).is_none() {
            continue;
        }
        let product: f64 = names
            .iter()
            .filter_map(number)
            .map(|n| n.max(1.0))
            .product();
        if product > most {
            return Err(too_much(&names.join(" × "), product, most));
        }
    }
    match settings.get("blocks").and_then(Value::as_str) {
        Some(blocks) if blocks.len() > MOST_BLOCKS => {
            Err(too_much("the number of blocks", blocks.len(), MOST_BLOCKS))
        }
        _ => Ok(()),
    }
}

/// A learner with a table of all positions takes about so many bytes for each, when all are met.
const BYTES_OF_A_POSITION: u64 = 200;

/// Refuses a table that this machine has no memory for.
pub fn check_table(settings: &Table, material: Material, board: Board) -> Answer<()> {
    // How many positions share an entry, for learners that leave it to a setting.
    let images = match settings.get("symmetry").and_then(Value::as_str) {
        Some("none") => 1,
        Some("flips") => 4,
        _ => 8,
    };
    let squares = (board.size() * board.size()) as u64;
    let positions = squares.pow(material.men() as u32) / images;
    play::memory::room_for(positions * BYTES_OF_A_POSITION)
        .map_err(|why| Refusal::bad(format!("a table of {material} on {board}: {why}")))
}

/// Refuses a run of too many games.
pub fn check_episodes(episodes: u64) -> Answer<()> {
    match (1..=MOST_EPISODES).contains(&episodes) {
        true => Ok(()),
        false => Err(Refusal::bad(format!(
            "{episodes} games: 1 to {MOST_EPISODES} can be asked for here"
        ))),
    }
}

/// Refuses a run of too many games, of its own or in evaluations.
pub fn check_games_of_run(episodes: u64, evaluation_games: u32, opponents: usize) -> Answer<()> {
    check_episodes(episodes)?;
    if opponents > MOST_OPPONENTS {
        return Err(too_much(
            "the number of opponents",
            opponents,
            MOST_OPPONENTS,
        ));
    }
    if !(1..=MOST_EVALUATION_GAMES).contains(&evaluation_games.into()) {
        return Err(Refusal::bad(format!(
            "an evaluation has 1 to {MOST_EVALUATION_GAMES} games"
        )));
    }
    Ok(())
}

/// Refuses too many games beside a certificate.
pub fn check_games(games: u64) -> Answer<()> {
    match games > MOST_GAMES {
        true => Err(too_much("the number of games", games, MOST_GAMES)),
        false => Ok(()),
    }
}

fn too_much(what: &str, is: impl std::fmt::Display, most: impl std::fmt::Display) -> Refusal {
    Refusal::bad(format!(
        "{what} is {is}: a request may ask for {most} at most, the command line for more"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_page_offers_is_within_the_bounds() {
        for recipe in learn::RECIPES {
            let settings = recipe.settings(&[]).expect("defaults are settings");
            assert!(check_settings(&settings).is_ok(), "{}", recipe.name);
        }
        for player in [
            "perfect",
            "minimax:depth=6",
            "mcts:preset=best",
            "run:krk,depth=8",
            "puct:simulations=800",
            "run:az,search=puct,simulations=800",
        ] {
            assert!(check_player(player).is_ok(), "{player}");
        }
    }

    #[test]
    fn products_are_bounded_where_each_factor_is_not() {
        let settings = |text: &str| toml::from_str::<Table>(text).expect("settings");
        let fine = settings("width = 512\nlayers = 2\nbatch = 1024");
        assert!(check_settings(&fine).is_ok());
        let error = check_settings(&settings("width = 256\nlayers = 8\nbatch = 65536"));
        let error = error.expect_err("together they are too much").error;
        assert!(
            error.contains("width × layers × batch is 134217728"),
            "{error}"
        );
    }
}
