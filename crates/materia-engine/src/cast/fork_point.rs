//! `fork`: a new cast that begins after a finished step of another one.
//!
//! Owns finding the step and recording the origin. The original is only read.

use std::path::Path;

use serde_json::json;

use crate::cast::show::{CastStep, steps};
use crate::cast::{Error, Folder, fork as fork_cast};
use crate::clock::Clock;

/// Creates the new cast. `at` is the number of a step, or a socket and its visit such as
/// `Socket-4:1`.
pub fn fork(folder: &Folder, casts: &Path, at: &str, clock: &Clock) -> Result<Folder, Error> {
    let (state, steps) = steps(folder, |_, _| {})?;
    let meant = steps.iter().find(|step| is_meant(step, at));
    let Some((step, last)) = meant.and_then(|step| step.seq.map(|seq| (step, seq))) else {
        return Err(Error::NoStep {
            given: at.to_owned(),
            cast: state.cast_id,
        });
    };
    let place = &step.place;
    let origin = json!({"castId": state.cast_id, "step": step.step, "socket": place.socket, "visit": place.visit});
    fork_cast(folder, casts, last, origin, clock)
}

fn is_meant(step: &CastStep, at: &str) -> bool {
    if let Ok(number) = at.parse::<usize>() {
        return number == step.step;
    }
    let named = at
        .rsplit_once(':')
        .and_then(|(socket, visit)| Some((socket, visit.parse::<u64>().ok()?)));
    named == Some((step.place.socket.as_str(), step.place.visit))
}
