//! Where runs are: the root of all of them, and the directory of one.
//!
//! Owns the names of the files in a run's directory. An id has been checked (A8), so none of these paths leaves the root.

use std::io;
use std::path::{Path, PathBuf};

use materia_model::name::RunId;
use materia_model::text;

use super::error::Error;
use crate::store::ears;

/// The directory of all runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root(PathBuf);

/// The directory of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    id: RunId,
    dir: PathBuf,
}

impl Root {
    /// The root at a path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The directory that a run of this id has, or would have.
    pub fn place(&self, id: &RunId) -> Place {
        Place { dir: self.0.join(id.as_str()), id: id.clone() }
    }

    /// The directory of a run that is there.
    pub fn find(&self, id: &RunId) -> Result<Place, Error> {
        let place = self.place(id);
        if place.exists() {
            return Ok(place);
        }
        if let Some(dir) = place.archived_to() {
            return Err(Error::Archived { run: id.to_string(), dir });
        }
        let ids = self.ids().unwrap_or_default();
        let close = text::closest(id.as_str(), ids.iter().map(RunId::as_str)).map(str::to_owned);
        Err(Error::NotFound { run: id.to_string(), close })
    }

    /// The ids of everything that looks like a run; a root that is not there has none.
    pub fn ids(&self) -> io::Result<Vec<RunId>> {
        let entries = match std::fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let id = |entry: io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
        let mut ids: Vec<RunId> = entries.filter_map(id).collect();
        ids.sort();
        Ok(ids)
    }

    /// Where what belongs to a session is kept; none for a name that is no plain word.
    pub fn session(&self, session: &str) -> Option<PathBuf> {
        let id: RunId = session.parse().ok()?;
        Some(self.0.parent()?.join("sessions").join(id.as_str()))
    }

    /// Where archived runs are.
    pub fn archive(&self) -> PathBuf {
        self.0.join("archived")
    }

    /// Where the artifacts of pruned runs are.
    pub fn preserved(&self) -> PathBuf {
        self.0.join("preserved-artifacts")
    }

    /// The list of runs that are over; it can be made again at any time.
    pub fn index(&self) -> PathBuf {
        self.0.join("index.json")
    }
}

impl Place {
    /// The run whose directory this is.
    pub(super) fn at(dir: PathBuf) -> Option<Self> {
        Some(Self { id: dir.file_name()?.to_str()?.parse().ok()?, dir })
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
        self.dir.join("journal.jsonl")
    }

    /// The lock that its supervisor holds for life.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }

    /// What wakes its supervisor.
    pub fn bell(&self) -> PathBuf {
        self.dir.join("bell")
    }

    /// The bells of everybody who waits beside it: the beginning of their names.
    pub fn ears(&self) -> PathBuf {
        ears::beside(&self.dir)
    }

    /// What its commands write to stdout.
    pub fn stdout(&self) -> PathBuf {
        self.dir.join("stdout.log")
    }

    /// What its commands write to stderr.
    pub fn stderr(&self) -> PathBuf {
        self.dir.join("stderr.log")
    }

    /// What agents inside are told about its recipe.
    pub fn context(&self) -> PathBuf {
        self.dir.join("context.jsonl")
    }

    /// Who is in its room, for programs that read that file.
    pub fn communication(&self) -> PathBuf {
        self.dir.join("communication.json")
    }

    /// What is left where an archived run was.
    pub fn tombstone(&self) -> PathBuf {
        self.dir.join("archive-tombstone.json")
    }

    /// The name under which everything of a generation is detached. The path is in it because ids of different roots,
    /// and fixed ones in tests, may be the same.
    pub fn mark(&self, generation: &str) -> String {
        format!("{}#{generation}", self.dir.display())
    }

    /// Whether there is such a run.
    pub fn exists(&self) -> bool {
        self.journal().exists() || (self.lock().exists() && !self.tombstone().exists())
    }

    fn archived_to(&self) -> Option<PathBuf> {
        let text = std::fs::read_to_string(self.tombstone()).ok()?;
        let tombstone: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(tombstone.get("archive_dir")?.as_str()?.into())
    }
}
