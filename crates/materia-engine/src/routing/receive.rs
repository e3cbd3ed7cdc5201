//! `receive`: a program takes its next message and settles it.
//!
//! Owns the choice of the holder, and which process may settle a message. The calling command exits
//! at once, so a claim has two steps: the command holds the message until it has passed it on, then
//! the program that called the command does. If either dies, the message is free again.

use materia_model::message::event::MessageHolder;
use materia_model::message::{Address, QueueId};
use materia_model::name::RunId;
use serde::Serialize;

use crate::clock::Clock;
use crate::post::{
    self, ClaimedMessage, MessageLog, MessageSettlement, MessageWait, SettledMessage,
};
use crate::process::{self, Interrupts, ProcessIdentity};
use crate::run::{self, RunLog, RunRoot};

/// The queue, and the process that receives from it.
#[derive(Debug)]
pub struct ReceiveContext<'a> {
    /// The directory of all runs.
    pub root: &'a RunRoot,
    /// The address of the queue: a run or a branch.
    pub address: &'a Address,
    /// The caller's session; `None` for the operator.
    pub session: Option<&'a str>,
    /// The run that the caller is part of.
    pub within: Option<&'a RunId>,
    /// The process that will hold the message, if it is not our parent.
    pub holder: Option<i32>,
    /// The clock.
    pub clock: &'a Clock,
}

/// An error of receiving or settling.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address has no queue.
    #[error("{0} has no queue; messages are received at run:ID and branch:RUN/NAME")]
    NoQueue(String),
    /// The process that should hold the message does not exist.
    #[error("there is no process {0}")]
    NoHolder(i32),
    /// Claiming or settling failed.
    #[error(transparent)]
    Post(#[from] post::Error),
    /// The run cannot be used.
    #[error(transparent)]
    Run(#[from] run::Error),
}

impl Error {
    /// A hint for the caller.
    pub fn hint(&self) -> String {
        match self {
            Self::NoQueue(_) => "give --address run:ID, or call it inside a run".to_owned(),
            Self::NoHolder(_) => {
                "give --holder the id of a process that lives, such as $$".to_owned()
            }
            Self::Post(error) => error.hint(),
            Self::Run(error) => error.hint(),
        }
    }
}

/// Passes a message to the program that receives it.
pub trait ReceiveObserver {
    /// A message was claimed. Returns whether the program has it now.
    fn received(&mut self, report: &ReceiveReport) -> bool;
}

/// A message that was received.
#[derive(Debug, Clone, Serialize)]
pub struct ReceiveReport {
    /// Always true; receiving nothing is an error.
    pub ok: bool,
    /// The message.
    pub message: ClaimedMessage,
}

/// The outcome of settling a message.
#[derive(Debug, Clone, Serialize)]
pub struct SettleReport {
    /// Always true.
    pub ok: bool,
    /// The state of the message.
    #[serde(flatten)]
    pub ended: SettledMessage,
}

/// Claims the next message, waiting until interrupted, and passes it on. If it was not passed on,
/// this process keeps the claim until it exits; then the message is free again.
pub fn receive(
    context: &ReceiveContext<'_>,
    wait: MessageWait,
    interrupts: &Interrupts,
    observer: &mut dyn ReceiveObserver,
) -> Result<ReceiveReport, Error> {
    let (messages, queue) = context.open()?;
    let theirs = context.holder()?;
    let mine = ProcessIdentity::of_self().map_or_else(|| theirs.clone(), run::holder);
    let message = messages.receive_unless(interrupts, &queue, &mine, wait)?;
    let report = ReceiveReport { ok: true, message };
    if observer.received(&report) {
        messages.hand(&report.message.id, &mine, &theirs)?;
    }
    Ok(report)
}

/// Records the outcome of a message. Descendants of the holder may settle it too, because the
/// holder may delegate the work to programs that it starts.
pub fn settle(
    context: &ReceiveContext<'_>,
    id: &str,
    ending: &MessageSettlement,
) -> Result<SettleReport, Error> {
    let (messages, queue) = context.open()?;
    let above: Vec<MessageHolder> = process::ancestors().into_iter().map(run::holder).collect();
    let ended = messages.settle_for(&queue, id, (&context.holder()?, &above), ending)?;
    Ok(SettleReport { ok: true, ended })
}

impl ReceiveContext<'_> {
    fn open(&self) -> Result<(MessageLog, QueueId), Error> {
        let (run, place) = match self.address {
            Address::Run(run) => (run, QueueId::Run),
            Address::Branch(run, branch) => (run, QueueId::Branch(branch.clone())),
            other => return Err(Error::NoQueue(other.to_string())),
        };
        let caller = self.session.filter(|_| self.within != Some(run));
        let found = run::find(self.root, run, caller)?;
        let log = if self.within == Some(run) {
            RunLog::read(&found.journal()).map_err(post::Error::from)?
        } else {
            let log = run::open_begun(&found, self.clock)?;
            run::check_owner(log.state(), run.as_str(), self.session)?;
            log
        };
        Ok((MessageLog::continuing(log, self.clock)?, place))
    }

    fn holder(&self) -> Result<MessageHolder, Error> {
        let process = match self.holder {
            Some(pid) => ProcessIdentity::of(pid).ok_or(Error::NoHolder(pid))?,
            None => process::caller()
                .or_else(ProcessIdentity::of_self)
                .ok_or(Error::NoHolder(0))?,
        };
        Ok(run::holder(process))
    }
}
