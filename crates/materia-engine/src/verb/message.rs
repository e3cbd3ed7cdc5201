//! `message`: where a message goes is decided by its address alone.
//!
//! Owns the routing table: who may write to whom, what is written where, and the words by which the reply says what became
//! of it (P4). Durable before it is said; a message without a reader waits, which is no error (A5).

mod error;
mod report;
mod cast;
mod route;

use materia_model::message::{Address, Draft, Envelope};
use materia_model::name::RunId;

pub use error::Error;
pub use report::Report;

use crate::clock::Clock;
use crate::run::Root;

/// What only the operator may ask for (S2).
const OPERATORS: [&str; 4] = ["control.trust", "control.approve", "control.reject", "control.budget"];

/// Who sends, and from where.
#[derive(Debug)]
pub struct Sender<'a> {
    /// The directory of all runs.
    pub root: &'a Root,
    /// The session that the sender belongs to; the operator has none.
    pub session: Option<&'a str>,
    /// The run that the sender is a part of.
    pub within: Option<&'a RunId>,
    /// The clock.
    pub clock: &'a Clock,
}

/// Sends a message, and says what became of it.
pub fn message(sender: &Sender<'_>, mut draft: Draft) -> Result<Report, Error> {
    if draft.from.is_none() {
        draft.from = sender.within.map(|run| format!("run:{run}"));
    }
    let envelope = draft.check()?;
    sender.check_speaks_for_itself(&envelope)?;
    if OPERATORS.contains(&envelope.kind.as_str()) && (sender.session.is_some() || sender.within.is_some()) {
        return Err(Error::OperatorOnly(envelope.kind.to_string()));
    }
    match envelope.to.clone() {
        Address::Run(run) => route::to_run(sender, &run, envelope),
        Address::Branch(run, _) => route::to_branch(sender, &run, envelope),
        Address::Room(run) => route::to_room(sender, &run, envelope),
        Address::Coordinator => route::to_coordinator(sender, envelope, None),
        Address::Session(session) => route::to_coordinator(sender, envelope, Some(&session)),
        Address::Tool(tool) => Err(Error::NoTool(tool.to_string())),
    }
}

impl Sender<'_> {
    /// A program inside a run speaks for that run, and for nobody else.
    fn check_speaks_for_itself(&self, envelope: &Envelope) -> Result<(), Error> {
        let (Some(within), Some(from)) = (self.within, &envelope.from) else { return Ok(()) };
        if from.run() == Some(within) {
            return Ok(());
        }
        Err(Error::NotYou { from: from.to_string(), run: within.to_string() })
    }
}
