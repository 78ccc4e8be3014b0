//! Games that are played elsewhere: the same run comes of it, and nothing from elsewhere is trusted.
#![allow(clippy::unwrap_used)]

use std::{collections::VecDeque, path::Path, sync::atomic::AtomicBool};

use learn::{
    Control, LearnError, Plan, Stopped, Task,
    elsewhere::{Elsewhere, MOST_BYTES, SelfPlay},
    resume, train,
};
use rules::Board;

static NEVER: AtomicBool = AtomicBool::new(false);

fn plan(recipe: &str, iterations: u64, changes: &[(&str, &str)]) -> Plan {
    let task = Task::Endgame("KQK".parse().unwrap(), Board::new(5).unwrap());
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    let changes: Vec<_> = changes.iter().map(owned).collect();
    let mut plan = Plan::new(recipe, task, iterations, 3, &changes).unwrap();
    plan.checkpoint_every = 2;
    plan
}

fn zero(iterations: u64) -> Plan {
    let small = [
        ("games", "20"),
        ("group", "8"),
        ("simulations", "8"),
        ("width", "16"),
        ("batch", "32"),
        ("max_moves", "10"),
    ];
    plan("alphazero", iterations, &small)
}

/// The same, learning what was played last while the next games are played.
fn beside(iterations: u64) -> Plan {
    let mut plan = zero(iterations);
    plan.settings.insert("beside".into(), true.into());
    plan
}

fn ppo(iterations: u64) -> Plan {
    let small = [
        ("steps", "600"),
        ("fragment", "30"),
        ("width", "16"),
        ("pool_every", "2"),
    ];
    plan("ppo", iterations, &small)
}

/// Players that take turns, each part with whoever is next; `stale` iterations are played ahead.
struct Cluster {
    players: Vec<SelfPlay>,
    stale: u64,
    next: usize,
    /// Games by iteration and part, those of `first` in front.
    games: VecDeque<Vec<Vec<u8>>>,
    harvests: VecDeque<Vec<Vec<u8>>>,
    first: u64,
    /// Sees every harvest on its way.
    spoil: fn(&mut Vec<Vec<u8>>),
    stop_at: Option<u64>,
}

impl Cluster {
    fn new(plan: &Plan, players: usize, stale: u64) -> Cluster {
        let player = |_| SelfPlay::new(plan, None).unwrap();
        Cluster {
            players: (0..players).map(player).collect(),
            stale,
            next: 0,
            games: VecDeque::new(),
            harvests: VecDeque::new(),
            first: 0,
            spoil: |_| {},
            stop_at: None,
        }
    }
}

impl Elsewhere for Cluster {
    fn begin(&mut self, iteration: u64, games: Vec<Vec<u8>>) -> Result<(), LearnError> {
        self.first = iteration;
        self.games = [games].into();
        self.harvests.clear();
        Ok(())
    }

    fn harvests(
        &mut self,
        iteration: u64,
        weights: Vec<u8>,
    ) -> Result<Option<Vec<Vec<u8>>>, LearnError> {
        if self.stop_at == Some(iteration) {
            return Ok(None);
        }
        while self.first < iteration {
            self.games.pop_front();
            self.first += 1;
        }
        for player in &mut self.players {
            player.take_weights(&weights)?;
        }
        while self.harvests.len() as u64 <= self.stale {
            let (mut harvests, mut after) = (Vec::new(), Vec::new());
            for (part, games) in self.games.back().unwrap().iter().enumerate() {
                self.next = (self.next + 1) % self.players.len();
                let piece = self.players[self.next].play(part, games, &NEVER)?;
                assert!(piece.harvest.len() as u64 <= MOST_BYTES);
                harvests.push(piece.harvest);
                after.push(piece.games);
            }
            self.harvests.push_back(harvests);
            self.games.push_back(after);
        }
        let mut harvests = self.harvests.pop_front().unwrap();
        (self.spoil)(&mut harvests);
        Ok(Some(harvests))
    }

    fn games(&mut self, iterations: u64) -> Result<Vec<Vec<u8>>, LearnError> {
        Ok(self.games[(iterations - self.first) as usize].clone())
    }
}

fn files(run: &Path, plan: &Plan) -> [Vec<u8>; 3] {
    let last = format!("checkpoints/{:012}", plan.episodes);
    ["weights.safetensors", "metrics.csv", &last].map(|f| std::fs::read(run.join(f)).unwrap())
}

#[test]
fn it_does_not_matter_who_plays() {
    let root = tempfile::tempdir().unwrap();
    for (name, plan) in [("zero", zero(5)), ("beside", beside(5)), ("ppo", ppo(5))] {
        let here = root.path().join(format!("{name}-here"));
        train(&plan, &here, Control::default()).unwrap();
        let right = files(&here, &plan);
        for players in [1, 2, 5] {
            let run = root.path().join(format!("{name}-{players}"));
            let mut cluster = Cluster::new(&plan, players, 0);
            let control = Control {
                elsewhere: Some(&mut cluster),
                ..Control::default()
            };
            train(&plan, &run, control).unwrap();
            assert!(files(&run, &plan) == right, "{name}, {players} players");
        }
    }
}

