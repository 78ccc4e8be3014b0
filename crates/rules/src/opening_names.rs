//! Openings have names, by the positions they lead to: whatever moves have led there, the name is the
//! same.

use std::{collections::HashMap, sync::LazyLock};

use crate::{Game, Position};

/// The table, written for this project; what every player knows by heart.
const TABLE: &str = include_str!("opening_names.txt");

/// No position of the table lies deeper in a game that reaches it, not even by a detour of some moves.
const DEEPEST: usize = 40;

/// A position without its clocks and without the square for taking in passing, which a transposition
/// may not share.
fn key(position: &Position) -> String {
    let fen = position.fen();
    fen.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

static NAMES: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    entries()
        .filter_map(|(name, moves)| Some((key(&after(moves)?), name)))
        .collect()
});

fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(": "))
}

/// The position after some moves from the start; `None` when one of them is not legal.
fn after(moves: &str) -> Option<Position> {
    let mut position = Position::start();
    for san in moves.split_ascii_whitespace() {
        let m = position.parse_san(san).ok()?;
        position.play(m);
    }
    Some(position)
}

/// The name of the opening that a game has followed, as far as it has a name: that of the last of its
/// positions that has one.
///
/// ```
/// use rules::{Game, Position, Rules, opening_name};
///
/// let mut game = Game::new(Position::start(), Rules::default());
/// assert_eq!(opening_name(&game), None);
/// for san in ["Nf3", "Nc6", "e4", "e5", "Bc4"] {
///     let m = game.position().parse_san(san)?;
///     game.play(m)?;
/// }
/// assert_eq!(opening_name(&game), Some("Italian Game"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn opening_name(game: &Game) -> Option<&'static str> {
    if !game.start().board().is_standard() {
        return None;
    }
    let positions: Vec<_> = game.positions().take(DEEPEST + 1).collect();
    let mut latest = positions.into_iter().rev();
    latest.find_map(|position| NAMES.get(&key(position)).copied())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::Rules;

    #[test]
    fn every_line_is_an_opening_of_its_own() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(entries().count(), lines, "a line without a name or moves");
        let (mut names, mut positions) = (HashSet::new(), HashSet::new());
        for (name, moves) in entries() {
            let position = after(moves).unwrap_or_else(|| panic!("{name}: {moves}"));
            assert!(names.insert(name), "{name} stands there twice");
            assert!(positions.insert(key(&position)), "{name} has another name");
            assert!(moves.split(' ').count() <= DEEPEST / 2, "{name}");
            // As SAN is written: nothing left out, nothing added.
            let mut at = Position::start();
            for san in moves.split(' ') {
                let m = at.parse_san(san).expect("legal, as seen above");
                assert_eq!(at.san(m), san, "{name}");
                at.play(m);
            }
        }
        assert!(names.len() >= 150, "{}", names.len());
    }

    fn named(start: &str, moves: &str) -> Option<&'static str> {
        let mut game = Game::new(
            Position::from_fen(start).expect("a position"),
            Rules::none(),
        );
        for san in moves.split_ascii_whitespace() {
            let m = game.position().parse_san(san).expect("legal");
            game.play(m).expect("legal");
        }
        opening_name(&game)
    }

    #[test]
    fn transpositions_and_games_that_go_on_keep_their_names() {
        let start = Position::start().fen();
        let grunfeld = Some("Grünfeld Defence");
        assert_eq!(named(&start, "d4 Nf6 c4 g6 Nc3 d5"), grunfeld);
        assert_eq!(named(&start, "c4 g6 d4 Nf6 Nc3 d5"), grunfeld);
        // A pawn that has just gone two squares is no other opening.
        assert_eq!(named(&start, "d4 d5 c4 Nf6 Nc3 g6"), grunfeld);
        // Out of the table, the last name stays.
        assert_eq!(
            named(&start, "e4 e5 Nf3 Nc6 Bc4 h6 a3"),
            Some("Italian Game")
        );
        assert_eq!(named(&start, ""), None);
        // A game that begins in the middle of an opening.
        let later = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        assert_eq!(named(later, ""), Some("Sicilian Defence"));
        assert_eq!(named("8/8/8/3k4/8/8/8/KR6 w - - 0 1", "Kb2"), None);
        assert_eq!(named("k4/5/1K3/5/4R w", "Ra1+"), None);
    }
}
