//! Ends a set of processes until none is left.
//!
//! Owns the order SIGTERM, grace, SIGKILL, and the rescans between them. Every signal goes through
//! a pidfd whose identity was checked. A process that has executed another program since the scan
//! is not signalled, because it may be detached now. No step waits: the process set polls the
//! pidfds held here and calls again. Which processes are members is decided by the caller's scan,
//! which knows the tree.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::identity::{self, ProcessIdentity, SignalError};
use super::stat::Stat;
use super::tree::Known;
use crate::clock;

/// Maximum number of processes waited for at a time; the next scan finds the others.
const MAX_HELD: usize = 128;

/// How long the kernel may take to carry out SIGKILL before a process is reported as a survivor.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Maximum number of consecutive scans without a pause while a tree still grows.
const RUSH: usize = 16;

/// Delay before rescanning processes for which no pidfd could be opened.
const AGAIN: Duration = Duration::from_millis(20);

/// The result of a scan.
pub(super) struct ProcessScan {
    /// All running processes.
    pub(super) processes: Vec<Stat>,
    /// The processes to end.
    pub(super) members: Vec<Stat>,
    /// Whether a process ended during the scan. It may have left a child that the scan does not
    /// show.
    pub(super) stirred: bool,
}

/// A set of processes that is being ended.
#[derive(Debug)]
pub(super) struct EndingProcesses {
    phase: Phase,
    known: Known,
    held: Vec<OwnedFd>,
    again: Option<Instant>,
    ended: usize,
}

#[derive(Debug)]
enum Phase {
    Polite { until: Option<Instant> },
    Killing { until: Option<Instant> },
    Over { survivors: Vec<ProcessIdentity> },
}

impl EndingProcesses {
    /// Creates the set; nothing is signalled before the first [`Self::advance`].
    pub(super) fn new(grace: Duration) -> Self {
        let phase = if grace.is_zero() {
            killing()
        } else {
            Phase::Polite {
                until: clock::deadline_in(grace),
            }
        };
        Self {
            phase,
            known: Known::new(),
            held: Vec::new(),
            again: None,
            ended: 0,
        }
    }

    /// Ends the grace period.
    pub(super) fn hurry(&mut self) {
        if matches!(self.phase, Phase::Polite { .. }) {
            self.phase = killing();
            self.held.clear();
            self.again = None;
        }
    }

    /// The pidfds of the processes that are waited for.
    pub(super) fn held(&self) -> &[OwnedFd] {
        &self.held
    }

    /// Drops the pidfd at `index`: its process has ended.
    pub(super) fn release(&mut self, index: usize) {
        self.held.swap_remove(index);
    }

