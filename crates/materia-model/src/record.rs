//! One line of a journal: the envelope around every event.
//!
//! Owns the JSON form of a record and its checksum. A line is
//! `{"seq":7,"at":"…","type":"…","data":…,"sum":"1a2b3c4d"}`; `sum` is the CRC-32 of everything
//! before it. It detects flipped bits while the file stays readable. Never reads or writes files:
//! `engine::store` does.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

use crate::time::Timestamp;

/// The maximum length of a line, including its newline.
pub const MAX_LINE_BYTES: usize = 4 << 20;

/// The maximum nesting depth of data. `serde_json` reads 127 levels, and the record itself takes
/// one: everything written must be readable.
pub const MAX_DEPTH: usize = 120;

/// One event in a journal.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Record {
    /// Its sequence number; each record's is one more than that of the one before.
    pub seq: u64,
    pub at: Timestamp,
    #[serde(rename = "type")]
    pub kind: String,
    pub data: Value,
}

/// Why a line is not a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The line is too long.
    #[error("the line is longer than {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// The line does not end in a checksum.
    #[error("the line does not end in a checksum")]
    NoSum,
    /// The checksum does not match the bytes.
    #[error("the checksum is {found}, the bytes give {computed:08x}")]
    WrongSum {
        /// The checksum in the line.
        found: String,
        /// The checksum of its bytes.
        computed: u32,
    },
    /// The checksum matches, but the line is not a record.
    #[error("the line is not a record: {0}")]
    NotARecord(String),
}

/// Why something cannot be written as a record.
#[derive(Debug, thiserror::Error)]
pub enum RecordWriteError {
    /// It cannot be serialized as JSON.
    #[error("the data cannot be written as JSON")]
    Json(#[from] serde_json::Error),
    /// It is longer than a record may be.
    #[error(
        "the record has {0} bytes, at most {MAX_LINE_BYTES} are allowed; put large things into an artifact"
    )]
    TooLong(usize),
}

const SEQ_KEY: &[u8; 7] = b"{\"seq\":";
const SUM_KEY: &[u8; 8] = b",\"sum\":\"";
const SUM_TAIL: usize = SUM_KEY.len() + 8 + 2;

/// Everything in a line but its checksum, in serialization order.
#[derive(Serialize)]
struct Body<'a, T: ?Sized> {
    seq: u64,
    at: Timestamp,
    #[serde(rename = "type")]
    kind: &'a str,
    data: &'a T,
}

/// Appends one record to `out` as a line with its newline. On an error `out` is unchanged.
pub fn encode<T: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    seq: u64,
    at: Timestamp,
    kind: &str,
    data: &T,
) -> Result<(), RecordWriteError> {
    let start = out.len();
    let body = Body {
        seq,
        at,
        kind,
        data,
    };
    let written = write_line(out, &body);
    if written.is_err() {
        out.truncate(start);
    }
    written
}

fn write_line<T: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    body: &Body<'_, T>,
) -> Result<(), RecordWriteError> {
    let start = out.len();
    body.serialize(&mut Serializer::with_formatter(
        &mut *out,
        DepthLimit::default(),
    ))?;
    // The checksum becomes the last member of the object, so remove the closing brace for now.
    out.pop();
    let sum = checksum(&out[start..]);
    out.extend_from_slice(format!(",\"sum\":\"{sum:08x}\"}}\n").as_bytes());
    let length = out.len() - start;
    if length > MAX_LINE_BYTES {
        return Err(RecordWriteError::TooLong(length));
    }
    Ok(())
}

/// A compact JSON formatter that rejects data nested deeper than [`MAX_DEPTH`].
#[derive(Default)]
struct DepthLimit {
    /// The number of open lists and objects, including the record itself.
    depth: usize,
}

impl DepthLimit {
    fn open<W: Write + ?Sized>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        if self.depth > MAX_DEPTH {
            let why = format!("it nests deeper than {MAX_DEPTH} levels");
            return Err(io::Error::other(why));
        }
        self.depth += 1;
        writer.write_all(bracket)
    }

    fn close<W: Write + ?Sized>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(bracket)
    }
}

impl Formatter for DepthLimit {
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }
}

/// The CRC-32 of some bytes.
pub fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// Decodes one line, without its newline, to a record.
pub fn decode(line: &[u8]) -> Result<Record, RecordError> {
    check_sum(line)?;
    serde_json::from_slice(line).map_err(|error| RecordError::NotARecord(error.to_string()))
}

/// The sequence number of a line, without its newline, whose checksum matches.
///
/// Costs a fraction of [`decode`]: it trusts the checksum and does not parse the data.
pub fn check(line: &[u8]) -> Result<u64, RecordError> {
    check_sum(line)?;
    let rest = line.strip_prefix(SEQ_KEY).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&rest[..digits])
        .ok()
        .and_then(|digits| digits.parse().ok());
    match (number, rest.get(digits)) {
        (Some(seq), Some(b',')) => Ok(seq),
        _ => Err(RecordError::NotARecord(
            "it does not begin with its sequence number".to_owned(),
        )),
    }
}

/// The checksum at the end of a line, with or without its newline. Does not verify it.
pub fn sum_of(line: &[u8]) -> Option<u32> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let digits = line.strip_suffix(b"\"}")?.last_chunk::<8>()?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Whether bytes can be the beginning of an incomplete first line.
pub fn could_begin(bytes: &[u8]) -> bool {
    let shared = bytes.len().min(SEQ_KEY.len());
    bytes[..shared] == SEQ_KEY[..shared]
}

fn check_sum(line: &[u8]) -> Result<(), RecordError> {
    if line.len() >= MAX_LINE_BYTES {
        return Err(RecordError::TooLong);
    }
    let body_end = line.len().checked_sub(SUM_TAIL).ok_or(RecordError::NoSum)?;
    let (body, tail) = line.split_at(body_end);
    let digits = tail
        .strip_prefix(SUM_KEY)
        .and_then(|rest| rest.strip_suffix(b"\"}"))
        .ok_or(RecordError::NoSum)?;
    let computed = checksum(body);
    if digits != format!("{computed:08x}").as_bytes() {
        return Err(RecordError::WrongSum {
            found: String::from_utf8_lossy(digits).into_owned(),
            computed,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
