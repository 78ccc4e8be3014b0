//! The command `position`.

use rules::{Game, Position, Rules};

/// The game that `position …` describes, and what was wrong with its moves, if anything: those
/// before the mistake are played.
pub fn start_game(words: &[&str]) -> Result<(Game, Option<String>), String> {
    let split = words.iter().position(|&word| word == "moves");
    let (setup, moves) = words.split_at(split.unwrap_or(words.len()));
    let position = match setup {
        ["startpos", ..] => Position::start(),
        ["fen", fen @ ..] => Position::from_fen(&fen.join(" "))
            .map_err(|error| format!("this position is not possible: {error}"))?,
        _ => return Err("position needs startpos or fen".to_owned()),
    };
    let mut game = Game::new(position, Rules::fide());
    for text in moves.iter().skip(1) {
        let position = game.position();
        let Some(m) = position.parse_uci(text) else {
            let complaint = format!("{text} is not legal in {}", position.fen());
            return Ok((game, Some(complaint)));
        };
        if game.play(m).is_err() {
            return Ok((game, Some(format!("the game is over before {text}"))));
        }
    }
    Ok((game, None))
}
