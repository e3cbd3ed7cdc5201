//! Registration: adding, changing and removing tools, each as a transaction (R6).
//!
//! Owns the transaction. Under one lock it checks the new text as if it were in the root, replaces
//! the file atomically, and reports what discovery then finds under the name. Never leaves a partly
//! written or unusable tool.

use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::finding::{Finding, Severity, Source};
use materia_model::recipe;
use materia_model::text;
use serde::Serialize;
use serde_json::{Map, Value};

use super::entry::{RecipeState, RegistryEntry};
use super::{name, survey};
use crate::library::Library;
use crate::store::lock::{Holder, Lock, LockError, LockMode, LockWait};
use crate::store::{atomic, dir};

/// How long a registration waits for a concurrent one.
const PATIENCE: Duration = Duration::from_secs(5);

/// A request to register a tool. On an update, fields that are not given keep their values.
#[derive(Debug, Clone, Default)]
pub struct Registration {
    /// The name as typed.
    pub name: String,
    /// The given fields, including `template`: a complete recipe or a part of one.
    pub fields: Map<String, Value>,
    /// Whether to change an existing tool of this name.
    pub update: bool,
}

/// A tool that was changed, as it is found afterwards.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ToolChangeReport {
    /// Always true; what is refused is a failure.
    pub ok: bool,
    /// The tool's name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// Whether the file is written and synced.
    pub persisted: bool,
    /// Whether what is in it is a good recipe.
    pub valid: bool,
    /// Whether it can be called now.
    pub callable: bool,
    /// What was done: `registered`, `updated`, `promoted` or `removed`.
    pub action: &'static str,
    /// Its arguments.
    pub args: Vec<String>,
    /// What deserves a look.
    pub warnings: Vec<String>,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum NotRegistered {
    /// The name is not valid for a tool.
    #[error("{}", .0.message)]
    Name(Box<Finding>),
    /// A tool of this name exists.
    #[error("there is a tool {} already", text::quoted(.0))]
    Exists(String),
    /// No tool of this name exists.
    #[error("there is no tool {}", text::quoted(.0))]
    Unknown(String),
    /// The recipe is invalid.
    #[error("{}", .0.first().map_or("the recipe is invalid", |finding| &finding.message))]
    Invalid(Vec<Finding>),
    /// The file is Markdown, which we cannot rewrite without losing what the user wrote.
    #[error("{} is written by hand, as Markdown", text::quoted_within(&.0.to_string_lossy(), 300))]
    Markdown(PathBuf),
    /// The draft does not exist, or is outside the directory of drafts.
    #[error("there is no draft {}", text::quoted(.0))]
    NoDraft(String),
    /// Another registration holds the lock.
    #[error(transparent)]
    Locked(#[from] LockError),
    /// The root cannot be created.
    #[error(transparent)]
    Dir(#[from] dir::DirError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] atomic::WriteError),
}

/// Registers a tool or changes one.
pub fn register(
    library: &Library,
    registration: &Registration,
) -> Result<ToolChangeReport, NotRegistered> {
    let name = proper(&registration.name)?;
    let _lock = lock(library)?;
    let before = existing(library, &name);
    let fields = match (&before, registration.update) {
        (Some(_), false) => return Err(NotRegistered::Exists(name)),
        (None, true) => return Err(NotRegistered::Unknown(name)),
        (None, false) => registration.fields.clone(),
        (Some(file), true) => merged(file, &registration.fields)?,
    };
    let action = if before.is_some() {
        "updated"
    } else {
        "registered"
    };
    write(library, &name, &Value::Object(fields), action)
}

/// Turns a draft into a tool. The draft stays.
pub fn promote(
    library: &Library,
    draft: &str,
    name: Option<&str>,
    update: bool,
) -> Result<ToolChangeReport, NotRegistered> {
    let file = draft_file(library, draft)?;
    let stem = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let name = proper(name.unwrap_or(&stem))?;
    let _lock = lock(library)?;
    if existing(library, &name).is_some() && !update {
        return Err(NotRegistered::Exists(name));
    }
    let located = library.own(&file).map_err(|error| {
        NotRegistered::Invalid(vec![
            Finding::error(error.code, error.message).hint(error.hint),
        ])
    })?;
    let root = recipe::parse(located.source()).map_err(NotRegistered::Invalid)?;
    write(library, &name, &root.to_value(), "promoted")
}

/// Removes a tool. A recipe that it shadowed becomes active.
pub fn remove(library: &Library, name: &str) -> Result<ToolChangeReport, NotRegistered> {
    let _lock = lock(library)?;
    let Some(file) = existing(library, name) else {
        return Err(NotRegistered::Unknown(name.to_owned()));
    };
    atomic::remove(&file)?;
    let after = survey::entry(library, name);
    let mut warnings = Vec::new();
    if let Some(after) = &after {
        warnings.push(format!(
            "{} is {} from now on",
            after.path,
            text::quoted(name)
        ));
    }
    Ok(ToolChangeReport {
        ok: true,
        name: name.to_owned(),
        path: file.to_string_lossy().into_owned(),
        persisted: true,
        valid: true,
        callable: after.is_some_and(|after| after.tool),
        action: "removed",
        args: Vec::new(),
        warnings,
    })
}

/// Validates the text as if it were in the root, writes it, and reports what discovery finds then.
fn write(
    library: &Library,
    name: &str,
    recipe: &Value,
    action: &'static str,
) -> Result<ToolChangeReport, NotRegistered> {
    let file = library.root().join(format!("{name}.json"));
    let text = format!(
        "{}\n",
        serde_json::to_string_pretty(recipe).unwrap_or_default()
    );
    library
        .link(&library.unwritten(&file, &text))
        .map_err(|mut findings| {
            findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
            NotRegistered::Invalid(findings)
        })?;
    atomic::write(&file, text.as_bytes())?;
    let entry = survey::entry(library, name);
    let found = entry
        .as_ref()
        .is_some_and(|entry| Path::new(&entry.path) == file);
    let args = entry
        .iter()
        .flat_map(|entry| &entry.args)
        .map(|arg| arg.name.clone())
        .collect();
    Ok(ToolChangeReport {
        ok: true,
        name: name.to_owned(),
        path: file.to_string_lossy().into_owned(),
        persisted: true,
        valid: found
            && entry
                .as_ref()
                .is_some_and(|entry| entry.state != RecipeState::Invalid),
        callable: found && entry.as_ref().is_some_and(|entry| entry.tool),
        action,
        args,
        warnings: entry.iter().flat_map(noted).collect(),
    })
}

fn noted(entry: &RegistryEntry) -> Vec<String> {
    let warnings = entry
        .issues
        .iter()
        .filter(|issue| issue.severity == Severity::Warning);
    let mut noted: Vec<String> = warnings.map(|issue| issue.message.clone()).collect();
    if entry.description.is_none() {
        noted.push("it has no description, and agents choose tools by it".to_owned());
    }
    if !entry.risks.is_empty() {
        noted.push(format!("it touches: {}", entry.risks.join(", ")));
    }
    noted.extend(
        entry
            .shadows
            .iter()
            .map(|hidden| format!("it hides {hidden}")),
    );
    noted
}

/// A valid tool name for the name that the user gave.
fn proper(given: &str) -> Result<String, NotRegistered> {
    let name = match name::check(given) {
        Ok(()) => given.to_owned(),
        Err(finding) if finding.code == "reserved-name" => {
            return Err(NotRegistered::Name(finding));
        }
        Err(finding) => name::normalise(given).ok_or(NotRegistered::Name(finding))?,
    };
    name::check(&name).map_err(NotRegistered::Name)?;
    Ok(name)
}

/// The user's recipe file with this name.
fn existing(library: &Library, name: &str) -> Option<PathBuf> {
    library
        .files()
        .into_iter()
        .find(|file| file.file_stem().is_some_and(|stem| stem == name))
}

/// The fields of a file, overridden by the given ones.
fn merged(file: &Path, fields: &Map<String, Value>) -> Result<Map<String, Value>, NotRegistered> {
    if file.extension().is_some_and(|ending| ending == "md") {
        return Err(NotRegistered::Markdown(file.to_owned()));
    }
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let source = Source::new(&file.to_string_lossy(), &text);
    // Replace a broken file completely, if the new fields are a recipe on their own.
    let before = match recipe::parse(&source) {
        Ok(root) => root.to_value(),
        Err(_) if fields.contains_key("template") => Value::Null,
        Err(findings) => return Err(NotRegistered::Invalid(findings)),
    };
    let mut merged = if let Value::Object(before) = before {
        before
    } else {
        Map::new()
    };
    merged.extend(fields.clone());
    Ok(merged)
}

/// Finds a draft by its name or by its path inside the directory of drafts.
fn draft_file(library: &Library, draft: &str) -> Result<PathBuf, NotRegistered> {
    let drafts = library.drafts();
    let unknown = || NotRegistered::NoDraft(draft.to_owned());
    let given = Path::new(draft);
    let inside = given.strip_prefix(&drafts).unwrap_or(given);
    let plain = inside.components().count() == 1
        && inside
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
    let named = drafts.join(inside);
    let with = |ending: &str| drafts.join(format!("{}.{ending}", inside.to_string_lossy()));
    let tries = [named, with("json"), with("md")];
    tries
        .into_iter()
        .find(|file| plain && file.is_file())
        .ok_or_else(unknown)
}

fn lock(library: &Library) -> Result<Lock, NotRegistered> {
    dir::create_private(library.root())?;
    let file = library.root().join(".registry.lock");
    Ok(Lock::acquire(
        &file,
        LockMode::Exclusive,
        LockWait::For(PATIENCE),
        &Holder::current(),
    )?)
}
