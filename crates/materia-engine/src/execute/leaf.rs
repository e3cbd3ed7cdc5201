//! Leaves: a command of the plan becomes a process, and its end a result.
//!
//! Owns starting commands in the order they became ready, as many at once as is allowed, and the words for their ends.

use std::rc::Rc;
use std::time::Duration;

use materia_model::template::plan::Body;
use materia_model::text;

use super::Progress;
use super::flow::Flow;
use super::report::{CommandRun, FailedCommand};
use super::task::{Done, End, Phase, Stop, TaskId, Trail};
use super::walk::{Action, Walk};
use crate::process::{Capture, Cause, Command, Ended, LeafId, Sink, Spill, Status, Stdin};

/// How much of a stream of complaints is kept for the report.
const STDERR_MEMORY: usize = 64 * 1024;
/// How much of it a report quotes.
const STDERR_QUOTED: usize = 1000;
/// How many file descriptors a running command needs, generously.
const DESCRIPTORS: u64 = 8;
/// How many commands run at once at the most where nobody says otherwise.
const MOST_AT_ONCE: u64 = 256;

/// How many commands may run at once: what was asked for, else what the machine's limits allow.
pub(super) fn most_at_once(asked: Option<usize>) -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    let possible = (files.saturating_sub(32) / DESCRIPTORS).clamp(1, MOST_AT_ONCE);
    asked.unwrap_or(usize::try_from(possible).unwrap_or(1)).max(1)
}

impl Walk<'_, '_> {
    /// Starts commands that wait, while there is a place for them.
    pub(super) fn start_queued(&mut self) {
        while self.leaves.len() < self.jobs
            && let Some(id) = self.queue.pop_front()
        {
            if let Err(problem) = self.start(id) {
                let done = self.not_started(id, problem);
                self.actions.push_back(Action::Settle(id, done));
            }
        }
    }

    fn start(&mut self, id: TaskId) -> Result<(), String> {
        let Some(task) = self.task(id) else { return Ok(()) };
        let Body::Command { argv, .. } = &task.plan.body else { return Ok(()) };
        let (plan, attempt, input) = (task.plan, task.shown_attempt, task.input.clone());
        let output = Rc::new(self.spool.file().map_err(|error| format!("no spool file: {error}"))?);
        let stdout = output.try_clone().map_err(|error| format!("no spool file: {error}"))?;
        let stdin = input.reader().map_err(|error| format!("its input cannot be read: {error}"))?;
        let mut command = Command::new(argv);
        command.cwd = Some(self.request.cwd.clone());
        command.stdin = stdin.map_or(Stdin::Null, Stdin::File);
        command.stdout = Sink::File(stdout);
        command.stderr = Sink::Capture(Capture {
            memory: STDERR_MEMORY,
            limit: u64::MAX,
            spill: Spill::Nowhere,
            live: self.observer.listens(),
        });
        let timeout = plan.controls.timeout.filter(|timeout| *timeout > 0);
        command.deadline = timeout.map(Duration::from_millis);
        command.grace = self.request.grace;
        let leaf = self.nursery.spawn(command);
        self.leaves.insert(leaf, (id, output));
        if let Some(task) = self.task(id) {
            task.phase = Phase::Running(leaf);
        }
        let label = plan.controls.label.as_deref();
        self.observer.tell(Progress::Started { leaf, label, argv, attempt });
        Ok(())
    }

    /// A command is over: notes it down and hands its result to its node.
    pub(super) fn leaf_ended(&mut self, ended: Ended) {
        let Some((id, output)) = self.leaves.remove(&ended.leaf) else { return };
        let Some(task) = self.task(id) else { return };
        let (plan, attempt, stopping, recovering) =
            (task.plan, task.shown_attempt, task.stopping, task.recovering);
        let Body::Command { argv, .. } = &plan.body else { return };
        let (end, code) = judged(&ended, stopping);
        let stderr = complaint(&ended);
        let run = CommandRun {
            argv: argv.clone(),
            label: plan.controls.label.clone(),
            code,
            signal: signal_of(&ended),
            timed_out: end == End::TimedOut,
            attempt,
            duration_ms: u64::try_from(ended.elapsed.as_millis()).unwrap_or(u64::MAX),
        };
        self.note(ended.leaf, &run);
        let mut trail = Trail::default();
        match end {
            End::Ok if !recovering => trail.succeeded = 1,
            End::Failed | End::TimedOut => trail.failures.push(failed(&run, stderr.clone())),
            End::Ok | End::Skipped | End::Cancelled => {}
        }
        let flow = Flow::File(output);
        let done = Done { end, code, stderr, trail, ..Done::ok(flow) };
        self.actions.push_back(Action::Settle(id, done));
    }

    fn note(&mut self, leaf: LeafId, run: &CommandRun) {
        self.observer.tell(Progress::Ended { leaf, run });
        self.commands.push(run.clone());
    }

    /// The result of a command for which the machine had no files left.
    fn not_started(&mut self, id: TaskId, problem: String) -> Done {
        let argv = self.task(id).map(|task| &task.plan.body);
        let argv = if let Some(Body::Command { argv, .. }) = argv { argv.clone() } else { Vec::new() };
        let run = CommandRun {
            argv,
            label: None,
            code: 126,
            signal: None,
            timed_out: false,
            attempt: 1,
            duration_ms: 0,
        };
        let failure = failed(&run, problem.clone());
        self.commands.push(run);
        let trail = Trail { failures: vec![failure], ..Trail::default() };
        Done { end: End::Failed, code: 126, stderr: problem, trail, ..Done::ok(Flow::None) }
    }
}

/// How a command ended for its node, and with which exit code. A deadline of a node around it counts as its own.
fn judged(ended: &Ended, stopping: Option<Stop>) -> (End, i32) {
    match &ended.cause {
        Cause::Finished(Status::Exited(0)) => (End::Ok, 0),
        Cause::Finished(status) => (End::Failed, status.code()),
        Cause::NotStarted(_) => (End::Failed, ended.code()),
        Cause::TimedOut(_) => (End::TimedOut, 124),
        Cause::Cancelled(_) if stopping == Some(Stop::TimedOut) => (End::TimedOut, 124),
        Cause::Cancelled(_) => (End::Cancelled, ended.code()),
    }
}

fn signal_of(ended: &Ended) -> Option<i32> {
    match ended.cause.status()? {
        Status::Signalled { signal, .. } => Some(signal),
        Status::Exited(_) | Status::Unknown => None,
    }
}

/// The end of what a command wrote to stderr, or why it never ran.
fn complaint(ended: &Ended) -> String {
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

fn failed(run: &CommandRun, stderr: String) -> FailedCommand {
    FailedCommand {
        argv: run.argv.iter().map(|word| text::bounded(word, 4096).into_owned()).collect(),
        label: run.label.clone(),
        code: run.code,
        signal: run.signal,
        timed_out: run.timed_out,
        stderr,
    }
}
