//! Messages to a run that drives a cast: resume it, or end it (A12).
//!
//! Owns which messages these are and when they are valid. They have the effect of the command line,
//! as the next generation of the same run, so that observers of the run's end receive it again.

use std::path::Path;

use materia_model::message::Envelope;
use materia_model::run::{RunControl, RunOrigin, RunStatus};
use serde_json::Value;

use super::Sender;
use super::error::Error;
use super::report::MessageReport;
use crate::cast::{CastSummary, ObservedCast};
use crate::launch::spawn::{self, DRIVER, RunSettings};
use crate::post;
use crate::run::{self, RunDir, RunLog};

/// Executes a message that controls a cast; `None` if the run drives no cast or the message is of
/// another kind.
pub(super) fn steer(
    sender: &Sender<'_>,
    place: &RunDir,
    log: &mut RunLog,
    envelope: &Envelope,
) -> Result<Option<MessageReport>, Error> {
    let Some(start) = log.state().start.clone() else {
        return Ok(None);
    };
    let Some(cast) = start.cast.clone() else {
        return Ok(None);
    };
    let kind = envelope.kind.as_str();
    let verb = match kind {
        "control.continue" | "chat.message" => "continue",
        "control.resume" => "resume",
        "control.recast" => "recast",
        "control.revive" => "revive",
        "control.abort" => "abort",
        _ => return Ok(None),
    };
    if verb == "abort" && !log.state().status.is_terminal() {
        run::stop_opened(place, log, RunControl::Cancel, None, sender.clock)?;
    }
    let standing = CastSummary::at(Path::new(&cast.dir)).standing;
    if !fits(verb, &standing) {
        let (run, kind) = (place.id().to_string(), kind.to_owned());
        return Err(Error::Cast {
            run,
            standing: standing.as_str(),
            kind,
            fits: fitting(&standing),
        });
    }
    let said = envelope
        .body
        .as_ref()
        .map(|_| envelope.text())
        .filter(|_| verb == "continue");
    let words = start
        .values
        .get(DRIVER)
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let words = words.filter_map(Value::as_str).map(str::to_owned).collect();
    let wanted = RunSettings {
        id: Some(place.id().clone()),
        origin: RunOrigin::Cast,
        session: start.session.clone(),
        parent: start.parent.clone(),
        cwd: start.cwd.clone().into(),
        on_session_end: start.on_session_end,
        spool: place.dir().to_owned(),
        clock: sender.clock.clone(),
        ..RunSettings::default()
    };
    let spawned = spawn::drive_cast(sender.root, &wanted, cast, verb, said.as_deref(), words)?;
    let id = post::message_id(0, &sender.clock.fresh_id());
    let report = MessageReport::queued(
        id,
        envelope.to.clone(),
        envelope.kind.clone(),
        "cast-driver",
        "control_applied",
    );
    Ok(Some(MessageReport {
        delivered: true,
        queued: false,
        generation: Some(spawned.generation),
        status: Some(RunStatus::Running),
        next: vec![format!("materia inspect run:{}", place.id())],
        ..report
    }))
}

fn fits(verb: &str, standing: &ObservedCast) -> bool {
    match verb {
        "continue" => *standing == ObservedCast::Paused,
        "resume" => *standing == ObservedCast::Interrupted,
        "recast" => matches!(standing, ObservedCast::Failed | ObservedCast::Aborted),
        "revive" => *standing == ObservedCast::Failed,
        _ => matches!(standing, ObservedCast::Paused | ObservedCast::Interrupted),
    }
}

/// The messages that are valid instead.
fn fitting(standing: &ObservedCast) -> &'static str {
    match standing {
        ObservedCast::Running(_) => "control.abort or control.kill",
        ObservedCast::Paused => "control.continue, chat.message or control.abort",
        ObservedCast::Interrupted => "control.resume or control.abort",
        ObservedCast::Failed => "control.recast or control.revive",
        ObservedCast::Aborted => "control.recast",
        _ => "nothing: it is over",
    }
}
