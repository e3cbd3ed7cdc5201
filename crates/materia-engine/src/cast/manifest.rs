//! The manifest of a cast: the files in its directory.
//!
//! Owns its shape. It is derived from the events alone, so losing it loses nothing.

use std::path::Path;

use materia_model::cast::event::VisitId;
use materia_model::cast::{CastEvent, CastEventBody, CastState};
use materia_model::time::Timestamp;
use serde::Serialize;

use super::error::Error;
use super::glance::ManifestHead;
use crate::store::journal::{From, Reader};

/// The events that mention artifacts.
const MENTIONING: [&str; 5] = [
    "agent_turn_start",
    "utility_input",
    "utility_command",
    "socket_refinement",
    "socket_complete",
];

/// The files in the directory of a cast that its events mention.
#[derive(Debug, Default)]
pub(super) struct Entries(Vec<Entry>);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    at: Timestamp,
    #[serde(flatten)]
    place: VisitId,
    kind: &'static str,
    artifact: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CastManifest<'a> {
    #[serde(flatten)]
    head: ManifestHead,
    entries: &'a [Entry],
}

impl Entries {
    /// Collects all artifacts that a log mentions. Runs only when a cast stops, so that memory does
    /// not grow while it runs.
    pub(super) fn read(events: &Path) -> Result<Self, Error> {
        let mut entries = Self::default();
        for record in Reader::open(events, From::Beginning)? {
            let record = record?;
            if MENTIONING.contains(&record.kind.as_str())
                && let Ok(Some(body)) = CastEventBody::read(&record.kind, record.data)
            {
                entries.note(&CastEvent {
                    at: record.at,
                    body,
                });
            }
        }
        Ok(entries)
    }

    /// Collects the artifacts that an event mentions.
    fn note(&mut self, event: &CastEvent) {
        let mut add = |place: &VisitId, kind, artifact: Option<&String>| {
            if let Some(artifact) = artifact.filter(|artifact| !artifact.is_empty()) {
                self.0.push(Entry {
                    at: event.at,
                    place: place.clone(),
                    kind,
                    artifact: artifact.clone(),
                });
            }
        };
        match &event.body {
            CastEventBody::AgentTurnStart(dispatch) => {
                add(&dispatch.place, "prompt", dispatch.artifact.as_ref());
            }
            CastEventBody::UtilityInput(dispatch) => {
                add(&dispatch.place, "utility_input", dispatch.artifact.as_ref());
            }
            CastEventBody::UtilityCommand(command) => {
                add(
                    &command.place,
                    "utility_stderr",
                    Some(&command.ended.stderr_artifact),
                );
            }
            CastEventBody::SocketRefinement(refinement) => {
                add(
                    &refinement.place,
                    "socket_refinement",
                    refinement.artifact.as_ref(),
                );
            }
            CastEventBody::SocketComplete(complete) => {
                add(&complete.place, "socket_output", complete.artifact.as_ref());
            }
            _ => {}
        }
    }

    /// The manifest of a cast in this state.
    pub(super) fn manifest(&self, state: &CastState, log_bytes: u64) -> CastManifest<'_> {
        CastManifest {
            head: ManifestHead::of(state, log_bytes),
            entries: &self.0,
        }
    }
}
