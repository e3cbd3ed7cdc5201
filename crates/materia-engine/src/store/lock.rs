//! Locks between processes.
//!
//! Owns lock files. A lock is the kernel's `flock` on a file that is never deleted. The kernel
//! releases it when the holder ends, even by `kill -9`, so it cannot go stale. Children do not
//! inherit it (`O_CLOEXEC`) unless it is handed over to one, and then it ends with that child. A
//! signed lock file contains the holder's pid, for messages only. Never decides what a lock
//! protects.
//!
//! Waiting with a timeout: `flock` has none, and a helper thread blocked in it could take the lock
//! long after the waiter gave up. So a waiter sleeps on inotify until a holder closes the file. It
//! also retries every `RECONCILE`, because the kernel reports the close of a killed holder shortly
//! before it releases the lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::inotify::WatchFlags;
use serde::{Deserialize, Serialize};

use super::{kernel, shown};
use crate::wake::inotify::InotifyWatch;
use crate::{clock, failpoint};

/// How often a waiter retries without an event.
const RECONCILE: Duration = Duration::from_millis(100);

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    /// Whether the file contains the holder.
    signed: bool,
    /// Whether another process keeps holding it.
    handed_over: bool,
}

/// Which other holders the lock allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMode {
    /// None.
    Exclusive,
    /// Other shared holders.
    Shared,
}

/// How long to wait while another process holds the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockWait {
    /// Give up at once.
    No,
    /// Give up after this time.
    For(Duration),
    /// Wait as long as it takes.
    Forever,
}

/// The process that holds a lock, as recorded in the lock file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// When the process started, in clock ticks since boot: distinguishes a reused pid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<u64>,
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds it.
    #[error("{} is held by {}", shown(file), held_by(holder.as_ref()))]
    Held {
        /// The lock file.
        file: PathBuf,
        /// The holder, if known: shared holders do not sign.
        holder: Option<Holder>,
    },
    /// The lock file cannot be used.
    #[error("cannot {action} the lock file {}", shown(file))]
    Io {
        /// The operation that failed.
        action: &'static str,
        /// The lock file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl LockError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Held {
                holder: Some(_), ..
            } => "wait until that process is done, or stop it",
            Self::Held { .. } => "wait until the other processes that use it are done",
            Self::Io { .. } => {
                "check that the directory exists, is writable, and that the disk has space"
            }
        }
    }
}

fn held_by(holder: Option<&Holder>) -> String {
    holder.map_or_else(
        || "other processes".to_owned(),
        |holder| format!("process {}", holder.pid),
    )
}

impl Holder {
    /// This process.
    pub fn current() -> Self {
        Self {
            pid: std::process::id(),
            started: kernel::own_start(),
        }
    }

    /// Whether the process is still running. The start time excludes another process with its pid.
    fn lives(&self) -> bool {
        self.started.is_some() && kernel::start_of(self.pid) == self.started
    }
}

impl Lock {
    /// Takes the lock and creates a missing lock file (0600). An exclusive holder signs the file.
    pub fn acquire(
        path: &Path,
        mode: LockMode,
        wait: LockWait,
        holder: &Holder,
    ) -> Result<Self, LockError> {
        let mut lock = Self::acquire_unsigned(path, mode, wait)?;
        if mode == LockMode::Exclusive {
            lock.sign(holder).map_err(failed("sign", path))?;
        }
        Ok(lock)
    }

    /// Takes the lock without signing, for locks whose holder is recorded elsewhere.
    pub fn acquire_unsigned(
        path: &Path,
        mode: LockMode,
        wait: LockWait,
    ) -> Result<Self, LockError> {
        let file = open_file(path)?;
        Request {
            file: &file,
            path,
            mode,
        }
        .wait(wait)?;
        Ok(Self {
            file,
            signed: false,
            handed_over: false,
        })
    }

    /// Keeps holding an exclusive lock that the parent process took, through the inherited file.
    /// `None` if another process has taken it meanwhile.
    pub fn from_inherited(file: File) -> io::Result<Option<Self>> {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(Some(Self {
            file,
            signed: false,
            handed_over: false,
        }))
    }

    /// Leaves the lock to a process that inherited its file. That process holds it until it ends.
    pub fn hand_over(mut self) {
        self.handed_over = true;
    }

    /// Whether the path still refers to the locked file. If its directory was moved or removed
    /// while we waited, this lock protects nothing.
    pub fn is_current(&self, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        match (self.file.metadata(), std::fs::metadata(path)) {
            (Ok(held), Ok(named)) => (held.dev(), held.ino()) == (named.dev(), named.ino()),
            _ => false,
        }
    }

    fn sign(&mut self, holder: &Holder) -> io::Result<()> {
        failpoint::hit("lock.sign")?;
        self.signed = true;
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file
            .write_all(serde_json::to_string(holder)?.as_bytes())
    }
}

impl AsFd for Lock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// A lock that is not held yet. Dropping it has no effect.
struct Request<'a> {
    file: &'a File,
    path: &'a Path,
    mode: LockMode,
}

