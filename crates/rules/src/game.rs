use shakmaty::{EnPassantMode, Move, MoveList, Position as _, zobrist::Zobrist64};

use crate::{MoveRule, Outcome, Position, Reason, Repetition, Rules};

/// A position with the moves that led to it and the draw rules it is played under.
///
/// The position decides what is legal; history and rules decide when the game is over. A game
/// that is over by a draw rule can be played on, because players do so when nobody claims the
/// draw: [`Game::outcome`] always speaks of the position on the board.
///
/// ```
/// use rules::{Game, Position, Reason, Rules};
/// let mut game = Game::new(Position::from_fen("k7/8/1K6/8/8/8/8/7R w")?, Rules::default());
/// let mate = game.position().parse_uci("h1h8").expect("a legal move");
/// game.play(mate).expect("still legal");
/// assert_eq!(game.outcome().map(|outcome| outcome.reason), Some(Reason::Checkmate));
/// # Ok::<(), rules::FenError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    rules: Rules,
    position: Position,
    /// Of the current position.
    hash: Zobrist64,
    /// Of the current position.
    repetitions: u32,
    history: Vec<Ply>,
}

/// A move that has been played, and what it was played in.
#[derive(Clone, Debug)]
struct Ply {
    before: Position,
    /// Of `before`.
    hash: Zobrist64,
    /// Of `before`.
    repetitions: u32,
    played: Move,
}

/// What there is to know about the position on the board before a move: worked out together, because
/// a game is over when there is no legal move.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The legal moves of the position, whether or not a draw rule has ended the game.
    pub moves: MoveList,
    /// How the game ended; `None` while it goes on.
    pub outcome: Option<Outcome>,
}

/// A position of a game, and how often it had occurred by then.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The position.
    pub position: &'a Position,
    /// How often it had occurred, that time included: 1 for a new position.
    pub repetitions: u32,
    /// The move that led to it; none where the game began.
    pub last: Option<Move>,
}

/// A move that is not legal in the position it was played in.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} is not legal in {position}", .position.uci(*.played))]
pub struct IllegalMove {
    /// The move.
    pub played: Move,
    /// The position, unchanged.
    pub position: Position,
}

impl Game {
    /// A game that starts from `position`.
    pub fn new(position: Position, rules: Rules) -> Game {
        Game {
            rules,
            hash: full_hash(&position),
            repetitions: 1,
            position,
            history: Vec::new(),
        }
    }

    /// The position on the board.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The position the game started from.
    pub fn start(&self) -> &Position {
        self.history
            .first()
            .map_or(&self.position, |ply| &ply.before)
    }

