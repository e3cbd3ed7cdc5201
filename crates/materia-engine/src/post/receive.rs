//! Waiting for a message, without looking again and again.
//!
//! Owns the wait: whoever posts a message rings, and the kernel tells the end of every process that
//! has a message of this queue, since such a message is free again, and of the run's supervisor. A
//! slow timer looks without them.

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

/// How long a wait sleeps at most before it looks by itself.
const RECONCILE: Duration = Duration::from_secs(10);

/// How many claimers are watched; the others are found at the next look.
const MOST_WATCHED: usize = 64;

/// How long to wait for a message.
#[derive(Debug, Clone, Copy)]
pub enum MessageWait {
    /// Until one comes or the run ends.
    Forever,
    /// At most so long.
    For(Duration),
}

impl MessageLog {
    /// Claims the next message of a queue, waiting for one where there is none.
    pub fn receive(
        &self,
        place: &QueueId,
        by: &MessageHolder,
        wait: MessageWait,
    ) -> Result<ClaimedMessage, Error> {
        self.receive_unless(&Interrupts::default(), place, by, wait)
    }

    /// The same, for one who stops waiting where it is interrupted.
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
            // It is heard from before the look that finds nothing, so nothing comes in between.
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

    /// Refuses to wait for a run that has ended, that nobody watches over any more, or that was
    /// started anew.
    fn check_on(&self, generation: Option<&str>) -> Result<(), Error> {
        let supervisor = self.look(|mail| mail.supervisor.clone())?;
        let abandoned = supervisor.is_some_and(|supervisor| is_dead(&supervisor));
        // Looked at after the supervisor was: what it wrote last is in it.
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

    /// Whose end matters: those who have a message of this queue, and whoever watches over the run.
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

/// Sleeps until it is rung, one of the others ends, we are interrupted, or the time is over.
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
