//! Usage errors, reported like every other error.
//!
//! Owns the translation of clap's errors. Help and version are not errors: they go to stdout.

use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap::error::{self, ContextKind, ContextValue};
use materia_model::text;

use crate::view::style::ColorChoice;
use crate::view::{OutputFormat, Screen};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// Prints help, the version, or the usage error. Returns the exit code.
pub(super) fn tell(error: &clap::Error, world: &World) -> u8 {
    let screen = Screen::new(world, ColorChoice::Auto);
    match error.kind() {
        error::ErrorKind::DisplayHelp | error::ErrorKind::DisplayVersion => {
            screen.text(&error.render().to_string());
            0
        }
        error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            screen.text(&error.render().to_string());
            ErrorKind::Invalid.exit_code()
        }
        _ => {
            screen.failure(&failure(error), OutputFormat::of(world));
            ErrorKind::Invalid.exit_code()
        }
    }
}

fn failure(error: &clap::Error) -> ApiError {
    let rendered = error.render().to_string();
    let first = rendered.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = first
        .trim_start_matches("error: ")
        .split_whitespace()
        .collect();
    let message = text::bounded(&words.join(" ").replace('\'', "`"), 500).into_owned();
    ApiError::new(ErrorKind::Invalid, "usage", message).hint(hint(error))
}

fn hint(error: &clap::Error) -> String {
    let suggested = [
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedValue,
    ];
    let suggestion = suggested.iter().find_map(|kind| match error.get(*kind) {
        Some(ContextValue::String(one)) => Some(format!("`{one}`")),
        Some(ContextValue::Strings(many)) if !many.is_empty() => {
            // clap sorts the best match last. Three suggestions are enough.
            let quoted: Vec<String> = many
                .iter()
                .rev()
                .take(3)
                .map(|one| format!("`{one}`"))
                .collect();
            Some(text::list(&quoted, "or"))
        }
        _ => None,
    });
    let suggestion = suggestion.or_else(|| unknown_verb(error));
    suggestion.map_or_else(
        || format!("see `{} --help`", typed(error)),
        |name| format!("did you mean {name}?"),
    )
}

/// The closest subcommand to an unknown one, if clap suggests nothing.
fn unknown_verb(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let grammar = super::CommandLine::command();
    let verbs = grammar
        .get_subcommands()
        .filter(|verb| !verb.is_hide_set())
        .map(clap::Command::get_name);
    text::closest(word, verbs).map(|verb| format!("`{verb}`"))
}

/// The subcommand that the user typed, without the invalid arguments.
fn typed(error: &clap::Error) -> String {
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    let words = usage
        .split_whitespace()
        .skip_while(|word| *word != "materia");
    let words: Vec<&str> = words
        .take_while(|word| word.starts_with(|one: char| one.is_ascii_lowercase()))
        .collect();
    if words.is_empty() {
        "materia".to_owned()
    } else {
        words.join(" ")
    }
}

/// Resolves the directory of `-C`, or fails if it is not a directory.
pub(super) fn directory(world: &World, given: &Path) -> Result<PathBuf, ApiError> {
    let path = world.path(given);
    if path.is_dir() {
        return Ok(path);
    }
    let message = format!(
        "{} is not a directory",
        text::quoted(&given.to_string_lossy())
    );
    Err(ApiError::new(ErrorKind::Invalid, "no_directory", message)
        .hint("give `-C` a directory that exists"))
}
