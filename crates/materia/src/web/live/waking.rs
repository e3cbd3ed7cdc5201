//! A descriptor that becomes readable on changes, registered with the async runtime.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

struct Raw<T>(T);

impl<T: AsFd> AsRawFd for Raw<T> {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}

/// A registered source of wake-ups.
pub(super) struct Waking<T: AsFd>(AsyncFd<Raw<T>>);

impl<T: AsFd> Waking<T> {
    /// Registers the descriptor with the runtime.
    #[expect(
        deprecated,
        reason = "its successor is unsafe, and what is registered here owns its descriptor"
    )]
    pub(super) fn new(watched: T) -> io::Result<Self> {
        AsyncFd::with_interest(Raw(watched), Interest::READABLE).map(Self)
    }

    /// Waits for a wake-up.
    pub(super) async fn woken(&mut self) {
        if let Ok(mut guard) = self.0.readable_mut().await {
            guard.clear_ready();
        }
    }

    /// The registered source.
    pub(super) fn get(&mut self) -> &mut T {
        &mut self.0.get_mut().0
    }
}
