//! Reads a template, its values and its input.
//!
//! Owns reading them, bounded (S5), and distinguishing a recipe from a bare template. Expands
//! nothing.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use materia_model::document;
use materia_model::finding::{Finding, Source};
use materia_model::template;
use materia_model::text;
use serde_json::{Map, Value};

use super::{LinkedTemplate, NotResolved};
use crate::home::NoHome;
use crate::library::Library;
use crate::store::spool;
use crate::store::text::{self as text_file, TextError};

/// A template, and the values for it.
#[derive(Debug)]
pub struct TemplateRequest {
    /// The template.
    pub source: TemplateSource,
    /// Values for its arguments.
    pub values: TemplateValues,
    /// Values as `key=value` words; they override `values`.
    pub arguments: Vec<String>,
    /// The source of its stdin.
    pub stdin: Option<InputSource>,
}

/// Where a template comes from.
#[derive(Debug, Clone)]
pub enum TemplateSource {
    /// The text itself: a command line, or JSON when it begins with `{`, `[` or `"`.
    Inline(String),
    /// A file with a template or a recipe, JSON or Markdown.
    File(PathBuf),
    /// The name or the path of a recipe.
    Recipe(String),
}

/// Where values come from.
#[derive(Debug)]
pub enum TemplateValues {
    /// The values themselves.
    Object(Map<String, Value>),
    /// A JSON document.
    Document(InputSource),
}

impl Default for TemplateValues {
    fn default() -> Self {
        Self::Object(Map::new())
    }
}

/// A source of text or input.
#[derive(Debug)]
pub enum InputSource {
    /// A file by its path.
    File(PathBuf),
    /// The stdin of the process.
    Stdin(File),
}

/// Where names and relative paths are looked up.
#[derive(Debug)]
pub struct SourceContext<'a> {
    /// Where recipes are looked up; an error without a home directory.
    pub library: Result<Library, NoHome>,
    /// The working directory, which may have been deleted.
    pub cwd: Option<&'a Path>,
}

/// Why a template or its values were not read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file was not read.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A document or an argument is invalid.
    #[error("{}", .0.first().map_or("the template is invalid", |finding| &finding.message))]
    Invalid(Vec<Finding>),
    /// The values are not an object.
    #[error("the values in {} are {kind}, not an object", text::quoted(.name))]
    Values {
        /// The name of the document.
        name: String,
        /// The type that they have instead.
        kind: &'static str,
    },
    /// There is no such recipe, or it cannot be used.
    #[error(transparent)]
    Recipe(#[from] NotResolved),
    /// There is no home directory.
    #[error(transparent)]
    NoHome(#[from] NoHome),
}

impl TemplateRequest {
    /// Reads and links the template, and types its values.
    pub fn link(self, context: &SourceContext<'_>) -> Result<LinkedTemplate, SourceError> {
        let values = self.values.read(context)?;
        self.source.link(context, values, &self.arguments)
    }
}

impl TemplateSource {
    /// The JSON Schema of the template's public arguments.
    pub fn schema(&self, context: &SourceContext<'_>) -> Result<Value, SourceError> {
        let linked = self.link(context, Map::new(), &[])?;
        Ok(template::schema(linked.template.args()))
    }

    fn link(
        &self,
        context: &SourceContext<'_>,
        values: Map<String, Value>,
        arguments: &[String],
    ) -> Result<LinkedTemplate, SourceError> {
        match self {
            Self::Inline(text) => {
                let source = Source::new("--template", text);
                LinkedTemplate::parse(&source, values, arguments).map_err(SourceError::Invalid)
            }
            Self::File(path) => link_file(path, context, values, arguments),
            Self::Recipe(name) => {
                let cwd = context.cwd.unwrap_or(Path::new("/"));
                let library = context.library()?;
                let located = library.find(name, cwd).map_err(NotResolved::NotFound)?;
                Ok(LinkedTemplate::link(library, located, values, arguments)?)
            }
        }
    }

    /// An inline template as a document.
    pub fn inline(&self) -> Option<Value> {
        let Self::Inline(text) = self else {
            return None;
        };
        match is_json(text) {
            true => serde_json::from_str(text).ok(),
            false => Some(text.as_str().into()),
        }
    }
}

/// Whether the text of a template is JSON and not a command line.
pub(crate) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"'])
}

