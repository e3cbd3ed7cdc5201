//! `wait`: blocks until runs are over.

use std::time::Duration;

use super::{ApiError, Engine};
use crate::inspect::wait;
use crate::run::{Until, WaitOptions};

pub use crate::inspect::wait::{WaitObserver, WaitReport};

/// What is waited for.
#[derive(Debug, Clone, Default)]
pub struct WaitRequest {
    /// The runs: `run:ID`.
    pub runs: Vec<String>,
    /// Whether the first one that ends is enough.
    pub any: bool,
    /// How long to wait at most.
    pub timeout: Option<Duration>,
    /// The session that waits.
    pub session: Option<String>,
}

impl Engine {
    /// Waits until runs are over. The observer gets the report as soon as their ends are recorded;
    /// the call returns when they are durable and nothing of the runs is left.
    pub fn wait(
        &self,
        request: &WaitRequest,
        observer: &mut dyn WaitObserver,
    ) -> Result<WaitReport, ApiError> {
        let root = self.runs()?;
        let caller = self.caller(request.session.as_deref())?;
        let named = request.runs.iter();
        let ids = named
            .map(|run| self.run_id(&root, &caller, run))
            .collect::<Result<Vec<_>, _>>()?;
        let options = WaitOptions {
            until: if request.any { Until::Any } else { Until::All },
            timeout: request.timeout,
            follow: false,
            caller: caller.session.as_deref(),
        };
        let effects = (&self.interrupts(), self.clock());
        Ok(wait::wait(&root, &ids, options, effects, observer)?)
    }
}
