//! The quest board: queued requests and the outcomes of finished ones.
//!
//! Owns the board's document, whose field names other programs rely on, its transitions and
//! invariants: at most one quest is running, and a running one has a cast. Never reads a file,
//! never runs a cast: the caller passes the time, the ids and the outcomes of casts.

mod refer;

use serde::{Deserialize, Serialize};

use crate::text;
use crate::time::Timestamp;

pub use refer::QuestLookupError;

/// The version of the document.
pub const VERSION: u32 = 1;
/// The maximum length of a title, in characters.
const TITLE: usize = 60;

/// The board. Quests run in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestBoard {
    /// The version of the document.
    pub version: u32,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The state of the runner.
    pub runner: RunnerState,
    pub quests: Vec<Quest>,
}

/// The state of the quest runner.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunnerState {
    /// Whether the runner starts the next quest when one is done.
    pub enabled: bool,
    /// The quest that is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_quest_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_started_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_stopped_at: Option<Timestamp>,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct Quest {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub title: String,
    /// What is asked for.
    pub prompt: String,
    /// How it stands.
    pub status: QuestStatus,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How often it was started.
    pub attempts: u64,
    /// The loadout, where it is not the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loadout_override: Option<String>,
    /// The cast that is running for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_cast_id: Option<String>,
    /// The last cast that ran for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_cast_id: Option<String>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_result: Option<QuestOutcome>,
    /// What last went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<QuestProblem>,
}

/// How a quest stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "QuestStatus"))]
pub enum QuestStatus {
    /// It waits for its turn.
    Pending,
    /// A cast runs for it.
    Running,
    /// Its cast is complete.
    Succeeded,
    /// Its cast failed or was aborted.
    Failed,
    /// It needs the person: its cast waits, was interrupted, or could not be started.
    Blocked,
}

impl QuestStatus {
    /// The word for users and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
        }
    }
}

/// What came of a quest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "QuestOutcome", optional_fields)
)]
pub struct QuestOutcome {
    /// How it ended.
    pub status: QuestStatus,
    /// The cast.
    pub cast_id: String,
    /// When.
    pub finished_at: Timestamp,
    /// Why, where it did not succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "QuestError", optional_fields)
)]
pub struct QuestProblem {
    /// In one sentence.
    pub message: String,
    /// When.
    pub occurred_at: Timestamp,
    /// The cast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cast_id: Option<String>,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// The new position of a quest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestTarget<'a> {
    First,
    Before(&'a str),
    After(&'a str),
}

/// Why a quest refuses a transition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuestRefusal {
    /// It is not in the required state.
    #[error("quest {id} is {}, and only one that is {needed} can be {action}", status.as_str())]
    NotNow {
        id: String,
        status: QuestStatus,
        needed: &'static str,
        action: &'static str,
    },
    #[error("quest {0} is running")]
    Busy(String),
    /// It is not on the board.
    #[error("there is no quest {0}")]
    Gone(String),
}

impl QuestBoard {
    /// An empty board.
    pub fn new(at: Timestamp) -> Self {
        Self {
            version: VERSION,
            created_at: at,
            updated_at: at,
            runner: RunnerState::default(),
            quests: Vec::new(),
        }
    }

    /// Adds a quest at the end.
    pub fn add(
        &mut self,
        id: String,
        prompt: &str,
        title: Option<&str>,
        loadout: Option<&str>,
        at: Timestamp,
    ) {
        self.quests.push(Quest {
            id,
            title: title.map_or_else(|| title_of(prompt), title_of),
            prompt: prompt.to_owned(),
            status: QuestStatus::Pending,
            created_at: at,
            updated_at: at,
            attempts: 0,
            loadout_override: loadout.map(str::to_owned),
            current_cast_id: None,
            last_cast_id: None,
            last_result: None,
            last_error: None,
        });
        self.updated_at = at;
    }

    /// The quest with this id.
    pub fn get(&self, id: &str) -> Option<&Quest> {
        self.quests.iter().find(|quest| quest.id == id)
    }

    /// The first queued quest.
    pub fn next(&self) -> Option<&Quest> {
        self.quests
            .iter()
            .find(|quest| quest.status == QuestStatus::Pending)
    }

    /// Records that a cast started for a quest.
    pub fn start(&mut self, id: &str, cast: &str, at: Timestamp) -> Result<(), QuestRefusal> {
        if let Some(busy) = self
            .quests
            .iter()
            .find(|quest| quest.status == QuestStatus::Running)
        {
            return Err(QuestRefusal::Busy(busy.id.clone()));
        }
        let quest = self.editable(id, &[QuestStatus::Pending], "pending", "started")?;
        quest.status = QuestStatus::Running;
        quest.attempts += 1;
        quest.current_cast_id = Some(cast.to_owned());
        quest.last_cast_id = Some(cast.to_owned());
        quest.last_error = None;
        quest.updated_at = at;
        self.runner.active_quest_id = Some(id.to_owned());
        self.runner.last_started_at = Some(at);
        self.updated_at = at;
        Ok(())
    }

