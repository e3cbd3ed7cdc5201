//! What a server for browsers needs of the engine: who may use it, what it serves, and a browser.

use serde::Serialize;

use super::{ApiError, Engine, ErrorKind};
use crate::process::browser;

pub use crate::web_session::WebAccess;

/// This program and the project it works in.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AboutReport {
    /// Our version.
    pub version: &'static str,
    /// The project directory.
    pub project: String,
    /// Its last part.
    pub project_name: String,
}

impl Engine {
    /// The version of this program, and the project.
    pub fn about(&self) -> Result<AboutReport, ApiError> {
        let project = self.project()?;
        let name = project.file_name().unwrap_or(project.as_os_str());
        Ok(AboutReport {
            version: env!("CARGO_PKG_VERSION"),
            project: project.to_string_lossy().into_owned(),
            project_name: name.to_string_lossy().into_owned(),
        })
    }

    /// Who may use a server that starts now. There has to be a project that it can serve.
    pub fn web_access(&self) -> Result<WebAccess, ApiError> {
        let home = self.home()?;
        self.project()?;
        WebAccess::open(&home, self.clock()).map_err(|error| {
            ApiError::from_error(ErrorKind::Failed, "no_token", &error)
                .hint("check that your profile directory is yours")
        })
    }

    /// Shows an address in the user's browser; says whether there is a program for that.
    pub fn open_browser(&self, url: &str) -> bool {
        browser::open(url).is_ok()
    }
}
