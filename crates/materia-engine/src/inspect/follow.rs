//! Following a run: its output or its messages, after those already shown, until it is over.
//!
//! Owns when to read and which records are shown. Reads the journal and the logs only after the
//! last position.

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

/// How long a follower sleeps before it checks whether the run is over.
const RECONCILE: Duration = Duration::from_secs(2);

/// Which messages are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowedView {
    /// Messages of a run to its coordinator.
    Outbox,
    /// Messages in its room.
    Room,
    /// Previews of messages in its room.
    Previews,
}

/// A message that was sent while following.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum FollowedMessage {
    /// A message to the coordinator.
    Outbox(Box<OutboxMessage>),
    /// A message in the room.
    Room(Box<RoomMessage>),
    /// A preview of a message in the room.
    Preview(Box<Preview>),
}

/// Receives the output and messages of a followed run or room.
pub trait InspectObserver {
    /// The report on earlier messages; not called for output.
    fn begin(&mut self, _report: &InspectReport) {}

    /// A message. Returns whether to continue.
    fn message(&mut self, _message: &FollowedMessage) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Output of the commands. Returns whether to continue.
    fn output(&mut self, _stream: Stream, _bytes: &[u8]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Passes on messages after the last one read, until the run is over or the observer breaks.
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
        // Pass on messages that were written before the end.
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

/// Passes on the end of a run's output and then new output, until the run is over or the observer
/// breaks. An incomplete character at the end is held back until it is complete.
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
