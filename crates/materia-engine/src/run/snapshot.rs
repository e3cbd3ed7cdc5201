//! The small documents in a run's directory, for people and for programs that read the files of the
//! reference implementation.
//!
//! Owns their formats: `run.json` describes what was started, and does not change within a
//! generation; `progress.json` has the progress; `result.json` has the result. They are made from
//! the journal's state, replaced as a whole, and never read by this program. The next look rewrites
//! a lost result.

use materia_model::run::{RunState, RunStatus};
use materia_model::time::Timestamp;
use serde_json::{Value, json};

use super::place::RunDir;
use crate::store::spare::{self, UnnamedFile};
use crate::store::{atomic, dir};

const PROGRESS: &str = "progress.json";
const RESULT: &str = "result.json";

/// Writes all documents that the state allows. A failed write does not fail the run.
pub(super) fn write(place: &RunDir, state: &RunState, now: Timestamp) {
    run(place, state);
    progress(
        place,
        state.status,
        [state.active, state.completed, state.failures],
        now,
    );
    result(place, state, None);
}

/// Removes the progress and the result of an earlier generation.
pub(super) fn forget(place: &RunDir) {
    for name in [PROGRESS, RESULT] {
        let _none = dir::remove_file(&place.dir().join(name));
    }
}

/// Whether the result was written.
pub(super) fn has_result(place: &RunDir) -> bool {
    place.dir().join(RESULT).exists()
}

/// Writes the result, if the run is over.
pub(super) fn result(place: &RunDir, state: &RunState, spare: Option<UnnamedFile>) {
    let Some(ended) = &state.ended else { return };
    let end = &ended.end;
    let mut result = json!({
        "format": 1,
        "code": end.code,
        "signal": end.signal,
        "status": end.status,
        "killed": end.status == RunStatus::Killed,
        "completedAt": ended.at,
        "generation": end.generation,
    });
    for (key, text) in [("error", &end.error), ("evidence", &end.evidence)] {
        if let Some(text) = text {
            result[key] = text.as_str().into();
        }
    }
    let bytes = format!("{result:#}\n");
    let _lost = spare::write_cache(spare, &place.dir().join(RESULT), bytes.as_bytes());
}

/// Writes the document about the recipe for agents inside the run, replacing that of an earlier
/// generation.
pub(super) fn context(place: &RunDir, records: &[String]) {
    let path = place.context();
    if !records.is_empty() {
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        let _lost = atomic::write_cache(&path, lines.as_bytes());
    } else if path.exists() {
        let _still_there = dir::remove_file(&path);
    }
}

/// Writes the progress: the number of commands that run, that ended, and that failed.
pub(super) fn progress(place: &RunDir, phase: RunStatus, counts: [u64; 3], now: Timestamp) {
    let [active, completed, failures] = counts;
    let progress = json!({
        "format": 1,
        "phase": phase,
        "updatedAt": now,
        "activeSubagents": active,
        "completed": completed,
        "failures": failures,
    });
    put(place, PROGRESS, &progress);
}

/// Writes what was started.
pub(super) fn run(place: &RunDir, state: &RunState) {
    let Some(start) = &state.start else { return };
    let mut document = json!({
        "format": 1,
        "run": start.run,
        "state_dir": place.dir(),
        "generation": start.generation,
        "pid": start.supervisor.pid,
        "createdAt": state.started,
        "cwd": start.cwd,
        "launch_source": start.origin,
        "values": start.values,
    });
    let optional = [
        ("ownerId", json!(start.session)),
        ("parent", json!(start.parent)),
        ("recipe", json!(start.recipe)),
        ("recipe_file", json!(start.recipe_file)),
        ("tool", json!(start.tool)),
        ("template", json!(start.template)),
        ("cast", json!(start.cast)),
        ("mailbox", json!(start.mailbox)),
        ("retire_when", json!(start.retire_when)),
    ];
    for (key, value) in optional.into_iter().filter(|(_, value)| !value.is_null()) {
        document[key] = value;
    }
    if place.context().exists() {
        document["recipe_context_file"] = json!(place.context());
    }
    if !start.artifacts.is_empty() {
        document["artifacts"] = json!(start.artifacts);
    }
    put(place, "run.json", &document);
}

fn put(place: &RunDir, name: &str, document: &Value) {
    let bytes = format!("{document:#}\n");
    let _lost = atomic::write_cache(&place.dir().join(name), bytes.as_bytes());
}
