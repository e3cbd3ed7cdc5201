//! `init`: a starter for a project: a loadout, the replies of a scripted agent to try it with, and
//! a recipe.
//!
//! Owns the files and the report. Never overwrites: an existing file stays, and the report says so.
//! A config that was written here from our own text is trusted at once (S1); an existing one is
//! not.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::clock::Clock;
use crate::config::{ConfigFiles, ConfigReadError, Places};
use crate::home::Home;
use crate::store::atomic::{self, WriteError};
use crate::store::dir::{self, DirError};
use crate::trust::ProjectTrust;

/// The files: path, content and purpose.
const FILES: [(&str, &str, &str); 3] = [
    (
        CONFIG,
        include_str!("../../assets/starter/pi-materia.json"),
        "the config, with the loadout Starter",
    ),
    (
        ".pi/starter-replies.json",
        include_str!("../../assets/starter/starter-replies.json"),
        "replies to try it with, without a model",
    ),
    (
        ".pi/recipes/facts.json",
        include_str!("../../assets/starter/recipe.json"),
        "a recipe: a saved command template",
    ),
];
const CONFIG: &str = ".pi/pi-materia.json";

/// Why no starter was written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A directory cannot be created.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The written config cannot be read.
    #[error(transparent)]
    Read(#[from] ConfigReadError),
    /// Trust cannot be recorded.
    #[error(transparent)]
    Trust(#[from] crate::trust::Error),
}

/// The report of `init`.
#[derive(Debug, Serialize)]
pub struct InitReport {
    /// Always true.
    pub ok: bool,
    /// The project.
    pub directory: String,
    /// The files, in the order to read them.
    pub files: Vec<InitFile>,
    /// Whether the config may run: we wrote it, or it was trusted before.
    pub trusted: bool,
    /// Commands to try next.
    pub next: Vec<String>,
}

/// One file of the starter.
#[derive(Debug, Serialize)]
pub struct InitFile {
    /// Its path below the project.
    pub path: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// `written`, or `kept` if it existed.
    pub action: &'static str,
}

/// Writes the starter into a project. `operator`: whether the user calls, who may trust (S2).
pub fn init(
    project: &Path,
    home: &Home,
    operator: bool,
    clock: &Clock,
) -> Result<InitReport, Error> {
    let mut files = Vec::new();
    for (path, text, about) in FILES {
        let action = if put(&project.join(path), text)? {
            "written"
        } else {
            "kept"
        };
        files.push(InitFile {
            path,
            about,
            action,
        });
    }
    let ours = files
        .iter()
        .any(|file| file.path == CONFIG && file.action == "written");
    let found = ConfigFiles::find(Places {
        home: Some(home),
        project,
        environment: None,
        flag: None,
    })?;
    let trust = ProjectTrust::inspect(&found, Some(home));
    let trusted = if ours && operator {
        trust?.grant(home, clock)?;
        true
    } else {
        trust.is_ok_and(|trust| trust.require().is_ok())
    };
    let mut next = vec!["materia grid".to_owned()];
    if !trusted {
        next.push("materia trust".to_owned());
    }
    if ours {
        next.push("materia cast --agent-script .pi/starter-replies.json \"say hello\"".to_owned());
    }
    next.push("materia run --file .pi/recipes/facts.json".to_owned());
    next.push("materia doctor".to_owned());
    let directory = project.to_string_lossy().into_owned();
    Ok(InitReport {
        ok: true,
        directory,
        files,
        trusted,
        next,
    })
}

/// Writes a file unless it exists; returns whether it did.
fn put(path: &Path, text: &str) -> Result<bool, Error> {
    if std::fs::symlink_metadata(path).is_ok() {
        return Ok(false);
    }
    let folder: PathBuf = path.parent().map(Path::to_owned).unwrap_or_default();
    if !folder.is_dir() {
        dir::create_private(&folder)?;
    }
    atomic::write(path, text.as_bytes())?;
    Ok(true)
}
