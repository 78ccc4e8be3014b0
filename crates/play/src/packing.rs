//! Numbers of a few bits, one after the other without gaps, lowest bits first: how the weights of networks are
//! stored.

/// Packs the lowest `bits` bits, 1 to 8, of each number.
pub fn pack(codes: impl IntoIterator<Item = u8>, bits: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut pool, mut filled) = (0u32, 0);
    for code in codes {
        pool |= u32::from(code & (0xff >> (8 - bits))) << filled;
        filled += bits;
        if filled >= 8 {
            bytes.push(pool as u8);
            pool >>= 8;
            filled -= 8;
        }
    }
    if filled > 0 {
        bytes.push(pool as u8);
    }
    bytes
}

/// The numbers that [`pack`] packed; as many as fit, so that up to seven of one bit may follow the last.
pub fn unpack(bytes: &[u8], bits: u32) -> impl Iterator<Item = u8> {
    let (mut pool, mut filled) = (0u32, 0);
    let mut bytes = bytes.iter();
    std::iter::from_fn(move || {
        if filled < bits {
            pool |= u32::from(*bytes.next()?) << filled;
            filled += 8;
        }
        let code = pool as u8 & (0xff >> (8 - bits));
        pool >>= bits;
        filled -= bits;
        Some(code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back() {
        for bits in 1..=8 {
            let codes: Vec<u8> = (0..100u8).map(|i| i.wrapping_mul(37)).collect();
            let bytes = pack(codes.iter().copied(), bits);
            assert_eq!(bytes.len(), (100 * bits as usize).div_ceil(8));
            let cut = codes.iter().map(|code| code & (0xff >> (8 - bits)));
            assert!(unpack(&bytes, bits).take(100).eq(cut), "{bits}");
        }
        assert_eq!(pack([1, 2, 3], 4), [0x21, 0x03]);
    }
}
