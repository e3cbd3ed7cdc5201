//! `validate`: checks config files, each to its end.
//!
//! Owns the report. A file is checked on top of the shipped config only, so that the result is the
//! same on every machine. Starts nothing and changes nothing.

use std::path::{Path, PathBuf};

use materia_model::document::{self, MAX_BYTES};
use materia_model::finding::{Finding, Severity, Source};
use materia_model::loadout::{Config, ConfigScope};
use serde::Serialize;

use crate::config::{ConfigFiles, ConfigReadError, SHIPPED_NAME};
use crate::library::Library;

/// The answer to `validate`.
#[derive(Debug, Serialize)]
pub struct ValidateReport {
    /// Whether no file has an error.
    pub ok: bool,
    /// The files, in the order given.
    pub files: Vec<ValidatedFile>,
}

/// One file and its findings.
#[derive(Debug, Serialize)]
pub struct ValidatedFile {
    /// The file as the caller named it.
    pub file: String,
    /// Whether it has no error.
    pub ok: bool,
    /// Errors and warnings, in the order of the file.
    pub issues: Vec<Finding>,
}

impl ValidateReport {
    fn new(files: Vec<ValidatedFile>) -> Self {
        Self {
            ok: files.iter().all(|file| file.ok),
            files,
        }
    }
}

impl ValidatedFile {
    fn new(file: String, issues: Vec<Finding>) -> Self {
        let ok = issues.iter().all(|issue| issue.severity != Severity::Error);
        Self { file, ok, issues }
    }
}

/// Checks files; relative paths are resolved against `project`. With a library, recipes among them
/// are recognized by their content and checked with their imports.
pub fn validate(library: Option<&Library>, project: &Path, named: &[PathBuf]) -> ValidateReport {
    let checked =
        named.iter().map(
            |named| match library.filter(|_| is_recipe(&project.join(named))) {
                Some(library) => check_recipe(library, named, &project.join(named)),
                None => check(named, project.join(named)),
            },
        );
    ValidateReport::new(checked.collect())
}

/// Checks files as recipes.
pub fn validate_recipes(library: &Library, project: &Path, named: &[PathBuf]) -> ValidateReport {
    ValidateReport::new(
        named
            .iter()
            .map(|named| check_recipe(library, named, &project.join(named)))
            .collect(),
    )
}

/// Whether a file is a recipe: Markdown, or an object with a `template`.
fn is_recipe(path: &Path) -> bool {
    if path.extension().is_some_and(|ending| ending == "md") {
        return path.exists();
    }
    let text = if path
        .metadata()
        .is_ok_and(|found| found.is_file() && found.len() <= MAX_BYTES as u64)
    {
        std::fs::read_to_string(path).unwrap_or_default()
    } else {
        String::new()
    };
    document::parse(&Source::new("", &text)).is_ok_and(|root| root.get("template").is_some())
}

fn check_recipe(library: &Library, named: &Path, path: &Path) -> ValidatedFile {
    let name = named.to_string_lossy().into_owned();
    let issues = match library.open(path, &name) {
        Err(error) => vec![Finding::error(error.code, error.message).hint(error.hint)],
        Ok(located) => match library.link(&located) {
            Ok(linked) => linked.template.warnings().to_vec(),
            Err(findings) => findings,
        },
    };
    ValidatedFile::new(name, issues)
}

/// Checks the layers in effect, and lists the findings of each file.
pub fn in_effect(config: &Config<'_>) -> ValidateReport {
    let mut findings = config.check();
    let mut checked = Vec::new();
    for layer in config
        .layers()
        .iter()
        .filter(|layer| layer.scope != ConfigScope::Default)
    {
        let name = layer.document.source().name();
        let (own, rest) = findings
            .into_iter()
            .partition(|finding| is_in(finding, name));
        findings = rest;
        checked.push(ValidatedFile::new(name.to_owned(), own));
    }
    checked.insert(0, ValidatedFile::new(SHIPPED_NAME.to_owned(), findings));
    ValidateReport::new(checked)
}

fn check(named: &Path, path: PathBuf) -> ValidatedFile {
    let name = named.to_string_lossy().into_owned();
    let issues = match ConfigFiles::alone(named, path) {
        Ok(files) => issues(&files, &name),
        Err(error) => vec![unreadable(&error)],
    };
    ValidatedFile::new(name, issues)
}

fn unreadable(error: &ConfigReadError) -> Finding {
    let cause = std::error::Error::source(error)
        .map(|cause| format!(": {cause}"))
        .unwrap_or_default();
    Finding::error(error.code(), format!("{error}{cause}")).hint(error.hint())
}

fn issues(files: &ConfigFiles, name: &str) -> Vec<Finding> {
    if let Some(document) = files.layers().last().map(|layer| &layer.document)
        && (document.is_recipe() || name.ends_with(".md"))
    {
        let message = "this is a recipe, not a loadout config";
        let hint =
            "a config has `loadouts` and `materia`; `materia explain --file` checks a template";
        return vec![
            Finding::error("not-a-config", message)
                .at(document.source(), &(0..0))
                .hint(hint),
        ];
    }
    let found = Config::load(files.layers()).check();
    let (mut own, shipped): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|finding| is_in(finding, name));
    if own
        .iter()
        .all(|finding| finding.severity != Severity::Error)
    {
        own.extend(shipped.into_iter().map(consequence));
    }
    own
}

/// Downgrades a finding about a shipped loadout that a valid file breaks: the loadout cannot be
/// cast any more, but the file can be used.
fn consequence(finding: Finding) -> Finding {
    let message = format!(
        "a shipped loadout cannot be used with this file: {}",
        finding.message
    );
    Finding {
        severity: Severity::Warning,
        message,
        ..finding
    }
}

fn is_in(finding: &Finding, file: &str) -> bool {
    finding
        .place
        .as_ref()
        .is_some_and(|place| &*place.file == file)
}
