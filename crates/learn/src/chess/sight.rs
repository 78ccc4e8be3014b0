//! What a network sees of a game of chess, and how it tells moves apart.

use rules::{Bitboard, Color, Game, Move, Position, Role, ShakmatyPosition as _, attacks};
use serde::{Deserialize, Serialize};

use super::{Actions, Observation};
use crate::net::plain::{Lists, extents::Extents};

/// What a network sees of a game of chess.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChessSight {
    /// Document P's 69 numbers.
    #[serde(rename = "salisch-1")]
    Salisch1,
    /// Document P's 66 numbers.
    #[serde(rename = "salisch-2")]
    Salisch2,
    /// An input for every man on every square, from the mover's side.
    Men,
    /// The same, and for each side and kind of man the squares that it attacks.
    #[default]
    Attacks,
}

/// How a network tells moves apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoveSight {
    /// By AlphaZero's 4,672 numbers.
    Numbers,
    /// By AlphaZero's numbers and a draw claimed, for document P's version 1.
    Claims,
    /// By their number, and also by what they have in common with other moves: which man moves, what
    /// it captures, whether the square it leaves and the one it reaches are attacked, whether it gives
    /// check. What is learned of one capture then goes for all of its kind.
    #[default]
    Kinds,
}

const MEN: usize = 12 * 64;
const CASTLING: usize = MEN;
const EN_PASSANT: usize = CASTLING + 4;
const CLOCK: usize = EN_PASSANT + 8;
const REPEATED: usize = CLOCK + 1;
const ATTACKS: usize = REPEATED + 1;

/// Rows of the kinds of moves: 6 men, 7 captures (or none), reached square attacked by a pawn, by
/// another man, or not, and protected or not …
const CAPTURES: usize = 6 * 7 * 3 * 2;
/// … and 6 men, the square left attacked or not, check or not, promotion to a queen or not.
const LEAVING: usize = 6 * 2 * 2 * 2;

impl ChessSight {
    fn inputs(self) -> usize {
        match self {
            ChessSight::Salisch1 => Observation::Salisch1.len(),
            ChessSight::Salisch2 => Observation::Salisch2.len(),
            ChessSight::Men => ATTACKS,
            ChessSight::Attacks => ATTACKS + MEN,
        }
    }

    /// How large the tables of networks are that see so and tell moves apart so.
    pub(crate) fn extents(self, moves: MoveSight) -> Extents {
        let numbers = moves.actions().count();
        Extents {
            inputs: self.inputs(),
            rows: match moves {
                MoveSight::Kinds => numbers + CAPTURES + LEAVING,
                _ => numbers,
            },
            rows_a_move: match moves {
                MoveSight::Kinds => 3,
                _ => 1,
            },
        }
    }

    /// Adds what the side to move sees as a list of inputs.
    pub(crate) fn show(self, game: &Game, inputs: &mut Lists) {
        match self {
            ChessSight::Salisch1 => numbers::<69>(Observation::Salisch1, game, inputs),
            ChessSight::Salisch2 => numbers::<66>(Observation::Salisch2, game, inputs),
            ChessSight::Men => Seen::men(game.position(), game.repetitions() > 1).list(inputs),
            ChessSight::Attacks => {
                Seen::with_attacks(game.position(), game.repetitions() > 1).list(inputs);
            }
        }
        inputs.end();
    }
}

/// What is seen of a position, in a form that can be kept: the men of each side and kind, mover's first,
/// the squares that they attack, and in the last word everything else. Sets are those of the board;
/// black's squares are reflected when they become inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seen([u64; Seen::WORDS]);

impl Seen {
    /// How many words there are.
    pub const WORDS: usize = 25;
    const REST: usize = Seen::WORDS - 1;
    // In the last word: four castling rights, the file of en passant and one, the clock, …
    const PASSANT_AT: u32 = 4;
    const CLOCK_AT: u32 = 8;
    const REPEATED_AT: u32 = 15;
    const BLACK_AT: u32 = 16;
    const MOST_CLOCK: u32 = 100;

    /// The men alone.
    fn men(position: &Position, repeated: bool) -> Seen {
        let chess = position.chess();
        let turn = chess.turn();
        let board = chess.board();
        let mut words = [0; Seen::WORDS];
        for (first, color) in [(0, turn), (6, !turn)] {
            for (kind, role) in (first..).zip(Role::ALL) {
                words[kind] = (board.by_color(color) & board.by_role(role)).0;
            }
        }
        let sides = [
            rules::CastlingSide::KingSide,
            rules::CastlingSide::QueenSide,
        ];
        let rights = [turn, !turn]
            .into_iter()
            .flat_map(|c| sides.map(|s| (c, s)));
        let rest = &mut words[Seen::REST];
        for (place, (color, side)) in rights.enumerate() {
            *rest |= u64::from(chess.castles().has(color, side)) << place;
        }
        if let Some(square) = chess.legal_ep_square() {
            *rest |= (1 + u64::from(u32::from(square.file()))) << Seen::PASSANT_AT;
        }
        let clock = position.halfmoves().min(Seen::MOST_CLOCK);
        *rest |= u64::from(clock) << Seen::CLOCK_AT;
        *rest |= u64::from(repeated) << Seen::REPEATED_AT;
        *rest |= turn.fold_wb(0, 1) << Seen::BLACK_AT;
        Seen(words)
    }

