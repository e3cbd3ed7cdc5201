//! `run`: a plan is run in the foreground, and what came of it is a report.
//!
//! Owns the report's shape, which is a contract, and the bound on the output it carries.

use std::io;
use std::path::Path;

use serde::Serialize;

use crate::execute::{Branch, CommandRun, Coverage, FailedCommand, Flow, Outcome, Status};

/// How much of the output a report carries; of a longer one it carries the end.
pub const MOST_OUTPUT: usize = 1 << 20;

/// What came of a run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ran {
    /// Whether it did not fail.
    pub ok: bool,
    /// How it went over all.
    pub status: Status,
    /// The root's exit code.
    pub code: i32,
    /// What the selected channel holds, or its end.
    pub output: String,
    /// Whether that is only the end.
    pub output_truncated: bool,
    /// The file with all of it, when it is only the end.
    pub output_file: Option<String>,
    /// Every execution, in the order of completion.
    pub commands: Vec<CommandRun>,
    /// What failed and was not made good by a later attempt.
    pub failures: Vec<FailedCommand>,
    /// The branches of every parallel node, inner ones first.
    pub branches: Vec<Branch>,
    /// The branches in numbers.
    pub coverage: Option<Coverage>,
    /// What was noticed before the run.
    pub warnings: Vec<String>,
}

/// The report of an outcome. An output that is too long for it is kept in a file in `dir`.
pub fn report(outcome: Outcome, warnings: Vec<String>, dir: &Path) -> io::Result<Ran> {
    let (bytes, file) = carried(&outcome.output, dir)?;
    Ok(Ran {
        ok: outcome.status != Status::Failed,
        status: outcome.status,
        code: outcome.code,
        output: String::from_utf8_lossy(&bytes).into_owned(),
        output_truncated: file.is_some(),
        output_file: file,
        commands: outcome.commands,
        failures: outcome.failures,
        branches: outcome.branches,
        coverage: outcome.coverage,
        warnings,
    })
}

/// The end of an output, and the file with all of it when that is not everything.
fn carried(output: &Flow, dir: &Path) -> io::Result<(Vec<u8>, Option<String>)> {
    let (bytes, total) = output.tail(MOST_OUTPUT)?;
    if total <= MOST_OUTPUT as u64 {
        return Ok((bytes, None));
    }
    // A character that the cut went through is left out.
    let broken = bytes
        .iter()
        .take(3)
        .take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000)
        .count();
    let bytes = bytes[broken..].to_vec();
    let path = output.keep(dir, "materia-output-")?;
    Ok((bytes, Some(path.display().to_string())))
}
