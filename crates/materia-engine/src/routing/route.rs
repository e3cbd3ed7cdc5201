//! One function for each kind of address.

use materia_model::message::event::ASKED_BY;
use materia_model::message::{Address, Communication, Envelope, MailState};
use materia_model::name::{RunId, SessionId};
use materia_model::run::{RunControl, RunState, RunStatus};
use serde_json::{Map, Value};

use super::Sender;
use super::error::Error;
use super::hand::{self, Fate};
use super::report::MessageReport;
use super::retire::{self, RetireAction};
use crate::post::{self, MessageLog, MessagePosting, MessageReceipt};
use crate::run::{self, RunDir, RunLog};

/// To a run: executes control messages; queues all others, or pushes them to its process.
pub(super) fn to_run(
    sender: &Sender<'_>,
    run: &RunId,
    envelope: Envelope,
) -> Result<MessageReport, Error> {
    if let Some(wish) = RetireAction::of(&envelope)? {
        return retire::retire(sender, run, wish, &envelope);
    }
    let (place, mut log) = sender.find(run)?;
    if let Some(control) = [RunControl::Kill, RunControl::Cancel]
        .into_iter()
        .find(|control| control.word() == envelope.kind.as_str())
    {
        run::check_generation(&place, log.state(), retire::generation(&envelope)?)?;
        return stop(sender, &place, &mut log, control, &envelope);
    }
    if let Some(report) = super::cast::steer(sender, &place, &mut log, &envelope)? {
        return Ok(report);
    }
    check_on(run, log.state())?;
    let (to, kind) = (envelope.to.clone(), envelope.kind.clone());
    let status = log.state().status;
    let messages = MessageLog::continuing(log, sender.clock)?;
    let receipt = messages.deliver(MessagePosting {
        only_when_on: true,
        ..MessagePosting::new(envelope.clone())
    })?;
    let handed = hand::over(&messages, &place, &receipt, envelope)?;
    let mut report = MessageReport::queued(
        receipt.id.clone(),
        to,
        kind,
        handed.consumer,
        "queued_mailbox",
    );
    match handed.fate {
        Fate::Waits => {}
        Fate::Taken => {
            (report.delivered, report.queued, report.reason) = (true, false, "delivered");
        }
        Fate::Late(why) => report.delivery_error = Some(why),
        Fate::Failed(why) => {
            (report.delivery_error, report.reason) = (Some(why), "delivery_failed_persisted");
        }
    }
    Ok(with(report, receipt, status))
}

/// To a branch: queues the message, even without a reader. A process that gets the run's messages
/// pushed gets those of its branches, too.
pub(super) fn to_branch(
    sender: &Sender<'_>,
    run: &RunId,
    envelope: Envelope,
) -> Result<MessageReport, Error> {
    if let Some(from) = &envelope.from {
        check_same_run(run, from, &envelope.to)?;
    }
    let (place, log) = sender.find(run)?;
    let status = log.state().status;
    let (to, kind) = (envelope.to.clone(), envelope.kind.clone());
    let messages = MessageLog::continuing(log, sender.clock)?;
    let receipt = messages.deliver(MessagePosting::new(envelope.clone()))?;
    snapshot(&messages, &place)?;
    if status.is_terminal() {
        let reason = "branch_persisted_parent_unavailable";
        let report = MessageReport::queued(receipt.id.clone(), to, kind, "branch-mailbox", reason);
        return Ok(with(
            MessageReport {
                forwarded: Some(false),
                ..report
            },
            receipt,
            status,
        ));
    }
    let handed = hand::over(&messages, &place, &receipt, envelope)?;
    let taken = handed.fate == Fate::Taken;
    let reason = if taken {
        "branch_persisted_forwarded"
    } else {
        "branch_persisted"
    };
    let report = MessageReport::queued(receipt.id.clone(), to, kind, "branch-mailbox", reason);
    let report = MessageReport {
        delivered: taken,
        queued: !taken,
        forwarded: Some(taken),
        ..report
    };
    Ok(with(
        MessageReport {
            delivery_error: handed.fate.problem(),
            ..report
        },
        receipt,
        status,
    ))
}

/// To a room: all members can read it, and the named recipients get it in their queues.
pub(super) fn to_room(
    sender: &Sender<'_>,
    run: &RunId,
    envelope: Envelope,
) -> Result<MessageReport, Error> {
    let allowed = format!("run:{run} or branch:{run}/NAME");
    let to = envelope.to.clone();
    match &envelope.from {
        None => {
            return Err(Error::NoSender {
                to: to.to_string(),
                allowed,
            });
        }
        Some(from) => check_same_run(run, from, &to)?,
    }
    check_recipients(run, &envelope)?;
    let (place, log) = sender.find(run)?;
    let status = log.state().status;
    let kind = envelope.kind.clone();
    let forwarded = !MailState::recipients(&envelope).is_empty();
    let messages = MessageLog::continuing(log, sender.clock)?;
    let receipt = messages.deliver(MessagePosting::new(envelope.clone()))?;
    snapshot(&messages, &place)?;
    let fate = if forwarded && !status.is_terminal() {
        hand::over(&messages, &place, &receipt, envelope)?.fate
    } else {
        Fate::Waits
    };
    let queued = forwarded && fate != Fate::Taken;
    let report = MessageReport::queued(
        receipt.id.clone(),
        to,
        kind,
        "room-timeline",
        "room_persisted",
    );
    let report = MessageReport {
        delivered: true,
        queued,
        forwarded: Some(forwarded),
        ..report
    };
    Ok(with(
        MessageReport {
            delivery_error: fate.problem(),
            ..report
        },
        receipt,
        status,
    ))
}

