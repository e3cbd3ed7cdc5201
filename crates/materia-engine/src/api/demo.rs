//! `demo`: a complete cast in a new repository, played by a script.

use std::path::PathBuf;

use super::{ApiError, Engine, ErrorKind};
use crate::demo::{self, Error};
use crate::process::ProcessSet;

pub use crate::demo::{DemoObserver, DemoOpening, DemoReport};

/// A request for the demo.
#[derive(Debug, Clone, Default)]
pub struct DemoRequest {
    /// The directory to create; without one, a new directory for temporary files.
    pub directory: Option<PathBuf>,
    /// Whether agents seem to think, because a user watches.
    pub paced: bool,
}

impl Engine {
    /// Shows a complete cast in a new repository.
    pub fn demo(
        &self,
        request: &DemoRequest,
        observer: &mut dyn DemoObserver,
    ) -> Result<DemoReport, ApiError> {
        let directory = request.directory.as_deref();
        let directory = directory.map(|directory| self.path(directory));
        let temporary = self.path(&self.spool());
        demo::demo(
            directory.as_deref(),
            &temporary,
            request.paced,
            self.clock(),
            &mut ProcessSet::foreground().map_err(|error| ApiError::system(&error))?,
            observer,
        )
        .map_err(|error| {
            let typed = |kind, code| ApiError::from_error(kind, code, &error);
            match error {
                Error::NoGit(_) => typed(ErrorKind::Invalid, "no_git")
                    .hint("install git, for example with `apt install git`, and try again"),
                Error::Git { .. } => {
                    typed(ErrorKind::Failed, "git").hint("see `git --version`, and try again")
                }
                Error::Taken(_) => typed(ErrorKind::Conflict, "taken")
                    .hint("name a directory that is not there yet"),
                Error::Dir(_) | Error::Write(_) => {
                    let path = temporary.to_string_lossy();
                    typed(ErrorKind::Failed, "storage").hint(format!(
                        "make room in {path}, or name a directory with --dir"
                    ))
                }
                Error::Script(findings) => ApiError::from_findings(findings),
                Error::Cast(error) => error.into(),
            }
        })
    }
}
