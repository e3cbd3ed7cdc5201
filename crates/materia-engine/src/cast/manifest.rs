//! The snapshots of a cast: what is in its directory, and what it cost.
//!
//! Owns their shapes. Both come from the events alone, so that losing them loses nothing.

use materia_model::agent::Usage;
use materia_model::cast::event::Place;
use materia_model::cast::{Body, Event, State, Status};
use materia_model::time::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};

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
    cast_id: &'a str,
    request: &'a str,
    loadout: &'a str,
    status: Status,
    started_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    entries: &'a [Entry],
}

impl Entries {
    /// Notes the artifacts that an event mentions.
    pub(super) fn note(&mut self, event: &Event) {
        let mut add = |place: &Place, kind, artifact: Option<&String>| {
            if let Some(artifact) = artifact.filter(|artifact| !artifact.is_empty()) {
                self.0.push(Entry { at: event.at, place: place.clone(), kind, artifact: artifact.clone() });
            }
        };
        match &event.body {
            Body::AgentTurnStart(dispatch) => add(&dispatch.place, "prompt", dispatch.artifact.as_ref()),
            Body::UtilityInput(dispatch) => add(&dispatch.place, "utility_input", dispatch.artifact.as_ref()),
            Body::UtilityCommand(command) => {
                add(&command.place, "utility_stderr", Some(&command.ended.stderr_artifact));
            }
            Body::SocketRefinement(refinement) => {
                add(&refinement.place, "socket_refinement", refinement.artifact.as_ref());
            }
            Body::SocketComplete(complete) => {
                add(&complete.place, "socket_output", complete.artifact.as_ref());
            }
            _ => {}
        }
    }

    /// The manifest of a cast in this state.
    pub(super) fn manifest<'a>(&'a self, state: &'a State) -> Manifest<'a> {
        Manifest {
            cast_id: &state.cast_id,
            request: &state.request,
            loadout: &state.loadout,
            status: state.status,
            started_at: state.started_at,
            updated_at: state.updated_at,
            entries: &self.0,
        }
    }
}

/// What a cast cost, as programs read it.
pub fn usage(state: &State) -> Value {
    let spent = &state.spending;
    let mut document = spelled(&spent.total);
    document.insert("turns".to_owned(), spent.turns.into());
    let by_socket = spent.by_socket.iter().map(|(name, used)| (name.clone(), spelled(used).into()));
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
        let sums = sums.iter().map(|(name, used)| (name.clone(), spelled(used).into()));
        document.insert(name.to_owned(), Value::Object(sums.collect()));
    }
    Value::Object(document)
}

fn spelled(used: &Usage) -> Map<String, Value> {
    let tokens = json!({
        "input": used.input, "output": used.output, "cacheRead": used.cache_read,
        "cacheWrite": used.cache_write, "total": used.total
    });
    Map::from_iter([("tokens".to_owned(), tokens), ("cost".to_owned(), json!({"total": used.cost}))])
}
