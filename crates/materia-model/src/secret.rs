//! Secrets: what looks like a key, and taking it out of text that is written (S3).
//!
//! Owns one scanner for known values (of environment variables) and for the shapes of common keys.
//! What flows between steps never passes here; only what is kept does. Text without a secret costs
//! one pass and no copy. Never reads the environment and never decides where text is written.

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

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";

/// The longest value that is looked for.
const LONGEST_VALUE: usize = 16 << 10;
/// The most values that are looked for.
const MOST_VALUES: usize = 1000;

/// Everything that is taken out of text.
pub struct Secrets {
    scanner: AhoCorasick,
    /// The texts that the scanner looks for: the prefixes of shapes, then known values.
    texts: Vec<Vec<u8>>,
    /// Which bytes a text can begin with.
    firsts: [bool; 256],
    longest: usize,
}

/// What the scanner found.
enum Next {
    Secret {
        start: usize,
        end: usize,
    },
    /// What may become one with more text, from here on.
    Open(usize),
    /// Nothing more.
    Nothing,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The values themselves must not get into a message.
        write!(f, "Secrets({})", self.texts.len())
    }
}

impl Secrets {
    /// The shapes of keys, and no known value.
    pub fn shapes() -> &'static Self {
        static SHAPES_ONLY: OnceLock<Secrets> = OnceLock::new();
        SHAPES_ONLY.get_or_init(|| Self::of(Vec::new()))
    }

    /// The shapes of keys, the values of variables whose names say that they are secret, and those
    /// of the named ones.
    pub fn new<'v>(
        variables: impl IntoIterator<Item = (&'v str, &'v str)>,
        named: &[&str],
    ) -> Self {
        Self::of(Self::values(variables, named).collect())
    }

    /// Which values of variables are secret.
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
            // A value that the mark itself contains would be found in it again.
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
            // More text than the scanner can number: without the values the shapes still are.
            Err(_) => Self::of(Vec::new()),
        }
    }

    /// Bytes without their secrets; the same bytes where there is none.
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

    /// Text without its secrets; the same text where there is none.
    pub fn redact_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.redact(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// Takes the secrets out of every text of a document, names included.
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

    /// Whether there is a secret in these bytes.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        matches!(self.next(bytes, 0, [0; 2], true), Next::Secret { .. })
    }

    /// A redactor for text that comes in pieces.
    pub fn stream(&self) -> RedactedStream<'_> {
        RedactedStream::new(self)
    }

    /// The next secret from `from` on, where the text or the last secret ended. `before` are the
    /// two bytes before the beginning of `text`; `whole` says that nothing follows it.
    fn next(&self, text: &[u8], from: usize, before: [u8; 2], whole: bool) -> Next {
        let mut at = from;
        // From here on, a text that is not complete yet may begin; what begins before it is
        // decided.
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

    /// Where the longest end of `text` begins that is a proper beginning of one of the texts.
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

/// The byte so many places before `at`; a secret that ended at `from` is no part of any word.
fn earlier(text: &[u8], from: usize, before: [u8; 2], at: usize, back: usize) -> u8 {
    match at.checked_sub(back) {
        Some(place) if place >= from => text[place],
        None if from == 0 => before[2 + at - back],
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
