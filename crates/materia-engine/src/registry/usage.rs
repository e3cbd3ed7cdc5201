//! The usage ledger: launch counters of the user's recipes, stored beside the recipe files and
//! never in them (R5).
//!
//! Owns the ledger's format, its lock and the reset of counters when a recipe changes. A launch
//! that cannot be counted still succeeds.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use materia_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::home::Home;
use crate::store::lock::{Holder, Lock, LockMode, LockWait};
use crate::store::{atomic, dir};

/// The newest known format of the ledger.
const FORMAT: u32 = 1;
/// The maximum size of a ledger.
const MAX_BYTES: u64 = 16 << 20;
/// How long a launch waits for the lock of the ledger.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a recipe was launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchKind {
    /// As a tool.
    Tool,
    /// As a detached run.
    Spawn,
    /// By name or path, in the foreground.
    Direct,
}

/// The counters of one recipe.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RecipeUsage", optional_fields)
)]
pub struct Usage {
    /// All launches since the recipe is what it is.
    pub calls: u64,
    /// Launches as a tool.
    #[serde(default)]
    pub tool_calls: u64,
    /// Launches as a detached run.
    #[serde(default)]
    pub spawn_calls: u64,
    /// Launches in the foreground.
    #[serde(default)]
    pub direct_calls: u64,
    /// The latest one.
    #[serde(default)]
    pub last_called: String,
    /// The digest of the recipe that was counted.
    #[serde(default)]
    pub fingerprint: String,
    /// When the counters began anew because the recipe changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset_at: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Ledger {
    recipes: BTreeMap<String, Usage>,
}

/// The counters of all recipes, by name; empty if nothing was counted yet.
pub fn usage(home: &Home) -> BTreeMap<String, Usage> {
    read(&home.usage()).recipes
}

fn read(file: &Path) -> Ledger {
    atomic::read_json(file, FORMAT, MAX_BYTES).unwrap_or_default()
}

/// Counts a launch. Returns why it could not be counted.
pub fn record(
    home: &Home,
    name: &str,
    sha256: &str,
    launch: LaunchKind,
    now: Timestamp,
) -> Result<(), String> {
    let file = home.usage();
    let parent = file.parent().unwrap_or(Path::new("/"));
    dir::create_private(parent).map_err(|error| error.to_string())?;
    let lock = Lock::acquire(
        &file.with_extension("lock"),
        LockMode::Exclusive,
        LockWait::For(PATIENCE),
        &Holder::current(),
    );
    let _lock = lock.map_err(|error| error.to_string())?;
    let mut ledger = read(&file);
    count(
        ledger.recipes.entry(name.to_owned()).or_default(),
        sha256,
        launch,
        now,
    );
    atomic::write_json(&file, FORMAT, &ledger).map_err(|error| error.to_string())
}

fn count(usage: &mut Usage, sha256: &str, launch: LaunchKind, now: Timestamp) {
    if usage.calls > 0 && usage.fingerprint != sha256 {
        *usage = Usage {
            reset_at: Some(now.to_string()),
            ..Usage::default()
        };
    }
    sha256.clone_into(&mut usage.fingerprint);
    usage.last_called = now.to_string();
    usage.calls += 1;
    let kind = match launch {
        LaunchKind::Tool => &mut usage.tool_calls,
        LaunchKind::Spawn => &mut usage.spawn_calls,
        LaunchKind::Direct => &mut usage.direct_calls,
    };
    *kind += 1;
}
