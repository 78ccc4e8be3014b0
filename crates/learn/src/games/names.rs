//! The tags of a game that are kept as text.

/// The tags that a file of games keeps as text; result, date, ratings and start position are kept
/// as numbers.
pub const KEPT_TAGS: [&str; 9] = [
    "Event",
    "Site",
    "Round",
    "White",
    "Black",
    "ECO",
    "Opening",
    "TimeControl",
    "Termination",
];

/// Between the values of a game; a line break ends them.
pub(super) const BETWEEN: char = '\u{1f}';

/// Who played, where, and the other tags of [`KEPT_TAGS`] of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Names<'a> {
    line: &'a str,
}

impl<'a> Names<'a> {
    pub(super) fn new(line: &'a str) -> Names<'a> {
        Names { line }
    }

    /// The value of a tag, when it is kept and known.
    pub fn get(&self, tag: &str) -> Option<&'a str> {
        let place = KEPT_TAGS.iter().position(|&kept| kept == tag)?;
        let value = self.line.split(BETWEEN).nth(place)?;
        (!value.is_empty()).then_some(value)
    }

    /// Every tag that is known, with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'a str)> {
        KEPT_TAGS
            .into_iter()
            .zip(self.line.split(BETWEEN))
            .filter(|(_, value)| !value.is_empty())
    }
}

/// Appends a tag's value as it is kept: text that is not UTF-8 is taken as Latin-1, and what would
/// end the value becomes a space.
pub(super) fn push_value(line: &mut String, value: &[u8]) {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    match std::str::from_utf8(value) {
        Ok(text) if text.bytes().all(|byte| (b' '..127).contains(&byte)) => line.push_str(text),
        Ok(text) => line.extend(text.chars().map(clean)),
        Err(_) => line.extend(value.iter().map(|&byte| clean(char::from(byte)))),
    }
}
