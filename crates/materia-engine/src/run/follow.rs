//! Following what a run's commands write, until the run is over.
//!
//! Owns the two positions and the wait between two looks. The kernel says when a log grew; a slow
//! look of our own is the guarantee. What a new generation wrote is followed from its beginning.

use std::time::Duration;

use super::error::Error;
use super::place::Place;
use super::status::{look, supervisor};
use crate::clock::Clock;
use crate::process::Stream;
use crate::store::stream::Growing;

/// How long one look takes at most before the next.
const RECONCILE: Duration = Duration::from_secs(2);

/// Tells everything from the given positions on, as it comes, until the run is over. Telling false
/// ends it.
pub fn follow(
    place: &Place,
    from: [u64; 2],
    clock: &Clock,
    mut tell: impl FnMut(Stream, &[u8]) -> bool,
) -> Result<(), Error> {
    let paths = [place.stdout(), place.stderr()];
    let mut growing = Growing::watch(&paths, from).map_err(Error::io("watch", place.dir()))?;
    let mut state = look(place, clock)?;
    loop {
        // Asked before reading: what was written until then is read below.
        let lives = !state.status.is_terminal()
            && supervisor(&state).is_none_or(|supervisor| supervisor.is_alive());
        for (index, stream) in [Stream::Stdout, Stream::Stderr].into_iter().enumerate() {
            while let Some(bytes) = growing
                .more(index)
                .map_err(Error::io("read", &paths[index]))?
            {
                if !tell(stream, &bytes) {
                    return Ok(());
                }
            }
        }
        if !lives {
            state = look(place, clock)?;
            if state.status.is_terminal() {
                return Ok(());
            }
        }
        growing
            .wait(RECONCILE)
            .map_err(Error::io("watch", place.dir()))?;
    }
}
