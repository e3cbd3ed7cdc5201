//! What the words of a command line name: templates, values, files, standard input.
//!
//! Owns reading them, bounded (S5). Shared by the verbs that take a template.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use materia_engine::library::{Library, Located};
use materia_engine::recipe::prepare::{Asked, Prepared, prepare_with};
use materia_engine::recipe::{self, NotResolved};
use materia_engine::store::spool;
use materia_model::document::{self, MAX_BYTES};
use materia_model::finding::Source;
use materia_model::template::{self, Facts};
use materia_model::text;
use serde_json::{Map, Value};

use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

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
    /// The plan these words ask for.
    pub(super) fn prepare(
        &self,
        world: &World,
        stages: Option<&Path>,
    ) -> Result<Prepared, ApiError> {
        self.prepare_with(world, stages, &Map::new())
    }

    /// The same with values of ours, which win over the caller's where the template wants them.
    pub(super) fn prepare_with(
        &self,
        world: &World,
        stages: Option<&Path>,
        ours: &Map<String, Value>,
    ) -> Result<Prepared, ApiError> {
        if self.values.as_deref().is_some_and(is_dash) && self.stdin.as_deref().is_some_and(is_dash)
        {
            let message = "`--values -` and `--stdin -` both want stdin";
            return Err(
                ApiError::new(ErrorKind::Invalid, "usage", message).hint("give one of them a file")
            );
        }
        let values = self
            .values
            .as_deref()
            .map_or(Ok(Map::new()), |path| values(world, path))?;
        let home = world.variable("HOME").and_then(|home| home.to_str());
        let cwd = world.cwd.as_ref().ok().and_then(|cwd| cwd.to_str());
        let stages = stages.map(Path::to_string_lossy);
        let facts = Facts {
            home,
            cwd,
            has_stdin: self.stdin.is_some(),
            stages: stages.as_deref(),
            ..Facts::default()
        };
        match self.named(world)? {
            Named::Template(source) => {
                let asked = Asked {
                    source: &source,
                    values,
                    words: &self.words,
                    facts,
                };
                prepare_with(asked, ours).map_err(ApiError::from_findings)
            }
            Named::Recipe(library, found, words) => recipe::link(&library, *found, values, words)?
                .prepare_with(facts, ours)
                .map_err(ApiError::from_findings),
        }
    }

    /// The template that was given as words, as a document; nothing where it is in a file.
    pub(super) fn inline(&self) -> Option<Value> {
        let text = self.template.as_deref()?;
        let json = text.trim_start().starts_with(['{', '[', '"']);
        if json {
            serde_json::from_str(text).ok()
        } else {
            Some(text.into())
        }
    }

    /// Whether a template, its file or its values were given.
    pub(super) fn is_named(&self) -> bool {
        self.template.is_some() || self.file.is_some() || self.values.is_some()
    }

    /// Whether the template is to read something.
    pub(super) fn wants_stdin(&self) -> bool {
        self.stdin.is_some()
    }

    /// The words that are neither options nor their values.
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    /// The JSON Schema of the template's public arguments.
    pub(super) fn schema(&self, world: &World) -> Result<Value, ApiError> {
        let args = match self.named(world)? {
            Named::Template(source) => template::parse(&source)
                .map_err(ApiError::from_findings)?
                .args(),
            Named::Recipe(library, found, _) => {
                recipe::link(&library, *found, Map::new(), &[])?.args
            }
        };
        Ok(template::schema(&args))
    }

    fn named(&self, world: &World) -> Result<Named<'_>, ApiError> {
        match (&self.template, &self.file, self.words.split_first()) {
            (Some(text), ..) => Ok(Named::Template(Source::new("--template", text))),
            (None, Some(path), _) => self.in_file(world, path),
            (None, None, Some((name, words))) => {
                let library = library(world)?;
                let cwd = world.cwd.as_deref().unwrap_or(Path::new("/"));
                let found = library.find(name, cwd).map_err(NotResolved::NotFound)?;
                Ok(Named::Recipe(library, Box::new(found), words))
            }
            (None, None, None) => Err(ApiError::new(
                ErrorKind::Invalid,
                "usage",
                "there is nothing to run",
            )
            .hint(
                "give it --template 'echo {name=world}', or a recipe: see `materia recipe list`",
            )),
        }
    }

    /// A file holds a recipe when it is Markdown or a JSON object, else a bare template.
    fn in_file(&self, world: &World, path: &Path) -> Result<Named<'_>, ApiError> {
        let source = Source::new(&shown(path), &read_text(world, path)?);
        let markdown = path.extension().is_some_and(|ending| ending == "md");
        let object = || document::parse(&source).is_ok_and(|node| !node.members().is_empty());
        if !markdown && !object() {
            return Ok(Named::Template(source));
        }
        // Without a home there is nothing to import from, and a file that imports nothing needs
        // none.
        let library = match library(world) {
            Ok(library) => library,
            Err(_) if !markdown => return Ok(Named::Template(source)),
            Err(failure) => return Err(failure),
        };
        let found = library
            .open(&world.path(path), &shown(path))
            .map_err(NotResolved::NotFound)?;
        Ok(Named::Recipe(library, Box::new(found), &self.words))
    }

    /// What the template reads.
    pub(super) fn stdin(&self, world: &World, spool_dir: &Path) -> Result<Option<File>, ApiError> {
        match &self.stdin {
            None => Ok(None),
            Some(path) if is_dash(path) => {
                let collected = spool::collected(spool_dir, &mut std::io::stdin().lock());
                collected
                    .map(Some)
                    .map_err(|error| unreadable("stdin", &error))
            }
            Some(path) => {
                let opened =
                    File::open(world.path(path)).and_then(|file| rereadable(file, spool_dir));
                opened
                    .map(Some)
                    .map_err(|error| unreadable(&shown(path), &error))
            }
        }
    }
}

