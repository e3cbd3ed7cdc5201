//! A process that somebody watches, and whom a command works for.
//!
//! Owns a pidfd that becomes readable when the process ends, and the question for whom a short-lived command was started.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use super::identity::{self, Identity};
use super::stat::Stat;

/// How many forks of a shell are passed over.
const MOST_FORKS: usize = 16;

/// A living process; its descriptor is readable when it has ended.
#[derive(Debug)]
pub struct Held(OwnedFd);

impl Held {
    /// Takes hold of exactly this process; nothing where it has ended.
    pub fn of(process: &Identity) -> Option<Self> {
        process.is_alive().then(|| identity::hold(process.pid, process.start_time).ok()).flatten().map(Self)
    }
}

impl AsFd for Held {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The process that this one works for: the one that started it.
///
/// A shell runs `$(a | b)` in a copy of itself that ends with it. Such copies have the command line of whoever made them,
/// and are passed over.
pub fn caller() -> Option<Identity> {
    let own = Stat::read(rustix::process::getpid().as_raw_nonzero().get())?;
    let mut caller = Stat::read(own.parent)?;
    for _ in 0..MOST_FORKS {
        match Stat::read(caller.parent) {
            Some(above) if caller.parent > 1 && is_copy(caller.pid, above.pid) => caller = above,
            _ => break,
        }
    }
    Some(Identity::from_stat(&caller))
}

/// Whether a process is a copy of another that never became another program.
fn is_copy(pid: i32, of: i32) -> bool {
    let words =
        |pid: i32| std::fs::read(format!("/proc/{pid}/cmdline")).ok().filter(|words| !words.is_empty());
    let program = |pid: i32| std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    words(pid).is_some() && words(pid) == words(of) && program(pid) == program(of)
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::*;
    use crate::process::{Command, Nursery, Signal};

    #[test]
    fn the_end_of_a_held_process_is_seen() {
        let mut nursery = Nursery::new();
        let leaf = nursery.spawn(Command::new(["sleep", "600"]));
        let sleeper = nursery.identity(leaf).unwrap();
        let held = Held::of(&sleeper).unwrap();
        let mut fds = [PollFd::new(&held, PollFlags::IN)];
        assert_eq!(poll(&mut fds, Some(&Timespec::default())).unwrap(), 0);
        sleeper.signal(Signal::KILL).unwrap();
        assert_eq!(poll(&mut fds, None).unwrap(), 1);
        nursery.sweep(std::time::Duration::ZERO);
        assert!(Held::of(&sleeper).is_none());
    }

    #[test]
    fn somebody_started_this_test() {
        assert!(caller().is_some_and(|caller| caller.is_alive()));
    }
}
