//! One call of a utility, according to its definition.

use std::path::Path;

use materia_model::materia::{UtilityCommand, UtilityProgram};

use super::{TrialContext, TrialError};
use crate::process::ProcessSet;
use crate::utility::call::{Call, Called, call, located};
use crate::utility::{find, native, recipe, template};

/// One call of a utility.
pub(super) struct UtilityCall<'a> {
    pub(super) utility: &'a UtilityProgram,
    pub(super) context: TrialContext<'a>,
    /// The directory of the file that defines it.
    pub(super) folder: Option<&'a Path>,
    pub(super) spool: &'a Path,
}

impl UtilityCall<'_> {
    pub(super) fn run(
        &self,
        input: String,
        processes: &mut ProcessSet,
    ) -> Result<Called, TrialError> {
        let (cwd, spool, utility) = (self.context.project, self.spool, self.utility);
        let (params, timeout_ms) = (&utility.params, utility.timeout_ms);
        let place = template::TemplateContext {
            cwd,
            home: self.context.user_home,
            stages: Some(spool),
        };
        let plan = match &utility.run {
            UtilityCommand::Command(argv) => {
                let argv = self
                    .folder
                    .map_or_else(|| argv.clone(), |folder| located(argv, folder));
                let call_of = Call {
                    argv: &argv,
                    cwd,
                    input,
                    timeout_ms,
                    spool,
                };
                return Ok(call(call_of, processes)?);
            }
            UtilityCommand::Shipped(name) => {
                let shipped =
                    find(name).ok_or(TrialError::Unavailable("no utility of this name ships"))?;
                return Ok(native::call(shipped, &input, cwd, processes));
            }
            UtilityCommand::Template(written) => template::plan(written, params, place, timeout_ms),
            UtilityCommand::Recipe(name) => {
                recipe::plan(self.context.library, name, params, place, timeout_ms)
            }
        };
        let plan = plan.map_err(TrialError::Broken)?;
        Ok(template::call(&plan, &input, cwd, spool, processes)?)
    }
}
