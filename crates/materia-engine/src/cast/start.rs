//! `cast` and everything that goes on with one: `resume`, `continue`, `recast`, `revive`, `abort`.
//!
//! Owns the order of starting and taking up a cast, and the report, whose shape is a contract.
//! Never prints: a listener is told what happens.

use std::path::{Path, PathBuf};

use materia_model::cast::{self, Failure, State, Status};
use materia_model::loadout::{Config, Settings};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::cast::{
    self as cast_room, CastUsage, Definition, Driver, Error, Folder, Hands, Stop, newest, usage,
};
use crate::config::Files;
use crate::home::Home;
use crate::trust::project;

/// Where casts are kept in a project whose config does not say.
pub const CASTS: &str = ".pi/pi-materia";

/// Which definition a person wants to have cast.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The loadout, where it is not the active one.
    pub loadout: Option<&'a str>,
    /// The config files.
    pub files: &'a Files,
    /// The person's directories, where there are any.
    pub home: Option<&'a Home>,
    /// Whether the person accepts what the project brings, for this time (S1).
    pub trusting: bool,
    /// The agent that plays roles which name none, where the person named one: also when the cast
    /// is taken up.
    pub agent: Option<&'a str>,
}

/// How a person wants a cast to go on.
#[derive(Debug, Clone, Copy)]
pub enum Wish<'a> {
    /// As it was.
    Resume,
    /// With words: one more turn of a conversation. Without: its final answer.
    Continue(Option<&'a str>),
    /// Once more where it failed.
    Recast,
    /// With more retries where they ran out.
    Revive,
    /// Not at all.
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
    pub status: Status,
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
    pub error: Option<Failure>,
    /// Whether the person interrupted it.
    #[serde(skip)]
    pub interrupted: bool,
}

/// Where the casts of a project are kept, as its config files say.
pub fn casts(cwd: &Path, files: &Files) -> PathBuf {
    place(cwd, Config::load(files.layers()).settings())
}

pub(crate) fn place(cwd: &Path, settings: &Settings) -> PathBuf {
    cwd.join(settings.artifact_dir.as_deref().unwrap_or(CASTS))
}

/// Chooses what would be cast. A config that a repository brings runs nothing before it is trusted.
pub fn choose(asked: &Asked<'_>) -> Result<Definition, Error> {
    let definition = Definition::choose(asked.files, asked.loadout)?;
    trusted(asked)?;
    definition.played_by(asked.agent)?.sealed(asked.home)
}

/// Whether everything that the files bring may run.
pub(crate) fn trusted(asked: &Asked<'_>) -> Result<(), Error> {
    if asked.trusting {
        Ok(())
    } else {
        Ok(project::require(asked.files, asked.home)?)
    }
}

/// Says whether a cast may be taken up: it is one of ours, and what the project brings now is
/// trusted.
pub fn may_go_on(folder: &Folder, asked: &Asked<'_>) -> Result<(), Error> {
    if asked.trusting {
        return Ok(());
    }
    cast_room::require_seal(folder, asked.home)?;
    trusted(asked)
}

/// Starts a cast and drives it until it stops.
pub fn start(definition: Definition, request: &str, hands: Hands<'_>) -> Result<CastReport, Error> {
    start_telling(definition, request, hands, |_| Ok(()))
}

/// Starts a cast, tells its id before anything is done, and drives it until it stops.
pub fn start_telling(
    definition: Definition,
    request: &str,
    hands: Hands<'_>,
    began: impl FnOnce(&str) -> Result<(), Error>,
) -> Result<CastReport, Error> {
    let casts = place(hands.cwd, definition.settings());
    let mut driver = Driver::begin(definition, &casts, request, hands)?;
    began(&driver.state().cast_id)?;
    let stop = driver.drive()?;
    Ok(report(&driver, stop))
}

/// Starts a cast and leaves it to whoever drives it: everything is recorded, and nothing has run
/// yet.
pub fn begin(definition: Definition, request: &str, hands: Hands<'_>) -> Result<CastReport, Error> {
    let casts = place(hands.cwd, definition.settings());
    let mut driver = Driver::begin(definition, &casts, request, hands)?;
    driver.promise()?;
    Ok(report(&driver, Stop::Paused))
}

/// Looks at a cast that was made and leaves it to whoever drives it: that it can be played is
/// checked here.
pub fn leave(folder: Folder, hands: Hands<'_>) -> Result<CastReport, Error> {
    let mut driver = Driver::open(folder, hands)?;
    driver.ready()?;
    driver.promise()?;
    Ok(report(&driver, Stop::Paused))
}

/// Finds a cast by its id, the beginning of its id or its directory; the newest where nothing is
/// said.
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

/// The settings that a cast which began runs by.
pub fn settings(folder: &Folder) -> Result<Settings, Error> {
    Ok(Definition::reopen(&folder.read_definition()?)?
        .settings()
        .clone())
}

/// Takes up a cast, does what the person wishes, and drives it until it stops.
pub fn go_on(folder: Folder, wish: Wish<'_>, hands: Hands<'_>) -> Result<CastReport, Error> {
    if matches!(wish, Wish::Abort) {
        cast_room::stop(&folder)?;
    }
    let mut driver = Driver::open(folder, hands)?;
    let state = driver.state();
    let body = match wish {
        Wish::Resume if state.status.is_end() => {
            driver.settle()?;
            return Err(cast::Refusal::Ended(driver.state().status.as_str()).into());
        }
        Wish::Resume => None,
        Wish::Continue(words) => Some(state.go_on_with(words)?),
        Wish::Recast => Some(state.recast()?),
        Wish::Revive => Some(state.revive()?),
        Wish::Abort => Some(state.abort()?),
    };
    if let Some(body) = body {
        if !matches!(wish, Wish::Abort) {
            driver.ready()?;
        }
        driver.record(body)?;
    }
    let stop = driver.drive()?;
    let report = report(&driver, stop);
    // Whoever aborts a cast gets what they wished for.
    let aborted = matches!(wish, Wish::Abort) && report.status == Status::Aborted;
    Ok(if aborted {
        CastReport {
            ok: true,
            error: None,
            ..report
        }
    } else {
        report
    })
}

fn report(driver: &Driver<'_>, stop: Stop) -> CastReport {
    let state = driver.state();
    let interrupted = stop == Stop::Interrupted;
    let counts = |counts: &std::collections::BTreeMap<String, u64>| {
        counts
            .iter()
            .map(|(name, count)| (name.clone(), Value::from(*count)))
            .collect()
    };
    CastReport {
        ok: !matches!(state.status, Status::Failed | Status::Aborted) && !interrupted,
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

fn error(state: &State, interrupted: bool) -> Option<Failure> {
    if !interrupted {
        return state.failure.clone();
    }
    let mut failure = Failure::new(
        cast::Code::Interrupted,
        "the cast was interrupted and can go on",
    );
    failure.socket = state.visit().map(|visit| visit.place.socket.clone());
    Some(failure.hint(format!("materia resume {}", state.cast_id)))
}
