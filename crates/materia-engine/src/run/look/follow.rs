//! Following what a run's commands write, until the run is over.
//!
//! Owns the two positions and the wait between two looks. The kernel says when a log grew; a slow
//! look of our own is the guarantee. What a new generation wrote is followed from its beginning.

use std::ops::ControlFlow;
use std::time::Duration;

use super::status::{prove_again, supervisor};
use crate::clock::Clock;
use crate::process::Stream;
use crate::run::{Error, LogFold, RunDir, RunLog};
use crate::store::stream::Growing;

/// How long one look takes at most before the next.
const RECONCILE: Duration = Duration::from_secs(2);

/// Passes on everything from the given positions on, as it comes, until the run is over or `tell`
/// breaks. `log` is the run's journal as it was looked at before.
pub fn follow<F: LogFold>(
    place: &RunDir,
    from: [u64; 2],
    mut log: RunLog<F>,
    clock: &Clock,
    tell: &mut dyn FnMut(Stream, &[u8]) -> ControlFlow<()>,
) -> Result<(), Error> {
    let paths = [place.stdout(), place.stderr()];
    let mut growing = Growing::watch(&paths, from).map_err(Error::io("watch", place.dir()))?;
    loop {
        // Asked before reading: what was written until then is read below.
        let state = log.state();
        let lives = !state.status.is_terminal()
            && supervisor(state).is_none_or(|supervisor| supervisor.is_alive());
        for (index, stream) in [Stream::Stdout, Stream::Stderr].into_iter().enumerate() {
            while let Some(bytes) = growing
                .more(index)
                .map_err(Error::io("read", &paths[index]))?
            {
                if tell(stream, &bytes).is_break() {
                    return Ok(());
                }
            }
        }
        if !lives {
            prove_again(place, &mut log, clock)?;
            if log.state().status.is_terminal() {
                return Ok(());
            }
        }
        growing
            .wait(RECONCILE)
            .map_err(Error::io("watch", place.dir()))?;
    }
}
