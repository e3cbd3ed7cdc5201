//! Starting casts and continuing them: `cast`, `resume`, `continue`, `recast`, `revive`, `abort`.
//!
//! Owns the order in which a cast is begun or resumed, and the report, whose shape is a contract.
//! The caller decides before whether the user trusts the definition. Never prints: an observer
//! follows.

use std::path::{Path, PathBuf};

use materia_model::cast::{self, CastFailure, CastState, CastStatus};
use materia_model::loadout::{Config, ConfigSettings};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::cast::{
    CastContext, CastUsage, Definition, Driver, DriverStop, Error, Folder, newest, usage,
};
use crate::config::ConfigFiles;

/// The directory of casts in a project whose config does not name one.
pub const CASTS: &str = ".pi/pi-materia";

/// How a cast is continued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResumeAction {
    /// From where it was interrupted.
    Resume,
    /// With a text: one more turn of a conversation. Without: its final answer.
    Continue(Option<String>),
    /// Retries the failed step.
    Recast,
    /// Adds retries where they ran out.
    Revive,
    /// Ends it.
    Abort,
}

/// What came of driving a cast.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CastReport {
    /// Whether nothing is wrong with it.
    pub ok: bool,
    /// The cast.
    pub cast_id: String,
    /// How it stands.
    pub status: CastStatus,
    /// The name it runs under, where another process drives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub run: Option<String>,
    /// Its directory.
    pub run_dir: String,
    /// Its loadout.
    pub loadout: String,
    /// How often each socket was visited.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, number>"))]
    pub visits: Map<String, Value>,
    /// How often each edge was taken.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, number>"))]
    pub traversals: Map<String, Value>,
    /// What the sockets share.
    pub state: Map<String, Value>,
    /// The item it stands at.
    pub item: Option<Value>,
    /// What it cost.
    pub usage: CastUsage,
    /// What went wrong.
    pub error: Option<CastFailure>,
    /// Whether the user interrupted it.
    #[serde(skip)]
    pub interrupted: bool,
}

/// The directory of a project's casts, according to its config files.
pub fn casts(cwd: &Path, files: &ConfigFiles) -> PathBuf {
    place(cwd, Config::load(files.layers()).settings())
}

pub(crate) fn place(cwd: &Path, settings: &ConfigSettings) -> PathBuf {
    cwd.join(settings.artifact_dir.as_deref().unwrap_or(CASTS))
}

/// Starts a cast and drives it until it stops. `began` receives its id before any work starts.
pub fn start(
    definition: Definition,
    request: &str,
    context: CastContext<'_>,
    began: impl FnOnce(&str) -> Result<(), Error>,
) -> Result<CastReport, Error> {
    let casts = place(&context.cwd, definition.settings());
    let mut driver = Driver::begin(definition, &casts, request, context)?;
    began(&driver.state().cast_id)?;
    let stop = driver.drive()?;
    Ok(report(&driver, stop))
}

/// Starts a cast for another process to drive: its first event is durable, and nothing has run.
pub fn begin(
    definition: Definition,
    request: &str,
    context: CastContext<'_>,
) -> Result<CastReport, Error> {
    let casts = place(&context.cwd, definition.settings());
    let mut driver = Driver::begin(definition, &casts, request, context)?;
    driver.promise()?;
    Ok(report(&driver, DriverStop::Paused))
}

/// Finds a cast by its id, a prefix of its id or its directory; without one, the newest.
pub fn find(cwd: &Path, casts: &Path, given: Option<&str>) -> Result<Folder, Error> {
    match given {
        Some(path) if path.contains('/') => Folder::open(&cwd.join(path)),
        Some(id) => Folder::find(casts, id),
        None => {
            let none = || Error::NoCast {
                given: "*".to_owned(),
                folder: casts.to_owned(),
                near: None,
            };
            Folder::find(casts, &newest(casts).ok_or_else(none)?)
        }
    }
}

/// Resumes a cast and drives it until it stops.
pub fn resume(
    folder: Folder,
    definition: Definition,
    action: &ResumeAction,
    context: CastContext<'_>,
) -> Result<CastReport, Error> {
    let mut driver = Driver::open(folder, definition, context)?;
    apply(&mut driver, action)?;
    let stop = driver.drive()?;
    let report = report(&driver, stop);
    if *action == ResumeAction::Abort && report.status == CastStatus::Aborted {
        return Ok(CastReport {
            ok: true,
            error: None,
            ..report
        });
    }
    Ok(report)
}

/// Records how a cast is resumed, for another process to drive. Refuses before it records anything.
pub fn prepare_resume(
    folder: Folder,
    definition: Definition,
    action: &ResumeAction,
    context: CastContext<'_>,
) -> Result<CastReport, Error> {
    let mut driver = Driver::open(folder, definition, context)?;
    apply(&mut driver, action)?;
    driver.ready()?;
    driver.promise()?;
    Ok(report(&driver, DriverStop::Paused))
}

fn apply(driver: &mut Driver<'_>, action: &ResumeAction) -> Result<(), Error> {
    let state = driver.state();
    let body = match action {
        ResumeAction::Resume if state.status.is_end() => {
            driver.settle()?;
            return Err(cast::CastRefusal::Ended(driver.state().status.as_str()).into());
        }
        ResumeAction::Resume => return Ok(()),
        ResumeAction::Continue(text) => state.go_on_with(text.as_deref())?,
        ResumeAction::Recast => state.recast()?,
        ResumeAction::Revive => state.revive()?,
        ResumeAction::Abort => state.abort()?,
    };
    if *action != ResumeAction::Abort {
        driver.ready()?;
    }
    driver.record(body)
}

fn report(driver: &Driver<'_>, stop: DriverStop) -> CastReport {
    let state = driver.state();
    let interrupted = stop == DriverStop::Interrupted;
    let counts = |counts: &std::collections::BTreeMap<String, u64>| {
        counts
            .iter()
            .map(|(name, count)| (name.clone(), Value::from(*count)))
            .collect()
    };
    CastReport {
        ok: !matches!(state.status, CastStatus::Failed | CastStatus::Aborted) && !interrupted,
        cast_id: state.cast_id.clone(),
        status: state.status,
        run: None,
        run_dir: driver.folder().path().to_string_lossy().into_owned(),
        loadout: state.loadout.clone(),
        visits: counts(&state.visits),
        traversals: counts(&state.traversals),
        state: state.data.clone(),
        item: state.item.as_ref().map(|item| item.bound.value.clone()),
        usage: usage(state),
        error: error(state, interrupted),
        interrupted,
    }
}

fn error(state: &CastState, interrupted: bool) -> Option<CastFailure> {
    if !interrupted {
        return state.failure.clone();
    }
    let mut failure = CastFailure::new(
        cast::CastFailureCode::Interrupted,
        "the cast was interrupted and can go on",
    );
    failure.socket = state.visit().map(|visit| visit.place.socket.clone());
    Some(failure.hint(format!("materia resume {}", state.cast_id)))
}
