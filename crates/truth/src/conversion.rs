//! Captures and promotions: moves that lead to another signature, whose table is solved already.

use std::{collections::HashMap, sync::Arc};

use rayon::prelude::*;
use rules::{Bitboard, Board, Color, Material, Piece, Role, Side, Square, attacks};

use crate::{
    layout::{Layout, MAX_MEN, Squares},
    solved::Solved,
};

/// What a promotion may give.
pub(crate) const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// A move that changes the material.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Change {
    /// The man that is taken, by slot.
    taken: Option<usize>,
    /// The pawn that promotes, by slot, and to what.
    promoted: Option<(usize, Role)>,
}

/// Where a change leads.
struct Child {
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

/// Every capture and promotion of an attack (see [`crate::attack`]), ready to be looked up.
pub(crate) struct Conversions<'a> {
    layout: &'a Layout,
    children: HashMap<Change, Child>,
}

/// What the conversions of one word lead to.
pub(crate) struct Found {
    /// Plies in which white's best conversion mates, with white to move; [`NEVER`] without one.
    white: [u8; 64],
    /// With black to move, the plies by which his best conversion loses; [`NEVER`] when it holds.
    black: [u8; 64],
    /// Black king squares from which black has a legal conversion at all.
    pub replies: Bitboard,
}

const NEVER: u8 = u8::MAX;

impl Found {
    /// Calls `visit` with each ply at which white wins by conversion, and the squares among `among`.
    pub fn wins(&self, among: Bitboard, visit: impl FnMut(u8, u64)) {
        by_ply(&self.white, among, visit);
    }

    /// Calls `visit` with each ply by which all of black's conversions lose, and the squares.
    pub fn releases(&self, among: Bitboard, visit: impl FnMut(u8, u64)) {
        by_ply(&self.black, among & self.replies, visit);
    }
}

/// Groups squares by their ply.
fn by_ply(plies: &[u8; 64], among: Bitboard, mut visit: impl FnMut(u8, u64)) {
    let mut rest: Bitboard = among
        .into_iter()
        .filter(|&q| plies[usize::from(q)] != NEVER)
        .collect();
    while let Some(first) = rest.first() {
        let ply = plies[usize::from(first)];
        let group: Bitboard = rest
            .into_iter()
            .filter(|&q| plies[usize::from(q)] == ply)
            .collect();
        visit(ply, group.0);
        rest &= !group;
    }
}

/// The signatures that captures and promotions lead to directly, two bare kings left out.
pub(crate) fn successors(material: Material) -> Vec<Material> {
    let mut found = Vec::new();
    let mut add = |m: Material| {
        let m = m.canonical();
        if m.men() > 2 && !found.contains(&m) {
            found.push(m);
        }
    };
    for color in Color::ALL {
        let (own, other) = (material.side(color), material.side(!color));
        let join = |own: Side, other: Side| {
            color.fold_wb(Material::new(own, other), Material::new(other, own))
        };
        let mut others = vec![other];
        others.extend(other.roles().map(|role| other.without(role)));
        for (i, &other) in others.iter().enumerate() {
            if i > 0 {
                add(join(own, other));
            }
            if own.count(Role::Pawn) > 0 {
                for role in PROMOTIONS {
                    add(join(own.without(Role::Pawn).with(role), other));
                }
            }
        }
    }
    found
}

