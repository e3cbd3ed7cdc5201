//! `detect-vcs` (Detect-VCS): finds the version control system and its root.
//!
//! Owns the order of detection: markers first, since they need no program; then the programs
//! themselves, which know of roots without markers. jj is preferred to git, even if its root is
//! further up. Changes nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::answer::{UtilityError, UtilityOutput, UtilityReport};
use super::input::Input;
use super::{place, program};
use crate::process::{ProcessSet, find_program};

/// How long a program may take to report its root.
const PATIENCE: Duration = Duration::from_secs(2);

/// A version control system: its name, its marker, and the command that prints its root.
struct Vcs {
    name: &'static str,
    marker: &'static str,
    question: &'static [&'static str],
}

const KNOWN: [Vcs; 2] = [
    Vcs {
        name: "jj",
        marker: ".jj",
        question: &["jj", "root"],
    },
    Vcs {
        name: "git",
        marker: ".git",
        question: &["git", "rev-parse", "--show-toplevel"],
    },
];

pub(super) fn run(
    input: &Input,
    processes: &mut ProcessSet,
) -> Result<UtilityReport, UtilityError> {
    let mut answer = run_bare(input, processes)?;
    if let UtilityOutput::Json(report) = answer.output {
        answer.output = UtilityOutput::Json(json!({"state": {"vcs": report}}));
    }
    Ok(answer)
}

pub(super) fn run_bare(
    input: &Input,
    processes: &mut ProcessSet,
) -> Result<UtilityReport, UtilityError> {
    let cwd = input.directory()?;
    let available = KNOWN.map(|vcs| find_program(vcs.name).is_some());
    let mut found = ("none", None);
    for (vcs, available) in KNOWN.iter().zip(available) {
        if let Some(root) = root(vcs, available, &cwd, processes)? {
            found = (vcs.name, Some(root));
            break;
        }
    }
    let (kind, root) = found;
    let root = root.map(|root| root.to_string_lossy().into_owned());
    let [jj, git] = available;
    Ok(json!({"kind": kind, "root": root, "available": {"jj": jj, "git": git}}).into())
}

fn root(
    vcs: &Vcs,
    available: bool,
    cwd: &Path,
    processes: &mut ProcessSet,
) -> Result<Option<PathBuf>, UtilityError> {
    if let Some(root) = place::above(cwd, vcs.marker) {
        return Ok(Some(root));
    }
    if !available {
        return Ok(None);
    }
    let ended = program::ask(processes, vcs.question, cwd, PATIENCE)?;
    Ok(program::printed(&ended)
        .map(PathBuf::from)
        .filter(|root| root.is_absolute()))
}
