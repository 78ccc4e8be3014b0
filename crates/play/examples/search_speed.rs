//! How fast the searches are on one core, in the terms of the Python programs they are compared
//! with (python-chess: 830 random KRK games/s, 44,000 alpha-beta nodes/s, 1,500 rollouts/s):
//!
//!     cargo run --release -p lucena-play --example search_speed -- [SEARCHES]
//!
//! With an argument, only the searches whose name contains it; `networks` are those with a network.

use std::{error::Error, fmt, fs, hint::black_box, sync::Arc, time::Instant};

use play::{Limits, Openings, Player, RandomGames, Registry, TinyNetwork, features::View};
use rules::{Board, FewMen, FewMenRules, Game, Position, Rules};
use truth::{Oracle, Verdict};

struct NoTables;

impl Oracle for NoTables {
    fn probe(&self, _: &Position) -> Option<Verdict> {
        None
    }
}

/// Seconds of processor time where the system tells it (other programs do not count then), else
/// seconds.
struct Stopwatch {
    clock: Instant,
    before: Option<f64>,
}

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch {
            clock: Instant::now(),
            before: Stopwatch::processor(),
        }
    }

    fn processor() -> Option<f64> {
        let text = fs::read_to_string("/proc/self/schedstat").ok()?;
        Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
    }

    fn seconds(&self) -> f64 {
        match (self.before, Stopwatch::processor()) {
            (Some(before), Some(now)) => now - before,
            _ => self.clock.elapsed().as_secs_f64(),
        }
    }
}

/// Networks of at most 200 bytes of weights. The first was made by
/// `lucena train tiny-net --endgame KRK --episodes 30000 --set even=0.3`.
const NETWORKS: [(&str, &str); 2] = [
    (
        "KRK",
        concat!(env!("CARGO_MANIFEST_DIR"), "/examples/krk.ltn"),
    ),
    (
        "KBNK",
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../nets/kbnk.ltn"),
    ),
];

/// Alpha-beta with a network at its leaves, each search from an empty table: to a depth, and, as document S
/// plays, the first move of a game of 0.15 seconds.
fn searching_by_networks(registry: &Registry) -> Result<(), Box<dyn Error>> {
    for (endgame, file) in NETWORKS {
        let openings = Openings::random(endgame.parse()?, Board::STANDARD);
        for depth in [Some(4), Some(6), Some(8), Some(10), Some(12), None] {
            let (game, how) = match depth {
                Some(depth) => (1000.0, format!("{depth} plies")),
                None => (0.15, "a game of 0.15 s".to_owned()),
            };
            let spec = registry.parse(&format!("minimax:game={game},net={file}"))?;
            let limits = Limits {
                depth,
                ..Limits::NONE
            };
            let speed = Speed::of(&mut *spec.player(1), &openings, &limits)?;
            println!("{endgame}, a network in alpha-beta, {how}: {speed}");
        }
    }
    Ok(())
}

/// What a player does in a second.
struct Speed {
    nodes: f64,
    leaves: f64,
    moves: f64,
}

impl Speed {
    /// Lets it choose in one position after the other, for two seconds.
    fn of(
        player: &mut dyn Player,
        openings: &Openings,
        limits: &Limits,
    ) -> Result<Speed, Box<dyn Error>> {
        let (mut moves, mut nodes, mut leaves) = (0u64, 0u64, 0u64);
        let clock = Stopwatch::start();
        while clock.seconds() < 2.0 {
            let position = openings.get(moves, 1).ok_or("no position")?;
            player.new_game();
            let choice = player.choose(&Game::new(position, Rules::default()), limits)?;
            nodes += choice.info.nodes.unwrap_or(0);
            leaves += choice.info.leaves.unwrap_or(0);
            moves += 1;
        }
        let seconds = clock.seconds();
        Ok(Speed {
            nodes: nodes as f64 / seconds,
            leaves: leaves as f64 / seconds,
            moves: moves as f64 / seconds,
        })
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (nodes, leaves) = (self.nodes / 1e6, self.leaves / 1e6);
        write!(
            f,
            "{nodes:.2} million nodes/s, {leaves:.2} million leaves/s, {:.0} moves/s",
            self.moves
        )
    }
}

/// What the network costs without the search around it: features and weights.
fn valuing(openings: &Openings) -> Result<(), Box<dyn Error>> {
    let network = TinyNetwork::from_bytes(include_bytes!("krk.ltn"))?;
    let rules = FewMenRules::new("KRK".parse()?, Board::STANDARD)?;
    let positions: Vec<FewMen> = (0..10_000)
        .filter_map(|i| rules.compact(&openings.get(i, 1)?))
        .collect();
    let clock = Stopwatch::start();
    let (mut count, mut sum) = (0, 0.0);
    while clock.seconds() < 2.0 {
        for &men in &positions {
            let view = View::of_few_men(&rules, black_box(men)).ok_or("no piece")?;
            sum += network.moves(&view);
            count += 1;
        }
    }
    black_box(sum);
    let speed = f64::from(count) / clock.seconds() / 1e6;
    println!("the network alone, features included: {speed:.2} million positions/s");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let registry = Registry::new(Arc::new(NoTables));
    let only = std::env::args().nth(1).unwrap_or_default();
    // The one thread is this one, so that its processor time is counted.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build_global()?;
    let krk = "KRK".parse()?;
    for (what, rules) in [
        ("fifty moves", "fifty".parse()?),
        ("fifty moves and threefold repetition", Rules::default()),
    ]
    .into_iter()
    .filter(|_| only.is_empty())
    {
        let clock = Stopwatch::start();
        let games = RandomGames::play(krk, Board::STANDARD, rules, 1_000_000, 1)?;
        let seconds = clock.seconds();
        println!(
            "random KRK games ({what}): {:.0} games/s, {:.1} million plies/s",
            games.games() as f64 / seconds,
            games.plies as f64 / seconds / 1e6
        );
    }
    let openings = Openings::random(krk, Board::STANDARD);
    for spec in [
        "minimax:eval=ypma,depth=2,history=off",
        "minimax:eval=ypma,depth=3,history=off",
        "minimax:eval=ypma,depth=4,history=off",
        "minimax:eval=ypma,depth=4",
        "minimax:depth=4,history=off",
        "minimax:depth=4",
        "minimax:depth=6",
        "mcts:simulations=1000",
        "mcts:simulations=1000,solver=on",
        "mcts:preset=best,simulations=1000",
    ]
    .into_iter()
    .filter(|spec| spec.contains(&only))
    {
        let spec = registry.parse(spec)?;
        let speed = Speed::of(&mut *spec.player(1), &openings, &Limits::NONE)?;
        println!("{}: {speed}", spec.text());
    }
    if "networks".contains(&only) {
        searching_by_networks(&registry)?;
        valuing(&openings)?;
    }
    if !only.is_empty() {
        return Ok(());
    }
    let start = Game::new(Position::start(), Rules::default());
    let clock = Stopwatch::start();
    let choice = registry
        .parse("minimax:depth=5")?
        .player(1)
        .choose(&start, &Limits::NONE)?;
    let nodes = choice.info.nodes.unwrap_or(0) as f64;
    println!(
        "minimax:depth=5, start position: {:.2} million nodes/s",
        nodes / clock.seconds() / 1e6
    );
    Ok(())
}
