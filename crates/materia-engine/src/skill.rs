//! `skill`: what an agent has to know about this program, installed where it looks for skills.
//!
//! Owns the text and its installation. A copy that was changed is replaced only by force.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::store::atomic::{self, WriteError};
use crate::store::dir::{self, DirError};

/// The skill, as it ships.
pub const TEXT: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../skills/materia/SKILL.md"
));

/// Its name, which is the name of its directory.
const NAME: &str = "materia";

/// What was done.
#[derive(Debug, Serialize)]
pub struct SkillInstallReport {
    /// Always true; what was not written is a failure.
    pub ok: bool,
    /// The agent it is for, where one was named.
    pub agent: Option<String>,
    /// The file.
    pub path: String,
    /// `installed`, `replaced` or `unchanged`.
    pub action: &'static str,
}

/// Why nothing was installed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another text is there.
    #[error("{0} is there and differs")]
    Differs(PathBuf),
    /// What is there cannot be read.
    #[error("{0} cannot be read")]
    Unreadable(PathBuf, #[source] io::Error),
    /// There is no directory.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Writes the skill into a directory of skills; `force` replaces a copy that was changed.
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
