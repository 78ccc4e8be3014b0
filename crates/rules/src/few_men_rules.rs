//! The rules of an endgame of few men: what is legal and what ends the game.

use rand::{Rng, RngExt as _};
use shakmaty::{Bitboard, ByColor, Color, Move, Piece, Role, Square, attacks};

use crate::{
    Board, FewMen, FewMove, Material, Position, Targets,
    few_men::{MAX_OTHERS, bit},
};

/// How a game of few men ends by what stands on the board alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoardEnding {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// Neither side can ever mate.
    InsufficientMaterial,
}

/// A signature that [`FewMen`] cannot hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0} does not fit the compact form, which holds up to five men and no pawns")]
pub struct FewMenError(pub Material);

/// The board and the men of a family of [`FewMen`] positions.
#[derive(Clone, Debug)]
pub struct FewMenRules {
    material: Material,
    board: Board,
    inside: Bitboard,
    others: [Option<Piece>; MAX_OTHERS],
    roles: [Role; MAX_OTHERS],
    /// The places of each colour's men among the others: white's come first.
    places: ByColor<(usize, usize)>,
}

impl FewMenRules {
    /// The rules for the men of `material` on `board`.
    ///
    /// # Errors
    /// When there are pawns or more than five men.
    pub fn new(material: Material, board: Board) -> Result<FewMenRules, FewMenError> {
        if material.has_pawns() || material.men() > 2 + MAX_OTHERS {
            return Err(FewMenError(material));
        }
        let mut others = [None; MAX_OTHERS];
        let men = Color::ALL.into_iter().flat_map(|color| {
            material
                .side(color)
                .roles()
                .map(move |role| Piece { color, role })
        });
        for (slot, piece) in others.iter_mut().zip(men) {
            *slot = Some(piece);
        }
        let white = material.white.men() - 1;
        Ok(FewMenRules {
            material,
            board,
            inside: board.squares(),
            others,
            roles: others.map(|piece| piece.map_or(Role::Pawn, |piece| piece.role)),
            places: ByColor {
                white: (0, white),
                black: (white, white + material.black.men() - 1),
            },
        })
    }

    /// The men at the start, before anything is taken.
    pub const fn material(&self) -> Material {
        self.material
    }

    /// The board.
    pub const fn board(&self) -> Board {
        self.board
    }

    /// The men besides the kings: white's strongest first, then black's.
    pub const fn others(&self) -> [Option<Piece>; MAX_OTHERS] {
        self.others
    }

    /// How many men besides the kings there are at the start.
    pub fn others_count(&self) -> usize {
        self.others.iter().flatten().count()
    }

    /// Did `color` have more than its king at the start?
    #[inline]
    fn owns_others(&self, color: Color) -> bool {
        let &(first, end) = self.places.get(color);
        first < end
    }

    /// The men of one colour besides its king that are still on the board.
    #[inline]
    fn standing(&self, men: FewMen, color: Color) -> impl Iterator<Item = (usize, Role, Square)> {
        let &(first, end) = self.places.get(color);
        (first..end).filter_map(move |i| Some((i, self.roles[i], men.others[i]?)))
    }

    /// The squares that `color` attacks, its own protected men among them, if `occupied` were.
    #[inline]
    fn attacked_by(&self, men: FewMen, color: Color, occupied: Bitboard) -> Bitboard {
        let mut set = attacks::king_attacks(men.king(color));
        if self.owns_others(color) {
            for (_, role, square) in self.standing(men, color) {
                set |= reach(role, square, occupied);
            }
        }
        set
    }

    /// Do the men of `!color` attack the king of `color`?
    #[inline]
    fn king_attacked(&self, men: FewMen, color: Color) -> bool {
        self.owns_others(!color) && {
            let king = men.king(color);
            let occupied = men.occupied();
            self.standing(men, !color)
                .any(|(_, role, square)| reach(role, square, occupied).contains(king))
        }
    }

    /// Is the side to move in check?
    #[inline]
    pub fn is_check(&self, men: FewMen) -> bool {
        self.king_attacked(men, men.turn)
    }

    /// Could this position stand on the board: men on different squares inside it, kings apart,
    /// and the side that has just moved not in check?
    pub fn is_possible(&self, men: FewMen) -> bool {
        let occupied = men.occupied();
        occupied.count() == 2 + men.others.iter().flatten().count()
            && occupied.without(self.inside).is_empty()
            && !attacks::king_attacks(men.white_king).contains(men.black_king)
            && !self.king_attacked(men, !men.turn)
    }

    /// The legal moves as sets.
    #[inline]
    pub fn targets(&self, men: FewMen) -> Targets {
        let us = men.turn;
        let occupied = men.occupied();
        let king = men.king(us);
        let mut own = bit(king);
        let mut targets = Targets::default();
        let ours = self.owns_others(us);
        if ours {
            for (_, _, square) in self.standing(men, us) {
                own |= bit(square);
            }
        }
        // The king moves away from rays that pass through it, so it does not block them itself.
        let attacked = self.attacked_by(men, !us, occupied ^ bit(king));
        targets.by_man[0] = attacks::king_attacks(king) & self.inside & !own & !attacked;
        if ours {
            let allowed = self.inside & !own & !bit(men.king(!us));
            for (i, role, square) in self.standing(men, us) {
                let reached = reach(role, square, occupied) & allowed;
                targets.by_man[1 + i] = if self.owns_others(!us) {
                    self.keeping_king_safe(men, i, reached)
                } else {
                    reached // a bare king can neither check nor pin
                };
            }
        }
        targets
    }

