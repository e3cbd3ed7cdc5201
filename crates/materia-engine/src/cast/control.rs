//! Stopping a cast that another process drives.
//!
//! The driver of a cast holds the lock of its log and has signed the lock with its pid and start
//! time, so that no other process is signalled. Stopping is an interrupt like Ctrl-C. Afterwards
//! this process can resume or end the cast.

use std::time::Duration;

use super::error::Error;
use super::folder::Folder;
use crate::process::{ProcessIdentity, Signal};
use crate::store::lock::{Holder, Lock, LockError, LockMode, LockWait};

/// How long a driver may take to stop. Its utilities have a grace period of their own.
const PATIENCE: Duration = Duration::from_secs(60);

/// Stops the driver of a cast and waits until it has stopped. Does nothing without a driver.
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
        // A driver that has exited by now needs no signal.
        let _gone = driver.signal(Signal::TERM);
    }
    take(LockWait::For(PATIENCE))
        .map(drop)
        .map_err(Error::Driven)
}
