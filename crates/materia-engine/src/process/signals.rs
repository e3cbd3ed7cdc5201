//! Signals to this process, made visible to poll.
//!
//! Owns one self-pipe per caught signal. A signal that was ignored when we were started (`nohup`, a
//! background job) stays ignored. Never acts on a signal: the process set reports it to its caller,
//! and a waiting call returns.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use rustix::process::Signal;
use signal_hook::{SigId, flag};

use crate::store::kernel;

/// One caught signal.
#[derive(Debug)]
pub(super) struct CaughtSignal {
    signal: Signal,
    pipe: OwnedFd,
    registration: SigId,
}

impl CaughtSignal {
    /// Catches `signal` until dropped.
    pub(super) fn new(signal: Signal) -> io::Result<Self> {
        let (pipe, theirs) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let registration = signal_hook::low_level::pipe::register(signal.as_raw(), theirs)?;
        Ok(Self {
            signal,
            pipe,
            registration,
        })
    }

    pub(super) fn signal(&self) -> Signal {
        self.signal
    }

    /// Clears the pipe. Returns whether the signal arrived at all, not how often.
    pub(super) fn drain(&self) -> bool {
        let mut buffer = [0; 64];
        let mut came = false;
        while let Ok(count @ 1..) = rustix::io::read(&self.pipe, &mut buffer) {
            came = true;
            if count < buffer.len() {
                break;
            }
        }
        came
    }
}

impl AsFd for CaughtSignal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

impl Drop for CaughtSignal {
    fn drop(&mut self) {
        signal_hook::low_level::unregister(self.registration);
    }
}

/// The signals that ask a process to stop, except those that were ignored when this process
/// started.
pub(super) fn interrupts() -> impl Iterator<Item = Signal> {
    [Signal::INT, Signal::TERM, Signal::HUP]
        .into_iter()
        .filter(|signal| !is_ignored(*signal))
}

/// A request to stop one blocking call, made by another thread. Clones share it.
#[derive(Debug, Clone)]
pub struct Cancellation(Arc<CancelPipe>);

/// Becomes readable as soon as the writing end is closed.
#[derive(Debug)]
struct CancelPipe {
    reader: OwnedFd,
    writer: Mutex<Option<OwnedFd>>,
}

impl Cancellation {
    /// Creates a cancellation that is not requested yet.
    pub fn new() -> io::Result<Self> {
        let (reader, writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        let writer = Mutex::new(Some(writer));
        Ok(Self(Arc::new(CancelPipe { reader, writer })))
    }

    /// Wakes the waiting call and makes it return with "interrupted".
    pub fn cancel(&self) {
        drop(self.writer().take());
    }

    /// Whether it was requested.
    pub fn is_cancelled(&self) -> bool {
        self.writer().is_none()
    }

    fn writer(&self) -> MutexGuard<'_, Option<OwnedFd>> {
        self.0.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sources that can stop a waiting call: signals to this process, or a [`Cancellation`]. Only
/// one value per process can catch signals at a time; the default has no source. When it is
/// dropped, signals end the process again.
#[derive(Debug, Default)]
pub struct Interrupts {
    caught: Vec<CaughtSignal>,
    cancellation: Option<Cancellation>,
    /// Dropped when the interrupt was noticed in time.
    in_time: Option<Sender<()>>,
}

/// Whether the signals end the process, which is their default action.
static DEADLY: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let deadly = Arc::new(AtomicBool::new(true));
    for signal in interrupts() {
        let _stays_deadly = flag::register_conditional_default(signal.as_raw(), deadly.clone());
    }
    deadly
});

impl Interrupts {
    /// Catches the signals, except those that were ignored when this process started. If that
    /// fails, they keep their default action and end the process.
    pub fn catch() -> Self {
        let caught = interrupts()
            .map(CaughtSignal::new)
            .collect::<io::Result<Vec<_>>>();
        DEADLY.store(caught.is_err(), Ordering::SeqCst);
        Self {
            caught: caught.unwrap_or_default(),
            cancellation: None,
            in_time: None,
        }
    }

    /// Stops when `cancellation` is requested. Leaves signals unchanged.
    pub fn cancelled_by(cancellation: Cancellation) -> Self {
        Self {
            caught: Vec::new(),
            cancellation: Some(cancellation),
            in_time: None,
        }
    }

    /// Like [`Self::catch`], for a caller that may block where it cannot check, such as on a full
    /// pipe. If the interrupt is not noticed within `patience`, the process is ended.
    pub fn catch_for(patience: Duration) -> Self {
        let mut interrupts = Self::catch();
        let (in_time, late) = channel::<()>();
        let fds: Vec<OwnedFd> = interrupts
            .fds()
            .filter_map(|fd| fd.try_clone_to_owned().ok())
            .collect();
        let _no_thread = std::thread::Builder::new()
            .name("interrupts".to_owned())
            .spawn(move || {
                let mut fds: Vec<PollFd<'_>> = fds
                    .iter()
                    .map(|fd| PollFd::new(fd, PollFlags::IN))
                    .collect();
                while let Err(Errno::INTR) = poll(&mut fds, None) {}
                if late.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                    let _dead =
                        signal_hook::low_level::emulate_default_handler(Signal::TERM.as_raw());
                }
            });
        interrupts.in_time = Some(in_time);
        interrupts
    }

    /// Blocks until an interrupt arrives.
    pub fn wait(&self) {
        while !self.came() {
            let mut fds: Vec<PollFd<'_>> = self
                .fds()
                .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
                .collect();
            if !matches!(poll(&mut fds, None), Ok(_) | Err(Errno::INTR)) {
                return;
            }
        }
    }

    /// Whether an interrupt arrived since the last call.
    pub fn came(&self) -> bool {
        let signals = self.caught.iter().filter(|caught| caught.drain()).count();
        signals > 0
            || self
                .cancellation
                .as_ref()
                .is_some_and(Cancellation::is_cancelled)
    }

    /// The descriptors that become readable when an interrupt arrives.
    pub fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let cancelled = self.cancellation.iter().map(|one| one.0.reader.as_fd());
        self.caught.iter().map(AsFd::as_fd).chain(cancelled)
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        if !self.caught.is_empty() {
            DEADLY.store(true, Ordering::SeqCst);
        }
    }
}

/// Whether this process ignored `signal` at the first call, before anything was caught.
pub(super) fn is_ignored(signal: Signal) -> bool {
    static IGNORED: OnceLock<u64> = OnceLock::new();
    IGNORED.get_or_init(ignored) >> (signal.as_raw() - 1) & 1 == 1
}

fn ignored() -> u64 {
    let status = kernel::read("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancellation_wakes_whatever_polls_it() {
        let cancellation = Cancellation::new().unwrap();
        let interrupts = Interrupts::cancelled_by(cancellation.clone());
        assert!(!interrupts.came());
        std::thread::spawn(move || cancellation.cancel());
        let mut fds: Vec<PollFd<'_>> = interrupts
            .fds()
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        assert_eq!(poll(&mut fds, None), Ok(1));
        assert!(interrupts.came());
    }

    #[test]
    fn the_runtime_ignores_broken_pipes_and_nothing_else_of_ours() {
        assert!(is_ignored(Signal::PIPE));
        assert!(!is_ignored(Signal::TERM));
    }
}