impl<'a> Conversions<'a> {
    /// Prepares the conversions of `layout`; `tables` holds those of [`successors`], by canonical
    /// signature.
    pub fn new(layout: &'a Layout, tables: &HashMap<Material, Arc<Solved>>) -> Conversions<'a> {
        let men = layout.slots.len();
        let others = || (0..men).filter(|&i| i != layout.king);
        let mut children = HashMap::new();
        for taken in std::iter::once(None).chain(others().map(Some)) {
            let promotions = others()
                .filter(|&i| Some(i) != taken && layout.slots[i].piece.role == Role::Pawn)
                // A pawn cannot take its own man.
                .filter(|&i| {
                    taken.is_none_or(|t| layout.slots[t].piece.color != layout.slots[i].piece.color)
                })
                .flat_map(|i| PROMOTIONS.map(|role| Some((i, role))));
            for promoted in std::iter::once(None).chain(promotions) {
                if taken.is_some() || promoted.is_some() {
                    let change = Change { taken, promoted };
                    children.insert(change, Child::new(layout, change, tables));
                }
            }
        }
        Conversions { layout, children }
    }

    /// Looks up every conversion of one word.
    pub fn of(&self, squares: &Squares, occupied: Bitboard) -> Found {
        let mut found = Found {
            white: [NEVER; 64],
            black: [0; 64],
            replies: Bitboard::EMPTY,
        };
        let layout = self.layout;
        for (man, slot) in layout.slots.iter().enumerate() {
            let from = squares[man];
            let color = slot.piece.color;
            let reach = attacks::attacks(from, slot.piece, occupied);
            for (taken, victim) in layout.slots.iter().enumerate() {
                let to = squares[taken];
                if victim.piece.color != color && taken != layout.king && reach.contains(to) {
                    // No other man can stand in between: `reach` stops there. Black's king can.
                    let free = !attacks::between(from, to);
                    self.moved(&mut found, squares, man, to, Some(taken), free);
                }
            }
            if slot.piece.role == Role::Pawn
                && let Some(to) = from.offset(color.fold_wb(8, -8))
                && Bitboard::BACKRANKS.contains(to)
                && !occupied.contains(to)
            {
                let free = !Bitboard::from_square(to);
                self.moved(&mut found, squares, man, to, None, free);
            }
        }
        // Black's king takes.
        for (taken, victim) in layout.slots.iter().enumerate() {
            if victim.piece.color == Color::White && taken != layout.king {
                let to = squares[taken];
                let child = &self.children[&Change {
                    taken: Some(taken),
                    promoted: None,
                }];
                if child.legal_white(layout.board, squares).contains(to) {
                    let ply = child.white(squares, to).map_or(NEVER, |plies| plies + 1);
                    for king in attacks::king_attacks(to) & layout.board.squares() {
                        found.black_reply(king, ply);
                    }
                }
            }
        }
        found
    }

    /// A man that is not black's king moves to `to`, taking and perhaps promoting.
    fn moved(
        &self,
        found: &mut Found,
        squares: &Squares,
        man: usize,
        to: Square,
        taken: Option<usize>,
        free: Bitboard,
    ) {
        let piece = self.layout.slots[man].piece;
        let mut after = *squares;
        after[man] = to;
        let promotes = piece.role == Role::Pawn && Bitboard::BACKRANKS.contains(to);
        let promotions: &[Role] = if promotes { &PROMOTIONS } else { &[Role::Pawn] };
        for &role in promotions {
            let promoted = promotes.then_some((man, role));
            let child = &self.children[&Change { taken, promoted }];
            match piece.color {
                Color::White => {
                    for king in self.layout.board.squares() & free {
                        if let Some(plies) = child.black(&after, king) {
                            let best = &mut found.white[usize::from(king)];
                            *best = (*best).min(plies + 1);
                        }
                    }
                }
                Color::Black => {
                    for king in child.legal_white(self.layout.board, &after) & free {
                        let ply = child.white(&after, king).map_or(NEVER, |plies| plies + 1);
                        found.black_reply(king, ply);
                    }
                }
            }
        }
    }

    /// Finds the double steps that allow an en passant capture. `stalemates` tells the black king
    /// squares of a word from which black, to move, has no move and is not in check.
    pub fn passing(&self, stalemates: impl Fn(usize, &Squares, Bitboard) -> u64 + Sync) -> Passing {
        let layout = self.layout;
        let pawns = |color: Color| {
            layout
                .pieces(color)
                .filter(|&i| layout.slots[i].piece.role == Role::Pawn)
        };
        if pawns(Color::White).next().is_none() || pawns(Color::Black).next().is_none() {
            return Passing::default();
        }
        let steps: Vec<((usize, usize), Step)> = (0..layout.words)
            .into_par_iter()
            .flat_map_iter(|word| {
                let squares = layout.squares(word);
                let occupied = layout.occupied(&squares);
                let pushes: Vec<(usize, Color)> = Color::ALL
                    .into_iter()
                    .flat_map(|color| pawns(color).map(move |man| (man, color)))
                    .collect();
                let stalemates = &stalemates;
                pushes.into_iter().filter_map(move |(man, color)| {
                    let step = self.step(word, &squares, occupied?, man, color, stalemates)?;
                    Some(((word, man), step))
                })
            })
            .collect();
        Passing {
            steps: steps.into_iter().collect(),
        }
    }

    /// The double step of one pawn, when the other side may take it in passing.
    fn step(
        &self,
        word: usize,
        squares: &Squares,
        occupied: Bitboard,
        man: usize,
        color: Color,
        stalemates: &impl Fn(usize, &Squares, Bitboard) -> u64,
    ) -> Option<Step> {
        let layout = self.layout;
        let from = squares[man];
        if u32::from(from.rank()) != color.fold_wb(1, 6) {
            return None;
        }
        let middle = from.offset(color.fold_wb(8, -8))?;
        let to = middle.offset(color.fold_wb(8, -8))?;
        if occupied.contains(middle) || occupied.contains(to) {
            return None;
        }
        let child = &self.children[&Change {
            taken: Some(man),
            promoted: None,
        }];
        let mut found = Found {
            white: [NEVER; 64],
            black: [0; 64],
            replies: Bitboard::EMPTY,
        };
        let mut takers = 0;
        for taker in layout.pieces(!color) {
            let slot = &layout.slots[taker];
            if slot.piece.role == Role::Pawn
                && attacks::pawn_attacks(!color, squares[taker]).contains(middle)
            {
                takers += 1;
                let mut after = *squares;
                after[taker] = middle;
                // The taken pawn has left the board.
                for king in child.legal_white(layout.board, &after) {
                    if color == Color::White {
                        let ply = child.white(&after, king).map_or(NEVER, |plies| plies + 1);
                        found.black_reply(king, ply);
                    }
                }
                if color == Color::Black {
                    for king in layout.board.squares() {
                        if let Some(plies) = child.black(&after, king) {
                            let best = &mut found.white[usize::from(king)];
                            *best = (*best).min(plies + 1);
                        }
                    }
                }
            }
        }
        if takers == 0 {
            return None;
        }
        let slot = &layout.slots[man];
        let index = |square: Square| slot.index[usize::from(square)] as usize * slot.stride;
        let mut moved = *squares;
        moved[man] = to;
        let after = layout.occupied(&moved)?;
        let stale = stalemates(word - index(from) + index(to), &moved, after);
        Some(Step { to, found, stale })
    }
}

impl Found {
    /// Black can convert with his king on `king`, and loses by `ply` if he does.
    fn black_reply(&mut self, king: Square, ply: u8) {
        self.replies.add(king);
        let worst = &mut self.black[usize::from(king)];
        *worst = (*worst).max(ply);
    }
}

/// The double steps that allow an en passant capture, by word and pawn.
///
/// Such a position is not in the table: the right to take lasts one move. It differs from the
/// same placement without the right only by the capture, so the pass over the words corrects the
/// contribution of these few moves.
#[derive(Default)]
pub(crate) struct Passing {
    steps: HashMap<(usize, usize), Step>,
}

struct Step {
    to: Square,
    found: Found,
    /// Black has no move but the capture: without it he would be stalemated.
    stale: u64,
}

impl Passing {
    /// White's man moves to `to`; `lost` are the positions black has lost there without taking.
    /// Returns those he has lost before `ply` even if he may take in passing.
    #[inline]
    pub fn white_push(&self, word: usize, man: usize, to: Square, lost: u64, ply: u8) -> u64 {
        match self.step(word, man, to) {
            None => lost,
            Some(step) => {
                let mut refuted = 0;
                for king in step.found.replies {
                    if step.found.black[usize::from(king)] >= ply {
                        refuted |= 1 << u32::from(king);
                    }
                }
                (lost | step.stale & step.found.replies.0) & !refuted
            }
        }
    }

