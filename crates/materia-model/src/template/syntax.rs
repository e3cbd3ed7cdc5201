//! The syntax of a command line: words, placeholders, integer expressions.
//!
//! Owns the meaning of template text before any value is known (T1, T2, T4, T5, T8). Never looks a
//! value up, and never runs a shell.

pub(crate) mod word;
pub(crate) mod expression;
pub(crate) mod placeholder;

pub(crate) use placeholder::{ItemIndex, Placeholder, PlaceholderForm, TemplateText, TextPiece};
pub(crate) use word::CommandWord;

/// Whether a text is a name: a letter or `_`, then letters, digits, `_` or `-`.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && leading_name(text).len() == text.len()
}

/// The longest name at the start of a text; empty if there is none.
pub(crate) fn leading_name(text: &str) -> &str {
    let begins = text
        .bytes()
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    if !begins {
        return "";
    }
    let end = text
        .bytes()
        .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')));
    &text[..end.unwrap_or(text.len())]
}

/// A name that `repeat` sets: `index`, `prev`, `next` or `repeat`, padded by up to six underscores.
///
/// Returns the bare name and the width to pad it to with zeros.
pub(crate) fn reserved(name: &str) -> Option<(&str, usize)> {
    let bare = name.trim_start_matches('_');
    let underscores = name.len() - bare.len();
    let known = matches!(bare, "index" | "prev" | "next" | "repeat");
    (known && underscores <= MAX_PADDING).then_some((bare, padded_width(underscores)))
}

/// The maximum number of underscores for zero padding.
pub(crate) const MAX_PADDING: usize = 6;

/// One underscore means width 2, two mean width 3; none means no padding.
pub(crate) fn padded_width(underscores: usize) -> usize {
    if underscores == 0 { 0 } else { underscores + 1 }
}
