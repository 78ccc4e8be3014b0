//! One mixing of numbers for everything that is told apart by a number.
//!
//! Splits depend on it, so it never changes: what is held out today is held out for ever.

/// Mixes two numbers into one: the two halves of a product of 128 bits, one upon the other.
#[inline]
pub(super) const fn mix(a: u64, b: u64) -> u64 {
    let product =
        (a ^ 0x9e37_79b9_7f4a_7c15) as u128 * (b ^ 0xd1b5_4a32_d192_ed03).rotate_left(32) as u128;
    (product as u64) ^ (product >> 64) as u64
}

/// The number of a game: of the FEN it starts from (empty for the start position) and of its moves
/// in two bytes each.
pub(super) fn game_key(start: &[u8], moves: &[u8]) -> u64 {
    let mut key = 0;
    for bytes in [start, moves] {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            key = mix(key, u64::from_le_bytes(word));
        }
        key = mix(key, bytes.len() as u64);
    }
    key
}
