//! Converts the errors of choosing and running an agent.

use std::io;

use super::{ApiError, ErrorKind};
use crate::{actor, agent_turn};

impl From<agent_turn::Error> for ApiError {
    fn from(error: agent_turn::Error) -> Self {
        use agent_turn::Error;
        let typed = |kind, code: &str| Self::from_error(kind, code, &error);
        match &error {
            Error::Missing(missing) => {
                typed(ErrorKind::Agent, "no_agent").hint(missing.hint.clone())
            }
            Error::Foreign { owner, .. } => typed(ErrorKind::Invalid, "foreign_session")
                .hint(format!("ask with --agent {owner}, or name another session")),
            Error::Dir(_) | Error::Session(_) | Error::Unreadable(_) => {
                typed(ErrorKind::Failed, "storage").hint("make room and check who may write there")
            }
            Error::TooManyFiles { .. } => {
                typed(ErrorKind::Invalid, "usage").hint("put them together first")
            }
            Error::Attachment { error, .. } => {
                let kind = match error.kind() {
                    io::ErrorKind::NotFound => ErrorKind::NotFound,
                    _ => ErrorKind::Invalid,
                };
                typed(kind, "unreadable").hint("name files that exist and that you may read")
            }
            Error::Interrupted => typed(ErrorKind::Interrupted, "interrupted"),
        }
    }
}

impl From<actor::Error> for ApiError {
    fn from(error: actor::Error) -> Self {
        let (kind, code) = match error {
            actor::Error::NoActor(_) => (ErrorKind::Invalid, "no_agent_run"),
            _ => (ErrorKind::Failed, "storage"),
        };
        Self::from_error(kind, code, &error)
            .hint("`materia inspect run:ID` says how the run stands")
    }
}
