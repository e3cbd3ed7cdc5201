//! A summary of all recipes and tools, and one of them as it is edited: the data of the browser's
//! pages.
//!
//! Owns the two reports. One survey of the recipes serves all parts of the first.

use std::path::{Path, PathBuf};

use materia_model::recipe;
use serde::Serialize;
use serde_json::Value;

use super::tool::{self, ToolListReport};
use super::{NotResolved, RecipeDoctorReport, RecipeListReport, RecipeReport, listing, shelf};
use crate::home::Home;
use crate::library::Library;
use crate::registry::survey;

/// Recipes and tools, and what is wrong with them.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LibraryReport {
    /// The recipes.
    pub recipes: RecipeListReport,
    /// Those that are tools.
    pub tools: ToolListReport,
    /// What is wrong with them.
    pub doctor: RecipeDoctorReport,
    /// The directories whose content decides about this report.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub directories: Vec<PathBuf>,
}

/// Reports on all recipes and tools of a library.
pub fn overview(library: &Library, home: &Home) -> LibraryReport {
    let survey = survey(library);
    LibraryReport {
        tools: tool::listing(&survey),
        doctor: shelf::diagnose(&survey, library, home),
        recipes: listing(survey),
        directories: vec![library.root().to_owned(), library.drafts()],
    }
}

/// One recipe or tool.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ToolReport {
    /// What it declares, takes and runs.
    pub shown: RecipeReport,
    /// Its document; none when it cannot be parsed.
    pub written: Option<Value>,
}

/// Reports on one recipe or tool, with its document as written.
pub fn tool(
    library: &Library,
    home: &Home,
    name: &str,
    cwd: &Path,
) -> Result<ToolReport, NotResolved> {
    let located = library.find(name, cwd).map_err(NotResolved::NotFound)?;
    let written = recipe::parse(located.source()).ok();
    Ok(ToolReport {
        shown: shelf::show_located(library, home, &located)?,
        written: written.map(|document| document.to_value()),
    })
}
