//! Whom a run belongs to: its session, and the run inside which it was spawned.
//!
//! Owns the question who may see and steer a run (A9), and telling both when it begins and ends.
//! Telling is advisory: a parent or an observer that missed it finds out at its next look.

use std::path::PathBuf;

use materia_model::run::{CHILD_END, CHILD_START, ChildEnd, ChildStart, End, Start, State};
use serde::Serialize;

use super::error::Error;
use super::place::{Place, Root};
use crate::clock::Clock;
use crate::store::{dir, stream};

/// When a session's bell is begun anew.
const LARGEST_BELL: u64 = 4096;

/// Refuses a caller whose session is not the one that owns the run. A caller without a session is
/// the operator.
pub fn check_owner(state: &State, run: &str, caller: Option<&str>) -> Result<(), Error> {
    match caller {
        Some(caller) if state.session() != Some(caller) => Err(Error::SessionMismatch {
            run: run.to_owned(),
            owner: state.session().map(str::to_owned),
            caller: caller.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Where the bell and the marks of whoever watches a session are; of the operator, where there is
/// none. Sessions cannot begin with a dash below.
pub fn observer_dir(root: &Root, session: Option<&str>) -> Option<PathBuf> {
    match session {
        Some(session) => root.session(session),
        None => Some(root.path().parent()?.join("sessions").join("_operator")),
    }
}

/// Wakes whoever watches a session, and the operator who watches everything.
pub fn ring_session(root: &Root, session: Option<&str>) {
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

/// Tells the parent that a generation began.
pub(super) fn begun(root: &Root, start: &Start, clock: &Clock) {
    let child = ChildStart {
        run: start.run.clone(),
        generation: start.generation.clone(),
    };
    tell_parent(root, start, CHILD_START, &child, clock);
}

/// Tells the parent and the session that a generation is over.
pub(super) fn ended(root: &Root, start: &Start, end: &End, clock: &Clock) {
    let child = ChildEnd {
        run: start.run.clone(),
        generation: start.generation.clone(),
        status: end.status,
    };
    tell_parent(root, start, CHILD_END, &child, clock);
    ring_session(root, start.session.as_deref());
}

fn tell_parent<T: Serialize>(root: &Root, start: &Start, kind: &str, data: &T, clock: &Clock) {
    let parent = start.parent.as_ref().and_then(|parent| parent.parse().ok());
    let Some(place) = parent.map(|id| root.place(&id)).filter(Place::exists) else {
        return;
    };
    if let Ok(journal) = super::journal(&place, clock) {
        let _missed = journal.append(kind, data);
        super::ring(&place);
    }
}
