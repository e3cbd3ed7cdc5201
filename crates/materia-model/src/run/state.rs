//! The state that a run's journal folds into.
//!
//! Owns the fold: one record at a time, so that `fold(a ++ b)` is `fold_from(fold(a), b)`. The
//! status here is that of the journal; `engine::run` checks whether a running run still has a
//! living supervisor. Bounded: it keeps the last generation, counters, and the children.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::event::{
    CHILD_END, CHILD_START, COMMAND_DONE, COMMAND_START, ChildEnd, ChildStart, CommandDone,
    MESSAGE, RUN_END, RUN_START, RunControl, RunEnd, RunStart,
};
use crate::record::Record;
use crate::time::Timestamp;

/// How a run stands.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RunStatus"))]
pub enum RunStatus {
    /// It is being started: nothing is promised yet.
    #[default]
    Starting,
    /// It runs.
    Running,
    /// It ended well.
    Done,
    /// It ended badly.
    Failed,
    /// Somebody asked it to end.
    Cancelled,
    /// Somebody killed it.
    Killed,
    /// Its supervisor died before it could say how it ended.
    Exited,
}

impl RunStatus {
    /// Every status, in the order of the lifecycle.
    pub const ALL: [Self; 7] = [
        Self::Starting,
        Self::Running,
        Self::Done,
        Self::Failed,
        Self::Cancelled,
        Self::Killed,
        Self::Exited,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Killed => "killed",
            Self::Exited => "exited",
        }
    }

    /// Whether the status is final.
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::Starting | Self::Running)
    }
}

/// How the last generation ended.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// The recorded end.
    pub end: RunEnd,
    pub at: Timestamp,
}

/// The state of a run according to its journal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunState {
    pub status: RunStatus,
    /// How the last generation began.
    pub start: Option<Box<RunStart>>,
    pub started: Option<Timestamp>,
    /// How it ended, if it did.
    pub ended: Option<Box<RunOutcome>>,
    /// The number of starts.
    pub generations: u64,
    /// Running commands of this generation.
    pub active: u64,
    /// Ended commands of this generation.
    pub completed: u64,
    /// Failed commands of this generation.
    pub failures: u64,
    /// The pending request to this generation.
    pub asked: Option<RunControl>,
    /// The runs spawned inside this generation: their generation, and their final status if they
    /// ended.
    pub children: BTreeMap<String, (String, Option<RunStatus>)>,
    /// The number of the last record.
    pub seq: u64,
}

impl RunState {
    /// The state after all these records.
    pub fn fold<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut state = Self::default();
        records.into_iter().for_each(|record| state.apply(record));
        state
    }

    /// Applies one record. Ignores records that do not concern the lifecycle.
    pub fn apply(&mut self, record: &Record) {
        self.seq = record.seq;
        match record.kind.as_str() {
            RUN_START => {
                let Some(start) = read::<RunStart>(record) else {
                    return;
                };
                *self = Self {
                    status: RunStatus::Running,
                    start: Some(Box::new(start)),
                    started: Some(record.at),
                    generations: self.generations + 1,
                    seq: record.seq,
                    ..Self::default()
                };
            }
            RUN_END => {
                let Some(end) = read::<RunEnd>(record) else {
                    return;
                };
                if self.status == RunStatus::Running && end.generation == self.generation() {
                    self.status = end.status;
                    (self.active, self.asked) = (0, None);
                    self.ended = Some(Box::new(RunOutcome { end, at: record.at }));
                }
            }
            COMMAND_START => self.active += 1,
            COMMAND_DONE => {
                self.active = self.active.saturating_sub(1);
                self.completed += 1;
                let failed = read::<CommandDone>(record).is_some_and(|done| done.code != 0);
                self.failures += u64::from(failed);
            }
            MESSAGE if self.status == RunStatus::Running => {
                self.asked =
                    RunControl::of(&record.data, self.run(), self.generation()).or(self.asked);
            }
            CHILD_START => {
                let Some(child) = read::<ChildStart>(record) else {
                    return;
                };
                self.children.insert(child.run, (child.generation, None));
            }
            CHILD_END => {
                let Some(child) = read::<ChildEnd>(record) else {
                    return;
                };
                if let Some((generation, ended)) = self.children.get_mut(&child.run)
                    && *generation == child.generation
                {
                    *ended = Some(child.status);
                }
            }
            _ => {}
        }
    }

    /// The run's id; empty before its first start.
    pub fn run(&self) -> &str {
        self.start.as_ref().map_or("", |start| &start.run)
    }

    /// The last generation; empty before the first start.
    pub fn generation(&self) -> &str {
        self.start.as_ref().map_or("", |start| &start.generation)
    }

    /// The session that owns it.
    pub fn session(&self) -> Option<&str> {
        self.start
            .as_ref()
            .and_then(|start| start.session.as_deref())
    }

    /// Whether it has child runs and all of them ended.
    pub fn children_are_terminal(&self) -> bool {
        !self.children.is_empty() && self.children.values().all(|(_, ended)| ended.is_some())
    }
}

fn read<T: DeserializeOwned>(record: &Record) -> Option<T> {
    T::deserialize(&record.data).ok()
}

#[cfg(test)]
mod tests;
