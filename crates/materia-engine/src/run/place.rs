//! Where runs are: the root of all of them, and the directory of one.
//!
//! Owns the names of the files in a run's directory, and whether a run is there, was archived, or
//! never was. An id has been checked (A8), and a directory that is a symbolic link is refused, so
//! none of these paths leaves the root. What cannot be read is never said not to be there.

use std::fs::{DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use materia_model::name::{RunId, SessionId};
use materia_model::run::RUN_START;
use materia_model::text;

use super::error::Error;
use crate::store::journal::{From, Reader};
use crate::wake::waiters;

/// What else is in the directory of all runs: none of them is a run's.
const ARCHIVE: &str = "archived";
const PRESERVED: &str = "preserved-artifacts";
const INDEX: &str = "index.json";

/// What is left where an archived run was.
pub(super) const TOMBSTONE: &str = "archive-tombstone.json";
/// The name of a run's journal.
pub(super) const JOURNAL: &str = "journal.jsonl";

/// The directory of all runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRoot(PathBuf);

/// The directory of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDir {
    id: RunId,
    dir: PathBuf,
}

impl RunRoot {
    /// The root at a path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The directory that a run of this id has, or would have.
    pub fn place(&self, id: &RunId) -> RunDir {
        RunDir {
            dir: self.0.join(id.as_str()),
            id: id.clone(),
        }
    }

    /// The directory of a run that is there.
    pub fn find(&self, id: &RunId) -> Result<RunDir, Error> {
        let place = self.place(id);
        if place.stands()? {
            return Ok(place);
        }
        if let Some(dir) = self.archived_to(&place) {
            return Err(Error::Archived {
                run: id.to_string(),
                dir,
            });
        }
        let ids = self.ids().unwrap_or_default();
        // Where something of that name is there and is no run, it is no help to name it again.
        let others = ids.iter().filter(|other| *other != id).map(RunId::as_str);
        let close = text::closest(id.as_str(), others).map(str::to_owned);
        Err(Error::NotFound {
            run: id.to_string(),
            close,
        })
    }

    /// The ids of everything that looks like a run; a root that is not there has none.
    pub fn ids(&self) -> io::Result<Vec<RunId>> {
        Ok(self
            .names()?
            .into_iter()
            .filter_map(|(id, linked)| (!linked).then_some(id))
            .collect())
    }

    /// The same with symbolic links among them, which are marked: a run's directory is never one
    /// (A8).
    pub(super) fn names(&self) -> io::Result<Vec<(RunId, bool)>> {
        let entries = match std::fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let name = |entry: io::Result<DirEntry>| {
            let entry = entry.ok()?;
            let id: RunId = entry.file_name().to_str()?.parse().ok()?;
            (!is_reserved(&id)).then(|| (id, entry.file_type().is_ok_and(|kind| kind.is_symlink())))
        };
        let mut names: Vec<(RunId, bool)> = entries.filter_map(name).collect();
        names.sort();
        Ok(names)
    }

    /// The directories of the runs of this id that were archived, the oldest first. What their
    /// journals say counts, because ids may begin alike; where a tombstone names one, that is
    /// enough.
    pub(super) fn archived(&self, place: &RunDir) -> Vec<PathBuf> {
        let named = place.entombed();
        let begins = format!("{}-", place.id());
        let entries = std::fs::read_dir(self.archive())
            .into_iter()
            .flatten()
            .flatten();
        let ours = entries
            .filter(|entry| {
                entry
                    .file_name()
                    .as_encoded_bytes()
                    .starts_with(begins.as_bytes())
            })
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .filter(|dir| named.as_ref() == Some(dir) || is_of(dir, place.id()));
        let mut ours: Vec<PathBuf> = ours.collect();
        ours.sort();
        ours
    }

    /// Where the last run of that place was archived to: where one is found, else where its
    /// tombstone says.
    fn archived_to(&self, place: &RunDir) -> Option<PathBuf> {
        self.archived(place).pop().or_else(|| place.entombed())
    }

    /// Where what belongs to a session is kept; none for a name that is no plain word.
    pub fn session(&self, session: &str) -> Option<PathBuf> {
        let id: SessionId = session.parse().ok()?;
        Some(self.0.parent()?.join("sessions").join(id.as_str()))
    }

    /// Where archived runs are.
    pub fn archive(&self) -> PathBuf {
        self.0.join(ARCHIVE)
    }

    /// Where the artifacts of pruned runs are.
    pub fn preserved(&self) -> PathBuf {
        self.0.join(PRESERVED)
    }

    /// The list of runs that are over; it can be made again at any time.
    pub fn index(&self) -> PathBuf {
        self.0.join(INDEX)
    }
}

impl RunDir {
    /// The run whose directory this is.
    pub(super) fn at(dir: PathBuf) -> Option<Self> {
        Some(Self {
            id: dir.file_name()?.to_str()?.parse().ok()?,
            dir,
        })
    }

