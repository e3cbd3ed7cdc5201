//! What an observer has to hear, as it is told.
//!
//! Owns the shape of a piece of news, which is a contract, and the words for the end of a run.
//! Knows nothing of who was told.

use materia_model::message::{DeliveryUrgency, NoticeLevel, OutboxMessage};
use materia_model::name::{RunId, SessionId};
use materia_model::record;
use materia_model::time::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::run::DroppedRuns;

/// Something an observer has to hear.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct News {
    /// What it is.
    #[serde(flatten)]
    pub event: NewsEvent,
    /// The run it is about.
    pub run: RunId,
    /// Which start of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// The session that owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Its place in the run's journal; with the run, what tells a repeat.
    pub seq: u64,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum NewsEvent {
    /// The run said something.
    Message(Box<OutboxMessage>),
    /// The run ended.
    Terminal(Box<Terminal>),
    /// Runs ended and went, and there is nothing left to say more about.
    Missed(Box<Missed>),
}

/// Runs that were pruned or archived before they could be told, more of them than wait for an
/// observer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Missed {
    /// How many.
    pub count: u64,
    /// How bad it is.
    pub level: NoticeLevel,
    /// One line for people.
    pub summary: String,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Terminal {
    /// How.
    pub status: String,
    /// When.
    pub at: Timestamp,
    /// How bad it is.
    pub level: NoticeLevel,
    /// How urgently it is told.
    pub delivery: DeliveryUrgency,
    /// Its exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Value>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// One line for people.
    pub summary: String,
    /// What one can do next; nothing where the run was pruned or archived since.
    pub next: Vec<String>,
}

impl News {
    /// That runs went before anybody was told of them.
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

    /// The same of a run that is not there any more: nobody can look at it.
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

/// The end of a run.
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