    /// Black's man moves to `to`; `escape` are the positions white has not won there. Returns
    /// those she has not won before `ply` by taking in passing either.
    #[inline]
    pub fn black_push(&self, word: usize, man: usize, to: Square, escape: u64, ply: u8) -> u64 {
        match self.step(word, man, to) {
            None => escape,
            Some(step) => {
                let mut left = escape;
                for king in Bitboard(escape) {
                    if step.found.white[usize::from(king)] < ply {
                        left &= !(1 << u32::from(king));
                    }
                }
                left
            }
        }
    }

    #[inline]
    fn step(&self, word: usize, man: usize, to: Square) -> Option<&Step> {
        if self.steps.is_empty() {
            return None;
        }
        self.steps.get(&(word, man)).filter(|step| step.to == to)
    }
}

impl Child {
    fn new(layout: &Layout, change: Change, tables: &HashMap<Material, Arc<Solved>>) -> Child {
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
            return Child {
                table: None,
                men,
                from: Vec::new(),
            };
        }
        let canonical = material.canonical();
        let swapped = canonical != material;
        let solved = tables[&canonical].clone();
        let from = assignment(&men, &solved.layout, swapped);
        Child {
            table: Some((solved, swapped)),
            men,
            from,
        }
    }

    /// Black king squares that are legal with white to move.
    fn legal_white(&self, board: Board, squares: &Squares) -> Bitboard {
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
    fn white(&self, squares: &Squares, king: Square) -> Option<u8> {
        self.value(Color::White, squares, king)
            .filter(|plies| plies % 2 == 1)
    }

    /// Plies to white's mate, black to move. An illegal position is never lost.
    fn black(&self, squares: &Squares, king: Square) -> Option<u8> {
        self.value(Color::Black, squares, king)
            .filter(|plies| plies % 2 == 0)
    }

    fn value(&self, turn: Color, squares: &Squares, king: Square) -> Option<u8> {
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
        (byte != NEVER).then_some(byte)
    }
}
