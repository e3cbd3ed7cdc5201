//! Drafts: recipes captured from inline runs, so that what worked once can be kept.
//!
//! Owns their directory and what they contain: the template and its description, never a caller's
//! values (they may be secret) and never a path that was resolved for one run. Capturing the same
//! template again is a no-op, and capturing never makes a run fail.

use std::path::{Path, PathBuf};

use materia_model::finding::Finding;
use materia_model::name::RunId;
use materia_model::recipe::RecipeLoadError;
use materia_model::secret::SecretGuard;
use serde::Serialize;
use serde_json::{Value, json};

use super::entry::sha256;
use crate::library::Library;
use crate::store::{atomic, dir};

/// The maximum number of drafts. Beyond it, no more are captured.
const MOST: usize = 500;

/// A captured recipe.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RecipeDraft", optional_fields)
)]
pub struct CapturedRecipe {
    /// Its name.
    pub id: String,
    /// Where it lies.
    pub path: String,
    /// Whether it could be promoted.
    pub valid: bool,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub issues: Vec<Finding>,
    /// The digest of its text.
    pub sha256: String,
    /// The size of its text.
    pub size: usize,
}

/// A template that a caller passed inline.
#[derive(Debug)]
pub struct Inline<'a> {
    /// The run's id, if the caller chose it.
    pub run: Option<&'a RunId>,
    /// The command template.
    pub template: Value,
    /// The artifacts that it declares, with paths as written.
    pub artifacts: Value,
    /// The messages that it accepts and sends.
    pub mailbox: Option<Value>,
    /// Redacts secrets before the draft is written.
    pub guard: SecretGuard,
}

/// Saves an inline template as a draft and returns its file. Returns `None` if the draft exists,
/// the limit is reached, or the root is not writable.
///
/// A caller waits for the run meanwhile, so nothing is synced: losing a draft in a power cut does
/// no harm.
pub fn capture(library: &Library, inline: Inline<'_>) -> Option<PathBuf> {
    let drafts = library.drafts();
    // Generated run ids are new each time. Naming the draft after its template keeps one draft per
    // template.
    let name = inline.run.map_or_else(
        || format!("run-{:012x}", fingerprint(&inline.template.to_string())),
        ToString::to_string,
    );
    let file = drafts.join(format!("{name}.json"));
    if file.symlink_metadata().is_ok() {
        return None;
    }
    dir::create_private(&drafts).ok()?;
    if std::fs::read_dir(&drafts).map_or(0, Iterator::count) >= MOST {
        return None;
    }
    let mut draft =
        json!({"description": format!("Draft captured from the run {name}"), "async": true});
    if inline
        .artifacts
        .as_object()
        .is_some_and(|artifacts| !artifacts.is_empty())
    {
        draft["artifacts"] = inline.artifacts;
    }
    if let Some(mailbox) = inline.mailbox {
        draft["mailbox"] = mailbox;
    }
    draft["template"] = inline.template;
    inline.guard.value(&mut draft);
    atomic::write_cache(&file, format!("{draft:#}\n").as_bytes()).ok()?;
    Some(file)
}

/// A 48-bit FNV-1a hash: unique enough to name a draft, and cheap enough for every spawn. Not a
/// security measure.
fn fingerprint(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    (hash ^ (hash >> 48)) & 0xffff_ffff_ffff
}

/// All drafts, sorted by name.
pub fn drafts(library: &Library) -> Vec<CapturedRecipe> {
    let entries = std::fs::read_dir(library.drafts())
        .into_iter()
        .flatten()
        .flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|file| {
            file.extension()
                .is_some_and(|ending| ending == "json" || ending == "md")
        })
        .collect();
    files.sort();
    files.iter().map(|file| draft(library, file)).collect()
}

fn draft(library: &Library, file: &Path) -> CapturedRecipe {
    let id = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let path = file.to_string_lossy().into_owned();
    let unread =
        |error: RecipeLoadError| vec![Finding::error(error.code, error.message).hint(error.hint)];
    match library.own(file) {
        Err(error) => CapturedRecipe {
            id,
            path,
            valid: false,
            description: None,
            issues: unread(error),
            sha256: String::new(),
            size: 0,
        },
        Ok(located) => {
            let text = located.source().text();
            let linked = library.link(&located);
            let (sha256, size, valid) = (sha256(text.as_bytes()), text.len(), linked.is_ok());
            let (description, issues) = match linked {
                Ok(linked) => (
                    linked.recipe.description,
                    linked.template.warnings().to_vec(),
                ),
                Err(issues) => (None, issues),
            };
            CapturedRecipe {
                id,
                path,
                valid,
                description,
                issues,
                sha256,
                size,
            }
        }
    }
}

impl Library {
    /// The directory of drafts.
    pub fn drafts(&self) -> PathBuf {
        self.root().join("drafts")
    }
}