/// Links a file: a recipe if it is Markdown or a JSON object, otherwise a bare template.
fn link_file(
    path: &Path,
    context: &SourceContext<'_>,
    values: Map<String, Value>,
    arguments: &[String],
) -> Result<LinkedTemplate, SourceError> {
    let (name, file) = (path.to_string_lossy(), context.path(path));
    let source = Source::new(&name, &text_file::read_file(&file, &name)?);
    let markdown = path.extension().is_some_and(|ending| ending == "md");
    let object = || document::parse(&source).is_ok_and(|node| !node.members().is_empty());
    let library = match &context.library {
        _ if !markdown && !object() => None,
        Ok(library) => Some(library),
        // Without a home directory there is nothing to import from. A template without imports
        // needs none.
        Err(_) if !markdown => None,
        Err(error) => return Err(SourceError::NoHome(error.clone())),
    };
    let Some(library) = library else {
        return LinkedTemplate::parse(&source, values, arguments).map_err(SourceError::Invalid);
    };
    let located = library
        .with_text(&file, &name, source.text())
        .map_err(NotResolved::NotFound)?;
    Ok(LinkedTemplate::link(library, located, values, arguments)?)
}

impl TemplateValues {
    /// Reads the values as an object.
    pub fn read(self, context: &SourceContext<'_>) -> Result<Map<String, Value>, SourceError> {
        let (name, text) = match self {
            Self::Object(values) => return Ok(values),
            Self::Document(InputSource::Stdin(file)) => {
                ("-".to_owned(), text_file::read(file, "stdin")?)
            }
            Self::Document(InputSource::File(path)) => {
                let name = path.to_string_lossy().into_owned();
                let text = text_file::read_file(&context.path(&path), &name)?;
                (name, text)
            }
        };
        let node = document::parse(&Source::new(&name, &text)).map_err(SourceError::Invalid)?;
        match node.to_value() {
            Value::Object(values) => Ok(values),
            _ => Err(SourceError::Values {
                name,
                kind: node.kind(),
            }),
        }
    }
}

impl InputSource {
    /// Reads the text.
    pub fn text(self, context: &SourceContext<'_>) -> Result<String, TextError> {
        match self {
            Self::Stdin(file) => text_file::read(file, "stdin"),
            Self::File(path) => text_file::read_file(&context.path(&path), &path.to_string_lossy()),
        }
    }

    /// Opens a file that several commands can read, each from its beginning. A stream that can be
    /// read only once is copied into the spool directory first.
    pub fn open(self, context: &SourceContext<'_>, spool_dir: &Path) -> Result<File, TextError> {
        let (name, opened) = match self {
            Self::Stdin(mut file) => ("stdin".into(), spool::collected(spool_dir, &mut file)),
            Self::File(path) => {
                let file = File::open(context.path(&path));
                let opened = file.and_then(|file| rereadable(file, spool_dir));
                (path.to_string_lossy().into_owned(), opened)
            }
        };
        opened.map_err(|error| TextError::unreadable(&name, error))
    }
}

fn rereadable(mut file: File, spool_dir: &Path) -> io::Result<File> {
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        spool::collected(spool_dir, &mut file)
    }
}

impl SourceContext<'_> {
    fn library(&self) -> Result<&Library, SourceError> {
        self.library
            .as_ref()
            .map_err(|error| SourceError::NoHome(error.clone()))
    }

    /// Resolves a path relative to the working directory.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.cwd
            .map_or_else(|| path.to_owned(), |cwd| cwd.join(path))
    }
}
