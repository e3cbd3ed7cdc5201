//! The manifest of the launchers: which version of each was written to which file.
//!
//! Owns its shape, `{"version": 1, "utilities": {NAME: {"sourceHash", "profileFile",
//! "conflict"?}}}`. Members of other programs are kept. An unreadable manifest counts as missing,
//! since the content of each launcher identifies it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value, json};

/// The largest manifest that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The manifest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LauncherManifest(Map<String, Value>);

/// The entry of one launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LauncherEntry {
    /// The hash of the written text.
    pub(super) source_hash: String,
    /// Its file.
    pub(super) profile_file: String,
    /// The user's file that occupies its name.
    pub(super) conflict: Option<String>,
}

/// Reads the manifest from a file, if possible.
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
    /// The entry of a launcher; `None` if it is invalid or points out of the directory.
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

/// Whether a name is a plain, visible file name in the directory itself.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.len() <= 200 && !name.starts_with('.') && !name.contains(['/', '\0'])
}
