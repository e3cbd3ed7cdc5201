//! Runs a plan: leaves, sequences, parallel branches, retries, deadlines.
//!
//! Owns the walk through a [`Plan`] and the data that flows between its steps. Everything is one
//! loop over one process set: no threads, no shell, no pumping of bytes through our memory. Never reads
//! a template (the plan has nothing left to resolve), never prints (it reports to a [`RunObserver`]),
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

use materia_model::finding::Finding;
use materia_model::template::Plan;

use crate::process::{ChildId, ProcessSet, Signal};

pub(crate) use around::{DetachedIo, ObserverCommand, Streams};
pub use flow::Flow;
pub use report::{
    Branch, BranchStatus, CommandRun, Coverage, ExecutionStatus, FailedCommand, Outcome,
};

use flow::Spool;
use walk::PlanWalk;

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
pub enum RunProgress<'a> {
    /// A command was started.
    Started {
        /// Which.
        leaf: ChildId,
        /// Its label.
        label: Option<&'a str>,
        /// Its program and arguments.
        argv: &'a [String],
        /// Which attempt, from 1.
        attempt: u64,
    },
    /// A command could not start for want of files or processes; it is started again when another
    /// one ends.
    Postponed {
        /// Which.
        leaf: ChildId,
    },
    /// A command wrote to its stderr.
    Stderr {
        /// Which.
        leaf: ChildId,
        /// What it wrote, in arbitrary chunks.
        bytes: &'a [u8],
    },
    /// A command wrote to its stdout. Only reported to an observer that wants it: otherwise it goes
    /// straight to the next reader.
    Stdout {
        /// Which.
        leaf: ChildId,
        /// What it wrote, in arbitrary chunks.
        bytes: &'a [u8],
    },
    /// A command ended.
    Ended {
        /// Which.
        leaf: ChildId,
        /// How.
        run: &'a CommandRun,
        /// Whether it has read everything that it was fed.
        read_all: bool,
    },
    /// The person interrupted the plan.
    Interrupted {
        /// The signal.
        signal: Signal,
        /// Whether it was interrupted before.
        again: bool,
    },
    /// Time has passed; see [`RunObserver::tick_interval`].
    Tick,
}

/// Receives what happens while a plan runs.
pub trait RunObserver {
    /// Something happened.
    fn progress(&mut self, progress: RunProgress<'_>);

    /// What was found about the template and its values, before anything is started.
    fn warnings(&mut self, _warnings: &[Finding]) {}

    /// The launch could not be counted in the ledger of the recipes.
    fn not_counted(&mut self, _reason: &str) {}

    /// Whether it wants to see stderr as it is written.
    fn wants_stderr(&self) -> bool {
        false
    }

    /// Whether it wants to see stdout as it is written.
    fn wants_stdout(&self) -> bool {
        self.tick_interval().is_some()
    }

    /// How often to report that time has passed; never when `None`.
    fn tick_interval(&self) -> Option<Duration> {
        None
    }
}

/// An observer that may also direct the plan, such as the supervisor of a run.
pub(crate) trait RunController: RunObserver {
    /// What is to be done now; asked when something that the process set watches can be read, and when
    /// time has passed. `stdin_drained` says that a command has taken everything that it was fed.
    fn commands(&mut self, stdin_drained: bool) -> Vec<ObserverCommand>;
}

/// An observer that observes nothing.
#[derive(Debug)]
pub struct Unobserved;

impl RunObserver for Unobserved {
    fn progress(&mut self, _: RunProgress<'_>) {}
}

/// Makes a controller of an observer, which directs nothing.
struct Passive<'o>(&'o mut dyn RunObserver);

impl RunObserver for Passive<'_> {
    fn progress(&mut self, progress: RunProgress<'_>) {
        self.0.progress(progress);
    }

    fn wants_stderr(&self) -> bool {
        self.0.wants_stderr()
    }

    fn wants_stdout(&self) -> bool {
        self.0.wants_stdout()
    }

    fn tick_interval(&self) -> Option<Duration> {
        self.0.tick_interval()
    }
}

impl RunController for Passive<'_> {
    fn commands(&mut self, _: bool) -> Vec<ObserverCommand> {
        Vec::new()
    }
}

/// Runs a plan to its end, and leaves no process of it behind.
pub fn run(
    request: &Request<'_>,
    processes: &mut ProcessSet,
    observer: &mut dyn RunObserver,
) -> io::Result<Outcome> {
    run_in(
        request,
        &DetachedIo::default(),
        processes,
        &mut Passive(observer),
    )
}

/// The same for a run of its own, with a controller.
pub(crate) fn run_in(
    request: &Request<'_>,
    around: &DetachedIo,
    processes: &mut ProcessSet,
    controller: &mut dyn RunController,
) -> io::Result<Outcome> {
    let spool = Spool::new(request.spool.clone());
    let input = request.stdin.as_ref().map_or(Ok(Flow::None), Flow::given)?;
    Ok(PlanWalk::new(request, around, processes, controller, spool).run(input))
}
