//! The directory of a cast.
//!
//! Owns its name, the paths in it, and the names of artifacts (C14):
//! `sockets/<socket>/<visit>[-<item>][.a<attempt>].<kind>`. An artifact is never overwritten. If a
//! crash left a file under a name that no event mentions, the file stays and the next artifact gets
//! `.r2` in its name. Never decides what is kept.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use materia_model::cast::event::VisitId;
use materia_model::document::MAX_BYTES;
use materia_model::secret::Secrets;
use materia_model::text;
use serde::Serialize;
use serde_json::Value;

use super::error::Error;
use crate::clock::Clock;
use crate::store::artifact::{ArtifactDir, ArtifactError, ArtifactRoot, NewArtifact};
use crate::store::{atomic, dir};

/// The format number of the snapshots.
pub(super) const FORMAT: u32 = 1;
/// The definition that the cast runs by.
const DEFINITION: &str = "config.resolved.json";
/// The kind of artifact that grows while an agent works.
pub(super) const ACTIVITY: &str = "activity.jsonl";
/// How much of its end observers read, in bytes.
const LATELY: u64 = 64 << 10;
/// Maximum number of directories kept open.
const MOST_SHELVES: usize = 16;

/// The directory of a cast.
#[derive(Debug)]
pub struct Folder {
    root: ArtifactRoot,
    path: PathBuf,
    secrets: Option<Arc<Secrets>>,
    /// The artifact directories used last.
    shelves: RefCell<BTreeMap<String, ArtifactDir>>,
}

/// Files of a new cast that are written but not synced yet. Syncing them together at the first
/// flush of the log costs far less than syncing each one.
#[derive(Debug)]
pub struct UnsyncedStart {
    definition: NewArtifact,
    casts: PathBuf,
}

impl UnsyncedStart {
    /// Makes the files durable.
    pub(super) fn commit(self) -> Result<(), Error> {
        self.definition.commit()?;
        Ok(dir::sync_new(&self.casts)?)
    }
}

impl Folder {
    /// Creates the directory of a new cast, named after the current time, and returns the cast id.
    pub fn create(casts: &Path, clock: &Clock) -> Result<(Self, String), Error> {
        dir::create_private(casts)?;
        let moment = clock.now().to_string().replace([':', '.'], "-");
        for number in 1_u64.. {
            let id = if number == 1 {
                moment.clone()
            } else {
                format!("{moment}-{number}")
            };
            if dir::create_new(&casts.join(&id))? {
                return Ok((Self::open(&casts.join(&id))?, id));
            }
        }
        Err(Error::NoCast {
            given: moment,
            folder: casts.to_owned(),
            near: None,
        })
    }

