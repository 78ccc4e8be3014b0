//! How many random KRK games a second the compact form plays on one core.
//!
//!     cargo run --release -p lucena-rules --example random_games

use std::time::Instant;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Board, Color, FewMenRules};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = FewMenRules::new("KRK".parse()?, Board::STANDARD)?;
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let (games, mut plies, mut mates) = (2_000_000, 0u64, 0u64);
    let start = Instant::now();
    for _ in 0..games {
        let mut men = rules.random(Color::White, &mut random);
        for _ in 0..100 {
            let targets = rules.targets(men);
            if let Some(ending) = rules.ending(men, &targets) {
                mates += u64::from(ending == rules::BoardEnding::Checkmate);
                break;
            }
            let Some(m) = targets.random(&mut random) else {
                break;
            };
            men = rules.after(men, m);
            plies += 1;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{:.0} games/s, {:.1} plies a game, {:.2} % mate, {:.1} million plies/s",
        games as f64 / seconds,
        plies as f64 / games as f64,
        100.0 * mates as f64 / games as f64,
        plies as f64 / seconds / 1e6
    );
    Ok(())
}
