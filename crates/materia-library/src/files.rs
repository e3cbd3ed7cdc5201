//! Reads files and directories for a step, with bounds (S5).
//!
//! Owns the limits on size, depth and number of files, and the messages for files that cannot be
//! read. Follows no symbolic link to a directory, so that a walk terminates.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use materia_engine::utility::UtilityError;
use materia_model::text;

/// Maximum number of bytes read from a file or from stdin.
pub(crate) const MOST_BYTES: u64 = 64 << 20;

/// Maximum number of files that a walk returns.
pub(crate) const MOST_FILES: usize = 20_000;

/// Reads to the end, at most [`MOST_BYTES`].
pub(crate) fn all(reader: &mut dyn Read, name: &str) -> Result<Vec<u8>, UtilityError> {
    let mut bytes = Vec::new();
    reader
        .take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| {
            UtilityError::failed(
                format!("{} cannot be read: {error}", text::quoted(name)),
                "name something else to read",
            )
        })?;
    if bytes.len() as u64 > MOST_BYTES {
        let message = format!(
            "{} has more than {} MiB",
            text::quoted(name),
            MOST_BYTES >> 20
        );
        return Err(UtilityError::failed(message, "name a part of it"));
    }
    Ok(bytes)
}

pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, UtilityError> {
    let name = path.to_string_lossy();
    let mut file = File::open(path).map_err(|error| {
        let message = format!("{} cannot be read: {error}", text::quoted(&name));
        UtilityError::failed(message, "name a file that exists and that you may read")
    })?;
    all(&mut file, &name)
}

/// Reads a file as text. Invalid UTF-8 is replaced.
pub(crate) fn text(path: &Path) -> Result<String, UtilityError> {
    Ok(String::from_utf8_lossy(&bytes(path)?).into_owned())
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The files, sorted by path.
    pub(crate) files: Vec<PathBuf>,
    /// Whether the limit was reached and more files exist.
    pub(crate) more: bool,
}

/// The matching files below a directory, down to `depth` levels; 1 is the directory itself.
pub(crate) fn below(
    dir: &Path,
    depth: u64,
    wanted: impl Fn(&str) -> bool,
) -> Result<Found, UtilityError> {
    let top = fs::read_dir(dir).map_err(|error| {
        let message = format!(
            "{} cannot be read: {error}",
            text::quoted(&dir.to_string_lossy())
        );
        UtilityError::failed(
            message,
            "name a directory that exists and that you may read",
        )
    })?;
    let mut found = Found::default();
    let mut waiting = vec![(top, 1)];
    while let Some((entries, level)) = waiting.pop() {
        for entry in entries.filter_map(Result::ok) {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let name = entry.file_name();
            if kind.is_dir() && level < depth {
                if let Ok(inside) = fs::read_dir(entry.path()) {
                    waiting.push((inside, level + 1));
                }
            } else if !kind.is_dir() && wanted(&name.to_string_lossy()) {
                if found.files.len() >= MOST_FILES {
                    found.more = true;
                    break;
                }
                found.files.push(entry.path());
            }
        }
    }
    found.files.sort();
    Ok(found)
}

/// Whether a name matches a pattern with `*` and `?`.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (p, n) = (at + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names_as_in_a_shell() {
        for (pattern, name, yes) in [
            ("*.md", "a.md", true),
            ("*.md", "a.txt", false),
            ("a?c*", "abcd", true),
            ("*", "", true),
            ("a*b*c", "aXbXbXc", true),
            ("a*b", "aXc", false),
        ] {
            assert_eq!(fits(pattern, name), yes, "{pattern} {name}");
        }
    }

    #[test]
    fn a_walk_keeps_to_its_depth_and_follows_no_link() {
        let temp = tempfile::tempdir().unwrap();
        let deep = temp.path().join("a/b");
        materia_engine::store::dir::create_private(&deep).unwrap();
        for file in [
            temp.path().join("1.x"),
            temp.path().join("a/2.x"),
            deep.join("3.x"),
            deep.join("4.y"),
        ] {
            materia_engine::store::atomic::write(&file, b"").unwrap();
        }
        rustix::fs::symlink(temp.path(), temp.path().join("a/loop")).unwrap();
        let names = |depth| {
            below(temp.path(), depth, |name| fits("*.x", name))
                .unwrap()
                .files
                .len()
        };
        assert_eq!((names(1), names(2), names(9)), (1, 2, 3));
        assert!(below(&temp.path().join("none"), 1, |_| true).is_err());
    }
}
