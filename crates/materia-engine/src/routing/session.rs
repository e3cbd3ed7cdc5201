//! The end of a session also ends the runs that are configured to end with it (A9).
//!
//! Owns who may request it: the session's own host, or the operator. A program inside a run is
//! neither: it would end its own run and its siblings without the knowledge of their parent.

use materia_model::message::Envelope;
use materia_model::name::SessionId;
use serde_json::{Value, json};

use super::Sender;
use super::error::Error;
use super::report::MessageReport;
use crate::{post, run};

/// Ends the runs of a session that are configured to end with it.
pub(super) fn end(
    sender: &Sender<'_>,
    session: &SessionId,
    envelope: Envelope,
) -> Result<MessageReport, Error> {
    let theirs = sender.session.is_some_and(|own| own != session.as_str());
    if theirs || sender.within.is_some() {
        return Err(Error::NotYours {
            session: session.to_string(),
        });
    }
    let ended = run::end_session(sender.root, session.as_str(), sender.clock)?;
    let ended: Vec<Value> = ended
        .into_iter()
        .map(|(run, stopped)| json!({"run": run, "status": stopped.status}))
        .collect();
    let id = post::message_id(0, &sender.clock.fresh_id());
    let reason = if ended.is_empty() {
        "nothing_to_end"
    } else {
        "control_applied"
    };
    let report = MessageReport::queued(id, envelope.to, envelope.kind, "session-control", reason);
    // A session has no journal; the journals of the runs record which were ended.
    Ok(MessageReport {
        delivered: true,
        queued: false,
        persisted: false,
        result: Some(json!({"ended": ended})),
        next: vec![format!("materia inspect session:{session}")],
        ..report
    })
}
