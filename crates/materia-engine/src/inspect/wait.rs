//! `wait`: blocks until runs are over, and says how.
//!
//! Owns the report. Ownership is checked before anything is waited for (A9).

use std::time::Duration;

use materia_model::name::RunId;
use materia_model::run::Status;
use serde::Serialize;

use crate::clock::Clock;
use crate::inspect::run_status::RunStatus;
use crate::run::{self, Error, Leaving, Place, Root, Until};

/// What waiting found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Waited {
    /// Whether everything that was waited for is done.
    pub ok: bool,
    /// Whether the time was over first.
    pub timed_out: bool,
    /// How the runs stand, in the order they were named.
    pub runs: Vec<RunStatus>,
    /// Who is still about to end, for whoever has told the rest.
    #[serde(skip)]
    pub leaving: Leaving,
}

/// Waits for runs.
pub fn wait(
    root: &Root,
    ids: &[RunId],
    until: Until,
    time: Option<Duration>,
    caller: Option<&str>,
    clock: &Clock,
) -> Result<Waited, Error> {
    let places: Vec<Place> = ids
        .iter()
        .map(|id| run::find(root, id, caller))
        .collect::<Result<_, _>>()?;
    for place in &places {
        run::check_owner(&run::recorded(place)?, place.id().as_str(), caller)?;
    }
    let awaited = run::wait(&places, until, time, clock)?;
    let done = |state: &materia_model::run::State| state.status == Status::Done;
    let ok = match until {
        Until::All => awaited.states.iter().all(done),
        Until::Any => {
            let mut over = awaited
                .states
                .iter()
                .filter(|state| state.status.is_terminal())
                .peekable();
            over.peek().is_some() && over.all(done)
        }
    };
    let runs = places
        .iter()
        .zip(&awaited.states)
        .map(|(place, state)| RunStatus::of(place, state))
        .collect();
    Ok(Waited {
        ok,
        timed_out: awaited.timed_out,
        runs,
        leaving: awaited.leaving,
    })
}
