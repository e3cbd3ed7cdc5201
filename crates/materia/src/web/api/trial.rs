//! Trying a utility with an input of one's own.

use axum::body::Bytes;
use axum::extract::State as Given;
use materia_engine::process::Nursery;
use materia_engine::verb::definition::{self, Edit, Section, Target};
use materia_engine::verb::trial::{self, Place, Sample, TrialError};
use materia_engine::verb::trust;

use super::super::dto;
use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
use super::body;
use crate::failure::{Failure, Kind};

/// Runs a utility as it is, or as it is being edited.
pub(super) async fn trial(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: dto::TrialRequest = body(&bytes)?;
    let tried = beside(move || {
        let target = Target::from(request.target);
        // What the person has before them in the editor is theirs, wherever it will be saved.
        let trusting = state.trusting
            || request.value.is_some()
            || trust::require(&state.files()?, Some(&state.home)).is_ok();
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
                definition::drafted(state.places(), &file, target, &[edit])?.0
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
        let tried = trial::trial(&files, &request.materia, &sample, place, &mut nursery)?;
        Ok(dto::TrialAnswer {
            argv: tried.argv,
            code: tried.code,
            signal: tried.signal,
            timed_out: tried.timed_out,
            duration_ms: tried.duration_ms,
            input: tried.input,
            stdout: tried.stdout,
            stderr: tried.stderr,
            result: tried.result,
            problem: tried.problem,
        })
    });
    ok(&tried.await?)
}

impl From<TrialError> for Failure {
    fn from(error: TrialError) -> Self {
        let typed = |kind, code: &str| Self::from_error(kind, code, &error);
        match &error {
            TrialError::Unknown(_) => {
                typed(Kind::NotFound, "unknown_materia").hint("save it, or check its name")
            }
            TrialError::Agent(_) => typed(Kind::Invalid, "not_a_utility").hint("try it in a cast"),
            TrialError::Untrusted(_) => {
                typed(Kind::Refused, "untrusted").hint("look at it, then accept it")
            }
            TrialError::Broken(findings) => Self::from_findings(findings.clone()),
            TrialError::Unavailable(_) => typed(Kind::Invalid, "unavailable"),
            TrialError::Dir(_) | TrialError::Io(_) => typed(Kind::Failed, "not_run"),
        }
    }
}
