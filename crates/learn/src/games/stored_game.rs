//! A game in a file of games.

use rules::{Chess, Color, Game, Pgn, PgnResult, Position, Rules, ShakmatyPosition as _};

use super::{Ending, GameHeader, GamesError, Names, PackedMove, PackedPosition, block};

/// A game in a file of games: its header, where it starts and its moves.
#[derive(Clone, Copy)]
pub struct StoredGame<'a> {
    pub(super) header: GameHeader,
    pub(super) start: Option<&'a str>,
    pub(super) moves: &'a [u8],
}

impl<'a> StoredGame<'a> {
    /// Result, ratings, date and length.
    pub const fn header(&self) -> &GameHeader {
        &self.header
    }

    /// The FEN it starts from, when that is not the start position of chess.
    pub const fn start_fen(&self) -> Option<&'a str> {
        self.start
    }

    /// The position it starts from; nothing when the file was made up to deceive.
    pub fn start(&self) -> Option<Position> {
        match self.start {
            None => Some(Position::start()),
            Some(fen) => Position::from_fen(fen).ok(),
        }
    }

    /// Its moves.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = PackedMove> + Clone + 'a {
        block::moves(self.moves)
    }

    /// The game as PGN has it, with these names.
    ///
    /// # Errors
    /// When it holds a move that is none: the file was made up.
    pub fn pgn(&self, names: Names<'_>) -> Result<Pgn, GamesError> {
        let damaged = || GamesError::Damaged("moves");
        let mut game = Game::new(self.start().ok_or_else(damaged)?, Rules::none());
        for m in self.moves() {
            let m = m.unpack(game.position().chess()).ok_or_else(damaged)?;
            game.play(m).map_err(|_| damaged())?;
        }
        let mut pgn = Pgn::new(game);
        pgn.result = self.header.result;
        let ratings = ["WhiteElo", "BlackElo"]
            .into_iter()
            .zip(self.header.ratings)
            .filter_map(|(tag, rating)| Some((tag, rating?.to_string())));
        let date = ("Date", self.header.date.to_string());
        let names = names.iter().map(|(tag, value)| (tag, value.to_owned()));
        for (tag, value) in names.chain(ratings).chain([date]) {
            // None of these is a tag that follows from the game.
            pgn.tags.set(tag, &value).map_err(|_| damaged())?;
        }
        Ok(pgn)
    }

    /// Every position in which a move was played, in order.
    pub fn positions(&self) -> Replay<'a> {
        let start = self.start().map(|position| position.chess().clone());
        Replay {
            left: if start.is_some() { self.moves } else { &[] },
            chess: start.unwrap_or_default(),
            before_last: PackedMove::NONE,
            last: PackedMove::NONE,
            result: self.header.result,
        }
    }
}

/// A game played again; see [`StoredGame::positions`].
pub struct Replay<'a> {
    chess: Chess,
    left: &'a [u8],
    before_last: PackedMove,
    last: PackedMove,
    result: PgnResult,
}

impl Replay<'_> {
    /// The position on the board, before the move that comes next.
    pub const fn chess(&self) -> &Chess {
        &self.chess
    }
}

impl Iterator for Replay<'_> {
    type Item = PackedPosition;

    #[inline]
    fn next(&mut self) -> Option<PackedPosition> {
        let played = block::moves(self.left).next()?;
        // A move that cannot be one ends the game: no file of ours holds it.
        let m = played.unpack(&self.chess)?;
        let ending = ending(self.result, self.chess.turn());
        let position =
            PackedPosition::new(&self.chess, self.before_last, self.last, played, ending);
        self.chess.play_unchecked(m);
        self.left = &self.left[2..];
        (self.before_last, self.last) = (self.last, played);
        Some(position)
    }
}

/// What a result means to a side.
fn ending(result: PgnResult, color: Color) -> Option<Ending> {
    match result {
        PgnResult::Unfinished => None,
        PgnResult::Draw => Some(Ending::Draw),
        PgnResult::Win(winner) if winner == color => Some(Ending::Win),
        PgnResult::Win(_) => Some(Ending::Loss),
    }
}
