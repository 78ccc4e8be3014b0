/// The tags of a game, without those that follow from its moves (`Result`, `SetUp`, `FEN` and
/// `Variant`).
///
/// The Seven Tag Roster comes first and in its order; a tag of it that is unknown (`?`) is not
/// there, and is written as `?`. All others keep their order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tags {
    roster: [Option<String>; ROSTER.len()],
    others: Vec<(String, String)>,
}

/// The Seven Tag Roster without the result, and what stands for an unknown value.
pub(super) const ROSTER: [(&str, &str); 6] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
];

const DERIVED: [&str; 4] = ["Result", "SetUp", "FEN", "Variant"];

/// A name that no tag can have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TagError {
    /// Not a name.
    #[error("'{0}' is not the name of a tag: letters, digits and '_' only")]
    Name(String),
    /// Written by itself.
    #[error("the tag {0} follows from the game and cannot be set")]
    Derived(String),
}

impl Tags {
    /// The value of a tag.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter()
            .find(|&(other, _)| other == name)
            .map(|(_, value)| value)
    }

    /// Sets a tag, in place of one with the same name. Line breaks in the value become spaces.
    ///
    /// # Errors
    /// When the name is not one, or belongs to a tag that follows from the game.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), TagError> {
        if !is_name(name) {
            return Err(TagError::Name(name.to_owned()));
        }
        if DERIVED.contains(&name) {
            return Err(TagError::Derived(name.to_owned()));
        }
        let value = value.replace(['\n', '\r'], " ");
        if let Some(i) = ROSTER.iter().position(|&(known, _)| known == name) {
            self.roster[i] = (value != ROSTER[i].1).then_some(value);
        } else if let Some(tag) = self.others.iter_mut().find(|(other, _)| other == name) {
            tag.1 = value;
        } else {
            self.others.push((name.to_owned(), value));
        }
        Ok(())
    }

    /// Every tag with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let roster = ROSTER
            .iter()
            .zip(&self.roster)
            .filter_map(|(&(name, _), value)| Some((name, value.as_deref()?)));
        roster.chain(self.others().map(|(name, value)| (&name[..], &value[..])))
    }

    /// The roster's tags, known or not.
    pub(super) fn roster(&self) -> impl Iterator<Item = (&str, &str)> {
        ROSTER
            .iter()
            .zip(&self.roster)
            .map(|(&(name, unknown), value)| (name, value.as_deref().unwrap_or(unknown)))
    }

    pub(super) fn others(&self) -> impl Iterator<Item = &(String, String)> {
        self.others.iter()
    }
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roster_comes_first_and_unknown_values_are_not_there() {
        let mut tags = Tags::default();
        tags.set("Annotator", "a\nb").unwrap();
        tags.set("Black", "B").unwrap();
        tags.set("White", "W").unwrap();
        tags.set("Date", "????.??.??").unwrap();
        tags.set("White", "Lucena").unwrap();
        let all: Vec<_> = tags.iter().collect();
        assert_eq!(
            all,
            [("White", "Lucena"), ("Black", "B"), ("Annotator", "a b")]
        );
        assert_eq!(tags.get("Date"), None);
        assert!(tags.set("a b", "").is_err());
        assert!(tags.set("FEN", "").is_err());
    }
}
