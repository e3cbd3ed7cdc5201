//! `trust`: what the project brings, and whether the user agreed to it (S1).
//!
//! Owns who may agree: the user, and no program inside a cast or a run (S2).

use std::path::Path;

use super::{ApiError, Engine};
use crate::config::ConfigFiles;
use crate::process;
use crate::trust::{self, Error, ProjectTrust, project};

pub use crate::trust::project::{TrustListReport, TrustReport, TrustRevokeReport, TrustStanding};
pub use crate::trust::{TrustAnswer, TrustObserver, TrustedAct};

/// Variables of programs that run inside a run.
const INSIDE_VARIABLES: [&str; 4] = [
    "MATERIA_RUN",
    "MATERIA_SESSION",
    "MATERIA_LEAF",
    "MATERIA_DETACHED",
];

impl Engine {
    /// Shows what the project brings.
    pub fn trust_show(&self) -> Result<TrustReport, ApiError> {
        Ok(project::show(
            &self.config_files(None)?,
            Some(&self.home()?),
        )?)
    }

    /// Asks the user to agree to what the project brings, unless they trust it already.
    pub fn trust(&self, observer: &mut dyn TrustObserver) -> Result<TrustReport, ApiError> {
        let (files, home) = (self.config_files(None)?, self.home()?);
        let project = ProjectTrust::inspect(&files, Some(&home))?;
        if project.require().is_ok() {
            return Ok(project.into_report());
        }
        if self.is_inside_run() {
            return Err(Error::InsideRun.into());
        }
        if self.trusts_everything() {
            return Ok(project.grant(&home, self.clock())?);
        }
        trust::confirm(&files, &home, project.report(), self.clock(), observer)?;
        Ok(TrustReport {
            standing: TrustStanding::Trusted,
            changes: Vec::new(),
            ..project.into_report()
        })
    }

    /// Agrees to what the user was shown, by its digest.
    pub fn trust_accept(&self, digest: &str) -> Result<TrustReport, ApiError> {
        let (files, home) = (self.config_files(None)?, self.home()?);
        let project = ProjectTrust::inspect(&files, Some(&home))?;
        if project.report().digest.as_deref() != Some(digest) {
            return Err(Error::ChangedMeanwhile.into());
        }
        Ok(project.grant(&home, self.clock())?)
    }

    /// Lists everything that the user trusts.
    pub fn trust_list(&self) -> Result<TrustListReport, ApiError> {
        Ok(project::list(&self.home()?)?)
    }

    /// Revokes the trust in a file, or in everything in a directory.
    pub fn trust_revoke(&self, path: &Path) -> Result<TrustRevokeReport, ApiError> {
        Ok(project::revoke(&self.home()?, &self.path(path))?)
    }

    /// Refuses what the project brings unless the user trusts it, agrees to it now, or trusts
    /// everything in this process.
    pub(super) fn require_trust(
        &self,
        files: &ConfigFiles,
        observer: &mut dyn TrustObserver,
    ) -> Result<(), ApiError> {
        if self.trusts_everything() {
            return Ok(());
        }
        let home = self.home().ok();
        if self.is_inside_run() {
            return Ok(project::require(files, home.as_ref())?);
        }
        Ok(trust::require_confirmed(
            files,
            home.as_ref(),
            self.clock(),
            observer,
        )?)
    }

    /// Whether the user trusts everything that the project brings, in this process.
    pub(super) fn trusts_everything(&self) -> bool {
        self.variable("MATERIA_TRUST")
            .is_some_and(|value| value == "1")
    }

    fn is_inside_run(&self) -> bool {
        !self.is_operator()
            || INSIDE_VARIABLES
                .iter()
                .any(|name| self.variable(name).is_some())
            || process::inside()
    }
}
