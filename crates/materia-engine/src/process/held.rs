//! A handle to a process that is being watched.
//!
//! Owns a pidfd that becomes readable when the process ends.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use super::identity::{self, ProcessIdentity};

/// A running process. Its descriptor becomes readable when it ends.
#[derive(Debug)]
pub struct ProcessHandle(OwnedFd);

impl ProcessHandle {
    /// Opens exactly this process; `None` if it has ended.
    pub fn of(process: &ProcessIdentity) -> Option<Self> {
        process
            .is_alive()
            .then(|| identity::hold(process.pid, process.start_time).ok())
            .flatten()
            .map(Self)
    }
}

impl AsFd for ProcessHandle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::*;
    use crate::process::{Command, ProcessSet, Signal};

    #[test]
    fn the_end_of_a_held_process_is_seen() {
        let mut processes = ProcessSet::new();
        let leaf = processes.spawn(Command::new(["sleep", "600"]));
        let sleeper = processes.identity(leaf).unwrap();
        let held = ProcessHandle::of(&sleeper).unwrap();
        let mut fds = [PollFd::new(&held, PollFlags::IN)];
        assert_eq!(poll(&mut fds, Some(&Timespec::default())).unwrap(), 0);
        sleeper.signal(Signal::KILL).unwrap();
        assert_eq!(poll(&mut fds, None).unwrap(), 1);
        processes.sweep(std::time::Duration::ZERO);
        assert!(ProcessHandle::of(&sleeper).is_none());
    }
}
