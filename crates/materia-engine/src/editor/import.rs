//! `import`: converts recipes of other tools to recipes of this one.
//!
//! Owns reading the file and its dependencies, and writing the recipes: new files only, all or
//! none. Notes list what cannot be converted, each with its line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use materia_model::finding::{Finding, Source};
use materia_model::import::{self, ImportResult, MAX_BYTES, ShellLines};
use materia_model::text;
use serde::Serialize;
use serde_json::Value;

use crate::store::file::{self, WriteMode};

/// The file names of a justfile.
const JUSTFILES: [&str; 3] = ["justfile", "Justfile", ".justfile"];
/// Maximum number of files that one import reads.
const MAX_IMPORT_FILES: usize = 50;

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// There is no such file.
    #[error("there is no {0}")]
    Missing(String),
    /// It cannot be read.
    #[error("{} cannot be read: {why}", text::quoted(.file))]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        why: String,
    },
    /// It is not valid.
    #[error("nothing can be imported")]
    Wrong(Vec<Finding>),
    /// A target file exists already; nothing was written.
    #[error("{} is there already; nothing was written", text::quoted(&.0.to_string_lossy()))]
    Taken(PathBuf),
    /// A file cannot be written.
    #[error("{} cannot be written: {why}", text::quoted(.file))]
    NotWritten {
        /// The file.
        file: String,
        /// Why.
        why: String,
    },
}

/// The recipes of an import.
#[derive(Debug, Serialize)]
pub struct ImportReport {
    /// Always true.
    pub ok: bool,
    /// The recipes.
    pub recipes: Vec<ImportedRecipe>,
    /// Differences and omissions.
    pub notes: Vec<Finding>,
    /// Whether the recipes were written.
    pub written: bool,
}

/// One recipe of an import.
#[derive(Debug, Serialize)]
pub struct ImportedRecipe {
    /// Its name.
    pub name: String,
    /// Its file, if it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The document.
    pub recipe: Value,
}

/// Imports a goose recipe and its dependencies.
pub fn goose(path: &Path, into: Option<&Path>) -> Result<ImportReport, ImportError> {
    let mut all = ImportResult::default();
    let mut seen = BTreeSet::new();
    let mut left = vec![path.to_owned()];
    while let Some(path) = left.pop() {
        if !seen.insert(path.clone()) || seen.len() > MAX_IMPORT_FILES {
            continue;
        }
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let source = Source::new(&path.to_string_lossy(), &read(&path)?);
        let mut one = import::goose(&source, &stem).map_err(ImportError::Wrong)?;
        if seen.len() > 1 {
            // Other recipes import it by its file name.
            one.recipes
                .iter_mut()
                .for_each(|draft| draft.name = import::name_of(&stem));
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        left.extend(one.needs.iter().map(|need| folder.join(need)));
        all.recipes.extend(one.recipes);
        all.notes.extend(one.notes);
    }
    finished(all, into)
}

/// Imports a justfile: the given one, else the one in the directory.
pub fn justfile(
    named: Option<&Path>,
    cwd: &Path,
    shell: ShellLines,
    into: Option<&Path>,
) -> Result<ImportReport, ImportError> {
    let found = || {
        JUSTFILES
            .iter()
            .map(|name| cwd.join(name))
            .find(|path| path.is_file())
    };
    let path = named.map(Path::to_owned).or_else(found);
    let path =
        path.ok_or_else(|| ImportError::Missing(format!("justfile in {}", cwd.display())))?;
    let source = Source::new(&path.to_string_lossy(), &read(&path)?);
    finished(
        import::justfile(&source, shell).map_err(ImportError::Wrong)?,
        into,
    )
}

fn read(path: &Path) -> Result<String, ImportError> {
    let unreadable = |why: String| ImportError::Unreadable {
        file: path.display().to_string(),
        why,
    };
    let about = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => ImportError::Missing(path.display().to_string()),
        _ => unreadable(error.to_string()),
    })?;
    if !about.is_file() || about.len() > MAX_BYTES as u64 {
        return Err(unreadable(format!(
            "it is no file of at most {MAX_BYTES} bytes"
        )));
    }
    std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))
}

fn finished(imported: ImportResult, into: Option<&Path>) -> Result<ImportReport, ImportError> {
    let place = |name: &str| into.map(|folder| folder.join(format!("{name}.json")));
    if let Some(taken) = imported
        .recipes
        .iter()
        .filter_map(|draft| place(&draft.name))
        .find(|path| path.exists())
    {
        return Err(ImportError::Taken(taken));
    }
    let mut recipes = Vec::new();
    for draft in imported.recipes {
        let file = place(&draft.name);
        if let Some(path) = &file {
            let text = format!("{:#}\n", draft.recipe);
            file::write(path, text.as_bytes(), WriteMode::Create).map_err(|error| {
                ImportError::NotWritten {
                    file: path.display().to_string(),
                    why: error.to_string(),
                }
            })?;
        }
        let file = file.map(|path| path.display().to_string());
        recipes.push(ImportedRecipe {
            name: draft.name,
            file,
            recipe: draft.recipe,
        });
    }
    Ok(ImportReport {
        ok: true,
        recipes,
        notes: imported.notes,
        written: into.is_some(),
    })
}
