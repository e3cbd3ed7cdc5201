//! Trying a utility with an input of one's own.

use axum::body::Bytes;
use axum::extract::State as Given;
#[cfg(feature = "typescript")]
use materia_engine::editor::trial::TrialReport;
use materia_engine::editor::trial::{self, Place, Sample};
use materia_engine::editor::{self, Edit, Section, Target};
use materia_engine::process::Nursery;
use materia_engine::trust::project;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::body;

/// A utility to be tried.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
struct TrialRequest {
    materia: String,
    /// The materia as it is being edited.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown> | null"))]
    value: Option<Value>,
    /// The file it would be saved to.
    target: Target,
    /// What stands in for the person's request.
    request: String,
    /// What stands in for the shared state.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    #[serde(default)]
    state: Map<String, Value>,
    /// What stands in for the current item.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    #[serde(default)]
    item: Option<Value>,
}

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<TrialRequest>();
    types.add::<TrialReport>();
}

/// Runs a utility as it is, or as it is being edited.
pub(super) async fn trial(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: TrialRequest = body(&bytes)?;
    let tried = beside(move || {
        let target = request.target;
        // What the person has before them in the editor is theirs, wherever it will be saved.
        let trusting = state.trusting
            || request.value.is_some()
            || project::require(&state.files()?, Some(&state.home)).is_ok();
        let files = match request.value {
            None => state.files()?,
            Some(value) => {
                let (section, name) = (Section::Materia, request.materia.clone());
                let edit = Edit {
                    section,
                    name,
                    value: Some(value),
                };
                let file = target.file(&state.home, state.project());
                editor::drafted(state.places(), &file, target, &[edit])?.0
            }
        };
        let sample = Sample {
            request: request.request,
            state: request.state,
            item: request.item,
            params: None,
        };
        let library = state.library();
        let place = Place {
            cwd: state.project(),
            library: &library,
            home: state.user_home.as_deref(),
            room: state.home.profile(),
            trusting,
        };
        let mut nursery = Nursery::new();
        Ok(trial::trial(
            &files,
            &request.materia,
            &sample,
            place,
            &mut nursery,
        )?)
    });
    ok(&tried.await?)
}
