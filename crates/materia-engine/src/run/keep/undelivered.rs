//! News of a run that is archived or pruned before they were reported.
//!
//! Owns passing the journal of a run to its observers before its directory is removed: the journal
//! is their queue, and unreported news would be lost with it. The segments are hard-linked, and
//! copied only if that fails. Only observers that have watched before get it, and the number of
//! pending runs is bounded; runs beyond that are counted, and the count is reported. Never knows
//! what was reported.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::run::RUN_START;

use crate::clock::Clock;
use crate::run::{Error, RunDir, RunRoot, observer_dir};
use crate::store::journal::{From, Reader};
use crate::store::lock::{Holder, Lock, LockMode, LockWait};
use crate::store::{dir, stream, tree};

/// The most removed runs that are pending for one observer.
const MOST: usize = 10_000;
/// How long to wait for the lock of the list of dropped runs.
const PAUSE: Duration = Duration::from_secs(10);
/// How much of that list is read.
const LONGEST: usize = 16 << 20;

/// Runs that were removed before they were reported to an observer, beyond the pending limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DroppedRuns {
    /// How many.
    pub count: u64,
    /// The last one.
    pub run: String,
}

/// The directory with the journals of removed runs; the observer creates it.
pub fn pending_dir(observer: &Path) -> PathBuf {
    observer.join("left")
}

/// The journals of removed runs, the oldest first.
pub fn pending(observer: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = directories(&pending_dir(observer))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// The runs dropped since the last report.
pub fn dropped(observer: &Path) -> Option<DroppedRuns> {
    let path = list(&pending_dir(observer));
    let text = path
        .exists()
        .then(|| stream::open(&path).and_then(|file| stream::tail(&file, 0, LONGEST)));
    let text = text?.ok()?;
    let runs = || {
        text.split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
    };
    let run = String::from_utf8_lossy(runs().next_back()?).into_owned();
    Some(DroppedRuns {
        count: runs().count() as u64,
        run,
    })
}

/// Removes the reported runs from the list.
pub fn forget_dropped(observer: &Path, reported: &DroppedRuns) -> Result<(), Error> {
    let left = pending_dir(observer);
    let _turn = turn(&left, LockMode::Exclusive)?;
    let since = dropped(observer).unwrap_or_default();
    let path = list(&left);
    dir::remove_file(&path)?;
    for _ in reported.count..since.count {
        add(&path, &since.run)?;
    }
    Ok(())
}

/// Links the journal of a run for its observers. The caller holds the run's lock, and no process
/// appends to the journal any more.
pub(super) fn hand_over(root: &RunRoot, place: &RunDir) -> Result<(), Error> {
    for left in observers(root, place) {
        match hand_over_to(&left, place) {
            // A full disk must not prevent a user from freeing space.
            Err(error) if error.is_full_disk() => {}
            other => other?,
        }
    }
    Ok(())
}

/// Removes journals that observers have not read within the retention time.
pub(super) fn sweep(root: &RunRoot, kept_for: Duration, clock: &Clock) {
    let sessions =
        observer_dir(root, None).and_then(|operator| Some(operator.parent()?.to_owned()));
    let observers = sessions.iter().flat_map(|sessions| directories(sessions));
    for left in observers.map(|observer| pending_dir(&observer.path())) {
        let _next_time = tree::sweep(&left);
        for old in directories(&left).filter(|entry| is_older(entry, kept_for, clock)) {
            let _next_time = tree::discard(&old.path(), &Clock::system().fresh_id());
        }
    }
}

/// The directories of the observers of the run's sessions, and of the operator.
fn observers(root: &RunRoot, place: &RunDir) -> Vec<PathBuf> {
    let records = Reader::open(&place.journal(), From::Beginning)
        .into_iter()
        .flatten();
    let starts = records
        .map_while(Result::ok)
        .filter(|record| record.kind == RUN_START);
    let mut sessions: BTreeSet<Option<String>> = starts
        .filter_map(|start| Some(Some(start.data.get("session")?.as_str()?.to_owned())))
        .collect();
    sessions.insert(None);
    let folders = sessions
        .iter()
        .filter_map(|session| observer_dir(root, session.as_deref()));
    folders
        .map(|folder| pending_dir(&folder))
        .filter(|left| left.is_dir())
        .collect()
}

fn hand_over_to(left: &Path, place: &RunDir) -> Result<(), Error> {
    if directories(left).count() >= MOST {
        return drop_run(left, place);
    }
    let unique = Clock::system().fresh_id();
    // Hidden until complete. If we are killed, a sweep removes it.
    let hidden = tree::doomed(left, &unique);
    dir::create_unsynced(&hidden)?;
    for segment in entries(place.dir()).filter(|entry| is_segment(&entry.file_name())) {
        let path = segment.path();
        tree::share(&path, &hidden.join(segment.file_name())).map_err(Error::io("keep", &path))?;
    }
    tree::rename_unsynced(&hidden, &left.join(format!("{unique}.{}", place.id())))?;
    Ok(dir::sync_new(left)?)
}

/// Adds a run to the list of dropped runs. Many processes may do so at the same time, but not while
/// reported runs are removed from the list.
fn drop_run(left: &Path, place: &RunDir) -> Result<(), Error> {
    let _turn = turn(left, LockMode::Shared)?;
    add(&list(left), place.id().as_str())
}

fn add(list: &Path, run: &str) -> Result<(), Error> {
    let added =
        stream::open(list).and_then(|file| stream::add(&file, format!("{run}\n").as_bytes()));
    added.map_err(Error::io("write", list))
}

fn turn(left: &Path, mode: LockMode) -> Result<Lock, Error> {
    Ok(Lock::acquire(
        &left.join("lock"),
        mode,
        LockWait::For(PAUSE),
        &Holder::current(),
    )?)
}

/// The path of the list of dropped runs, one per line.
fn list(left: &Path) -> PathBuf {
    left.join("left-out")
}

/// The entries of a directory that are not hidden.
fn entries(dir: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    let shown = |entry: &DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b".");
    std::fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .filter(shown)
}

fn directories(dir: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    entries(dir).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
}

fn is_segment(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b"journal.") && name.ends_with(b".jsonl")
}

fn is_older(entry: &DirEntry, than: Duration, clock: &Clock) -> bool {
    use std::os::unix::fs::MetadataExt;
    let kept = i64::try_from(than.as_secs()).unwrap_or(i64::MAX);
    entry
        .metadata()
        .is_ok_and(|metadata| clock.now().as_millis() / 1000 - metadata.mtime() > kept)
}
