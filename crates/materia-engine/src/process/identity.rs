//! The identity of a process across pid reuse and reboots.
//!
//! Owns the triple (pid, start time, boot id) of A3 and the one safe way to signal a process that
//! is not our child: open a pidfd, check that it is still the same process, signal the pidfd. A pid
//! alone is never trusted.

use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal};
use serde::{Deserialize, Serialize};

use super::stat::Stat;
use crate::store::kernel;

/// One process of one boot of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcessIdentity {
    /// Its pid, which the kernel may reuse later.
    pub pid: i32,
    /// Its start time, in clock ticks since boot.
    pub start_time: u64,
    /// The boot of the machine that it belongs to.
    pub boot_id: String,
}

/// Why a process was not signalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignalError {
    /// It has ended, and its pid may belong to another process.
    #[error("process {0} has ended")]
    Gone(i32),
    /// It belongs to another user.
    #[error("process {0} belongs to another user")]
    Denied(i32),
    /// The kernel refused.
    #[error("process {pid} cannot be signalled: {errno}")]
    Failed {
        /// The pid.
        pid: i32,
        /// The kernel's error.
        errno: Errno,
    },
}

impl ProcessIdentity {
    /// The identity of a running or unreaped process; `None` if there is no such pid.
    pub fn of(pid: i32) -> Option<Self> {
        Stat::read(pid).map(|stat| Self::from_stat(&stat))
    }

    /// The identity of this process.
    pub fn of_self() -> Option<Self> {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        Some(Self {
            pid,
            start_time: kernel::own_start()?,
            boot_id: boot_id().to_owned(),
        })
    }

    pub(super) fn from_stat(stat: &Stat) -> Self {
        Self {
            pid: stat.pid,
            start_time: stat.start,
            boot_id: boot_id().to_owned(),
        }
    }

    /// Whether it still runs: same boot, same start time, not a zombie.
    pub fn is_alive(&self) -> bool {
        self.boot_id == boot_id()
            && Stat::read(self.pid).is_some_and(|stat| stat.start == self.start_time && !stat.gone)
    }

    /// Signals exactly this process.
    pub fn signal(&self, signal: Signal) -> Result<(), SignalError> {
        if self.boot_id != boot_id() {
            return Err(SignalError::Gone(self.pid));
        }
        let handle = hold(self.pid, self.start_time)?;
        send(self.pid, &handle, signal)
    }
}

/// Opens a pidfd for exactly the process that started at `start`.
pub(super) fn hold(pid: i32, start: u64) -> Result<OwnedFd, SignalError> {
    // A negative pid would mean a group, and rustix panics on it.
    let raw = if pid > 0 { Pid::from_raw(pid) } else { None };
    let raw = raw.ok_or(SignalError::Gone(pid))?;
    let handle = rustix::process::pidfd_open(raw, PidfdFlags::empty())
        .map_err(|errno| refused(pid, errno))?;
    // Check after opening the pidfd: if the pid was reused before, the start time differs now.
    match Stat::read(pid) {
        Some(stat) if stat.start == start && !stat.gone => Ok(handle),
        _ => Err(SignalError::Gone(pid)),
    }
}

/// Signals the process behind a pidfd.
pub(super) fn send(pid: i32, handle: &OwnedFd, signal: Signal) -> Result<(), SignalError> {
    rustix::process::pidfd_send_signal(handle, signal).map_err(|errno| refused(pid, errno))
}

fn refused(pid: i32, errno: Errno) -> SignalError {
    match errno {
        Errno::SRCH | Errno::INVAL => SignalError::Gone(pid),
        Errno::PERM => SignalError::Denied(pid),
        errno => SignalError::Failed { pid, errno },
    }
}

/// The id of this boot. Empty if the kernel does not expose it; identities then consist of pid and
/// start time only.
fn boot_id() -> &'static str {
    kernel::boot().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_spelled_plainly() {
        let me = ProcessIdentity::of_self().unwrap();
        assert!(me.is_alive());
        let text = serde_json::to_string(&me).unwrap();
        assert_eq!(serde_json::from_str::<ProcessIdentity>(&text).unwrap(), me);
    }

    #[test]
    fn another_start_or_boot_is_somebody_else() {
        let me = ProcessIdentity::of_self().unwrap();
        let later = ProcessIdentity {
            start_time: me.start_time + 1,
            ..me.clone()
        };
        let elsewhere = ProcessIdentity {
            boot_id: "another".into(),
            ..me.clone()
        };
        let nobody = ProcessIdentity { pid: -1, ..me };
        for other in [later, elsewhere, nobody] {
            assert!(!other.is_alive());
            // The signal would end this test if it arrived.
            assert_eq!(
                other.signal(Signal::KILL),
                Err(SignalError::Gone(other.pid))
            );
        }
    }
}
