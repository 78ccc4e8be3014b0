use serde::Serialize;

use crate::verdict::Verdict;

/// What a table holds, counted over all legal positions of the full board.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Statistics {
    /// White is to move.
    pub white_to_move: SideStatistics,
    /// Black is to move.
    pub black_to_move: SideStatistics,
}

/// The counts with one side to move, from that side's view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideStatistics {
    /// Positions by stored byte: plies to mate, or a draw.
    by_byte: Vec<u64>,
}

impl Default for SideStatistics {
    fn default() -> Self {
        SideStatistics {
            by_byte: vec![0; 256],
        }
    }
}

impl SideStatistics {
    pub(crate) fn add(&mut self, byte: u8, weight: u64) {
        self.by_byte[usize::from(byte)] += weight;
    }

    pub(crate) fn joined(mut self, other: SideStatistics) -> SideStatistics {
        for (a, b) in self.by_byte.iter_mut().zip(other.by_byte) {
            *a += b;
        }
        self
    }

    pub(crate) fn divided(mut self, by: u64) -> SideStatistics {
        for n in &mut self.by_byte {
            debug_assert_eq!(*n % by, 0, "equal men were not counted evenly");
            *n /= by;
        }
        self
    }

    pub(crate) fn bytes(&self) -> &[u64] {
        &self.by_byte
    }

    pub(crate) fn from_bytes(by_byte: Vec<u64>) -> SideStatistics {
        SideStatistics { by_byte }
    }

    fn decided(&self, wins: bool) -> impl DoubleEndedIterator<Item = (usize, u64)> {
        self.by_byte[..usize::from(Verdict::DRAW_BYTE)]
            .iter()
            .copied()
            .enumerate()
            .filter(move |&(plies, n)| n > 0 && (plies % 2 == 1) == wins)
    }

    /// Legal positions.
    pub fn positions(&self) -> u64 {
        self.by_byte.iter().sum()
    }

    /// Positions the side to move wins.
    pub fn won(&self) -> u64 {
        self.decided(true).map(|(_, n)| n).sum()
    }

    /// Positions neither side wins.
    pub fn drawn(&self) -> u64 {
        self.by_byte[usize::from(Verdict::DRAW_BYTE)]
    }

    /// Positions the side to move loses.
    pub fn lost(&self) -> u64 {
        self.decided(false).map(|(_, n)| n).sum()
    }

    /// The longest distance to mate in plies among the won positions.
    pub fn longest_win_plies(&self) -> Option<u16> {
        self.decided(true)
            .next_back()
            .map(|(plies, _)| plies as u16)
    }

    /// The longest distance to mate in plies among the lost positions.
    pub fn longest_loss_plies(&self) -> Option<u16> {
        self.decided(false)
            .next_back()
            .map(|(plies, _)| plies as u16)
    }

    /// The longest distance to mate in moves of the winning side, whichever it is.
    pub fn longest_moves(&self) -> Option<u16> {
        let plies = self.longest_win_plies().max(self.longest_loss_plies())?;
        Some(plies.div_ceil(2))
    }

    /// Won positions by moves to mate: `(moves, positions)`, shortest first.
    pub fn wins_by_moves(&self) -> Vec<(u16, u64)> {
        self.decided(true)
            .map(|(plies, n)| (plies.div_ceil(2) as u16, n))
            .collect()
    }

    /// Lost positions by moves to mate: `(moves, positions)`, shortest first.
    pub fn losses_by_moves(&self) -> Vec<(u16, u64)> {
        self.decided(false)
            .map(|(plies, n)| ((plies / 2) as u16, n))
            .collect()
    }
}

impl Serialize for SideStatistics {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut object = serializer.serialize_struct("SideStatistics", 5)?;
        object.serialize_field("positions", &self.positions())?;
        object.serialize_field("won", &self.won())?;
        object.serialize_field("drawn", &self.drawn())?;
        object.serialize_field("lost", &self.lost())?;
        object.serialize_field("longest_moves", &self.longest_moves())?;
        object.end()
    }
}