    /// When to call [`Self::advance`] even if no event arrives.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        match self.phase {
            Phase::Polite { until } | Phase::Killing { until } => {
                until.into_iter().chain(self.again).min()
            }
            Phase::Over { .. } => None,
        }
    }

    /// How many processes were signalled.
    pub(super) fn ended(&self) -> usize {
        self.ended
    }

    /// Advances as far as possible without waiting. Returns the survivors once it is done.
    pub(super) fn advance(
        &mut self,
        mut scan: impl FnMut(&Known) -> ProcessScan,
    ) -> Option<Vec<ProcessIdentity>> {
        for _ in 0..RUSH {
            let passed = |moment: &Option<Instant>| {
                moment.is_some_and(|moment| clock::until(moment).is_zero())
            };
            match &self.phase {
                Phase::Polite { until } if passed(until) => self.hurry(),
                _ => {}
            }
            let timed_out = matches!(&self.phase, Phase::Killing { until } if passed(until));
            if !timed_out
                && (!self.held.is_empty() || self.again.is_some_and(|again| !passed(&Some(again))))
            {
                return None;
            }
            self.again = None;
            let found = scan(&self.known);
            if found.members.is_empty() && found.stirred && !timed_out {
                continue;
            }
            if found.members.is_empty() || timed_out {
                let survivors = found
                    .members
                    .iter()
                    .map(ProcessIdentity::from_stat)
                    .collect();
                self.phase = Phase::Over { survivors };
            }
            match &mut self.phase {
                Phase::Over { survivors } => return Some(std::mem::take(survivors)),
                Phase::Polite { .. } => self.ask(&found),
                Phase::Killing { .. } => self.kill(&found),
            }
        }
        self.again = clock::deadline_in(AGAIN);
        None
    }

    /// Sends SIGTERM to every member that has not got it yet, and continues stopped ones so that
    /// they handle it.
    fn ask(&mut self, found: &ProcessScan) {
        let (mut fresh, mut changed) = (false, false);
        for member in &found.members {
            let held = identity::hold(member.pid, member.start);
            if has_executed(member) {
                changed = true;
                continue;
            }
            if self.meet(member) {
                fresh = true;
                signal(member, &held, Signal::TERM);
                signal(member, &held, Signal::CONT);
            }
            self.keep(held.ok());
        }
        if changed {
            // The next scan decides whether it still belongs to the tree.
            self.held.clear();
        }
        self.rest(fresh || changed);
    }

    /// Sends SIGKILL to every member.
    fn kill(&mut self, found: &ProcessScan) {
        let mut fresh = false;
        for (group, witness) in whole_groups(found) {
            kill_group(group, &witness);
        }
        for member in &found.members {
            let held = identity::hold(member.pid, member.start);
            if has_executed(member) {
                fresh = true;
                continue;
            }
            fresh |= self.meet(member);
            signal(member, &held, Signal::KILL);
            self.keep(held.ok());
        }
        if fresh {
            // Scan again before waiting: members may have forked meanwhile, and one that has
            // executed another program may not be a member any more.
            self.held.clear();
        }
        self.rest(fresh);
    }

    fn meet(&mut self, member: &Stat) -> bool {
        let new = self.known.insert((member.pid, member.start));
        self.ended += usize::from(new);
        new
    }

    fn keep(&mut self, held: Option<OwnedFd>) {
        if self.held.len() < MAX_HELD {
            self.held.extend(held);
        }
    }

    /// With no pidfd to wait on and no new member, falls back to a timer.
    fn rest(&mut self, fresh: bool) {
        if self.held.is_empty() && !fresh {
            self.again = clock::deadline_in(AGAIN);
        }
    }
}

fn killing() -> Phase {
    Phase::Killing {
        until: clock::deadline_in(PATIENCE),
    }
}

/// Whether a forked member has executed a program since the scan. The scan saw the environment of
/// its parent; its own may mark it as detached.
fn has_executed(member: &Stat) -> bool {
    member.forked
        && Stat::read(member.pid).is_some_and(|now| now.start == member.start && !now.forked)
}

/// Signals a member through its pidfd. If no descriptor was free for one, checks the pid and
/// signals that.
fn signal(member: &Stat, held: &Result<OwnedFd, SignalError>, signal: Signal) {
    match held {
        Ok(handle) => {
            let _ = identity::send(member.pid, handle, signal);
        }
        Err(SignalError::Failed { .. }) => {
            let same =
                Stat::read(member.pid).is_some_and(|now| now.start == member.start && !now.gone);
            if let Some(pid) = Pid::from_raw(member.pid).filter(|_| same) {
                let _ = rustix::process::kill_process(pid, signal);
            }
        }
        Err(SignalError::Gone(_) | SignalError::Denied(_)) => {}
    }
}

/// The process groups that consist of members only, each with one member; never our own group.
fn whole_groups(found: &ProcessScan) -> BTreeMap<i32, Stat> {
    let ours = rustix::process::getpgrp().as_raw_nonzero().get();
    let mut groups: BTreeMap<i32, Stat> = found
        .members
        .iter()
        .map(|member| (member.group, *member))
        .filter(|(group, _)| *group > 1)
        .collect();
    groups.remove(&ours);
    for process in found.processes.iter().filter(|process| !process.gone) {
        if !found.members.iter().any(|member| member.pid == process.pid) {
            groups.remove(&process.group);
        }
    }
    groups
}

/// Kills a whole group with one call. Unlike a loop over its members, no member can fork past it.
fn kill_group(group: i32, witness: &Stat) {
    // The group id cannot be reused while the witness lives, and the witness was just in the group.
    let Ok(_held) = identity::hold(witness.pid, witness.start) else {
        return;
    };
    let still =
        Stat::read(witness.pid).is_some_and(|now| now.start == witness.start && now.group == group);
    if let Some(group) = Pid::from_raw(group).filter(|_| still && !has_executed(witness)) {
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
}

#[cfg(test)]
mod tests;
