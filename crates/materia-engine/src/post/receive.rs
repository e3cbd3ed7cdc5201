//! Waiting for a message without polling.
//!
//! Owns the wait. A process that posts a message wakes the waiters. The kernel reports the end of
//! every process that holds a message of this queue, because that message becomes free, and the end
//! of the run's supervisor. A slow timer covers lost wake-ups.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use materia_model::message::event::MessageHolder;
use materia_model::message::{MessageState, QueueId};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::claim::ClaimedMessage;
use super::error::Error;
use super::message_log::MessageLog;
use crate::clock;
use crate::process::{Interrupts, ProcessHandle as Process};
use crate::run::{identity, is_dead};
use crate::wake::WaiterPipe;

/// The longest sleep before a wait checks again by itself.
const RECONCILE: Duration = Duration::from_secs(10);

/// How many holders are watched. The ends of others are found at the next check.
const MOST_WATCHED: usize = 64;

/// How long to wait for a message.
#[derive(Debug, Clone, Copy)]
pub enum MessageWait {
    /// Until a message comes or the run ends.
    Forever,
    /// At most this long.
    For(Duration),
}

impl MessageLog {
    /// Claims the next message of a queue, and waits for one if the queue is empty.
    pub fn receive(
        &self,
        place: &QueueId,
        by: &MessageHolder,
        wait: MessageWait,
    ) -> Result<ClaimedMessage, Error> {
        self.receive_unless(&Interrupts::default(), place, by, wait)
    }

    /// Like `receive`, but stops waiting when interrupted.
    pub fn receive_unless(
        &self,
        interrupts: &Interrupts,
        place: &QueueId,
        by: &MessageHolder,
        wait: MessageWait,
    ) -> Result<ClaimedMessage, Error> {
        if let Some(claimed) = self.claim(place, by)? {
            return Ok(claimed);
        }
        let deadline = match wait {
            MessageWait::Forever => None,
            MessageWait::For(time) => clock::deadline_in(time),
        };
        let generation = self.look(|mail| mail.generation.clone())?;
        let folder = self.ears();
        let ear = WaiterPipe::open(&folder).map_err(|source| Error::Io {
            path: folder,
            source,
        })?;
        loop {
            // Drain before the check, so that a wake-up after the check is not lost.
            ear.drain();
            if let Some(claimed) = self.claim(place, by)? {
                return Ok(claimed);
            }
            self.check_on(generation.as_deref())?;
            let left = deadline.map_or(RECONCILE, |at: Instant| clock::until(at).min(RECONCILE));
            if left.is_zero() {
                return Err(Error::TimedOut);
            }
            let others = self.others(place)?;
            sleep(&ear, &others, interrupts, left);
            if interrupts.came() {
                return Err(Error::Interrupted);
            }
        }
    }

    /// Fails if the run has ended, has no live supervisor, or was restarted.
    fn check_on(&self, generation: Option<&str>) -> Result<(), Error> {
        let supervisor = self.look(|mail| mail.supervisor.clone())?;
        let abandoned = supervisor.is_some_and(|supervisor| is_dead(&supervisor));
        // Read after checking the supervisor, so that its last record is included.
        self.look(|mail| {
            let run = mail
                .run
                .as_ref()
                .map_or_else(|| "the run".to_owned(), |run| format!("run:{run}"));
            match (&mail.ended, mail.generation.as_deref()) {
                (Some(status), _) => Err(Error::Over {
                    run,
                    status: status.clone(),
                }),
                (None, found) if found != generation => Err(Error::Stale {
                    run,
                    expected: generation.unwrap_or("none").to_owned(),
                    found: found.unwrap_or("none").to_owned(),
                }),
                _ if abandoned => Err(Error::Over {
                    run,
                    status: "exited".to_owned(),
                }),
                _ => Ok(()),
            }
        })?
    }

    /// The processes whose end matters: holders of messages of this queue, and the run's
    /// supervisor.
    fn others(&self, place: &QueueId) -> Result<Vec<Process>, Error> {
        self.look(|mail| {
            let holders = mail
                .queue(place)
                .open()
                .filter_map(|entry| match &entry.state {
                    MessageState::Claimed { by, .. } => Some(by),
                    _ => None,
                });
            let all = mail.supervisor.iter().chain(holders);
            all.take(MOST_WATCHED)
                .filter_map(|holder| Process::of(&identity(holder)))
                .collect()
        })
    }
}

/// Sleeps until woken, until one of the other processes ends, until interrupted, or for `at_most`.
fn sleep(ear: &WaiterPipe, others: &[Process], interrupts: &Interrupts, at_most: Duration) {
    let fds = std::iter::once(ear.as_fd())
        .chain(others.iter().map(AsFd::as_fd))
        .chain(interrupts.fds());
    let mut fds: Vec<PollFd<'_>> = fds
        .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
        .collect();
    let timeout = Timespec::try_from(at_most).ok();
    let _woken: Result<usize, Errno> = rustix::event::poll(&mut fds, timeout.as_ref());
}
