//! What document W's network sees of a position, and how it numbers moves.

use rules::{Color, Move, Position};

use crate::{
    games::{PackedMove, PackedPosition},
    net::ResidualShape,
};

/// Sixteen sets of squares: see `chess::wojcik`. The lowest bit is A8.
pub(super) type Sight = [u64; ResidualShape::INPUTS];

/// What is seen of a position of a game.
pub(super) fn sight_of(packed: &PackedPosition) -> Sight {
    let planes = packed.planes();
    // The first sixteen are men and castling rights, from A1 on.
    std::array::from_fn(|plane| planes[plane].swap_bytes())
}

/// What is seen of a position on 8×8.
pub(super) fn sight(position: &Position) -> Sight {
    let none = PackedMove::NONE;
    sight_of(&PackedPosition::new(
        position.chess(),
        none,
        none,
        none,
        None,
    ))
}

/// The number of a move as the mover sees it: 64 times the square it leaves plus the one it goes to, with
/// A8 = 0. The promotions of a pawn share one.
pub(super) fn packed_number(m: PackedMove) -> u16 {
    let square = |square: rules::Square| square as u16 ^ 56;
    64 * square(m.from()) + square(m.to())
}

/// The same of a move on the board as it stands.
pub(super) fn number(turn: Color, m: Move) -> u16 {
    let m = PackedMove::new(m);
    packed_number(turn.fold_wb(m, m.mirrored()))
}

#[cfg(test)]
mod tests {
    use play::Dice;
    use rules::{Game, Position, Rules};

    use super::*;
    use crate::chess::{Actions, Observation};

    #[test]
    fn it_is_what_environments_show_and_number() {
        let mut dice = Dice::new(9);
        let mut castled = 0;
        for _ in 0..40 {
            let mut game = Game::new(Position::start(), Rules::default().with_max_moves(60));
            while game.outcome().is_none() {
                let position = game.position();
                let mut planes = [0.0_f32; 16 * 64];
                Observation::Wojcik.write(&game, position.turn(), &mut planes);
                let sight = sight(position);
                for (place, &expected) in planes.iter().enumerate() {
                    let bit = sight[place / 64] >> (place % 64) & 1;
                    assert_eq!(bit == 1, expected == 1.0, "{}", position.fen());
                }
                let moves = position.legal_moves();
                for &m in &moves {
                    let expected = Actions::Wojcik.number(position, m);
                    assert_eq!(usize::from(number(position.turn(), m)), expected);
                    castled += u32::from(m.is_castle());
                }
                game.play_legal(moves[dice.below(moves.len())]);
            }
        }
        assert!(castled > 0, "no game had a chance to castle");
    }
}
