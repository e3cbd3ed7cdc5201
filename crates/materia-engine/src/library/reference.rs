//! Resolving a reference to a recipe: a bare name, a path, or a recipe of a skill.
//!
//! Owns the search order (R2) and the error messages. Expands `{agent}`, `{recipe_dir}`, `{repo}`
//! and `~` first.

use std::path::{Path, PathBuf};

use materia_model::finding::Source;
use materia_model::name::ToolName;
use materia_model::recipe::{LoadedRecipe, RecipeLoadError};
use materia_model::text;

use super::{Library, Located, RecipeSource, packaged};

/// The extensions of recipe files, in order of precedence.
pub(super) const ENDINGS: [&str; 2] = ["json", "md"];

/// Resolves references relative to one directory.
pub(super) struct Seeker<'a> {
    pub(super) library: &'a Library,
    /// The directory that relative paths start at.
    pub(super) from: &'a Path,
    /// The directory of the importing recipe, if the reference is an import.
    pub(super) importer: Option<&'a Path>,
}

impl Seeker<'_> {
    pub(super) fn find(&self, reference: &str) -> Result<Located, RecipeLoadError> {
        let spelled = self.spelled(reference.trim());
        if spelled.contains('/') {
            return self.by_path(reference, &spelled);
        }
        self.by_name(&spelled)
    }

    /// Expands the placeholders of a reference.
    fn spelled(&self, reference: &str) -> String {
        let dir = self.importer.unwrap_or(self.from);
        let repo = dir.parent().unwrap_or(dir);
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        let spelled = reference
            .replace("{agent}", &shown(&self.library.agent))
            .replace("{recipe_dir}", &shown(dir))
            .replace("{repo}", &shown(repo));
        match (spelled.strip_prefix("~/"), &self.library.home) {
            (Some(rest), Some(home)) => shown(&home.join(rest)),
            _ => spelled,
        }
    }

    fn by_path(&self, reference: &str, spelled: &str) -> Result<Located, RecipeLoadError> {
        let path = self.from.join(spelled);
        if let Some(file) = existing(&path) {
            let shown = if self.importer.is_some() {
                file.to_string_lossy().into_owned()
            } else {
                named(spelled, &file)
            };
            return self.library.load(&file, &shown, RecipeSource::Named);
        }
        if let Some(file) = self.in_skill(spelled) {
            let mut located =
                self.library
                    .load(&file, &file.to_string_lossy(), RecipeSource::Skill)?;
            spelled
                .trim_end_matches(".json")
                .trim_end_matches(".md")
                .clone_into(&mut located.name);
            return Ok(located);
        }
        let message = format!("there is no recipe {}", text::quoted_within(reference, 300));
        let hint = format!(
            "there is no file {}",
            text::quoted_within(&path.to_string_lossy(), 300)
        );
        Err(RecipeLoadError {
            code: "recipe-not-found",
            message,
            hint,
        })
    }

    /// Resolves `<skill>/<recipe>` to the recipe file of that skill.
    fn in_skill(&self, spelled: &str) -> Option<PathBuf> {
        let (skill, recipe) = spelled.split_once('/')?;
        let plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains('/');
        if !plain(skill) || !plain(recipe) {
            return None;
        }
        existing(
            &self
                .library
                .skills()
                .join(skill)
                .join("recipes")
                .join(recipe),
        )
    }

    fn by_name(&self, name: &str) -> Result<Located, RecipeLoadError> {
        let plain = !name.is_empty() && !name.starts_with(['.', '-']) && !name.contains('\0');
        let file = |dir: &Path| existing(&dir.join(name)).filter(|_| plain);
        if let Some(file) = file(&self.library.root) {
            return self
                .library
                .load(&file, &file.to_string_lossy(), RecipeSource::User);
        }
        // A name with an extension means a file in this directory.
        let here = self
            .importer
            .or_else(|| has_ending(name).then_some(self.from));
        if let Some(file) = here.and_then(file) {
            let shown = if self.importer.is_some() {
                file.to_string_lossy().into_owned()
            } else {
                name.to_owned()
            };
            return self.library.load(&file, &shown, RecipeSource::Directory);
        }
        let bare = name.strip_suffix(".json").unwrap_or(name);
        match packaged::find(bare) {
            Some(packaged) => Ok(self.library.shipped(packaged)),
            None => Err(self.unknown(name)),
        }
    }

    fn unknown(&self, name: &str) -> RecipeLoadError {
        let message = format!("there is no recipe {}", text::quoted(name));
        let own = self.library.names();
        let known = own
            .iter()
            .map(String::as_str)
            .chain(packaged::PACKAGED.iter().map(|one| one.name));
        let hint = match (text::closest(name, known), name.parse::<ToolName>()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, Err(error)) => error.hint().to_owned(),
            (None, Ok(_)) => "see `materia recipe list`, or name a file as ./NAME.json".to_owned(),
        };
        RecipeLoadError {
            code: "recipe-not-found",
            message,
            hint,
        }
    }
}

impl Library {
    /// A recipe in the binary.
    pub fn shipped(&self, packaged: &packaged::Packaged) -> Located {
        let shown = format!("packaged:{}", packaged.name);
        let source = Source::new(&shown, packaged.text);
        let loaded = LoadedRecipe {
            id: shown,
            name: packaged.name.to_owned(),
            source,
            place: self.place(),
        };
        Located {
            name: packaged.name.to_owned(),
            file: None,
            found: RecipeSource::Packaged,
            loaded,
        }
    }

    /// The names of the user's recipes, valid or not. Empty if the root does not exist.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.files().iter().filter_map(|file| stem(file)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The user's recipe files; of the same name, JSON before Markdown.
    pub fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.root)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        let recipe = |path: &PathBuf| {
            let hidden = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('.'));
            !hidden && has_ending(&path.to_string_lossy())
        };
        let mut files: Vec<PathBuf> = entries.filter(recipe).collect();
        files.sort();
        files
    }

    /// Reads one of the user's recipe files.
    pub fn own(&self, file: &Path) -> Result<Located, RecipeLoadError> {
        self.load(file, &file.to_string_lossy(), RecipeSource::User)
    }
}

fn stem(file: &Path) -> Option<String> {
    Some(file.file_stem()?.to_string_lossy().into_owned())
}

pub(super) fn has_ending(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// The file at a path, or at the path plus an extension.
fn existing(path: &Path) -> Option<PathBuf> {
    let with = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(".");
        name.push(ending);
        PathBuf::from(name)
    };
    let ended = has_ending(&path.to_string_lossy());
    let tries = if ended {
        vec![path.to_owned()]
    } else {
        ENDINGS.iter().map(|ending| with(ending)).collect()
    };
    tries
        .into_iter()
        .find(|file| file.symlink_metadata().is_ok_and(|found| !found.is_dir()))
}

/// A file as the user named it, with the extension that was found.
fn named(spelled: &str, file: &Path) -> String {
    let ending = file
        .extension()
        .map(|ending| format!(".{}", ending.to_string_lossy()))
        .unwrap_or_default();
    if spelled.ends_with(&ending) {
        spelled.to_owned()
    } else {
        format!("{spelled}{ending}")
    }
}
