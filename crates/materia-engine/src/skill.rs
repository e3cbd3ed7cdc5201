//! `skill`: instructions for agents about this program, installed where they look for skills.
//!
//! Owns the text and its installation. A modified copy is replaced only with `force`.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::store::atomic::{self, WriteError};
use crate::store::dir::{self, DirError};

/// The shipped skill.
pub const TEXT: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../skills/materia/SKILL.md"
));

/// Its name, which is the name of its directory.
const NAME: &str = "materia";

/// The report of an installation.
#[derive(Debug, Serialize)]
pub struct SkillInstallReport {
    /// Always true; a failed write is an error.
    pub ok: bool,
    /// The agent it is for, if one was named.
    pub agent: Option<String>,
    /// The file.
    pub path: String,
    /// `installed`, `replaced` or `unchanged`.
    pub action: &'static str,
}

/// Why the skill was not installed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A modified copy exists.
    #[error("{0} is there and differs")]
    Differs(PathBuf),
    /// The existing copy cannot be read.
    #[error("{0} cannot be read")]
    Unreadable(PathBuf, #[source] io::Error),
    /// The directory cannot be created.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Writes the skill to a directory of skills; `force` replaces a modified copy.
pub fn install(
    agent: Option<&str>,
    skills: &Path,
    force: bool,
) -> Result<SkillInstallReport, Error> {
    let folder = skills.join(NAME);
    let path = folder.join("SKILL.md");
    let there = match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Error::Unreadable(path, error)),
    };
    let action = match there {
        Some(bytes) if bytes == TEXT.as_bytes() => "unchanged",
        Some(_) if !force => return Err(Error::Differs(path)),
        Some(_) => "replaced",
        None => "installed",
    };
    if action != "unchanged" {
        dir::create_private(&folder)?;
        atomic::write(&path, TEXT.as_bytes())?;
    }
    let path = path.to_string_lossy().into_owned();
    Ok(SkillInstallReport {
        ok: true,
        agent: agent.map(str::to_owned),
        path,
        action,
    })
}
