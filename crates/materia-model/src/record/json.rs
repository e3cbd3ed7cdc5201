//! Writes data as compact JSON, as `serde_json` does, and faster where journals spend their time:
//! in strings.
//!
//! Owns the spelling of a record's data; how a string is spelled knows the sheet. Numbers with a
//! point are left to `serde_json`. Refuses what nests deeper than a reader goes. Never reads JSON.

use serde::ser::{self, Serialize};
use serde_json::Error;

use super::sheet::Sheet;

/// How deep data may nest. `serde_json` reads 127 levels, of which the record itself is one: what
/// is written has to be read again.
pub const DEEPEST: usize = 120;

/// Appends `data` to `out` as compact JSON.
#[inline]
pub(super) fn write<T: Serialize + ?Sized>(out: &mut Sheet, data: &T) -> Result<(), Error> {
    data.serialize(&mut Writer { out, depth: 0 })
}

struct Writer<'o> {
    out: &'o mut Sheet,
    /// How many lists and objects are open around it.
    depth: usize,
}

impl<'o> Writer<'o> {
    /// `{"variant":`, the beginning of everything that a variant holds.
    #[inline]
    fn variant(&mut self, name: &str) -> Result<Writer<'_>, Error> {
        let depth = deeper(self.depth)?;
        self.out.put(b"{");
        self.out.put_name(name, true);
        Ok(Writer {
            out: &mut *self.out,
            depth,
        })
    }

    /// Begins a list or an object; one that a variant holds ends in a second bracket.
    #[inline(always)]
    fn begin(self, brackets: [u8; 2], held: bool) -> Result<Compound<'o>, Error> {
        let depth = deeper(self.depth)?;
        let [open, close] = brackets;
        self.out.put(&[open]);
        Ok(Compound {
            out: self.out,
            depth,
            first: true,
            close,
            held,
        })
    }

    #[inline(always)]
    fn lent(&mut self) -> Writer<'_> {
        Writer {
            out: &mut *self.out,
            depth: self.depth,
        }
    }
}

#[inline(always)]
fn deeper(depth: usize) -> Result<usize, Error> {
    if depth < DEEPEST {
        Ok(depth + 1)
    } else {
        Err(too_deep())
    }
}

#[cold]
fn too_deep() -> Error {
    ser::Error::custom(format_args!("it nests deeper than {DEEPEST} levels"))
}

/// A list or an object that is being written.
struct Compound<'o> {
    out: &'o mut Sheet,
    depth: usize,
    first: bool,
    close: u8,
    held: bool,
}

impl Compound<'_> {
    #[inline(always)]
    fn next(&mut self) {
        if !std::mem::replace(&mut self.first, false) {
            self.out.put(b",");
        }
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next();
        self.value(value)
    }

    #[inline(always)]
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut Writer {
            out: &mut *self.out,
            depth: self.depth,
        })
    }

    #[inline(always)]
    fn member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        self.out
            .put_name(name, std::mem::replace(&mut self.first, false));
        self.value(value)
    }

    #[inline(always)]
    fn finish(self) {
        self.out.put_one_or_two([self.close, b'}'], self.held);
    }
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
            self.out.put_decimal(value.into());
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
        if value {
            self.out.put(b"true");
        } else {
            self.out.put(b"false");
        }
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.out.put_string(value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    #[inline(always)]
    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.out.put_string(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.out.put(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
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
        self.out.put(b"}");
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        self.lent().begin(*b"[]", false)
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a>, Error> {
        self.lent().begin(*b"[]", false)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        self.lent().begin(*b"[]", false)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Error> {
        self.variant(variant)?.begin(*b"[]", true)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        self.lent().begin(*b"{}", false)
    }

    #[inline(always)]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        self.lent().begin(*b"{}", false)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Error> {
        self.variant(variant)?.begin(*b"{}", true)
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

            #[inline(always)]
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

    /// Numbers and booleans become strings, as in `serde_json`; anything else that is no string is
    /// an error.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.next();
        let start = self.out.end();
        write(self.out, key)?;
        match self.out.as_bytes().get(start) {
            Some(b'"') => Ok(()),
            Some(b'0'..=b'9' | b'-' | b't' | b'f') => {
                self.out.insert(start, b'"');
                self.out.put(b"\"");
                Ok(())
            }
            _ => Err(ser::Error::custom("the key of an object must be a string")),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.out.put(b":");
        self.value(value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
