//! `recipe`: which recipes there are, what one of them consists of, and what is wrong with them.

use std::path::PathBuf;

use serde_json::Value;

use super::{ApiError, Engine};
use crate::editor::validate::{self, ValidateReport};
use crate::recipe;

pub use crate::recipe::{
    Imported, Imports, LibraryReport, RecipeDoctorReport, RecipeListReport, RecipeReport,
    ToolReport,
};
pub use crate::registry::RecipeState;

impl Engine {
    /// Lists the recipes that names lead to.
    pub fn recipe_list(&self) -> Result<RecipeListReport, ApiError> {
        Ok(recipe::list(&self.library()?))
    }

    /// Shows one recipe or tool by its name or path.
    pub fn recipe_show(&self, name: &str) -> Result<RecipeReport, ApiError> {
        let (library, home) = (self.library()?, self.home()?);
        Ok(recipe::show(&library, &home, name, self.cwd_or_root())?)
    }

    /// Shows one recipe or tool, with its document for an editor.
    pub fn recipe_edit(&self, name: &str) -> Result<ToolReport, ApiError> {
        let (library, home) = (self.library()?, self.home()?);
        Ok(recipe::show_tool(
            &library,
            &home,
            name,
            self.cwd_or_root(),
        )?)
    }

    /// The JSON Schema of a recipe's arguments.
    pub fn recipe_schema(&self, name: &str) -> Result<Value, ApiError> {
        Ok(recipe::schema(&self.library()?, name, self.cwd_or_root())?)
    }

    /// Checks recipe files.
    pub fn recipe_validate(&self, files: &[PathBuf]) -> Result<ValidateReport, ApiError> {
        let library = self.library()?;
        Ok(validate::validate_recipes(
            &library,
            self.cwd_or_root(),
            files,
        ))
    }

    /// Examines all recipes and recommends actions.
    pub fn recipe_doctor(&self) -> Result<RecipeDoctorReport, ApiError> {
        Ok(recipe::doctor(&self.library()?, &self.home()?))
    }

    /// All recipes and tools, and what is wrong with them.
    pub fn recipe_overview(&self) -> Result<LibraryReport, ApiError> {
        Ok(recipe::overview(&self.library()?, &self.home()?))
    }
}
