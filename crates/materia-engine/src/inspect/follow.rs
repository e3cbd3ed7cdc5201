//! Following a run: what it writes or what is said, from what was shown on until it is over.
//!
//! Owns when to look and what of a record is shown. The journal and the logs are read only behind
//! what was read before.

use std::ops::ControlFlow;
use std::time::Duration;

use materia_model::message::{Address, OutboxMessage, RoomMessage, event};
use materia_model::record::Record;
use serde::Serialize;

use super::report::InspectReport;
use super::room::{Preview, previewed};
use crate::clock::Clock;
use crate::post;
use crate::process::Stream;
use crate::run::{self, Error, OutputTail, RunDir, RunLog};

/// How long a follower sleeps before it looks whether the run is over.
const RECONCILE: Duration = Duration::from_secs(2);

/// Which messages are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowedView {
    /// What a run says to its coordinator.
    Outbox,
    /// What is said in its room.
    Room,
    /// The beginnings of that.
    Previews,
}

/// One message that is sent while it is followed.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum FollowedMessage {
    /// To the coordinator.
    Outbox(Box<OutboxMessage>),
    /// In the room.
    Room(Box<RoomMessage>),
    /// Its beginning.
    Preview(Box<Preview>),
}

/// Gets what is shown while a run or a room is followed.
pub trait InspectObserver {
    /// What there was before; not for output.
    fn begin(&mut self, _report: &InspectReport) {}

    /// A message; whether to continue.
    fn message(&mut self, _message: &FollowedMessage) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// What commands wrote; whether to continue.
    fn output(&mut self, _stream: Stream, _bytes: &[u8]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Passes on what is said behind what was read, until the run is over or the observer
/// breaks.
pub fn follow_messages(
    place: &RunDir,
    view: FollowedView,
    mut log: RunLog,
    clock: &Clock,
    observer: &mut dyn InspectObserver,
) -> Result<(), post::Error> {
    let mut follower = log.follow()?;
    loop {
        let over =
            run::prove_again(place, &mut log, clock).is_err() || log.state().status.is_terminal();
        // What was written before it was over is still passed on.
        let more = if over {
            follower.try_next()?
        } else {
            follower.next(Some(RECONCILE))?
        };
        for message in more.iter().filter_map(|record| shown(view, record)) {
            if observer.message(&message).is_break() {
                return Ok(());
            }
        }
        if over && more.is_empty() {
            return Ok(());
        }
    }
}

fn shown(view: FollowedView, record: &Record) -> Option<FollowedMessage> {
    let Some(event::MailRecord::Message(message)) = event::MailRecord::read(record) else {
        return None;
    };
    Some(match (view, &message.envelope.to) {
        (FollowedView::Outbox, Address::Coordinator | Address::Session(_)) => {
            FollowedMessage::Outbox(Box::new(OutboxMessage::new(record.at, &message)))
        }
        (FollowedView::Room, Address::Room(_)) => {
            FollowedMessage::Room(Box::new(RoomMessage::new(record.at, &message)))
        }
        (FollowedView::Previews, Address::Room(_)) => {
            let preview = previewed(&message.id, record.at, &message.envelope);
            FollowedMessage::Preview(Box::new(preview))
        }
        _ => return None,
    })
}

/// Passes on the end of what a run wrote and then what it writes, until it is over or the
/// observer breaks. Half a character at the end is left for what follows it.
pub fn follow_output(
    place: &RunDir,
    tail: &OutputTail,
    log: RunLog,
    clock: &Clock,
    observer: &mut dyn InspectObserver,
) -> Result<(), Error> {
    let texts = [
        (Stream::Stdout, &tail.stdout),
        (Stream::Stderr, &tail.stderr),
    ];
    for (stream, text) in texts {
        let half = tail.halves[stream as usize] > 0;
        let shown_as = char::REPLACEMENT_CHARACTER.len_utf8();
        let end = text.len().saturating_sub(if half { shown_as } else { 0 });
        if end > 0 && observer.output(stream, &text.as_bytes()[..end]).is_break() {
            return Ok(());
        }
    }
    let [stdout, stderr] = tail.halves.map(|half| half as u64);
    let from = [tail.stdout_bytes - stdout, tail.stderr_bytes - stderr];
    let mut pass_on = |stream, bytes: &[u8]| observer.output(stream, bytes);
    run::follow(place, from, log, clock, &mut pass_on)
}
