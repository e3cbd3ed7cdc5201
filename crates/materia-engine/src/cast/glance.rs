//! The summary of a cast: its observed status, without opening it for writing.
//!
//! Owns the head of a cast (id, request, position, progress) and the proof of its status: a cast
//! runs only while the process that signed its log lives. The head comes from the manifest if the
//! manifest is as new as the log, and from the log otherwise. Never takes a lock and never writes,
//! so that reading disturbs no other process.

use std::path::{Path, PathBuf};

use materia_model::cast::state::PendingInput;
use materia_model::cast::{
    CastEvent, CastEventBody, CastFailure, CastPhase, CastState, CastStatus,
};
use materia_model::record::Record;
use materia_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::error::Error;
use super::folder::Folder;
use crate::store::journal::{From, Reader};
use crate::store::{atomic, lock};

/// The largest manifest that is read. Parsing a larger one costs more than reading the log.
const LARGEST: u64 = 8 << 20;

/// The first fields of a manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestHead {
    /// The cast.
    pub cast_id: String,
    /// What the user asked for.
    pub request: String,
    /// The loadout.
    pub loadout: String,
    /// Its status according to its log.
    pub status: CastStatus,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When the last event was recorded.
    pub updated_at: Option<Timestamp>,
    /// Its position.
    #[serde(default)]
    pub at: Option<CastPosition>,
    /// What it used.
    #[serde(default)]
    pub spent: UsageSummary,
    /// Why it failed.
    #[serde(default)]
    pub error: Option<CastFailure>,
    /// The length of the log when this was written.
    #[serde(default)]
    pub log_bytes: u64,
}

/// Where a cast is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CastPosition {
    /// The socket.
    pub socket: String,
    /// What it holds; not known before the visit began.
    pub materia: Option<String>,
    /// The visit and the attempt, from 1.
    pub visit: u64,
    /// The attempt, from 1.
    pub attempt: u64,
    /// The item it works on.
    pub item: Option<ItemAt>,
    /// What the person is asked for.
    pub waits_for: Option<PendingInput>,
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ItemAt {
    /// Its key.
    pub key: String,
    /// What people call it.
    pub label: String,
    /// Its number, from 1.
    pub number: usize,
    /// How many there are.
    pub count: usize,
}

/// What a cast used, in short.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UsageSummary {
    /// Tokens.
    pub tokens: u64,
    /// Money, in US dollars.
    pub cost: f64,
    /// Turns of agents.
    pub turns: u64,
}

/// The status of a cast as observed: what its log says, and whether a process drives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ObservedStatus {
    /// A process drives it.
    Running,
    /// It is under way, and no process drives it.
    Interrupted,
    /// It waits for the user.
    Paused,
    /// It is complete.
    Complete,
    /// It failed.
    Failed,
    /// The user ended it.
    Aborted,
    /// Its directory cannot be read.
    Unreadable,
}

impl ObservedStatus {
    /// Every status.
    pub const ALL: [Self; 7] = [
        Self::Running,
        Self::Interrupted,
        Self::Paused,
        Self::Complete,
        Self::Failed,
        Self::Aborted,
        Self::Unreadable,
    ];

    /// The word for it in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Paused => "paused",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Aborted => "aborted",
            Self::Unreadable => "unreadable",
        }
    }

    /// Whether the cast is under way or waits for the user.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Interrupted | Self::Paused)
    }
}

/// An observed status with its evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObservedCast {
    /// This process drives it.
    Running(u32),
    /// It is under way, and no process drives it.
    Interrupted,
    /// It waits for the user.
    Paused,
    /// It is complete.
    Complete,
    /// It failed.
    Failed,
    /// The user ended it.
    Aborted,
    /// Its directory cannot be read, and why.
    Unreadable(String),
}

impl ObservedCast {
    /// The status alone.
    pub fn status(&self) -> ObservedStatus {
        match self {
            Self::Running(_) => ObservedStatus::Running,
            Self::Interrupted => ObservedStatus::Interrupted,
            Self::Paused => ObservedStatus::Paused,
            Self::Complete => ObservedStatus::Complete,
            Self::Failed => ObservedStatus::Failed,
            Self::Aborted => ObservedStatus::Aborted,
            Self::Unreadable(_) => ObservedStatus::Unreadable,
        }
    }

    /// The word for the status.
    pub fn as_str(&self) -> &'static str {
        self.status().as_str()
    }

    /// The process that drives the cast.
    pub fn driver(&self) -> Option<u32> {
        if let Self::Running(pid) = self {
            Some(*pid)
        } else {
            None
        }
    }

    /// Whether it is under way or waits for the user.
    pub fn is_open(&self) -> bool {
        self.status().is_open()
    }
}

