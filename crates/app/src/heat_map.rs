//! Where on the board a policy fails.

use rules::Board;
use serde_json::{Value, json};
use truth::Certificate;

/// As JSON.
pub fn heat_map(certificate: &Certificate) -> Value {
    certificate
        .heat_map()
        .into_iter()
        .map(|(square, failed, excess)| {
            json!({ "square": square.to_string(), "failed_share": failed, "mean_excess_moves": excess })
        })
        .collect()
}

/// As JSON, by the square of each kind of man: its letter as in FEN, the defending king first.
pub fn heat_maps(certificate: &Certificate) -> Value {
    certificate
        .heat_maps()
        .into_iter()
        .map(|(piece, squares)| {
            json!({ "piece": piece.char().to_string(), "squares": squares.into_iter().map(|(square, failed, excess)| {
                json!({ "square": square.to_string(), "failed_share": failed, "mean_excess_moves": excess })
            }).collect::<Vec<_>>() })
        })
        .collect()
}

/// As a board of numbers.
pub fn print_heat_map(
    out: &mut impl std::io::Write,
    certificate: &Certificate,
    board: Board,
) -> anyhow::Result<()> {
    let heat = certificate.heat_map();
    let size = board.size();
    for rank in (0..size).rev() {
        write!(out, "  {} ", rank + 1)?;
        for file in 0..size {
            let share = heat
                .iter()
                .find(|(q, ..)| usize::from(q.file()) == file && usize::from(q.rank()) == rank)
                .map_or(0.0, |&(_, failed, _)| failed);
            write!(out, " {:>4.0}", share * 100.0)?;
        }
        writeln!(out)?;
    }
    write!(out, "    ")?;
    for file in 0..size {
        write!(out, " {:>4}", char::from(b'a' + file as u8))?;
    }
    writeln!(out)?;
    Ok(())
}
