//! A table seen from the men of another signature.

use std::{collections::HashMap, sync::Arc};

use rules::{Bitboard, Board, Color, Material, Piece, Role, Side, Square, attacks};

use crate::{
    layout::{Layout, MAX_MEN, Squares},
    solved::Solved,
    verdict::Verdict,
};

/// Tables by signature. One that is there only with its colours exchanged serves as well.
pub(crate) type Tables = HashMap<Material, Arc<Solved>>;

/// How a move changes the material.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Change {
    /// The man that is taken, by slot.
    pub taken: Option<usize>,
    /// The pawn that promotes, by slot, and to what.
    pub promoted: Option<(usize, Role)>,
}

/// A table seen from the slots of a layout, after a change of material.
pub(crate) struct View {
    /// Its table, and whether the colours must be exchanged to look there. `None` when white has
    /// nothing left but her king and can never win.
    table: Option<(Arc<Solved>, bool)>,
    /// The child's men without black's king: the slot of ours that each comes from, and its piece.
    men: Vec<(usize, Piece)>,
    /// For each slot of the table, our slot; [`BLACK_KING`] where it is black's king.
    from: Vec<usize>,
}

/// Stands for black's king, which has no slot.
pub(crate) const BLACK_KING: usize = usize::MAX;

/// Which of `men` (numbered pieces) takes each slot of `layout`, after the colours are exchanged
/// if so wanted; [`BLACK_KING`] where it is none of them.
pub(crate) fn assignment(men: &[(usize, Piece)], layout: &Layout, swapped: bool) -> Vec<usize> {
    let mut unused = men.to_vec();
    layout
        .slots
        .iter()
        .map(|slot| {
            let color = if swapped {
                !slot.piece.color
            } else {
                slot.piece.color
            };
            let wanted = Piece {
                color,
                role: slot.piece.role,
            };
            match unused.iter().position(|&(_, piece)| piece == wanted) {
                Some(i) => unused.remove(i).0,
                None => BLACK_KING,
            }
        })
        .collect()
}

impl View {
    /// The table that `change` leads to; no change, that of the layout's own signature.
    pub fn new(layout: &Layout, change: Change, tables: &Tables) -> View {
        let men: Vec<(usize, Piece)> = layout
            .slots
            .iter()
            .enumerate()
            .filter(|&(i, _)| Some(i) != change.taken)
            .map(|(i, slot)| match change.promoted {
                Some((pawn, role)) if pawn == i => (i, Piece { role, ..slot.piece }),
                _ => (i, slot.piece),
            })
            .collect();
        let side = |color| {
            Side::new(
                men.iter()
                    .filter(|(_, p)| p.color == color)
                    .map(|(_, piece)| piece.role),
            )
        };
        let material = Material::new(side(Color::White), side(Color::Black));
        if material.white.is_bare() {
            return View {
                table: None,
                men,
                from: Vec::new(),
            };
        }
        let (solved, swapped) = match tables.get(&material) {
            Some(solved) => (solved.clone(), false),
            None => (tables[&material.swapped()].clone(), true),
        };
        let from = assignment(&men, &solved.layout, swapped);
        View {
            table: Some((solved, swapped)),
            men,
            from,
        }
    }

    /// Black king squares that are legal with white to move.
    pub fn legal_white(&self, board: Board, squares: &Squares) -> Bitboard {
        let occupied: Bitboard = self.men.iter().map(|&(i, _)| squares[i]).collect();
        let mut legal = board.squares() & !occupied;
        for &(i, piece) in &self.men {
            if piece.color == Color::White {
                legal &= !attacks::attacks(squares[i], piece, occupied);
            }
        }
        legal
    }

    /// Plies to white's mate, white to move.
    pub fn white(&self, squares: &Squares, king: Square) -> Option<u8> {
        self.value(Color::White, squares, king)
            .filter(|plies| plies % 2 == 1)
    }

    /// Plies to white's mate, black to move. An illegal position is never lost.
    pub fn black(&self, squares: &Squares, king: Square) -> Option<u8> {
        self.value(Color::Black, squares, king)
            .filter(|plies| plies % 2 == 0)
    }

    pub fn value(&self, turn: Color, squares: &Squares, king: Square) -> Option<u8> {
        let (solved, swapped) = self.table.as_ref()?;
        let white_king = self.men.iter().find(|(_, p)| p.role == Role::King)?.0;
        let mut there = [Square::A1; MAX_MEN - 1];
        for (square, &i) in there.iter_mut().zip(&self.from) {
            *square = if i == BLACK_KING { king } else { squares[i] };
        }
        let byte = if *swapped {
            // Seen from the other side of the board, so that pawns still go up it.
            let men = self.from.len();
            for square in &mut there[..men] {
                *square = solved.layout.upside_down(*square);
            }
            solved.byte(
                !turn,
                &there,
                solved.layout.upside_down(squares[white_king]),
            )
        } else {
            solved.byte(turn, &there, king)
        };
        (byte != Verdict::DRAW_BYTE).then_some(byte)
    }
}
