//! `skill`: what an agent has to know about this program, put where it looks for such things.
//!
//! Owns the text and its installation. A copy that somebody changed is not replaced without being
//! told to.

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
pub struct Installed {
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

/// Whether another text may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    /// Only ours.
    Never,
    /// Any.
    Always,
}

/// Puts the skill into a directory of skills.
pub fn install(agent: Option<&str>, skills: &Path, replace: Replace) -> Result<Installed, Error> {
    let folder = skills.join(NAME);
    let path = folder.join("SKILL.md");
    let there = match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Error::Unreadable(path, error)),
    };
    let action = match there {
        Some(bytes) if bytes == TEXT.as_bytes() => "unchanged",
        Some(_) if replace == Replace::Never => return Err(Error::Differs(path)),
        Some(_) => "replaced",
        None => "installed",
    };
    if action != "unchanged" {
        dir::create_private(&folder)?;
        atomic::write(&path, TEXT.as_bytes())?;
    }
    let path = path.to_string_lossy().into_owned();
    Ok(Installed {
        ok: true,
        agent: agent.map(str::to_owned),
        path,
        action,
    })
}
