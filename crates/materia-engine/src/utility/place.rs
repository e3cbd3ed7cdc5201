//! Paths for utilities: resolving given ones, and finding the roots of repositories.
//!
//! Owns both. Reads the file system, and neither writes nor starts anything.

use std::path::{Component, Path, PathBuf};

/// Resolves `told` against `base`, with `.` and `..` removed lexically.
pub(super) fn resolved(base: &Path, told: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for component in base.join(told).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    path
}

/// The nearest directory at or above `from` that contains `marker`. A worktree's `.git` is a file,
/// so both files and directories count.
pub(super) fn above(from: &Path, marker: &str) -> Option<PathBuf> {
    from.ancestors()
        .find(|dir| dir.join(marker).exists())
        .map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_worked_out_by_name() {
        let cases = [
            ("", "/a/b"),
            (".", "/a/b"),
            ("c/./d", "/a/b/c/d"),
            ("../x", "/a/x"),
            ("/y/..", "/"),
        ];
        for (told, expected) in cases {
            assert_eq!(
                resolved(Path::new("/a/b"), told),
                Path::new(expected),
                "{told}"
            );
        }
    }
}
