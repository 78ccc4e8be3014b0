/// What is known about a position that has been searched before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// The value, or a bound on it.
    pub value: i32,
    /// Which of the two.
    pub bound: Bound,
    /// The depth it was searched to.
    pub depth: i32,
    /// The best move, as [`Tree::number`](crate::tree::Tree::number) counts; 0 for none.
    pub best: u16,
}

/// How a stored value relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    Exact = 1,
    /// The true value is at least this.
    Lower = 2,
    /// The true value is at most this.
    Upper = 3,
}

/// A transposition table: one entry per slot, the latest wins.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Key and packed entry; an empty slot is all zero.
    slots: Vec<[u64; 2]>,
    /// Mixed into the keys; entries of another generation are never found.
    generation: u64,
}

impl Table {
    /// A table of about so many MiB.
    pub fn new(mebibytes: usize) -> Table {
        let slots = (mebibytes.max(1) << 20) / size_of::<[u64; 2]>();
        Table {
            slots: vec![[0; 2]; 1 << slots.ilog2()],
            generation: 0,
        }
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        // Exact keys of few men are far from random: spread them.
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> (64 - self.slots.len().ilog2())) as usize
    }

    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        let key = key ^ self.generation;
        let [stored, packed] = self.slots[self.slot(key)];
        if stored != key || packed == 0 {
            return None;
        }
        Some(Entry {
            value: packed as u32 as i32,
            depth: i32::from((packed >> 32) as u8),
            best: (packed >> 40) as u16,
            bound: match packed >> 56 {
                1 => Bound::Exact,
                2 => Bound::Lower,
                _ => Bound::Upper,
            },
        })
    }

    #[inline]
    pub fn put(&mut self, key: u64, entry: Entry) {
        let key = key ^ self.generation;
        let slot = self.slot(key);
        let packed = u64::from(entry.value as u32)
            | (entry.depth.clamp(0, 255) as u64) << 32
            | u64::from(entry.best) << 40
            | (entry.bound as u64) << 56;
        self.slots[slot] = [key, packed];
    }

    /// Empties the table, without touching it.
    pub fn forget(&mut self) {
        // Above the bits that keys of few men use, so that those stay exact.
        self.generation = self.generation.wrapping_add(1 << 40);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_back_as_it_was_and_only_for_its_key() {
        let mut table = Table::new(1);
        for (key, value, bound) in [
            (7, -1_000_000, Bound::Exact),
            (8, 0, Bound::Lower),
            (u64::MAX, i32::MAX, Bound::Upper),
        ] {
            let entry = Entry {
                value,
                bound,
                depth: 9,
                best: 0xffff,
            };
            assert_eq!(table.get(key), None);
            table.put(key, entry);
            assert_eq!(table.get(key), Some(entry));
        }
        table.forget();
        assert_eq!(table.get(7), None);
    }
}
