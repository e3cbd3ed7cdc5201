//! Loadouts and materia: showing, checking and saving them.

use axum::body::Bytes;
use axum::extract::State as Given;
use axum::http::StatusCode;
#[cfg(feature = "typescript")]
use materia_engine::api::{
    ActiveLoadoutReport, CheckReport, ConflictReport, DefinitionsReport, SaveReport,
};
use materia_engine::api::{ActiveLoadoutRequest, ActiveReach, CheckRequest, SaveRequest};

use super::super::reply::{Reply, beside, json, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::body;

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<DefinitionsReport>();
    types.add::<CheckRequest>();
    types.add::<CheckReport>();
    types.add::<SaveRequest>();
    types.add::<SaveReport>();
    types.add::<ConflictReport<'static>>();
    types.add::<ActiveLoadoutRequest>();
    types.add::<ActiveLoadoutReport>();
}

/// Everything that can be edited.
pub(super) async fn show(Given(state): Given<State>) -> Reply {
    ok(&beside(move || state.engine.definitions()).await?)
}

/// What would be wrong with a draft, and what the file would say.
pub(super) async fn check(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: CheckRequest = body(&bytes)?;
    ok(&beside(move || state.engine.check_definition(&request)).await?)
}

/// Saves definitions. Where another editor was faster, the answer has what it wrote.
pub(super) async fn save(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: SaveRequest = body(&bytes)?;
    match beside(move || Ok(state.engine.save_definition(&request))).await? {
        Ok(report) => ok(&report),
        Err(failure) => match failure.conflict_report() {
            Some(report) => Ok(json(StatusCode::CONFLICT, &report)),
            None => Err(failure.into()),
        },
    }
}

/// Makes a loadout the active one, also where only the project has it.
pub(super) async fn choose_active(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request = ActiveLoadoutRequest {
        reach: ActiveReach::Project,
        ..body(&bytes)?
    };
    ok(&beside(move || state.engine.choose_active(&request)).await?)
}
