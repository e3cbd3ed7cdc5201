//! The result of a generation, derived from the results of its commands and from requests.
//!
//! Owns the derivation; records nothing.

use std::io;

use materia_model::run::{RunControl, RunEnd, RunStart, RunStatus};
use materia_model::text;

use super::artifact;
use super::watcher::SupervisorWatcher;
use crate::execute::{self, FailedCommand, Outcome};

/// Derives the result of a generation.
pub(super) fn conclude(
    start: &RunStart,
    outcome: io::Result<Outcome>,
    asked: Option<RunControl>,
    watcher: &SupervisorWatcher<'_>,
) -> RunEnd {
    let mut end = RunEnd {
        generation: start.generation.clone(),
        ..RunEnd::default()
    };
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            end.status = RunStatus::Failed;
            end.code = Some(1);
            end.error = Some(error.to_string());
            return end;
        }
    };
    end.signal = outcome.commands.last().and_then(|command| command.signal);
    if let Some(asked) = asked {
        end.status = asked.status();
        return end;
    }
    if watcher.has_retired() {
        end.status = RunStatus::Done;
        end.evidence = Some("retired: every run that was spawned inside it is over".to_owned());
        return end;
    }
    if outcome.interrupted {
        end.status = RunStatus::Cancelled;
        end.error = Some("its supervisor was told to stop by a signal".to_owned());
        return end;
    }
    end.code = Some(outcome.code);
    let failed = outcome.status == execute::ExecutionStatus::Failed;
    end.degraded = outcome.status == execute::ExecutionStatus::Degraded;
    end.status = if failed {
        RunStatus::Failed
    } else {
        RunStatus::Done
    };
    if let Some(failure) = outcome.failures.first() {
        end.error = Some(told(start, failure));
    }
    if !start.artifacts.is_empty() {
        let manifest = artifact::manifest(start, artifact::HASHED_AT_END);
        let missing = manifest
            .values()
            .find(|entry| entry.declared.required && !entry.exists);
        if let Some(missing) = missing.filter(|_| !failed) {
            end.status = RunStatus::Failed;
            end.code = Some(1);
            end.error = Some(format!(
                "the artifact {} was not made",
                missing.declared.path
            ));
        }
        end.artifacts = serde_json::to_value(&manifest).ok();
    }
    end
}

/// The failure in one line, with the stderr of the command. The driver of a cast is our own
/// program: it prints the cause last, and the failure is that of the cast.
fn told(start: &RunStart, failure: &FailedCommand) -> String {
    let mut said = failure.stderr.as_str();
    let what = match &start.cast {
        Some(cast) => {
            said = said.rsplit_once("error: ").map_or(said, |(_, why)| why);
            format!("cast {}", cast.id)
        }
        None => failure
            .label
            .clone()
            .unwrap_or_else(|| failure.argv.join(" ")),
    };
    let what = text::bounded(&what, 200);
    let said = text::bounded(said, 1000);
    let late = if failure.timed_out { "timed out\n" } else { "" };
    // The exit code is shown separately. Without stderr, it is the only information.
    format!("{what}: {late}{said}")
        .trim_end()
        .trim_end_matches(':')
        .to_owned()
}
