//! `init`: a first config, replies to rehearse with, and a recipe, written into a project.

use super::{ApiError, Engine};
use crate::editor::init;

pub use crate::editor::init::InitReport;

impl Engine {
    /// Writes the starter files into the project. What is there already stays as it is.
    pub fn init(&self) -> Result<InitReport, ApiError> {
        Ok(init::init(
            self.project()?,
            &self.home()?,
            self.is_operator(),
            self.clock(),
        )?)
    }
}