/// To the parent of the sending run: writes it to that run's own journal, and wakes its observers.
pub(super) fn to_coordinator(
    sender: &Sender<'_>,
    envelope: Envelope,
    session: Option<&SessionId>,
) -> Result<MessageReport, Error> {
    let to = envelope.to.clone();
    let allowed = || "run:ID".to_owned();
    let run = match &envelope.from {
        None => {
            return Err(Error::NoSender {
                to: to.to_string(),
                allowed: allowed(),
            });
        }
        Some(Address::Run(run) | Address::Branch(run, _)) => run.clone(),
        Some(other) => {
            return Err(Error::Sender {
                to: to.to_string(),
                from: other.to_string(),
                allowed: allowed(),
            });
        }
    };
    let (_, log) = sender.find(&run)?;
    let status = log.state().status;
    let owner = log.state().session().map(str::to_owned);
    if let Some(session) = session
        && owner.as_deref() != Some(session.as_str())
    {
        return Err(Error::Session {
            run: run.to_string(),
            owner,
            session: session.to_string(),
        });
    }
    let kind = envelope.kind.clone();
    let messages = MessageLog::continuing(log, sender.clock)?;
    let receipt = messages.deliver(MessagePosting::new(envelope))?;
    run::ring_session(sender.root, owner.as_deref());
    let reason = if session.is_some() {
        "session_outbox_persisted"
    } else {
        "coordinator_outbox_persisted"
    };
    let report = MessageReport::queued(receipt.id.clone(), to, kind, "run-outbox", reason);
    Ok(with(report, receipt, status))
}

/// Ends the run.
fn stop(
    sender: &Sender<'_>,
    place: &RunDir,
    log: &mut RunLog,
    control: RunControl,
    envelope: &Envelope,
) -> Result<MessageReport, Error> {
    let (to, kind) = (envelope.to.clone(), envelope.kind.clone());
    let id = post::message_id(0, &sender.clock.fresh_id());
    let mut request = match serde_json::to_value(envelope) {
        Ok(Value::Object(request)) => request,
        _ => Map::new(),
    };
    request.insert("id".to_owned(), id.clone().into());
    // The caller learns the end from this report, so its session need not be notified. A program
    // inside a run is not the host of its session.
    if let Some(session) = sender.session.filter(|_| sender.within.is_none()) {
        request.insert(ASKED_BY.to_owned(), session.into());
    }
    let stopped = run::stop_opened(place, log, control, Some(request), sender.clock)?;
    let reason = if stopped.stopped {
        "control_applied"
    } else {
        "not_running"
    };
    let report = MessageReport::queued(id, to, kind, "run-control", reason);
    Ok(MessageReport {
        delivered: stopped.stopped,
        queued: false,
        persisted: stopped.recorded,
        stopped: Some(stopped.stopped),
        status: Some(stopped.status),
        generation: Some(stopped.generation),
        warnings: stopped
            .reason
            .into_iter()
            .filter(|_| !stopped.stopped)
            .collect(),
        next: vec![format!("materia inspect run:{}", place.id())],
        ..report
    })
}

fn check_on(run: &RunId, state: &RunState) -> Result<(), Error> {
    if state.status.is_terminal() {
        let status = state.status.as_str().to_owned();
        return Err(post::Error::Over {
            run: format!("run:{run}"),
            status,
        }
        .into());
    }
    Ok(())
}

fn check_same_run(run: &RunId, from: &Address, to: &Address) -> Result<(), Error> {
    match from {
        Address::Run(own) | Address::Branch(own, _) if own == run => Ok(()),
        other => Err(Error::Sender {
            to: to.to_string(),
            from: other.to_string(),
            allowed: format!("run:{run} or branch:{run}/NAME"),
        }),
    }
}

/// Checks, before anything is written, that all recipients of a room message are branches of its
/// run.
fn check_recipients(run: &RunId, envelope: &Envelope) -> Result<(), Error> {
    const MOST: usize = 100;
    let wrong = |given: &Value| Error::Recipient {
        room: envelope.to.to_string(),
        given: given.to_string(),
        allowed: format!("[\"branch:{run}/NAME\"]"),
    };
    let Some(listed) = envelope.meta("recipients") else {
        return Ok(());
    };
    let Some(all) = listed.as_array() else {
        return Err(wrong(listed));
    };
    if all.len() > MOST {
        return Err(Error::Recipients {
            room: envelope.to.to_string(),
            count: all.len(),
            most: MOST,
        });
    }
    for one in all {
        let address = one.as_str().and_then(|text| text.parse().ok());
        if !matches!(address, Some(Address::Branch(own, _)) if own == *run) {
            return Err(wrong(one));
        }
    }
    Ok(())
}

/// Writes the members of the room, for programs that read that file. The next message rewrites a
/// lost file.
fn snapshot(messages: &MessageLog, place: &RunDir) -> Result<(), Error> {
    Ok(messages.snapshot(&place.communication(), |mail| {
        Communication::of(mail, None).and_then(|document| serde_json::to_value(document).ok())
    })?)
}

fn with(report: MessageReport, receipt: MessageReceipt, status: RunStatus) -> MessageReport {
    MessageReport {
        generation: receipt.generation,
        warnings: receipt.warnings,
        status: Some(status),
        ..report
    }
}

impl Sender<'_> {
    /// Opens the run, and checks that the sender may control it.
    pub(super) fn find(&self, run: &RunId) -> Result<(RunDir, RunLog), Error> {
        // A program inside a run may write to it, regardless of the session.
        let caller = self.session.filter(|_| self.within != Some(run));
        let place = run::find(self.root, run, caller)?;
        let log: RunLog = run::open_begun(&place, self.clock)?;
        run::check_owner(log.state(), run.as_str(), caller)?;
        Ok((place, log))
    }
}
