//! Lists that a page shows live: each with the directories whose changes may change it.
//!
//! Owns which directories those are. A process that died is in no file, so that callers also ask
//! now and then.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::casts::{CastListReport, ObservedStatus};
use super::{ApiError, Engine};
use crate::cast::list;
use crate::editor::Target;
use crate::inspect::triage::{self, Attention};
use crate::routing::watch;
use crate::trust::project::{self, TrustReport, TrustStanding};

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

/// What needs the user besides casts.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NeedsReport {
    /// What the project brings, where the user does not trust it.
    trust: Option<TrustReport>,
    /// Messages whose senders wait for an answer.
    attention: Vec<Attention>,
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

    /// What needs the user besides casts: what the project brings, and what runs ask.
    pub fn needs(&self) -> Result<NeedsReport, ApiError> {
        let shown = project::show(&self.config_files(None)?, Some(&self.home()?)).ok();
        let asks = |standing| matches!(standing, TrustStanding::Untrusted | TrustStanding::Changed);
        let waiting = triage::waiting(&self.runs()?, None, self.clock())?;
        Ok(NeedsReport {
            trust: shown.filter(|shown| !self.trusts_everything() && asks(shown.standing)),
            attention: waiting.attention_messages,
        })
    }

    /// The same, live.
    pub fn live_needs(&self) -> Result<LiveReport<NeedsReport>, ApiError> {
        let (home, project) = (self.home()?, self.project()?);
        let mut directories = watch::bells(&self.runs()?);
        for target in [Target::User, Target::Project] {
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
