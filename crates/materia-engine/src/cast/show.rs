//! `cast-show`: one cast, step by step.
//!
//! Owns the list of steps, which are the visits in the order they began, the list of events and the
//! list of artifacts. All of it comes from the log and the directory. Changes nothing.

use std::path::Path;

use materia_model::agent::Usage;
use materia_model::cast::event::VisitId;
use materia_model::cast::{CastEvent, CastEventBody, CastState};
use materia_model::record::Record;
use materia_model::time::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::cast::glance::{self, ManifestHead};
use crate::cast::{CastUsage, Error, Folder, ObservedCast, ObservedStatus, usage};
use crate::clock::Clock;

/// Maximum number of artifacts in the list.
const MAX_ARTIFACTS: usize = 20_000;

/// What to show besides the steps.
#[derive(Debug, Clone, Copy, Default)]
pub struct CastParts {
    /// Every event.
    pub events: bool,
    /// Every file.
    pub artifacts: bool,
    /// The definition that the cast runs by.
    pub definition: bool,
    /// The last activity of the agent.
    pub activity: bool,
}

/// One cast.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CastShowReport {
    /// Always true.
    pub ok: bool,
    /// Its status.
    pub status: ObservedStatus,
    /// The process that drives it.
    pub driver: Option<u32>,
    /// The cast.
    pub cast_id: String,
    /// What was asked for.
    pub request: String,
    /// Its loadout.
    pub loadout: String,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// How long ago that is, in milliseconds.
    pub age_ms: Option<u64>,
    /// Where it is.
    pub at: Option<glance::CastPosition>,
    /// Its directory.
    pub run_dir: String,
    /// What it used.
    pub usage: CastUsage,
    /// What went wrong.
    pub error: Option<materia_model::cast::CastFailure>,
    /// The visits, in the order they began.
    pub steps: Vec<CastStep>,
    /// Every event, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub events: Option<Vec<CastEventRecord>>,
    /// Every file, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub artifacts: Option<Vec<CastArtifact>>,
    /// The definition that it runs by, where it was asked for.
    #[serde(skip)]
    pub definition: Option<Value>,
    /// The last lines of what the agent of the last step did, where they were asked for.
    #[serde(skip)]
    pub activity: Vec<Value>,
}

/// One visit of a socket.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CastStep {
    /// Its number, from 1.
    pub step: usize,
    /// Which visit it is.
    #[serde(flatten)]
    pub place: VisitId,
    /// How many attempts there were.
    pub attempts: u64,
    /// What came of it.
    pub outcome: StepOutcome,
    /// What guards saw.
    pub satisfied: Option<bool>,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took, where it ended.
    pub duration_ms: Option<u64>,
    /// What its turns used.
    pub usage: Usage,
    /// Its output.
    pub artifact: Option<String>,
    /// The event that ended it.
    #[serde(skip)]
    pub seq: Option<u64>,
}

/// What came of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum StepOutcome {
    /// It has not ended.
    Running,
    /// It ended with an output.
    Done,
    /// It failed.
    Failed,
    /// It waits for the user.
    Waiting,
    /// It was interrupted.
    Interrupted,
}

impl StepOutcome {
    /// The word for it in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Waiting => "waiting",
            Self::Interrupted => "interrupted",
        }
    }
}

/// One event.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CastEventRecord {
    /// Its number in the log.
    pub seq: u64,
    /// When it was recorded.
    pub at: Timestamp,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// The particulars.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    pub data: Value,
}

/// One file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CastArtifact {
    /// Its path below the directory.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}

