//! Runs a program for its output, mostly version control.
//!
//! Owns one call, bounded in time and output. The utility interprets the output.

use std::path::Path;
use std::time::Duration;

use super::answer::UtilityError;
use crate::process::{Capture, Cause, Command, ProcessEnd, ProcessSet, StreamSink};

/// Maximum size of a program's output, in bytes.
const MOST_OUTPUT: usize = 1 << 20;

/// Runs a program in a directory to its end. Only an interrupt is an error here: a program that
/// fails has ended, too.
pub fn ask(
    processes: &mut ProcessSet,
    argv: &[&str],
    cwd: &Path,
    patience: Duration,
) -> Result<ProcessEnd, UtilityError> {
    let capture = || {
        StreamSink::Capture(Capture {
            memory: MOST_OUTPUT,
            ..Capture::default()
        })
    };
    let mut command = Command::new(argv);
    command.cwd = Some(cwd.to_owned());
    (command.stdout, command.stderr) = (capture(), capture());
    command.deadline = Some(patience);
    command.grace = Duration::from_secs(1);
    let ended = processes.run(command);
    match ended.cause {
        Cause::Cancelled(_) => Err(UtilityError::interrupted(
            argv.first().unwrap_or(&"a program"),
        )),
        _ => Ok(ended),
    }
}

/// The trimmed output of a program; `None` if it failed or printed nothing.
pub fn printed(ended: &ProcessEnd) -> Option<String> {
    let said = String::from_utf8_lossy(&ended.stdout.bytes)
        .trim()
        .to_owned();
    Some(said).filter(|said| ended.success() && !said.is_empty())
}
