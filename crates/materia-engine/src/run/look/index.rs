//! The list of all runs, fast even for ten thousand of them.
//!
//! Owns the listing and its cache. A run that is over does not change, so its fold is stored in
//! `index.json` together with the identity of its journal: inode, size and change time. All other
//! runs are folded and proved again. The cache can be deleted at any time and is never trusted over
//! a journal.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;

use materia_model::name::RunId;
use materia_model::run::{RetireWhen, RunState, RunStatus};
use materia_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::status::look_all;
use crate::clock::Clock;
use crate::run::{Error, RunDir, RunRoot};
use crate::store::atomic;

/// The format number of the cache.
const FORMAT: u32 = 1;
/// The size of the largest cache that is read.
const LARGEST: u64 = 256 << 20;

/// One run in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RunListItem", optional_fields)
)]
pub struct RunListItem {
    /// The run.
    pub run: String,
    /// How it stands.
    pub status: RunStatus,
    /// The last generation.
    pub generation: String,
    /// The session that owns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The run inside which it was spawned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its recipe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// Its tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// When it ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retire_when: Option<RetireWhen>,
    /// Its exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
}

/// All runs of a root.
#[derive(Debug, Default)]
pub struct List {
    /// The readable runs, by id.
    pub runs: Vec<RunListItem>,
    /// The unreadable runs, and why.
    pub broken: Vec<(RunId, Error)>,
}

/// The identity of the journal that an entry was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Key(u64, u64, i64, i64);

#[derive(Debug, Default, Serialize, Deserialize)]
struct Cache {
    #[serde(default)]
    format: u32,
    entries: BTreeMap<String, (Key, RunListItem)>,
}

/// Lists all runs. Ends and records runs whose supervisor died.
pub fn list(root: &RunRoot, clock: &Clock) -> Result<List, Error> {
    let names = root.names().map_err(Error::io("list", root.path()))?;
    let mut known = read(root).entries;
    let mut entries = BTreeMap::new();
    let mut list = List::default();
    let (mut places, mut keys) = (Vec::new(), Vec::new());
    for (id, linked) in names {
        let place = root.place(&id);
        if linked {
            let dir = place.dir().to_owned();
            list.broken.push((
                id,
                Error::Linked {
                    run: place.id().to_string(),
                    dir,
                },
            ));
            continue;
        }
        let before = key(&place);
        let cached = known
            .remove(id.as_str())
            .filter(|(kept, _)| Some(*kept) == before);
        if let Some((key, listed)) = cached {
            list.runs.push(listed.clone());
            entries.insert(listed.run.clone(), (key, listed));
            continue;
        }
        match place.stands() {
            Ok(true) => {
                places.push(place);
                keys.push(before);
            }
            Ok(false) => {}
            Err(error) => list.broken.push((id, error)),
        }
    }
    let mut learned = 0usize;
    for ((place, before), looked) in places.iter().zip(keys).zip(look_all(&places, clock)) {
        match looked {
            Ok((state, recorded)) => {
                let listed = listed(place, &state);
                // The key is from before the fold: a later write makes the entry stale, never
                // wrong. An end that is not recorded yet is proved again by the next look.
                if let Some(key) = before.filter(|_| recorded && listed.status.is_terminal()) {
                    entries.insert(listed.run.clone(), (key, listed.clone()));
                    learned += 1;
                }
                list.runs.push(listed);
            }
            Err(Error::NotFound { .. }) => {}
            Err(error) => list.broken.push((place.id().clone(), error)),
        }
    }
    list.runs
        .sort_unstable_by(|one, other| one.run.cmp(&other.run));
    list.broken
        .sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    // A rewrite costs as much as the whole cache, so repeating a few folds is cheaper.
    if learned + known.len() > entries.len() / 20 {
        write(root, entries);
    }
    Ok(list)
}

fn listed(place: &RunDir, state: &RunState) -> RunListItem {
    let start = state.start.as_deref();
    RunListItem {
        run: place.id().to_string(),
        status: state.status,
        generation: state.generation().to_owned(),
        session: state.session().map(str::to_owned),
        parent: start.and_then(|start| start.parent.clone()),
        recipe: start.and_then(|start| start.recipe.clone()),
        tool: start.and_then(|start| start.tool.clone()),
        retire_when: start.and_then(|start| start.retire_when),
        code: state.ended.as_ref().and_then(|ended| ended.end.code),
        started_at: state.started,
        ended_at: state.ended.as_ref().map(|ended| ended.at),
    }
}

fn key(place: &RunDir) -> Option<Key> {
    let journal = std::fs::metadata(place.journal()).ok()?;
    Some(Key(
        journal.ino(),
        journal.len(),
        journal.mtime(),
        journal.mtime_nsec(),
    ))
}

/// Reads the cache; empty if it is missing or has another format.
fn read(root: &RunRoot) -> Cache {
    let path = root.index();
    let small =
        std::fs::metadata(&path).is_ok_and(|cache| cache.is_file() && cache.len() <= LARGEST);
    let bytes = if small {
        std::fs::read(&path).unwrap_or_default()
    } else {
        Vec::new()
    };
    let cache: Cache = serde_json::from_slice(&bytes).unwrap_or_default();
    if cache.format == FORMAT {
        cache
    } else {
        Cache::default()
    }
}

fn write(root: &RunRoot, entries: BTreeMap<String, (Key, RunListItem)>) {
    if let Ok(bytes) = serde_json::to_vec(&Cache {
        format: FORMAT,
        entries,
    }) {
        let _folded_again_next_time = atomic::write_cache(&root.index(), &bytes);
    }
}
