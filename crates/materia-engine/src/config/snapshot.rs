//! The config files of one request, and the config that they make together, merged once.
//!
//! Owns when the layers are merged: at the first question, and only then. Never reads a file, so
//! that everything which a request decides is decided on the same texts.

use std::cell::OnceCell;

use materia_model::loadout::{Config, ConfigLayer};

use super::ConfigFiles;

/// The config files of one request. The merged config is loaded when it is first asked for.
#[derive(Debug)]
pub struct ConfigSnapshot<'a> {
    files: &'a ConfigFiles,
    merged: OnceCell<Config<'a>>,
}

impl<'a> ConfigSnapshot<'a> {
    pub(super) fn new(files: &'a ConfigFiles) -> Self {
        Self {
            files,
            merged: OnceCell::new(),
        }
    }

    /// The files, lowest layer first.
    pub fn files(&self) -> &'a ConfigFiles {
        self.files
    }

    /// The layers, lowest first.
    pub fn layers(&self) -> &'a [ConfigLayer] {
        self.files.layers()
    }

    /// All layers as one config.
    pub fn config(&self) -> &Config<'a> {
        self.merged
            .get_or_init(|| Config::load(self.files.layers()))
    }
}
