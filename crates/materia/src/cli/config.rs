//! The option that names a config file.

use std::path::PathBuf;

use clap::Args;

/// The config on top of all others.
#[derive(Debug, Default, Args)]
pub(super) struct Config {
    /// A config file on top of yours and the project's
    #[arg(long, alias = "materia-config", value_name = "F")]
    config: Option<PathBuf>,
}

impl Config {
    /// The path, as the user typed it.
    pub(super) fn named(self) -> Option<PathBuf> {
        self.config
    }
}
