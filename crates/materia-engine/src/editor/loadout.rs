//! `loadout`: which loadouts there are, which one is active, and making another one active.
//!
//! Owns the list and the choice. What is chosen is written to the person's own config, never to a
//! project's.

use std::path::{Path, PathBuf};

use materia_model::finding::{Finding, Severity, Source};
use materia_model::loadout::layer::Edit;
use materia_model::loadout::{Config, Layer, Scope};
use materia_model::text::quoted;
use serde::Serialize;

use crate::config::{self, Files, Places, ReadError};
use crate::home::Home;
use crate::store::atomic::{self, WriteError};
use crate::store::dir::{self, DirError};

/// A loadout that cannot be used.
#[derive(Debug)]
pub enum NotUsable {
    /// There is none of this name.
    Unknown(Box<Finding>),
    /// It has errors, or a file has.
    Broken(Vec<Finding>),
}

/// The answer to `loadout list`.
#[derive(Debug, Serialize)]
pub struct Listing {
    /// Always true; what is wrong with a loadout stands beside it.
    pub ok: bool,
    /// The name of the active loadout, where there is one.
    pub active: Option<String>,
    /// All loadouts, shipped ones first.
    pub loadouts: Vec<Listed>,
    /// What is wrong with files, settings and materia.
    pub issues: Vec<Finding>,
}

/// One loadout of the list.
#[derive(Debug, Serialize)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its stable id.
    pub id: String,
    /// The layer it comes from: `default`, `user`, `project` or `explicit`.
    pub source: &'static str,
    /// What it is for.
    pub description: Option<String>,
    /// Whether a cast uses it when nobody names one.
    pub active: bool,
    /// Whether it may be changed.
    pub editable: bool,
    /// Whether it can be cast.
    pub usable: bool,
    /// What is wrong or strange with it.
    pub issues: Vec<Finding>,
}

/// All loadouts there are.
pub fn list(files: &Files) -> Listing {
    let config = Config::load(files.layers());
    let active = config.active();
    let mut issues = config.findings().to_vec();
    issues.extend(active.as_ref().err().map(|finding| (**finding).clone()));
    let active = active.ok().map(str::to_owned);
    let listed = config.loadouts().map(|one| {
        let compiled = config.compile(one.name);
        let usable = compiled
            .as_ref()
            .is_some_and(|compiled| compiled.graph.is_some());
        Listed {
            active: active.as_deref() == Some(one.name),
            name: one.name.to_owned(),
            id: one.id,
            source: one.scope.as_str(),
            description: one.description.map(str::to_owned),
            editable: one.edit == Edit::Open,
            usable,
            issues: compiled
                .map(|compiled| compiled.findings)
                .unwrap_or_default(),
        }
    });
    Listing {
        ok: true,
        loadouts: listed.collect(),
        active,
        issues,
    }
}

/// The answer to `loadout use`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ActiveLoadoutReport {
    /// Always true; what was not written is a failure.
    pub ok: bool,
    /// The name of the loadout.
    pub loadout: String,
    /// The file that says so now.
    pub file: PathBuf,
    /// Whether the file said something else before.
    pub changed: bool,
    /// Why another loadout is active here all the same.
    pub warnings: Vec<Finding>,
}

/// Why no other loadout became active.
#[derive(Debug, thiserror::Error)]
pub enum UseError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// There is no such loadout, or it or the file is broken.
    #[error("the loadout cannot be used")]
    NotUsable(NotUsable),
    /// Only this project has it; the person's config is for all projects.
    #[error("{} is known in this project alone", quoted(name))]
    Elsewhere {
        /// The loadout.
        name: String,
        /// The file that has it.
        file: PathBuf,
    },
    /// The profile directory cannot be made.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Where a choice of the active loadout may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// In the person's own config alone, which is for all projects.
    Own,
    /// For a loadout that only this project has, in the project's config.
    Here,
}

