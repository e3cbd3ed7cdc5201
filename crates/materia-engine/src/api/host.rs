//! The host of a session: a program that plays turns of casts in its own conversation.

use std::os::unix::net::UnixStream;

use materia_model::name::SessionId;

use super::{ApiError, Engine, ErrorKind};

pub use crate::agent::{HostGuard, HostSocket};

impl Engine {
    /// Where the host of a session is found.
    pub fn host_socket(&self, session: &SessionId) -> Result<HostSocket, ApiError> {
        Ok(HostSocket::new(self.home()?.host(session)))
    }

    /// Connects to the host of the caller's session.
    pub fn connect_host(&self) -> Result<UnixStream, ApiError> {
        let missing = |message: &str| {
            ApiError::new(ErrorKind::Agent, "no_host", message)
                .hint("start the cast from inside a host, such as Pi with its extension, or name another agent")
        };
        let session = self.caller(None)?.session;
        let session = session.ok_or_else(|| missing("this cast belongs to no session"))?;
        let socket = self.host_socket(&session.parse()?)?;
        let connected = socket.connect();
        connected.map_err(|_| missing("the host of this session is not there"))
    }
}
