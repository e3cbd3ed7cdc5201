//! Text that stands in JSON as it is.
//!
//! Owns which bytes need an escape, and looking for them many at a time: nearly all text of a
//! record has none. Whoever finds one spells it: [`super::sheet::Sheet`].

/// How many bytes are copied at once, and may be written beyond the end.
pub(super) const BLOCK: usize = 16;

/// The longest text that has [`words`].
pub(super) const WORDS: usize = 32;

/// Copies a text to where there is room for a block more, and says whether none of its bytes needs
/// an escape; if one does, the copy is not whole. The last bytes are looked at and copied twice, so
/// that there are none that do not fill a block.
#[inline(always)]
pub(super) fn copy_plain(room: &mut [u8], text: &[u8]) -> bool {
    let length = text.len();
    if let Some(last) = text.last_chunk::<BLOCK>() {
        for (block, place) in text.as_chunks().0.iter().zip(room.as_chunks_mut().0) {
            *place = *block;
            if has_escape(block) {
                return false;
            }
        }
        room[length - BLOCK..length].copy_from_slice(last);
        return !has_escape(last);
    }
    if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        room[..8].copy_from_slice(first);
        room[length - 8..length].copy_from_slice(last);
        return is_plain([word(*first), word(*last)]);
    }
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        room[..4].copy_from_slice(first);
        room[length - 4..length].copy_from_slice(last);
        return is_plain([pair(*first, *last)]);
    }
    let few = few(text);
    room[..8].copy_from_slice(&few);
    is_plain([word(few)])
}

/// A short text as numbers, in which every byte stands once or more often; two texts of one length
/// have the same only if they are the same. Has no loop, so that the compiler does it where it
/// knows the text.
#[inline(always)]
pub(super) fn words(text: &[u8]) -> Option<[u64; 4]> {
    const SPACES: u64 = word([b' '; 8]);
    if text.len() > WORDS {
        return None;
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        let ([first, second], [third, last]) = (halves(*first), halves(*last));
        return Some([first, second, third, last]);
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        return Some([word(*first), word(*last), SPACES, SPACES]);
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        return Some([pair(*first, *last), SPACES, SPACES, SPACES]);
    }
    Some([word(few(text)), SPACES, SPACES, SPACES])
}

/// At most three bytes, and spaces behind them.
#[inline(always)]
fn few(text: &[u8]) -> [u8; 8] {
    let mut few = [b' '; 8];
    match *text {
        [one] => few[0] = one,
        [one, two] => few[..2].copy_from_slice(&[one, two]),
        [one, two, three, ..] => few[..3].copy_from_slice(&[one, two, three]),
        [] => {}
    }
    few
}

const fn word(bytes: [u8; 8]) -> u64 {
    u64::from_ne_bytes(bytes)
}

fn pair(first: [u8; 4], last: [u8; 4]) -> u64 {
    u64::from(u32::from_ne_bytes(first)) << 32 | u64::from(u32::from_ne_bytes(last))
}

/// Whether one of the bytes in a block needs an escape; a loop that the compiler does at once. See
/// [`is_plain`] for how.
#[inline(always)]
fn has_escape(block: &[u8; BLOCK]) -> bool {
    block.iter().fold(false, |found, byte| {
        found | (byte ^ 0x02 < 0x21) | (*byte == b'\\')
    })
}

#[inline(always)]
fn halves(block: [u8; BLOCK]) -> [u64; 2] {
    let both = u128::from_le_bytes(block);
    [both as u64, (both >> 64) as u64]
}

/// Whether none of the bytes in these words needs an escape: none is below 0x20, a quote, or a
/// backslash.
///
/// One bit turned, a quote is the only byte that comes to stand just above those below 0x20; so two
/// subtractions find all of them. A byte that is less than what is taken from it borrows, and has
/// its highest bit set where it had it not.
#[inline(always)]
pub(super) fn is_plain<const N: usize>(words: [u64; N]) -> bool {
    const ONES: u64 = word([1; 8]);
    let found = words.iter().fold(0, |found, word| {
        let low_or_quote = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
        let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
        found | (low_or_quote | backslash) & !word
    });
    found & (ONES << 7) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_texts_have_other_words() {
        let text = b"abcdefghijklmnopqrstuvwxyzABCDEFG";
        for length in 0..=WORDS {
            let same = words(&text[..length]);
            assert_eq!(same.map(is_plain), Some(true));
            for place in 0..length {
                let mut other = text[..length].to_vec();
                other[place] = b'"';
                assert!(words(&other) != same && words(&other).map(is_plain) == Some(false));
            }
        }
        assert_eq!(words(text), None);
    }
}
