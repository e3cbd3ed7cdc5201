//! The paths of runs: the root of all runs, and the directory of one.
//!
//! Owns the file names in a run's directory, and whether a run exists, was archived, or never
//! existed. Ids have been checked (A8), and a directory that is a symbolic link is refused, so no
//! path leaves the root. A directory that cannot be read is never reported as missing.

use std::fs::{DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use materia_model::name::{RunId, SessionId};
use materia_model::run::RUN_START;
use materia_model::text;

use super::error::Error;
use crate::store::journal::{From, Reader};
use crate::wake::waiters;

/// Reserved names in the directory of all runs.
const ARCHIVE: &str = "archived";
const PRESERVED: &str = "preserved-artifacts";
const INDEX: &str = "index.json";

/// The file that an archived run leaves behind.
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

    /// The path of the root.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The directory of a run with this id, whether or not it exists.
    pub fn place(&self, id: &RunId) -> RunDir {
        RunDir {
            dir: self.0.join(id.as_str()),
            id: id.clone(),
        }
    }

    /// The directory of an existing run.
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
        // Do not suggest the id itself: a file with that name exists and is not a run.
        let others = ids.iter().filter(|other| *other != id).map(RunId::as_str);
        let close = text::closest(id.as_str(), others).map(str::to_owned);
        Err(Error::NotFound {
            run: id.to_string(),
            close,
        })
    }

    /// The ids of all directories that look like runs; empty if the root does not exist.
    pub fn ids(&self) -> io::Result<Vec<RunId>> {
        Ok(self
            .names()?
            .into_iter()
            .filter_map(|(id, linked)| (!linked).then_some(id))
            .collect())
    }

    /// Like `ids`, but includes symbolic links and marks them: a run's directory is never a link
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

    /// The directories of the archived runs with this id, the oldest first. Their journals decide,
    /// because one id may be a prefix of another; a directory named by a tombstone needs no such
    /// check.
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

    /// Where the last run of this directory was archived: the directory that exists, otherwise the
    /// one that the tombstone names.
    fn archived_to(&self, place: &RunDir) -> Option<PathBuf> {
        self.archived(place).pop().or_else(|| place.entombed())
    }

    /// The directory of a session; `None` if the name is not a plain word.
    pub fn session(&self, session: &str) -> Option<PathBuf> {
        let id: SessionId = session.parse().ok()?;
        Some(self.0.parent()?.join("sessions").join(id.as_str()))
    }

    /// The directory of archived runs.
    pub fn archive(&self) -> PathBuf {
        self.0.join(ARCHIVE)
    }

    /// The directory with the artifacts of pruned runs.
    pub fn preserved(&self) -> PathBuf {
        self.0.join(PRESERVED)
    }

    /// The cache of finished runs; it can be rebuilt at any time.
    pub fn index(&self) -> PathBuf {
        self.0.join(INDEX)
    }
}

impl RunDir {
    /// The run in this directory.
    pub(super) fn at(dir: PathBuf) -> Option<Self> {
        Some(Self {
            id: dir.file_name()?.to_str()?.parse().ok()?,
            dir,
        })
    }

    /// The id of the run.
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// The path of the directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The address of the run.
    pub fn address(&self) -> String {
        format!("run:{}", self.id)
    }

    /// The journal of the run.
    pub fn journal(&self) -> PathBuf {
        self.dir.join(JOURNAL)
    }

    /// The lock that its supervisor holds for life.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }

    /// The pipe that wakes its supervisor.
    pub fn bell(&self) -> PathBuf {
        self.dir.join("bell")
    }

    /// The path prefix of the pipes of processes that wait for the run.
    pub fn ears(&self) -> PathBuf {
        waiters::pipes_in(&self.dir)
    }

    /// The log of its commands' stdout.
    pub fn stdout(&self) -> PathBuf {
        self.dir.join("stdout.log")
    }

    /// The log of its commands' stderr.
    pub fn stderr(&self) -> PathBuf {
        self.dir.join("stderr.log")
    }

    /// The document about its recipe, for agents inside the run.
    pub fn context(&self) -> PathBuf {
        self.dir.join("context.jsonl")
    }

    /// The members of its room, for programs that read that file.
    pub fn communication(&self) -> PathBuf {
        self.dir.join("communication.json")
    }

    /// The file that an archived run leaves behind.
    pub fn tombstone(&self) -> PathBuf {
        self.dir.join(TOMBSTONE)
    }

    /// The marker that all processes of a generation carry. It contains the path, because runs of
    /// different roots, and fixed ids in tests, may have the same id.
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

    /// Whether the run exists. A directory that cannot be examined counts as existing.
    pub fn exists(&self) -> bool {
        self.stands()
            .unwrap_or_else(|error| matches!(error, Error::Io { .. }))
    }

    /// Whether the run exists; an error if that cannot be determined, or if the path cannot be a
    /// run's directory.
    pub fn stands(&self) -> Result<bool, Error> {
        self.found()?;
        Ok(self.has(&self.journal())?
            || (self.has(&self.lock())? && !self.has(&self.tombstone())?))
    }

    /// The metadata of the directory. Fails for a path that cannot be a run: a reserved name, or a
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

    /// Fails if the path is in use by something other than a run.
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

    /// The location of the run according to its tombstone.
    fn entombed(&self) -> Option<PathBuf> {
        let text = std::fs::read_to_string(self.tombstone()).ok()?;
        let tombstone: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(tombstone.get("archive_dir")?.as_str()?.into())
    }
}

fn is_reserved(id: &RunId) -> bool {
    [ARCHIVE, PRESERVED, INDEX].contains(&id.as_str())
}

/// Whether an error means that the file does not exist, rather than that it cannot be examined.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Whether the journal in a directory belongs to this run.
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
