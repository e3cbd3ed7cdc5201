//! How far an observer has read: one durable mark per run, and never more marks than runs.
//!
//! Owns the observer's files. Every report appends a line to a list. Once most of its lines are
//! outdated, the current marks are written as one document, which names the next list. A process
//! killed in between leaves either the old document with its list, or the new document with an
//! empty list.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::name::RunId;
use serde::{Deserialize, Serialize};

use super::error::Error;
use crate::clock::Clock;
use crate::process;
use crate::store::journal::{From, Journal, JournalError, Options, Reader};
use crate::store::lock::{self, Holder, Lock, LockError, LockMode, LockWait};
use crate::store::{atomic, dir};

const TOLD: &str = "told";
const FORMAT: u32 = 1;
/// The largest document that is read.
const LARGEST: u64 = 256 << 20;
/// How many outdated lines a list may have, in addition to one per mark.
const SLACK: u64 = 1000;

/// How long to wait for a lock before checking whether its holder is exiting.
const MOMENT: Duration = Duration::from_millis(100);
/// How long to wait for a lock holder that is exiting.
const LEAVING: Duration = Duration::from_secs(2);

/// How far an observer has read the journal of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ObserverMark {
    pub(super) run: RunId,
    /// The first generation: a run that was pruned and spawned again has another one.
    pub(super) first: String,
    pub(super) seq: u64,
}

/// The marks that were current when the list with this number was begun.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Base {
    list: u64,
    marks: Vec<ObserverMark>,
}

/// The marks of an observer, for the one process that reports to it.
#[derive(Debug)]
pub(super) struct ObserverMarks {
    folder: PathBuf,
    clock: Clock,
    list: u64,
    told: Journal,
    marks: BTreeMap<RunId, ObserverMark>,
    /// The number of lines at which to count the current marks again.
    count_at: u64,
    /// Whether nothing was ever reported to this observer.
    pub(super) fresh: bool,
    _lock: Lock,
}

impl ObserverMarks {
    /// Opens the marks of an observer in a directory. Fails while another process holds them.
    pub(super) fn open(folder: &Path, whose: &str, clock: &Clock) -> Result<Self, Error> {
        let lock = take(&folder.join("watch.lock")).map_err(|error| match error {
            LockError::Held { holder, .. } => Error::Watched {
                whose: whose.to_owned(),
                pid: holder.map(|holder| holder.pid),
            },
            other => JournalError::from(other).into(),
        })?;
        let base: Base = if folder.join("marks.json").exists() {
            atomic::read_json(&folder.join("marks.json"), FORMAT, LARGEST)?
        } else {
            Base::default()
        };
        let path = list(folder, base.list);
        let fresh = base.list == 0 && !path.exists();
        let told = begin(&path, clock)?;
        let mut marks: BTreeMap<RunId, ObserverMark> = base
            .marks
            .into_iter()
            .map(|mark| (mark.run.clone(), mark))
            .collect();
        for record in Reader::open(&path, From::Beginning)? {
            let record = record?;
            if record.kind == TOLD
                && let Ok(mark) = ObserverMark::deserialize(&record.data)
            {
                marks.insert(mark.run.clone(), mark);
            }
        }
        if let Some(before) = base.list.checked_sub(1) {
            forget(folder, before);
        }
        let (folder, clock) = (folder.to_owned(), clock.clone());
        Ok(Self {
            folder,
            clock,
            list: base.list,
            told,
            marks,
            count_at: SLACK,
            fresh,
            _lock: lock,
        })
    }

    /// The mark of a run.
    pub(super) fn get(&self, run: &RunId) -> Option<&ObserverMark> {
        self.marks.get(run)
    }

    /// Stores marks, durably. `there` says whether a run still exists.
    pub(super) fn set(
        &mut self,
        marks: impl IntoIterator<Item = ObserverMark>,
        there: impl Fn(&RunId) -> bool,
    ) -> Result<(), Error> {
        for mark in marks {
            self.told.append(TOLD, &mark)?;
            self.marks.insert(mark.run.clone(), mark);
        }
        self.told.commit()?;
        let lines = self.told.last_seq();
        if lines <= self.count_at {
            return Ok(());
        }
        let count = self.marks.keys().filter(|run| there(run)).count() as u64;
        self.count_at = lines + SLACK;
        if lines > count * 2 + SLACK {
            self.marks.retain(|run, _| there(run));
            self.begin_anew()?;
        }
        Ok(())
    }

    /// Writes the current marks as one document, and begins the next list.
    fn begin_anew(&mut self) -> Result<(), Error> {
        let next = self.list + 1;
        // A process that was killed before the document named this list may have left one. Nothing
        // in it counts.
        forget(&self.folder, next);
        let marks = self.marks.values().cloned().collect();
        atomic::write_json(
            &self.folder.join("marks.json"),
            FORMAT,
            &Base { list: next, marks },
        )?;
        self.told = begin(&list(&self.folder, next), &self.clock)?;
        forget(&self.folder, std::mem::replace(&mut self.list, next));
        self.count_at = SLACK;
        Ok(())
    }
}

