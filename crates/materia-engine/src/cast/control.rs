//! Casts that another process drives: stopping one.
//!
//! Whoever drives a cast holds the lock of its log and has signed it, so that nobody else is
//! signalled: a process is its pid and the moment it started. Stopping is an interrupt like Ctrl-C,
//! after which the cast can be taken up, or ended, by us.

use std::time::Duration;

use super::error::Error;
use super::folder::Folder;
use crate::process::{ProcessIdentity, Signal};
use crate::store::lock::{Holder, Lock, LockError, LockMode, LockWait};

/// How long a driver may take to stop: its utilities have a grace of their own.
const PATIENCE: Duration = Duration::from_secs(60);

/// Stops whoever drives a cast, and waits until it is stopped; nothing where nobody does.
pub fn stop(folder: &Folder) -> Result<(), Error> {
    let take = |wait| {
        Lock::acquire(
            &folder.lock(),
            LockMode::Exclusive,
            wait,
            &Holder::current(),
        )
    };
    let holder = match take(LockWait::No) {
        Err(LockError::Held { holder, .. }) => holder,
        taken => return taken.map(drop).map_err(Error::Driven),
    };
    let living = holder
        .as_ref()
        .and_then(|holder| ProcessIdentity::of(i32::try_from(holder.pid).ok()?));
    let signed = holder.and_then(|holder| holder.started);
    if let Some(driver) = living.filter(|driver| Some(driver.start_time) == signed) {
        // One that is gone by now needs no signal.
        let _gone = driver.signal(Signal::TERM);
    }
    take(LockWait::For(PATIENCE))
        .map(drop)
        .map_err(Error::Driven)
}
