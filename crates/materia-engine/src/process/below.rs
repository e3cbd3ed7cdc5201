//! The processes below a process, for display: parents, depth and command lines.
//!
//! Owns the listing and its bounds. Never signals. Which processes belong to a run is decided by
//! `tree`.

use std::collections::BTreeMap;
use std::io::Read;

use materia_model::text;
use serde::Serialize;

use super::identity::ProcessIdentity;
use super::stat::Stat;
use super::tree;

/// Maximum number of processes listed.
const MOST: usize = 500;
/// Maximum length of a command line that is read and shown, in bytes.
const LONGEST: usize = 300;

/// One process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunProcess {
    /// Its number.
    pub pid: i32,
    /// Who started it, or took it in.
    pub parent: i32,
    /// How far below, from 0.
    pub depth: usize,
    /// Its words, or its name.
    pub command: String,
}

/// Lists a process and all its descendants, parents first. Empty if the process has ended.
pub fn below(root: &ProcessIdentity) -> Vec<RunProcess> {
    if !root.is_alive() {
        return Vec::new();
    }
    let all = tree::snapshot();
    let mut children: BTreeMap<i32, Vec<&Stat>> = BTreeMap::new();
    for stat in all.iter().filter(|stat| !stat.gone) {
        children.entry(stat.parent).or_default().push(stat);
    }
    let mut found = Vec::new();
    let mut open: Vec<(i32, i32, usize)> = vec![(root.pid, 0, 0)];
    while let Some((pid, parent, depth)) = open.pop() {
        if found.len() >= MOST {
            break;
        }
        found.push(RunProcess {
            pid,
            parent,
            depth,
            command: command(pid),
        });
        let mut next: Vec<i32> = children
            .get(&pid)
            .into_iter()
            .flatten()
            .map(|stat| stat.pid)
            .collect();
        next.sort_unstable();
        open.extend(next.into_iter().rev().map(|child| (child, pid, depth + 1)));
    }
    found
}

fn command(pid: i32) -> String {
    let words = read(&format!("/proc/{pid}/cmdline"));
    let words: Vec<&str> = words.split('\0').filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return format!("[{}]", read(&format!("/proc/{pid}/comm")).trim());
    }
    text::bounded(&text::printable(&words.join(" ")), LONGEST).into_owned()
}

fn read(path: &str) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = std::fs::File::open(path) {
        let _partly = file.take(LONGEST as u64 * 2).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_above_what_it_started() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let found = below(&ProcessIdentity::of_self().unwrap());
        let pid = child.id().cast_signed();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(
            (found[0].pid, found[0].depth),
            (std::process::id().cast_signed(), 0)
        );
        let child = found.iter().find(|one| one.pid == pid).unwrap();
        assert_eq!((child.parent, child.depth), (found[0].pid, 1));
        assert!(
            below(&ProcessIdentity {
                pid: i32::MAX,
                ..ProcessIdentity::of_self().unwrap()
            })
            .is_empty()
        );
    }
}
