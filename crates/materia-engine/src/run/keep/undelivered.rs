//! What a run that goes leaves to whoever has not been told of it yet.
//!
//! Owns handing the journal of a run to its observers before its directory is moved or removed: the
//! journal is their queue, and what they were not told would go with it. It costs a name, not a
//! copy. Only those get it who have watched before, and only so many wait at a time; how many did
//! not find room is counted, and told. Never knows what they were told already.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::run::RUN_START;

use crate::clock::Clock;
use crate::run::{Error, Place, Root, observer_dir};
use crate::store::journal::{From, Reader};
use crate::store::lock::{Holder, Lock, Mode, Wait};
use crate::store::{dir, stream, tree};

/// How many runs that are gone wait for one observer at most.
const MOST: usize = 10_000;
/// How long the list of what found no room is waited for.
const PAUSE: Duration = Duration::from_secs(10);
/// How much of that list is read.
const LONGEST: usize = 16 << 20;

/// Runs that went before an observer was told of them, and that found no room.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many.
    pub count: u64,
    /// The last one.
    pub run: String,
}

/// Where an observer finds what is left of runs that are gone; whoever watches makes it.
pub fn left_dir(observer: &Path) -> PathBuf {
    observer.join("left")
}

/// What an observer finds there, the oldest first.
pub fn left(observer: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = directories(&left_dir(observer))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// How many found no room there since that was last told.
pub fn left_out(observer: &Path) -> Option<LeftOut> {
    let path = list(&left_dir(observer));
    let text = path
        .exists()
        .then(|| stream::open(&path).and_then(|file| stream::tail(&file, 0, LONGEST)));
    let text = text?.ok()?;
    let runs = || {
        text.split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
    };
    let run = String::from_utf8_lossy(runs().next_back()?).into_owned();
    Some(LeftOut {
        count: runs().count() as u64,
        run,
    })
}

/// Forgets those that were told.
pub fn told_left_out(observer: &Path, told: &LeftOut) -> Result<(), Error> {
    let left = left_dir(observer);
    let _turn = turn(&left, Mode::Exclusive)?;
    let since = left_out(observer).unwrap_or_default();
    let path = list(&left);
    dir::remove_file(&path)?;
    for _ in told.count..since.count {
        add(&path, &since.run)?;
    }
    Ok(())
}

/// Leaves a run to its observers. Called under its lock, when nothing is added to its journal any
/// more.
pub(super) fn leave(root: &Root, place: &Place) -> Result<(), Error> {
    for left in observers(root, place) {
        match leave_to(&left, place) {
            // A full disk must not keep anybody from making room on it.
            Err(error) if error.is_full_disk() => {}
            other => other?,
        }
    }
    Ok(())
}

/// Removes what nobody asked for as long as a run is kept.
pub(super) fn sweep(root: &Root, kept_for: Duration, clock: &Clock) {
    let sessions =
        observer_dir(root, None).and_then(|operator| Some(operator.parent()?.to_owned()));
    let observers = sessions.iter().flat_map(|sessions| directories(sessions));
    for left in observers.map(|observer| left_dir(&observer.path())) {
        let _next_time = tree::sweep(&left);
        for old in directories(&left).filter(|entry| is_older(entry, kept_for, clock)) {
            let _next_time = tree::discard(&old.path(), &Clock::system().fresh_id());
        }
    }
}

/// The directories of those who watch the sessions that the run was of, and of the operator.
fn observers(root: &Root, place: &Place) -> Vec<PathBuf> {
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
        .map(|folder| left_dir(&folder))
        .filter(|left| left.is_dir())
        .collect()
}

fn leave_to(left: &Path, place: &Place) -> Result<(), Error> {
    if directories(left).count() >= MOST {
        return leave_out(left, place);
    }
    let unique = Clock::system().fresh_id();
    // Hidden until it is whole; what a crash leaves of it is swept like what is being removed.
    let hidden = tree::doomed(left, &unique);
    dir::create_unsynced(&hidden)?;
    for segment in entries(place.dir()).filter(|entry| is_segment(&entry.file_name())) {
        let path = segment.path();
        tree::share(&path, &hidden.join(segment.file_name())).map_err(Error::io("keep", &path))?;
    }
    tree::rename_unsynced(&hidden, &left.join(format!("{unique}.{}", place.id())))?;
    Ok(dir::sync_new(left)?)
}

/// Many may do that at the same time, but not while those that were told are forgotten.
fn leave_out(left: &Path, place: &Place) -> Result<(), Error> {
    let _turn = turn(left, Mode::Shared)?;
    add(&list(left), place.id().as_str())
}

fn add(list: &Path, run: &str) -> Result<(), Error> {
    let added =
        stream::open(list).and_then(|file| stream::add(&file, format!("{run}\n").as_bytes()));
    added.map_err(Error::io("write", list))
}

fn turn(left: &Path, mode: Mode) -> Result<Lock, Error> {
    Ok(Lock::acquire(
        &left.join("lock"),
        mode,
        Wait::For(PAUSE),
        &Holder::current(),
    )?)
}

/// The runs that found no room, one a line.
fn list(left: &Path) -> PathBuf {
    left.join("left-out")
}

/// What is in a directory and not hidden.
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
