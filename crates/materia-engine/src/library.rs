//! Finding recipes: one resolver for all callers (R2): run, spawn, import, tool, MCP, UI.
//!
//! Owns the resolution of names: the user's root, the importing directory, skills, the library in
//! the binary, or a path. The first match wins, even if it is broken or disabled: it still hides
//! later matches, and the doctor reports that. Reads files up to a size limit; never writes, never
//! decides what is a tool.

pub mod packaged;
mod reference;
mod read;

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use materia_model::finding::{Finding, Source};
use materia_model::recipe::{self, LoadedRecipe, RecipeLoadError, RecipeWithImports};
use serde::Serialize;

use crate::home::Home;

pub use read::RecipeReadError;

/// The places that are searched for recipes.
#[derive(Debug, Clone)]
pub struct Library {
    /// The user's own recipes.
    root: PathBuf,
    agent: PathBuf,
    home: Option<PathBuf>,
    /// The directory resolved last. Caching it pays off because recipes share directories.
    last: Arc<Mutex<Option<Directory>>>,
}

/// A directory: its path, its identity (device and inode), and its canonical path.
type Directory = (PathBuf, [u64; 2], PathBuf);

/// Where a recipe was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RecipeSource"))]
pub enum RecipeSource {
    /// In the person's root: it is a tool.
    User,
    /// In a skill.
    Skill,
    /// Beside the recipe that imports it.
    Directory,
    /// In the binary.
    Packaged,
    /// By its path.
    Named,
}

/// A recipe that was found.
#[derive(Debug, Clone)]
pub struct Located {
    /// The file name without its extension.
    pub name: String,
    /// The file; `None` for a recipe in the binary.
    pub file: Option<PathBuf>,
    /// Where it was found.
    pub found: RecipeSource,
    /// The text and where it came from.
    loaded: LoadedRecipe,
}

impl Library {
    /// The library of a user; `home_dir` is the directory that `~` stands for.
    pub fn new(home: &Home, home_dir: Option<&Path>) -> Self {
        let home = (
            home.recipes(),
            home.agent().to_owned(),
            home_dir.map(Path::to_owned),
        );
        Self {
            root: home.0,
            agent: home.1,
            home: home.2,
            last: Arc::default(),
        }
    }

    /// The user's root. Every recipe in it is a tool.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of skills, which contain recipes as `<skill>/recipes/*.json`.
    pub fn skills(&self) -> PathBuf {
        self.agent.join("skills")
    }

    /// Finds the recipe that a user or a program names. Relative paths start at `cwd`.
    pub fn find(&self, name: &str, cwd: &Path) -> Result<Located, RecipeLoadError> {
        reference::Seeker {
            library: self,
            from: cwd,
            importer: None,
        }
        .find(name)
    }

    /// Reads the recipe in a file.
    pub fn open(&self, file: &Path, shown: &str) -> Result<Located, RecipeLoadError> {
        self.load(file, shown, RecipeSource::Named)
    }

    /// The recipe in a file whose text the caller has already read.
    pub fn with_text(
        &self,
        file: &Path,
        shown: &str,
        text: &str,
    ) -> Result<Located, RecipeLoadError> {
        read::check_size(file, text.len()).map_err(|error| load_error(&error))?;
        Ok(self.located(file, shown, text, RecipeSource::Named))
    }

    /// A recipe that is not in a file yet, such as one about to be written to `file`.
    pub fn unwritten(&self, file: &Path, text: &str) -> Located {
        self.located(file, &file.to_string_lossy(), text, RecipeSource::User)
    }

    /// Resolves everything that a recipe imports.
    pub fn link(&self, located: &Located) -> Result<RecipeWithImports, Vec<Finding>> {
        recipe::link(located.loaded.clone(), &mut |name, importer| {
            let dir = importer.place.get("recipe_dir").map(PathBuf::from);
            let from = dir.as_deref().unwrap_or(Path::new("/"));
            let seeker = reference::Seeker {
                library: self,
                from,
                importer: dir.as_deref(),
            };
            seeker.find(name).map(|located| located.loaded)
        })
    }

    fn load(
        &self,
        file: &Path,
        shown: &str,
        found: RecipeSource,
    ) -> Result<Located, RecipeLoadError> {
        let text = read::text(file).map_err(|error| load_error(&error))?;
        Ok(self.located(file, shown, &text, found))
    }

    fn located(&self, file: &Path, shown: &str, text: &str, found: RecipeSource) -> Located {
        let loaded = self.loaded(file, shown, text);
        Located {
            name: loaded.name.clone(),
            file: Some(file.to_owned()),
            found,
            loaded,
        }
    }

    fn loaded(&self, file: &Path, shown: &str, text: &str) -> LoadedRecipe {
        let id = self.really(file).unwrap_or_else(|_| file.to_owned());
        let dir = id
            .parent()
            .unwrap_or(Path::new("/"))
            .to_string_lossy()
            .into_owned();
        let mut place = self.place();
        place.insert("recipe_dir".to_owned(), dir);
        let name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        LoadedRecipe {
            id: id.to_string_lossy().into_owned(),
            name,
            source: Source::new(shown, text),
            place,
        }
    }

    /// The canonical path of a file, with symbolic links resolved.
    fn really(&self, file: &Path) -> io::Result<PathBuf> {
        let (Some(parent), Some(name)) = (file.parent(), file.file_name()) else {
            return file.canonicalize();
        };
        if file.symlink_metadata()?.is_symlink() {
            return file.canonicalize();
        }
        let about = parent.metadata()?;
        let which = [about.dev(), about.ino()];
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, there, really)) = &*last
            && (known.as_path(), *there) == (parent, which)
        {
            return Ok(really.join(name));
        }
        let really = parent.canonicalize()?;
        *last = Some((parent.to_owned(), which, really.clone()));
        Ok(really.join(name))
    }

    fn place(&self) -> BTreeMap<String, String> {
        BTreeMap::from([(
            "agent".to_owned(),
            self.agent.to_string_lossy().into_owned(),
        )])
    }
}

fn load_error(error: &RecipeReadError) -> RecipeLoadError {
    RecipeLoadError {
        code: error.code(),
        message: error.to_string(),
        hint: error.hint().to_owned(),
    }
}

impl Located {
    /// The unmodified text.
    pub fn source(&self) -> &Source {
        &self.loaded.source
    }

    /// The id that distinguishes it from every other recipe.
    pub fn id(&self) -> &str {
        &self.loaded.id
    }
}

#[cfg(test)]
mod tests;
