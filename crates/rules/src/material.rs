use std::{fmt, str::FromStr};

use shakmaty::{Color, Role};

/// The pieces of one side besides its king, strongest first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Side {
    /// Counts of queens, rooks, bishops, knights and pawns, in this order.
    counts: [u8; 5],
}

/// From strongest to weakest, the order in which a signature is written.
const ROLES: [Role; 5] = [
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];

impl Side {
    /// A bare king.
    pub const BARE: Side = Side { counts: [0; 5] };

    /// The side that has `roles` besides its king; kings in the list are ignored.
    pub fn new(roles: impl IntoIterator<Item = Role>) -> Side {
        let mut side = Side::BARE;
        for role in roles {
            if let Some(i) = ROLES.iter().position(|&r| r == role) {
                side.counts[i] += 1;
            }
        }
        side
    }

    /// The pieces besides the king, strongest first.
    pub fn roles(self) -> impl Iterator<Item = Role> {
        ROLES
            .into_iter()
            .zip(self.counts)
            .flat_map(|(role, n)| std::iter::repeat_n(role, n.into()))
    }

    /// How many pieces of `role` there are; one for the king.
    pub fn count(self, role: Role) -> usize {
        ROLES
            .iter()
            .position(|&r| r == role)
            .map_or(1, |i| self.counts[i].into())
    }

    /// How many men there are, the king among them.
    pub fn men(self) -> usize {
        1 + self.counts.iter().map(|&n| usize::from(n)).sum::<usize>()
    }

    /// Nothing but a king?
    pub fn is_bare(self) -> bool {
        self == Side::BARE
    }

    /// The side without one piece of `role`.
    ///
    /// # Panics
    /// When it has none.
    pub fn without(mut self, role: Role) -> Side {
        let i = ROLES
            .iter()
            .position(|&r| r == role)
            .expect("a king is never taken");
        self.counts[i] = self.counts[i]
            .checked_sub(1)
            .expect("the side has the piece");
        self
    }

    /// The side with one more piece of `role`.
    pub fn with(mut self, role: Role) -> Side {
        if let Some(i) = ROLES.iter().position(|&r| r == role) {
            self.counts[i] += 1;
        }
        self
    }

    /// Stronger sides compare greater: more men first, then stronger men.
    fn strength(self) -> (usize, [u8; 5]) {
        (self.men(), self.counts)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "K")?;
        self.roles()
            .try_for_each(|role| write!(f, "{}", role.upper_char()))
    }
}

/// A material signature such as `KBNK` or `KRPKR`: white's men, then black's.
///
/// ```
/// use rules::Material;
/// let material: Material = "KBNvK".parse()?;
/// assert_eq!(material.to_string(), "KBNK");
/// assert_eq!(material.men(), 4);
/// // The stronger side comes first in the canonical form.
/// assert_eq!("KNKR".parse::<Material>()?.canonical().to_string(), "KRKN");
/// # Ok::<(), rules::MaterialError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Material {
    /// White's pieces.
    pub white: Side,
    /// Black's pieces.
    pub black: Side,
}

/// A text that is not a material signature.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{text}' is not a material signature: {why} (examples: KRK, KBNK, KQvKR, KRPKR)")]
pub struct MaterialError {
    text: String,
    why: String,
}

impl Material {
    /// A signature of two sides.
    pub const fn new(white: Side, black: Side) -> Material {
        Material { white, black }
    }

    /// How many men are on the board, both kings among them.
    pub fn men(self) -> usize {
        self.white.men() + self.black.men()
    }

    /// Is there a pawn?
    pub fn has_pawns(self) -> bool {
        self.white.count(Role::Pawn) + self.black.count(Role::Pawn) > 0
    }

    /// The pieces of one colour.
    pub fn side(self, color: Color) -> Side {
        color.fold_wb(self.white, self.black)
    }

    /// The same men with the colours exchanged.
    pub fn swapped(self) -> Material {
        Material {
            white: self.black,
            black: self.white,
        }
    }

    /// The signature with the stronger side as white.
    pub fn canonical(self) -> Material {
        if self.black.strength() > self.white.strength() {
            self.swapped()
        } else {
            self
        }
    }

    /// Have both sides the same men?
    pub fn is_symmetric(self) -> bool {
        self.white == self.black
    }

    /// Every canonical signature of exactly `men` men, in a fixed order.
    pub fn all(men: usize) -> Vec<Material> {
        fn sides(men: usize, from: usize) -> Vec<Side> {
            if men == 1 {
                return vec![Side::BARE];
            }
            (from..ROLES.len())
                .flat_map(|i| {
                    sides(men - 1, i)
                        .into_iter()
                        .map(move |side| side.with(ROLES[i]))
                })
                .collect()
        }
        (1..men)
            .rev()
            .flat_map(|white| {
                let blacks = sides(men - white, 0);
                sides(white, 0)
                    .into_iter()
                    .flat_map(move |w| blacks.clone().into_iter().map(move |b| Material::new(w, b)))
            })
            .filter(|material| *material == material.canonical())
            .collect()
    }
}

impl FromStr for Material {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<Material, MaterialError> {
        let refuse = |why: String| MaterialError {
            text: text.to_owned(),
            why,
        };
        let mut sides: Vec<Side> = Vec::new();
        let mut after_v = false;
        for c in text.chars() {
            match c {
                'v' if sides.len() == 1 && !after_v => after_v = true,
                _ => match Role::from_char(c) {
                    Some(Role::King) => sides.push(Side::BARE),
                    Some(_) if sides.is_empty() => {
                        return Err(refuse("it must begin with K, white's king".into()));
                    }
                    Some(_) if after_v && sides.len() == 1 => {
                        return Err(refuse("black's men must begin with K, too".into()));
                    }
                    Some(role) => {
                        let last = sides.len() - 1;
                        sides[last] = sides[last].with(role);
                    }
                    None => return Err(refuse(format!("'{c}' is not one of K Q R B N P"))),
                },
            }
        }
        match sides[..] {
            [white, black] if white.men() <= 16 && black.men() <= 16 => {
                Ok(Material::new(white, black))
            }
            [_, _] => Err(refuse("a side has at most 16 men".into())),
            _ => Err(refuse(format!(
                "it has {} kings instead of two",
                sides.len()
            ))),
        }
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.white, self.black)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_35_signatures_of_three_and_four_men() {
        assert_eq!(Material::all(3).len(), 5);
        assert_eq!(Material::all(4).len(), 30);
        assert_eq!(Material::all(5).len(), 110);
        let names: Vec<String> = Material::all(3).iter().map(Material::to_string).collect();
        assert_eq!(names, ["KQK", "KRK", "KBK", "KNK", "KPK"]);
    }

    #[test]
    fn names_round_trip() {
        for men in 2..=5 {
            for material in Material::all(men) {
                assert_eq!(material.to_string().parse(), Ok(material));
                assert_eq!(material.swapped().canonical(), material);
            }
        }
    }

    #[test]
    fn refusals_say_why() {
        for (text, why) in [
            ("", "0 kings"),
            ("KRKK", "3 kings"),
            ("RKK", "must begin with K"),
            ("KXK", "'X' is not"),
            ("KQvRK", "black's men must begin"),
            ("KQQQQQQQQQQQQQQQQK", "at most 16"),
        ] {
            let error = text.parse::<Material>().expect_err(text).to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
