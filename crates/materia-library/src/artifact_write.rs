//! `artifact-write`: writes its input, or the content of a file, to a file.
//!
//! Owns the three modes and the check that a recipe runs before it pays for the content.

use std::path::Path;

use materia_engine::store::file::{self, WriteMode};
use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityReport};
use materia_model::text;
use serde_json::json;

use crate::files;

const MODES: [(&str, WriteMode); 3] = [
    ("create", WriteMode::Create),
    ("overwrite", WriteMode::Overwrite),
    ("append", WriteMode::Append),
];

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let mode = options.word("mode", &MODES, WriteMode::Create)?;
    let path = options.path("path", context).unwrap_or_default();
    check(&path, mode)?;
    let name = path.to_string_lossy().into_owned();
    let word = MODES
        .iter()
        .find(|(_, known)| *known == mode)
        .map_or("create", |(word, _)| word);
    if options.flag("check") {
        return Ok(json!({"ok": true, "path": name, "mode": word, "written": false}).into());
    }
    let content = match options.path("source", context) {
        Some(source) => files::bytes(&source)?,
        None => files::all(context.stdin, "stdin")?,
    };
    file::write(&path, &content, mode).map_err(|error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            exists(&path)
        } else {
            refused(&name, &error)
        }
    })?;
    Ok(
        json!({"ok": true, "path": name, "mode": word, "written": true, "bytes": content.len()})
            .into(),
    )
}

/// Reports in advance what would make the write fail.
fn check(path: &Path, mode: WriteMode) -> Result<(), UtilityError> {
    let name = path.to_string_lossy();
    match path.symlink_metadata() {
        Ok(about) if about.is_dir() => Err(UtilityError::wrong(
            format!("{} is a directory", text::quoted(&name)),
            "name a file",
        )),
        Ok(_) if mode == WriteMode::Create => Err(exists(path)),
        _ => Ok(()),
    }
}

fn exists(path: &Path) -> UtilityError {
    let message = format!("{} is there already", text::quoted(&path.to_string_lossy()));
    UtilityError::failed(
        message,
        "choose mode=overwrite or mode=append, or another path",
    )
}

fn refused(name: &str, error: &std::io::Error) -> UtilityError {
    let message = format!("{} cannot be written: {error}", text::quoted(name));
    UtilityError::failed(
        message,
        "check that the directory is writable, and that the disk has space",
    )
}