    /// The run.
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Its address.
    pub fn address(&self) -> String {
        format!("run:{}", self.id)
    }

    /// Everything that happened.
    pub fn journal(&self) -> PathBuf {
        self.dir.join(JOURNAL)
    }

    /// The lock that its supervisor holds for life.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }

    /// What wakes its supervisor.
    pub fn bell(&self) -> PathBuf {
        self.dir.join("bell")
    }

    /// The pipes of the processes that wait for it: the beginning of their names.
    pub fn ears(&self) -> PathBuf {
        waiters::pipes_in(&self.dir)
    }

    /// What its commands write to stdout.
    pub fn stdout(&self) -> PathBuf {
        self.dir.join("stdout.log")
    }

    /// What its commands write to stderr.
    pub fn stderr(&self) -> PathBuf {
        self.dir.join("stderr.log")
    }

    /// What agents inside read about its recipe.
    pub fn context(&self) -> PathBuf {
        self.dir.join("context.jsonl")
    }

    /// Who is in its room, for programs that read that file.
    pub fn communication(&self) -> PathBuf {
        self.dir.join("communication.json")
    }

    /// What is left where an archived run was.
    pub fn tombstone(&self) -> PathBuf {
        self.dir.join(TOMBSTONE)
    }

    /// The name under which everything of a generation is detached. The path is in it because ids
    /// of different roots, and fixed ones in tests, may be the same.
    pub fn mark(&self, generation: &str) -> String {
        format!("{}#{generation}", self.dir.display())
    }

    /// The same run after it was moved.
    pub(super) fn moved(&self, dir: PathBuf) -> Self {
        Self {
            id: self.id.clone(),
            dir,
        }
    }

    /// Whether there is such a run, as far as that can be seen: what cannot be read is there.
    pub fn exists(&self) -> bool {
        self.stands()
            .unwrap_or_else(|error| matches!(error, Error::Io { .. }))
    }

    /// Whether there is such a run; an error where that cannot be seen, or where the directory
    /// cannot be a run's.
    pub fn stands(&self) -> Result<bool, Error> {
        self.found()?;
        Ok(self.has(&self.journal())?
            || (self.has(&self.lock())? && !self.has(&self.tombstone())?))
    }

    /// What is there. Refuses what can be no run: the name of something else of ours, and a
    /// symbolic link, which leads out of the root.
    fn found(&self) -> Result<Option<Metadata>, Error> {
        if is_reserved(&self.id) {
            return Err(Error::Reserved(self.id.to_string()));
        }
        match self.dir.symlink_metadata() {
            Ok(found) if found.is_symlink() => Err(Error::Linked {
                run: self.id.to_string(),
                dir: self.dir.clone(),
            }),
            Err(error) if !is_absent(&error) => Err(Error::io("read", &self.dir)(error)),
            found => Ok(found.ok()),
        }
    }

    /// Refuses to begin where something else is.
    pub(super) fn check_free(&self) -> Result<(), Error> {
        if self.found()?.is_some_and(|found| !found.is_dir()) {
            return Err(Error::InTheWay {
                run: self.id.to_string(),
                dir: self.dir.clone(),
            });
        }
        Ok(())
    }

    fn has(&self, file: &Path) -> Result<bool, Error> {
        match file.metadata() {
            Ok(_) => Ok(true),
            Err(error) if is_absent(&error) => Ok(false),
            Err(error) => Err(Error::io("read", &self.dir)(error)),
        }
    }

    /// Where the tombstone says that the run is.
    fn entombed(&self) -> Option<PathBuf> {
        let text = std::fs::read_to_string(self.tombstone()).ok()?;
        let tombstone: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(tombstone.get("archive_dir")?.as_str()?.into())
    }
}

fn is_reserved(id: &RunId) -> bool {
    [ARCHIVE, PRESERVED, INDEX].contains(&id.as_str())
}

/// Whether an error says that there is nothing, rather than that it cannot be seen.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Whether the journal in a directory is one of this run.
fn is_of(dir: &Path, id: &RunId) -> bool {
    let records = Reader::open(&dir.join(JOURNAL), From::Beginning)
        .into_iter()
        .flatten();
    let start = records
        .map_while(Result::ok)
        .find(|record| record.kind == RUN_START);
    start
        .and_then(|start| Some(start.data.get("run")?.as_str()? == id.as_str()))
        .unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_not_said_to_be_absent() {
        let absent = |kind: io::ErrorKind| is_absent(&kind.into());
        assert!(absent(io::ErrorKind::NotFound) && absent(io::ErrorKind::NotADirectory));
        assert!(!absent(io::ErrorKind::PermissionDenied) && !absent(io::ErrorKind::TimedOut));
    }
}
