//! The bookmark of a cast: a name that git and jj accept as a ref.
//!
//! Owns deriving it and sanitizing a given one. The same cast always has the same name, which
//! contains neither its id nor a time.

use sha2::{Digest, Sha256};

use super::answer::UtilityError;
use super::input::Input;

/// Maximum length of a name.
const LONGEST: usize = 200;

const NOUNS: [&str; 30] = [
    "anvil", "beacon", "bellows", "cavern", "chisel", "cinder", "comet", "crystal", "ember",
    "falcon", "forge", "glacier", "hammer", "harbor", "kiln", "lantern", "lattice", "mantle",
    "meadow", "orbit", "prism", "quarry", "raven", "ripple", "summit", "tempest", "thicket",
    "timber", "vessel", "willow",
];

const VERBS: [&str; 12] = [
    "bends", "builds", "carries", "casts", "climbs", "drifts", "gathers", "glows", "holds",
    "rises", "shapes", "turns",
];

/// The name for this input: the given one, or one derived from the cast's id (else its directory,
/// else the project's).
pub(super) fn name(input: &Input, cwd: &str) -> Result<String, UtilityError> {
    if let Some(told) = input.text(&["params", "bookmarkName"])? {
        if told.len() > LONGEST {
            let message = format!("`params.bookmarkName` has more than {LONGEST} bytes");
            return Err(UtilityError::wrong(message, "use a shorter name"));
        }
        return Ok(sanitised(&format!("blackbelt/{told}")));
    }
    let seed = match (input.text(&["castId"])?, input.text(&["runDir"])?) {
        (Some(seed), _) | (None, Some(seed)) => seed,
        (None, None) => cwd,
    };
    Ok(made_up(seed))
}

fn made_up(seed: &str) -> String {
    let hash = Sha256::digest(seed.as_bytes());
    let word = |at: usize| {
        u32::from_be_bytes([hash[at], hash[at + 1], hash[at + 2], hash[at + 3]]) as usize
    };
    let suffix: String = hash[..5].iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "blackbelt/{}-{}-{suffix}",
        NOUNS[word(0) % NOUNS.len()],
        VERBS[word(4) % VERBS.len()]
    )
}

/// The name, sanitized to a valid git ref.
fn sanitised(name: &str) -> String {
    let dashed = |c: char| {
        if c.is_control() || " ~^:?*[\\".contains(c) {
            '-'
        } else {
            c
        }
    };
    let name: String = name.to_lowercase().chars().map(dashed).collect();
    let name = name.replace("@{", "-{").replace("..", ".-");
    let name = without_runs(&without_runs(&name, '-'), '/');
    let segments = name.trim_start_matches(['/', '.']).split('/').map(segment);
    let name = segments.collect::<Vec<_>>().join("/");
    if name == "@" { "x".to_owned() } else { name }
}

fn segment(segment: &str) -> String {
    let unlocked = segment
        .strip_suffix(".lock")
        .map(|rest| format!("{rest}-lock"));
    let segment = unlocked
        .as_deref()
        .unwrap_or(segment)
        .trim_matches(['-', '.']);
    match segment.strip_suffix(".lock") {
        Some(rest) => format!("{rest}-x"),
        None if segment.is_empty() => "x".to_owned(),
        None => segment.to_owned(),
    }
}

fn without_runs(text: &str, of: char) -> String {
    let mut kept = String::with_capacity(text.len());
    for c in text.chars() {
        if c != of || !kept.ends_with(of) {
            kept.push(c);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_names_end_in_the_hash_of_their_seed() {
        for (seed, suffix) in [
            ("test", "9f86d08188"),
            ("2026-06-06T19-39-18-566Z", "e2de0ac0b5"),
            ("2026-05-01T00-00-00-000Z", "9f3802a7de"),
            ("/r", "6588117f7b"),
        ] {
            let name = made_up(seed);
            assert!(name.ends_with(&format!("-{suffix}")), "{name}");
            assert_eq!(sanitised(&name), name);
        }
    }

    #[test]
    fn told_names_become_refs() {
        for (told, expected) in [
            ("Feature Name.lock", "feature-name-lock"),
            ("a..b@{c", "a.-b-{c"),
            ("///", "x"),
            ("Foo.lock.", "foo-x"),
            ("x~y^z:?*[\\q", "x-y-z-q"),
            ("-a-/.b./c.lock/d", "a/b/c-lock/d"),
            ("@", "@"),
            ("a\nb\u{7f}c", "a-b-c"),
        ] {
            assert_eq!(
                sanitised(&format!("blackbelt/{told}")),
                format!("blackbelt/{expected}"),
                "{told}"
            );
        }
    }
}
