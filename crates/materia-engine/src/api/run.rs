//! `run`: a template is executed in the foreground.

use super::{ApiError, Engine};
use crate::launch::run::{self, RunContext};

pub use crate::execute::{
    Branch, BranchStatus, CommandRun, Coverage, ExecutionStatus, FailedCommand, RunObserver,
    RunProgress,
};
pub use crate::launch::run::{OutputMode, OutputStream, RunReport, RunRequest};
pub use crate::process::ChildId;

impl Engine {
    /// Executes a template and waits for it. No process of it is left behind.
    pub fn run(
        &self,
        request: RunRequest,
        observer: &mut dyn RunObserver,
    ) -> Result<RunReport, ApiError> {
        let home = self.home().ok();
        let context = RunContext {
            source: self.source_context(),
            home: home.as_ref(),
            user_home: self.user_home(),
            cwd: self.cwd(),
            spool: &self.spool(),
            clock: self.clock(),
        };
        Ok(run::run(request, &context, observer)?)
    }
}
