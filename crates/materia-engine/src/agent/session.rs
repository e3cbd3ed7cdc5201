//! One turn of an agent's program: its process, its output, and its end.
//!
//! Owns the process of a turn from its start until its whole process tree is gone, the time limit,
//! and the result, which depends on what happened and not on the exit code. Never blocks: the
//! caller passes in the events of its child process and the passing of time, so that one loop can
//! drive any number of sessions. The protocol interprets the lines.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use materia_model::agent::{AgentFailure, AgentFailureKind, TurnOutcome, Usage};
use materia_model::text;

use super::backend::{Activity, AgentTurn};
use super::lines::{Lines, MAX_LINE};
use super::protocol::{AgentLaunch, Out, Over, Protocol, Wake};
use crate::clock;
use crate::process::{
    Capture, Cause, ChildId, Command, Event, ProcessEnd, ProcessSet, Status, Stdin, StopReason,
    Stream, StreamSink,
};

/// How long a program may take to exit by itself after its turn.
const LEAVING: Duration = Duration::from_secs(3);
/// How long it may take to stop on request.
const ABORTING: Duration = Duration::from_secs(3);
/// How long its process tree may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);
/// Maximum size of the stored stderr, in bytes.
const MAX_STDERR: usize = 16 << 10;

/// How a program is started, apart from what the protocol adds.
#[derive(Debug, Clone, Default)]
pub(super) struct Start {
    /// The display name of the agent.
    pub(super) name: String,
    /// The program and its first arguments.
    pub(super) argv: Vec<OsString>,
    /// Variables added to its environment.
    pub(super) env: Vec<(String, String)>,
}

/// A running turn.
pub struct Session {
    name: String,
    protocol: Box<dyn Protocol>,
    leaf: ChildId,
    lines: Lines,
    timeout: Duration,
    deadline: Option<Instant>,
    wake: Option<Instant>,
    phase: Phase,
    ended_by: Option<By>,
    is_over: bool,
    seen: Vec<Activity>,
    cannot: Vec<String>,
}

/// How far the end of a turn has progressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It runs.
    Running,
    /// It was asked to stop, with this deadline.
    Aborting(Option<Instant>),
    /// Its turn is over and its program may exit by itself, with this deadline.
    Leaving(Option<Instant>),
    /// Its process tree is being ended.
    Ending,
}

/// Why a turn was ended from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
enum By {
    Time,
    Order(String),
    Person,
}

/// The result of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Conclusion {
    /// It ended with an answer or a failure.
    Ended(TurnOutcome),
    /// The user interrupted it.
    Interrupted,
}

impl Session {
    /// Starts a program for a turn.
    pub(super) fn begin(
        start: Start,
        mut protocol: Box<dyn Protocol>,
        turn: &AgentTurn<'_>,
        processes: &mut ProcessSet,
    ) -> Result<Self, Box<TurnOutcome>> {
        let launch = protocol.launch(turn);
        if let Some(refusal) = launch.refusal {
            let end = TurnOutcome::new(Err(refusal), Usage::default());
            return Err(Box::new(TurnOutcome {
                agent: Some(start.name),
                ..end
            }));
        }
        let leaf = processes.spawn(command(&start, &launch, turn));
        if !launch.ends_stdin {
            // A program that has exited already is reported by its end event.
            let _gone = processes.send(leaf, &launch.stdin);
        }
        Ok(Self {
            name: start.name,
            protocol,
            leaf,
            lines: Lines::new(MAX_LINE),
            timeout: turn.timeout,
            deadline: clock::deadline_in(turn.timeout),
            wake: None,
            phase: Phase::Running,
            ended_by: None,
            is_over: false,
            seen: Vec::new(),
            cannot: launch.notices,
        })
    }

    /// The display name of the agent.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The child process whose events it needs.
    pub fn leaf(&self) -> ChildId {
        self.leaf
    }

    /// When to call `tick` next.
    pub fn due(&self) -> Option<Instant> {
        match self.phase {
            Phase::Running => [self.deadline, self.wake].into_iter().flatten().min(),
            Phase::Aborting(until) => [until, self.wake].into_iter().flatten().min(),
            Phase::Leaving(until) => until,
            Phase::Ending => None,
        }
    }

