//! Sessions: on whose behalf a server calls, and what ends with it.

use materia_model::name::{NameError, SessionId};

use super::{ApiError, Caller, Engine};
use crate::clock::Clock;
use crate::run;

/// How much of a fresh id makes the name of a session.
const SESSION_ID_LEN: usize = 12;

impl Engine {
    /// The session that the caller named, or the one that it inherited (A9).
    pub fn session(&self, requested: Option<&str>) -> Result<Option<SessionId>, ApiError> {
        let session = self.caller(requested)?.session;
        session.as_deref().map(session_id).transpose()
    }

    /// A session with a new name, which begins with `prefix`.
    pub fn fresh_session(&self, prefix: &str) -> Result<SessionId, ApiError> {
        // Never of a fixed clock: two sessions must differ.
        let random = Clock::system().fresh_id();
        let start = random.len().saturating_sub(SESSION_ID_LEN);
        Ok(format!("{prefix}-{}", &random[start..]).parse()?)
    }

    /// The same engine on behalf of a session, as a part of the run that this process is in.
    #[must_use]
    pub fn for_session(&self, session: &SessionId) -> Self {
        self.on_behalf_of(Caller {
            session: Some(session.to_string()),
            run: self.calling_run().cloned(),
        })
    }

    /// On whose behalf this engine acts.
    pub fn current_caller(&self) -> Caller {
        self.inherited_caller().clone()
    }

    /// The same engine where what the user trusts this process with does not count: for clients of
    /// a server that several share (S2).
    #[must_use]
    pub fn without_trust(&self) -> Self {
        self.without_variable("MATERIA_TRUST")
    }

    /// Ends the runs that are to end with a session.
    pub fn end_session(&self, session: &SessionId) -> Result<(), ApiError> {
        run::end_session(&self.runs()?, session.as_str(), self.clock())?;
        Ok(())
    }
}

/// A session by its name.
pub fn session_id(name: &str) -> Result<SessionId, ApiError> {
    name.parse().map_err(|error: NameError| {
        let mut error = ApiError::from(error);
        error.code = "invalid_session".to_owned();
        error
    })
}
