//! Refutations, for people and for chess programs.

use anyhow::bail;
use rules::{Game, Pgn, Position, Rules};
use truth::Refutation;

use crate::files::write_atomically;

/// Prints where a policy goes wrong and how.
pub fn print_refutation(out: &mut impl std::io::Write, example: &Refutation) -> anyhow::Result<()> {
    writeln!(
        out,
        "  {}  (mate in {} with perfect play)",
        example.fen, example.optimal_moves
    )?;
    let mut line = String::new();
    for (i, san) in example.san.iter().enumerate().take(40) {
        if i > 0 {
            line.push(' ');
        }
        line.push_str(san);
    }
    if example.san.len() > 40 {
        line.push_str(" …");
    }
    writeln!(out, "    {line}: {}", example.end)?;
    Ok(())
}

/// Writes refutations as PGN.
pub fn write_refutations<'a>(
    path: &std::path::Path,
    player: &str,
    lines: impl Iterator<Item = &'a Refutation>,
) -> anyhow::Result<()> {
    let mut text = String::new();
    for refutation in lines {
        let position = Position::from_fen(&refutation.fen)?;
        let mut game = Game::new(position, Rules::none());
        for uci in &refutation.uci {
            match game.position().parse_uci(uci) {
                Some(m) => game.play(m)?,
                None => bail!("{uci} is not legal in {}", game.position()),
            }
        }
        let plies = game.plies();
        let mut pgn = Pgn::new(game);
        pgn.tags.set("Event", "Refutation")?;
        pgn.tags.set("White", player)?;
        pgn.comments.insert(plies, refutation.end.clone());
        text.push_str(&format!("{pgn}\n"));
    }
    write_atomically(path, text.as_bytes())
}
