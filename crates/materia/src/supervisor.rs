//! The inside of a run: this program started again, to supervise one (A1).
//!
//! Owns the way there, before any grammar is built: a supervisor starts fast and stays small. Its
//! stdout is no place to print, so nothing is printed here.

use std::ffi::OsString;
use std::path::PathBuf;

use materia_engine::run::{NEW, SUPERVISE, supervise};

use crate::world::World;

/// Whether this process is to be a supervisor.
pub(crate) fn is_meant(args: &[OsString]) -> bool {
    args.get(1).is_some_and(|word| word == SUPERVISE)
}

/// Supervises, and gives the exit code, which nobody asks for.
pub(crate) fn run(world: World) -> u8 {
    #[cfg(feature = "test-fakes")]
    if let Some(spec) = world.variable("MATERIA_SUPERVISOR_FAILPOINT") {
        let _bad = materia_engine::failpoint::arm(&spec.to_string_lossy());
    }
    let clock = world.clock();
    let [_, _, _run, generation, age, dir] = world.args.as_slice() else {
        return 2;
    };
    let (dir, generation) = (
        PathBuf::from(dir),
        generation.to_string_lossy().into_owned(),
    );
    u8::from(supervise(dir, &generation, age == NEW, world.variables, &clock).is_err())
}