    /// Parts of the request that the agent cannot satisfy, such as a scope of tools.
    pub fn cannot(&self) -> &[String] {
        &self.cannot
    }

    /// The activity since the last call.
    pub fn seen(&mut self) -> Vec<Activity> {
        std::mem::take(&mut self.seen)
    }

    /// Handles an event of its child process. Returns the end exactly once.
    pub fn take(&mut self, event: Event, processes: &mut ProcessSet) -> Option<Conclusion> {
        match event {
            Event::Output {
                leaf,
                stream: Stream::Stdout,
                bytes,
            } if leaf == self.leaf => {
                self.read(&bytes, processes);
                None
            }
            Event::Ended(ended) if ended.leaf == self.leaf => Some(self.conclude(&ended)),
            _ => None,
        }
    }

    /// Does what is due by now.
    pub fn tick(&mut self, processes: &mut ProcessSet) {
        let passed =
            |moment: Option<Instant>| moment.is_some_and(|moment| clock::until(moment).is_zero());
        if passed(self.wake) && matches!(self.phase, Phase::Running | Phase::Aborting(_)) {
            self.wake = None;
            let mut out = Out::default();
            self.protocol.woken(&mut out);
            self.obey(out, processes);
        }
        match self.phase {
            Phase::Running if passed(self.deadline) => self.stop(By::Time, processes),
            Phase::Aborting(until) | Phase::Leaving(until) if passed(until) => {
                self.end(GRACE, processes);
            }
            _ => {}
        }
    }

    /// Sends a text to the agent while it works; false if it cannot.
    pub fn steer(&mut self, words: &str, processes: &mut ProcessSet) -> bool {
        let mut out = Out::default();
        let heard = self.phase == Phase::Running && self.protocol.steer(words, &mut out);
        self.obey(out, processes);
        heard
    }

    /// Ends the turn for a reason; asks the agent first if its protocol allows it.
    pub fn abort(&mut self, reason: &str, processes: &mut ProcessSet) {
        if self.phase == Phase::Running {
            self.stop(By::Order(reason.to_owned()), processes);
        }
    }

    /// Ends the turn because the user interrupted; the second call kills at once.
    pub fn interrupt(&mut self, processes: &mut ProcessSet) {
        let again = self.ended_by == Some(By::Person);
        self.ended_by = Some(By::Person);
        self.end(if again { Duration::ZERO } else { GRACE }, processes);
    }

    fn stop(&mut self, by: By, processes: &mut ProcessSet) {
        self.ended_by = Some(by);
        let mut out = Out::default();
        if self.protocol.abort(&mut out) {
            self.phase = Phase::Aborting(clock::deadline_in(ABORTING));
            self.obey(out, processes);
        } else {
            self.end(GRACE, processes);
        }
    }

    fn end(&mut self, grace: Duration, processes: &mut ProcessSet) {
        self.phase = Phase::Ending;
        processes.stop(self.leaf, StopReason::Within(grace));
    }

    fn read(&mut self, bytes: &[u8], processes: &mut ProcessSet) {
        // Ignore output after the end of the turn.
        if self.is_over {
            return;
        }
        let mut out = Out::default();
        let protocol = &mut self.protocol;
        self.lines.push(bytes, |line| {
            if out.over.is_none() {
                protocol.line(line, &mut out);
            }
        });
        self.obey(out, processes);
    }

    fn obey(&mut self, out: Out, processes: &mut ProcessSet) {
        self.seen.extend(out.seen);
        if !out.send.is_empty() {
            // A program that closed its stdin is about to end, and that is reported.
            let _closed = processes.send(self.leaf, &out.send);
        }
        if out.close {
            processes.close_stdin(self.leaf);
        }
        match out.wake {
            Some(Wake::In(time)) => self.wake = clock::deadline_in(time),
            Some(Wake::Never) => self.wake = None,
            None => {}
        }
        if let Some(over) = out.over {
            self.is_over = true;
            processes.close_stdin(self.leaf);
            match over {
                Over::Now => self.end(GRACE, processes),
                Over::Gently if self.phase != Phase::Ending => {
                    self.phase = Phase::Leaving(clock::deadline_in(LEAVING));
                }
                Over::Gently => {}
            }
        }
    }