    /// Those of the squares man `i` reaches that leave the own king out of check.
    fn keeping_king_safe(&self, men: FewMen, i: usize, reached: Bitboard) -> Bitboard {
        reached
            .into_iter()
            .filter(|&to| {
                let m = FewMove {
                    man: 1 + i as u8,
                    to,
                };
                !self.king_attacked(self.after(men, m), men.turn)
            })
            .collect()
    }

    /// The position after a legal move.
    #[inline]
    #[must_use]
    pub fn after(&self, mut men: FewMen, m: FewMove) -> FewMen {
        let us = men.turn;
        let &(first, end) = self.places.get(!us);
        for taken in &mut men.others[first..end] {
            if *taken == Some(m.to) {
                *taken = None;
            }
        }
        match (m.man, us) {
            (0, Color::White) => men.white_king = m.to,
            (0, Color::Black) => men.black_king = m.to,
            (man, _) => men.others[usize::from(man) - 1] = Some(m.to),
        }
        men.turn = !us;
        men
    }

    /// How the game is over here, if it is; `targets` are the position's legal moves.
    ///
    /// Clocks and repetitions are the caller's: a position does not know its past.
    #[inline]
    pub fn ending(&self, men: FewMen, targets: &Targets) -> Option<BoardEnding> {
        if targets.is_empty() {
            Some(if self.is_check(men) {
                BoardEnding::Checkmate
            } else {
                BoardEnding::Stalemate
            })
        } else if self.is_insufficient_material(men) {
            Some(BoardEnding::InsufficientMaterial)
        } else {
            None
        }
    }

    /// Can neither side ever mate?
    #[inline]
    pub fn is_insufficient_material(&self, men: FewMen) -> bool {
        let (mut knights, mut others) = ([0usize; 2], [0usize; 2]); // black's, white's
        let (mut light, mut dark) = (false, false);
        for (piece, square) in self.others.iter().zip(men.others) {
            let (Some(piece), Some(square)) = (piece, square) else {
                continue;
            };
            match piece.role {
                Role::Knight => knights[piece.color as usize] += 1,
                Role::Bishop if Bitboard::DARK_SQUARES.contains(square) => dark = true,
                Role::Bishop => light = true,
                _ => return false,
            }
            others[piece.color as usize] += 1;
        }
        // Helpmates count, as everywhere else in the project: a lone knight is too little only
        // against a bare king, bishops only when all of them run on one colour and no knight is
        // there to block a square.
        let knights_at_all = knights[0] + knights[1] > 0;
        (0..2).all(|us| {
            if knights[us] > 0 {
                others[us] == 1 && others[1 - us] == 0
            } else {
                others[us] == 0 || !(knights_at_all || light && dark)
            }
        })
    }

    /// A position drawn uniformly from all possible ones with every man on the board.
    pub fn random(&self, turn: Color, random: &mut (impl Rng + ?Sized)) -> FewMen {
        let size = self.board.size() as u32;
        let mut square = || {
            let n = random.random_range(0..size * size);
            Square::new(n % size + 8 * (n / size))
        };
        loop {
            let men = FewMen {
                white_king: square(),
                black_king: square(),
                others: self.others.map(|piece| piece.map(|_| square())),
                turn,
            };
            if self.is_possible(men) {
                return men;
            }
        }
    }

    /// The compact form of `position`.
    ///
    /// Returns `None` for another board, or men that are not among those of the signature.
    /// Taken men are the later ones of their kind.
    pub fn compact(&self, position: &Position) -> Option<FewMen> {
        if position.board() != self.board {
            return None;
        }
        let board = position.men();
        let mut left = board.occupied() & !board.kings();
        let mut others = [None; MAX_OTHERS];
        for (slot, piece) in others.iter_mut().zip(self.others) {
            *slot = piece.and_then(|piece| (board.by_piece(piece) & left).first());
            if let Some(square) = *slot {
                left ^= bit(square);
            }
        }
        left.is_empty().then(|| FewMen {
            white_king: position.king(Color::White),
            black_king: position.king(Color::Black),
            others,
            turn: position.turn(),
        })
    }

    /// The position that `men` stands for, its clocks at zero.
    ///
    /// # Errors
    /// When the position is impossible, which [`FewMenRules::is_possible`] tells beforehand.
    pub fn position(&self, men: FewMen) -> Result<Position, crate::PositionError> {
        let king = |color| (men.king(color), Role::King.of(color));
        let others = self.others.iter().zip(men.others);
        let others = others.filter_map(|(piece, square)| Some((square?, (*piece)?)));
        Position::from_pieces(
            self.board,
            Color::ALL.into_iter().map(king).chain(others),
            men.turn,
        )
    }

    /// The same move in `position`, which `men` is the compact form of.
    ///
    /// Returns `None` when it is not legal there.
    pub fn to_move(&self, men: FewMen, m: FewMove, position: &Position) -> Option<Move> {
        let from = men.from(m)?;
        position
            .legal_moves()
            .into_iter()
            .find(|candidate| candidate.from() == Some(from) && candidate.to() == m.to)
    }
}

/// The squares a man attacks.
#[inline]
fn reach(role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Queen => attacks::queen_attacks(square, occupied),
        Role::Rook => attacks::rook_attacks(square, occupied),
        Role::Bishop => attacks::bishop_attacks(square, occupied),
        Role::Knight => attacks::knight_attacks(square),
        Role::King => attacks::king_attacks(square),
        Role::Pawn => Bitboard::EMPTY, // the rules refuse pawns
    }
}