/// What the words name.
enum Named<'a> {
    Template(Source),
    Recipe(Library, Box<Located>, &'a [String]),
}

/// Where this person's recipes are looked for.
pub(super) fn library(world: &World) -> Result<Library, ApiError> {
    let home_dir = world.variable("HOME").map(Path::new);
    Ok(Library::new(&world.home()?, home_dir))
}

/// A file that several commands can read, each from its beginning; what flows only once is
/// collected first.
fn rereadable(mut file: File, spool_dir: &Path) -> std::io::Result<File> {
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        spool::collected(spool_dir, &mut file)
    }
}

fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

/// The fields of a recipe in a file, as a tool of that file is to have them.
pub(super) fn recipe_fields(world: &World, path: &Path) -> Result<Map<String, Value>, ApiError> {
    let source = Source::new(&shown(path), &read_text(world, path)?);
    let root = materia_model::recipe::parse(&source).map_err(ApiError::from_findings)?;
    Ok(if let Value::Object(fields) = root.to_value() {
        fields
    } else {
        Map::new()
    })
}

/// A JSON object with values.
pub(super) fn values(world: &World, path: &Path) -> Result<Map<String, Value>, ApiError> {
    let text = if is_dash(path) {
        read_bounded(&mut std::io::stdin().lock(), "stdin")?
    } else {
        read_text(world, path)?
    };
    let source = Source::new(&shown(path), &text);
    let node = document::parse(&source).map_err(ApiError::from_findings)?;
    match node.to_value() {
        Value::Object(values) => Ok(values),
        _ => {
            let message = format!(
                "the values in {} are {}, not an object",
                text::quoted(&shown(path)),
                node.kind()
            );
            Err(ApiError::new(ErrorKind::Invalid, "invalid_values", message)
                .hint("write {\"name\": \"value\"}"))
        }
    }
}

/// A text file, no larger than any document may be.
pub(super) fn read_text(world: &World, path: &Path) -> Result<String, ApiError> {
    let mut file =
        File::open(world.path(path)).map_err(|error| unreadable(&shown(path), &error))?;
    read_bounded(&mut file, &shown(path))
}

pub(super) fn read_bounded(reader: &mut impl Read, name: &str) -> Result<String, ApiError> {
    let mut bytes = Vec::new();
    reader
        .take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(name, &error))?;
    if bytes.len() > MAX_BYTES {
        let message = format!("{} has more than {MAX_BYTES} bytes", text::quoted(name));
        return Err(ApiError::new(ErrorKind::Invalid, "too_large", message)
            .hint("split it, or pass large data by a file"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let message = format!(
            "{} is not UTF-8 text from byte {} on",
            text::quoted(name),
            error.utf8_error().valid_up_to()
        );
        ApiError::new(ErrorKind::Invalid, "not_text", message).hint("write it as UTF-8")
    })
}

fn unreadable(name: &str, error: &std::io::Error) -> ApiError {
    let message = format!("{} cannot be read: {error}", text::quoted(name));
    let kind = if error.kind() == std::io::ErrorKind::NotFound {
        ErrorKind::NotFound
    } else {
        ErrorKind::Invalid
    };
    ApiError::new(kind, "unreadable", message).hint("name a file that exists and that you may read")
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
