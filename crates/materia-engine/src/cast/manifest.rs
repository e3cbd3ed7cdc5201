//! The snapshots of a cast: what is in its directory, and what it cost.
//!
//! Owns their shapes. Both come from the events alone, so that losing them loses nothing.

use std::path::Path;

use materia_model::agent::Usage;
use materia_model::cast::event::Place;
use materia_model::cast::{Body, Event, State};
use materia_model::time::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::error::Error;
use super::glance::Head;
use crate::store::journal::{From, Reader};

/// The events that mention artifacts.
const MENTIONING: [&str; 5] = [
    "agent_turn_start",
    "utility_input",
    "utility_command",
    "socket_refinement",
    "socket_complete",
];

/// What is in the directory of a cast, as far as its events mention it.
#[derive(Debug, Default)]
pub(super) struct Entries(Vec<Entry>);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    at: Timestamp,
    #[serde(flatten)]
    place: Place,
    kind: &'static str,
    artifact: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest<'a> {
    #[serde(flatten)]
    head: Head,
    entries: &'a [Entry],
}

impl Entries {
    /// Everything that a log mentions. Read only when a cast stops, so that nothing grows while it
    /// runs.
    pub(super) fn read(events: &Path) -> Result<Self, Error> {
        let mut entries = Self::default();
        for record in Reader::open(events, From::Beginning)? {
            let record = record?;
            if MENTIONING.contains(&record.kind.as_str())
                && let Ok(Some(body)) = Body::read(&record.kind, record.data)
            {
                entries.note(&Event {
                    at: record.at,
                    body,
                });
            }
        }
        Ok(entries)
    }

    /// Notes the artifacts that an event mentions.
    fn note(&mut self, event: &Event) {
        let mut add = |place: &Place, kind, artifact: Option<&String>| {
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
            Body::AgentTurnStart(dispatch) => {
                add(&dispatch.place, "prompt", dispatch.artifact.as_ref());
            }
            Body::UtilityInput(dispatch) => {
                add(&dispatch.place, "utility_input", dispatch.artifact.as_ref());
            }
            Body::UtilityCommand(command) => {
                add(
                    &command.place,
                    "utility_stderr",
                    Some(&command.ended.stderr_artifact),
                );
            }
            Body::SocketRefinement(refinement) => {
                add(
                    &refinement.place,
                    "socket_refinement",
                    refinement.artifact.as_ref(),
                );
            }
            Body::SocketComplete(complete) => {
                add(&complete.place, "socket_output", complete.artifact.as_ref());
            }
            _ => {}
        }
    }

    /// The manifest of a cast in this state.
    pub(super) fn manifest(&self, state: &State, log_bytes: u64) -> Manifest<'_> {
        Manifest {
            head: Head::of(state, log_bytes),
            entries: &self.0,
        }
    }
}

/// What a cast cost, as programs read it.
pub fn usage(state: &State) -> Value {
    let spent = &state.spending;
    let mut document = spelled(&spent.total);
    document.insert("turns".to_owned(), spent.turns.into());
    let by_socket = spent
        .by_socket
        .iter()
        .map(|(name, used)| (name.clone(), spelled(used).into()));
    document.insert("bySocket".to_owned(), Value::Object(by_socket.collect()));
    let by_materia = spent.by_materia.iter().map(|(name, (turns, used))| {
        let mut part = spelled(used);
        part.insert("turns".to_owned(), (*turns).into());
        (name.clone(), part.into())
    });
    document.insert("byMateria".to_owned(), Value::Object(by_materia.collect()));
    // Casts without lists, and agents that do not say which model they asked, have none of these.
    let known = [("byItem", &spent.by_item), ("byModel", &spent.by_model)];
    for (name, sums) in known.into_iter().filter(|(_, sums)| !sums.is_empty()) {
        let sums = sums
            .iter()
            .map(|(name, used)| (name.clone(), spelled(used).into()));
        document.insert(name.to_owned(), Value::Object(sums.collect()));
    }
    Value::Object(document)
}

fn spelled(used: &Usage) -> Map<String, Value> {
    let tokens = json!({
        "input": used.input, "output": used.output, "cacheRead": used.cache_read,
        "cacheWrite": used.cache_write, "total": used.total
    });
    Map::from_iter([
        ("tokens".to_owned(), tokens),
        ("cost".to_owned(), json!({"total": used.cost})),
    ])
}
