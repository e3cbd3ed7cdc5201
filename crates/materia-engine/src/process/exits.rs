//! Waits for the ends of processes that are not our children.
//!
//! Owns a set of pidfds. The kernel reports every end, also by `kill -9`, so there is no polling
//! interval. If a pid now belongs to another process, the original one counts as ended.

use std::os::fd::OwnedFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};

use super::identity::{self, ProcessIdentity};
use crate::clock;

/// Processes whose ends are waited for, each with a value of the caller.
#[derive(Debug)]
pub struct Exits<T> {
    held: Vec<(T, OwnedFd)>,
}

impl<T> Default for Exits<T> {
    fn default() -> Self {
        Self { held: Vec::new() }
    }
}

impl<T> Exits<T> {
    /// Adds a process. Returns the value at once if the process has already ended.
    pub fn add(&mut self, process: &ProcessIdentity, word: T) -> Option<T> {
        if !process.is_alive() {
            return Some(word);
        }
        match identity::hold(process.pid, process.start_time) {
            Ok(handle) => {
                self.held.push((word, handle));
                None
            }
            Err(_) => Some(word),
        }
    }

    /// Also wakes when a descriptor becomes readable; its value is then returned like that of an
    /// ended process.
    pub fn also(&mut self, fd: OwnedFd, word: T) {
        self.held.push((word, fd));
    }

    /// Removes the entries whose value matches.
    pub fn forget(&mut self, which: impl Fn(&T) -> bool) {
        self.held.retain(|(word, _)| !which(word));
    }

    /// Whether the set has no entries.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Waits until some processes end, or until the deadline, and returns their values.
    pub fn next(&mut self, deadline: Option<Instant>) -> Vec<T> {
        loop {
            let mut fds: Vec<PollFd<'_>> = self
                .held
                .iter()
                .map(|(_, handle)| PollFd::new(handle, PollFlags::IN))
                .collect();
            let timeout = deadline.and_then(|due| Timespec::try_from(clock::until(due)).ok());
            let polled = rustix::event::poll(&mut fds, timeout.as_ref());
            let over: Vec<bool> = fds
                .iter()
                .map(|fd| polled.is_ok() && !fd.revents().is_empty())
                .collect();
            let mut over = over.into_iter();
            let gone = self.held.extract_if(.., |_| over.next() == Some(true));
            let gone: Vec<T> = gone.map(|(word, _)| word).collect();
            let late = deadline.is_some_and(|due| clock::until(due).is_zero());
            if !gone.is_empty() || late || self.held.is_empty() {
                return gone;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::process::{Command, ProcessSet};

    #[test]
    fn an_end_is_told_once_and_a_deadline_holds() {
        let mut processes = ProcessSet::new();
        let leaf = processes.spawn(Command::new(["sleep", "600"]));
        let sleeper = processes.identity(leaf).unwrap();
        let mut exits = Exits::default();
        assert_eq!(exits.add(&sleeper, "sleeper"), None);
        assert!(
            exits
                .next(clock::deadline_in(Duration::from_millis(5)))
                .is_empty()
        );
        sleeper.signal(crate::process::Signal::KILL).unwrap();
        assert_eq!(exits.next(None), ["sleeper"]);
        assert!(exits.is_empty());
        processes.sweep(Duration::ZERO);
        assert_eq!(exits.add(&sleeper, "gone"), Some("gone"));
    }

    #[test]
    fn a_descriptor_wakes_until_it_is_forgotten() {
        let mut exits = Exits::default();
        let (read, write) = rustix::pipe::pipe().unwrap();
        exits.also(read.try_clone().unwrap(), "bell");
        assert!(exits.next(clock::deadline_in(Duration::ZERO)).is_empty());
        rustix::io::write(&write, b"!").unwrap();
        assert_eq!(exits.next(None), ["bell"]);
        exits.also(read, "bell");
        exits.forget(|word| *word == "bell");
        assert!(exits.is_empty());
    }
}
