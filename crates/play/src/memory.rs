//! Memory, asked for before it is taken.
//!
//! A system may grant more memory than it has and end the program that comes to use it. So large
//! pieces are held against what the machine has, and what is too large is an error with words.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// There is not so much memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} MiB of memory are not to be had{}", .wanted >> 20, left(*.there))]
pub struct OutOfMemory {
    /// Bytes that were wanted.
    wanted: u64,
    /// Bytes that were there, if that is known.
    there: Option<u64>,
}

fn left(there: Option<u64>) -> String {
    there.map_or(String::new(), |there| {
        format!("; there are {} MiB left", there >> 20)
    })
}

/// Smaller pieces are not worth a look at the machine.
const LARGE: u64 = 64 << 20;

/// Bytes that are held by all [`Held`] of the program. Not all of them need be in use yet, so that
/// the system does not count them.
static HELD: AtomicU64 = AtomicU64::new(0);

/// Memory that is spoken for, until this is dropped.
#[derive(Debug)]
pub(crate) struct Held(u64);

impl Held {
    /// Speaks for so many bytes.
    pub fn new(bytes: u64) -> Result<Held, OutOfMemory> {
        room_for(bytes)?;
        HELD.fetch_add(bytes, Ordering::Relaxed);
        Ok(Held(bytes))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        HELD.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Is there room for so many bytes? Where the machine does not tell, there is.
///
/// # Errors
/// When there is not.
pub fn room_for(bytes: u64) -> Result<(), OutOfMemory> {
    if bytes < LARGE {
        return Ok(());
    }
    let machine = Machine::look();
    let spoken_for = HELD.load(Ordering::Relaxed);
    let there = [
        machine.available,
        machine.total.map(|total| total.saturating_sub(spoken_for)),
    ];
    let there = there.into_iter().flatten().min();
    match there {
        Some(there) if bytes > there => Err(OutOfMemory {
            wanted: bytes,
            there: Some(there),
        }),
        _ => Ok(()),
    }
}

/// A vector of zeros, which take up no memory until they are changed.
pub(crate) fn zeros<T: bytemuck::Zeroable>(count: usize) -> Result<Vec<T>, OutOfMemory> {
    bytemuck::allocation::try_zeroed_vec(count).map_err(|()| OutOfMemory {
        wanted: (count * size_of::<T>()) as u64,
        there: None,
    })
}

/// Makes room for `more` entries of a vector that grows and grows, and whose entries are numbered
/// with 32 bits.
#[inline]
pub(crate) fn reserve<T>(entries: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    match entries.capacity() - entries.len() {
        room if room >= more => Ok(()),
        _ => grow(entries, more),
    }
}

#[cold]
fn grow<T>(entries: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    let needed = entries.len() + more;
    let wanted = needed.max(2 * entries.capacity());
    let error = OutOfMemory {
        wanted: wanted.saturating_mul(size_of::<T>()) as u64,
        there: None,
    };
    if needed > u32::MAX as usize {
        return Err(error);
    }
    room_for(error.wanted)?;
    entries
        .try_reserve_exact(wanted - entries.len())
        .map_err(|_| error)
}

/// What a machine has, in bytes, or the part of it that this program may use.
#[derive(Clone, Copy, Debug, Default)]
struct Machine {
    total: Option<u64>,
    available: Option<u64>,
}

impl Machine {
    /// Asks the system; only Linux tells.
    fn look() -> Machine {
        let whole = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let line = |name: &str| Some(number_behind(&whole, name)? << 10);
        let group = group().unwrap_or_default();
        let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        Machine {
            total: least(line("MemTotal:"), group.total),
            available: least(line("MemAvailable:"), group.available),
        }
    }
}

/// What the program's control group may use, as a container limits it.
fn group() -> Option<Machine> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let root = Path::new("/sys/fs/cgroup");
    let folder: PathBuf = root.join(own);
    let number = |name: &str| -> Option<u64> {
        let text = fs::read_to_string(folder.join(name)).ok()?;
        text.trim().parse().ok() // "max" stands for no limit
    };
    let total = number("memory.max")?;
    // Files that were read are kept in memory as long as nobody else needs it.
    let statistics = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let files = number_behind(&statistics, "file ").unwrap_or(0);
    let used = number("memory.current")?.saturating_sub(files);
    Some(Machine {
        total: Some(total),
        available: Some(total.saturating_sub(used)),
    })
}

/// The number on the line that begins with a name.
fn number_behind(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused_in_words() {
        assert_eq!(room_for(1 << 20), Ok(()));
        let Some(total) = Machine::look().total else {
            return; // a system that does not tell
        };
        let error = room_for(total + LARGE).unwrap_err().to_string();
        assert!(error.contains("MiB of memory are not to be had"), "{error}");
        // What is spoken for counts, used or not.
        let held = Held::new(LARGE).unwrap();
        assert!(room_for(total).is_err());
        drop(held);
        assert!(zeros::<u64>(usize::MAX / 16).is_err());
        let mut grown: Vec<u64> = vec![1];
        assert_eq!(reserve(&mut grown, 10), Ok(()));
        assert!(reserve(&mut grown, usize::MAX / 32).is_err());
    }

    #[test]
    fn numbers_are_read_from_the_lines_of_the_system() {
        let text = "MemTotal:       24112412 kB\nMemAvailable:   23000000 kB\n";
        assert_eq!(number_behind(text, "MemAvailable:"), Some(23_000_000));
        assert_eq!(number_behind(text, "SwapFree:"), None);
    }
}