    /// The draw rules it is played under.
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// The moves played so far.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Move> + ExactSizeIterator {
        self.history.iter().map(|ply| ply.played)
    }

    /// Every position so far, from the start to the one on the board.
    pub fn positions(&self) -> impl Iterator<Item = &Position> {
        self.history
            .iter()
            .map(|ply| &ply.before)
            .chain(std::iter::once(&self.position))
    }

    /// The position on the board and those before it, the latest first, each with the number of its
    /// occurrences: what a network that sees the history of a game is shown.
    pub fn moments(&self) -> impl Iterator<Item = Moment<'_>> + Clone {
        let plies = &self.history;
        let last = |ply: usize| Some(plies[ply.checked_sub(1)?].played);
        let now = Moment {
            position: &self.position,
            repetitions: self.repetitions,
            last: last(plies.len()),
        };
        let before = plies.iter().enumerate().rev().map(move |(ply, of)| Moment {
            position: &of.before,
            repetitions: of.repetitions,
            last: last(ply),
        });
        std::iter::once(now).chain(before)
    }

    /// How many plies have been played.
    pub fn plies(&self) -> usize {
        self.history.len()
    }

    /// Plays a move.
    ///
    /// # Errors
    /// When the move is not legal; the error hands it back, and the game stays as it was.
    // The error holds a position, so that its message can say where; it is rare.
    #[allow(clippy::result_large_err)]
    pub fn play(&mut self, m: Move) -> Result<(), IllegalMove> {
        if !self.position.is_legal(m) {
            return Err(IllegalMove {
                played: m,
                position: self.position.clone(),
            });
        }
        self.play_legal(m);
        Ok(())
    }

    /// Plays a move that is known to be legal, such as one of [`Standing::moves`]; any other leaves a
    /// senseless position.
    pub fn play_legal(&mut self, m: Move) {
        let after = self.position.after(m);
        let hash = self
            .position
            .chess()
            .update_zobrist_hash(self.hash, m, EnPassantMode::Legal)
            .unwrap_or_else(|| full_hash(&after));
        self.history.push(Ply {
            before: std::mem::replace(&mut self.position, after),
            hash: std::mem::replace(&mut self.hash, hash),
            repetitions: self.repetitions,
            played: m,
        });
        self.repetitions = self.count_repetitions();
    }

    /// Begins again from `position`, under the same rules. Like a new game, without allocating.
    pub fn restart(&mut self, position: Position) {
        self.history.clear();
        self.hash = full_hash(&position);
        self.repetitions = 1;
        self.position = position;
    }

    /// Takes the last move back and returns it; `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        let ply = self.history.pop()?;
        self.position = ply.before;
        self.hash = ply.hash;
        self.repetitions = ply.repetitions;
        Some(ply.played)
    }

    /// How often the position on the board has occurred, this time included.
    ///
    /// As FIDE compares positions: the same men on the same squares, the same side to move, the
    /// same castling rights and the same legal captures en passant.
    pub const fn repetitions(&self) -> usize {
        self.repetitions as usize
    }

    /// How many plies ago the position on the board occurred the last time before; `None` when it
    /// is new.
    pub fn plies_since_occurrence(&self) -> Option<usize> {
        // Nothing before the last capture or pawn move can come back, and only every other
        // position has the same side to move.
        let reversible = self.position.halfmoves() as usize;
        let before = self.history.iter().rev().take(reversible);
        let mut before = before.skip(1).step_by(2);
        Some(2 + 2 * before.position(|ply| ply.hash == self.hash)?)
    }

    fn count_repetitions(&self) -> u32 {
        let ago = self.plies_since_occurrence();
        ago.map_or(1, |ago| {
            self.history[self.history.len() - ago].repetitions + 1
        })
    }

    /// How the game ended; `None` while it goes on.
    ///
    /// Where several reasons hold at once, the position speaks before the rules: checkmate and
    /// stalemate, insufficient material, repetition, the fifty-move rule, the cap on moves.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome_given(&self.position.legal_moves())
    }

    /// The legal moves and how the game ended, in one call.
    pub fn standing(&self) -> Standing {
        // Filled in place: a list of moves takes two kilobytes.
        let mut standing = Standing {
            moves: self.position.legal_moves(),
            outcome: None,
        };
        standing.outcome = self.outcome_given(&standing.moves);
        standing
    }

    fn outcome_given(&self, moves: &MoveList) -> Option<Outcome> {
        if moves.is_empty() {
            return Some(if self.position.is_check() {
                Outcome::win(!self.position.turn(), Reason::Checkmate)
            } else {
                Outcome::draw(Reason::Stalemate)
            });
        }
        if self.position.is_insufficient_material() {
            return Some(Outcome::draw(Reason::InsufficientMaterial));
        }
        self.draw_by_rule().map(Outcome::draw)
    }

    fn draw_by_rule(&self) -> Option<Reason> {
        if let Some(occurrences) = self.rules.repetition.occurrences()
            && self.repetitions() >= occurrences
        {
            return Some(match self.rules.repetition {
                Repetition::Fivefold => Reason::Fivefold,
                _ => Reason::Threefold,
            });
        }
        if let Some(plies) = self.rules.fifty.plies()
            && self.position.halfmoves() >= plies
        {
            return Some(match self.rules.fifty {
                MoveRule::SeventyFive => Reason::SeventyFiveMoves,
                _ => Reason::FiftyMoves,
            });
        }
        self.rules
            .max_moves
            .filter(|&moves| self.plies() / 2 >= moves as usize)
            .map(|_| Reason::MoveCap)
    }
}

