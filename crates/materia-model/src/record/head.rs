//! How a record begins: its number, its time and its kind.
//!
//! Owns the spelling of everything before the data, and remembers the last one: records come in
//! bursts, and then a head differs from the one before it in a few digits. The last one still
//! stands on the sheet, mostly just where the next is to stand, and then its digits are all that is
//! written.

use super::SEQ_KEY;
use super::plain::words;
use super::sheet::Sheet;
use crate::time::Timestamp;

/// The last head that was spelled, and where it stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    start: usize,
    length: usize,
    seq: u64,
    /// The first number that has more digits; zero where no head follows this one.
    limit: u64,
    /// The first millisecond of its second.
    second: i64,
    kind: ([u64; 4], usize),
    /// Where the digits of the number end, and those of the milliseconds begin, counted from the
    /// start.
    digits: usize,
    millis: usize,
}

const AT_KEY: &[u8; 7] = b",\"at\":\"";
/// `2026-01-31T12:00:00.` stands before the milliseconds.
const TO_MILLIS: usize = 20;

impl Head {
    /// Appends `{"seq":…,"at":"…","type":"…","data":`.
    #[inline]
    pub(super) fn put_on(&mut self, sheet: &mut Sheet, seq: u64, at: Timestamp, kind: &str) {
        if !self.follow(sheet, seq, at, kind) {
            self.spell(sheet, seq, at, kind);
        }
    }

    /// Makes the last head into the one after it, where they differ in nothing but digits.
    #[inline]
    fn follow(&mut self, sheet: &mut Sheet, seq: u64, at: Timestamp, kind: &str) -> bool {
        let millis = at.as_millis().wrapping_sub(self.second) as u64;
        let same = self.seq.checked_add(1) == Some(seq) && seq < self.limit && millis < 1000;
        if !same || !self.is_of(kind) {
            return false;
        }
        let start = sheet.end();
        let text = sheet.repeat(self.start, self.length);
        count(&mut text[SEQ_KEY.len()..self.digits]);
        let millis = millis as u32;
        let digits = [millis / 100, millis / 10 % 10, millis % 10].map(|digit| b'0' + digit as u8);
        text[self.millis..self.millis + 3].copy_from_slice(&digits);
        (self.start, self.seq) = (start, seq);
        true
    }

    /// Whether it has this kind; number by number, because a comparison of all at once goes through
    /// memory.
    #[inline(always)]
    fn is_of(&self, kind: &str) -> bool {
        let ([a, b, c, d], length) = self.kind;
        let Some([w, x, y, z]) = words(kind.as_bytes()) else {
            return false;
        };
        kind.len() == length && (a ^ w) | (b ^ x) | (c ^ y) | (d ^ z) == 0
    }

    #[inline(never)]
    fn spell(&mut self, sheet: &mut Sheet, seq: u64, at: Timestamp, kind: &str) {
        self.start = sheet.end();
        sheet.put(SEQ_KEY);
        sheet.put_decimal(seq);
        self.digits = sheet.end() - self.start;
        sheet.put(AT_KEY);
        self.millis = sheet.end() - self.start + TO_MILLIS;
        sheet.put_time(at);
        let usual = sheet.end() - self.start == self.millis + 4 && at.as_millis() >= 0;
        sheet.put(b"\",\"type\":");
        sheet.put_string(kind);
        sheet.put(b",\"data\":");
        self.length = sheet.end() - self.start;
        self.seq = seq;
        self.second = at.as_millis() - at.as_millis() % 1000;
        let more = 10u64
            .checked_pow((self.digits - SEQ_KEY.len()) as u32)
            .unwrap_or(u64::MAX);
        // Long kinds, and years of more than four digits, are spelled anew each time.
        (self.limit, self.kind) = match words(kind.as_bytes()) {
            Some(words) if usual => (more, (words, kind.len())),
            _ => (0, Default::default()),
        };
    }
}

/// Counts a number on that gets no more digits.
#[inline]
fn count(digits: &mut [u8]) {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            break;
        }
        *digit = b'0';
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_remembered_changes_nothing(
            heads in proptest::collection::vec((0u64..3, 0i64..2500, 0usize..6, any::<bool>()), 1..40),
            first in prop_oneof![0u64..120, 990..1010u64, Just(u64::MAX - 60)],
            moment in prop_oneof![Just(0i64), Just(1_790_000_000_000), Just(-5000), Just(253_402_207_199_000)],
        ) {
            let (mut head, mut sheet) = (Head::default(), Sheet::default());
            let (mut seq, mut at) = (first, moment);
            for (step, later, kind, anew) in heads {
                seq = seq.saturating_add(step);
                at += later / 2;
                let kind = ["step", "step", "stop", "cast_end", "odd \"kind\"", "a_kind_that_is_longer_than_any_other_kind"][kind];
                let at = Timestamp::from_millis(at);
                if anew {
                    sheet.cut(0);
                }
                let start = sheet.end();
                head.put_on(&mut sheet, seq, at, kind);
                let mut other = Sheet::default();
                Head::default().put_on(&mut other, seq, at, kind);
                let one = std::str::from_utf8(&sheet.as_bytes()[start..]).unwrap();
                prop_assert_eq!(one, std::str::from_utf8(other.as_bytes()).unwrap());
                sheet.put_string("what else stands in a record");
            }
        }
    }
}
