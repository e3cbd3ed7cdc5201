//! The socket on which drivers of casts find the host of their session.
//!
//! Owns creating it, for one host at a time, and removing it. Knows nothing of what is said.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use crate::store::dir;

/// Where the host of a session is found.
#[derive(Debug, Clone)]
pub struct HostSocket(PathBuf);

/// Removes the socket of a host that ends.
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

    /// Listens as the host, unless another process does. Listening ends with the guard.
    pub fn listen(&self) -> io::Result<(UnixListener, HostGuard)> {
        dir::create_private(dir::parent_of(&self.0)).map_err(io::Error::other)?;
        if self.connect().is_ok() {
            return Err(io::Error::new(
                io::ErrorKind::AddrInUse,
                "another host plays for this session",
            ));
        }
        // What a host left behind that was killed.
        let _none = dir::remove_file(&self.0);
        let listener = UnixListener::bind(&self.0)?;
        listener.set_nonblocking(true)?;
        Ok((listener, HostGuard(self.0.clone())))
    }
}

impl Drop for HostGuard {
    fn drop(&mut self) {
        // A socket without a listener is as good as none.
        let _gone = dir::remove_file(&self.0);
    }
}
