//! This program as the supervisor of a run (A1), decided before any command line is parsed: a
//! supervisor starts fast and stays small, and its stdout belongs to the run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::run;

/// Whether a process with these arguments is the supervisor of a run.
pub fn is_supervisor(args: &[OsString]) -> bool {
    args.get(1).is_some_and(|word| word == run::SUPERVISE)
}

/// Supervises the run that the arguments name until it ends, and returns the exit code.
pub fn supervise(args: &[OsString], variables: BTreeMap<OsString, OsString>) -> u8 {
    #[cfg(feature = "testing")]
    if let Some(spec) = variables.get(std::ffi::OsStr::new("MATERIA_SUPERVISOR_FAILPOINT")) {
        let _bad = crate::failpoint::arm(&spec.to_string_lossy());
    }
    let clock = super::context::clock(&variables);
    let [_, _, _run, generation, age, dir] = args else {
        return 2;
    };
    let generation = generation.to_string_lossy();
    let dir = PathBuf::from(dir);
    u8::from(run::supervise(dir, &generation, age == run::NEW, variables, &clock).is_err())
}

/// Makes the named failpoint fail, in test builds.
#[cfg(feature = "testing")]
pub fn arm_failpoint(spec: &str) -> Result<(), super::ApiError> {
    crate::failpoint::arm(spec).map_err(|error| {
        super::ApiError::from_error(super::ErrorKind::Invalid, "bad_failpoint", &error)
    })
}
