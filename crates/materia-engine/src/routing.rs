//! `message`: the address alone decides where a message goes.
//!
//! Owns the routing table: who may write to whom, what is written where, and the words of the
//! report (P4). A message is durable before it is reported. A message without a reader waits, which
//! is not an error (A5). Never runs a tool: the API does, and requests the report.

pub mod receive;
pub mod watch;
mod error;
mod report;
mod cast;
mod hand;
mod retire;
mod route;
mod session;

use materia_model::message::{Address, Envelope, MessageDraft};
use materia_model::name::RunId;
use materia_model::text;
use serde_json::{Map, Value, json};

pub use error::Error;
pub use report::{MessageProblem, MessageReport};

use crate::clock::Clock;
use crate::post;
use crate::recipe::tool::ToolCallReport;
use crate::run::RunRoot;

/// Messages that only the operator may send (S2).
const OPERATORS: [&str; 4] = [
    "control.trust",
    "control.approve",
    "control.reject",
    "control.budget",
];

/// The message of a host that ends its session.
const END_SESSION: &str = "control.end";

/// The sender of a message.
#[derive(Debug)]
pub struct Sender<'a> {
    /// The directory of all runs.
    pub root: &'a RunRoot,
    /// The session of the sender; `None` for the operator.
    pub session: Option<&'a str>,
    /// The run that the sender is a part of.
    pub within: Option<&'a RunId>,
    /// The clock.
    pub clock: &'a Clock,
}

/// Sends a message and reports its outcome.
pub fn message(sender: &Sender<'_>, draft: MessageDraft) -> Result<MessageReport, Error> {
    send(sender, sender.check(draft)?)
}

/// Sends a message that has been checked.
pub fn send(sender: &Sender<'_>, envelope: Envelope) -> Result<MessageReport, Error> {
    match envelope.to.clone() {
        Address::Run(run) => route::to_run(sender, &run, envelope),
        Address::Branch(run, _) => route::to_branch(sender, &run, envelope),
        Address::Room(run) => route::to_room(sender, &run, envelope),
        Address::Coordinator => route::to_coordinator(sender, envelope, None),
        Address::Session(session) if envelope.kind.as_str() == END_SESSION => {
            session::end(sender, &session, envelope)
        }
        Address::Session(session) => route::to_coordinator(sender, envelope, Some(&session)),
        Address::Tool(tool) => Err(Error::NoTool(tool.to_string())),
    }
}

/// The arguments of a tool, from the body of a message: a plain value becomes `input`.
pub fn tool_arguments(body: Option<Value>) -> Map<String, Value> {
    match body {
        None => Map::new(),
        Some(Value::Object(arguments)) => arguments,
        Some(plain) => Map::from_iter([("input".to_owned(), plain)]),
    }
}

/// The report of a message that called a tool.
pub fn tool_report(
    sender: &Sender<'_>,
    envelope: Envelope,
    called: &ToolCallReport,
) -> MessageReport {
    let error = (!called.ok).then(|| failed(&envelope, called));
    let id = post::message_id(0, &sender.clock.fresh_id());
    let report = MessageReport::queued(id, envelope.to, envelope.kind, "tool", "tool_invoked");
    // A tool has no mailbox: it was called, and nothing is stored.
    MessageReport {
        ok: called.ok,
        delivered: true,
        queued: false,
        persisted: false,
        error,
        result: Some(json!(called)),
        warnings: called.warnings.clone(),
        ..report
    }
}

fn failed(envelope: &Envelope, called: &ToolCallReport) -> MessageProblem {
    let (tool, kind, code) = (text::quoted(&called.tool), &envelope.kind, called.code);
    MessageProblem {
        code: "tool_failed",
        message: format!("the tool {tool} failed for message type {kind}: exit code {code}"),
        hint: "what it said is in `result.text`".to_owned(),
    }
}

impl Sender<'_> {
    /// Checks a draft and completes it.
    pub fn check(&self, mut draft: MessageDraft) -> Result<Envelope, Error> {
        if draft.from.is_none() {
            draft.from = self.within.map(|run| format!("run:{run}"));
        }
        let envelope = draft.check()?;
        self.check_speaks_for_itself(&envelope)?;
        if OPERATORS.contains(&envelope.kind.as_str())
            && (self.session.is_some() || self.within.is_some())
        {
            return Err(Error::OperatorOnly(envelope.kind.to_string()));
        }
        Ok(envelope)
    }

    /// A program inside a run may send only as that run.
    fn check_speaks_for_itself(&self, envelope: &Envelope) -> Result<(), Error> {
        let (Some(within), Some(from)) = (self.within, &envelope.from) else {
            return Ok(());
        };
        if from.run() == Some(within) {
            return Ok(());
        }
        Err(Error::NotYou {
            from: from.to_string(),
            run: within.to_string(),
        })
    }
}
