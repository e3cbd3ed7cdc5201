//! The directory of a cast.
//!
//! Owns its name, where things in it are, and the names of artifacts (C14):
//! `sockets/<socket>/<visit>[-<item>][.a<attempt>].<kind>`. An artifact is never overwritten: what
//! a crash left under a name that no event mentions stays, and the next one has `.r2` in it. Never
//! decides what is kept.

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
/// How much of its end is read by those who look on, in bytes.
const LATELY: u64 = 64 << 10;
/// How many directories are kept open.
const MOST_SHELVES: usize = 16;

/// The directory of a cast.
#[derive(Debug)]
pub struct Folder {
    root: ArtifactRoot,
    path: PathBuf,
    secrets: Option<Arc<Secrets>>,
    /// The directories that artifacts were kept in last.
    shelves: RefCell<BTreeMap<String, ArtifactDir>>,
}

/// What a new cast has written beside its log and not synced yet: one sync after the other costs
/// far more than all of them where the first promise is made.
#[derive(Debug)]
pub struct UnsyncedStart {
    definition: NewArtifact,
    casts: PathBuf,
}

impl UnsyncedStart {
    /// Makes it durable.
    pub(super) fn commit(self) -> Result<(), Error> {
        self.definition.commit()?;
        Ok(dir::sync_new(&self.casts)?)
    }
}

impl Folder {
    /// Makes a directory for a new cast, named after the moment, and gives the cast's id.
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

    /// Opens the cast with this id, or whose id begins like this and no other's does.
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

    /// Names the secrets that must not be written here (S3); what looks like a key never is.
    pub(super) fn guard(&mut self, secrets: Secrets) {
        self.secrets = Some(Arc::new(secrets));
    }

    /// The secrets that must not be written here.
    pub(super) fn secrets(&self) -> &Secrets {
        self.secrets.as_deref().unwrap_or(Secrets::shapes())
    }

    /// The same, for whoever writes beside it.
    pub(super) fn shared_secrets(&self) -> Option<Arc<Secrets>> {
        self.secrets.clone()
    }

    /// Where it is.
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

    /// The lock that whoever drives the cast holds.
    pub(super) fn lock(&self) -> PathBuf {
        self.path.join("events.jsonl.lock")
    }

    /// The name that everything carries which is started for this cast: the directory as the
    /// machine knows it, and the cast, because numbers of directories are used again.
    pub(super) fn mark(&self, cast_id: &str) -> Result<String, Error> {
        let (device, inode) = self.root.identity()?;
        Ok(format!(
            "cast-{}-{device:x}-{inode:x}",
            segment(cast_id).replace('.', "-")
        ))
    }

    /// Writes the definition that the cast runs by, once. It is durable with the first promise of
    /// the log.
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

    /// The directory for the sessions of agents, which is made when it is needed.
    pub(super) fn sessions(&self) -> Result<PathBuf, Error> {
        let path = self.path.join("sessions");
        dir::create_private(&path)?;
        Ok(path)
    }

    /// Replaces a document that is made from the log, and can be again.
    pub(super) fn snapshot<T: Serialize>(&self, name: &str, document: &T) -> Result<(), Error> {
        let mut document = serde_json::to_value(document)?;
        self.secrets().redact_value(&mut document);
        Ok(atomic::write_json_cache(
            &self.path.join(name),
            FORMAT,
            &document,
        )?)
    }

    /// Keeps an artifact of a visit, without its secrets, and gives its path below the directory.
    ///
    /// It is not synced by itself: what the cast goes on with is in the log.
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

    /// Makes an artifact that grows while it is looked at. What is written to it has to be clean.
    pub(super) fn growing(&self, name: &str) -> Result<NewArtifact, Error> {
        Ok(self.root.create(name)?)
    }

    /// What an agent was lately seen doing in a visit: the last lines of what grows while it works.
    pub fn seen(&self, place: &VisitId, attempt: u64) -> Vec<Value> {
        let (dir, stem) = stem(place, attempt);
        let path = |number, kind| self.path.join(&dir).join(numbered(&stem, number, kind));
        // It is named like the prompt; a turn in which nothing was seen has none.
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
        // A line that is cut, at either end, says nothing.
        let lines = read
            .map(|_| text.split(|byte| *byte == b'\n'))
            .into_iter()
            .flatten();
        lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect()
    }

    /// Text as it may be kept.
    pub(super) fn clean<'t>(&self, bytes: &'t [u8]) -> std::borrow::Cow<'t, [u8]> {
        self.secrets().redact(bytes)
    }

    /// Keeps a part of the state that inputs name, and gives its path below the directory.
    pub(super) fn keep_value(&self, name: &str, bytes: &[u8]) -> Result<String, Error> {
        let stem = segment(name);
        self.keep_new("state", bytes, |number| format!("{stem}.{number}.json"))
    }

    /// Keeps an artifact in a directory, under the first name that is free.
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

/// The directory of a visit's artifacts, and how their names begin.
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

/// A word as a part of a file name: what is no letter, digit, `.`, `_` or `-` becomes a dash.
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
