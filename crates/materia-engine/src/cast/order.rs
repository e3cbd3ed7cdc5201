//! Orders for a cast that another process drives: small documents that its driver reads.
//!
//! Owns `orders/<id>.json` in a cast's directory. An order is durable before its sender gets a
//! reply. The driver looks for orders between any two steps, and before it ends a turn that exceeds
//! the budget. It logs the order as an event, then removes the file. The next process that opens
//! the cast applies orders that a driver left. An order that is applied twice after a crash has the
//! same effect as once.

use std::path::PathBuf;

use materia_model::cast::event::BudgetRaise;
use materia_model::cast::{CastEventBody, CastState};
use serde::{Deserialize, Serialize};

use super::error::Error;
use super::folder::Folder;
use super::log::Log;
use crate::clock::Clock;
use crate::store::journal::JournalError;
use crate::store::{atomic, dir};

/// The directory of orders in a cast's directory.
const ORDERS: &str = "orders";
/// The format number of an order.
const FORMAT: u32 = 1;
/// The largest order, in bytes.
const LARGEST: u64 = 4096;
/// Maximum number of orders applied at once.
const MOST: usize = 100;

/// An order to a driver.
#[derive(Debug, Serialize, Deserialize)]
struct Order {
    raise: BudgetRaise,
}

/// Whether a higher limit holds already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum RaiseOutcome {
    /// It is in the log.
    Recorded,
    /// The process that drives the cast applies it before its next step.
    Ordered,
}

/// Raises the budget of a cast: in its log, or by an order to its driver.
pub fn raise(
    folder: &Folder,
    clock: &Clock,
    raise: BudgetRaise,
) -> Result<(RaiseOutcome, CastState), Error> {
    match Log::open(folder, clock) {
        Ok(mut log) => {
            for (path, body) in pending(folder) {
                log.record(body)?;
                dir::remove_file(&path)?;
            }
            let body = log.state().raise_budget(raise)?;
            log.record(body)?;
            log.settle(folder)?;
            Ok((RaiseOutcome::Recorded, log.state().clone()))
        }
        Err(Error::Log(JournalError::Held(_))) => {
            let mut state = super::glance::replay(folder, |_, _, _| {})?;
            let body = state.raise_budget(raise.clone())?;
            let orders = folder.path().join(ORDERS);
            dir::create_private(&orders)?;
            atomic::write_json(
                &orders.join(format!("{}.json", clock.fresh_id())),
                FORMAT,
                &Order { raise },
            )?;
            state.apply(&materia_model::cast::CastEvent {
                at: clock.now(),
                body,
            });
            Ok((RaiseOutcome::Ordered, state))
        }
        Err(error) => Err(error),
    }
}

/// The orders that no driver has applied yet, the oldest first, each with its document.
///
/// Skips files that are no orders: they must not stop a cast.
pub(super) fn pending(folder: &Folder) -> Vec<(PathBuf, CastEventBody)> {
    let Ok(entries) = std::fs::read_dir(folder.path().join(ORDERS)) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    paths.sort();
    paths.truncate(MOST);
    let read = |path: PathBuf| {
        let order = atomic::read_json::<Order>(&path, FORMAT, LARGEST).ok()?;
        Some((path, CastEventBody::BudgetRaised(order.raise)))
    };
    paths.into_iter().filter_map(read).collect()
}
