use std::fmt;

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// What tells one policy from another: a digest of all that its moves follow from (the kind of player,
/// its settings, what its files held and the version of the program), and of nothing else. The same
/// network has the same fingerprint in any folder and under any name.
///
/// 128 bits of SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// The fingerprint of several things in order.
    pub fn of<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> Fingerprint {
        let mut digest = Sha256::new();
        for part in parts {
            let part = part.as_ref();
            // With its length, so that "ab", "c" is not "a", "bc".
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        let mut short = [0; 16];
        short.copy_from_slice(&digest.finalize()[..16]);
        Fingerprint(short)
    }

    /// The fingerprint of a player of a kind: what it is about, its settings by key (in any order), and
    /// what its files held.
    pub fn of_player(
        kind: &str,
        subject: Option<&str>,
        settings: &[(&str, &str)],
        contents: &[Fingerprint],
    ) -> Fingerprint {
        let mut settings = settings.to_vec();
        settings.sort_unstable();
        let settings = settings.into_iter().flat_map(|(key, value)| [key, value]);
        Fingerprint::of([
            env!("CARGO_PKG_VERSION").as_bytes(),
            kind.as_bytes(),
            subject.unwrap_or_default().as_bytes(),
            Fingerprint::of(settings).as_ref(),
            Fingerprint::of(contents).as_ref(),
        ])
    }
}

impl AsRef<[u8]> for Fingerprint {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    #[test]
    fn it_depends_on_every_part_and_where_it_ends() {
        let some = [
            Fingerprint::of(["ab", "c"]),
            Fingerprint::of(["a", "bc"]),
            Fingerprint::of(["abc"]),
            Fingerprint::of(["c", "ab"]),
            Fingerprint::of([""; 0]),
        ];
        for (i, one) in some.iter().enumerate() {
            assert_eq!(some.iter().filter(|&other| other == one).count(), 1, "{i}");
            assert_eq!(one.to_string().len(), 32);
        }
    }
}