    /// Records the outcome of a quest. The user may have ended a blocked one.
    pub fn settle(
        &mut self,
        id: &str,
        status: QuestStatus,
        why: Option<QuestProblem>,
        at: Timestamp,
    ) -> Result<(), QuestRefusal> {
        let open = [
            QuestStatus::Pending,
            QuestStatus::Running,
            QuestStatus::Blocked,
        ];
        let quest = self.editable(id, &open, "open", "settled")?;
        quest.status = status;
        if let Some(cast) = quest
            .current_cast_id
            .take()
            .or_else(|| quest.last_cast_id.clone())
        {
            let error = why.as_ref().map(|why| why.message.clone());
            quest.last_result = Some(QuestOutcome {
                status,
                cast_id: cast,
                finished_at: at,
                error,
            });
        }
        quest.last_error = why;
        quest.updated_at = at;
        if self.runner.active_quest_id.as_deref() == Some(id) {
            self.runner.active_quest_id = None;
        }
        self.updated_at = at;
        Ok(())
    }

    /// Queues a quest again, at the end. Keeps its history.
    pub fn requeue(&mut self, id: &str, at: Timestamp) -> Result<(), QuestRefusal> {
        let ended = [
            QuestStatus::Failed,
            QuestStatus::Blocked,
            QuestStatus::Succeeded,
        ];
        let quest = self.editable(id, &ended, "failed, blocked or succeeded", "requeued")?;
        quest.status = QuestStatus::Pending;
        quest.updated_at = at;
        let quest = quest.clone();
        self.quests.retain(|other| other.id != id);
        self.quests.push(quest);
        self.updated_at = at;
        Ok(())
    }

    /// Removes a quest from the board.
    pub fn remove(&mut self, id: &str, at: Timestamp) -> Result<Quest, QuestRefusal> {
        let idle = [
            QuestStatus::Pending,
            QuestStatus::Failed,
            QuestStatus::Blocked,
            QuestStatus::Succeeded,
        ];
        let quest = self.editable(id, &idle, "not running", "removed")?.clone();
        self.quests.retain(|other| other.id != id);
        self.updated_at = at;
        Ok(quest)
    }

    /// Moves a queued quest. Returns `false` if it is already there.
    pub fn reorder(
        &mut self,
        id: &str,
        place: QuestTarget<'_>,
        at: Timestamp,
    ) -> Result<bool, QuestRefusal> {
        let quest = self
            .editable(id, &[QuestStatus::Pending], "pending", "moved")?
            .clone();
        let before: Vec<String> = self.quests.iter().map(|quest| quest.id.clone()).collect();
        let mut rest: Vec<Quest> = self
            .quests
            .iter()
            .filter(|other| other.id != id)
            .cloned()
            .collect();
        let of = |target: &str| rest.iter().position(|other| other.id == target);
        let to = match place {
            QuestTarget::First => 0,
            QuestTarget::Before(target) | QuestTarget::After(target) if target == id => {
                return Ok(false);
            }
            QuestTarget::Before(target) => {
                of(target).ok_or_else(|| QuestRefusal::Gone(target.to_owned()))?
            }
            QuestTarget::After(target) => {
                of(target).ok_or_else(|| QuestRefusal::Gone(target.to_owned()))? + 1
            }
        };
        rest.insert(to, quest);
        if rest.iter().map(|quest| &quest.id).eq(before.iter()) {
            return Ok(false);
        }
        rest[to].updated_at = at;
        self.quests = rest;
        self.updated_at = at;
        Ok(true)
    }

    /// Sets whether the runner continues with the next quest.
    pub fn enable(&mut self, enabled: bool, at: Timestamp) {
        if !enabled && self.runner.enabled {
            self.runner.last_stopped_at = Some(at);
        }
        self.runner.enabled = enabled;
        self.updated_at = at;
    }

    /// The violated invariants of a board that another program wrote.
    pub fn problems(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.version != VERSION {
            found.push(format!(
                "`version` is {}, and this program knows {VERSION}",
                self.version
            ));
        }
        for (at, quest) in self.quests.iter().enumerate() {
            if self.quests[..at].iter().any(|other| other.id == quest.id) {
                found.push(format!(
                    "`quests[{at}].id` is there twice: {}",
                    text::quoted(&quest.id)
                ));
            }
            if (quest.status == QuestStatus::Running) != quest.current_cast_id.is_some() {
                found.push(format!(
                    "`quests[{at}]` is {} and its `currentCastId` does not fit",
                    quest.status.as_str()
                ));
            }
        }
        if self
            .quests
            .iter()
            .filter(|quest| quest.status == QuestStatus::Running)
            .count()
            > 1
        {
            found.push("more than one quest is `running`".to_owned());
        }
        let active = self.runner.active_quest_id.as_deref();
        if active.is_some_and(|id| {
            self.get(id)
                .is_none_or(|quest| quest.status != QuestStatus::Running)
        }) {
            found.push("`runner.activeQuestId` is no quest that is running".to_owned());
        }
        found
    }

    fn editable(
        &mut self,
        id: &str,
        from: &[QuestStatus],
        needed: &'static str,
        action: &'static str,
    ) -> Result<&mut Quest, QuestRefusal> {
        let found = self.quests.iter_mut().find(|quest| quest.id == id);
        let quest = found.ok_or_else(|| QuestRefusal::Gone(id.to_owned()))?;
        if from.contains(&quest.status) {
            return Ok(quest);
        }
        Err(QuestRefusal::NotNow {
            id: id.to_owned(),
            status: quest.status,
            needed,
            action,
        })
    }
}

/// Makes a title from a prompt: one short line.
fn title_of(prompt: &str) -> String {
    let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= TITLE {
        return line;
    }
    let kept: String = line.chars().take(TITLE - 3).collect();
    format!("{kept}...")
}

#[cfg(test)]
mod tests;
