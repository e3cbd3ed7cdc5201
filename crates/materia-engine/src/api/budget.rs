//! `budget`: what a cast may spend, and changing that.
//!
//! Owns who may change it: the operator, and no program inside a cast or a run (S2).

use std::path::PathBuf;

use super::{ApiError, Engine, ErrorKind};
use crate::cast::budget;

pub use crate::cast::RaiseOutcome;
pub use crate::cast::budget::{BudgetChange, BudgetReport, TokenLimit};

/// Variables of programs that run inside a run.
const INSIDE_VARIABLES: [&str; 3] = ["MATERIA_RUN", "MATERIA_SESSION", "MATERIA_LEAF"];

/// The budget of which cast to show or to change.
#[derive(Debug, Clone, Default)]
pub struct CastBudgetRequest {
    /// Its id, the beginning of its id, or its directory. Without one it is the newest that runs, or
    /// else the newest.
    pub cast: Option<String>,
    /// The limits that change; without any the budget is only shown.
    pub change: BudgetChange,
    /// A config file on top of the others.
    pub config: Option<PathBuf>,
}

impl Engine {
    /// Reports the budget of a cast, after changing it where a limit is given.
    pub fn budget(&self, request: &CastBudgetRequest) -> Result<BudgetReport, ApiError> {
        if !request.change.is_empty() {
            self.require_operator()?;
        }
        let folder = self.find_cast(request.cast.as_deref(), request.config.as_deref())?;
        Ok(budget::budget(&folder, request.change, self.clock())?)
    }

    fn require_operator(&self) -> Result<(), ApiError> {
        let mut inside = INSIDE_VARIABLES.into_iter();
        let inside = inside.find(|name| self.variable(name).is_some());
        let Some(name) = inside.or_else(|| (!self.is_operator()).then_some("MATERIA_SESSION"))
        else {
            return Ok(());
        };
        let message = format!(
            "only the operator raises a budget, and `{name}` says that this is inside of a run"
        );
        Err(ApiError::new(ErrorKind::Refused, "operator_only", message)
            .hint("ask the person who started it to type this at their own terminal"))
    }
}
