//! Commands of a plan: starts each as a process, and turns its end into a result.
//!
//! Owns starting commands in the order in which they became ready, up to the limit of concurrent
//! commands, and the interpretation of their ends.

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

/// Maximum number of stderr bytes kept for the report.
const STDERR_MEMORY: usize = 64 * 1024;
/// Maximum number of stderr bytes that a report quotes.
const STDERR_QUOTED: usize = 1000;
/// The exit code of a command whose output could not be kept: `EX_IOERR`.
pub(super) const OUTPUT_LOST: i32 = 74;
/// Estimated number of file descriptors per running command, rounded up.
const DESCRIPTORS: u64 = 8;
/// The environment variable with the name of the recipe whose document contains the command.
const PART_VARIABLE: &str = "MATERIA_RECIPE";
/// Default limit of concurrent commands.
const MOST_AT_ONCE: usize = 256;

/// The limit of concurrent commands: the requested one, reduced to the limits of the system.
pub(super) fn most_at_once(asked: Option<usize>) -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile)
        .current
        .unwrap_or(u64::MAX);
    let possible = usize::try_from(files.saturating_sub(32) / DESCRIPTORS).unwrap_or(usize::MAX);
    asked.unwrap_or(MOST_AT_ONCE).min(possible).max(1)
}

impl PlanWalk<'_, '_> {
    /// Starts queued commands up to the limit.
    pub(super) fn start_queued(&mut self) {
        while self.leaves.len() < self.jobs
            && let Some(id) = self.queue.pop_front()
        {
            // It may have been stopped while it was queued.
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

    /// The sinks of a command. Its stdout is not kept if only the streams receive it.
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

    /// Queues a command again until another one ends, and lowers the limit of concurrent commands
    /// (T17).
    fn postpone(&mut self, id: TaskId) {
        self.jobs = self.leaves.len().max(1);
        if let Some(task) = self.task(id) {
            task.phase = Phase::Queued;
            self.queue.push_front(id);
        }
    }

    /// Records the end of a command and passes its result to its node.
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

    /// Ends a command that could not start because the system had no free files.
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

/// `materia` as a program name means the running binary, whatever `PATH` contains, so that recipes
/// run with the version that they were written for.
fn start_ourselves(command: &mut Command) {
    if let Some(first) = command.argv.first_mut().filter(|first| *first == "materia") {
        // Works even if the file of the binary was replaced meanwhile.
        *first = "/proc/self/exe".into();
    }
}

/// The record of a command's execution before anything is known about it.
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

/// Whether the error would not have occurred with fewer concurrent commands.
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

/// How a command ended for its node, and its exit code. The deadline of an enclosing node counts as
/// its own.
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

/// The end of a command's stderr, or why it did not start.
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
