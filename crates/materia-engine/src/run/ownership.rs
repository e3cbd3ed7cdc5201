//! The owner of a run: its session, and the run inside which it was spawned.
//!
//! Owns the check which callers may see and control a run (A9), and notifying both owners when it
//! begins and ends. A notification may be lost: a parent or an observer notices at its next look.

use std::path::PathBuf;

use materia_model::run::{
    CHILD_END, CHILD_START, ChildEnd, ChildStart, RunEnd, RunStart, RunState,
};
use serde::Serialize;

use super::error::Error;
use super::place::{RunDir, RunRoot};
use crate::clock::Clock;
use crate::store::{dir, stream};

/// The size at which the file that wakes a session's observer is truncated.
const LARGEST_BELL: u64 = 4096;

/// Fails if the caller's session does not own the run. A caller without a session is the operator.
pub fn check_owner(state: &RunState, run: &str, caller: Option<&str>) -> Result<(), Error> {
    match caller {
        Some(caller) if state.session() != Some(caller) => Err(Error::SessionMismatch {
            run: run.to_owned(),
            owner: state.session().map(str::to_owned),
            caller: caller.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// The directory of a session's observer, with its wake file and its marks; the operator's if there
/// is no session. No session can have the name `_operator`.
pub fn observer_dir(root: &RunRoot, session: Option<&str>) -> Option<PathBuf> {
    match session {
        Some(session) => root.session(session),
        None => Some(root.path().parent()?.join("sessions").join("_operator")),
    }
}

/// Wakes the observer of a session, and that of the operator, who observes all sessions.
pub fn ring_session(root: &RunRoot, session: Option<&str>) {
    let watched = session.and_then(|session| observer_dir(root, Some(session)));
    if let Some(folder) = watched
        && (folder.is_dir() || dir::create_private(&folder).is_ok())
    {
        let _nobody_is_woken = stream::nudge(&folder.join("bell"), LARGEST_BELL);
    }
    if let Some(folder) = observer_dir(root, None).filter(|folder| folder.is_dir()) {
        let _nobody_is_woken = stream::nudge(&folder.join("bell"), LARGEST_BELL);
    }
}

/// Notifies the parent that a generation began.
pub(super) fn begun(root: &RunRoot, start: &RunStart, clock: &Clock) {
    let child = ChildStart {
        run: start.run.clone(),
        generation: start.generation.clone(),
    };
    notify_parent(root, start, CHILD_START, &child, clock);
}

/// Notifies the parent and the session that a generation is over.
pub(super) fn ended(root: &RunRoot, start: &RunStart, end: &RunEnd, clock: &Clock) {
    let child = ChildEnd {
        run: start.run.clone(),
        generation: start.generation.clone(),
        status: end.status,
    };
    notify_parent(root, start, CHILD_END, &child, clock);
    ring_session(root, start.session.as_deref());
}

fn notify_parent<T: Serialize>(
    root: &RunRoot,
    start: &RunStart,
    kind: &str,
    data: &T,
    clock: &Clock,
) {
    let parent = start.parent.as_ref().and_then(|parent| parent.parse().ok());
    let Some(place) = parent.map(|id| root.place(&id)).filter(RunDir::exists) else {
        return;
    };
    if let Ok(journal) = super::journal(&place, clock) {
        let _missed = journal.append(kind, data);
        super::ring(&place);
    }
}
