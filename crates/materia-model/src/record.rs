//! One line of a journal: the envelope around everything that happened.
//!
//! Owns the spelling of a record and its checksum. A line is
//! `{"seq":7,"at":"…","type":"…","data":…,"sum":"1a2b3c4d"}`; `sum` is the CRC-32 of everything
//! before it, so that a flipped bit is noticed and a person can still read the file. Never reads or
//! writes files: `engine::store` does.

mod plain;
mod sum;
mod sheet;
mod head;
mod json;

pub use json::DEEPEST;
pub use sum::checksum;

use head::Head;
use sheet::{Sheet, hex};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::time::Timestamp;

/// The longest line a journal takes, its newline included.
pub const MAX_LINE: usize = 4 << 20;

/// Something that happened, as it stands in a journal.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Record {
    /// Its place in the journal: every record has the number after the one before it.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// What kind of thing happened.
    #[serde(rename = "type")]
    pub kind: String,
    /// The particulars.
    pub data: Value,
}

/// Why a line is no record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadLine {
    /// The line is longer than any record may be.
    #[error("the line is longer than {MAX_LINE} bytes")]
    TooLong,
    /// There is no checksum at its end.
    #[error("the line does not end in a checksum")]
    NoSum,
    /// The bytes are not the bytes that were written.
    #[error("the checksum is {found}, the bytes give {computed:08x}")]
    WrongSum {
        /// What stands in the line.
        found: String,
        /// What its bytes give.
        computed: u32,
    },
    /// The checksum is right and the line is not a record all the same.
    #[error("the line is not a record: {0}")]
    NotARecord(String),
}

/// Why something cannot be written as a record.
#[derive(Debug, thiserror::Error)]
pub enum Unwritable {
    /// It does not become JSON.
    #[error("the data cannot be written as JSON")]
    Json(#[from] serde_json::Error),
    /// It is longer than a record may be.
    #[error(
        "the record has {0} bytes, at most {MAX_LINE} are allowed; put large things into an artifact"
    )]
    TooLong(usize),
}

const SEQ_KEY: &[u8; 7] = b"{\"seq\":";
const SUM_KEY: &[u8; 8] = b",\"sum\":\"";
const SUM_TAIL: usize = SUM_KEY.len() + 8 + 2;

/// Appends one record to `out` as a line with its newline; on an error `out` is as it was.
pub fn encode<T: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    seq: u64,
    at: Timestamp,
    kind: &str,
    data: &T,
) -> Result<(), Unwritable> {
    let mut lines = Lines::default();
    lines.push(seq, at, kind, data)?;
    out.extend_from_slice(lines.as_bytes());
    Ok(())
}

/// Records as lines, for whoever writes many: remembers how they begin.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    sheet: Sheet,
    head: Head,
}

impl Lines {
    /// Appends one record with its newline; on an error the lines are as they were.
    #[inline]
    pub fn push<T: Serialize + ?Sized>(
        &mut self,
        seq: u64,
        at: Timestamp,
        kind: &str,
        data: &T,
    ) -> Result<(), Unwritable> {
        let start = self.sheet.end();
        self.head.put_on(&mut self.sheet, seq, at, kind);
        let written = match json::write(&mut self.sheet, data) {
            Ok(()) => self.seal(start),
            Err(error) => Err(Unwritable::Json(error)),
        };
        if written.is_err() {
            self.sheet.cut(start);
        }
        written
    }

    /// Ends the record that begins at `start` with its checksum.
    fn seal(&mut self, start: usize) -> Result<(), Unwritable> {
        let sum = checksum(&self.sheet.as_bytes()[start..]);
        let mut end = *b",\"sum\":\"00000000\"}\n";
        end[SUM_KEY.len()..SUM_KEY.len() + 8].copy_from_slice(&hex(sum));
        self.sheet.put(&end);
        let length = self.sheet.end() - start;
        if length > MAX_LINE {
            Err(Unwritable::TooLong(length))
        } else {
            Ok(())
        }
    }

    /// The lines.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.sheet.as_bytes()
    }

    /// Forgets the lines, and keeps their memory.
    #[inline]
    pub fn clear(&mut self) {
        self.sheet.cut(0);
    }

    /// How much memory is kept.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.sheet.capacity()
    }
}

/// Reads one line, without its newline, back into a record.
pub fn decode(line: &[u8]) -> Result<Record, BadLine> {
    check_sum(line)?;
    serde_json::from_slice(line).map_err(|error| BadLine::NotARecord(error.to_string()))
}

/// The sequence number of a line, without its newline, whose checksum is right.
///
/// Costs a fraction of [`decode`]: the particulars are trusted to their checksum and not read.
pub fn check(line: &[u8]) -> Result<u64, BadLine> {
    check_sum(line)?;
    let rest = line.strip_prefix(SEQ_KEY).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&rest[..digits])
        .ok()
        .and_then(|digits| digits.parse().ok());
    match (number, rest.get(digits)) {
        (Some(seq), Some(b',')) => Ok(seq),
        _ => Err(BadLine::NotARecord(
            "it does not begin with its sequence number".to_owned(),
        )),
    }
}

