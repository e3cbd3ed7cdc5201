//! The rules of the env that the compiler does not know, checked on its own source.
//!
//! Module headers, one-way rooms, owners of effects, forgotten files, agent names in one folder,
//! decisions that can be looked up, honest documents. Each test collects every offence and names
//! file and line.

mod decisions;
mod documents;
mod files;
mod modules;
mod tree;

use tree::{File, Tree};

/// Fails with every offence found, one on a line.
#[track_caller]
fn assert_none(offences: &[String]) {
    assert!(offences.is_empty(), "\n{}\n", offences.join("\n"));
}

/// The offences of every line of these files that `is_bad` says something about.
fn bad_lines<'a>(
    files: impl Iterator<Item = &'a File>,
    is_bad: impl Fn(&File, &str) -> Option<String>,
) -> Vec<String> {
    let lines = files.flat_map(|file| {
        file.text
            .lines()
            .enumerate()
            .map(move |(index, line)| (file, index, line))
    });
    lines
        .filter_map(|(file, index, line)| {
            is_bad(file, line).map(|problem| format!("{}:{}: {problem}", file.path, index + 1))
        })
        .collect()
}
