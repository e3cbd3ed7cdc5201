//! Loadouts and materia: showing, checking and saving them.

use axum::body::Bytes;
use axum::extract::State as Given;
use axum::http::StatusCode;
use axum::response::Response;
use materia_engine::verb::definition::{self, CheckRequest, SaveConflict, SaveError, SaveRequest};
#[cfg(feature = "typescript")]
use materia_engine::verb::definition::{CheckReport, DefinitionsReport, SaveReport};
#[cfg(feature = "typescript")]
use materia_engine::verb::loadout::ActiveLoadoutReport;
use materia_engine::verb::loadout::{self, Reach};
use materia_engine::verb::trust::{self, TrustStanding};
use serde::{Deserialize, Serialize};

use super::super::reply::{Reply, beside, json, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::body;
use crate::failure::{ErrorReport, Failure, Kind};

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
        Ok(definition::definitions(
            &files,
            &state.home,
            state.project(),
        ))
    });
    ok(&shown.await?)
}

/// What would be wrong with a draft, and what the file would say.
pub(super) async fn check(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: CheckRequest = body(&bytes)?;
    let checked = beside(move || Ok(definition::check(&state.home, state.places(), request)?));
    ok(&checked.await?)
}

/// Saves definitions. Where somebody else was faster, the answer says what they wrote.
pub(super) async fn save(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: SaveRequest = body(&bytes)?;
    let saved = beside(move || {
        let before = standing(&state)?;
        match definition::save(&state.home, state.places(), &request) {
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
    let failure = Failure::new(Kind::Conflict, "changed_meanwhile", message)
        .hint("look at their version, then save yours over it or take theirs");
    let report = failure.report();
    json(StatusCode::CONFLICT, &ConflictReport { report, conflict })
}

/// How what the project brings stood before something of it is written.
fn standing(state: &State) -> Result<TrustStanding, Failure> {
    let shown =
        trust::show(&state.files()?, Some(&state.home)).map_err(|error| Failure::from(&error))?;
    Ok(shown.standing)
}

/// What the person saves through our own editor is trusted (S1), where everything else in the file
/// was.
fn agree_again(state: &State, before: TrustStanding) -> Result<(), Failure> {
    if !matches!(before, TrustStanding::Nothing | TrustStanding::Trusted) {
        return Ok(());
    }
    let files = state.files()?;
    let failed = |error: materia_engine::trust::Error| Failure::from(&error);
    let shown = trust::show(&files, Some(&state.home)).map_err(failed)?;
    trust::grant(&files, &state.home, &shown, &state.clock).map_err(failed)
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

impl From<definition::NotDrafted> for Failure {
    fn from(why: definition::NotDrafted) -> Self {
        match why {
            definition::NotDrafted::Read(error) => error.into(),
            definition::NotDrafted::Broken(findings) => Self::from_findings(findings),
        }
    }
}

impl From<SaveError> for Failure {
    fn from(error: SaveError) -> Self {
        let typed = |kind, code: &str| Self::from_error(kind, code, &error);
        match &error {
            SaveError::Shipped(_) => typed(Kind::Refused, "readonly_loadout")
                .hint("duplicate it under another name first"),
            SaveError::Locked(_) => typed(Kind::Refused, "locked").hint("unlock it first"),
            SaveError::BadName { .. } => {
                typed(Kind::Invalid, "bad_name").hint("choose another name")
            }
            SaveError::Conflict(_) => {
                typed(Kind::Conflict, "changed_meanwhile").hint("look at their version")
            }
            SaveError::Broken(findings) => Self::from_findings(findings.clone()),
            SaveError::Lock(lock) => typed(Kind::Conflict, "in_use").hint(lock.hint()),
            SaveError::Read(_) | SaveError::Dir(_) | SaveError::Write(_) => {
                typed(Kind::Failed, "not_written").hint("make room and check who may write there")
            }
        }
    }
}
