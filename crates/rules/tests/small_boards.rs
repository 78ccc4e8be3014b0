//! Legal moves on small boards against counts made by another program: the data file is written
//! by Fairy-Stockfish through `python/checks/check_small_boards.py`.

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
fn counts_of_fairy_stockfish() {
    let mut boards = [0; 9];
    for epd in Epd::read_file(&include_bytes!("data/small_boards.epd")[..]) {
        let epd = epd.unwrap();
        let position = &epd.position;
        let (mut check, mut end) = (false, "");
        for operation in &epd.operations {
            let Operation::Other { opcode, operands } = operation else {
                panic!("{operation:?} in {epd}");
            };
            match &opcode[..] {
                "check" => check = true,
                "end" => end = &operands[0].text,
                depth => {
                    let depth = depth.trim_start_matches('D').parse().unwrap();
                    let expected: u64 = operands[0].text.parse().unwrap();
                    assert_eq!(perft(position, depth), expected, "{epd} to depth {depth}");
                }
            }
        }
        assert_eq!(position.is_check(), check, "{epd}");
        assert_eq!(position.is_checkmate(), end == "checkmate", "{epd}");
        assert_eq!(position.is_stalemate(), end == "stalemate", "{epd}");
        boards[position.board().size()] += 1;
    }
    assert_eq!(boards, [0, 0, 0, 0, 120, 120, 120, 120, 0]);
}
