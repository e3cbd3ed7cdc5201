//! Runs a plan: commands, sequences, parallel branches, retries, deadlines.
//!
//! Owns the walk through a [`Plan`] and the data that flows between its steps. Everything runs in
//! one loop over one process set: no threads, no shell, no copying of bytes through our memory.
//! Never reads a template (the plan has nothing left to resolve), never prints (it reports to a
//! [`RunObserver`]), never starts a process itself (`engine::process` does).

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

/// A plan to run, and its context.
#[derive(Debug)]
pub struct Request<'p> {
    /// The plan.
    pub plan: &'p Plan,
    /// The working directory of its commands.
    pub cwd: PathBuf,
    /// The stdin of the whole plan.
    pub stdin: Option<File>,
    /// Maximum number of commands that run at the same time in the whole plan.
    pub jobs: Option<usize>,
    /// How long a stopped command may take to end by itself.
    pub grace: Duration,
    /// The directory for spooled output; the files disappear with this process.
    pub spool: PathBuf,
}

/// An event while a plan runs.
#[derive(Debug, Clone, Copy)]
pub enum RunProgress<'a> {
    /// A command was started.
    Started {
        /// The command.
        leaf: ChildId,
        /// Its label.
        label: Option<&'a str>,
        /// Its program and arguments.
        argv: &'a [String],
        /// Which attempt, from 1.
        attempt: u64,
    },
    /// A command could not start because files or processes were exhausted. It is started again
    /// when another command ends.
    Postponed {
        /// The command.
        leaf: ChildId,
    },
    /// A command wrote to its stderr.
    Stderr {
        /// The command.
        leaf: ChildId,
        /// What it wrote, in arbitrary chunks.
        bytes: &'a [u8],
    },
    /// A command wrote to its stdout. Only reported to an observer that wants it: otherwise it goes
    /// straight to the next reader.
    Stdout {
        /// The command.
        leaf: ChildId,
        /// What it wrote, in arbitrary chunks.
        bytes: &'a [u8],
    },
    /// A command ended.
    Ended {
        /// The command.
        leaf: ChildId,
        /// How it ended.
        run: &'a CommandRun,
        /// Whether it has read all input that was sent to it.
        read_all: bool,
    },
    /// The user interrupted the plan.
    Interrupted {
        /// The signal.
        signal: Signal,
        /// Whether this is not the first interrupt.
        again: bool,
    },
    /// Time has passed; see [`RunObserver::tick_interval`].
    Tick,
}

/// Receives events while a plan runs.
pub trait RunObserver {
    /// Reports an event.
    fn progress(&mut self, progress: RunProgress<'_>);

    /// Reports findings about the template and its values, before anything is started.
    fn warnings(&mut self, _warnings: &[Finding]) {}

    /// Reports that the launch could not be counted in the usage ledger of the recipes.
    fn not_counted(&mut self, _reason: &str) {}

    /// Whether it wants to see stderr as it is written.
    fn wants_stderr(&self) -> bool {
        false
    }

    /// Whether it wants to see stdout as it is written.
    fn wants_stdout(&self) -> bool {
        self.tick_interval().is_some()
    }

    /// The interval of [`RunProgress::Tick`]; `None` disables it.
    fn tick_interval(&self) -> Option<Duration> {
        None
    }
}

/// An observer that may also control the plan, such as the supervisor of a run.
pub(crate) trait RunController: RunObserver {
    /// Commands from the controller, polled on wake-ups and ticks. `stdin_drained`: a child has
    /// read all input so far.
    fn commands(&mut self, stdin_drained: bool) -> Vec<ObserverCommand>;
}

/// An observer that ignores all events.
#[derive(Debug)]
pub struct Unobserved;

impl RunObserver for Unobserved {
    fn progress(&mut self, _: RunProgress<'_>) {}
}

/// Wraps an observer as a controller that sends no commands.
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

/// Runs a plan to its end. No process of it is left behind.
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

/// Runs the plan of a detached run, with a controller.
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
