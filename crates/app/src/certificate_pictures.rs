//! A certificate on boards: where a policy fails, how it is refuted, and its longest mate.

use std::path::Path;

use anyhow::Context as _;
use papers::{Frame, boards_svg, game_frames};
use rules::{Piece, Role, Square};
use truth::{Certificate, Failure, Refutation};

use crate::{files::write_atomically, solve::grouped};

/// Draws what there is to draw into a folder.
pub fn write(folder: &Path, player: &str, certificate: &Certificate) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let draw = |name: &str, picture: String| {
        write_atomically(&folder.join(format!("{name}.svg")), picture.as_bytes())
    };
    if !certificate.failures.is_empty() {
        draw("failures", failures(player, certificate))?;
    }
    for failure in &certificate.failures {
        let name = serde_json::to_value(failure.kind)?;
        let name = name.as_str().unwrap_or("failure").replace('_', "-");
        if let Some(picture) = refuted(player, failure, &name)? {
            draw(&name, picture)?;
        }
    }
    if let Some(line) = &certificate.longest {
        let moves = line.uci.len().div_ceil(2);
        let title = format!(
            "{player}: its longest mate, {moves} moves (perfect play: {})",
            line.optimal_moves
        );
        draw("longest", play(&title, line)?)?;
    }
    Ok(())
}

/// The share of failures by the square of each man.
fn failures(player: &str, certificate: &Certificate) -> String {
    let frames: Vec<Frame> = certificate
        .heat_maps()
        .into_iter()
        .map(|(piece, squares)| {
            let shade = |(square, failed, _): (Square, f64, f64)| {
                (square, failed, format!("{:.0}", 100.0 * failed))
            };
            let shades = squares.into_iter().map(shade).collect();
            Frame::shades(
                certificate.board,
                shades,
                &format!("by the {}", name(piece)),
            )
        })
        .collect();
    let failed: u64 = certificate.failures.iter().map(|f| f.positions).sum();
    let title = format!(
        "{player}: {} of {} won positions fail, in per cent",
        grouped(failed),
        grouped(certificate.won_positions)
    );
    boards_svg(&title, &frames)
}

/// The first refutation of a kind; `None` if there is none to show.
fn refuted(player: &str, failure: &Failure, name: &str) -> anyhow::Result<Option<String>> {
    let Some(line) = failure.examples.first() else {
        return Ok(None);
    };
    let title = format!(
        "{player} fails by {}: {} (mate in {} with perfect play)",
        name.replace('-', " "),
        line.end,
        line.optimal_moves
    );
    play(&title, line).map(Some)
}

fn play(title: &str, line: &Refutation) -> anyhow::Result<String> {
    let game = line.game();
    let game = game.with_context(|| format!("no game begins {}", line.fen))?;
    Ok(boards_svg(title, &game_frames(&game)))
}

/// A man in words.
fn name(piece: Piece) -> String {
    let color = piece.color.fold_wb("white", "black");
    let role = match piece.role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    };
    format!("{color} {role}")
}
