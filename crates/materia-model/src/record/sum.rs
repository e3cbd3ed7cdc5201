//! The checksum of a line: CRC-32, as everybody computes it.
//!
//! Owns when which of two ways is taken. The fast one begins by asking the processor what it can
//! do, which takes longer than a hundred lines where machines are virtual; most of our programs
//! read and write less than that and end.

use std::sync::atomic::{AtomicU32, Ordering};

/// How many lines are summed without asking, and how long they may be.
const FEW: u32 = 64;
const SHORT: usize = 4096;

/// The checksum of some bytes.
#[inline]
pub fn checksum(bytes: &[u8]) -> u32 {
    static SUMMED: AtomicU32 = AtomicU32::new(0);
    if bytes.len() <= SHORT && SUMMED.load(Ordering::Relaxed) < FEW {
        SUMMED.fetch_add(1, Ordering::Relaxed);
        return plain(bytes);
    }
    crc32fast::hash(bytes)
}

#[cold]
fn plain(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| TABLE[usize::from(sum as u8 ^ byte)] ^ (sum >> 8);
    !bytes.iter().fold(!0, step)
}

static TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let (mut sum, mut bit) = (index as u32, 0);
        while bit < 8 {
            sum = if sum & 1 == 1 {
                0xedb8_8320 ^ (sum >> 1)
            } else {
                sum >> 1
            };
            bit += 1;
        }
        table[index] = sum;
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_ways_come_to_the_same(bytes: Vec<u8>) {
            prop_assert_eq!(plain(&bytes), crc32fast::hash(&bytes));
            prop_assert_eq!(checksum(&bytes), crc32fast::hash(&bytes));
        }
    }
}
