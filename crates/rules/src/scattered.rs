use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use shakmaty::{Bitboard, Color, Piece, Role, Square};

use crate::{Board, Game, Position, Rules};

/// The men of a side besides the king, as a game begins.
const MEN: [Role; 15] = {
    use Role::{Bishop as B, Knight as N, Pawn as P, Queen as Q, Rook as R};
    [P, P, P, P, P, P, P, P, N, N, B, B, R, R, Q]
};
/// One side may have so many men more than the other.
const MORE: usize = 2;

/// A position of a whole game with some of its men on squares by lot, from which the game goes on.
///
/// Each side has some of the men that it begins a game with, about as many as the other, but not the same
/// ones: so one side mostly has more, and such games are decided sooner and more often than those that
/// begin at the beginning. Nobody may castle.
///
/// ```
/// use rand::SeedableRng as _;
/// let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(1);
/// let position = rules::scattered_position(&mut random);
/// assert!(position.legal_moves().len() > 0);
/// ```
pub fn scattered_position(random: &mut ChaCha8Rng) -> Position {
    loop {
        let fewer = random.random_range(0..MEN.len());
        let [white, black] = [0; 2].map(|_| fewer + random.random_range(0..=MORE));
        let turn = Color::from_white(random.random_range(0..2) == 0);
        let mut taken = Bitboard::EMPTY;
        let mut men = Vec::with_capacity(32);
        for (color, count) in [(Color::White, white), (Color::Black, black)] {
            let mut chest = MEN;
            let count = count.min(MEN.len());
            for place in 0..count {
                chest.swap(place, random.random_range(place..MEN.len()));
            }
            for role in chest[..count].iter().copied().chain([Role::King]) {
                // Drawing again where a man stands already leaves all free squares equally likely.
                let square = loop {
                    let squares = match role {
                        Role::Pawn => 8..56,
                        _ => 0..64,
                    };
                    let square = Square::new(random.random_range(squares));
                    if !taken.contains(square) {
                        break square;
                    }
                };
                taken.add(square);
                men.push((square, Piece { color, role }));
            }
        }
        if let Ok(position) = Position::from_pieces(Board::STANDARD, men, turn)
            && Game::new(position.clone(), Rules::default())
                .outcome()
                .is_none()
        {
            return position;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn they_are_of_all_kinds_and_nobody_has_more_men_than_a_game_begins_with() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let (mut fewest, mut most, mut uneven) = (32, 0, 0);
        for _ in 0..1000 {
            let position = scattered_position(&mut random);
            let men = |color: Color| position.men().by_color(color).count();
            fewest = fewest.min(men(Color::White) + men(Color::Black));
            most = most.max(men(Color::White) + men(Color::Black));
            assert!(men(Color::White).abs_diff(men(Color::Black)) <= MORE);
            let material = position.material();
            uneven += u32::from(material.white != material.black);
        }
        assert!(
            fewest <= 4 && most == 32 && uneven > 800,
            "{fewest} {most} {uneven}"
        );
    }
}
