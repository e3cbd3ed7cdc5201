//! The socket on which drivers of casts find the host of their session.
//!
//! Owns creating it, for one host at a time, and removing it. Knows nothing of the messages.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use crate::store::dir;

/// The socket of a session's host.
#[derive(Debug, Clone)]
pub struct HostSocket(PathBuf);

/// Removes the socket when the host ends.
#[derive(Debug)]
pub struct HostGuard(PathBuf);

impl HostSocket {
    /// The socket at this path, which need not exist.
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Connects to the host.
    pub fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(&self.0)
    }

    /// Listens as the host, unless another process does. Dropping the guard ends it.
    pub fn listen(&self) -> io::Result<(UnixListener, HostGuard)> {
        dir::create_private(dir::parent_of(&self.0)).map_err(io::Error::other)?;
        if self.connect().is_ok() {
            return Err(io::Error::new(
                io::ErrorKind::AddrInUse,
                "another host plays for this session",
            ));
        }
        // Left behind by a host that was killed.
        let _none = dir::remove_file(&self.0);
        let listener = UnixListener::bind(&self.0)?;
        listener.set_nonblocking(true)?;
        Ok((listener, HostGuard(self.0.clone())))
    }
}

impl Drop for HostGuard {
    fn drop(&mut self) {
        // A socket without a listener is useless; remove it.
        let _gone = dir::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_host_listens_and_removes_only_its_own_socket() {
        let dir = tempfile::tempdir().unwrap();
        let socket = HostSocket::new(dir.path().join("hosts/a"));
        assert!(socket.connect().is_err());
        let (listener, guard) = socket.listen().unwrap();
        assert_eq!(
            socket.listen().unwrap_err().kind(),
            io::ErrorKind::AddrInUse
        );
        assert!(socket.connect().is_ok(), "a refused host removes nothing");
        drop(listener);
        let (_listener, again) = socket.listen().unwrap();
        assert!(
            socket.connect().is_ok(),
            "the socket of a dead host is replaced"
        );
        drop(again);
        drop(guard);
        assert!(!dir.path().join("hosts/a").exists());
    }
}
