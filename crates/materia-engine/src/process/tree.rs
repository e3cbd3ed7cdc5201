//! Decides which process belongs to which child process.
//!
//! Owns the snapshot of `/proc` and the membership rule. To a child belong its leader, its process
//! group, their descendants, the sessions and groups that those lead, and orphans that carry the
//! child's marker in their environment. Processes that were detached on purpose, and everything
//! below them, belong to their own run and to no child. Pure except for the two readers at the end;
//! never signals.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::stat::{self, Stat};
use super::{DETACHED_VARIABLE, LEAF_VARIABLE};

/// Processes that were found to be members, by pid and start time. They remain members when
/// orphaned.
pub(super) type Known = BTreeSet<(i32, u64)>;

/// The process set on whose behalf a scan runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asker<'a> {
    /// Our pid.
    pub(super) me: i32,
    /// Whether orphans are reparented to us, so that everything we started is below us.
    pub(super) adopting: bool,
    /// The id of the process set: the part of every child's marker before the dot.
    pub(super) nursery: &'a str,
    /// Our own [`DETACHED_VARIABLE`], which our children inherit.
    pub(super) detached: Option<&'a [u8]>,
    /// The running children: leader and marker.
    pub(super) leaves: &'a [(i32, &'a str)],
}

/// Which processes a scan looks for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scope<'a> {
    /// The tree of one child. Its leader is not reaped yet, so the pid cannot have been reused.
    Leaf { leader: i32, marker: &'a str },
    /// Everything that is left of the process set.
    Everything,
    /// All processes with the asker's [`DETACHED_VARIABLE`].
    Detached,
    /// All processes that carry this marker: leftovers of a dead supervisor.
    Left(&'a str),
}

/// The marks in the environment of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ProcessMarks {
    leaf: Option<Vec<u8>>,
    detached: Option<Vec<u8>>,
}

impl ProcessMarks {
    fn parse(environ: &[u8]) -> Self {
        let value = |name: &str| {
            environ.split(|byte| *byte == 0).find_map(|variable| {
                variable
                    .strip_prefix(name.as_bytes())?
                    .strip_prefix(b"=")
                    .map(<[u8]>::to_vec)
            })
        };
        Self {
            leaf: value(LEAF_VARIABLE),
            detached: value(DETACHED_VARIABLE),
        }
    }

    /// Whether a process of ours started it, directly or indirectly.
    pub(super) fn is_marked(&self) -> bool {
        self.leaf.is_some() || self.detached.is_some()
    }

    fn any(&self, belongs: impl Fn(&[u8]) -> bool) -> bool {
        self.leaf
            .as_ref()
            .is_some_and(|path| path.split(|byte| *byte == b':').any(belongs))
    }

    fn names_leaf(&self, marker: &str) -> bool {
        self.any(|part| part == marker.as_bytes())
    }

    fn names_nursery(&self, nursery: &str) -> bool {
        self.any(|part| {
            part.strip_prefix(nursery.as_bytes())
                .is_some_and(|rest| rest.starts_with(b"."))
        })
    }
}

/// The running members of `scope` among `processes`. `marks` reads the environment of one process.
pub(super) fn members(
    asker: Asker<'_>,
    scope: Scope<'_>,
    processes: &[Stat],
    known: &Known,
    marks: impl FnMut(i32) -> ProcessMarks,
) -> Vec<Stat> {
    let elder = match scope {
        Scope::Leaf { leader, .. } => Some(leader),
        Scope::Everything => Some(asker.me),
        Scope::Detached | Scope::Left(_) => None,
    };
    let since = processes
        .iter()
        .find(|stat| Some(stat.pid) == elder)
        .map_or(0, |stat| stat.start);
    let mut search = Search {
        asker,
        scope,
        since,
        marks,
        read: BTreeMap::new(),
        found: BTreeSet::new(),
    };
    let mut queue = VecDeque::new();
    for stat in processes {
        if known.contains(&(stat.pid, stat.start)) || search.is_root(stat) {
            search.take(stat, &mut queue);
        }
    }
    let mut below: BTreeMap<i32, Vec<&Stat>> = BTreeMap::new();
    for stat in processes {
        for above in BTreeSet::from([stat.parent, stat.session, stat.group]) {
            below.entry(above).or_default().push(stat);
        }
    }
    while let Some(pid) = queue.pop_front() {
        for stat in below.get(&pid).into_iter().flatten() {
            search.take(stat, &mut queue);
        }
    }
    let found = search.found;
    processes
        .iter()
        .filter(|stat| found.contains(&stat.pid) && !stat.gone)
        .copied()
        .collect()
}

