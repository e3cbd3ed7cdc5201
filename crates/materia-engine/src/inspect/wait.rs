//! `wait`: blocks until runs are over, and reports how they ended.
//!
//! Owns the report and its order: the report is passed on as soon as the ends are recorded; the call
//! returns when they are durable and nothing of the runs is left. Ownership is checked before
//! anything is waited for (A9).

use materia_model::name::RunId;
use materia_model::run::{RunState, RunStatus};
use serde::Serialize;

use crate::clock::Clock;
use crate::inspect::run_status::RunSnapshot;
use crate::process::Interrupts;
use crate::run::{self, Error, RunDir, RunRoot, Until, WaitEvent, WaitOptions};

/// What waiting found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitReport {
    /// Whether everything that was waited for is done.
    pub ok: bool,
    /// Whether the time was over first.
    pub timed_out: bool,
    /// How the runs stand, in the order they were named.
    pub runs: Vec<RunSnapshot>,
}

/// What is shown while runs are waited for. A run is named by its number in the request.
pub trait WaitObserver {
    /// These runs are waited for; whether to pass on what they write.
    fn begin(&mut self, _runs: &[RunId]) -> bool {
        false
    }

    /// The commands of a run wrote this.
    fn output(&mut self, _run: usize, _bytes: &[u8]) {}

    /// A run is over.
    fn ended(&mut self, _run: usize, _status: RunStatus) {}

    /// The result, as soon as it is known.
    fn report(&mut self, report: &WaitReport);
}

/// Waits for runs.
pub fn wait(
    root: &RunRoot,
    ids: &[RunId],
    options: WaitOptions<'_>,
    (interrupts, clock): (&Interrupts, &Clock),
    observer: &mut dyn WaitObserver,
) -> Result<WaitReport, Error> {
    let places: Vec<RunDir> = ids
        .iter()
        .map(|id| run::find(root, id, options.caller))
        .collect::<Result<_, _>>()?;
    let follow = observer.begin(ids);
    let options = WaitOptions { follow, ..options };
    let outcome = run::wait(
        &places,
        options,
        interrupts,
        clock,
        &mut |event| match event {
            WaitEvent::Output(run, bytes) => observer.output(run, bytes),
            WaitEvent::Ended(run, status) => observer.ended(run, status),
        },
    )?;
    let report = WaitReport {
        ok: is_done(options.until, &outcome.states),
        timed_out: outcome.timed_out,
        runs: places
            .iter()
            .zip(&outcome.states)
            .map(|(place, state)| RunSnapshot::read(place, state))
            .collect(),
    };
    observer.report(&report);
    outcome.wait_until_durable(clock);
    Ok(report)
}

fn is_done(until: Until, states: &[RunState]) -> bool {
    let done = |state: &&RunState| state.status == RunStatus::Done;
    match until {
        Until::All => states.iter().all(|state| done(&state)),
        Until::Any => {
            let over = states.iter().filter(|state| state.status.is_terminal());
            over.clone().count() > 0 && over.clone().all(|state| done(&state))
        }
    }
}