/// Takes the lock. Waits for a holder that is exiting, because a killed process holds the lock a
/// moment longer. Does not wait for a live holder.
fn take(path: &Path) -> Result<Lock, LockError> {
    let acquire = |wait| Lock::acquire(path, LockMode::Exclusive, wait, &Holder::current());
    let leaves = || {
        lock::living_holder(path).is_none_or(|holder| process::is_leaving(holder.pid.cast_signed()))
    };
    match acquire(LockWait::For(MOMENT)) {
        Err(LockError::Held { .. }) if leaves() => acquire(LockWait::For(LEAVING)),
        other => other,
    }
}

fn begin(path: &Path, clock: &Clock) -> Result<Journal, Error> {
    Ok(Journal::open(
        path,
        clock,
        &Options {
            name: TOLD.to_owned(),
            rotate_at: None,
            from: None,
        },
    )?)
}

/// The path of the list with this number.
fn list(folder: &Path, number: u64) -> PathBuf {
    folder.join(if number == 0 {
        "told.jsonl".to_owned()
    } else {
        format!("told-{number}.jsonl")
    })
}

/// Removes an outdated list. A failure is ignored: a later call removes it.
fn forget(folder: &Path, number: u64) {
    let path = list(folder, number);
    for beside in ["", ".lock"] {
        let mut name = path.clone().into_os_string();
        name.push(beside);
        let _next_time = dir::remove_file(Path::new(&name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(run: &str, seq: u64) -> ObserverMark {
        ObserverMark {
            run: run.parse().unwrap(),
            first: "g".to_owned(),
            seq,
        }
    }

    fn files(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_told_is_bounded_by_the_runs_there_are() {
        let (dir, clock) = (tempfile::tempdir().unwrap(), Clock::system());
        let mut marks = ObserverMarks::open(dir.path(), "s", &clock).unwrap();
        assert!(
            marks.fresh && ObserverMarks::open(dir.path(), "s", &clock).is_err(),
            "one process tells"
        );
        for seq in 1..=5000 {
            let gone = if seq == 7 {
                Some(mark("gone", 7))
            } else {
                None
            };
            marks
                .set(
                    [mark("a", seq), mark("b", 2 * seq)].into_iter().chain(gone),
                    |run| run.as_str() != "gone",
                )
                .unwrap();
        }
        let size: u64 = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum();
        assert!(size < 300_000, "{size} bytes for two runs");
        assert_eq!(files(dir.path()).len(), 4, "{:?}", files(dir.path()));
        drop(marks);
        let marks = ObserverMarks::open(dir.path(), "s", &clock).unwrap();
        let seq = |run: &str| marks.get(&run.parse().unwrap()).map(|mark| mark.seq);
        assert_eq!(
            (seq("a"), seq("b"), seq("gone")),
            (Some(5000), Some(10_000), None)
        );
        assert!(!marks.fresh);
    }

    #[test]
    fn the_marks_of_runs_that_are_gone_go_with_them() {
        let (dir, clock) = (tempfile::tempdir().unwrap(), Clock::system());
        let mut marks = ObserverMarks::open(dir.path(), "s", &clock).unwrap();
        for number in 0..5000 {
            let (own, last) = (format!("r{number}"), format!("r{}", number - 1));
            marks
                .set([mark(&own, 3)], |run| {
                    run.as_str() == own || run.as_str() == last
                })
                .unwrap();
        }
        assert!(marks.marks.len() < 2000, "{} marks", marks.marks.len());
        let sizes = files(dir.path())
            .into_iter()
            .map(|name| dir.path().join(name).metadata().unwrap().len());
        let size: u64 = sizes.sum();
        assert!(size < 300_000, "{size} bytes for two runs");
    }

    #[test]
    fn a_list_that_was_begun_and_not_named_counts_for_nothing() {
        let (dir, clock) = (tempfile::tempdir().unwrap(), Clock::system());
        let mut marks = ObserverMarks::open(dir.path(), "s", &clock).unwrap();
        marks.set([mark("a", 1)], |_| true).unwrap();
        let stray = begin(&list(dir.path(), 1), &clock).unwrap();
        stray.append_durable(TOLD, &mark("a", 99)).unwrap();
        drop(stray);
        marks.begin_anew().unwrap();
        drop(marks);
        let marks = ObserverMarks::open(dir.path(), "s", &clock).unwrap();
        assert_eq!(marks.get(&"a".parse().unwrap()).unwrap().seq, 1);
    }
}
