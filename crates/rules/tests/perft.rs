//! The number of ways to play on from well-known positions, as published on the Chess Programming
//! Wiki. One wrong rule of castling, en passant or promotion, and some count is off.

use rules::{Epd, Operation, Position};

fn perft(position: &Position, depth: u32) -> u64 {
    let moves = position.legal_moves();
    if depth <= 1 {
        return moves.len() as u64;
    }
    moves
        .into_iter()
        .map(|m| perft(&position.after(m), depth - 1))
        .sum()
}

#[test]
fn published_counts() {
    let mut positions = 0;
    for epd in Epd::read_file(&include_bytes!("data/perft.epd")[..]) {
        let epd = epd.unwrap();
        for operation in &epd.operations {
            let Operation::Other { opcode, operands } = operation else {
                continue;
            };
            let depth = opcode.trim_start_matches('D').parse().unwrap();
            let expected: u64 = operands[0].text.parse().unwrap();
            assert_eq!(
                perft(&epd.position, depth),
                expected,
                "{:?} to depth {depth}",
                epd.id()
            );
        }
        positions += 1;
    }
    assert_eq!(positions, 6);
}
