//! Loadouts and materia: showing, checking and saving them.

use axum::body::Bytes;
use axum::extract::State as Given;
use axum::http::StatusCode;
use axum::response::Response;
#[cfg(feature = "typescript")]
use materia_engine::editor::loadout::ActiveLoadoutReport;
use materia_engine::editor::loadout::{self, Reach};
use materia_engine::editor::{self, CheckRequest, SaveConflict, SaveError, SaveRequest};
#[cfg(feature = "typescript")]
use materia_engine::editor::{CheckReport, DefinitionsReport, SaveReport};
use materia_engine::trust::project::{self, TrustStanding};
use serde::{Deserialize, Serialize};

use super::super::reply::{Reply, beside, json, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::body;
use materia_engine::api::{ApiError, ErrorKind, ErrorReport};

/// Another active loadout.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
struct ActiveRequest {
    name: String,
}

/// Why nothing was saved, and what another editor wrote meanwhile.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ConflictReport<'a> {
    #[serde(flatten)]
    report: ErrorReport<'a>,
    conflict: &'a SaveConflict,
}

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<DefinitionsReport>();
    types.add::<CheckRequest>();
    types.add::<CheckReport>();
    types.add::<SaveRequest>();
    types.add::<SaveReport>();
    types.add::<ConflictReport<'static>>();
    types.add::<ActiveRequest>();
    types.add::<ActiveLoadoutReport>();
}

/// Everything that can be edited.
pub(super) async fn show(Given(state): Given<State>) -> Reply {
    let shown = beside(move || {
        let files = state.files()?;
        Ok(editor::definitions(&files, &state.home, state.project()))
    });
    ok(&shown.await?)
}

/// What would be wrong with a draft, and what the file would say.
pub(super) async fn check(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: CheckRequest = body(&bytes)?;
    let checked = beside(move || Ok(editor::check(&state.home, state.places(), request)?));
    ok(&checked.await?)
}

/// Saves definitions. Where somebody else was faster, the answer says what they wrote.
pub(super) async fn save(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: SaveRequest = body(&bytes)?;
    let saved = beside(move || {
        let before = standing(&state)?;
        match editor::save(&state.home, state.places(), &request) {
            Ok(saved) => {
                agree_again(&state, before)?;
                Ok(Ok(saved))
            }
            Err(SaveError::Conflict(conflict)) => Ok(Err(conflict)),
            Err(error) => Err(error.into()),
        }
    });
    match saved.await? {
        Ok(saved) => ok(&saved),
        Err(conflict) => Ok(changed_meanwhile(&conflict)),
    }
}

fn changed_meanwhile(conflict: &SaveConflict) -> Response {
    let name = materia_model::text::quoted(&conflict.name);
    let message = format!("{name} was changed by somebody else");
    let failure = ApiError::new(ErrorKind::Conflict, "changed_meanwhile", message)
        .hint("look at their version, then save yours over it or take theirs");
    let report = failure.report();
    json(StatusCode::CONFLICT, &ConflictReport { report, conflict })
}

/// How what the project brings stood before something of it is written.
fn standing(state: &State) -> Result<TrustStanding, ApiError> {
    let shown = project::show(&state.files()?, Some(&state.home))
        .map_err(|error| ApiError::from(&error))?;
    Ok(shown.standing)
}

/// What the person saves through our own editor is trusted (S1), where everything else in the file
/// was.
fn agree_again(state: &State, before: TrustStanding) -> Result<(), ApiError> {
    if !matches!(before, TrustStanding::Nothing | TrustStanding::Trusted) {
        return Ok(());
    }
    let files = state.files()?;
    let failed = |error: materia_engine::trust::Error| ApiError::from(&error);
    let shown = project::show(&files, Some(&state.home)).map_err(failed)?;
    project::grant(&files, &state.home, &shown, &state.clock).map_err(failed)
}

/// Makes a loadout the active one.
pub(super) async fn choose_active(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: ActiveRequest = body(&bytes)?;
    let chosen = beside(move || {
        let before = standing(&state)?;
        let chosen =
            loadout::choose_active(&state.home, state.places(), &request.name, Reach::Here)?;
        agree_again(&state, before)?;
        Ok(chosen)
    });
    ok(&chosen.await?)
}
