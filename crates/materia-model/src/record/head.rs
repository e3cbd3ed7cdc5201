//! How a record begins: its number, its time and its kind.
//!
//! Owns the spelling of everything before the data, and remembers the last one: records come in bursts, and then a head
//! differs from the one before it in a few digits. Spelled by hand, because every append pays for it.

use super::{SEQ_KEY, json, push_decimal};
use crate::time::Timestamp;

/// The last head that was spelled.
#[derive(Debug, Clone, Default)]
pub struct Heads {
    text: Vec<u8>,
    seq: u64,
    second: i64,
    kind: String,
    /// Where the digits of the number end, and those of the milliseconds begin.
    digits: usize,
    millis: usize,
}

const AT_KEY: &[u8] = b",\"at\":\"";
/// `2026-01-31T12:00:00.` stands before the milliseconds.
const TO_MILLIS: usize = 20;

impl Heads {
    /// Appends `{"seq":…,"at":"…","type":"…","data":`.
    pub(super) fn push_to(
        &mut self,
        out: &mut Vec<u8>,
        seq: u64,
        at: Timestamp,
        kind: &str,
    ) -> serde_json::Result<()> {
        if !self.follow(seq, at, kind) {
            self.spell(seq, at, kind)?;
        }
        out.extend_from_slice(&self.text);
        Ok(())
    }

    /// Makes the last head into the one after it, where they differ in nothing but digits.
    fn follow(&mut self, seq: u64, at: Timestamp, kind: &str) -> bool {
        let millis = at.as_millis();
        let same = self.seq.checked_add(1) == Some(seq) && millis >= 0 && millis / 1000 == self.second;
        if !same || self.kind != kind || !self.count() {
            return false;
        }
        self.seq = seq;
        let of_second = (millis % 1000) as u16;
        let digits = [of_second / 100, of_second / 10 % 10, of_second % 10].map(|digit| b'0' + digit as u8);
        self.text[self.millis..self.millis + 3].copy_from_slice(&digits);
        true
    }

    /// Counts the number on; not where it gets one more digit, or where there is none.
    fn count(&mut self) -> bool {
        let Some(digits) = self.text.get_mut(SEQ_KEY.len()..self.digits) else { return false };
        if digits.iter().all(|digit| *digit == b'9') {
            return false;
        }
        for digit in digits.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                break;
            }
            *digit = b'0';
        }
        true
    }

    fn spell(&mut self, seq: u64, at: Timestamp, kind: &str) -> serde_json::Result<()> {
        self.text.clear();
        self.text.extend_from_slice(SEQ_KEY);
        push_decimal(&mut self.text, seq);
        self.digits = self.text.len();
        self.text.extend_from_slice(AT_KEY);
        let from = self.text.len();
        at.push_to(&mut self.text);
        self.millis = from + TO_MILLIS;
        // Years of more than four digits are spelled anew each time.
        let usual = self.text.len() == self.millis + 4 && at.as_millis() >= 0;
        self.text.extend_from_slice(b"\",\"type\":");
        json::write(&mut self.text, kind)?;
        self.text.extend_from_slice(b",\"data\":");
        self.seq = seq;
        self.second = if usual { at.as_millis() / 1000 } else { -1 };
        kind.clone_into(&mut self.kind);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_remembered_changes_nothing(
            heads in proptest::collection::vec((0u64..3, 0i64..2500, 0usize..3), 1..40),
            first in prop_oneof![0u64..120, 990..1010u64, Just(u64::MAX - 60)],
            moment in prop_oneof![Just(0i64), Just(1_790_000_000_000), Just(-5000), Just(253_402_207_199_000)],
        ) {
            let (mut remembered, mut seq, mut at) = (Heads::default(), first, moment);
            for (step, later, kind) in heads {
                seq += step;
                at += later / 2;
                let kind = ["step", "cast_end", "odd \"kind\""][kind];
                let (mut one, mut other) = (Vec::new(), Vec::new());
                let at = Timestamp::from_millis(at);
                remembered.push_to(&mut one, seq, at, kind).unwrap();
                Heads::default().push_to(&mut other, seq, at, kind).unwrap();
                prop_assert_eq!(String::from_utf8(one), String::from_utf8(other));
            }
        }
    }
}