/// Adopted processes, other than leaders, that have ended but are not reaped.
///
/// A program that forks and exits in a loop has another pid by the time a scan reads it. But we
/// have to reap its earlier processes. So if a snapshot shows neither such zombies nor members, the
/// tree is empty.
pub(super) fn ended_orphans<'a>(
    asker: Asker<'a>,
    scope: Scope<'a>,
    processes: &'a [Stat],
) -> impl Iterator<Item = &'a Stat> {
    processes.iter().filter(move |stat| {
        let others = asker.leaves.iter().any(|(leader, _)| match scope {
            Scope::Leaf { leader: own, .. } => {
                *leader == stat.pid || (*leader == stat.group && *leader != own)
            }
            Scope::Everything | Scope::Detached | Scope::Left(_) => *leader == stat.pid,
        });
        asker.adopting && stat.gone && stat.parent == asker.me && !others
    })
}

struct Search<'a, M> {
    asker: Asker<'a>,
    scope: Scope<'a>,
    since: u64,
    marks: M,
    read: BTreeMap<i32, ProcessMarks>,
    found: BTreeSet<i32>,
}

impl<M: FnMut(i32) -> ProcessMarks> Search<'_, M> {
    fn marks(&mut self, pid: i32) -> &ProcessMarks {
        let read = &mut self.marks;
        self.read.entry(pid).or_insert_with(|| read(pid))
    }

    fn take(&mut self, stat: &Stat, queue: &mut VecDeque<i32>) {
        if !self.is_foreign(stat) && self.found.insert(stat.pid) {
            queue.push_back(stat.pid);
        }
    }

    /// Whether a process is excluded regardless of its ancestry.
    fn is_foreign(&mut self, stat: &Stat) -> bool {
        if stat.pid == self.asker.me || stat.pid <= 1 || stat.start < self.since {
            return true;
        }
        let leads = self
            .asker
            .leaves
            .iter()
            .any(|(leader, _)| *leader == stat.pid);
        if leads {
            return matches!(self.scope, Scope::Leaf { leader, .. } if leader != stat.pid);
        }
        let own = self.asker.detached;
        if let Scope::Left(name) = self.scope {
            // A detached process starts without markers. One that also carries this marker is a
            // child of the dead supervisor.
            let marks = self.marks(stat.pid);
            return marks.detached.is_some() && !marks.names_nursery(name);
        }
        self.marks(stat.pid)
            .detached
            .as_deref()
            .is_some_and(|mark| own != Some(mark))
    }

    /// Whether a process is a member by itself, not by ancestry.
    fn is_root(&mut self, stat: &Stat) -> bool {
        let Asker {
            me,
            adopting,
            nursery,
            leaves,
            detached,
        } = self.asker;
        if stat.start < self.since || stat.gone {
            return false;
        }
        let adopted = stat.parent == me;
        let leads = leaves.iter().any(|(pid, _)| *pid == stat.pid);
        match self.scope {
            Scope::Leaf { leader, .. } if stat.pid == leader || stat.group == leader => true,
            _ if leads => matches!(self.scope, Scope::Everything),
            Scope::Leaf { marker, .. } if adopting => {
                // An orphan without any marker of ours belongs to the only running child. If
                // several run, it waits for the sweep.
                adopted && {
                    let alone = leaves.len() == 1;
                    let marks = self.marks(stat.pid);
                    marks.names_leaf(marker) || (alone && !marks.names_nursery(nursery))
                }
            }
            Scope::Leaf { marker, .. } => self.marks(stat.pid).names_leaf(marker),
            Scope::Everything if adopting => adopted,
            Scope::Everything => self.marks(stat.pid).names_nursery(nursery),
            Scope::Detached => self.marks(stat.pid).detached.as_deref() == detached,
            Scope::Left(name) => self.marks(stat.pid).names_nursery(name),
        }
    }
}

/// All processes that `/proc` shows. Not atomic: processes start and end while it is read.
pub(super) fn snapshot() -> Vec<Stat> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(Stat::read).collect()
}

/// The marks of a process. Empty if it has ended, belongs to another user or cleared its
/// environment.
pub(super) fn marks_of(pid: i32) -> ProcessMarks {
    ProcessMarks::parse(&environ(pid))
}

/// How often the environment of a process in the middle of exec is read again.
const PATIENCE: usize = 1000;

/// Reads the environment of a process. Right after exec it is empty for a moment, even though the
/// parent already knows of the start, so it is read again. Otherwise a process that was detached on
/// purpose could be mistaken for an orphan.
fn environ(pid: i32) -> Vec<u8> {
    for _ in 0..PATIENCE {
        let Ok(environ) = std::fs::read(format!("/proc/{pid}/environ")) else {
            return Vec::new();
        };
        if !environ.is_empty() || !stat::is_changing(pid) {
            return environ;
        }
        std::thread::yield_now();
    }
    Vec::new()
}

#[cfg(test)]
mod tests;
