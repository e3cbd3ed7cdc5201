//! Long work as tasks, for clients that support them.
//!
//! Owns the ids of tasks and their mapping to the reports of runs. A task has no state of its own:
//! its id names its runs, and every request about it is a request about them. So tasks last as long
//! as runs do, across connections and restarts, and have the same owner. Never stores anything.

use std::time::Duration;

use materia_engine::api::{MessageDraft, MessageRequest, WaitRequest};
use materia_model::text;
use rmcp::model::{
    CallToolResult, CreateTaskResult, DetailedTask, InputRequest, InputRequests, Task, TaskPayload,
    TaskStatus,
};
use serde_json::{Map, Value, json};

use super::brief;
use super::call::{Answer, CallKind, CallRequest};

/// Maximum number of runs of one task.
const MOST_RUNS: usize = 16;
/// The polling interval suggested to clients, in milliseconds.
const INTERVAL: u64 = 2000;
/// The name of the answer to a waiting cast.
const ANSWER: &str = "answer";

/// The subject of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// One start of a run.
    Start {
        run: String,
        /// Identifies the start.
        generation: String,
    },
    /// A cast, with all its starts.
    Cast {
        /// The run of the cast.
        run: String,
    },
    /// The end of these runs: of all, or of the first.
    End {
        /// Whether one run is enough.
        any: bool,
        /// The addresses of the runs.
        runs: Vec<String>,
    },
}

impl Subject {
    /// The subject that a call has started, if it continues in the background.
    pub(super) fn of(kind: CallKind, answer: &Answer) -> Option<Self> {
        let document = &answer.document;
        let word = |name: &str| document[name].as_str().map(str::to_owned);
        if answer.code != 0 || document["status"] != "running" {
            return None;
        }
        match kind {
            CallKind::Cast | CallKind::SpawnCast => Some(Self::Cast { run: word("run")? }),
            CallKind::Spawn => Some(Self::Start {
                run: word("run")?,
                generation: word("generation")?,
            }),
            CallKind::Wait | CallKind::Tool | CallKind::Other => None,
        }
    }

    /// The subject of a wait. `None` for other calls, and for runs that do not fit into a task id.
    pub(super) fn awaited(request: &CallRequest) -> Option<Self> {
        let CallRequest::Wait(WaitRequest { runs, any, .. }) = request else {
            return None;
        };
        let fits = runs.len() <= MOST_RUNS
            && runs
                .iter()
                .all(|run| run.len() <= 132 && !run.contains(','));
        fits.then(|| Self::End {
            any: *any,
            runs: runs.clone(),
        })
    }

    /// The id of its task.
    pub(super) fn id(&self) -> String {
        match self {
            Self::Start { run, generation } => format!("run:{run}@{generation}"),
            Self::Cast { run } => format!("cast:{run}"),
            Self::End { any: false, runs } => format!("wait:{}", runs.join(",")),
            Self::End { any: true, runs } => format!("any:{}", runs.join(",")),
        }
    }

    /// Parses the id of a task. `None` if it is not one of ours.
    pub(super) fn read(id: &str) -> Option<Self> {
        let (kind, rest) = id
            .split_once(':')
            .filter(|(_, rest)| !rest.is_empty() && id.len() <= 4096)?;
        let runs = || rest.split(',').map(str::to_owned).collect();
        Some(match kind {
            "run" => {
                let (run, generation) = rest.split_once('@')?;
                Self::Start {
                    run: run.to_owned(),
                    generation: generation.to_owned(),
                }
            }
            "cast" => Self::Cast {
                run: rest.to_owned(),
            },
            "wait" => Self::End {
                any: false,
                runs: runs(),
            },
            "any" => Self::End {
                any: true,
                runs: runs(),
            },
            _ => return None,
        })
    }

    /// The call that reads its state.
    pub(super) fn question(&self) -> CallRequest {
        let (any, runs) = match self {
            Self::Start { run, .. } | Self::Cast { run } => (false, vec![format!("run:{run}")]),
            Self::End { any, runs } => (*any, runs.clone()),
        };
        CallRequest::Wait(WaitRequest {
            runs,
            any,
            timeout: Some(Duration::ZERO),
            ..WaitRequest::default()
        })
    }

    /// The call that ends it. `None` if the task is only a client's wait.
    pub(super) fn end(&self) -> Option<CallRequest> {
        match self {
            Self::Start { run, .. } => Some(message(run, "control.kill", None)),
            Self::Cast { run } => Some(message(run, "control.abort", None)),
            Self::End { .. } => None,
        }
    }

    /// The call that gives a waiting cast its answer. Without an answer, the cast continues by
    /// itself.
    pub(super) fn answer(&self, response: &Value) -> Option<CallRequest> {
        let Self::Cast { run } = self else {
            return None;
        };
        match response["action"].as_str()? {
            "accept" => {
                let body = response["content"][ANSWER].as_str()?;
                Some(message(run, "control.continue", Some(body.into())))
            }
            "decline" => Some(message(run, "control.continue", None)),
            _ => None,
        }
    }

    /// Whether the report is about the same start as the task.
    pub(super) fn is_current(&self, document: &Value) -> bool {
        let Self::Start { generation, .. } = self else {
            return true;
        };
        document["runs"][0]["generation"] == generation.as_str()
    }

