//! `complete`: names that could be typed.
//!
//! Never fails: what cannot be read is not proposed.

use materia_model::loadout::Config;

use super::{ApiError, Engine};
use crate::cast::show::{self, CastParts};
use crate::cast::{list, start};
use crate::editor::loadout;
use crate::quest::{Store, runner};
use crate::recipe::{self, tool};

/// How many names of one kind are proposed.
pub const MAX_COMPLETIONS: usize = 500;
/// How many casts are proposed.
const MAX_CASTS: usize = 50;

/// What is to be completed.
#[derive(Debug, Clone)]
pub enum CompletionKind {
    /// The id of a run.
    Run,
    /// The id of a cast.
    Cast,
    /// A step of this cast: `SOCKET:VISIT`.
    CastStep(String),
    /// The name of a loadout.
    Loadout,
    /// The name of a materia.
    Materia,
    /// The name of a recipe.
    Recipe,
    /// The name of a tool.
    Tool,
    /// The id of a quest.
    Quest,
}

/// A name that could be typed.
#[derive(Debug, Clone)]
pub struct Completion {
    /// The name.
    pub name: String,
    /// What it is, in one line.
    pub about: String,
}

impl Completion {
    fn new(name: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            about: about.into(),
        }
    }
}

impl Engine {
    /// All names of a kind.
    pub fn complete(&self, kind: &CompletionKind) -> Vec<Completion> {
        let names = match kind {
            CompletionKind::Run => self.complete_runs(),
            CompletionKind::Cast => self.complete_casts(),
            CompletionKind::CastStep(cast) => self.complete_steps(cast),
            CompletionKind::Loadout => self.complete_loadouts(),
            CompletionKind::Materia => self.complete_materia(),
            CompletionKind::Recipe => self.complete_recipes(),
            CompletionKind::Tool => self.complete_tools(),
            CompletionKind::Quest => self.complete_quests(),
        };
        names.unwrap_or_default()
    }

    fn complete_runs(&self) -> Result<Vec<Completion>, ApiError> {
        let ids = self.runs()?.ids().unwrap_or_default().into_iter();
        Ok(ids.map(|id| Completion::new(id.to_string(), "")).collect())
    }

    fn complete_casts(&self) -> Result<Vec<Completion>, ApiError> {
        let folder = self.cast_root(None)?;
        let casts = list::list(&folder, Some(MAX_CASTS), None, self.clock()).casts;
        Ok(casts
            .into_iter()
            .map(|cast| {
                let about = format!("{}: {}", cast.status.as_str(), cast.request);
                Completion::new(cast.cast_id, about)
            })
            .collect())
    }

    fn complete_steps(&self, cast: &str) -> Result<Vec<Completion>, ApiError> {
        let folder = self.find_cast(Some(cast), None)?;
        let report = show::show(&folder, CastParts::default(), self.clock())?;
        Ok(report
            .steps
            .into_iter()
            .map(|step| {
                let name = format!("{}:{}", step.place.socket, step.place.visit);
                Completion::new(name, step.place.materia)
            })
            .collect())
    }

    fn complete_loadouts(&self) -> Result<Vec<Completion>, ApiError> {
        let loadouts = loadout::list(self.config_files(None)?.snapshot().config())
            .loadouts
            .into_iter();
        Ok(loadouts
            .map(|one| Completion::new(one.name, one.description.unwrap_or_default()))
            .collect())
    }

    fn complete_materia(&self) -> Result<Vec<Completion>, ApiError> {
        let files = self.config_files(None)?;
        let config = Config::load(files.layers());
        let materia = config.written_materia();
        Ok(materia
            .iter()
            .map(|one| Completion::new(one.name, "materia"))
            .collect())
    }

    fn complete_recipes(&self) -> Result<Vec<Completion>, ApiError> {
        let recipes = recipe::list(&self.library()?).recipes.into_iter();
        Ok(recipes
            .map(|one| Completion::new(one.id, one.description.unwrap_or_default()))
            .collect())
    }

    fn complete_tools(&self) -> Result<Vec<Completion>, ApiError> {
        let tools = tool::list(&self.library()?).tools.into_iter();
        Ok(tools
            .map(|tool| Completion::new(tool.name, tool.description))
            .collect())
    }

    fn complete_quests(&self) -> Result<Vec<Completion>, ApiError> {
        let project = self.project()?;
        let store = Store::of(project, start::casts(project, &self.config_files(None)?));
        let report = runner::list(&store, None, MAX_COMPLETIONS, self.clock());
        let quests = report.map(|report| report.quests).unwrap_or_default();
        Ok(quests
            .into_iter()
            .map(|quest| Completion::new(quest.id, quest.title))
            .collect())
    }
}
