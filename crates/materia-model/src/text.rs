//! Grammar for messages: helpers that errors, hints and tables share.
//!
//! Owns truncation, quoting, plurals, lists and "did you mean". Never prints and never decides what
//! is an error.

mod characters;

use std::borrow::Cow;

pub use characters::CharacterBuffer;

/// `1 file`, `2 files`: a count with its noun.
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 {
        format!("{n} {noun}")
    } else {
        format!("{n} {noun}s")
    }
}

/// Joins words as a person would: `a`, `a or b`, `a, b or c`.
pub fn list<S: AsRef<str>>(words: &[S], conjunction: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [rest @ .., last] => {
            let rest: Vec<&str> = rest.iter().map(AsRef::as_ref).collect();
            format!("{} {conjunction} {}", rest.join(", "), last.as_ref())
        }
    }
}

/// At most `max` bytes of `text`, truncated at a character boundary, with the omitted size.
pub fn bounded(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(max);
    Cow::Owned(format!("{}… (+{} bytes)", &text[..end], text.len() - end))
}

/// Escapes control characters and direction overrides, so that `text` cannot control a terminal.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unprintable(c) {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// Escapes a text for XML and HTML, in content and attributes.
pub fn markup(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(c),
        }
    }
    safe
}

/// Untrusted text for a message: on one line, printable, truncated and in backticks.
pub fn quoted(text: &str) -> String {
    quoted_within(text, 120)
}

/// Like [`quoted`] with another limit. Paths need a larger one, because their end says more than
/// their beginning.
pub fn quoted_within(text: &str, max: usize) -> String {
    let shown = bounded(text, max);
    let shown = printable(&shown);
    // A line break in a name must not look like a new line of the message.
    format!("`{}`", shown.replace('\n', "\\n").replace('\t', "\\t"))
}

/// The candidate most similar to `given`, if one is similar enough.
pub fn closest<'a, I>(given: &str, candidates: I) -> Option<&'a str>
where
    I: IntoIterator<Item = &'a str>,
{
    if given.len() > 200 {
        return None;
    }
    let wanted = given.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 200)
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, candidate)| *distance <= allowed_distance(&wanted, candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn allowed_distance(given: &str, candidate: &str) -> usize {
    match given.chars().count().min(candidate.chars().count()) {
        0..=1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    }
}

fn is_unprintable(c: char) -> bool {
    let override_mark =
        matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
    (c.is_control() && c != '\n' && c != '\t') || override_mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_lists_read_as_sentences() {
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(0, "file"), "0 files");
        assert_eq!(list(&["a", "b", "c"], "or"), "a, b or c");
        assert_eq!(list(&["a"], "or"), "a");
        assert_eq!(list::<&str>(&[], "or"), "");
    }

    #[test]
    fn bounding_never_splits_a_character() {
        assert_eq!(bounded("héllo", 2), "h… (+5 bytes)");
        assert_eq!(bounded("héllo", 6), "héllo");
    }

    #[test]
    fn terminal_escapes_are_defused() {
        assert_eq!(printable("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(printable("plain\ttext\n"), "plain\ttext\n");
        assert_eq!(quoted("a\n  hint: b\t"), "`a\\n  hint: b\\t`");
    }

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        assert_eq!(closest("doctr", ["doctor", "run"]), Some("doctor"));
        assert_eq!(closest("Socket-2", ["socket-1", "end"]), Some("socket-1"));
        assert_eq!(closest("zebra", ["doctor", "run"]), None);
    }
}
