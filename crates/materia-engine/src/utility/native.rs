//! A call of a shipped utility, reported like the call of a program.
//!
//! Owns the substitutes for stdout, stderr and the exit code, so that artifacts and events are the
//! same for both. It runs in this process; the programs it needs run in the process set, each with
//! its own deadline.

use std::path::Path;

use materia_model::utility::{DEFAULT_TIMEOUT_MS, UtilityExit};

use super::call::Called;
use super::{Input, Shipped, UtilityError, UtilityErrorKind, UtilityOutput, UtilityReport};
use crate::clock::Stopwatch;
use crate::process::ProcessSet;

/// Runs a shipped utility with this input document.
pub fn call(shipped: &Shipped, input: &str, cwd: &Path, processes: &mut ProcessSet) -> Called {
    let watch = Stopwatch::start();
    let done = match Input::read(input, cwd) {
        Ok(input) => shipped.run(&input, processes),
        Err(findings) => {
            let message = findings
                .first()
                .map_or("the input is wrong", |finding| finding.message.as_str());
            Err(UtilityError::wrong(message, "report it"))
        }
    };
    let interrupted = matches!(
        &done,
        Err(UtilityError {
            why: UtilityErrorKind::Interrupted,
            ..
        })
    );
    let (code, stdout, stderr) = match done {
        Ok(answer) => (0, printed(&answer), lines(&answer.notes)),
        Err(trouble) => {
            let result = trouble
                .result
                .map(|result| format!("{result}\n"))
                .unwrap_or_default();
            let code = if trouble.why == UtilityErrorKind::Wrong {
                2
            } else {
                1
            };
            (
                code,
                result,
                format!("{}\n{}\n", trouble.message, trouble.hint),
            )
        }
    };
    let ended = UtilityExit {
        argv: ["materia", "utility", shipped.name]
            .map(str::to_owned)
            .to_vec(),
        code: Some(code),
        timeout_ms: DEFAULT_TIMEOUT_MS,
        duration_ms: u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX),
        ..UtilityExit::default()
    };
    Called {
        ended,
        stdout: stdout.into_bytes(),
        stderr: stderr.into_bytes(),
        interrupted,
    }
}

fn printed(answer: &UtilityReport) -> String {
    match &answer.output {
        UtilityOutput::Json(document) => format!("{document}\n"),
        UtilityOutput::Text(text) => text.clone(),
    }
}

fn lines(notes: &[String]) -> String {
    notes.iter().map(|note| format!("{note}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::utility::find;

    #[test]
    fn a_native_utility_ends_like_a_program() {
        let call = |name: &str, input: &str| {
            call(
                find(name).unwrap(),
                input,
                Path::new("/"),
                &mut ProcessSet::new(),
            )
        };
        let said = call("echo", r#"{"params": {"text": "hello"}}"#);
        assert_eq!(
            (said.ended.code, said.stdout.as_slice()),
            (Some(0), &b"hello"[..])
        );
        assert_eq!(said.ended.argv, ["materia", "utility", "echo"]);
        let wrong = call("ensure-ignored", r#"{"params": {"patterns": 1}}"#);
        assert!(
            wrong.ended.code != Some(0) && !wrong.stderr.is_empty() && !wrong.interrupted,
            "{wrong:?}"
        );
    }
}