/// Shows a cast.
pub fn show(folder: &Folder, parts: CastParts, clock: &Clock) -> Result<CastShowReport, Error> {
    let read = || {
        let mut events = Vec::new();
        let (state, steps) = steps(folder, |record, event| {
            if parts.events {
                let data = serde_json::to_value(event.body.data()).unwrap_or_default();
                events.push(CastEventRecord {
                    seq: record.seq,
                    at: record.at,
                    kind: record.kind.clone(),
                    data,
                });
            }
        })?;
        Ok((state, steps, events))
    };
    let status = |(state, ..): &(CastState, _, _)| state.status;
    let ((state, steps, events), standing) = glance::observe(folder.path(), read, status)?;
    let head = ManifestHead::of(&state, 0);
    let age = state
        .updated_at
        .map(|then| clock.now().as_millis() - then.as_millis());
    let definition = match parts.definition {
        true => Some(serde_json::from_str(&folder.read_definition()?).unwrap_or_default()),
        false => None,
    };
    let last = steps.last().filter(|_| parts.activity);
    let activity = last.map(|step| folder.seen(&step.place, step.attempts));
    let activity = activity.unwrap_or_default();
    Ok(CastShowReport {
        ok: true,
        status: standing.status(),
        driver: standing.driver(),
        cast_id: head.cast_id,
        request: head.request,
        loadout: head.loadout,
        started_at: head.started_at,
        updated_at: head.updated_at,
        age_ms: age.and_then(|age| u64::try_from(age).ok()),
        at: head.at,
        run_dir: folder.path().to_string_lossy().into_owned(),
        usage: usage(&state),
        error: head.error,
        steps: settled(steps, &standing),
        events: parts.events.then_some(events),
        artifacts: parts.artifacts.then(|| artifacts(folder.path())),
        definition,
        activity,
    })
}

/// The steps of a cast, and its last state.
pub fn steps(
    folder: &Folder,
    mut each: impl FnMut(&Record, &CastEvent),
) -> Result<(CastState, Vec<CastStep>), Error> {
    let mut steps: Vec<CastStep> = Vec::new();
    let state = glance::replay(folder, |record, event, _| {
        note(&mut steps, record, event);
        each(record, event);
    })?;
    Ok((state, steps))
}

fn note(steps: &mut Vec<CastStep>, record: &Record, event: &CastEvent) {
    if let CastEventBody::SocketStart(start) = &event.body {
        let step = steps.len() + 1;
        steps.push(CastStep {
            step,
            place: start.place.clone(),
            attempts: 0,
            outcome: StepOutcome::Running,
            satisfied: None,
            started_at: event.at,
            duration_ms: None,
            usage: Usage::default(),
            artifact: None,
            seq: None,
        });
    }
    // Visits do not overlap, so every event belongs to the last one.
    let Some(step) = steps.last_mut() else { return };
    let mut end = |outcome| {
        step.outcome = outcome;
        step.duration_ms = u64::try_from(event.at.as_millis() - step.started_at.as_millis()).ok();
    };
    match &event.body {
        CastEventBody::AgentTurnStart(dispatch) | CastEventBody::UtilityInput(dispatch) => {
            step.attempts = dispatch.attempt;
            step.outcome = StepOutcome::Running;
        }
        CastEventBody::AgentTurnEnd(ended) => step.usage.add(&ended.usage),
        CastEventBody::SocketRefinement(_) => end(StepOutcome::Waiting),
        CastEventBody::SocketInterrupted(_) => end(StepOutcome::Interrupted),
        CastEventBody::SocketFailed(_) | CastEventBody::SameSocketRecoveryExhausted(_) => {
            end(StepOutcome::Failed);
        }
        CastEventBody::SocketComplete(complete) => {
            end(StepOutcome::Done);
            let said = complete
                .payload
                .as_ref()
                .and_then(|payload| payload.get("satisfied"));
            step.satisfied = said.and_then(Value::as_bool);
            step.artifact.clone_from(&complete.artifact);
            step.seq = Some(record.seq);
        }
        _ => {}
    }
}

/// Marks the running visit as interrupted if no process works on it any more.
fn settled(mut steps: Vec<CastStep>, standing: &ObservedCast) -> Vec<CastStep> {
    if let Some(last) = steps.last_mut()
        && last.outcome == StepOutcome::Running
        && standing.driver().is_none()
    {
        last.outcome = StepOutcome::Interrupted;
    }
    steps
}

/// The regular files below a directory, sorted.
fn artifacts(root: &Path) -> Vec<CastArtifact> {
    let mut found = Vec::new();
    let mut left = vec![root.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                left.push(entry.path());
            } else if let (true, Ok(path), Ok(about)) = (
                kind.is_file(),
                entry.path().strip_prefix(root),
                entry.metadata(),
            ) {
                found.push(CastArtifact {
                    path: path.to_string_lossy().into_owned(),
                    bytes: about.len(),
                });
            }
        }
        if found.len() > MAX_ARTIFACTS {
            break;
        }
    }
    found.truncate(MAX_ARTIFACTS);
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}
