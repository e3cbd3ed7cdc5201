//! One line of a journal: the envelope around everything that happened.
//!
//! Owns the JSON form of a record and its checksum. A line is
//! `{"seq":7,"at":"…","type":"…","data":…,"sum":"1a2b3c4d"}`; `sum` is the CRC-32 of everything
//! before it, so that a flipped bit is noticed and a person can still read the file. Never reads or
//! writes files: `engine::store` does.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

use crate::time::Timestamp;

/// The longest line a journal takes, its newline included.
pub const MAX_LINE_BYTES: usize = 4 << 20;

/// How many levels of lists and objects data may have. `serde_json` reads 127, of which the record
/// itself is one: what is written has to be readable.
pub const MAX_DEPTH: usize = 120;

/// Something that happened, as it stands in a journal.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Record {
    /// Its place in the journal: every record has the number after the one before it.
    pub seq: u64,
    pub at: Timestamp,
    #[serde(rename = "type")]
    pub kind: String,
    pub data: Value,
}

/// Why a line is no record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The line is longer than any record may be.
    #[error("the line is longer than {MAX_LINE_BYTES} bytes")]
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
pub enum RecordWriteError {
    /// It does not become JSON.
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

/// Everything in a line but its checksum, in the order in which it is written.
#[derive(Serialize)]
struct Body<'a, T: ?Sized> {
    seq: u64,
    at: Timestamp,
    #[serde(rename = "type")]
    kind: &'a str,
    data: &'a T,
}

/// Appends one record to `out` as a line with its newline; on an error `out` is as it was.
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
    // The checksum becomes the last member of the object, so its closing brace comes later.
    out.pop();
    let sum = checksum(&out[start..]);
    out.extend_from_slice(format!(",\"sum\":\"{sum:08x}\"}}\n").as_bytes());
    let length = out.len() - start;
    if length > MAX_LINE_BYTES {
        return Err(RecordWriteError::TooLong(length));
    }
    Ok(())
}

/// Compact JSON that refuses data nested deeper than [`MAX_DEPTH`].
#[derive(Default)]
struct DepthLimit {
    /// How many lists and objects are open, the record itself included.
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

/// Reads one line, without its newline, back into a record.
pub fn decode(line: &[u8]) -> Result<Record, RecordError> {
    check_sum(line)?;
    serde_json::from_slice(line).map_err(|error| RecordError::NotARecord(error.to_string()))
}

/// The sequence number of a line, without its newline, whose checksum is right.
///
/// Costs a fraction of [`decode`]: the particulars are trusted to their checksum and not read.
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
