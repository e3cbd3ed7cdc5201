//! Runs a plan: leaves, sequences, parallel branches, retries, deadlines.
//!
//! Owns the walk through a [`Plan`] and the data that flows between its steps. Everything is one
//! loop over one nursery: no threads, no shell, no pumping of bytes through our memory. Never reads
//! a template (the plan has nothing left to resolve), never prints (it tells an [`Observer`]),
//! never starts a process itself (`engine::process` does).

mod around;
mod flow;
mod report;
mod task;
mod fan;
mod walk;
mod stop;
mod attempt;
mod leaf;
mod sequence;
mod join;
mod parallel;

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use materia_model::template::Plan;

use crate::process::{LeafId, Nursery, Signal};

pub use around::{Around, Streams, Wish};
pub use flow::Flow;
pub use report::{Branch, BranchStatus, CommandRun, Coverage, FailedCommand, Outcome, Status};

use flow::Spool;
use walk::Walk;

/// What to run, and in which surroundings.
#[derive(Debug)]
pub struct Request<'p> {
    /// The plan.
    pub plan: &'p Plan,
    /// Where its commands run.
    pub cwd: PathBuf,
    /// What the whole plan reads.
    pub stdin: Option<File>,
    /// How many commands run at the same time in the whole plan.
    pub jobs: Option<usize>,
    /// How long a stopped command may take to end by itself.
    pub grace: Duration,
    /// Where output is spooled; it disappears with us.
    pub spool: PathBuf,
}

/// What happens while a plan runs.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// A command was started.
    Started {
        /// Which.
        leaf: LeafId,
        /// What people call it.
        label: Option<&'a str>,
        /// What it is.
        argv: &'a [String],
        /// Which attempt, from 1.
        attempt: u64,
    },
    /// A command could not run yet for want of files or processes; it is started again when another
    /// one is over.
    Postponed {
        /// Which.
        leaf: LeafId,
    },
    /// A command wrote to its stderr.
    Said {
        /// Which.
        leaf: LeafId,
        /// As it came, cut anywhere.
        bytes: &'a [u8],
    },
    /// A command wrote to its stdout. Only told to whoever looks: elsewhere it flows on unseen.
    Seen {
        /// Which.
        leaf: LeafId,
        /// As it came, cut anywhere.
        bytes: &'a [u8],
    },
    /// A command is over.
    Ended {
        /// Which.
        leaf: LeafId,
        /// How.
        run: &'a CommandRun,
        /// Whether it has read everything that it was fed.
        read_all: bool,
    },
    /// Somebody asked us to stop.
    Interrupted {
        /// By which signal.
        signal: Signal,
        /// Whether it was asked before.
        again: bool,
    },
    /// Time has passed; see [`Observer::pace`].
    Tick,
}

/// Somebody who is told what happens.
pub trait Observer {
    /// Something happened.
    fn tell(&mut self, progress: Progress<'_>);

    /// Whether it wants to hear what commands write to stderr as it comes.
    fn listens(&self) -> bool {
        false
    }

    /// How often to tell that time has passed; not at all when `None`.
    fn pace(&self) -> Option<Duration> {
        None
    }

    /// Whether it wants to hear what commands write to stdout as it comes.
    fn looks(&self) -> bool {
        self.pace().is_some()
    }

    /// What it wishes for; asked when something that the nursery watches can be read, and when time
    /// has passed. `hungry` says that a command has taken everything that it was fed.
    fn wishes(&mut self, _hungry: bool) -> Vec<Wish> {
        Vec::new()
    }
}

/// Nobody.
#[derive(Debug)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn tell(&mut self, _: Progress<'_>) {}
}

/// Runs a plan to its end, and leaves no process of it behind.
pub fn run(
    request: &Request<'_>,
    nursery: &mut Nursery,
    observer: &mut dyn Observer,
) -> io::Result<Outcome> {
    run_in(request, &Around::default(), nursery, observer)
}

/// The same with something around it.
pub fn run_in(
    request: &Request<'_>,
    around: &Around,
    nursery: &mut Nursery,
    observer: &mut dyn Observer,
) -> io::Result<Outcome> {
    let spool = Spool::new(request.spool.clone());
    let input = request.stdin.as_ref().map_or(Ok(Flow::None), Flow::given)?;
    Ok(Walk::new(request, around, nursery, observer, spool).run(input))
}
