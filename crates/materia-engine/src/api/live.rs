//! Lists that a page shows live: each with the directories whose changes may change it.
//!
//! Owns which directories those are. A process that died is in no file, so that callers also ask
//! now and then.

use std::path::{Path, PathBuf};

use super::casts::{CastListReport, ObservedStatus};
use super::needs::NeedsReport;
use super::{ApiError, Engine};
use crate::cast::list;
use crate::editor::EditTarget;
use crate::routing::watch;

pub use crate::wake::DirectoryWatch;

/// How many casts are listed.
const MAX_CASTS: usize = 200;

/// A report, and the directories whose changes may change it.
#[derive(Debug)]
pub struct LiveReport<T> {
    /// The report.
    pub report: T,
    /// The directories.
    pub directories: Vec<PathBuf>,
}

impl Engine {
    /// The casts of the project, the newest first and without their ages, which always change.
    pub fn live_casts(&self) -> Result<LiveReport<CastListReport>, ApiError> {
        let folder = self.cast_root(None)?;
        let mut report = list::list(&folder, Some(MAX_CASTS), None, self.clock());
        let mut directories = vec![existing_ancestor(&folder)];
        for cast in &mut report.casts {
            cast.age_ms = None;
            if cast.status.is_open() || cast.status == ObservedStatus::Unreadable {
                directories.push(PathBuf::from(&cast.run_dir));
            }
        }
        Ok(LiveReport {
            report,
            directories,
        })
    }

    /// What waits for the user besides casts.
    pub fn live_needs(&self) -> Result<LiveReport<NeedsReport>, ApiError> {
        let (home, project) = (self.home()?, self.project()?);
        let mut directories = watch::bells(&self.runs()?);
        for target in [EditTarget::User, EditTarget::Project] {
            let file = target.file(&home, project);
            directories.extend(file.parent().map(existing_ancestor));
        }
        Ok(LiveReport {
            report: self.needs()?,
            directories,
        })
    }
}

/// A directory, or the closest one above it that exists.
fn existing_ancestor(dir: &Path) -> PathBuf {
    let existing = dir.ancestors().find(|dir| dir.is_dir());
    existing.unwrap_or(dir).to_owned()
}
