//! Does a policy mate a bare king against every defence? A small exhaustive check:
//!
//!     cargo run --release -p lucena-play --example certificate -- minimax:depth=6,history=off KRK
//!
//! The player's move is taken in every position up to symmetry with white to move. Then, round by
//! round, those positions are counted from which the policy mates in 1, 2, 3, … moves whatever
//! black does. (`truth` has the certificates proper; this one needs no tables and writes nothing.)

use std::{env, error::Error, sync::Arc, time::Instant};

use play::{Limits, Nature, PlayerSpec, Registry};
use rules::{
    Board, BoardEnding, Color, FewMen, FewMenIndex, FewMenRules, Game, Material, Position, Rules,
};
use truth::{Oracle, Verdict};

struct NoTables;

impl Oracle for NoTables {
    fn probe(&self, _: &Position) -> Option<Verdict> {
        None
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let player = arguments
        .first()
        .map_or("minimax:depth=6,history=off", String::as_str);
    let material: Material = arguments.get(1).map_or("KRK", String::as_str).parse()?;
    let size: usize = arguments.get(2).map_or(Ok(8), |text| text.parse())?;
    let threads: usize = arguments.get(3).map_or(Ok(1), |text| text.parse())?;
    let spec = Registry::new(Arc::new(NoTables)).parse(player)?;
    if spec.player(1).nature() != Nature::Position || !spec.player(1).is_symmetric() {
        return Err(format!("{player} is not a symmetric policy").into());
    }
    let rules = FewMenRules::new(material, Board::new(size)?)?;
    let index = FewMenIndex::symmetric(&rules);
    let clock = Instant::now();
    let successors = policy(&spec, &rules, &index, threads);
    let positions = successors.iter().filter(|s| **s != NONE).count();
    let seconds = clock.elapsed().as_secs_f64();
    println!(
        "{player} moved in {positions} positions of {material}: {seconds:.1} s, {:.0} positions/s",
        positions as f64 / seconds
    );
    certify(&rules, &index, &successors);
    Ok(())
}

const NONE: usize = usize::MAX;

/// For every white position, the number of the position after the player's move.
fn policy(
    spec: &PlayerSpec,
    rules: &FewMenRules,
    index: &FewMenIndex,
    threads: usize,
) -> Vec<usize> {
    let mut successors = vec![NONE; index.states()];
    let chunk = successors.len().div_ceil(64 * threads).max(1);
    let work = std::sync::Mutex::new(successors.chunks_mut(chunk).enumerate());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut player = spec.player(1);
                loop {
                    let next = work.lock().expect("no thread panics").next();
                    let Some((number, part)) = next else { break };
                    for (i, successor) in part.iter_mut().enumerate() {
                        let Some(men) = white_to_move(rules, index, number * chunk + i) else {
                            continue;
                        };
                        let position = rules.position(men).expect("possible, as just checked");
                        let game = Game::new(position.clone(), Rules::none());
                        let choice = player.choose(&game, &Limits::NONE).expect("a move");
                        let after = rules
                            .compact(&position.after(choice.mv))
                            .expect("the same men");
                        *successor = index.index(after);
                    }
                }
            });
        }
    });
    successors
}

/// The white position with a number, if there is one and the game goes on.
fn white_to_move(rules: &FewMenRules, index: &FewMenIndex, number: usize) -> Option<FewMen> {
    let men = index.position(number, Color::White)?;
    let complete = men.others.iter().flatten().count() == rules.others_count();
    (complete && rules.is_possible(men) && rules.ending(men, &rules.targets(men)).is_none())
        .then_some(men)
}

fn certify(rules: &FewMenRules, index: &FewMenIndex, successors: &[usize]) {
    let states = successors.len();
    let mut white = vec![0u8; states]; // moves to mate, 0 while not known to mate
    let mut black = vec![0u8; states]; // one more
    let mut replies: Vec<(usize, Vec<usize>)> = Vec::new();
    for (number, lost) in black.iter_mut().enumerate() {
        let Some(men) = index.position(number, Color::Black) else {
            continue;
        };
        if men.others.iter().flatten().count() < rules.others_count() || !rules.is_possible(men) {
            continue;
        }
        let targets = rules.targets(men);
        match rules.ending(men, &targets) {
            Some(BoardEnding::Checkmate) => *lost = 1,
            Some(_) => {}
            None => {
                let after: Vec<FewMen> = targets.iter().map(|m| rules.after(men, m)).collect();
                let taken =
                    |men: &FewMen| men.others.iter().flatten().count() < rules.others_count();
                if !after.iter().any(taken) {
                    replies.push((
                        number,
                        after.into_iter().map(|men| index.index(men)).collect(),
                    ));
                }
            }
        }
    }
    let all: Vec<usize> = (0..states).filter(|&n| successors[n] != NONE).collect();
    let (mut certified, mut total, mut longest) = (0usize, 0u64, 0);
    for moves in 1..=250u8 {
        let new: Vec<usize> = all
            .iter()
            .copied()
            .filter(|&n| white[n] == 0 && black[successors[n]] != 0)
            .collect();
        if new.is_empty() {
            break;
        }
        longest = moves;
        certified += new.len();
        total += new.len() as u64 * u64::from(moves);
        for n in new {
            white[n] = moves;
        }
        replies.retain(|(number, after)| {
            let lost = after.iter().all(|&n| white[n] != 0);
            if lost {
                black[*number] = moves + 1;
            }
            !lost
        });
    }
    println!(
        "forced mates: {certified} of {} positions ({:.4} %), longest {longest} moves, mean {:.2}",
        all.len(),
        100.0 * certified as f64 / all.len() as f64,
        total as f64 / certified.max(1) as f64
    );
    for &n in all
        .iter()
        .filter(|&&n| white[n] == 0)
        .step_by(all.len() / 8 + 1)
    {
        if let Some(position) =
            white_to_move(rules, index, n).and_then(|men| rules.position(men).ok())
        {
            println!("  not forced: {position}");
        }
    }
}
