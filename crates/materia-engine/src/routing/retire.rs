//! Messages to a run that is over: archive it, or prune it.
//!
//! Owns the arguments of these messages, and their reports. Both can be repeated, for example when
//! the first answer was lost: an archived run stays where it is, and can be pruned by its address.

use materia_model::message::Envelope;
use materia_model::name::RunId;
use serde_json::{Value, json};

use super::Sender;
use super::error::Error;
use super::report::MessageReport;
use crate::post;
use crate::run::{self, Archived};

/// What to do with the run.
#[derive(Debug, Clone, Copy)]
pub(super) enum RetireAction {
    /// Move it to the archive.
    Archive,
    /// Remove it.
    Prune {
        /// Whether to keep copies of its artifacts.
        keep: bool,
    },
}

impl RetireAction {
    /// The action that a message requests; `None` for other messages.
    pub(super) fn of(envelope: &Envelope) -> Result<Option<Self>, Error> {
        Ok(match envelope.kind.as_str() {
            "control.archive" => Some(Self::Archive),
            "control.prune" => Some(Self::Prune {
                keep: keeps(envelope)?,
            }),
            _ => None,
        })
    }
}

/// Archives or prunes a run that is over.
pub(super) fn retire(
    sender: &Sender<'_>,
    run: &RunId,
    wish: RetireAction,
    envelope: &Envelope,
) -> Result<MessageReport, Error> {
    let (root, clock, generation) = (sender.root, sender.clock, generation(envelope)?);
    let place = match sender.find(run) {
        Ok((place, _)) => place,
        Err(Error::Run(run::Error::Archived { .. })) => {
            let place = root.place(run);
            return Ok(match wish {
                RetireAction::Archive => moved(
                    sender,
                    envelope,
                    &run::archived(root, &place, generation, sender.session)?,
                ),
                RetireAction::Prune { keep } => {
                    let pruned =
                        run::prune_archived(root, &place, generation, sender.session, keep)?;
                    applied(sender, envelope, json!({"preserved": pruned.preserved}))
                }
            });
        }
        Err(error) => return Err(error),
    };
    Ok(match wish {
        RetireAction::Archive => moved(
            sender,
            envelope,
            &run::archive(root, &place, generation, clock)?,
        ),
        RetireAction::Prune { keep } => {
            let pruned = run::prune(root, &place, generation, keep, clock)?;
            applied(sender, envelope, json!({"preserved": pruned.preserved}))
        }
    })
}

/// The generation that a message names, if any.
pub(super) fn generation(envelope: &Envelope) -> Result<Option<&str>, Error> {
    let said = envelope
        .body
        .as_ref()
        .and_then(|body| body.get("generation"));
    said.map(|said| {
        said.as_str()
            .ok_or_else(|| wrong(envelope, "generation", said, "a text"))
    })
    .transpose()
}

/// Whether to keep artifacts. An unknown value is refused, because guessing could lose data.
fn keeps(envelope: &Envelope) -> Result<bool, Error> {
    const NAMES: [&str; 2] = ["preserve_artifacts", "preserveArtifacts"];
    let Some(body) = envelope.body.as_ref().filter(|body| !body.is_null()) else {
        return Ok(false);
    };
    if !body.is_object() {
        return Err(wrong(
            envelope,
            "body",
            body,
            "an object such as {\"preserve_artifacts\": true}",
        ));
    }
    let said = NAMES.iter().find_map(|name| Some((name, body.get(name)?)));
    let Some((name, said)) = said else {
        return Ok(false);
    };
    said.as_bool()
        .ok_or_else(|| wrong(envelope, name, said, "true or false"))
}

fn wrong(envelope: &Envelope, field: &'static str, given: &Value, wanted: &'static str) -> Error {
    Error::Field {
        kind: envelope.kind.to_string(),
        field,
        given: given.to_string(),
        wanted,
    }
}

fn moved(sender: &Sender<'_>, envelope: &Envelope, archived: &Archived) -> MessageReport {
    let report = applied(
        sender,
        envelope,
        json!({"archiveDir": archived.archive_dir}),
    );
    if !archived.already {
        return report;
    }
    let note = format!(
        "run:{} was archived already, to {}",
        archived.run,
        archived.archive_dir.display()
    );
    MessageReport {
        delivered: false,
        reason: "already_archived",
        warnings: vec![note],
        ..report
    }
}

/// The run's journal is gone, so the message cannot be stored.
fn applied(sender: &Sender<'_>, envelope: &Envelope, result: Value) -> MessageReport {
    let id = post::message_id(0, &sender.clock.fresh_id());
    let (to, kind) = (envelope.to.clone(), envelope.kind.clone());
    let report = MessageReport::queued(id, to, kind, "run-control", "control_applied");
    MessageReport {
        delivered: true,
        queued: false,
        persisted: false,
        result: Some(result),
        ..report
    }
}
