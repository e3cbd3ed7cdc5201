//! What runs below a process, for somebody who looks.
//!
//! Owns the reading of a tree as people see it: parents above children, each with its command line. Never signals, and
//! decides nothing: who belongs to whom when something is ended is `tree`'s question.

use std::collections::BTreeMap;

use super::stat::Stat;
use super::tree;

/// How many processes are shown.
const MOST: usize = 1000;
/// How much of a command line is read.
const LONGEST: usize = 4096;

/// A process that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Living {
    /// Its number.
    pub pid: i32,
    /// How deep it is below the first.
    pub depth: usize,
    /// Its command line.
    pub command: String,
}

/// A process and everything below it, parents first; nothing where it is gone.
pub fn below(pid: i32) -> Vec<Living> {
    let processes = tree::snapshot();
    let mut children: BTreeMap<i32, Vec<&Stat>> = BTreeMap::new();
    for stat in processes.iter().filter(|stat| !stat.gone) {
        children.entry(stat.parent).or_default().push(stat);
    }
    let first = processes.iter().find(|stat| stat.pid == pid && !stat.gone);
    let mut ahead: Vec<(usize, &Stat)> = first.map(|stat| (0, stat)).into_iter().collect();
    let mut found = Vec::new();
    while let Some((depth, stat)) = ahead.pop() {
        if found.len() >= MOST {
            break;
        }
        found.push(Living { pid: stat.pid, depth, command: command(stat.pid) });
        let below = children.get(&stat.pid).into_iter().flatten();
        ahead.extend(below.rev().map(|child| (depth + 1, *child)));
    }
    found
}

fn command(pid: i32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = line[..line.len().min(LONGEST)].split(|byte| *byte == 0).filter(|word| !word.is_empty());
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_found_with_what_is_below_it() {
        let mut child = super::super::Nursery::new();
        let leaf = child.spawn(super::super::Command::new(["sleep", "600"]));
        let me = std::process::id().cast_signed();
        let found = below(me);
        assert_eq!((found[0].pid, found[0].depth), (me, 0));
        assert!(found.iter().any(|one| one.command == "sleep 600" && one.depth == 1), "{found:?}");
        child.kill(leaf);
        assert!(below(i32::MAX).is_empty());
    }
}