    /// Opens the directory of a cast.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let shelves = RefCell::default();
        Ok(Self {
            root: ArtifactRoot::open(path)?,
            path: path.to_owned(),
            secrets: None,
            shelves,
        })
    }

    /// Opens the cast with this id, or the only cast whose id begins with it.
    pub fn find(casts: &Path, given: &str) -> Result<Self, Error> {
        let all = ids(casts);
        let missing = || Error::NoCast {
            given: given.to_owned(),
            folder: casts.to_owned(),
            near: text::closest(given, all.iter().map(String::as_str)).map(str::to_owned),
        };
        let mut found: Vec<String> = all
            .iter()
            .filter(|id| id.starts_with(given))
            .cloned()
            .collect();
        if found.iter().any(|id| id == given) {
            return Self::open(&casts.join(given));
        }
        match (found.pop(), found.len()) {
            (None, _) => Err(missing()),
            (Some(only), 0) => Self::open(&casts.join(only)),
            (Some(last), _) => {
                found.push(last);
                Err(Error::Ambiguous {
                    given: given.to_owned(),
                    found,
                })
            }
        }
    }

    /// Sets the secrets to redact here (S3). Text that looks like a key is always redacted.
    pub(super) fn guard(&mut self, secrets: Secrets) {
        self.secrets = Some(Arc::new(secrets));
    }

    /// The secrets to redact here.
    pub(super) fn secrets(&self) -> &Secrets {
        self.secrets.as_deref().unwrap_or(Secrets::shapes())
    }

    /// The same, shared with other writers to this directory.
    pub(super) fn shared_secrets(&self) -> Option<Arc<Secrets>> {
        self.secrets.clone()
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The log.
    pub(super) fn events(&self) -> PathBuf {
        self.path.join("events.jsonl")
    }

    /// The snapshot of the state.
    pub(super) fn state(&self) -> PathBuf {
        self.path.join("state.json")
    }

    /// The lock that the driver of the cast holds.
    pub(super) fn lock(&self) -> PathBuf {
        self.path.join("events.jsonl.lock")
    }

    /// The marker of every process started for this cast: the inode of the directory and the cast
    /// id, because inode numbers are reused.
    pub(super) fn mark(&self, cast_id: &str) -> Result<String, Error> {
        let (device, inode) = self.root.identity()?;
        Ok(format!(
            "cast-{}-{device:x}-{inode:x}",
            segment(cast_id).replace('.', "-")
        ))
    }

    /// Writes the definition of the cast, once. It becomes durable with the first flush of the log.
    pub(super) fn write_definition(&self, text: &str) -> Result<UnsyncedStart, Error> {
        let mut definition = self.root.create(DEFINITION)?;
        definition.write_all(text.as_bytes())?;
        Ok(UnsyncedStart {
            definition,
            casts: dir::parent_of(&self.path).to_owned(),
        })
    }

    /// The text of the definition that the cast runs by.
    pub fn read_definition(&self) -> Result<String, Error> {
        let mut text = String::new();
        self.root
            .read(DEFINITION)?
            .take(MAX_BYTES as u64 + 1)
            .read_to_string(&mut text)?;
        Ok(text)
    }

    /// The directory of agent sessions, created on demand.
    pub(super) fn sessions(&self) -> Result<PathBuf, Error> {
        let path = self.path.join("sessions");
        dir::create_private(&path)?;
        Ok(path)
    }

    /// Replaces a document that can be rebuilt from the log.
    pub(super) fn snapshot<T: Serialize>(&self, name: &str, document: &T) -> Result<(), Error> {
        let mut document = serde_json::to_value(document)?;
        self.secrets().redact_value(&mut document);
        Ok(atomic::write_json_cache(
            &self.path.join(name),
            FORMAT,
            &document,
        )?)
    }

    /// Writes an artifact of a visit, redacted, and returns its path below the directory.
    ///
    /// Not synced: the data that the cast continues with is in the log.
    pub(super) fn keep(
        &self,
        place: &VisitId,
        attempt: u64,
        kind: &str,
        bytes: &[u8],
    ) -> Result<String, Error> {
        let (dir, stem) = stem(place, attempt);
        self.keep_new(&dir, bytes, |number| numbered(&stem, number, kind))
    }

    /// Creates an artifact that others read while it grows. The caller redacts what it writes.
    pub(super) fn growing(&self, name: &str) -> Result<NewArtifact, Error> {
        Ok(self.root.create(name)?)
    }

    /// What an agent did recently in a visit: the last lines of its activity file.
    pub fn seen(&self, place: &VisitId, attempt: u64) -> Vec<Value> {
        let (dir, stem) = stem(place, attempt);
        let path = |number, kind| self.path.join(&dir).join(numbered(&stem, number, kind));
        // It is named like the prompt. A turn without activity has no file.
        let turns = (1..).take_while(|number| path(*number, "prompt.md").exists());
        let Some(last) = turns
            .map(|number| path(number, ACTIVITY))
            .filter(|path| path.exists())
            .last()
        else {
            return Vec::new();
        };
        let (mut text, Ok(mut file)) = (Vec::new(), std::fs::File::open(last)) else {
            return Vec::new();
        };
        let from = file
            .metadata()
            .map_or(0, |found| found.len().saturating_sub(LATELY));
        let read = file
            .seek(SeekFrom::Start(from))
            .and_then(|_| file.take(LATELY).read_to_end(&mut text));
        // Skip truncated lines at either end.
        let lines = read
            .map(|_| text.split(|byte| *byte == b'\n'))
            .into_iter()
            .flatten();
        lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect()
    }

    /// The text with its secrets redacted.
    pub(super) fn clean<'t>(&self, bytes: &'t [u8]) -> std::borrow::Cow<'t, [u8]> {
        self.secrets().redact(bytes)
    }

    /// Writes a part of the state that inputs refer to, and returns its path below the directory.
    pub(super) fn keep_value(&self, name: &str, bytes: &[u8]) -> Result<String, Error> {
        let stem = segment(name);
        self.keep_new("state", bytes, |number| format!("{stem}.{number}.json"))
    }

    /// Writes an artifact to a directory, under the first free name.
    fn keep_new(
        &self,
        dir: &str,
        bytes: &[u8],
        name: impl Fn(u64) -> String,
    ) -> Result<String, Error> {
        let mut shelves = self.shelves.borrow_mut();
        if shelves.len() >= MOST_SHELVES && !shelves.contains_key(dir) {
            shelves.clear();
        }
        let shelf = match shelves.entry(dir.to_owned()) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(free) => free.insert(self.root.shelf(dir)?),
        };
        let bytes = self.secrets().redact(bytes);
        let mut number = 1;
        loop {
            let name = name(number);
            match shelf.keep(&name, &bytes) {
                Ok(()) => return Ok(format!("{dir}/{name}")),
                Err(ArtifactError::Exists(_)) => number += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The newest cast in a directory of casts; ids sort by time.
pub fn newest(casts: &Path) -> Option<String> {
    ids(casts).pop()
}

/// The ids of the casts in a directory, sorted.
pub fn ids(casts: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(casts).into_iter().flatten().flatten();
    let casts = entries.filter(|entry| entry.path().join("events.jsonl").is_file());
    let mut ids: Vec<String> = casts
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    ids.retain(|id| !id.starts_with('.'));
    ids.sort();
    ids
}

/// The directory of a visit's artifacts, and the prefix of their names.
fn stem(place: &VisitId, attempt: u64) -> (String, String) {
    let item = place
        .item_key
        .as_deref()
        .map(|key| format!("-{}", segment(key)))
        .unwrap_or_default();
    let again = if attempt > 1 {
        format!(".a{attempt}")
    } else {
        String::new()
    };
    (
        format!("sockets/{}", segment(&place.socket)),
        format!("{}{item}{again}", place.visit),
    )
}

fn numbered(stem: &str, number: u64, kind: &str) -> String {
    match number {
        1 => format!("{stem}.{kind}"),
        number => format!("{stem}.r{number}.{kind}"),
    }
}

/// A word as part of a file name: replaces all but letters, digits, `.`, `_` and `-` by a dash.
pub(super) fn segment(word: &str) -> String {
    let mut out = String::new();
    for c in word.chars().take(80) {
        let plain = c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if plain || !out.ends_with('-') {
            out.push(if plain { c } else { '-' });
        }
    }
    let trimmed = out.trim_matches(['-', '.']);
    if trimmed.is_empty() {
        "item".to_owned()
    } else {
        trimmed.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use materia_model::time::Timestamp;

    use super::*;

    fn place(item: Option<&str>) -> VisitId {
        let (socket, materia) = ("Socket-1".to_owned(), "Build".to_owned());
        VisitId {
            socket,
            materia,
            visit: 2,
            item_key: item.map(str::to_owned),
            item_label: None,
        }
    }

    #[test]
    fn c14_artifacts_have_names_of_their_own_and_are_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let names = [
            folder.keep(&place(None), 1, "input.json", b"a").unwrap(),
            folder
                .keep(&place(Some("WI-1")), 1, "input.json", b"b")
                .unwrap(),
            folder
                .keep(&place(Some("../x y")), 3, "output.md", b"c")
                .unwrap(),
            folder.keep(&place(None), 1, "input.json", b"d").unwrap(),
        ];
        assert_eq!(
            names,
            [
                "sockets/Socket-1/2.input.json",
                "sockets/Socket-1/2-WI-1.input.json",
                "sockets/Socket-1/2-x-y.a3.output.md",
                "sockets/Socket-1/2.r2.input.json"
            ]
        );
        assert_eq!(std::fs::read(dir.path().join(&names[0])).unwrap(), b"a");
    }

    #[test]
    fn casts_of_the_same_moment_have_names_of_their_own_and_are_found_by_them() {
        let dir = tempfile::tempdir().unwrap();
        let clock = Clock::fixed(Timestamp::from_millis(1_767_225_600_000));
        let ids: Vec<String> = (0..2)
            .map(|_| Folder::create(dir.path(), &clock).unwrap().1)
            .collect();
        assert_eq!(
            ids,
            ["2026-01-01T00-00-00-000Z", "2026-01-01T00-00-00-000Z-2"]
        );
        assert!(
            matches!(Folder::find(dir.path(), "2026"), Err(Error::NoCast { .. })),
            "no log, no cast"
        );
        for id in &ids {
            atomic::write(&dir.path().join(id).join("events.jsonl"), b"").unwrap();
        }
        assert!(
            Folder::find(dir.path(), &ids[0])
                .unwrap()
                .path()
                .ends_with(&ids[0])
        );
        assert!(matches!(
            Folder::find(dir.path(), "2026"),
            Err(Error::Ambiguous { .. })
        ));
        assert_eq!(newest(dir.path()).as_deref(), Some(ids[1].as_str()));
    }
}
