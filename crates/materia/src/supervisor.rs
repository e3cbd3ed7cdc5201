//! The inside of a run: this program started again, to supervise one (A1).
//!
//! Owns the way there, before any grammar is built: a supervisor starts fast and stays small. Its stdout is an answer to
//! whoever started it, so nothing is printed here.

use materia_engine::run::{SUPERVISE, supervise};

use crate::world::World;

/// Whether this process is to be a supervisor.
pub(crate) fn is_meant(world: &World) -> bool {
    world.args.get(1).is_some_and(|word| word == SUPERVISE)
}

/// Supervises, and gives the exit code, which nobody asks for.
pub(crate) fn run(world: World) -> u8 {
    #[cfg(feature = "test-fakes")]
    if let Some(spec) = world.variable("MATERIA_SUPERVISOR_FAILPOINT") {
        let _bad = materia_engine::failpoint::arm(&spec.to_string_lossy());
    }
    let clock = world.clock();
    u8::from(supervise(world.variables, &clock).is_err())
}
