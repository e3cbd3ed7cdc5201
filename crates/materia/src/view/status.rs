//! The status of a run on one line.

use materia_engine::api::RunSnapshot;
use materia_model::run::RunStatus;
use materia_model::text::{self, printable};

use super::style::Role;

/// The style of a status.
pub(super) fn role(status: RunStatus) -> Role {
    match status {
        RunStatus::Done => Role::Good,
        RunStatus::Failed | RunStatus::Exited => Role::Bad,
        RunStatus::Cancelled | RunStatus::Killed => Role::Warning,
        RunStatus::Starting | RunStatus::Running => Role::Quiet,
    }
}

/// Renders a run: `run:a failed code=7 …`. Shows only what differs from the ordinary.
pub(super) fn line(run: &RunSnapshot, colour: bool) -> String {
    let mut line = format!(
        "{} {}",
        run.address,
        role(run.status).paint(run.status.as_str(), colour)
    );
    let mut add = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            line.push_str(&format!(" {key}={}", printable(&value)));
        }
    };
    add("recipe", run.recipe.clone());
    add("tool", run.tool.clone());
    add("session", run.session.clone());
    add("parent", run.parent.clone());
    add("pid", run.pid.map(|pid| pid.to_string()));
    add("active", (run.active > 1).then(|| run.active.to_string()));
    add(
        "completed",
        (run.completed > 1).then(|| run.completed.to_string()),
    );
    add(
        "failures",
        (run.failures > 0).then(|| run.failures.to_string()),
    );
    add(
        "code",
        run.code
            .filter(|code| *code != 0)
            .map(|code| code.to_string()),
    );
    add("degraded", run.degraded.then(|| "true".to_owned()));
    let first =
        |text: &String| text::bounded(text.lines().next().unwrap_or_default(), 200).into_owned();
    add("error", run.error.as_ref().map(first));
    add("evidence", run.evidence.as_ref().map(first));
    line.push('\n');
    line
}
