//! The news that an observer receives.
//!
//! Owns the format of a piece of news, which is a contract, and the summary of a run's end. Never
//! knows what was reported.

use materia_model::message::{DeliveryUrgency, NoticeLevel, OutboxMessage};
use materia_model::name::{RunId, SessionId};
use materia_model::record;
use materia_model::time::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::run::DroppedRuns;

/// A piece of news for an observer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct News {
    /// The event.
    #[serde(flatten)]
    pub event: NewsEvent,
    /// The run it is about.
    pub run: RunId,
    /// The generation of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// The session that owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Its sequence number in the run's journal. Together with the run it identifies a repeat.
    pub seq: u64,
}

/// The event of a piece of news.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum NewsEvent {
    /// The run sent a message to its coordinator.
    Message(Box<OutboxMessage>),
    /// The run ended.
    Terminal(Box<Terminal>),
    /// Runs ended and were removed, and no details are left.
    Missed(Box<Missed>),
}

/// Runs that were pruned or archived before they were reported, beyond the number that is kept for
/// an observer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Missed {
    /// How many.
    pub count: u64,
    /// The severity.
    pub level: NoticeLevel,
    /// One line for people.
    pub summary: String,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Terminal {
    /// The final status.
    pub status: String,
    /// The time of the end.
    pub at: Timestamp,
    /// The severity.
    pub level: NoticeLevel,
    /// The urgency of the report.
    pub delivery: DeliveryUrgency,
    /// Its exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Value>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// One line for people.
    pub summary: String,
    /// Suggested next commands; empty if the run was pruned or archived since.
    pub next: Vec<String>,
}

impl News {
    /// News of runs that were removed before they were reported.
    pub(super) fn dropped(out: &DroppedRuns, session: Option<SessionId>) -> Option<Self> {
        let run = out.run.parse().ok()?;
        let summary = format!(
            "{} went before you were told of them; the last was {run}.",
            runs(out.count)
        );
        let event = NewsEvent::Missed(Box::new(Missed {
            count: out.count,
            level: NoticeLevel::Warning,
            summary,
        }));
        Some(Self {
            event,
            run,
            generation: None,
            session,
            seq: 0,
        })
    }

    /// The same news without suggestions, for a run that no longer exists.
    pub(super) fn gone(mut self) -> Self {
        if let NewsEvent::Terminal(end) = &mut self.event {
            end.next.clear();
        }
        self
    }
}

fn runs(count: u64) -> String {
    if count == 1 {
        "1 run".to_owned()
    } else {
        format!("{count} runs")
    }
}

/// The event for the end of a run.
pub(super) fn terminal(run: &RunId, record: &record::Record, status: String) -> NewsEvent {
    let field = |name: &str| {
        record
            .data
            .get(name)
            .filter(|value| !value.is_null())
            .cloned()
    };
    let (level, said) = match status.as_str() {
        "done" => (NoticeLevel::Info, "completed successfully"),
        "failed" => (NoticeLevel::Error, "failed"),
        "killed" => (NoticeLevel::Warning, "was killed"),
        "cancelled" => (NoticeLevel::Info, "was cancelled"),
        _ => (
            NoticeLevel::Warning,
            "exited before it could say how it went",
        ),
    };
    NewsEvent::Terminal(Box::new(Terminal {
        at: record.at,
        level,
        delivery: if status == "cancelled" {
            DeliveryUrgency::Notify
        } else {
            DeliveryUrgency::Followup
        },
        code: field("code"),
        error: field("error"),
        summary: format!("Run {run} {said}."),
        next: vec![
            format!("materia inspect run:{run}"),
            format!("materia inspect run:{run} --view tail"),
        ],
        status,
    }))
}
