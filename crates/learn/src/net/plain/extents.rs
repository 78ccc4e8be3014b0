//! How large the tables of networks are that see positions in a certain way.

/// How large the tables of networks are that see positions in a certain way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extents {
    /// Inputs there are.
    pub inputs: usize,
    /// Rows of the policy's last table.
    pub rows: usize,
    /// How many of them belong to a move.
    pub rows_a_move: usize,
}
