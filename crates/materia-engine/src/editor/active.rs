//! Changes the active loadout.
//!
//! Owns where the choice is written: in the user's own config; in the project's only if the request
//! allows it and no other file has the loadout. Reads no file: the caller passes the files of the
//! request.

use std::path::{Path, PathBuf};

use materia_model::finding::{Finding, Severity, Source};
use materia_model::loadout::{Config, ConfigScope};
use materia_model::text::quoted;
use serde::{Deserialize, Serialize};

use super::loadout::{LoadoutError, choose, refuse_broken_files, unknown};
use crate::clock::Clock;
use crate::config::{self, ConfigFiles};
use crate::home::Home;
use crate::store::atomic::{self, WriteError};
use crate::store::dir::{self, DirError};
use crate::trust::{self, ProjectTrust};

/// The answer to `loadout use`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ActiveLoadoutReport {
    /// Always true; what was not written is a failure.
    pub ok: bool,
    /// The name of the loadout.
    pub loadout: String,
    /// The file that says so now.
    pub file: PathBuf,
    /// Whether the file said something else before.
    pub changed: bool,
    /// Why another loadout is active here all the same.
    pub warnings: Vec<Finding>,
}

/// Why the active loadout was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ActiveLoadoutError {
    /// The loadout does not exist, or it or the file has errors.
    #[error("the loadout cannot be used")]
    NotUsable(LoadoutError),
    /// Only this project has it; the user's config is for all projects.
    #[error("{} is known in this project alone", quoted(name))]
    Elsewhere {
        /// The loadout.
        name: String,
        /// The file that has it.
        file: PathBuf,
    },
    /// The profile directory cannot be created.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The trust ledger cannot be read or written.
    #[error(transparent)]
    Trust(#[from] trust::Error),
}

impl From<LoadoutError> for ActiveLoadoutError {
    fn from(error: LoadoutError) -> Self {
        Self::NotUsable(error)
    }
}

/// Another active loadout.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "ActiveRequest")
)]
#[serde(deny_unknown_fields)]
pub struct ActiveLoadoutRequest {
    /// Its name or id.
    pub name: String,
    /// Where the choice may be written.
    #[serde(skip)]
    pub reach: ActiveReach,
}

/// Where a choice of the active loadout may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ActiveReach {
    /// Only in the user's own config, which applies to all projects.
    #[default]
    User,
    /// In the project's config, for a loadout that only this project has.
    Project,
}

/// Makes a loadout the active one, and leaves the rest of the file unchanged.
///
/// If the project was fully trusted before, it stays trusted, as with every change that the user
/// makes with our own editor (S1).
pub fn choose_active(
    files: ConfigFiles,
    home: &Home,
    request: &ActiveLoadoutRequest,
    clock: &Clock,
) -> Result<ActiveLoadoutReport, ActiveLoadoutError> {
    let snapshot = files.snapshot();
    let own = files
        .layers()
        .partition_point(|layer| layer.scope <= ConfigScope::User);
    refuse_broken_files(&files.layers()[..own])?;
    let config = snapshot.config();
    let name = choose(config, Some(&request.name))?;
    let Some(one) = config.loadouts().find(|one| one.name == name) else {
        return Err(unknown(config, &request.name).into());
    };
    let (scope, file) = match one.scope {
        ConfigScope::Default | ConfigScope::User => (ConfigScope::User, home.config()),
        ConfigScope::Project if request.reach == ActiveReach::Project => {
            (one.scope, file_of(&files, one.scope))
        }
        elsewhere => {
            return Err(ActiveLoadoutError::Elsewhere {
                name: name.to_owned(),
                file: file_of(&files, elsewhere),
            });
        }
    };
    if let Some(compiled) = config.compile(name)
        && compiled.graph.is_none()
    {
        return Err(LoadoutError::Broken(compiled.findings).into());
    }
    let was_trusted = scope == ConfigScope::Project
        && ProjectTrust::inspect_snapshot(&snapshot, Some(home))?
            .require()
            .is_ok();
    let (name, before) = (name.to_owned(), files.layer(scope));
    let before = before.map(|layer| layer.document.source().text());
    let text = with_active(before, &file, &name, &one.id)?;
    let changed = before != Some(&*text);
    if changed {
        write(&file, &text)?;
    }
    let after = files.drafted(scope, &file, &text);
    if was_trusted {
        ProjectTrust::inspect(&after, Some(home))?.grant(home, clock)?;
    }
    Ok(ActiveLoadoutReport {
        ok: true,
        warnings: overruled(&after, &name),
        loadout: name,
        file,
        changed,
    })
}

/// The text of a config with this loadout as the active one.
fn with_active(
    before: Option<&str>,
    file: &Path,
    name: &str,
    id: &str,
) -> Result<String, LoadoutError> {
    let source = Source::new(&file.to_string_lossy(), before.unwrap_or("{}"));
    let mut text = config::with_active(&source, name, id).map_err(LoadoutError::Broken)?;
    if before.is_none() {
        text.push('\n');
    }
    Ok(text)
}

fn write(file: &Path, text: &str) -> Result<(), ActiveLoadoutError> {
    // Keep a symbolic link: replace its target.
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    if let (false, Some(parent)) = (real.exists(), real.parent()) {
        dir::create_private(parent)?;
    }
    Ok(atomic::write(&real, text.as_bytes())?)
}

/// Warnings about higher layers that choose another loadout.
fn overruled(files: &ConfigFiles, name: &str) -> Vec<Finding> {
    let active = |layers: usize| {
        Config::load(&files.layers()[..layers])
            .active()
            .map(str::to_owned)
    };
    let all = files.layers().len();
    let here = match active(all) {
        Ok(here) if here == name => return Vec::new(),
        Ok(here) => here,
        Err(finding) => {
            return vec![Finding {
                severity: Severity::Warning,
                ..*finding
            }];
        }
    };
    let message = format!("in this project {} is active all the same", quoted(&here));
    let decides = (0..all)
        .rev()
        .find(|below| active(*below).as_ref() != Ok(&here));
    let file = decides
        .and_then(|layer| files.path(layer))
        .unwrap_or(Path::new(config::PROJECT_FILE));
    let hint = format!(
        "remove `activeLoadout` from {}",
        quoted(&file.to_string_lossy())
    );
    vec![Finding::warning("overruled", message).hint(hint)]
}

fn file_of(files: &ConfigFiles, scope: ConfigScope) -> PathBuf {
    let layer = files.layers().iter().position(|layer| layer.scope == scope);
    layer
        .and_then(|layer| files.path(layer))
        .unwrap_or(Path::new(config::PROJECT_FILE))
        .to_owned()
}
