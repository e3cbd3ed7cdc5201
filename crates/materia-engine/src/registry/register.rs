//! Registration: a recipe becomes a tool, is changed, or goes; all of it or nothing (R6).
//!
//! Owns the transaction: under one lock the new text is checked as it would stand in the root, then
//! replaces the file at once, and what is then found under the name is what is reported. Never
//! leaves a half-written or an unusable tool.

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

/// How long a registration waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a person or an agent wants registered; on an update, what is not given stays.
#[derive(Debug, Clone, Default)]
pub struct Registration {
    /// The name, as it was typed.
    pub name: String,
    /// The fields that are given, `template` among them: a recipe, or a part of one.
    pub fields: Map<String, Value>,
    /// Whether a tool of this name is to be changed.
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
    /// The name is no name for a tool.
    #[error("{}", .0.message)]
    Name(Box<Finding>),
    /// There is one already.
    #[error("there is a tool {} already", text::quoted(.0))]
    Exists(String),
    /// There is none to change or remove.
    #[error("there is no tool {}", text::quoted(.0))]
    Unknown(String),
    /// The recipe is no good.
    #[error("{}", .0.first().map_or("the recipe is invalid", |finding| &finding.message))]
    Invalid(Vec<Finding>),
    /// Its file cannot be changed by us without losing what the person wrote.
    #[error("{} is written by hand, as Markdown", text::quoted_within(&.0.to_string_lossy(), 300))]
    Markdown(PathBuf),
    /// A draft that is not there or lies elsewhere.
    #[error("there is no draft {}", text::quoted(.0))]
    NoDraft(String),
    /// Somebody else is registering.
    #[error(transparent)]
    Locked(#[from] LockError),
    /// The root cannot be made.
    #[error(transparent)]
    Dir(#[from] dir::DirError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] atomic::WriteError),
}

/// Registers or changes a tool.
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

/// Makes a draft a tool; the draft stays.
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

/// Takes a tool away; the recipe that it hid, if any, is used from now on.
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

/// Checks the text as it would stand, writes it, and looks what is there now.
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

/// The person's text for a free name.
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

/// The file of the person that has a name.
fn existing(library: &Library, name: &str) -> Option<PathBuf> {
    library
        .files()
        .into_iter()
        .find(|file| file.file_stem().is_some_and(|stem| stem == name))
}

/// What a file says, with the given fields over it.
fn merged(file: &Path, fields: &Map<String, Value>) -> Result<Map<String, Value>, NotRegistered> {
    if file.extension().is_some_and(|ending| ending == "md") {
        return Err(NotRegistered::Markdown(file.to_owned()));
    }
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let source = Source::new(&file.to_string_lossy(), &text);
    // A broken file is replaced as a whole, if the new fields can stand alone.
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

/// The file of a draft: its name, or its path inside the directory of drafts.
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
