//! `wait`: blocks until runs are over, and reports how they ended.
//!
//! Owns the report and its order: the report is passed on as soon as the ends are recorded; the
//! call returns when they are durable and the supervisors have exited. Ownership is checked before
//! the wait begins (A9).

use materia_model::name::RunId;
use materia_model::run::{RunState, RunStatus};
use serde::Serialize;

use crate::clock::Clock;
use crate::inspect::run_status::RunSnapshot;
use crate::process::Interrupts;
use crate::run::{self, Error, RunDir, RunRoot, Until, WaitEvent, WaitOptions};

/// The result of a wait.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitReport {
    /// Whether the awaited runs are `done`; with `Until::Any`, those that are over.
    pub ok: bool,
    /// Whether the timeout expired first.
    pub timed_out: bool,
    /// The status of the runs, in the order of the request.
    pub runs: Vec<RunSnapshot>,
}

/// Receives the events of a wait. A run is identified by its index in the request.
pub trait WaitObserver {
    /// The wait begins. Returns whether to pass on the output of the runs.
    fn begin(&mut self, _runs: &[RunId]) -> bool {
        false
    }

    /// Output of the commands of a run.
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
