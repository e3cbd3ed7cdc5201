//! `artifact-write`: what flows to it, or a file's content, becomes a file.
//!
//! Owns the three modes and the question in advance whether one will do, which a recipe asks before
//! it pays for the content.

use std::path::Path;

use materia_model::text;
use serde_json::json;

use super::super::answer::{Answer, Trouble};
use super::options::Options;
use super::{Asked, files};
use crate::store::file::{self, Mode};

const MODES: [(&str, Mode); 3] = [
    ("create", Mode::Create),
    ("overwrite", Mode::Overwrite),
    ("append", Mode::Append),
];

pub(super) fn run(asked: &mut Asked<'_>, options: &Options) -> Result<Answer, Trouble> {
    let mode = options.word("mode", &MODES, Mode::Create)?;
    let path = options.path("path", asked).unwrap_or_default();
    check(&path, mode)?;
    let name = path.to_string_lossy().into_owned();
    let word = MODES
        .iter()
        .find(|(_, known)| *known == mode)
        .map_or("create", |(word, _)| word);
    if options.flag("check") {
        return Ok(json!({"ok": true, "path": name, "mode": word, "written": false}).into());
    }
    let content = match options.path("source", asked) {
        Some(source) => files::bytes(&source)?,
        None => files::all(asked.stdin, "stdin")?,
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

/// Says now what would go wrong later.
fn check(path: &Path, mode: Mode) -> Result<(), Trouble> {
    let name = path.to_string_lossy();
    match path.symlink_metadata() {
        Ok(about) if about.is_dir() => Err(Trouble::wrong(
            format!("{} is a directory", text::quoted(&name)),
            "name a file",
        )),
        Ok(_) if mode == Mode::Create => Err(exists(path)),
        _ => Ok(()),
    }
}

fn exists(path: &Path) -> Trouble {
    let message = format!("{} is there already", text::quoted(&path.to_string_lossy()));
    Trouble::failed(
        message,
        "choose mode=overwrite or mode=append, or another path",
    )
}

fn refused(name: &str, error: &std::io::Error) -> Trouble {
    let message = format!("{} cannot be written: {error}", text::quoted(name));
    Trouble::failed(
        message,
        "check that the directory is writable, and that the disk has space",
    )
}