    /// The men and what they attack.
    pub fn with_attacks(position: &Position, repeated: bool) -> Seen {
        let mut seen = Seen::men(position, repeated);
        let turn = position.turn();
        for (first, color) in [(0, turn), (6, !turn)] {
            for (kind, role) in (first..).zip(Role::ALL) {
                let men = Bitboard(seen.0[kind]);
                seen.0[12 + kind] = attacked(position, men, role, color).0;
            }
        }
        seen
    }

    /// All that is kept.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// What was kept; `None` when nothing could look so.
    pub fn from_words(words: &[u64]) -> Option<Seen> {
        let seen = Seen(words.try_into().ok()?);
        let rest = seen.0[Seen::REST];
        let sound = rest >> (Seen::BLACK_AT + 1) == 0
            && seen.passant() <= 8
            && seen.clock() <= Seen::MOST_CLOCK;
        sound.then_some(seen)
    }

    fn passant(&self) -> usize {
        (self.0[Seen::REST] >> Seen::PASSANT_AT & 15) as usize
    }

    fn clock(&self) -> u32 {
        (self.0[Seen::REST] >> Seen::CLOCK_AT & 127) as u32
    }

    /// Adds the inputs that are not zero; the list is not ended.
    pub fn list(&self, inputs: &mut Lists) {
        let rest = self.0[Seen::REST];
        let flag = |place: u32| rest >> place & 1 == 1;
        let reflected = if flag(Seen::BLACK_AT) { 56 } else { 0 };
        let add = |first: usize, sets: &[u64], inputs: &mut Lists| {
            for (kind, &set) in sets.iter().enumerate() {
                for square in Bitboard(set) {
                    let seen = u32::from(square) as usize ^ reflected;
                    inputs.push(first + kind * 64 + seen, 1.0);
                }
            }
        };
        add(0, &self.0[..12], inputs);
        for place in 0..4 {
            if flag(place) {
                inputs.push(CASTLING + place as usize, 1.0);
            }
        }
        if let Some(file) = self.passant().checked_sub(1) {
            inputs.push(EN_PASSANT + file, 1.0);
        }
        if self.clock() > 0 {
            inputs.push(CLOCK, self.clock() as f32 / Seen::MOST_CLOCK as f32);
        }
        if flag(Seen::REPEATED_AT) {
            inputs.push(REPEATED, 1.0);
        }
        add(ATTACKS, &self.0[12..Seen::REST], inputs);
    }
}

fn numbers<const N: usize>(observation: Observation, game: &Game, inputs: &mut Lists) {
    let mut seen = [0.0_f32; N];
    observation.write(game, game.position().turn(), &mut seen);
    for (place, &value) in seen.iter().enumerate() {
        if value != 0.0 {
            inputs.push(place, value);
        }
    }
}

fn attacked(position: &Position, men: Bitboard, role: Role, color: Color) -> Bitboard {
    let occupied = position.men().occupied();
    men.into_iter().fold(Bitboard::EMPTY, |all, square| {
        all | attacks::attacks(square, role.of(color), occupied)
    })
}

impl MoveSight {
    /// How moves are numbered.
    pub(crate) fn actions(self) -> Actions {
        match self {
            MoveSight::Claims => Actions::AlphaZeroClaim,
            _ => Actions::AlphaZero,
        }
    }

    /// Adds a list of the rows of moves, the same number for each; a draw that may be claimed comes
    /// last.
    pub(crate) fn rows(self, position: &Position, moves: &[Move], claim: bool, rows: &mut Lists) {
        let actions = self.actions();
        let kinds = (self == MoveSight::Kinds).then(|| Kinds::of(position));
        for &m in moves {
            rows.push(actions.number(position, m), 0.0);
            if let Some(kinds) = &kinds {
                let [capture, leaving] = kinds.rows(m);
                rows.push(actions.count() + capture, 0.0);
                rows.push(actions.count() + CAPTURES + leaving, 0.0);
            }
        }
        if let Some(number) = actions.claim().filter(|_| claim) {
            rows.push(number, 0.0);
        }
        rows.end();
    }
}

/// What a move is besides its number, as two bytes that can be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MoveKind(pub u16);

impl MoveKind {
    /// The number and the kind of a move that has these rows.
    pub fn of_rows(rows: [u16; 3]) -> (u16, MoveKind) {
        let first = Actions::AlphaZero.count() as u16;
        let (capture, leaving) = (rows[1] - first, rows[2] - first - CAPTURES as u16);
        (rows[0], MoveKind(capture | leaving << 8))
    }

