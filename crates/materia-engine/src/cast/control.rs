//! Casts that another process drives: starting one that outlives us, and stopping one.
//!
//! Owns both. Whoever drives a cast holds the lock of its log and has signed it, so that nobody else is signalled: a
//! process is its pid and the moment it started. Stopping is an interrupt like Ctrl-C, after which the cast can be
//! taken up, or ended, by us.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::error::Error;
use super::folder::Folder;
use crate::process::{Command, Identity, Signal, Sink, spawn_detached};
use crate::store::artifact::{ArtifactError, Root};
use crate::store::lock::{Holder, Lock, LockError, Mode, Wait};

/// How long a driver may take to stop: its utilities have a grace of their own.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a process that drives a cast which has begun, and outlives us; what it says is in `driver.log`.
pub fn detach(run_dir: &Path, cast_id: &str, cwd: &Path, words: Vec<OsString>) -> Result<(), Error> {
    // The running program itself, also when its file was replaced meanwhile.
    let own = ["/proc/self/exe".into(), "resume".into(), run_dir.into()];
    let mut command = Command::new(own.into_iter().chain(words));
    command.cwd = Some(cwd.to_owned());
    command.stdout = Sink::Null;
    command.stderr = Sink::File(driver_log(run_dir)?);
    spawn_detached(command, &format!("cast-{cast_id}"))?;
    Ok(())
}

/// A file for what a driver says; each driver has its own.
fn driver_log(run_dir: &Path) -> Result<std::fs::File, Error> {
    let root = Root::open(run_dir)?;
    let mut name = "driver.log".to_owned();
    for number in 2_u64.. {
        match root.create(&name) {
            Ok(file) => return Ok(file.into_file()),
            Err(ArtifactError::Exists(_)) => name = format!("driver-{number}.log"),
            Err(error) => return Err(error.into()),
        }
    }
    Err(ArtifactError::Exists(name.into()).into())
}

/// Stops whoever drives a cast, and waits until it is stopped; nothing where nobody does.
pub fn stop(folder: &Folder) -> Result<(), Error> {
    let take = |wait| Lock::acquire(&folder.lock(), Mode::Exclusive, wait, &Holder::current());
    let holder = match take(Wait::No) {
        Err(LockError::Held { holder, .. }) => holder,
        taken => return taken.map(drop).map_err(Error::Driven),
    };
    let living = holder.as_ref().and_then(|holder| Identity::of(i32::try_from(holder.pid).ok()?));
    let signed = holder.and_then(|holder| holder.started);
    if let Some(driver) = living.filter(|driver| Some(driver.start_time) == signed) {
        // One that is gone by now needs no signal.
        let _gone = driver.signal(Signal::TERM);
    }
    take(Wait::For(PATIENCE)).map(drop).map_err(Error::Driven)
}