    fn conclude(&mut self, ended: &ProcessEnd) -> Conclusion {
        if !self.is_over && !self.lines.rest().is_empty() {
            let (rest, mut out) = (self.lines.rest().to_vec(), Out::default());
            self.protocol.line(&rest, &mut out);
            self.is_over = out.over.is_some();
        }
        let died = self.failure(ended);
        let said = self.protocol.said().clone();
        let reply = match (&self.ended_by, died.or(said.failure)) {
            (Some(By::Person), _) => return Conclusion::Interrupted,
            (Some(By::Time), _) => {
                let message = format!("the turn took longer than {} s", self.timeout.as_secs_f64());
                Err(AgentFailure::new(AgentFailureKind::Timeout, message))
            }
            (Some(By::Order(why)), _) => {
                Err(AgentFailure::new(AgentFailureKind::Aborted, why.clone()))
            }
            (None, Some(failure)) => Err(failure),
            (None, None) => Ok(said.text),
        };
        let session = said.session.filter(|_| reply.is_ok());
        let agent = Some(self.name.clone());
        Conclusion::Ended(TurnOutcome {
            reply,
            usage: said.usage,
            models: said.models,
            agent,
            session,
        })
    }

    /// The failure in the way the program ended; `None` if its turn was over before.
    fn failure(&mut self, ended: &ProcessEnd) -> Option<AgentFailure> {
        if self.is_over {
            return None;
        }
        let stderr = String::from_utf8_lossy(&ended.stderr.bytes);
        let last = tail(stderr.trim());
        match &ended.cause {
            Cause::Finished(Status::Exited(code)) if self.protocol.exited(*code) => None,
            Cause::NotStarted(error) => {
                let hint = format!(
                    "check that `{}` can be started, see `materia doctor`",
                    self.name
                );
                Some(AgentFailure::new(AgentFailureKind::Unavailable, error.to_string()).hint(hint))
            }
            cause => {
                let how = match cause.status() {
                    Some(Status::Exited(code)) => format!("exit code {code}"),
                    Some(Status::Signalled { signal, .. }) => format!("signal {signal}"),
                    _ => "nobody saw how".to_owned(),
                };
                let lost = self.lines.lost();
                let lost = if lost > 0 {
                    format!(", {lost} of its lines were too long")
                } else {
                    String::new()
                };
                let said = if last.is_empty() {
                    "it said nothing".to_owned()
                } else {
                    last.to_owned()
                };
                let kind = AgentFailureKind::of(last);
                let message = format!(
                    "{} ended before its turn was over ({how}{lost}): {said}",
                    self.name
                );
                Some(
                    self.protocol
                        .said()
                        .failure
                        .clone()
                        .unwrap_or(AgentFailure::new(kind, message)),
                )
            }
        }
    }
}

/// The end of a text, where programs usually report the error.
fn tail(said: &str) -> &str {
    let from = said.ceil_char_boundary(said.len().saturating_sub(1500));
    &said[from..]
}

fn command(start: &Start, launch: &AgentLaunch, turn: &AgentTurn<'_>) -> Command {
    let args = launch.args.iter().map(OsString::from);
    let mut command = Command::new(start.argv.iter().cloned().chain(args));
    command.cwd = Some(turn.cwd.to_owned());
    // An agent must not inherit the trust that the user gave this process (S2).
    command.env.remove("MATERIA_TRUST");
    for (name, value) in &launch.env {
        command.env.set(*name, value);
    }
    for (name, value) in &start.env {
        command.env.set(name, value);
    }
    command.stdin = if launch.ends_stdin {
        Stdin::Bytes(launch.stdin.clone())
    } else {
        Stdin::Held
    };
    command.stdout = StreamSink::Capture(Capture {
        memory: 0,
        limit: 0,
        live: true,
        ..Capture::default()
    });
    command.stderr = StreamSink::Capture(Capture {
        memory: MAX_STDERR,
        limit: 1 << 30,
        ..Capture::default()
    });
    command.grace = GRACE;
    command.whole = true;
    command
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let said = text::bounded(&self.protocol.said().text, 80).into_owned();
        f.debug_struct("Session")
            .field("name", &self.name)
            .field("phase", &self.phase)
            .field("said", &said)
            .finish()
    }
}
