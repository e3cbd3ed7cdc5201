//! Rules of the repository that the compiler does not check, checked on its source.
//!
//! Module headers, module order, owners of effects, forgotten files, agent names in one directory,
//! anchors of decisions, documents. Each test reports every offence with file and line.

mod decisions;
mod documents;
mod files;
mod modules;
mod names;
mod tree;

use tree::{File, Tree};

/// Fails if there are offences, and prints one per line.
#[track_caller]
fn assert_none(offences: &[String]) {
    assert!(offences.is_empty(), "\n{}\n", offences.join("\n"));
}

/// The offences that `check` finds in the lines of these files.
fn bad_lines<'a>(
    files: impl Iterator<Item = &'a File>,
    check: impl Fn(&File, &str) -> Option<String>,
) -> Vec<String> {
    let lines = files.flat_map(|file| {
        file.text
            .lines()
            .enumerate()
            .map(move |(index, line)| (file, index, line))
    });
    lines
        .filter_map(|(file, index, line)| {
            check(file, line).map(|problem| format!("{}:{}: {problem}", file.path, index + 1))
        })
        .collect()
}