/// Makes a loadout the active one, and leaves the rest of the file that says so as it is.
pub fn choose_active(
    home: &Home,
    places: Places<'_>,
    named: &str,
    reach: Reach,
) -> Result<ActiveLoadoutReport, UseError> {
    let files = Files::find(places)?;
    let own = files
        .layers()
        .partition_point(|layer| layer.scope <= Scope::User);
    refuse_broken_files(&files.layers()[..own]).map_err(UseError::NotUsable)?;
    let config = Config::load(files.layers());
    let name = choose(&config, Some(named)).map_err(UseError::NotUsable)?;
    let Some(one) = config.loadouts().find(|one| one.name == name) else {
        return Err(UseError::NotUsable(NotUsable::Unknown(Box::new(
            config.unknown(named),
        ))));
    };
    let file = match one.scope {
        Scope::Default | Scope::User => home.config(),
        Scope::Project if reach == Reach::Here => file_of(&files, one.scope),
        elsewhere => {
            return Err(UseError::Elsewhere {
                name: name.to_owned(),
                file: file_of(&files, elsewhere),
            });
        }
    };
    if let Some(compiled) = config.compile(name)
        && compiled.graph.is_none()
    {
        return Err(UseError::NotUsable(NotUsable::Broken(compiled.findings)));
    }
    let changed = write_active(&file, name, &one.id)?;
    let warnings = overruled(&Files::find(places)?, name);
    Ok(ActiveLoadoutReport {
        ok: true,
        loadout: name.to_owned(),
        file,
        changed,
        warnings,
    })
}

fn write_active(file: &Path, name: &str, id: &str) -> Result<bool, UseError> {
    // A link stays a link: what it points to is replaced.
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let before = match config::read(&real) {
        Ok(text) => Some(text),
        Err(ReadError::Missing { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let source = Source::new(&file.to_string_lossy(), before.as_deref().unwrap_or("{}"));
    let mut text = config::with_active(&source, name, id)
        .map_err(|findings| UseError::NotUsable(NotUsable::Broken(findings)))?;
    if before.as_deref() == Some(&*text) {
        return Ok(false);
    }
    if before.is_none() {
        text.push('\n');
        if let Some(parent) = real.parent() {
            dir::create_private(parent)?;
        }
    }
    atomic::write(&real, text.as_bytes())?;
    Ok(true)
}

/// What a higher layer says instead.
fn overruled(files: &Files, name: &str) -> Vec<Finding> {
    let active = |layers: usize| {
        Config::load(&files.layers()[..layers])
            .active()
            .map(str::to_owned)
    };
    let all = files.layers().len();
    let here = match active(all) {
        Ok(here) if here == name => return Vec::new(),
        Ok(here) => here,
        Err(finding) => {
            return vec![Finding {
                severity: Severity::Warning,
                ..*finding
            }];
        }
    };
    let message = format!("in this project {} is active all the same", quoted(&here));
    let decides = (0..all)
        .rev()
        .find(|below| active(*below).as_ref() != Ok(&here));
    let file = decides
        .and_then(|layer| files.path(layer))
        .unwrap_or(Path::new(config::PROJECT_FILE));
    let hint = format!(
        "remove `activeLoadout` from {}",
        quoted(&file.to_string_lossy())
    );
    vec![Finding::warning("overruled", message).hint(hint)]
}

fn file_of(files: &Files, scope: Scope) -> PathBuf {
    let layer = files.layers().iter().position(|layer| layer.scope == scope);
    layer
        .and_then(|layer| files.path(layer))
        .unwrap_or(Path::new(config::PROJECT_FILE))
        .to_owned()
}

/// The name of the loadout that is meant: the named one, else the active one.
pub(crate) fn choose<'a>(config: &Config<'a>, named: Option<&str>) -> Result<&'a str, NotUsable> {
    match named {
        Some(named) => config
            .find(named)
            .ok_or_else(|| NotUsable::Unknown(Box::new(config.unknown(named)))),
        None => config.active().map_err(NotUsable::Unknown),
    }
}

/// A file that is wrong as a whole says nothing we can rely on, so nothing is done with the rest.
pub(crate) fn refuse_broken_files(layers: &[Layer]) -> Result<(), NotUsable> {
    let found = layers.iter().flat_map(|layer| layer.document.findings());
    let errors: Vec<Finding> = found
        .filter(|finding| finding.severity == Severity::Error)
        .cloned()
        .collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(NotUsable::Broken(errors))
    }
}
