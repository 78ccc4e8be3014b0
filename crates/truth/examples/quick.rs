use std::time::Instant;
fn main() {
    let board =
        rules::Board::new(std::env::args().nth(2).map_or(8, |n| n.parse().unwrap())).unwrap();
    let mut s = truth::Solver::new(board);
    let m: rules::Material = std::env::args().nth(1).unwrap().parse().unwrap();
    let last = std::sync::Mutex::new((Instant::now(), String::new()));
    let r = s
        .solve(m, &|p| {
            let mut l = last.lock().unwrap();
            let n = p.material.to_string();
            if l.1 != n {
                println!("{} start {:?} since", n, l.0.elapsed());
                *l = (Instant::now(), n);
            }
            true
        })
        .unwrap();
    println!("{:?}", last.lock().unwrap().0.elapsed());
    for x in [&r.statistics().white_to_move, &r.statistics().black_to_move] {
        println!(
            "{} won {} drawn {} lost {} longest {:?}",
            x.positions(),
            x.won(),
            x.drawn(),
            x.lost(),
            x.longest_moves()
        );
    }
}
