//! Splits a stream that arrives in pieces into lines of bounded length.
//!
//! Owns splitting at `\n`, and only there: other line separators are legal inside JSON. A line that
//! is too long is counted and dropped; the next one is read normally. Never interprets a line.

/// The longest line that is read, in bytes.
pub(super) const MAX_LINE: usize = 16 << 20;

/// Splits a stream into lines.
#[derive(Debug)]
pub(super) struct Lines {
    part: Vec<u8>,
    max: usize,
    skipping: bool,
    lost: u64,
}

impl Lines {
    /// A splitter for lines of at most `max` bytes.
    pub(super) fn new(max: usize) -> Self {
        Self {
            part: Vec::new(),
            max,
            skipping: false,
            lost: 0,
        }
    }

    /// Adds a piece, and passes each line that it completes to `each`, without the newline.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8])) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.add(&bytes[..end]);
            if !std::mem::take(&mut self.skipping) {
                each(self.part.strip_suffix(b"\r").unwrap_or(&self.part));
            }
            self.part.clear();
            bytes = &bytes[end + 1..];
        }
        self.add(bytes);
    }

    /// The incomplete last line, for example of a program that died while writing it.
    pub(super) fn rest(&self) -> &[u8] {
        &self.part
    }

    /// How many lines were too long.
    pub(super) fn lost(&self) -> u64 {
        self.lost
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.skipping {
            return;
        }
        if self.part.len() + bytes.len() > self.max {
            self.part = Vec::new();
            self.skipping = true;
            self.lost += 1;
            return;
        }
        self.part.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(pieces: &[&[u8]], max: usize) -> (Vec<String>, u64, String) {
        let mut lines = Lines::new(max);
        let mut all = Vec::new();
        for piece in pieces {
            lines.push(piece, |line| {
                all.push(String::from_utf8_lossy(line).into_owned());
            });
        }
        (
            all,
            lines.lost(),
            String::from_utf8_lossy(lines.rest()).into_owned(),
        )
    }

    #[test]
    fn lines_end_at_newlines_only_and_long_ones_are_lost_alone() {
        let (lines, lost, rest) = split(
            &[b"a\r\nb", b"\xe2\x80\xa8c\n\n", b"01234567", b"89\nd\nend"],
            8,
        );
        assert_eq!(lines, ["a", "b\u{2028}c", "", "d"]);
        assert_eq!((lost, rest.as_str()), (1, "end"));
    }

    proptest! {
        #[test]
        fn the_pieces_do_not_matter(text in "[ab\n]{0,60}", cut in 0usize..60) {
            let cut = cut.min(text.len());
            let whole = split(&[text.as_bytes()], 5);
            let cut = split(&[&text.as_bytes()[..cut], &text.as_bytes()[cut..]], 5);
            prop_assert_eq!(whole, cut);
        }
    }
}
