//! `materia split`: splits a command line into words, as a template does.

use clap::Args;
use materia_model::finding::Source;
use materia_model::template;

use crate::view::{OutputFormat, Screen, Words};
use materia_engine::api::ApiError;

/// Show the words of a command line, as a template splits them
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  materia split \"grep -n 'two words' file\"")]
pub(super) struct Split {
    /// The command line
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
}

impl Split {
    pub(super) fn run(self, screen: Screen, format: OutputFormat) -> Result<u8, ApiError> {
        let words =
            template::split(&Source::new("TEXT", &self.text)).map_err(ApiError::from_findings)?;
        screen.report(&Words { ok: true, words }, format);
        Ok(0)
    }
}