#[test]
fn a_run_goes_on_elsewhere_and_here() {
    let root = tempfile::tempdir().unwrap();
    for (name, plan) in [("zero", zero(6)), ("beside", beside(6)), ("ppo", ppo(6))] {
        let here = root.path().join(format!("{name}-here"));
        train(&plan, &here, Control::default()).unwrap();
        let run = root.path().join(name);
        let mut cluster = Cluster::new(&plan, 2, 0);
        cluster.stop_at = Some(3);
        let control = Control {
            elsewhere: Some(&mut cluster),
            ..Control::default()
        };
        let summary = train(&plan, &run, control).unwrap();
        assert_eq!(summary.stopped, Stopped::Cancelled);
        // Half of the rest with others, and the end alone.
        let mut cluster = Cluster::new(&plan, 3, 0);
        let control = Control {
            elsewhere: Some(&mut cluster),
            until: Some(5),
            ..Control::default()
        };
        assert_eq!(resume(&run, control).unwrap().stopped, Stopped::Paused);
        resume(&run, Control::default()).unwrap();
        assert!(files(&run, &plan) == files(&here, &plan), "{name}");
    }
}

#[test]
fn playing_ahead_is_a_run_as_well() {
    let root = tempfile::tempdir().unwrap();
    let plan = zero(6);
    let weights = |stale: u64, players: usize| {
        let run = root.path().join(format!("{stale}-{players}"));
        let mut cluster = Cluster::new(&plan, players, stale);
        let control = Control {
            elsewhere: Some(&mut cluster),
            ..Control::default()
        };
        train(&plan, &run, control).unwrap();
        let longer = learn::extend(&run, 7).unwrap();
        resume(&run, Control::default()).unwrap();
        files(&run, &longer)
    };
    let one = weights(1, 2);
    assert!(one == weights(1, 3), "who plays does not matter");
    assert!(one != weights(0, 2), "which weights are played by does");
}

#[test]
fn what_does_not_fit_is_refused() {
    let root = tempfile::tempdir().unwrap();
    type Spoil = fn(&mut Vec<Vec<u8>>);
    let ways: [Spoil; 6] = [
        |all| drop(all.pop()),
        |all| all.swap(0, 1),
        |all| all[0].truncate(70),
        |all| all[1].push(0),
        |all| all[0][60] ^= 1,
        |all| all[1].clear(),
    ];
    for (name, plan) in [("zero", zero(2)), ("ppo", ppo(2))] {
        for (i, spoil) in ways.into_iter().enumerate() {
            let mut cluster = Cluster::new(&plan, 1, 0);
            cluster.spoil = spoil;
            let control = Control {
                elsewhere: Some(&mut cluster),
                ..Control::default()
            };
            let run = root.path().join(format!("{name}-{i}"));
            let error = train(&plan, &run, control).unwrap_err();
            let refused = matches!(error, LearnError::Foreign(_) | LearnError::Record);
            assert!(refused, "{name} {i}: {error}");
        }
        let mut player = SelfPlay::new(&plan, None).unwrap();
        let games = player.new_games(0, 0).unwrap();
        assert_ne!(games, player.new_games(0, 1).unwrap(), "another life");
        assert!(player.new_games(99, 0).is_err());
        assert!(player.room() >= player.parts(), "these are small");
        assert!(player.play(1, &games, &NEVER).is_err(), "another part");
        assert!(player.take_weights(&games).is_err());
        let mut other = plan.clone();
        other.seed += 1;
        let mut other = SelfPlay::new(&other, None).unwrap();
        let error = other.play(0, &games, &NEVER).unwrap_err();
        assert!(error.to_string().contains("another run"), "{error}");
        // Whatever is changed, it is refused or played, and nothing breaks.
        for at in (0..games.len()).step_by(games.len().div_ceil(60)) {
            let mut broken = games.clone();
            broken[at] ^= 0x40;
            assert!(player.play(0, &broken, &NEVER).is_err(), "byte {at}");
        }
        assert!(player.play(0, &games, &NEVER).is_ok());
    }
}

#[test]
fn recipes_and_sizes_that_cannot_travel_say_so() {
    let refused = |plan: &Plan| SelfPlay::new(plan, None).err().unwrap().to_string();
    assert!(refused(&plan("ypma-q", 5, &[])).contains("'ypma-q' cannot be played elsewhere"));
    let large = [("games", "4096"), ("group", "4096"), ("plies", "1000")];
    let error = refused(&plan("alphazero", 5, &large));
    assert!(error.starts_with("group = 4096: "), "{error}");
    let control = Control::default();
    let root = tempfile::tempdir().unwrap();
    let tabular = plan("ypma-q", 5, &[]);
    let mut cluster = Cluster::new(&zero(1), 1, 0);
    let control = Control {
        elsewhere: Some(&mut cluster),
        ..control
    };
    assert!(train(&tabular, &root.path().join("q"), control).is_err());
}

#[test]
fn whole_games_travel_as_well() {
    let root = tempfile::tempdir().unwrap();
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let zero = [
        ("games", "4"),
        ("group", "2"),
        ("plies", "3"),
        ("simulations", "4"),
        ("width", "8"),
        ("blocks", "c"),
        ("max_moves", "3"),
        ("batch", "4"),
        ("window_least", "8"),
    ];
    let ppo = [("steps", "80"), ("fragment", "8"), ("width", "8")];
    let mut dense = zero;
    dense[5].1 = "dense";
    let trainings = [
        ("tower", "alphazero", &zero[..]),
        ("dense", "alphazero", &dense[..]),
        ("ppo", "ppo", &ppo[..]),
    ];
    for (name, recipe, changes) in trainings {
        let changes: Vec<_> = changes.iter().copied().map(owned).collect();
        let plan = Plan::new(recipe, Task::Chess, 3, 1, &changes).unwrap();
        let (here, there) = (root.path().join(name), root.path().join("there").join(name));
        train(&plan, &here, Control::default()).unwrap();
        let mut cluster = Cluster::new(&plan, 2, 0);
        let control = Control {
            elsewhere: Some(&mut cluster),
            ..Control::default()
        };
        train(&plan, &there, control).unwrap();
        assert!(files(&there, &plan) == files(&here, &plan), "{name}");
    }
}
