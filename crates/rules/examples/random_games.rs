//! How many random KRK games a second the compact form plays on one core, and [`rules::Position`] beside it.
//!
//!     cargo run --release -p lucena-rules --example random_games

use std::time::Instant;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Board, BoardEnding, Color, FewMenRules};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = FewMenRules::new("KRK".parse()?, Board::STANDARD)?;
    let mut random = ChaCha8Rng::seed_from_u64(1);

    let (games, mut plies, mut mates) = (500_000, 0u64, 0u64);
    let start = Instant::now();
    for _ in 0..games {
        let mut men = rules.random(Color::White, &mut random);
        for _ in 0..100 {
            let targets = rules.targets(men);
            if let Some(ending) = rules.ending(men, &targets) {
                mates += u64::from(ending == BoardEnding::Checkmate);
                break;
            }
            let Some(m) = targets.random(&mut random) else {
                break;
            };
            men = rules.after(men, m);
            plies += 1;
        }
    }
    report("FewMen", start, games, plies, mates);

    let (games, mut plies, mut mates) = (100_000, 0u64, 0u64);
    let start = Instant::now();
    for _ in 0..games {
        let mut position = rules.position(rules.random(Color::White, &mut random))?;
        for _ in 0..100 {
            let moves = position.legal_moves();
            if moves.is_empty() || position.is_insufficient_material() {
                mates += u64::from(moves.is_empty() && position.is_check());
                break;
            }
            position.play(moves[random.random_range(0..moves.len())]);
            plies += 1;
        }
    }
    report("Position", start, games, plies, mates);
    Ok(())
}

fn report(name: &str, start: Instant, games: u64, plies: u64, mates: u64) {
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name}: {:.0} games/s, {:.1} plies a game, {:.2} % mate, {:.1} million plies/s",
        games as f64 / seconds,
        plies as f64 / games as f64,
        100.0 * mates as f64 / games as f64,
        plies as f64 / seconds / 1e6
    );
}