impl ManifestHead {
    /// The head of a cast in this state.
    pub fn of(state: &CastState, log_bytes: u64) -> Self {
        let spent = &state.spending;
        Self {
            cast_id: state.cast_id.clone(),
            request: state.request.clone(),
            loadout: state.loadout.clone(),
            status: state.status,
            started_at: state.started_at,
            updated_at: state.updated_at,
            at: position(state),
            spent: UsageSummary {
                tokens: spent.total.total,
                cost: spent.total.cost,
                turns: spent.turns,
            },
            error: state.failure.clone(),
            log_bytes,
        }
    }
}

fn position(state: &CastState) -> Option<CastPosition> {
    let item = state.item.as_ref().map(|item| ItemAt {
        key: item.key.clone(),
        label: item.label.clone(),
        number: item.bound.index + 1,
        count: item.bound.count,
    });
    let waits_for = if let CastPhase::Waiting { what, .. } = &state.step {
        Some(*what)
    } else {
        None
    };
    if let CastPhase::Enter { socket } = &state.step {
        let visit = state.visits.get(socket).map_or(1, |visits| visits + 1);
        return Some(CastPosition {
            socket: socket.clone(),
            materia: None,
            visit,
            attempt: 1,
            item,
            waits_for,
        });
    }
    let visit = state.visit()?;
    let place = &visit.place;
    Some(CastPosition {
        socket: place.socket.clone(),
        materia: Some(place.materia.clone()),
        visit: place.visit,
        attempt: visit.attempt,
        item,
        waits_for,
    })
}

/// A cast as observed.
#[derive(Debug)]
pub struct CastSummary {
    /// Its directory.
    pub path: PathBuf,
    /// Its head; `None` if its directory cannot be read.
    pub head: Option<ManifestHead>,
    /// Its observed status.
    pub standing: ObservedCast,
}

impl CastSummary {
    /// Observes the cast in a directory.
    pub fn at(path: &Path) -> Self {
        match observe(path, || head(path), |head| head.status) {
            Ok((head, standing)) => Self {
                path: path.to_owned(),
                head: Some(head),
                standing,
            },
            Err(error) => {
                let standing = ObservedCast::Unreadable(error.to_string());
                Self {
                    path: path.to_owned(),
                    head: None,
                    standing,
                }
            }
        }
    }
}

fn head(path: &Path) -> Result<ManifestHead, Error> {
    let folder = Folder::open(path)?;
    let log_bytes = folder.events().metadata()?.len();
    let manifest = atomic::read_json::<ManifestHead>(
        &path.join("manifest.json"),
        super::folder::FORMAT,
        LARGEST,
    );
    if let Ok(head) = manifest
        && head.log_bytes == log_bytes
    {
        return Ok(head);
    }
    replay(&folder, |_, _, _| {}).map(|state| ManifestHead::of(&state, log_bytes))
}

/// Reads the log of a cast with `read`, and determines its observed status.
///
/// Looks for the driver after reading the log. A driver that recorded the end and exited in between
/// leaves a cast that looks interrupted, so the log is read again if the driver has stopped by now.
pub fn observe<T>(
    path: &Path,
    mut read: impl FnMut() -> Result<T, Error>,
    status: impl Fn(&T) -> CastStatus,
) -> Result<(T, ObservedCast), Error> {
    loop {
        let found = read()?;
        let standing = standing(path, status(&found));
        let may_be_late = standing == ObservedCast::Interrupted;
        if may_be_late && head(path).is_ok_and(|head| head.status != CastStatus::Running) {
            continue;
        }
        return Ok((found, standing));
    }
}

/// The observed status of a cast whose log has this status.
pub fn standing(path: &Path, status: CastStatus) -> ObservedCast {
    match status {
        CastStatus::Running => {
            driver(path).map_or(ObservedCast::Interrupted, ObservedCast::Running)
        }
        // The driver was just asked to continue and has not logged that yet.
        CastStatus::Paused => driver(path).map_or(ObservedCast::Paused, ObservedCast::Running),
        CastStatus::Complete => ObservedCast::Complete,
        CastStatus::Failed => ObservedCast::Failed,
        CastStatus::Aborted => ObservedCast::Aborted,
    }
}

/// The living process that signed the log of a cast.
fn driver(path: &Path) -> Option<u32> {
    lock::living_holder(&path.join("events.jsonl.lock")).map(|holder| holder.pid)
}

/// Folds the log of a cast and passes on each event with the state after it. Changes nothing.
pub fn replay(
    folder: &Folder,
    mut each: impl FnMut(&Record, &CastEvent, &CastState),
) -> Result<CastState, Error> {
    let mut state = CastState::default();
    for record in Reader::open(&folder.events(), From::Beginning)? {
        let mut record = record?;
        let data = std::mem::take(&mut record.data);
        let body = CastEventBody::read(&record.kind, data).map_err(|source| Error::BadEvent {
            seq: record.seq,
            source,
        })?;
        if let Some(body) = body {
            let event = CastEvent {
                at: record.at,
                body,
            };
            state.apply(&event);
            each(&record, &event, &state);
        }
    }
    if state.cast_id.is_empty() {
        Err(Error::NoBeginning)
    } else {
        Ok(state)
    }
}
