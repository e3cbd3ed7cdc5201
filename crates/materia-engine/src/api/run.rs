//! `run`: a template is executed in the foreground.

use super::{ApiError, Engine, ErrorKind};
use crate::launch::run::{self, RunContext};

pub use crate::execute::{
    Branch, BranchStatus, CommandRun, Coverage, ExecutionStatus, FailedCommand, RunObserver,
    RunProgress,
};
pub use crate::launch::run::{OutputMode, OutputStream, RunReport, RunRequest};
pub use crate::process::LeafId;

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

impl RunReport {
    /// The exit code of a process that ends with it. `strict` makes a partial failure a failure.
    pub fn exit_code(&self, strict: bool) -> u8 {
        match self.status {
            _ if self.interrupted => ErrorKind::Interrupted.exit_code(),
            ExecutionStatus::Failed => ErrorKind::Failed.exit_code(),
            ExecutionStatus::Degraded if strict => ErrorKind::Failed.exit_code(),
            ExecutionStatus::Degraded | ExecutionStatus::Ok => 0,
        }
    }
}