impl Request<'_> {
    fn wait(&self, wait: LockWait) -> Result<(), LockError> {
        match wait {
            LockWait::No if self.try_once()? => Ok(()),
            LockWait::No => Err(self.held()),
            LockWait::For(limit) => self.wait_within(limit),
            LockWait::Forever => match self.mode {
                LockMode::Exclusive => self.file.lock(),
                LockMode::Shared => self.file.lock_shared(),
            }
            .map_err(failed("lock", self.path)),
        }
    }

    fn wait_within(&self, limit: Duration) -> Result<(), LockError> {
        if self.try_once()? {
            return Ok(());
        }
        let deadline = clock::deadline_in(limit);
        let watch = InotifyWatch::new().map_err(failed("watch", self.path))?;
        watch
            .add(self.path, WatchFlags::CLOSE_WRITE)
            .map_err(failed("watch", self.path))?;
        loop {
            watch.drain().map_err(failed("watch", self.path))?;
            if self.try_once()? {
                return Ok(());
            }
            let left = deadline.map_or(RECONCILE, |at: Instant| clock::until(at));
            if left.is_zero() {
                return Err(self.held());
            }
            watch
                .wait(left.min(RECONCILE))
                .map_err(failed("watch", self.path))?;
        }
    }

    fn try_once(&self) -> Result<bool, LockError> {
        let tried = match self.mode {
            LockMode::Exclusive => self.file.try_lock(),
            LockMode::Shared => self.file.try_lock_shared(),
        };
        match tried {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(failed("lock", self.path)(error)),
        }
    }

    /// The error with the holder. A signature is valid only while the lock is exclusive: shared
    /// holders do not remove an old one.
    fn held(&self) -> LockError {
        let exclusively = matches!(self.file.try_lock_shared(), Err(TryLockError::WouldBlock));
        let holder = exclusively.then(|| read_holder(self.path)).flatten();
        LockError::Held {
            file: self.path.to_owned(),
            holder,
        }
    }
}

impl Drop for Lock {
    /// Unlocks before the close that wakes the waiters.
    fn drop(&mut self) {
        if self.handed_over {
            return;
        }
        if self.signed {
            let _ = self.file.set_len(0);
        }
        let _ = self.file.unlock();
    }
}

/// Opens a lock file, creating it (0600) if missing. Does not lock it.
pub(super) fn open_file(path: &Path) -> Result<File, LockError> {
    failpoint::hit("lock.create").map_err(failed("create", path))?;
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(failed("open", path))
}

/// The holder recorded in a lock file; `None` if the file is empty or not ours.
pub fn read_holder(path: &Path) -> Option<Holder> {
    let mut text = String::new();
    File::open(path)
        .ok()?
        .take(1024)
        .read_to_string(&mut text)
        .ok()?;
    serde_json::from_str(&text).ok()
}

/// The holder recorded in a lock file, if it is still running. Does not take the lock.
pub fn living_holder(path: &Path) -> Option<Holder> {
    read_holder(path).filter(Holder::lives)
}

fn failed(action: &'static str, path: &Path) -> impl Fn(io::Error) -> LockError {
    move |source| LockError::Io {
        action,
        file: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};

    use super::*;

    fn exclusive(path: &Path, wait: LockWait) -> Result<Lock, LockError> {
        Lock::acquire(path, LockMode::Exclusive, wait, &Holder::current())
    }

    #[test]
    fn a_held_lock_names_its_holder() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("x.lock");
        let lock = exclusive(&path, LockWait::No).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(read_holder(&path).unwrap().started.is_some());
        let error = exclusive(&path, LockWait::For(Duration::from_millis(1))).unwrap_err();
        let expected = format!("is held by process {}", std::process::id());
        assert!(error.to_string().ends_with(&expected), "{error}");
        assert!(
            read_holder(&path).is_some(),
            "who asks in vain leaves the signature alone"
        );
        drop(lock);
        exclusive(&path, LockWait::No).unwrap();
        assert!(path.exists());
    }

    #[test]
    fn shared_holders_share_and_keep_an_exclusive_one_out() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("x.lock");
        let share = || Lock::acquire(&path, LockMode::Shared, LockWait::No, &Holder::current());
        let both = (share().unwrap(), share().unwrap());
        let error = exclusive(&path, LockWait::No).unwrap_err();
        assert!(
            error.to_string().ends_with("is held by other processes"),
            "{error}"
        );
        drop(both);
        let _lock = exclusive(&path, LockWait::No).unwrap();
        assert!(matches!(
            share(),
            Err(LockError::Held {
                holder: Some(_),
                ..
            })
        ));
    }

    #[test]
    fn a_child_that_outlives_the_holder_does_not_keep_the_lock() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("x.lock");
        let lock = exclusive(&path, LockWait::No).unwrap();
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        drop(lock);
        let again = exclusive(&path, LockWait::No);
        drop(child.stdin.take());
        child.wait().unwrap();
        again.unwrap();
    }

    #[test]
    fn a_waiter_gets_the_lock_when_it_is_dropped() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("x.lock");
        let lock = exclusive(&path, LockWait::No).unwrap();
        std::thread::scope(|scope| {
            let timed =
                scope.spawn(|| exclusive(&path, LockWait::For(Duration::from_secs(60))).map(drop));
            let patient = scope.spawn(|| exclusive(&path, LockWait::Forever).map(drop));
            drop(lock);
            timed.join().unwrap().unwrap();
            patient.join().unwrap().unwrap();
        });
    }

    #[test]
    fn a_lock_in_a_missing_directory_is_explained() {
        let error = exclusive(Path::new("/nowhere/at/all.lock"), LockWait::No).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot open the lock file `/nowhere/at/all.lock`"
        );
    }
}
