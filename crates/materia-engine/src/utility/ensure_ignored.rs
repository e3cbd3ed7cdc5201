//! `ensure-ignored` (Ignore-Artifacts): makes sure that `.gitignore` has certain patterns.
//!
//! Owns choosing the file and checking the patterns. Existing content stays unchanged; a second run
//! changes nothing.

use std::path::{Path, PathBuf};

use materia_model::text;
use serde_json::{Value, json};

use super::answer::{UtilityError, UtilityOutput, UtilityReport};
use super::input::{Input, kind};
use super::place;
use crate::process::ProcessSet;
use crate::store::lines::{self, LinesError};

/// Maximum number of patterns that one call may add.
const MOST_PATTERNS: usize = 1000;

/// Maximum length of a pattern.
const LONGEST_PATTERN: usize = 4096;

pub(super) fn run(
    input: &Input,
    processes: &mut ProcessSet,
) -> Result<UtilityReport, UtilityError> {
    let mut answer = run_bare(input, processes)?;
    if let UtilityOutput::Json(report) = answer.output {
        answer.output = UtilityOutput::Json(json!({"state": {"artifactIgnore": report}}));
    }
    Ok(answer)
}

pub(super) fn run_bare(input: &Input, _: &mut ProcessSet) -> Result<UtilityReport, UtilityError> {
    let (patterns, notes) = patterns(input)?;
    let cwd = input.directory()?;
    let root = match input.text(&["params", "root"])? {
        Some(told) => place::resolved(&cwd, told),
        None => nearest_root(&cwd),
    };
    let file = place::resolved(
        &root,
        input.text(&["params", "file"])?.unwrap_or(".gitignore"),
    );
    let done = lines::append_missing(&file, &patterns).map_err(|error| refused(&error))?;
    let report = json!({
        "ok": true,
        "root": root.to_string_lossy(),
        "file": file.to_string_lossy(),
        "patterns": patterns,
        "added": done.added,
        "unchanged": done.unchanged,
    });
    Ok(UtilityReport {
        output: UtilityOutput::Json(report),
        notes,
    })
}

/// The root of the repository around `cwd`, a jj one first; `cwd` itself without a repository.
fn nearest_root(cwd: &Path) -> PathBuf {
    let found = place::above(cwd, ".jj").or_else(|| place::above(cwd, ".git"));
    found.unwrap_or_else(|| cwd.to_owned())
}

/// The patterns without duplicates, and those that were left out.
fn patterns(input: &Input) -> Result<(Vec<String>, Vec<String>), UtilityError> {
    const EXAMPLE: &str = "write \"params\": {\"patterns\": [\".pi/pi-materia/\"]}";
    let (mut patterns, mut notes) = (Vec::new(), Vec::new());
    let told = match input.get(&["params", "patterns"]) {
        Some(Value::Array(told)) => told.as_slice(),
        Some(other) => {
            return Err(UtilityError::wrong(
                format!("`params.patterns` is {}, not a list", kind(other)),
                EXAMPLE,
            ));
        }
        None => &[],
    };
    if told.len() > MOST_PATTERNS {
        let message = format!(
            "`params.patterns` has {} patterns, at most {MOST_PATTERNS} are taken",
            told.len()
        );
        return Err(UtilityError::wrong(
            message,
            "use a pattern that covers them, such as a directory",
        ));
    }
    for (index, value) in told.iter().enumerate() {
        let Value::String(pattern) = value else {
            notes.push(format!(
                "`params.patterns[{index}]` is {} and was left out",
                kind(value)
            ));
            continue;
        };
        let pattern = pattern.trim();
        check(pattern, index)?;
        if !pattern.is_empty() && !patterns.iter().any(|known| known == pattern) {
            patterns.push(pattern.to_owned());
        }
    }
    if patterns.is_empty() {
        return Err(UtilityError::wrong(
            "`params.patterns` has no pattern",
            EXAMPLE,
        ));
    }
    Ok((patterns, notes))
}

/// Checks that a pattern is one line that git accepts.
fn check(pattern: &str, index: usize) -> Result<(), UtilityError> {
    let wrong = |what: &str, hint: &str| {
        let message = format!(
            "`params.patterns[{index}]` {what}: {}",
            text::quoted(pattern)
        );
        Err(UtilityError::wrong(message, hint))
    };
    if pattern.len() > LONGEST_PATTERN {
        return wrong(
            "is too long",
            "use a pattern that covers it, such as a directory",
        );
    }
    if pattern.contains(['\n', '\r', '\0']) {
        return wrong(
            "is more than one line",
            "give each pattern an entry of its own",
        );
    }
    if pattern.starts_with('#') {
        return wrong(
            "would be a comment",
            "write `\\#` for a name that begins with `#`",
        );
    }
    Ok(())
}

fn refused(error: &LinesError) -> UtilityError {
    let cause = std::error::Error::source(error)
        .map(|cause| format!(": {cause}"))
        .unwrap_or_default();
    UtilityError::failed(format!("{error}{cause}"), error.hint())
}
