//! Decodes UTF-8 text that comes in pieces, split anywhere.
//!
//! Owns the incomplete character at the end of a piece, which waits for its remaining bytes.
//! Replaces invalid bytes by U+FFFD.

/// The incomplete character at the end of the last piece.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CharacterBuffer {
    half: Vec<u8>,
}

impl CharacterBuffer {
    /// Adds a piece and returns the complete text so far.
    pub fn push(&mut self, piece: &[u8]) -> String {
        self.half.extend_from_slice(piece);
        let (mut text, mut used) = (String::with_capacity(self.half.len()), 0);
        for chunk in self.half.utf8_chunks() {
            text.push_str(chunk.valid());
            used += chunk.valid().len();
            let wrong = chunk.invalid();
            let is_half =
                std::str::from_utf8(wrong).is_err_and(|error| error.error_len().is_none());
            if is_half && used + wrong.len() == self.half.len() {
                break;
            }
            if !wrong.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
            used += wrong.len();
        }
        self.half.drain(..used);
        text
    }

    /// The number of bytes that wait for the rest of their character.
    pub fn waiting(&self) -> usize {
        self.half.len()
    }

    /// The remaining text at the end of the input.
    pub fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.half);
        String::from_utf8_lossy(&rest).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn half_a_character_waits_for_its_other_half() {
        let mut characters = CharacterBuffer::default();
        let said: String = "gr\u{f6}\u{df}e \u{1f600}"
            .bytes()
            .map(|byte| characters.push(&[byte]))
            .collect();
        assert_eq!(said, "gr\u{f6}\u{df}e \u{1f600}");
        assert_eq!(characters.push(&[b'a', 0xff, b'b', 0xc3]), "a\u{fffd}b");
        assert_eq!(characters.push(&[0xa9]), "\u{e9}");
        assert_eq!(
            (characters.push(&[0xe2, 0x82]), characters.finish()),
            (String::new(), "\u{fffd}".to_owned())
        );
    }

    proptest! {
        #[test]
        fn pieces_come_to_the_same_as_the_whole(bytes: Vec<u8>, text: String, cuts: Vec<prop::sample::Index>) {
            let whole = [bytes.as_slice(), text.as_bytes()].concat();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let mut characters = CharacterBuffer::default();
            let mut said: String = cuts.windows(2).map(|cut| characters.push(&whole[cut[0]..cut[1]])).collect();
            said.push_str(&characters.finish());
            prop_assert_eq!(said, String::from_utf8_lossy(&whole));
        }
    }
}
