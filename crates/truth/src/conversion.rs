//! Captures and promotions: moves that lead to another signature, whose table is solved already.

use std::collections::HashMap;

use rules::{Bitboard, Color, Material, Role, Side, Square, attacks};

use crate::{
    layout::{Layout, Squares},
    view::{Change, Tables, View},
};

/// What a promotion may give.
pub(crate) const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// Every capture and promotion of an attack (see [`crate::attack`]), ready to be looked up.
pub(crate) struct Conversions<'a> {
    pub layout: &'a Layout,
    views: HashMap<Change, View>,
}

/// What the conversions of one word lead to.
#[derive(Clone)]
pub(crate) struct Found {
    /// Plies in which white's best conversion mates, with white to move; [`NEVER`] without one.
    pub white: [u8; 64],
    /// With black to move, the plies by which his best conversion loses; [`NEVER`] when it holds.
    pub black: [u8; 64],
    /// Black king squares from which black has a legal conversion at all.
    pub replies: Bitboard,
}

/// Stands for a mate that never comes.
pub(crate) const NEVER: u8 = u8::MAX;

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

/// The signatures that captures and promotions lead to directly, as they are solved: stronger side
/// first, two bare kings left out.
pub(crate) fn successors(material: Material) -> Vec<Material> {
    let mut found: Vec<Material> = Vec::new();
    for successor in oriented_successors(material)
        .into_iter()
        .map(Material::canonical)
    {
        if successor.men() > 2 && !found.contains(&successor) {
            found.push(successor);
        }
    }
    found
}

/// The signatures that captures and promotions lead to directly, white's men first.
pub(crate) fn oriented_successors(material: Material) -> Vec<Material> {
    let mut found = Vec::new();
    let mut add = |m: Material| {
        if !found.contains(&m) {
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
    pub fn new(layout: &'a Layout, tables: &Tables) -> Conversions<'a> {
        let men = layout.slots.len();
        let others = || (0..men).filter(|&i| i != layout.king);
        let mut views = HashMap::new();
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
                    views.insert(change, View::new(layout, change, tables));
                }
            }
        }
        Conversions { layout, views }
    }

    /// The table that a change leads to.
    pub fn view(&self, change: Change) -> &View {
        &self.views[&change]
    }

    /// Looks up every conversion of one word.
    pub fn of(&self, squares: &Squares, occupied: Bitboard) -> Found {
        let mut found = Found::nothing();
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
                let view = &self.views[&Change {
                    taken: Some(taken),
                    promoted: None,
                }];
                if view.legal_white(layout.board, squares).contains(to) {
                    let ply = view.white(squares, to).map_or(NEVER, |plies| plies + 1);
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
            let view = &self.views[&Change { taken, promoted }];
            match piece.color {
                Color::White => {
                    for king in self.layout.board.squares() & free {
                        if let Some(plies) = view.black(&after, king) {
                            found.white_try(king, plies + 1);
                        }
                    }
                }
                Color::Black => {
                    for king in view.legal_white(self.layout.board, &after) & free {
                        let ply = view.white(&after, king).map_or(NEVER, |plies| plies + 1);
                        found.black_reply(king, ply);
                    }
                }
            }
        }
    }
}

impl Found {
    pub fn nothing() -> Found {
        Found {
            white: [NEVER; 64],
            black: [0; 64],
            replies: Bitboard::EMPTY,
        }
    }

    /// White can convert with black's king on `king`, and mates in `ply` plies if she does.
    pub fn white_try(&mut self, king: Square, ply: u8) {
        let best = &mut self.white[usize::from(king)];
        *best = (*best).min(ply);
    }

    /// Black can convert with his king on `king`, and loses by `ply` if he does.
    pub fn black_reply(&mut self, king: Square, ply: u8) {
        self.replies.add(king);
        let worst = &mut self.black[usize::from(king)];
        *worst = (*worst).max(ply);
    }
}
