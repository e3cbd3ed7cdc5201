//! The manifest of the launchers: which version of each was put where.
//!
//! Owns its shape, `{"version": 1, "utilities": {NAME: {"sourceHash", "profileFile",
//! "conflict"?}}}`. What another program wrote into it stays; what cannot be read counts as not
//! written, since every launcher says by its own bytes what it is.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value, json};

/// The largest manifest that is read.
const LARGEST: u64 = 1 << 20;

/// The manifest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LauncherManifest(Map<String, Value>);

/// What is known of one launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LauncherEntry {
    /// The hash of what was put there.
    pub(super) source_hash: String,
    /// Its file.
    pub(super) profile_file: String,
    /// The person's file that it had to make way for.
    pub(super) conflict: Option<String>,
}

/// The manifest in a file, where one can be read.
pub(super) fn read(path: &Path) -> Option<LauncherManifest> {
    let mut text = String::new();
    File::open(path)
        .ok()?
        .take(LARGEST)
        .read_to_string(&mut text)
        .ok()?;
    let document: Map<String, Value> = serde_json::from_str(&text).ok()?;
    let known =
        document.get("version") == Some(&json!(1)) && document.get("utilities")?.is_object();
    known.then_some(LauncherManifest(document))
}

impl LauncherManifest {
    /// What is known of a launcher; an entry that is no good, or points out of the directory, is
    /// none.
    pub(super) fn get(&self, name: &str) -> Option<LauncherEntry> {
        let entry = self.0.get("utilities")?.get(name)?;
        let word = |field: &str| entry.get(field).and_then(Value::as_str).map(str::to_owned);
        let profile_file = word("profileFile").filter(|file| is_plain(file))?;
        Some(LauncherEntry {
            source_hash: word("sourceHash")?,
            profile_file,
            conflict: word("conflict"),
        })
    }

    pub(super) fn set(&mut self, name: &str, entry: &LauncherEntry) {
        let mut written =
            json!({"sourceHash": entry.source_hash, "profileFile": entry.profile_file});
        if let Some(conflict) = &entry.conflict {
            written["conflict"] = json!(conflict);
        }
        let all = self.0.entry("utilities").or_insert_with(|| json!({}));
        if let Some(all) = all.as_object_mut() {
            all.insert(name.to_owned(), written);
        }
    }

    pub(super) fn text(&self) -> String {
        format!("{:#}\n", Value::Object(self.0.clone()))
    }
}

impl Default for LauncherManifest {
    fn default() -> Self {
        Self(Map::from_iter([
            ("version".to_owned(), json!(1)),
            ("utilities".to_owned(), json!({})),
        ]))
    }
}

/// Whether a name is that of a file in the directory itself, and not hidden.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.len() <= 200 && !name.starts_with('.') && !name.contains(['/', '\0'])
}
