//! Following the output of a run's commands, until the run is over.
//!
//! Owns the two positions and the wait between two reads. The kernel reports when a log grew; a
//! slow timer covers lost events. The output of a new generation is followed from its beginning.

use std::ops::ControlFlow;
use std::time::Duration;

use super::status::{prove_again, supervisor};
use crate::clock::Clock;
use crate::process::Stream;
use crate::run::{Error, LogFold, RunDir, RunLog};
use crate::store::stream::Growing;

/// The longest sleep between two reads.
const RECONCILE: Duration = Duration::from_secs(2);

/// Passes on all output from the given positions, as it comes, until the run is over or `tell`
/// breaks. `log` is the run's journal as it was read before.
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
        // Check the status before reading, so that output written before the end is read below.
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
