//! `watch`: what runs say to their coordinator and how they end, reported once.

use std::time::Duration;

use materia_model::name::SessionId;

use super::{ApiError, Engine};
use crate::routing::watch::{self, WatchScope};

pub use crate::post::{News, NewsEvent};
pub use crate::routing::watch::{WatchEnd, WatchObserver};

/// How long an interrupted watcher may take to record what it reported.
const RECORD_TIMEOUT: Duration = Duration::from_secs(5);

/// Whose news are reported.
#[derive(Debug, Clone, Default)]
pub struct WatchRequest {
    /// The session; without one, that of the caller, and all of them for the operator.
    pub session: Option<String>,
    /// Whether to end when everything that has happened so far was reported.
    pub once: bool,
}

impl Engine {
    /// Reports news until the observer stops, until it is interrupted, or, with `once`, until there
    /// are none.
    pub fn watch(
        &self,
        request: &WatchRequest,
        observer: &mut dyn WatchObserver,
    ) -> Result<WatchEnd, ApiError> {
        let caller = self.caller(request.session.as_deref())?;
        let session: Option<SessionId> = caller.session.as_deref().map(str::parse).transpose()?;
        // A program of a run that names no session has a mark of its own.
        let within = caller.run.filter(|_| request.session.is_none());
        let scope = WatchScope {
            session: session.as_ref(),
            within: within.as_ref(),
        };
        let interrupts = self.interrupts_within(RECORD_TIMEOUT);
        Ok(watch::watch(
            &self.runs()?,
            scope,
            request.once,
            &interrupts,
            self.clock(),
            observer,
        )?)
    }
}
