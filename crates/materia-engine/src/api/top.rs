//! `top`: all runs and casts, live.

use super::{ApiError, Engine, ErrorKind};
use crate::inspect::top::TopContext;

pub use crate::inspect::top::{
    TopDetail, TopMessage, TopReport, TopSide, TopSubject, TopWake, TopWatch,
};
pub use crate::process::RunProcess;

/// Whose runs to show.
#[derive(Debug, Clone, Default)]
pub struct TopRequest {
    /// The session; the caller's where it is absent. The operator sees everything.
    pub session: Option<String>,
}

impl Engine {
    /// Lists all runs and casts once.
    pub fn top(&self, request: &TopRequest) -> Result<TopReport, ApiError> {
        Ok(self.top_context(request)?.list()?)
    }

    /// Lists all runs and casts again whenever they change. Interrupts are caught from now on.
    pub fn watch_top(&self, request: &TopRequest) -> Result<TopWatch, ApiError> {
        TopWatch::open(self.top_context(request)?)
            .map_err(|error| ApiError::from_error(ErrorKind::Failed, "no_watch", &error))
    }

    fn top_context(&self, request: &TopRequest) -> Result<TopContext, ApiError> {
        Ok(TopContext {
            root: self.runs()?,
            casts: self.cast_root(None)?,
            session: self.caller(request.session.as_deref())?.session,
            clock: self.clock().clone(),
        })
    }
}