/// The checksum that stands at the end of a line, with or without its newline; whether it is right
/// is not looked at.
pub fn sum_of(line: &[u8]) -> Option<u32> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let digits = line.strip_suffix(b"\"}")?.last_chunk::<8>()?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Whether bytes can be the beginning of a first line that was never finished.
pub fn could_begin(bytes: &[u8]) -> bool {
    let shared = bytes.len().min(SEQ_KEY.len());
    bytes[..shared] == SEQ_KEY[..shared]
}

fn check_sum(line: &[u8]) -> Result<(), BadLine> {
    if line.len() >= MAX_LINE {
        return Err(BadLine::TooLong);
    }
    let body_end = line.len().checked_sub(SUM_TAIL).ok_or(BadLine::NoSum)?;
    let (body, tail) = line.split_at(body_end);
    let digits = tail
        .strip_prefix(SUM_KEY)
        .and_then(|rest| rest.strip_suffix(b"\"}"))
        .ok_or(BadLine::NoSum)?;
    let computed = checksum(body);
    if digits != hex(computed) {
        return Err(BadLine::WrongSum {
            found: String::from_utf8_lossy(digits).into_owned(),
            computed,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn line(data: &Value) -> Vec<u8> {
        let mut out = Vec::new();
        encode(&mut out, 7, Timestamp::from_millis(0), "note", data).unwrap();
        out
    }

    #[test]
    fn a_record_is_one_readable_line() {
        let out = line(&json!({"text": "hi\n"}));
        let text = String::from_utf8(out).unwrap();
        let expected = r#"{"seq":7,"at":"1970-01-01T00:00:00.000Z","type":"note","data":{"text":"hi\n"},"sum":""#;
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with("\"}\n") && text.matches('\n').count() == 1);
    }

    #[test]
    fn too_long_a_record_leaves_nothing_behind() {
        let mut out = b"before\n".to_vec();
        let long = "x".repeat(MAX_LINE);
        let error = encode(&mut out, 1, Timestamp::from_millis(0), "note", &long).unwrap_err();
        assert!(matches!(error, Unwritable::TooLong(_)));
        assert_eq!(out, b"before\n");
    }

    #[test]
    fn lines_are_the_same_as_records_one_by_one() {
        let at = Timestamp::from_millis(1_790_000_000_000);
        let (mut lines, mut one_by_one) = (Lines::default(), Vec::new());
        for round in 0..30u64 {
            lines.clear();
            one_by_one.clear();
            for seq in round * 3..round * 3 + round % 4 {
                let kind = ["step", "stop"][usize::from(round % 7 == 0)];
                let long = "x".repeat(if seq == 40 {
                    MAX_LINE
                } else {
                    seq as usize * 9
                });
                let pushed = lines.push(seq, at, kind, &json!({"text": long, "seq": seq}));
                let encoded = encode(
                    &mut one_by_one,
                    seq,
                    at,
                    kind,
                    &json!({"text": long, "seq": seq}),
                );
                assert_eq!(pushed.is_err(), encoded.is_err());
                assert_eq!(lines.as_bytes(), one_by_one);
            }
        }
    }

    #[test]
    fn what_cannot_be_read_again_is_not_written() {
        let nested = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        for levels in 0..=DEEPEST {
            let out = line(&nested(levels));
            assert_eq!(
                decode(&out[..out.len() - 1]).map(|record| record.seq),
                Ok(7),
                "{levels} levels"
            );
        }
        for levels in DEEPEST + 1..300 {
            let mut out = Vec::new();
            let error = encode(
                &mut out,
                7,
                Timestamp::from_millis(0),
                "note",
                &nested(levels),
            )
            .unwrap_err();
            assert!(matches!(error, Unwritable::Json(_)) && out.is_empty());
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(kind in "[a-z_]{1,12}|.{0,6}", text in ".{0,40}", seq: u64, millis in 0i64..4_000_000_000_000) {
            let at = Timestamp::from_millis(millis);
            let mut out = Vec::new();
            encode(&mut out, seq, at, &kind, &text).unwrap();
            let record = decode(&out[..out.len() - 1]).unwrap();
            prop_assert_eq!(check(&out[..out.len() - 1]), Ok(seq));
            prop_assert_eq!(sum_of(&out), Some(crc32fast::hash(&out[..out.len() - 1 - SUM_TAIL])));
            prop_assert!((0..out.len()).all(|cut| could_begin(&out[..cut])));
            prop_assert_eq!(record, Record { seq, at, kind, data: Value::String(text) });
        }

        #[test]
        fn any_flipped_byte_is_noticed(at in 0usize..90, flip in 1u8..=255) {
            let mut out = line(&json!({"text": "something"}));
            out.pop();
            let at = at % out.len();
            out[at] ^= flip;
            prop_assert!(decode(&out).is_err());
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(decode(&bytes).is_err());
            prop_assert!(check(&bytes).is_err());
        }
    }
}