    /// The rows of a move of this number and kind; `None` when there is no such move.
    pub fn rows(self, number: u16) -> Option<[u16; 3]> {
        let first = Actions::AlphaZero.count() as u16;
        let (capture, leaving) = (self.0 & 255, self.0 >> 8);
        let known =
            number < first && usize::from(capture) < CAPTURES && usize::from(leaving) < LEAVING;
        known.then_some([number, first + capture, first + CAPTURES as u16 + leaving])
    }
}

/// What tells kinds of moves apart in a position.
struct Kinds<'p> {
    position: &'p Position,
    /// Squares that the other side's pawns attack.
    by_pawns: Bitboard,
    /// Squares that its other men attack.
    by_others: Bitboard,
    /// Squares from which a knight, bishop, rook would give check.
    checks: [Bitboard; 3],
}

impl<'p> Kinds<'p> {
    fn of(position: &'p Position) -> Kinds<'p> {
        let board = position.men();
        let them = !position.turn();
        let by = |role: Role| {
            let men = board.by_color(them) & board.by_role(role);
            attacked(position, men, role, them)
        };
        let king = position.king(them);
        let occupied = board.occupied();
        Kinds {
            position,
            by_pawns: by(Role::Pawn),
            by_others: Role::ALL[1..]
                .iter()
                .fold(Bitboard::EMPTY, |all, &r| all | by(r)),
            checks: [
                attacks::knight_attacks(king),
                attacks::bishop_attacks(king, occupied),
                attacks::rook_attacks(king, occupied),
            ],
        }
    }

    fn rows(&self, m: Move) -> [usize; 2] {
        let turn = self.position.turn();
        let man = m.role() as usize - 1;
        let capture = match m {
            Move::EnPassant { .. } => 1,
            Move::Castle { .. } => 0,
            _ => m.capture().map_or(0, |role| role as usize),
        };
        let (to, from) = (m.to(), m.from().unwrap_or(m.to()));
        let danger = match (self.by_pawns.contains(to), self.by_others.contains(to)) {
            (true, _) => 2,
            (false, true) => 1,
            _ => 0,
        };
        let board = self.position.men();
        let own = board.by_color(turn).without(from);
        let protected = (board.attacks_to(to, turn, board.occupied().without(from)) & own).any();
        let becomes = m.promotion().unwrap_or(m.role());
        let [knight, bishop, rook] = self.checks.map(|squares| squares.contains(to));
        let check = match becomes {
            Role::Knight => knight,
            Role::Bishop => bishop,
            Role::Rook => rook,
            Role::Queen => bishop || rook,
            Role::Pawn => {
                let king = self.position.king(!turn);
                attacks::pawn_attacks(turn, to).contains(king)
            }
            Role::King => false,
        };
        let attacked = self.by_pawns.contains(from) || self.by_others.contains(from);
        let queen = m.promotion() == Some(Role::Queen);
        [
            ((man * 7 + capture) * 3 + danger) * 2 + usize::from(protected),
            ((man * 2 + usize::from(attacked)) * 2 + usize::from(check)) * 2 + usize::from(queen),
        ]
    }
}

#[cfg(test)]
mod tests {
    use rules::Rules;

    use super::*;

    #[test]
    fn what_is_kept_shows_what_was_seen() {
        let fens = [
            "r3k2r/pppq1ppp/2npbn2/1Bb1p3/4P3/2NP1N2/PPP2PPP/R1BQ1RK1 b kq - 3 8",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "8/1P1k4/8/8/8/8/6K1/8 w - - 77 90",
        ];
        for fen in fens {
            let game = Game::new(Position::from_fen(fen).unwrap(), Rules::default());
            let mut shown = Lists::default();
            ChessSight::Attacks.show(&game, &mut shown);
            let seen = Seen::with_attacks(game.position(), false);
            let mut kept = Lists::default();
            Seen::from_words(seen.words()).unwrap().list(&mut kept);
            kept.end();
            assert_eq!(shown, kept, "{fen}");

            let moves = game.position().legal_moves();
            let mut rows = Lists::default();
            MoveSight::Kinds.rows(game.position(), &moves, false, &mut rows);
            for rows in rows.rows(0).as_chunks::<3>().0 {
                let (number, kind) = MoveKind::of_rows(*rows);
                assert_eq!(kind.rows(number), Some(*rows));
            }
        }
        let mut words = [0; Seen::WORDS];
        words[Seen::REST] = u64::MAX;
        assert_eq!(Seen::from_words(&words), None);
        assert_eq!(Seen::from_words(&words[1..]), None);
        assert_eq!(MoveKind(u16::MAX).rows(0), None);
        assert_eq!(MoveKind(0).rows(u16::MAX), None);
    }
}
