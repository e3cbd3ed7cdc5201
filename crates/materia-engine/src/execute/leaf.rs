//! Leaves: a command of the plan becomes a process, and its end a result.
//!
//! Owns starting commands in the order they became ready, as many at once as is allowed, and the
//! words for their ends.

use std::io;
use std::time::Duration;

use materia_model::template::plan::PlanBody;
use materia_model::text;
use rustix::io::Errno;

use super::RunProgress;
use super::flow::Flow;
use super::report::{CommandRun, FailedCommand};
use super::task::{Done, End, NodeStop, NodeTask, Phase, TaskId, Trail};
use super::walk::{Action, PlanWalk};
use crate::process::{
    Capture, Cause, Command, ProcessEnd, SpawnError, Spill, Status, Stdin, StreamSink,
};

/// How much of a stream of complaints is kept for the report.
const STDERR_MEMORY: usize = 64 * 1024;
/// How much of it a report quotes.
const STDERR_QUOTED: usize = 1000;
/// The exit code of a command whose output could not be kept: `EX_IOERR`.
pub(super) const OUTPUT_LOST: i32 = 74;
/// How many file descriptors a running command needs, generously.
const DESCRIPTORS: u64 = 8;
/// The variable that tells a command in which recipe's document it stands.
const PART_VARIABLE: &str = "MATERIA_RECIPE";
/// How many commands run at once at the most where nobody says otherwise.
const MOST_AT_ONCE: usize = 256;

/// How many commands may run at once: what was asked for, as far as the machine's limits allow it.
pub(super) fn most_at_once(asked: Option<usize>) -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile)
        .current
        .unwrap_or(u64::MAX);
    let possible = usize::try_from(files.saturating_sub(32) / DESCRIPTORS).unwrap_or(usize::MAX);
    asked.unwrap_or(MOST_AT_ONCE).min(possible).max(1)
}

impl PlanWalk<'_, '_> {
    /// Starts commands that wait, while there is a place for them.
    pub(super) fn start_queued(&mut self) {
        while self.leaves.len() < self.jobs
            && let Some(id) = self.queue.pop_front()
        {
            // It may have been stopped while it waited.
            if !self
                .task(id)
                .is_some_and(|task| matches!(task.phase, Phase::Queued))
            {
                continue;
            }
            match self.start(id) {
                Ok(()) => {}
                Err(error) if is_shortage(&error) && !self.leaves.is_empty() => self.postpone(id),
                Err(error) => self.not_started(id, &error),
            }
        }
    }

    fn start(&mut self, id: TaskId) -> io::Result<()> {
        let Some(task) = self.task(id) else {
            return Ok(());
        };
        let PlanBody::Command { argv, part, .. } = &task.plan.body else {
            return Ok(());
        };
        let (plan, attempt, input) = (task.plan, task.shown_attempt, task.input.clone());
        let mut command = Command::new(argv);
        start_ourselves(&mut command);
        if let Some(part) = part {
            command.env.set(PART_VARIABLE, &**part);
        }
        command.cwd = Some(self.request.cwd.clone());
        command.stdin = match input.stdin()? {
            Stdin::Null if self.around.held => Stdin::Fed,
            stdin => stdin,
        };
        (command.stdout, command.stderr) = self.sinks();
        let timeout = plan.controls.timeout.filter(|timeout| *timeout > 0);
        command.deadline = timeout.map(Duration::from_millis);
        command.grace = self.request.grace;
        let leaf = self.processes.spawn(command);
        self.leaves.insert(leaf, id);
        if let Some(task) = self.task(id) {
            task.phase = Phase::Running(leaf);
        }
        let label = plan.controls.label.as_deref();
        self.controller.progress(RunProgress::Started {
            leaf,
            label,
            argv,
            attempt,
        });
        Ok(())
    }

    /// Where a command writes: into our hands, and no further where nothing is to be read but the
    /// streams.
    fn sinks(&self) -> (StreamSink, StreamSink) {
        let shown = self.around.streams.is_some();
        let stdout = if self.terminal {
            Capture {
                memory: 0,
                limit: u64::MAX,
                spill: Spill::Nowhere,
                live: true,
            }
        } else {
            self.spool.capture(shown || self.controller.wants_stdout())
        };
        let stderr = Capture {
            memory: STDERR_MEMORY,
            limit: u64::MAX,
            spill: Spill::Nowhere,
            live: shown || self.controller.wants_stderr(),
        };
        (StreamSink::Capture(stdout), StreamSink::Capture(stderr))
    }

    /// Lets a command wait until another one is over, and no longer tries to run so many at once
    /// (T17).
    fn postpone(&mut self, id: TaskId) {
        self.jobs = self.leaves.len().max(1);
        if let Some(task) = self.task(id) {
            task.phase = Phase::Queued;
            self.queue.push_front(id);
        }
    }

