//! `run-ops-snapshot`: the state of runs, for operators.
//!
//! Owns when a run counts as stale (it is running, but has written nothing for some time) and which
//! command helps.

use std::collections::BTreeMap;

use materia_engine::post::MessageLog;
use materia_engine::run::{RunListItem, RunRoot};
use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityReport};
use materia_model::name::RunId;
use materia_model::run::RunStatus;
use materia_model::text;
use serde_json::{Value, json};

use crate::runs;

/// Maximum number of runs listed.
const MOST: usize = 200;

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let root = runs::root(context, options);
    let lines = usize::try_from(options.number("lines", 80)?).unwrap_or(usize::MAX);
    let stale_ms = i64::try_from(options.number("stale-minutes", 60)?)
        .unwrap_or(i64::MAX)
        .saturating_mul(60_000);
    let list = runs::all(&root, context)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &list.runs {
        *counts.entry(one.status.as_str()).or_default() += 1;
    }
    let now = context.clock.now().as_millis();
    let mut advice = Vec::new();
    let mut shown = Vec::new();
    for one in &list.runs {
        let quiet = quiet_for(&root, one, now);
        let stale = !one.status.is_terminal() && quiet.is_some_and(|quiet| quiet >= stale_ms);
        advice.extend(advise(one, stale));
        if shown.len() < MOST {
            shown.push(
                json!({"run": one.run, "status": one.status.as_str(), "recipe": one.recipe, "tool": one.tool,
                "startedAt": one.started_at, "endedAt": one.ended_at, "code": one.code, "stale": stale,
                "quietMinutes": quiet.map(|quiet| quiet / 60_000)}),
            );
        }
    }
    advice.extend(
        list.broken
            .iter()
            .map(|(run, error)| format!("run:{run} cannot be read: {error}")),
    );
    advice.truncate(MOST);
    if advice.is_empty() {
        advice.push("nothing needs attention".to_owned());
    }
    let (inspected, messages) = match options.text("run") {
        Some(run) => inspected(&root, run, lines)?,
        None => (Value::Null, Value::Null),
    };
    Ok(
        json!({"root": root.path(), "counts": counts, "total": list.runs.len(), "runs": shown,
        "inspectedRun": inspected, "messages": messages, "recommendations": advice})
        .into(),
    )
}

/// Time since the last write to a run's journal, in milliseconds.
fn quiet_for(root: &RunRoot, one: &RunListItem, now: i64) -> Option<i64> {
    let place = root.place(&one.run.parse().ok()?);
    let modified = place.journal().metadata().ok()?.modified().ok()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(
        now.saturating_sub(i64::try_from(since.as_millis()).ok()?)
            .max(0),
    )
}

fn advise(one: &RunListItem, stale: bool) -> Option<String> {
    let run = &one.run;
    match one.status {
        RunStatus::Failed => Some(format!(
            "run:{run} failed: materia inspect run:{run} --view tail"
        )),
        RunStatus::Exited => Some(format!(
            "run:{run} lost its supervisor: materia inspect run:{run}"
        )),
        _ if stale => Some(format!(
            "run:{run} has been quiet for long: materia inspect run:{run}, or materia message run:{run} control.kill"
        )),
        _ => None,
    }
}

/// The details of one run, and its last output.
fn inspected(root: &RunRoot, run: &str, lines: usize) -> Result<(Value, Value), UtilityError> {
    let bare = run.strip_prefix("run:").unwrap_or(run);
    let unknown = |why: String| {
        let message = format!("run {} cannot be inspected: {why}", text::quoted(run));
        UtilityError::failed(message, "see `materia utility run-summary`")
    };
    let id: RunId = bare.parse().map_err(|error| unknown(format!("{error}")))?;
    let place = root.find(&id).map_err(|error| unknown(error.to_string()))?;
    let mail = MessageLog::read(&place.journal()).map_err(|error| unknown(error.to_string()))?;
    let queue = mail.queue(&materia_model::message::QueueId::Run).counts();
    let last: Vec<_> = mail.outbox().last().rev().take(lines).collect();
    let messages: Vec<Value> = last
        .into_iter()
        .rev()
        .filter_map(|one| serde_json::to_value(one).ok())
        .collect();
    Ok((
        json!({"run": id, "stateDir": place.dir(), "ended": mail.ended, "queue": queue,
            "room": mail.room().timeline().len()}),
        messages.into(),
    ))
}
