//! `casts`: the casts of a project, with their status.
//!
//! Owns the list, newest first, and the default cast if none is named: the newest one that fits the
//! action. Reading changes nothing and takes no lock.

use std::path::Path;

use materia_model::cast::failure::CastFailureCode;
use materia_model::text;
use serde::Serialize;

use crate::cast::glance::{CastPosition, ManifestHead, UsageSummary};
use crate::cast::start::{ResumeAction, find};
use crate::cast::{CastSummary, Error, Folder, ObservedCast, ObservedStatus, ids};
use crate::clock::Clock;

/// Maximum number of casts searched for one that fits.
const LOOKED_AT: usize = 500;
/// The longest request that a list shows, in bytes.
const MAX_REQUEST: usize = 400;

/// The casts of a project.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CastListReport {
    /// Always true.
    pub ok: bool,
    /// Where they are.
    pub folder: String,
    /// How many there are in all.
    pub total: usize,
    /// The newest first.
    pub casts: Vec<CastListItem>,
}

/// One cast of a list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CastListItem {
    /// Its id.
    pub cast_id: String,
    /// Its status.
    pub status: ObservedStatus,
    /// The process that drives it.
    pub driver: Option<u32>,
    /// Its loadout.
    pub loadout: String,
    /// The first line of what was asked for.
    pub request: String,
    /// When it began.
    pub started_at: Option<String>,
    /// How long ago something last happened, in milliseconds.
    pub age_ms: Option<u64>,
    /// Where it is.
    pub at: Option<CastPosition>,
    /// What it used.
    pub usage: UsageSummary,
    /// What went wrong.
    pub error: Option<CastProblem>,
    /// Its directory.
    pub run_dir: String,
}

/// What went wrong with a cast: it failed, or its directory cannot be read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct CastProblem {
    /// What kind of problem it is.
    pub code: CastProblemCode,
    /// What happened, in one sentence.
    pub message: String,
    /// The socket it happened at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket: Option<String>,
    /// What the person can do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The kinds of problems that a listed cast has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum CastProblemCode {
    /// It failed.
    Failure(CastFailureCode),
    /// Nothing is known of it.
    Directory(DirectoryProblem),
}

/// Why nothing is known of a cast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DirectoryProblem {
    /// Its directory cannot be read.
    Unreadable,
}

impl CastProblem {
    fn of(glance: &CastSummary) -> Option<Self> {
        if let ObservedCast::Unreadable(why) = &glance.standing {
            return Some(Self {
                code: CastProblemCode::Directory(DirectoryProblem::Unreadable),
                message: why.clone(),
                socket: None,
                hint: None,
            });
        }
        let failure = glance.head.as_ref()?.error.clone()?;
        Some(Self {
            code: CastProblemCode::Failure(failure.code),
            message: failure.message,
            socket: failure.socket,
            hint: failure.hint,
        })
    }
}

/// Lists at most `limit` casts in a directory, the newest first, optionally only those with one
/// status.
pub fn list(
    casts: &Path,
    limit: Option<usize>,
    status: Option<ObservedStatus>,
    clock: &Clock,
) -> CastListReport {
    let mut ids = ids(casts);
    ids.reverse();
    let total = ids.len();
    let listed = ids
        .iter()
        .map(|id| listed(id, &CastSummary::at(&casts.join(id)), clock));
    let fitting = listed.filter(|one| status.is_none_or(|status| status == one.status));
    let casts_found = fitting.take(limit.unwrap_or(usize::MAX)).collect();
    CastListReport {
        ok: true,
        folder: casts.to_string_lossy().into_owned(),
        total,
        casts: casts_found,
    }
}

fn listed(id: &str, glance: &CastSummary, clock: &Clock) -> CastListItem {
    let head = glance.head.as_ref();
    let since = |head: &ManifestHead| {
        let then = head.updated_at.or(head.started_at)?;
        u64::try_from(clock.now().as_millis() - then.as_millis()).ok()
    };
    let error = CastProblem::of(glance);
    CastListItem {
        cast_id: id.to_owned(),
        status: glance.standing.status(),
        driver: glance.standing.driver(),
        loadout: head.map(|head| head.loadout.clone()).unwrap_or_default(),
        request: head
            .map(|head| first_line(&head.request))
            .unwrap_or_default(),
        started_at: head
            .and_then(|head| head.started_at)
            .map(|at| at.to_string()),
        age_ms: head.and_then(since),
        at: head
            .and_then(|head| head.at.clone())
            .filter(|_| glance.standing.is_open() || error.is_some()),
        usage: head.map(|head| head.spent).unwrap_or_default(),
        error,
        run_dir: glance.path.to_string_lossy().into_owned(),
    }
}

/// The first non-empty line of a request, truncated.
pub fn first_line(request: &str) -> String {
    let line = request
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    text::bounded(line, MAX_REQUEST).into_owned()
}

/// Finds the cast to continue: the named one, else the newest that fits the action, else the
/// newest.
pub fn meant(
    cwd: &Path,
    casts: &Path,
    given: Option<&str>,
    action: &ResumeAction,
) -> Result<Folder, Error> {
    let suits = |standing: &ObservedCast| match action {
        ResumeAction::Resume => *standing == ObservedCast::Interrupted,
        ResumeAction::Continue(_) => *standing == ObservedCast::Paused,
        ResumeAction::Recast => matches!(standing, ObservedCast::Failed | ObservedCast::Aborted),
        ResumeAction::Revive => *standing == ObservedCast::Failed,
        ResumeAction::Abort => standing.is_open(),
    };
    suiting(cwd, casts, given, suits)
}

/// Finds the cast for a read-only command: the named one, else the newest open one, else the
/// newest.
pub fn looked_at(cwd: &Path, casts: &Path, given: Option<&str>) -> Result<Folder, Error> {
    let running = |standing: &ObservedCast| matches!(standing, ObservedCast::Running(_));
    if given.is_none()
        && let Some(id) = newest_that(casts, running)
    {
        return Folder::find(casts, &id);
    }
    find(cwd, casts, given)
}

fn suiting(
    cwd: &Path,
    casts: &Path,
    given: Option<&str>,
    suits: impl Fn(&ObservedCast) -> bool,
) -> Result<Folder, Error> {
    match given.is_none().then(|| newest_that(casts, suits)).flatten() {
        Some(id) => Folder::find(casts, &id),
        None => find(cwd, casts, given),
    }
}

fn newest_that(casts: &Path, suits: impl Fn(&ObservedCast) -> bool) -> Option<String> {
    let newest = ids(casts).into_iter().rev().take(LOOKED_AT);
    newest
        .into_iter()
        .find(|id| suits(&CastSummary::at(&casts.join(id)).standing))
}