    /// The state of the task, computed from the report of `question`.
    pub(super) fn state(&self, document: &Value, asks: Asks) -> DetailedTask {
        let first = &document["runs"][0];
        let began = moment(first, "startedAt");
        let ended = document["runs"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|run| run["endedAt"].as_str());
        let last = ended.max().unwrap_or(&began).to_owned();
        let said = brief::text(CallKind::Wait, &[], document, false);
        let task = Task::new(self.id(), TaskStatus::Working, began, last)
            .with_poll_interval_ms(INTERVAL)
            .with_status_message(text::bounded(&said, 300));
        DetailedTask::new(task, self.payload(document, said, asks))
    }

    fn payload(&self, document: &Value, said: String, asks: Asks) -> TaskPayload {
        if !self.is_current(document) {
            let note = "the run was started again since; this start of it is over".to_owned();
            return completed(
                note,
                json!({"ok": true, "run": document["runs"][0]["run"]}),
                false,
            );
        }
        if document["timedOut"] == true {
            return TaskPayload::Working;
        }
        let run = &document["runs"][0];
        let status = run["status"].as_str().unwrap_or_default();
        if let Self::End { .. } = self {
            return completed(said, brief::compact(document), false);
        }
        let waits = run["cast"]["status"] == "paused";
        match asks {
            Asks::Yes if waits => return input(run),
            _ if matches!(status, "killed" | "cancelled") => return TaskPayload::Cancelled,
            _ if run["cast"]["status"] == "aborted" => return TaskPayload::Cancelled,
            _ => {}
        }
        let mut report = Map::from_iter([("ok".to_owned(), Value::Bool(status == "done"))]);
        report.extend(brief::compact(run).as_object().cloned().unwrap_or_default());
        completed(said, Value::Object(report), status != "done")
    }
}

/// The call that sends a message to a run.
fn message(run: &str, kind: &str, body: Option<Value>) -> CallRequest {
    CallRequest::Message(MessageRequest {
        draft: MessageDraft {
            to: format!("run:{run}"),
            kind: kind.to_owned(),
            body,
            ..MessageDraft::default()
        },
        ..MessageRequest::default()
    })
}

/// Whether the client can ask its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    Yes,
    No,
}

/// The result for a call that became a task.
pub(super) fn begun(state: DetailedTask) -> CreateTaskResult {
    CreateTaskResult::new(state.task)
}

fn completed(said: String, report: Value, failed: bool) -> TaskPayload {
    let content = vec![rmcp::model::ContentBlock::text(said)];
    let mut result = if failed {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = Some(report);
    let result = serde_json::to_value(result)
        .ok()
        .and_then(|result| result.as_object().cloned());
    TaskPayload::Completed {
        result: result.unwrap_or_default(),
    }
}

/// The question to the user when a cast waits; each pause is asked about once.
fn input(run: &Value) -> TaskPayload {
    let message = brief::asks(run).unwrap_or_default();
    let schema = json!({"type": "object", "properties": {ANSWER: {"type": "string", "description": "What the agent is told"}},
        "required": [ANSWER]});
    let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
    let request: Result<InputRequest, _> =
        serde_json::from_value(json!({"method": "elicitation/create", "params": params}));
    match request {
        Ok(request) => {
            let key = format!("{ANSWER}-{}", run["generations"]);
            TaskPayload::InputRequired {
                input_requests: InputRequests::from([(key, request)]),
            }
        }
        Err(_) => TaskPayload::Working,
    }
}

fn moment(run: &Value, name: &str) -> String {
    run[name]
        .as_str()
        .unwrap_or("1970-01-01T00:00:00Z")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_everything_about_its_task() {
        let start = Subject::Start {
            run: "a".into(),
            generation: "g1".into(),
        };
        let runs = vec!["run:a".to_owned(), "run:b".to_owned()];
        for subject in [
            start.clone(),
            Subject::Cast { run: "c".into() },
            Subject::End {
                any: false,
                runs: runs.clone(),
            },
            Subject::End { any: true, runs },
        ] {
            assert_eq!(
                Subject::read(&subject.id()),
                Some(subject.clone()),
                "{subject:?}"
            );
        }
        for wrong in ["", "run:a", "x:y", "run:", "wait:", "a"] {
            assert_eq!(Subject::read(wrong), None, "{wrong}");
        }
        let CallRequest::Wait(question) = start.question() else {
            panic!("the state is read by waiting for no time")
        };
        assert_eq!(question.runs, ["run:a"]);
        assert_eq!(question.timeout, Some(Duration::ZERO));
    }

    #[test]
    fn a_report_says_how_the_task_stands() {
        let start = Subject::Start {
            run: "a".into(),
            generation: "g1".into(),
        };
        let state = |status: &str, timed_out: bool, generation: &str| {
            let run = json!({"run": "a", "status": status, "generation": generation, "startedAt": "2026-01-01T00:00:00Z"});
            let document = json!({"ok": true, "timedOut": timed_out, "runs": [run]});
            start.state(&document, Asks::No).payload.status()
        };
        assert_eq!(state("running", true, "g1"), TaskStatus::Working);
        assert_eq!(state("done", false, "g1"), TaskStatus::Completed);
        assert_eq!(state("failed", false, "g1"), TaskStatus::Completed);
        assert_eq!(state("killed", false, "g1"), TaskStatus::Cancelled);
        assert_eq!(
            state("running", true, "g2"),
            TaskStatus::Completed,
            "another start of the run"
        );
        let paused = json!({"runs": [{"run": "c", "status": "done", "generations": 1, "cast": {"status": "paused"}}]});
        let cast = Subject::Cast { run: "c".into() };
        assert_eq!(
            cast.state(&paused, Asks::Yes).payload.status(),
            TaskStatus::InputRequired
        );
        assert_eq!(
            cast.state(&paused, Asks::No).payload.status(),
            TaskStatus::Completed
        );
    }
}
