//! When a game was played, as far as that is known.

use std::fmt;

/// A date of which any part may be unknown (nought), in four bytes: bits 0 to 4 the day, 5 to 8
/// the month, from 9 the year.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Date(pub(super) u32);

impl Date {
    /// Reads PGN's `1972.07.11`, where question marks stand for what is not known. What makes no
    /// sense is not known either.
    pub fn read(text: &[u8]) -> Date {
        let mut parts = text.split(|&byte| matches!(byte, b'.' | b'-' | b'/'));
        let mut part = |most: u32| {
            let digits = parts.next().unwrap_or_default().trim_ascii();
            let plain = (1..=4).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
            let number = plain.then(|| digits.iter().fold(0, |n, d| 10 * n + u32::from(d - b'0')));
            number.filter(|&n| n <= most).unwrap_or(0)
        };
        let year = part(9999);
        let month = if year == 0 { 0 } else { part(12) };
        let day = if month == 0 { 0 } else { part(31) };
        Date((year << 9) | (month << 5) | day)
    }

    /// The year.
    pub fn year(self) -> Option<u16> {
        Some((self.0 >> 9) as u16).filter(|&year| year > 0)
    }

    fn month(self) -> u32 {
        (self.0 >> 5) & 15
    }

    fn day(self) -> u32 {
        self.0 & 31
    }
}

/// As PGN has it.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut part = |number: u32, width: usize, before: &str| match number {
            0 => write!(f, "{before}{}", &"????"[..width]),
            _ => write!(f, "{before}{number:0width$}"),
        };
        part(self.0 >> 9, 4, "")?;
        part(self.month(), 2, ".")?;
        part(self.day(), 2, ".")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_far_as_they_make_sense() {
        for (text, expected) in [
            ("1972.07.11", "1972.07.11"),
            ("1951.??.??", "1951.??.??"),
            ("1951.13.40", "1951.??.??"),
            ("1951.02", "1951.02.??"),
            ("????.07.11", "????.??.??"),
            ("", "????.??.??"),
            ("19721.07.11", "????.??.??"),
            ("2013-01-02", "2013.01.02"),
            ("\u{0}\u{ff}", "????.??.??"),
        ] {
            assert_eq!(Date::read(text.as_bytes()).to_string(), expected, "{text}");
        }
        assert_eq!(Date::read(b"1972.07.11").year(), Some(1972));
        assert_eq!(Date::read(b"?").year(), None);
    }
}