fn full_hash(position: &Position) -> Zobrist64 {
    position.chess().zobrist_hash(EnPassantMode::Legal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Color;

    fn game(fen: &str, rules: Rules) -> Game {
        Game::new(Position::from_fen(fen).expect(fen), rules)
    }

    fn play(game: &mut Game, moves: &str) {
        for uci in moves.split_ascii_whitespace() {
            let m = game.position().parse_uci(uci).expect(uci);
            game.play(m).expect(uci);
        }
    }

    fn reason(game: &Game) -> Option<Reason> {
        game.outcome().map(|outcome| outcome.reason)
    }

    #[test]
    fn mate_and_stalemate_on_every_board() {
        for (fen, expected) in [
            (
                "k3/1Q2/1K2/4 b",
                Some(Outcome::win(Color::White, Reason::Checkmate)),
            ),
            ("k4/5/1Q3/5/4K b", Some(Outcome::draw(Reason::Stalemate))),
            // On 8×8 the king would escape over the e-file.
            (
                "R2k/4/3K/4 b",
                Some(Outcome::win(Color::White, Reason::Checkmate)),
            ),
            (
                "k4/5/1K3/5/5 w",
                Some(Outcome::draw(Reason::InsufficientMaterial)),
            ),
            ("k4/5/1K3/5/4R w", None),
        ] {
            assert_eq!(game(fen, Rules::none()).outcome(), expected, "{fen}");
        }
    }

    #[test]
    fn a_lost_piece_ends_the_game() {
        let mut lost = game("8/8/8/8/8/1K6/8/kR6 b", Rules::default());
        assert_eq!(reason(&lost), None);
        play(&mut lost, "a1b1");
        assert_eq!(reason(&lost), Some(Reason::InsufficientMaterial));
        let mut knight = game("8/8/8/8/8/K7/8/kN1B4 b", Rules::default());
        play(&mut knight, "a1b1");
        assert_eq!(reason(&knight), Some(Reason::InsufficientMaterial));
    }

    #[test]
    fn the_third_occurrence_draws_and_undo_takes_it_back() {
        let mut game = game("4k3/8/8/8/8/8/8/R3K3 w Q", Rules::default());
        let shuffle = "a1a2 e8e7 a2a1 e7e8 ";
        play(&mut game, shuffle);
        // The first time white could still castle, so it does not count.
        assert_eq!(game.repetitions(), 1);
        play(&mut game, shuffle);
        assert_eq!((game.repetitions(), reason(&game)), (2, None));
        play(&mut game, "a1a2");
        assert_eq!(game.repetitions(), 3);
        assert_eq!(reason(&game), Some(Reason::Threefold));
        assert!(game.undo().is_some());
        assert_eq!((game.repetitions(), reason(&game)), (2, None));
        play(&mut game, "a1a2");
        assert_eq!(reason(&game), Some(Reason::Threefold));
        while game.undo().is_some() {}
        assert_eq!(game.position(), game.start());
        assert_eq!(game.undo(), None);
    }

    #[test]
    fn fivefold_waits_for_the_fifth_occurrence() {
        let mut game = game("4k3/8/8/8/8/8/8/R3K3 w", Rules::fide());
        for occurrences in 2..=5 {
            assert_eq!(reason(&game), None);
            play(&mut game, "a1a2 e8e7 a2a1 e7e8");
            assert_eq!(game.repetitions(), occurrences);
        }
        assert_eq!(reason(&game), Some(Reason::Fivefold));
    }

    #[test]
    fn only_a_legal_capture_en_passant_makes_a_position_different() {
        let shuffle = "g8f6 g1f3 f6g8 f3g1 g8f6 g1f3 f6g8 f3g1";
        // No black pawn can take on e3: the start counts.
        let mut no_capture = Game::new(Position::start(), Rules::default());
        play(&mut no_capture, "e2e4");
        play(&mut no_capture, shuffle);
        assert_eq!(no_capture.repetitions(), 3);
        // Here one can, the first time only.
        let mut capture = game(
            "rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq",
            Rules::default(),
        );
        play(&mut capture, "e2e4");
        play(&mut capture, shuffle);
        assert_eq!(capture.repetitions(), 2);
        // Here one could, but it is pinned against its king: the start counts.
        let mut pinned = game("8/8/8/8/R2p3k/8/4P3/4K3 w", Rules::default());
        play(&mut pinned, "e2e4");
        play(&mut pinned, "h4h5 e1e2 h5h4 e2e1 h4h5 e1e2 h5h4 e2e1");
        assert_eq!(pinned.repetitions(), 3);
    }

    #[test]
    fn checkmate_beats_the_fifty_move_rule() {
        let mut mate = game("k7/8/1K6/8/8/8/8/7R w - - 99 80", Rules::default());
        play(&mut mate, "h1h8");
        assert_eq!(reason(&mate), Some(Reason::Checkmate));
        let mut quiet = game("k7/8/1K6/8/8/8/8/7R w - - 99 80", Rules::default());
        play(&mut quiet, "h1h7");
        assert_eq!(reason(&quiet), Some(Reason::FiftyMoves));
        let seventy_five = game("k7/8/1K6/8/8/8/8/7R w - - 149 80", Rules::fide());
        assert_eq!(reason(&seventy_five), None);
        let mut seventy_five = seventy_five;
        play(&mut seventy_five, "h1h7");
        assert_eq!(reason(&seventy_five), Some(Reason::SeventyFiveMoves));
        let off = game("k7/8/1K6/8/8/8/8/7R w - - 400 300", Rules::none());
        assert_eq!(reason(&off), None);
    }

    #[test]
    fn the_cap_counts_the_moves_of_each_side() {
        let mut game = game(
            "k7/8/1K6/8/8/8/8/7R w - - 0 30",
            Rules::none().with_max_moves(2),
        );
        play(&mut game, "h1h2 a8b8 h2h3");
        assert_eq!(reason(&game), None);
        play(&mut game, "b8a8");
        assert_eq!(reason(&game), Some(Reason::MoveCap));
        assert_eq!(game.plies(), 4);
        assert_eq!(game.moves().len(), 4);
        assert_eq!(game.positions().count(), 5);
    }

    #[test]
    fn an_illegal_move_is_handed_back_and_changes_nothing() {
        let mut game = Game::new(Position::start(), Rules::default());
        let later = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w").unwrap();
        let m = later.parse_uci("e1d1").unwrap();
        let error = game.play(m).expect_err("a move onto the own queen");
        assert_eq!(error.played, m);
        assert!(error.to_string().starts_with("e1d1 is not legal in rnbq"));
        assert_eq!(game.plies(), 0);
    }

    #[test]
    fn moves_and_outcome_come_together_and_moments_count_occurrences() {
        let mut game = game("4k3/8/8/8/8/8/8/R3K3 w", Rules::default());
        play(&mut game, "a1a2 e8e7 a2a1 e7e8");
        let counts: Vec<u32> = game.moments().map(|moment| moment.repetitions).collect();
        assert_eq!(counts, [2, 1, 1, 1, 1]);
        let last: Vec<Option<Move>> = game.moments().map(|moment| moment.last).collect();
        let played = game.moves().rev().map(Some);
        assert_eq!(last, played.chain([None]).collect::<Vec<_>>());
        assert_eq!(game.plies_since_occurrence(), Some(4));
        let standing = game.standing();
        assert_eq!(standing.moves, game.position().legal_moves());
        assert_eq!(standing.outcome, None);
        play(&mut game, "a1a2 e8e7 a2a1 e7e8");
        let standing = game.standing();
        assert_eq!(standing.outcome, Some(Outcome::draw(Reason::Threefold)));
        assert!(!standing.moves.is_empty(), "a drawn game can be played on");
        game.restart(Position::from_fen("k3/1Q2/1K2/4 b").unwrap());
        assert_eq!((game.plies(), game.repetitions()), (0, 1));
        let standing = game.standing();
        assert!(standing.moves.is_empty());
        assert_eq!(standing.outcome.map(|o| o.reason), Some(Reason::Checkmate));
    }

    #[test]
    fn hashes_updated_by_moves_equal_fresh_ones() {
        let mut game = game(
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            Rules::none(),
        );
        for step in 0..200_usize {
            let moves = game.position().legal_moves();
            let Some(&m) = moves.get(step * 7 % moves.len().max(1)) else {
                break;
            };
            game.play(m).unwrap();
            assert_eq!(game.hash, full_hash(&game.position));
        }
    }
}
