//! Refutations, for people and for chess programs.

use anyhow::Context as _;
use rules::Pgn;
use truth::Refutation;

use crate::files::write_or_print;

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
        let game = refutation.game();
        let game = game.with_context(|| format!("no game begins {}", refutation.fen))?;
        let plies = game.plies();
        let mut pgn = Pgn::new(game);
        pgn.tags.set("Event", "Refutation")?;
        pgn.tags.set("White", player)?;
        pgn.comments.insert(plies, refutation.end.clone());
        text.push_str(&format!("{pgn}\n"));
    }
    write_or_print(path, text.as_bytes())
}
