//! What a line is written on: bytes with room behind them.
//!
//! Owns putting strings, numbers and fixed pieces one behind the other. An append runs its code
//! cold, after a system call, so what counts is how little of it there is: the room is there
//! already and is filled in blocks of a fixed size, beyond the end where need be, instead of asking
//! a `Vec` to grow and the C library to copy for every few bytes. Knows how JSON spells a string,
//! and nothing else of it.

use std::io;

use super::plain::{BLOCK, WORDS, copy_plain, is_plain, words};
use crate::time::Timestamp;

/// Bytes that are being written.
#[derive(Debug, Clone, Default)]
pub(super) struct Sheet {
    /// What was written, and behind it what nobody should look at.
    bytes: Vec<u8>,
    end: usize,
}

/// The most digits that a number has.
const DIGITS: usize = 20;

/// The longest text that is copied before it is known to need no escape.
const SHORT: usize = 192;

impl Sheet {
    #[inline]
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.end]
    }

    /// Where the next byte will stand.
    #[inline]
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// Takes back everything from here on; the bytes stay where they are until others are written.
    #[inline]
    pub(super) fn cut(&mut self, end: usize) {
        self.end = self.end.min(end);
    }

    /// How many bytes the buffer has.
    pub(super) fn capacity(&self) -> usize {
        self.bytes.len()
    }

    /// Gives the next `N` bytes to be filled, and goes on behind as many as were.
    #[inline(always)]
    fn fill<const N: usize>(&mut self, with: impl FnOnce(&mut [u8; N]) -> usize) {
        loop {
            if let Some(room) = self
                .bytes
                .get_mut(self.end..)
                .and_then(<[u8]>::first_chunk_mut)
            {
                self.end += with(room);
                return;
            }
            self.grow(N);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, length: usize) {
        let needed = self.end + length;
        self.bytes
            .resize(needed.max(self.bytes.len() * 2).max(512), 0);
    }

    /// Appends a piece whose length is known to the compiler.
    #[inline(always)]
    pub(super) fn put<const N: usize>(&mut self, piece: &[u8; N]) {
        self.fill(|room| {
            *room = *piece;
            N
        });
    }

    /// Appends any bytes.
    pub(super) fn put_slice(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        self.bytes[self.end..][..bytes.len()].copy_from_slice(bytes);
        self.end += bytes.len();
    }

    fn make_room(&mut self, length: usize) {
        if self.bytes.len() < self.end + length {
            self.grow(length);
        }
    }

    /// Appends bytes that stand somewhere already, or did before they were taken back; costs
    /// nothing where they stand where they should.
    #[inline]
    pub(super) fn repeat(&mut self, from: usize, length: usize) -> &mut [u8] {
        let end = self.end;
        if from != end {
            self.move_to_end(from, length);
        }
        self.end += length;
        &mut self.bytes[end..end + length]
    }

    #[inline(never)]
    fn move_to_end(&mut self, from: usize, length: usize) {
        self.make_room(length);
        self.bytes.copy_within(from..from + length, self.end);
    }

    /// Appends the first one or both of two bytes.
    #[inline(always)]
    pub(super) fn put_one_or_two(&mut self, bytes: [u8; 2], both: bool) {
        self.fill(|room| {
            *room = bytes;
            1 + usize::from(both)
        });
    }

    /// Moves what stands behind a place, and puts a byte there.
    pub(super) fn insert(&mut self, place: usize, byte: u8) {
        self.make_room(1);
        self.bytes.copy_within(place..self.end, place + 1);
        self.bytes[place] = byte;
        self.end += 1;
    }

    /// Appends a number that has no sign.
    pub(super) fn put_decimal(&mut self, mut number: u64) {
        // Twenty bytes are copied from wherever the number begins: a copy of any other length would
        // be a call.
        let mut digits = [0; 2 * DIGITS];
        let mut first = DIGITS;
        while first > 0 {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.fill(|room: &mut [u8; DIGITS]| {
            room.copy_from_slice(&digits[first..first + DIGITS]);
            DIGITS - first
        });
    }

    /// Appends a moment.
    pub(super) fn put_time(&mut self, at: Timestamp) {
        match at.spelling() {
            Some(text) => self.put(&text),
            None => self.put_slice(at.to_string().as_bytes()),
        }
    }

    /// Appends `,"name":`, without its comma where it is the first. The name is known to the
    /// compiler nearly always, and then nothing of this is left but storing it.
    #[inline(always)]
    pub(super) fn put_name(&mut self, name: &str, first: bool) {
        if !words(name.as_bytes()).is_some_and(is_plain) {
            return self.put_odd_name(name, first);
        }
        let from = 1 + usize::from(!first);
        let end = from + name.len();
        self.fill(|room: &mut [u8; WORDS + 4]| {
            room[..2].copy_from_slice(b",\"");
            room[from - 1] = b'"';
            room[from..end].copy_from_slice(name.as_bytes());
            room[end..end + 2].copy_from_slice(b"\":");
            end + 2
        });
    }

    #[cold]
    fn put_odd_name(&mut self, name: &str, first: bool) {
        if !first {
            self.put(b",");
        }
        self.put_string(name);
        self.put(b":");
    }

    /// Appends a string with its quotes and escapes.
    pub(super) fn put_string(&mut self, text: &str) {
        let text = text.as_bytes();
        let mut plain = false;
        if text.len() <= SHORT {
            self.fill(|room: &mut [u8; SHORT + BLOCK + 2]| {
                plain = copy_plain(&mut room[1..], text);
                room[0] = b'"';
                room[text.len() + 1] = b'"';
                if plain { text.len() + 2 } else { 0 }
            });
        }
        if !plain {
            self.put_long_string(text);
        }
    }

    /// The same for a string that is long or has something to escape: in parts, and those that are
    /// not plain in smaller ones.
    #[inline(never)]
    fn put_long_string(&mut self, text: &[u8]) {
        self.put(b"\"");
        for part in text.chunks(SHORT) {
            if self.put_plain(part) {
                continue;
            }
            for part in part.chunks(BLOCK) {
                if !self.put_plain(part) {
                    part.iter().for_each(|byte| self.put_escaped(*byte));
                }
            }
        }
        self.put(b"\"");
    }

    /// Appends a part of a string, unless it has something to escape.
    fn put_plain(&mut self, part: &[u8]) -> bool {
        let mut plain = false;
        self.fill(|room: &mut [u8; SHORT + BLOCK]| {
            plain = copy_plain(room, part);
            if plain { part.len() } else { 0 }
        });
        plain
    }

    fn put_escaped(&mut self, byte: u8) {
        match byte {
            b'"' | b'\\' => self.put(&[b'\\', byte]),
            b'\n' => self.put(b"\\n"),
            b'\r' => self.put(b"\\r"),
            b'\t' => self.put(b"\\t"),
            0x08 => self.put(b"\\b"),
            0x0c => self.put(b"\\f"),
            0..0x20 => {
                let [.., high, low] = hex(byte.into());
                self.put(&[b'\\', b'u', b'0', b'0', high, low]);
            }
            plain => self.put(&[plain]),
        }
    }
}

/// For numbers that `serde_json` spells.
impl io::Write for Sheet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Eight digits, all at once: the halves are drawn apart until each has a byte of its own, and
/// letters are as much above the digits as they are in ASCII.
pub(super) fn hex(number: u32) -> [u8; 8] {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let mut apart = u64::from(number);
    apart = (apart << 16 | apart) & 0x0000_ffff_0000_ffff;
    apart = (apart << 8 | apart) & 0x00ff_00ff_00ff_00ff;
    apart = (apart << 4 | apart) & 0x0f0f_0f0f_0f0f_0f0f;
    let letters = (apart + ONES * 6) >> 4 & ONES;
    (apart + ONES * u64::from(b'0') + letters * u64::from(b'a' - b'0' - 10)).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_eight_digits() {
        for number in [
            0,
            9,
            10,
            0x1f,
            0x9abc_def0,
            0xffff_ffff,
            0x0123_4567,
            0x89ab_cdef,
        ] {
            assert_eq!(
                std::str::from_utf8(&hex(number)),
                Ok(format!("{number:08x}").as_str())
            );
        }
    }

    #[test]
    fn what_was_taken_back_can_be_repeated() {
        let mut sheet = Sheet::default();
        sheet.put(b"one,two,");
        sheet.repeat(4, 4);
        sheet.cut(4);
        sheet.repeat(4, 4)[0] = b'T';
        assert_eq!(sheet.as_bytes(), b"one,Two,");
        sheet.cut(0);
        sheet.repeat(4, 4);
        sheet.insert(0, b'[');
        assert_eq!(sheet.as_bytes(), b"[Two,");
    }
}
