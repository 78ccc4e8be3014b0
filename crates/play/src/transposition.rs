use crate::memory::{Held, OutOfMemory, zeros};

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

/// A transposition table. A key has a few places, so that a position that comes up at several depths,
/// as those of small endgames do all the time, is remembered at each of them.
///
/// What it answers depends on what was put into it since it was last emptied and on nothing else: neither
/// whether an entry is found nor which one makes room for another looks at what has been forgotten.
#[derive(Debug)]
pub(crate) struct Table {
    buckets: Vec<Bucket>,
    _held: Held,
    /// How often it was emptied since it was wiped, from 1; entries of another age are forgotten.
    age: u64,
}

impl Entry {
    fn packed(self) -> u64 {
        u64::from(self.value as u32)
            | (self.depth.clamp(0, 255) as u64) << 32
            | u64::from(self.best) << 40
            | (self.bound as u64) << 56
    }

    fn unpacked(packed: u64) -> Entry {
        Entry {
            value: packed as u32 as i32,
            depth: depth(packed) as i32,
            best: (packed >> 40) as u16,
            bound: match packed >> 56 & 3 {
                1 => Bound::Exact,
                2 => Bound::Lower,
                _ => Bound::Upper,
            },
        }
    }
}

/// The depth of a packed entry.
fn depth(packed: u64) -> u64 {
    packed >> 32 & 0xff
}

/// Where packed entries keep their age. An empty place has none.
const AGE: u32 = 58;

/// The greatest age there is room for.
const OLDEST: u64 = u64::MAX >> AGE;

/// How many of a key's last bits do not scatter it.
const TOGETHER: u32 = 6;

/// Keys and packed entries, as many as a line of the processor's cache holds; an empty place is all zero.
/// A bare array of numbers, because those come zeroed from the system, at no cost.
type Bucket = [[u64; 2]; 4];

impl Table {
    /// A table of about so many MiB.
    pub fn new(mebibytes: usize) -> Result<Table, OutOfMemory> {
        let bytes = Table::bytes(mebibytes);
        Ok(Table {
            _held: Held::new(bytes)?,
            buckets: zeros(bytes as usize / size_of::<Bucket>())?,
            age: 1,
        })
    }

    /// The bytes of a table of about so many MiB: the next lower power of two.
    pub fn bytes(mebibytes: usize) -> u64 {
        1 << ((mebibytes.max(1) as u64) << 20).ilog2()
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        // Exact keys of few men are far from random: spread them, but let those stay together that differ in
        // their last bits, the square of one man. They are asked for together, and one page of memory is
        // then fetched instead of many.
        let hash = (key >> TOGETHER).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let groups = self.buckets.len().ilog2() - TOGETHER;
        ((hash >> (64 - groups)) << TOGETHER | key & ((1 << TOGETHER) - 1)) as usize
    }

    /// What is known about a position, at one depth or several.
    #[inline]
    pub fn get(&self, key: u64) -> impl Iterator<Item = Entry> + use<> {
        let age = self.age;
        let places = self.buckets[self.bucket(key)];
        let known = places.into_iter();
        let known = known.filter(move |&[stored, packed]| stored == key && packed >> AGE == age);
        known.map(|[_, packed]| Entry::unpacked(packed))
    }

    /// Remembers an entry: in the place of the same position and depth (or, if entries of a greater depth
    /// serve as well, of a smaller one), of something forgotten, or of what was searched least deeply.
    #[inline]
    pub fn put(&mut self, key: u64, entry: Entry, deeper_serves: bool) {
        let bucket = self.bucket(key);
        let new = entry.packed() | self.age << AGE;
        let replaces = |old| match deeper_serves {
            true => depth(old) <= depth(new),
            false => depth(old) == depth(new),
        };
        let worth = |&[stored, old]: &[u64; 2]| match old >> AGE == new >> AGE {
            true if stored == key && replaces(old) => 0,
            true => 2 + depth(old),
            false => 1,
        };
        let places = &mut self.buckets[bucket];
        if let Some(place) = places.iter_mut().min_by_key(|place| worth(place)) {
            *place = [key, new];
        }
    }

    /// Empties the table, most of the time without touching it.
    pub fn forget(&mut self) {
        self.age += 1;
        if self.age > OLDEST {
            self.buckets.fill([[0; 2]; 4]);
            self.age = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_back_as_it_was_and_only_for_its_key() {
        let mut table = Table::new(1).unwrap();
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
            assert_eq!(table.get(key).next(), None);
            table.put(key, entry, false);
            assert_eq!(table.get(key).next(), Some(entry));
        }
        table.forget();
        assert_eq!(table.get(7).next(), None);
    }

    #[test]
    fn a_position_is_remembered_at_several_depths_the_greatest_ones() {
        let mut table = Table::new(1).unwrap();
        let entry = |depth| Entry {
            value: 10 * depth,
            bound: Bound::Exact,
            depth,
            best: 1,
        };
        let known = |table: &Table| {
            let mut depths: Vec<i32> = table.get(7).map(|entry| entry.depth).collect();
            depths.sort();
            depths
        };
        for depth in [2, 9, 4, 4, 6, 8, 3] {
            table.put(7, entry(depth), false);
        }
        assert_eq!(known(&table), [3, 6, 8, 9]);
        table.forget();
        // What is forgotten makes room, however deep it was.
        (1..5).for_each(|depth| table.put(7, entry(depth), false));
        assert_eq!(known(&table), [1, 2, 3, 4]);
        table.put(7, entry(5), true);
        assert_eq!(known(&table), [2, 3, 4, 5]);
    }

    /// However often it was emptied before, and whatever it held.
    #[test]
    fn an_emptied_table_is_like_a_new_one() {
        let mut used = Table::new(1).unwrap();
        for round in 0..200u64 {
            let mut new = Table::new(1).unwrap();
            for i in 0..40 {
                // Five keys to a bucket, so that some entries must go.
                let key = (((round * 31 + i * 7) % 5) << 40) | (i % 3);
                let entry = Entry {
                    value: i as i32,
                    bound: Bound::Lower,
                    depth: (i * i % 11) as i32,
                    best: 1,
                };
                used.put(key, entry, round % 2 == 0);
                new.put(key, entry, round % 2 == 0);
                for key in (0..5u64).flat_map(|k| (k << 40)..(k << 40) + 3) {
                    assert!(used.get(key).eq(new.get(key)), "round {round}, entry {i}");
                }
            }
            used.forget();
        }
    }
}