    /// A command is over: notes it down and hands its result to its node.
    pub(super) fn leaf_ended(&mut self, ended: &mut ProcessEnd) {
        let Some(id) = self.leaves.remove(&ended.leaf) else {
            return;
        };
        let others_run = !self.leaves.is_empty();
        let Some(task) = self.task(id) else { return };
        let (attempt, stopping, recovering) = (task.shown_attempt, task.stopping, task.recovering);
        if lacked_room(&ended.cause) && others_run && stopping.is_none() {
            self.controller
                .progress(RunProgress::Postponed { leaf: ended.leaf });
            return self.postpone(id);
        }
        self.write_rest(ended.leaf);
        let Some(task) = self.task(id) else { return };
        let (mut end, mut code) = judged(ended, stopping);
        let mut stderr = complaint(ended);
        let flow = Flow::captured(&mut ended.stdout).unwrap_or_else(|lost| {
            if end == End::Ok {
                (end, code) = (End::Failed, OUTPUT_LOST);
            }
            stderr = if stderr.is_empty() {
                lost
            } else {
                format!("{stderr}\n{lost}")
            };
            Flow::None
        });
        let relayed = !matches!(ended.cause, Cause::NotStarted(_));
        let run = CommandRun {
            code,
            signal: signal_of(ended),
            timed_out: end == End::TimedOut,
            attempt,
            duration_ms: u64::try_from(ended.elapsed.as_millis()).unwrap_or(u64::MAX),
            ..of(task)
        };
        task.phase = Phase::Idle;
        let mut trail = Trail::default();
        match end {
            End::Ok if !recovering => trail.succeeded = 1,
            End::Failed | End::TimedOut => {
                trail.failures.push(failed(&run, stderr.clone(), relayed));
            }
            End::Ok | End::Skipped | End::Cancelled => {}
        }
        self.controller.progress(RunProgress::Ended {
            leaf: ended.leaf,
            run: &run,
            read_all: !ended.stdin_left,
        });
        self.commands.push(run);
        let done = Done {
            end,
            code,
            stderr,
            trail,
            ..Done::ok(flow)
        };
        self.actions.push_back(Action::Settle(id, done));
    }

    /// A command for which the machine had no files is over before it began.
    fn not_started(&mut self, id: TaskId, error: &io::Error) {
        let Some(task) = self.task(id) else { return };
        let problem = format!("there is no file for what it reads: {error}");
        let run = CommandRun {
            code: 126,
            ..of(task)
        };
        task.phase = Phase::Idle;
        let trail = Trail {
            failures: vec![failed(&run, problem.clone(), false)],
            ..Trail::default()
        };
        self.commands.push(run);
        let done = Done {
            end: End::Failed,
            code: 126,
            stderr: problem,
            trail,
            ..Done::ok(Flow::None)
        };
        self.actions.push_back(Action::Settle(id, done));
    }
}

/// `materia` is the program that runs now, whatever else is called so: recipes and the program they
/// were made for fit.
fn start_ourselves(command: &mut Command) {
    if let Some(first) = command.argv.first_mut().filter(|first| *first == "materia") {
        // Also when its file was replaced meanwhile.
        *first = "/proc/self/exe".into();
    }
}

/// An execution of a node's command of which nothing is known yet.
fn of(task: &NodeTask<'_>) -> CommandRun {
    let argv = if let PlanBody::Command { argv, .. } = &task.plan.body {
        argv.clone()
    } else {
        Vec::new()
    };
    CommandRun {
        argv,
        label: task.plan.controls.label.clone(),
        code: 0,
        signal: None,
        timed_out: false,
        attempt: task.shown_attempt,
        duration_ms: 0,
    }
}

/// Whether it would have gone well with fewer commands at once.
fn is_shortage(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

fn lacked_room(cause: &Cause) -> bool {
    matches!(
        cause,
        Cause::NotStarted(SpawnError::TooManyFiles | SpawnError::TooManyProcesses)
    )
}

/// How a command ended for its node, and with which exit code. A deadline of a node around it
/// counts as its own.
fn judged(ended: &ProcessEnd, stopping: Option<NodeStop>) -> (End, i32) {
    match &ended.cause {
        Cause::Finished(Status::Exited(0)) => (End::Ok, 0),
        Cause::Finished(status) => (End::Failed, status.code()),
        Cause::NotStarted(_) => (End::Failed, ended.code()),
        Cause::TimedOut(_) => (End::TimedOut, 124),
        Cause::Cancelled(_) if stopping == Some(NodeStop::TimedOut) => (End::TimedOut, 124),
        Cause::Cancelled(_) => (End::Cancelled, ended.code()),
    }
}

fn signal_of(ended: &ProcessEnd) -> Option<i32> {
    match ended.cause.status()? {
        Status::Signalled { signal, .. } => Some(signal),
        Status::Exited(_) | Status::Unknown => None,
    }
}

/// The end of what a command wrote to stderr, or why it never ran.
fn complaint(ended: &ProcessEnd) -> String {
    if let Cause::NotStarted(error) = &ended.cause {
        return match error.hint() {
            Some(hint) => format!("{error}; {hint}"),
            None => error.to_string(),
        };
    }
    let said = String::from_utf8_lossy(&ended.stderr.bytes);
    let said = said.trim_end();
    match said.char_indices().rev().nth(STDERR_QUOTED - 1) {
        Some((start, _)) if start > 0 => format!("…{}", &said[start..]),
        _ => said.to_owned(),
    }
}

fn failed(run: &CommandRun, stderr: String, relayed: bool) -> FailedCommand {
    FailedCommand {
        argv: run
            .argv
            .iter()
            .map(|word| text::bounded(word, 4096).into_owned())
            .collect(),
        label: run.label.clone(),
        code: run.code,
        signal: run.signal,
        timed_out: run.timed_out,
        stderr,
        relayed,
    }
}
