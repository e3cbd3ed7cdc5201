//! The title of a Conventional Commit: `type: description`, `type(scope): description`, `!` for a
//! breaking change.
//!
//! Owns the grammar and a suggestion for titles that violate it. A suggestion is always valid.

/// The usual types; others are valid, too.
pub(super) const USUAL: [&str; 11] = [
    "build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test",
];

/// Maximum length of a scope that is derived from free text.
const LONGEST_SCOPE: usize = 36;

/// Whether a type is one of the usual ones.
pub(super) fn is_usual(kind: &str) -> bool {
    USUAL.contains(&kind)
}

/// The type of a valid title without surrounding whitespace; `None` if the title is not valid.
pub(super) fn kind(title: &str) -> Option<&str> {
    let end = title
        .find(|c: char| !c.is_ascii_lowercase())
        .filter(|end| *end > 0)?;
    let (kind, rest) = title.split_at(end);
    let rest = match rest.strip_prefix('(') {
        Some(scoped) => {
            scoped
                .split_once(')')
                .filter(|(scope, _)| !scope.is_empty())?
                .1
        }
        None => rest,
    };
    let rest = rest.strip_prefix('!').unwrap_or(rest).strip_prefix(": ")?;
    rest.starts_with(|c: char| !c.is_whitespace())
        .then_some(kind)
}

/// A valid title similar to this one.
pub(super) fn suggestion(title: &str) -> String {
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let lowered = lowered(&title);
    if kind(&lowered).is_some_and(is_usual) {
        return lowered;
    }
    match title
        .split_once(':')
        .map(|(prefix, rest)| (prefix.trim(), rest.trim()))
    {
        Some((prefix, rest)) if !rest.is_empty() => format!("{}: {rest}", prefix_for(prefix)),
        _ => without_colon(title.trim_end_matches([':', ' '])),
    }
}

/// The text with its first letter in lower case.
fn lowered(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_lowercase().chain(chars).collect())
        .unwrap_or_default()
}

/// A valid prefix from the text before the colon.
fn prefix_for(prefix: &str) -> String {
    if let Some(normal) = normalised(prefix) {
        return normal;
    }
    if let Some(kind) = first_usual(prefix) {
        return kind;
    }
    let scope = prefix.to_lowercase();
    let scope = scope
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-');
    let scope: String = scope.take(LONGEST_SCOPE).collect();
    match scope.trim_matches('-') {
        "" => "chore".to_owned(),
        scope => format!("chore({scope})"),
    }
}

/// `Type( )!` as `type!`: in lower case, without an empty scope.
fn normalised(prefix: &str) -> Option<String> {
    let (rest, mark) = match prefix.strip_suffix('!') {
        Some(rest) => (rest.trim_end(), "!"),
        None => (prefix, ""),
    };
    let (kind, scope) = match rest.strip_suffix(')') {
        Some(rest) => rest.split_once('(')?,
        None => (rest, ""),
    };
    let named =
        !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphabetic()) && !scope.contains(')');
    let scope = Some(scope.trim()).filter(|scope| !scope.is_empty());
    let scope = scope.map(|scope| format!("({scope})")).unwrap_or_default();
    named.then(|| format!("{}{scope}{mark}", kind.to_ascii_lowercase()))
}

/// The first word, if it is a usual type.
fn first_usual(text: &str) -> Option<String> {
    let word = text.split_whitespace().next()?.to_ascii_lowercase();
    is_usual(&word).then_some(word)
}

fn without_colon(title: &str) -> String {
    const MISSING: &str = "describe the change";
    let (kind, rest) = match first_usual(title) {
        Some(kind) => (kind, title.split_once(' ').map_or("", |(_, rest)| rest)),
        None => ("chore".to_owned(), title.trim_start_matches([':', ' '])),
    };
    format!("{kind}: {}", if rest.is_empty() { MISSING } else { rest })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    #[test]
    fn titles_are_valid_or_not() {
        for (title, expected) in [
            ("feat: add login", Some("feat")),
            ("fix(auth): x", Some("fix")),
            ("feat(api)!: ok", Some("feat")),
            ("feat!: ok", Some("feat")),
            ("customtype: y", Some("customtype")),
            ("Feat: add x", None),
            ("Add login", None),
            ("feat():x", None),
            ("feat(): x", None),
            ("feat:no space", None),
            ("feat:  two", None),
            ("feat: ", None),
            ("feat(a: x", None),
            (": x", None),
            ("", None),
        ] {
            assert_eq!(kind(title), expected, "{title}");
        }
    }

    #[test]
    fn suggestions_keep_what_was_meant() {
        for (title, expected) in [
            ("Feat: add x", "feat: add x"),
            ("FEAT(API)!: x", "feat(API)!: x"),
            ("Add login", "chore: Add login"),
            ("fix auth: broken", "fix: broken"),
            ("feat():x", "feat: x"),
            ("feat:no space", "feat: no space"),
            ("My Module: do it", "chore(mymodule): do it"),
            ("docs update", "docs: update"),
            ("docs", "docs: describe the change"),
            ("feat:", "feat: describe the change"),
            (":", "chore: describe the change"),
            ("", "chore: describe the change"),
            ("über: alles", "chore(ber): alles"),
        ] {
            assert_eq!(suggestion(title), expected, "{title}");
        }
    }

    proptest! {
        #[test]
        fn a_suggestion_is_always_valid(title in "([A-Za-z ():!ü\n-]|fix|Docs|: ){0,24}") {
            let suggested = suggestion(&title);
            prop_assert!(kind(&suggested).is_some(), "{title:?} became {suggested:?}");
        }
    }
}
