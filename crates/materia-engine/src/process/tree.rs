//! Whose process is whose.
//!
//! Owns the snapshot of `/proc` and the question which processes belong to a leaf: its leader, its
//! process group, what descends from them, the sessions and groups they lead, and orphans that
//! carry the leaf's marker in their environment. Processes that were detached on purpose, and
//! everything under them, belong to their own run and to no leaf. Pure but for the two readers at
//! the end; never signals.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::stat::{self, Stat};
use super::{DETACHED_VARIABLE, LEAF_VARIABLE};

/// Processes that were once found to belong, by pid and start: orphaned later, they still do.
pub(super) type Known = BTreeSet<(i32, u64)>;

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asker<'a> {
    /// This process.
    pub(super) me: i32,
    /// Whether orphans come to us, so that everything we started is below us.
    pub(super) adopting: bool,
    /// The process set's id: the part of every leaf's marker before the dot.
    pub(super) nursery: &'a str,
    /// Our own [`DETACHED_VARIABLE`], which our children inherit.
    pub(super) detached: Option<&'a [u8]>,
    /// The running leaves: leader and marker.
    pub(super) leaves: &'a [(i32, &'a str)],
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scope<'a> {
    /// The tree of one leaf. Its leader is not reaped yet, so the pid is still its own.
    Leaf { leader: i32, marker: &'a str },
    /// Everything that is left of the process set.
    Everything,
    /// Everything with the asker's [`DETACHED_VARIABLE`], wherever it is.
    Detached,
    /// Everything with this name among its leaves, wherever it is: what somebody who is dead left.
    Left(&'a str),
}

/// What a process says about itself in its environment.
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

    /// Whether a process of ours started it, at whatever distance.
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

/// The members of `scope` that run, among `processes`. `marks` reads the environment of one of
/// them.
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

/// Adopted processes that have ended but are not reaped, other than leaders.
///
/// A program that forks and exits, over and over, is at another pid by the time one is looked at.
/// But its earlier selves are ours to reap, so a snapshot without them, and without members, was
/// taken when there was nobody.
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

    /// Whether a process is out of the question whatever it descends from.
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
            // Whoever was detached has no leaf above it, so that a mark of ours is a child of the
            // dead.
            let marks = self.marks(stat.pid);
            return marks.detached.is_some() && !marks.names_nursery(name);
        }
        self.marks(stat.pid)
            .detached
            .as_deref()
            .is_some_and(|mark| own != Some(mark))
    }

    /// Whether a process belongs by itself, not through another one.
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
                // An orphan without any mark of ours is the only running leaf's, or waits for the
                // sweep.
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

/// Every process there is, as far as `/proc` shows them. Not one moment: processes come and go
/// while it is read.
pub(super) fn snapshot() -> Vec<Stat> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(Stat::read).collect()
}

/// The marks of a process; none when it is gone, is somebody else's or cleared its environment.
pub(super) fn marks_of(pid: i32) -> ProcessMarks {
    ProcessMarks::parse(&environ(pid))
}

/// How often a process is asked again that is just becoming another program.
const PATIENCE: usize = 1000;

/// A process that has just been started has no environment for a moment, although whoever started
/// it has been told: then it is asked again. Without that, something detached on purpose could be
/// taken for an orphan.
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
