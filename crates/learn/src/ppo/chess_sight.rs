//! What a network sees of a game of chess, and how it tells moves apart.

use rules::{Bitboard, Color, Game, Move, Position, Role, ShakmatyPosition as _, Square, attacks};
use serde::{Deserialize, Serialize};

use crate::chess::{Actions, Observation};
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

const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

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
    pub(super) fn extents(self, moves: MoveSight) -> Extents {
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
    pub(super) fn show(self, game: &Game, inputs: &mut Lists) {
        match self {
            ChessSight::Salisch1 => numbers::<69>(Observation::Salisch1, game, inputs),
            ChessSight::Salisch2 => numbers::<66>(Observation::Salisch2, game, inputs),
            ChessSight::Men | ChessSight::Attacks => self.men(game, inputs),
        }
        inputs.end();
    }

    fn men(self, game: &Game, inputs: &mut Lists) {
        let position = game.position();
        let chess = position.chess();
        let turn = chess.turn();
        let board = chess.board();
        let seen = |square: Square| u32::from(square) as usize ^ turn.fold_wb(0, 56);
        for (first, color) in [(0, turn), (6, !turn)] {
            for (kind, role) in (first..).zip(ROLES) {
                for square in board.by_color(color) & board.by_role(role) {
                    inputs.push(kind * 64 + seen(square), 1.0);
                }
            }
        }
        let sides = [
            rules::CastlingSide::KingSide,
            rules::CastlingSide::QueenSide,
        ];
        let rights = [turn, !turn]
            .into_iter()
            .flat_map(|c| sides.map(|s| (c, s)));
        for (place, (color, side)) in rights.enumerate() {
            if chess.castles().has(color, side) {
                inputs.push(CASTLING + place, 1.0);
            }
        }
        if let Some(square) = chess.legal_ep_square() {
            inputs.push(EN_PASSANT + u32::from(square.file()) as usize, 1.0);
        }
        let clock = position.halfmoves().min(100);
        if clock > 0 {
            inputs.push(CLOCK, clock as f32 / 100.0);
        }
        if game.repetitions() > 1 {
            inputs.push(REPEATED, 1.0);
        }
        if self == ChessSight::Attacks {
            for (first, color) in [(0, turn), (6, !turn)] {
                for (kind, role) in (first..).zip(ROLES) {
                    let men = board.by_color(color) & board.by_role(role);
                    for square in attacked(position, men, role, color) {
                        inputs.push(ATTACKS + kind * 64 + seen(square), 1.0);
                    }
                }
            }
        }
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
    pub(super) fn actions(self) -> Actions {
        match self {
            MoveSight::Claims => Actions::AlphaZeroClaim,
            _ => Actions::AlphaZero,
        }
    }

    /// Adds a list of the rows of moves, the same number for each; a draw that may be claimed comes
    /// last.
    pub(super) fn rows(self, position: &Position, moves: &[Move], claim: bool, rows: &mut Lists) {
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
            by_others: ROLES[1..]
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
