//! The options that name a template, its values, files and standard input.
//!
//! Owns their meaning. Called by the subcommands that take a template.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use clap::Args;
use materia_engine::api::{
    ApiError, ErrorKind, InputSource, TemplateRequest, TemplateSource, TemplateValues,
};
use materia_model::text;

/// A template, and the values for it.
#[derive(Debug, Args)]
pub(super) struct Template {
    /// A template: a command line, or JSON when it begins with `{`, `[` or `"`
    #[arg(
        long,
        value_name = "T",
        conflicts_with = "file",
        allow_hyphen_values = true
    )]
    template: Option<String>,

    /// A file with a template or a recipe, JSON or Markdown
    #[arg(long, value_name = "F")]
    file: Option<PathBuf>,

    /// A JSON object with values; `-` reads it from stdin
    #[arg(long, value_name = "F")]
    values: Option<PathBuf>,

    /// What the template reads on its stdin; `-` hands ours on
    #[arg(long, value_name = "F")]
    stdin: Option<PathBuf>,

    /// A recipe's NAME (without --template and --file), then key=value words; they win over
    /// --values
    #[arg(value_name = "WORD")]
    words: Vec<String>,
}

impl Template {
    /// Builds the request for the engine.
    pub(super) fn request(self) -> Result<TemplateRequest, ApiError> {
        let is_stdin = |path: &Option<PathBuf>| path.as_deref().is_some_and(is_dash);
        if is_stdin(&self.values) && is_stdin(&self.stdin) {
            let message = "`--values -` and `--stdin -` both want stdin";
            return Err(
                ApiError::new(ErrorKind::Invalid, "usage", message).hint("give one of them a file")
            );
        }
        let stdin = self.stdin.clone().map(input).transpose()?;
        let values = values(self.values.clone())?;
        let (source, arguments) = self.source()?;
        Ok(TemplateRequest {
            source,
            values,
            arguments,
            stdin,
        })
    }

    /// The template, and the arguments after its name.
    pub(super) fn source(self) -> Result<(TemplateSource, Vec<String>), ApiError> {
        let mut words = self.words;
        match (self.template, self.file) {
            (Some(text), _) => Ok((TemplateSource::Inline(text), words)),
            (None, Some(path)) => Ok((TemplateSource::File(path), words)),
            (None, None) if words.is_empty() => {
                let message = "there is nothing to run";
                let hint = "give it --template 'echo {name=world}', or a recipe: see `materia recipe list`";
                Err(ApiError::new(ErrorKind::Invalid, "usage", message).hint(hint))
            }
            (None, None) => Ok((TemplateSource::Recipe(words.remove(0)), words)),
        }
    }

    /// Whether the user gave a template, a file or values.
    pub(super) fn is_named(&self) -> bool {
        self.template.is_some() || self.file.is_some() || self.values.is_some()
    }

    /// Whether the user gave `--stdin`.
    pub(super) fn has_stdin(&self) -> bool {
        self.stdin.is_some()
    }

    /// The positional arguments.
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }
}

/// The values from a JSON document. `-` means stdin.
pub(super) fn values(path: Option<PathBuf>) -> Result<TemplateValues, ApiError> {
    path.map_or_else(
        || Ok(TemplateValues::default()),
        |path| Ok(TemplateValues::Document(input(path)?)),
    )
}

/// The input from a file. `-` means stdin.
pub(super) fn input(path: PathBuf) -> Result<InputSource, ApiError> {
    if is_dash(&path) {
        stdin().map(InputSource::Stdin)
    } else {
        Ok(InputSource::File(path))
    }
}

/// A duplicate of this process's stdin, for the engine to read.
pub(super) fn stdin() -> Result<File, ApiError> {
    let file = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    file.map_err(|error| {
        let message = format!("{} cannot be read: {error}", text::quoted("stdin"));
        ApiError::new(ErrorKind::Invalid, "unreadable", message)
            .hint("name a file that exists and that you may read")
    })
}

fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}
