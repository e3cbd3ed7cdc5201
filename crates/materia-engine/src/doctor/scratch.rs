//! Tests files in a scratch directory on the filesystem of the state: locks, durable writes,
//! following.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::DoctorCheck;
use super::host::nearest;
use crate::clock::Stopwatch;
use crate::store::dir::Scratch;
use crate::store::lock::{Holder, Lock, LockMode, LockWait};
use crate::store::{atomic, lock::LockError};

/// The checks that write.
pub(super) fn checks(runs: &Path) -> Vec<DoctorCheck> {
    let place = nearest(runs).unwrap_or(Path::new("/"));
    let scratch = match Scratch::create(place) {
        Ok(scratch) => scratch,
        Err(error) => {
            let hint = "make it writable, or move state with MATERIA_HOME";
            return vec![DoctorCheck::broken(
                "state",
                "P1 P8",
                error.to_string(),
                hint,
            )];
        }
    };
    vec![locks(scratch.path()), durable_writes(scratch.path())]
}

fn locks(scratch: &Path) -> DoctorCheck {
    const HINT: &str = "move state to a local filesystem with MATERIA_HOME";
    let path = scratch.join("lock");
    let acquire = || Lock::acquire(&path, LockMode::Exclusive, LockWait::No, &Holder::current());
    let first = match acquire() {
        Ok(first) => first,
        Err(error) => return DoctorCheck::broken("locks", "P1 P2", error.to_string(), HINT),
    };
    let second = acquire();
    drop(first);
    match (second, acquire()) {
        (Err(LockError::Held { .. }), Ok(_)) => DoctorCheck::good(
            "locks",
            "P1 P2",
            "a second holder is refused, and the lock comes free",
        ),
        _ => DoctorCheck::broken("locks", "P1 P2", "two holders had one lock", HINT),
    }
}

fn durable_writes(scratch: &Path) -> DoctorCheck {
    const NAME: &str = "durable writes";
    let mut times = Vec::new();
    for round in 0..5 {
        let watch = Stopwatch::start();
        if let Err(error) =
            atomic::write_json(&scratch.join("document.json"), 1, &json!({"round": round}))
        {
            return DoctorCheck::broken(NAME, "P1", error.to_string(), "check the disk");
        }
        times.push(watch.elapsed());
    }
    times.sort_unstable();
    let median = times[times.len() / 2];
    let detail = format!(
        "a document is on disk after {:.1} ms",
        median.as_secs_f64() * 1e3
    );
    if median > Duration::from_millis(200) {
        return DoctorCheck::doubtful(
            NAME,
            "P1",
            detail,
            "every promise waits for the disk; a faster one helps",
        );
    }
    DoctorCheck::good(NAME, "P1", detail)
}
