//! The papers' figures, quickly.
use std::time::Instant;

use learn::{q::*, q_lambda::*, *};
use rules::Board;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let rules = ContestRules {
        games: 1000,
        max_moves: 50,
        repetition: true,
        seed: 7,
    };
    match args[1].as_str() {
        "q" => {
            let episodes = args[4].parse().unwrap();
            let board = Board::new(args[3].parse().unwrap()).unwrap();
            let mut settings = QSettings::default();
            if let Some(o) = args.get(5) {
                settings.opponent = o.clone();
            }
            if let Some(s) = args.get(6) {
                settings.symmetry = match s.as_str() {
                    "full" => Folding::Full,
                    "flips" => Folding::Flips,
                    _ => Folding::None,
                };
            }
            let opponent = (settings.opponent != "self")
                .then(|| Opponent::parse(&settings.opponent, None, 1).unwrap());
            let mut l = QLearner::new(
                settings,
                args[2].parse().unwrap(),
                board,
                opponent,
                episodes,
                1,
            )
            .unwrap();
            let start = Instant::now();
            let mut plies = 0u64;
            for _ in 0..episodes {
                if let Episode::Played { plies: p, .. } = l.episode().unwrap() {
                    plies += u64::from(p);
                }
            }
            let s = start.elapsed().as_secs_f64();
            println!(
                "{:.0} episodes/s {:.0} plies/s, {:.1} plies/game {:?}",
                episodes as f64 / s,
                plies as f64 / s,
                plies as f64 / episodes as f64,
                l.extent()
            );
            for (name, d) in [
                ("random", Defender::Opponent(Opponent::Random)),
                ("black", Defender::Learner(&l)),
                ("heuristic", Defender::Opponent(Opponent::Heuristic)),
            ] {
                let r = contest(&l, d, rules).unwrap();
                println!("{name}: {:.3} {:?}", r.win_rate(), r.draws);
            }
        }
        _ => {
            let episodes: u64 = args[2].parse().unwrap();
            let mut settings = QLambdaSettings::default();
            let mut t = toml::Table::try_from(&settings).unwrap();
            for a in &args[3..] {
                let (k, v) = a.split_once('=').unwrap();
                let v: toml::Table = toml::from_str(&format!("x={v}")).unwrap();
                t.insert(k.into(), v["x"].clone());
            }
            settings = t.try_into().unwrap();
            let o = Opponent::parse(&settings.opponent, None, 1).unwrap();
            let mut l = QLambdaLearner::new(
                settings,
                "KRK".parse().unwrap(),
                Board::STANDARD,
                o,
                episodes,
                1,
            )
            .unwrap();
            let start = Instant::now();
            let mut plies = 0u64;
            for _ in 0..episodes {
                if let Episode::Played { plies: p, .. } = l.episode().unwrap() {
                    plies += u64::from(p);
                }
            }
            let s = start.elapsed().as_secs_f64();
            let r = contest(
                &l,
                Defender::Opponent(Opponent::Drawish),
                ContestRules {
                    max_moves: 250,
                    repetition: false,
                    ..rules
                },
            )
            .unwrap();
            let mut m = r.moves_to_mate.clone();
            m.sort();
            println!(
                "{:.0} games/s {:.0} plies/s, {:.1} plies/game {:?} win {:.3} median {:?}",
                episodes as f64 / s,
                plies as f64 / s,
                plies as f64 / episodes as f64,
                l.extent(),
                r.win_rate(),
                m.get(m.len() / 2)
            );
        }
    }
}
