//! Secrets: detecting keys and redacting them in written text (S3).
//!
//! Owns one scanner for known values (of environment variables) and for the shapes of common keys.
//! Data between steps is not redacted; only stored text is. Text without a secret costs one pass
//! and no copy. Never reads the environment and never decides where text is written.

mod shape;
mod known;
mod stream;
mod guard;

use std::borrow::Cow;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde_json::Value;

pub use guard::SecretGuard;
pub use known::is_secret_name;
use shape::{SHAPES, ShapeMatch};
pub use stream::RedactedStream;

/// The replacement of a secret.
pub const REDACTED: &str = "[redacted]";

/// The maximum length of a known value.
const LONGEST_VALUE: usize = 16 << 10;
/// The maximum number of known values.
const MOST_VALUES: usize = 1000;

/// A scanner for everything to redact.
pub struct Secrets {
    scanner: AhoCorasick,
    /// The patterns of the scanner: the prefixes of shapes, then known values.
    texts: Vec<Vec<u8>>,
    /// The bytes that a pattern can begin with.
    firsts: [bool; 256],
    longest: usize,
}

/// The next match of the scanner.
enum Next {
    Secret {
        start: usize,
        end: usize,
    },
    /// From this offset on, more text may complete a secret.
    Open(usize),
    /// No further match.
    Nothing,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never print the values.
        write!(f, "Secrets({})", self.texts.len())
    }
}

impl Secrets {
    /// A scanner for the shapes of keys, without known values.
    pub fn shapes() -> &'static Self {
        static SHAPES_ONLY: OnceLock<Secrets> = OnceLock::new();
        SHAPES_ONLY.get_or_init(|| Self::of(Vec::new()))
    }

    /// A scanner for the shapes of keys, the values of variables with secret names, and those of
    /// the named variables.
    pub fn new<'v>(
        variables: impl IntoIterator<Item = (&'v str, &'v str)>,
        named: &[&str],
    ) -> Self {
        Self::of(Self::values(variables, named).collect())
    }

    /// The secret values of variables.
    fn values<'v>(
        variables: impl IntoIterator<Item = (&'v str, &'v str)>,
        named: &[&str],
    ) -> impl Iterator<Item = &'v str> {
        let secret = |(name, value): &(&str, &str)| {
            named.contains(name) && known::is_long_enough(value)
                || is_secret_name(name) && known::looks_random(value)
        };
        let values = variables.into_iter().filter(secret).map(|(_, value)| value);
        values
            .filter(|value| value.len() <= LONGEST_VALUE)
            .take(MOST_VALUES)
    }

    fn of(values: Vec<&str>) -> Self {
        let mut texts: Vec<Vec<u8>> = SHAPES
            .iter()
            .map(|shape| shape.prefix.as_bytes().to_vec())
            .collect();
        for spelling in values.into_iter().flat_map(known::spellings) {
            // A value that the replacement contains would match it again.
            if !REDACTED.contains(&spelling) && !spelling.contains(REDACTED) {
                texts.push(spelling.into_bytes());
            }
        }
        let mut firsts = [false; 256];
        texts
            .iter()
            .filter_map(|text| text.first())
            .for_each(|first| firsts[usize::from(*first)] = true);
        let longest = texts.iter().map(Vec::len).max().unwrap_or(0);
        let built = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&texts);
        match built {
            Ok(scanner) => Self {
                scanner,
                texts,
                firsts,
                longest,
            },
            // The patterns exceed the scanner's limit; fall back to the shapes alone.
            Err(_) => Self::of(Vec::new()),
        }
    }

    /// Redacts bytes. Borrows the input if it has no secret.
    pub fn redact<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        let (mut out, mut at) = (Vec::new(), 0);
        while let Next::Secret { start, end } = self.next(bytes, at, [0; 2], true) {
            out.extend_from_slice(&bytes[at..start]);
            out.extend_from_slice(REDACTED.as_bytes());
            at = end;
        }
        if at == 0 {
            return Cow::Borrowed(bytes);
        }
        out.extend_from_slice(&bytes[at..]);
        Cow::Owned(out)
    }

    /// Redacts text. Borrows the input if it has no secret.
    pub fn redact_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.redact(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// Redacts every text of a document, including member names.
    pub fn redact_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.redact_text(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(members) => {
                if members.keys().any(|name| self.is_in(name.as_bytes())) {
                    let named = std::mem::take(members).into_iter();
                    *members = named
                        .map(|(name, value)| (self.redact_text(&name).into_owned(), value))
                        .collect();
                }
                members
                    .values_mut()
                    .for_each(|value| self.redact_value(value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Whether the bytes contain a secret.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        matches!(self.next(bytes, 0, [0; 2], true), Next::Secret { .. })
    }

    /// A redactor for text that comes in pieces.
    pub fn stream(&self) -> RedactedStream<'_> {
        RedactedStream::new(self)
    }

    /// The next secret from `from` on, where the text starts or the last secret ended. `before` are
    /// the two bytes before `text`; `whole` means that nothing follows it.
    fn next(&self, text: &[u8], from: usize, before: [u8; 2], whole: bool) -> Next {
        let mut at = from;
        // An incomplete secret may begin from here on; everything before is decided.
        let mut open = if whole {
            text.len()
        } else {
            self.open_end(text, at)
        };
        while let Some(found) = self.scanner.find(&text[at..]) {
            let (start, end) = (at + found.start(), at + found.end());
            if !whole && start >= open {
                return Next::Open(open);
            }
            match SHAPES.get(found.pattern().as_usize()) {
                None => return Next::Secret { start, end },
                Some(shape) => {
                    let before = [2, 1].map(|back| earlier(text, from, before, start, back));
                    match shape.verdict(text, start, before, whole) {
                        ShapeMatch::Secret { start, end } => return Next::Secret { start, end },
                        ShapeMatch::Open => return Next::Open(start),
                        ShapeMatch::Nothing => at = start + 1,
                    }
                    if open < at {
                        open = self.open_end(text, at);
                    }
                }
            }
        }
        if open < text.len() {
            Next::Open(open)
        } else {
            Next::Nothing
        }
    }

    /// The start of the longest suffix of `text` that is a proper prefix of a pattern.
    fn open_end(&self, text: &[u8], from: usize) -> usize {
        let earliest = text
            .len()
            .saturating_sub(self.longest.saturating_sub(1))
            .max(from);
        let opens = |start: &usize| {
            let end = &text[*start..];
            self.firsts[usize::from(end[0])]
                && self
                    .texts
                    .iter()
                    .any(|text| text.len() > end.len() && text.starts_with(end))
        };
        (earliest..text.len()).find(opens).unwrap_or(text.len())
    }
}

/// The byte so many positions before `at`. A secret that ended at `from` is not part of a word.
fn earlier(text: &[u8], from: usize, before: [u8; 2], at: usize, back: usize) -> u8 {
    match at.checked_sub(back) {
        Some(place) if place >= from => text[place],
        None if from == 0 => before[2 + at - back],
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
