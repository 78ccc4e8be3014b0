//! Who can be played.

use axum::{Json, extract::State};
use learn::{NetworkFile, RunInfo};
use play::TinyNetwork;
use rules::plain_file;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    Lab,
    laboratory::{Effort, Laboratory},
    refusal::Answer,
};

/// Everybody who can be played.
#[derive(Serialize, ToSchema)]
pub struct Everybody {
    /// Players that are ready to be chosen.
    pub players: Vec<Offer>,
    /// The kinds of players, with what can be set.
    pub kinds: Vec<Kind>,
}

/// A player that is ready to be chosen.
#[derive(Serialize, ToSchema)]
pub struct Offer {
    /// The text that names it.
    pub text: String,
    /// What it is.
    pub summary: String,
    /// The only endgame it plays, if there is just one.
    pub endgame: Option<String>,
    /// The only board it plays on, if there is just one.
    pub board: Option<usize>,
    /// Can it be certified?
    pub policy: bool,
}

/// A kind of player.
#[derive(Serialize, ToSchema)]
pub struct Kind {
    /// Its name, which stands before the colon.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// What must stand directly behind the colon, if anything must.
    pub subject: Option<&'static str>,
    /// What can be set, as `key=value` behind the colon.
    pub settings: Vec<Setting>,
}

/// Something that can be set.
#[derive(Serialize, ToSchema)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it means, and its default.
    pub meaning: &'static str,
}

/// Players of which the settings say enough: name, what it is, and whether its move depends on the
/// position alone.
const READY: [(&str, &str, bool); 11] = [
    (
        "perfect",
        "exact play: the shortest mate, the longest resistance",
        true,
    ),
    ("minimax:depth=2", "looks two plies ahead", false),
    ("minimax:depth=4", "looks four plies ahead", false),
    ("minimax:depth=6", "looks six plies ahead", false),
    (
        "minimax:depth=3,history=off",
        "looks three plies ahead, by the position alone",
        true,
    ),
    (
        "mcts:simulations=1000",
        "a thousand random games for each move",
        false,
    ),
    (
        "mcts:preset=best",
        "Monte Carlo tree search, our best settings",
        false,
    ),
    (
        "puct:simulations=800",
        "AlphaZero's tree search without a network, all moves alike",
        false,
    ),
    (
        "heuristic",
        "the king runs to the centre and takes every draw",
        false,
    ),
    ("drawish", "takes a draw where it can, else any move", false),
    ("random", "any legal move", false),
];

/// What a tree search that a network leads is given here.
const SEARCHING: &str = "search=puct,simulations=200";

/// A network that is offered, by itself and leading a search; nothing if the file holds none.
fn network(lab: &Laboratory, name: &str) -> Vec<Offer> {
    let bytes = lab.network(name).ok();
    let Some(bytes) = bytes.and_then(|file| plain_file::read(&file, plain_file::TEXT).ok()) else {
        return Vec::new();
    };
    // A small one is made for a search, the others play by themselves.
    if name.ends_with(".ltn") {
        let network = TinyNetwork::from_bytes(&bytes).ok();
        let offer = network.map(|network| Offer {
            text: format!("minimax:net={name},depth=6,history=off"),
            summary: format!("looks six plies ahead, with the network {name} at the end"),
            endgame: Some(network.blueprint().material.clone()),
            board: Some(8),
            policy: true,
        });
        return offer.into_iter().collect();
    }
    let Some(file) = NetworkFile::of(&bytes) else {
        return Vec::new();
    };
    let alone = Offer {
        text: format!("net:{name}"),
        summary: format!("{}, without search", file.kind),
        policy: file.endgame.is_some(),
        endgame: file.endgame,
        board: Some(file.board),
    };
    match file.searches {
        true => vec![searching(&alone, file.kind), alone],
        false => vec![alone],
    }
}

/// The same player, leading a tree search.
fn searching(alone: &Offer, what: &str) -> Offer {
    Offer {
        text: format!("{},{SEARCHING}", alone.text),
        summary: format!("{what}, leading a tree search of 200 simulations"),
        endgame: alone.endgame.clone(),
        board: alone.board,
        policy: false,
    }
}

/// What a run has learned, by itself and, if it can lead one, with a search.
fn run(run: &RunInfo) -> Vec<Offer> {
    let Some(name) = run.folder.file_name().and_then(|name| name.to_str()) else {
        return Vec::new();
    };
    if run.progressed.is_none() || super::laboratory::check_name(name).is_err() {
        return Vec::new(); // nothing learned yet, or not made here
    }
    let what = format!("learned {} by {}", run.plan.game(), run.plan.recipe);
    let alone = Offer {
        text: format!("run:{name}"),
        summary: what.clone(),
        policy: run.plan.endgame.is_some(),
        endgame: run.plan.endgame.clone(),
        board: Some(run.plan.board),
    };
    match LEADING.contains(&run.plan.recipe.as_str()) {
        true => vec![searching(&alone, &what), alone],
        false => vec![alone],
    }
}

/// Recipes of networks that can lead a search.
const LEADING: [&str; 3] = ["alphazero", "imitation", "wojcik-alphazero"];

/// Everybody who can be played: the built-in players, the engines that are here, the runs and the
/// networks.
#[utoipa::path(get, path = "/api/players", tag = "players", responses((status = 200, body = Everybody)))]
pub async fn list(State(lab): State<Lab>) -> Answer<Json<Everybody>> {
    let list = |lab: &Laboratory| {
        let mut players: Vec<Offer> = READY
            .iter()
            .map(|&(text, summary, policy)| Offer {
                text: text.to_owned(),
                summary: summary.to_owned(),
                endgame: None,
                board: None,
                policy,
            })
            .collect();
        players.extend(lab.engines().iter().map(|engine| Offer {
            text: format!("uci:{engine},nodes=10000"),
            summary: format!("the engine {engine}, 10,000 positions a move"),
            endgame: None,
            board: Some(8),
            policy: false,
        }));
        players.extend(learn::list(&lab.runs).iter().flat_map(run));
        players.extend(lab.networks().iter().flat_map(|name| network(lab, name)));
        let kinds = lab.registry.kinds().iter().map(|kind| Kind {
            name: kind.name,
            summary: kind.summary,
            subject: kind.subject.map(|(what, _)| what),
            settings: kind
                .keys
                .iter()
                .map(|key| Setting {
                    name: key.name,
                    meaning: key.meaning,
                })
                .collect(),
        });
        Ok(Everybody {
            players,
            kinds: kinds.collect(),
        })
    };
    lab.work(Effort::Slow, list).await.map(Json)
}
