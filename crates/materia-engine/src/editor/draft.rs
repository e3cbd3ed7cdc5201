//! Unsaved edits on top of the config files of a request.
//!
//! Owns the resulting text of a file. Never reads a file and never writes one.

use std::path::Path;

use materia_model::finding::{Finding, Source};

use super::{Edit, EditTarget};
use crate::config::{self, ConfigFiles};

/// The config files after some edits of one of them.
#[derive(Debug)]
pub(super) struct ConfigDraft {
    /// All layers, the edited one with its new text.
    pub(super) files: ConfigFiles,
    /// The current text of the edited file; `None` if it does not exist.
    pub(super) before: Option<String>,
    /// Its text after the edits.
    pub(super) after: String,
}

impl ConfigDraft {
    /// Edits the file of `target`, which is at `path`. Refused if the current file cannot be
    /// edited.
    pub(super) fn new<'a>(
        files: ConfigFiles,
        target: EditTarget,
        path: &Path,
        edits: impl IntoIterator<Item = Edit<'a>>,
    ) -> Result<Self, Vec<Finding>> {
        let layer = files.layer(target.scope());
        let before = layer.map(|layer| layer.document.source().text().to_owned());
        let name = path.to_string_lossy();
        let mut after = before.clone().unwrap_or_else(|| "{}\n".to_owned());
        for edit in edits {
            let source = Source::new(&name, &after);
            after = config::with_definition(&source, edit.section.name(), edit.name, edit.value)?;
        }
        Ok(Self {
            files: files.drafted(target.scope(), path, &after),
            before,
            after,
        })
    }
}
