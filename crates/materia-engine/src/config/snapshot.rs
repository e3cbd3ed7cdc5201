//! The config files of one request, and their merged config, merged once.
//!
//! Owns when the layers are merged: on first use. Never reads a file, so that all decisions of a
//! request use the same texts.

use std::cell::OnceCell;

use materia_model::loadout::{Config, ConfigLayer};

use super::ConfigFiles;

/// The config files of one request. The merged config is loaded on first use.
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

    /// All layers, merged.
    pub fn config(&self) -> &Config<'a> {
        self.merged
            .get_or_init(|| Config::load(self.files.layers()))
    }
}
