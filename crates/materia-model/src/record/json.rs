//! Writes data as compact JSON, as `serde_json` does, and faster where journals spend their time: in strings.
//!
//! Owns the spelling of a record's data. A record is mostly text that needs no escape, so many bytes are looked at at
//! once. Numbers with a point are left to `serde_json`. Refuses what nests deeper than a reader goes. Never reads JSON.

use serde::ser::{self, Serialize};
use serde_json::Error;

/// How deep data may nest. `serde_json` reads 127 levels, of which the record itself is one: what is written has to be
/// read again.
pub const DEEPEST: usize = 120;

/// Appends `data` to `out` as compact JSON.
pub(super) fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, data: &T) -> Result<(), Error> {
    data.serialize(&mut Writer { out, depth: 0 })
}

struct Writer<'o> {
    out: &'o mut Vec<u8>,
    /// How many lists and objects are open around it.
    depth: usize,
}

impl<'o> Writer<'o> {
    fn raw(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    /// `{"variant":`, the beginning of everything that a variant holds.
    fn variant(&mut self, name: &str) -> Result<Writer<'_>, Error> {
        let depth = deeper(self.depth)?;
        self.raw(b"{");
        string(self.out, name);
        self.raw(b":");
        Ok(Writer { out: &mut *self.out, depth })
    }

    fn begin(self, open: &[u8], close: &'static [u8]) -> Result<Compound<'o>, Error> {
        let depth = deeper(self.depth)?;
        self.out.extend_from_slice(open);
        Ok(Compound { out: self.out, depth, first: true, close })
    }

    fn lent(&mut self) -> Writer<'_> {
        Writer { out: &mut *self.out, depth: self.depth }
    }
}

fn deeper(depth: usize) -> Result<usize, Error> {
    if depth < DEEPEST {
        return Ok(depth + 1);
    }
    Err(ser::Error::custom(format_args!("it nests deeper than {DEEPEST} levels")))
}

/// A list or an object that is being written.
struct Compound<'o> {
    out: &'o mut Vec<u8>,
    depth: usize,
    first: bool,
    close: &'static [u8],
}

impl Compound<'_> {
    fn next(&mut self) {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push(b',');
        }
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next();
        self.value(value)
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut Writer { out: &mut *self.out, depth: self.depth })
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        if name.len() <= SHORT && is_plain(name.as_bytes()) {
            self.short_name(name.as_bytes());
        } else {
            self.next();
            string(self.out, name);
            self.out.push(b':');
        }
        self.value(value)
    }

    /// `,"name":`, put together before it is appended at once.
    fn short_name(&mut self, name: &[u8]) {
        let mut piece = [0; SHORT + 4];
        let end = name.len() + 2;
        piece[..2].copy_from_slice(b",\"");
        piece[2..end].copy_from_slice(name);
        piece[end..end + 2].copy_from_slice(b"\":");
        let from = usize::from(std::mem::replace(&mut self.first, false));
        self.out.extend_from_slice(&piece[from..end + 2]);
    }

    fn finish(self) {
        self.out.extend_from_slice(self.close);
    }
}

/// Appends a string with its quotes and escapes.
fn string(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    for block in text.as_bytes().chunks(BLOCK) {
        if is_plain(block) { out.extend_from_slice(block) } else { escaped(out, block) }
    }
    out.push(b'"');
}

/// The longest name that is put together on the stack.
const SHORT: usize = 44;

/// How many bytes are looked at before they are copied.
const BLOCK: usize = 128;

/// Whether none of these bytes needs an escape. It looks at all of them, sixteen at a time; at the last ones twice.
fn is_plain(bytes: &[u8]) -> bool {
    if let Some(last) = bytes.last_chunk::<16>() {
        let mut found = [0; 16];
        mark_escapes(&mut found, last);
        for block in bytes.as_chunks::<16>().0 {
            mark_escapes(&mut found, block);
        }
        return found == [0; 16];
    }
    match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(last)) => escapes(*first) | escapes(*last) == 0,
        _ => !bytes.iter().any(|byte| needs_escape(*byte)),
    }
}

/// Marks the places of bytes that need an escape; a loop that the compiler does at once.
#[inline(always)]
fn mark_escapes(found: &mut [u8; 16], block: &[u8; 16]) {
    for (mark, byte) in found.iter_mut().zip(block) {
        *mark |= u8::from(needs_escape(*byte));
    }
}

/// Not zero where one of these bytes needs an escape. A byte below 0x20, or one that is zero after what is looked for was
/// taken from it, borrows from its highest bit.
fn escapes(word: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let word = u64::from_ne_bytes(word);
    let below = |word: u64, least: u8| word.wrapping_sub(ONES * u64::from(least)) & !word;
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | is(b'"') | is(b'\\')) & (ONES << 7)
}

fn needs_escape(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        if needs_escape(*byte) { escape(out, *byte) } else { out.push(*byte) }
    }
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

macro_rules! through_serde_json {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<(), Error> {
            serde_json::to_writer(&mut *self.out, &value)
        })*
    };
}

macro_rules! through_decimal {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<(), Error> {
            super::push_decimal(self.out, value.into());
            Ok(())
        })*
    };
}

impl<'a> ser::Serializer for &'a mut Writer<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeTupleStruct = Compound<'a>;
    type SerializeTupleVariant = Compound<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeStructVariant = Compound<'a>;

    through_decimal!(serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64);
    through_serde_json!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u128: u128, serialize_f32: f32, serialize_f64: f64, serialize_bytes: &[u8]
    );

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.raw(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        string(self.out, value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        string(self.out, value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.raw(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(&mut self.variant(variant)?)?;
        self.raw(b"}");
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        self.lent().begin(b"[", b"]")
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a>, Error> {
        self.lent().begin(b"[", b"]")
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        self.lent().begin(b"[", b"]")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Error> {
        self.variant(variant)?.begin(b"[", b"]}")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        self.lent().begin(b"{", b"}")
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        self.lent().begin(b"{", b"}")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Error> {
        self.variant(variant)?.begin(b"{", b"}}")
    }
}

macro_rules! list {
    ($trait:ident, $method:ident) => {
        impl ser::$trait for Compound<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.item(value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish();
                Ok(())
            }
        }
    };
}

list!(SerializeSeq, serialize_element);
list!(SerializeTuple, serialize_element);
list!(SerializeTupleStruct, serialize_field);
list!(SerializeTupleVariant, serialize_field);

macro_rules! object {
    ($trait:ident) => {
        impl ser::$trait for Compound<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.member(name, value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish();
                Ok(())
            }
        }
    };
}

object!(SerializeStruct);
object!(SerializeStructVariant);

impl ser::SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Error;

    /// Numbers and booleans become strings, as in `serde_json`; anything else that is no string is an error.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.next();
        let start = self.out.len();
        write(self.out, key)?;
        match self.out.get(start) {
            Some(b'"') => Ok(()),
            Some(b'0'..=b'9' | b'-' | b't' | b'f') => {
                self.out.insert(start, b'"');
                self.out.push(b'"');
                Ok(())
            }
            _ => Err(ser::Error::custom("the key of an object must be a string")),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.out.push(b':');
        self.value(value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
