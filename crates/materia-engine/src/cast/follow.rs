//! Following a cast: its events in order, the state they fold to, and its agent's activity.
//!
//! Owns the order of updates: each event once, with its number; then the activity of the running
//! turn; then the state, if it changed. The descriptor becomes readable when there may be more. The
//! death of a driver changes no file, so callers also poll from time to time. Changes nothing.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;

use materia_model::cast::event::BudgetRaise;
use materia_model::cast::rework::Rework;
use materia_model::cast::state::Speaker;
use materia_model::cast::{CastEvent, CastEventBody, CastFailure, CastState};
use materia_model::record::Record;
use materia_model::time::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::glance::{self, CastPosition, ManifestHead, ObservedStatus};
use super::show::CastEventRecord;
use super::{CastUsage, Error, Folder, activity_of, usage};
use crate::store::artifact::{ArtifactError, ArtifactRoot};
use crate::store::journal::{Follower, From};

/// How much of an activity file is read at once, in bytes. No line is longer.
const MAX_READ: usize = 64 << 10;

/// An update about a cast.
#[derive(Debug)]
pub enum CastUpdate {
    /// The next event of its log.
    Event(CastEventRecord),
    /// Activity of the running turn's agent.
    Activity(ActivityReport),
    /// The state that the events fold to.
    State(Box<CastStateReport>),
}

/// What the events of a cast add up to, as far as a picture of it needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CastStateReport {
    /// Its status.
    pub status: ObservedStatus,
    /// Where it is.
    pub at: Option<CastPosition>,
    /// How often each socket was visited.
    pub visits: BTreeMap<String, u64>,
    /// How often each edge was taken.
    pub traversals: BTreeMap<String, u64>,
    /// What it used.
    pub usage: CastUsage,
    /// Who said what, the newest last.
    pub conversation: Vec<(Speaker, String)>,
    /// Work that was sent back.
    pub rework: Vec<Rework>,
    /// What went wrong.
    pub error: Option<CastFailure>,
    /// Limits that were raised.
    pub raised: BudgetRaise,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
}

/// Some lines of what an agent said and did in a turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ActivityReport {
    /// Which file it is.
    pub path: String,
    /// The position behind the lines.
    pub to: u64,
    /// What was done, in order, as the file has it.
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Vec<crate::cast::ActivityLine<'static>>")
    )]
    pub lines: Vec<Value>,
}

/// A cast that is followed.
#[derive(Debug)]
pub struct CastFollower {
    folder: Folder,
    log: Follower,
    state: CastState,
    /// The last event that the caller has seen.
    after: u64,
    /// Events that were read but not returned yet.
    events: VecDeque<CastEventRecord>,
    /// The activity file that the caller has seen, and up to which position.
    known: Option<(String, u64)>,
    /// The activity file of a turn that has begun and is not read yet.
    begun: Option<String>,
    turn: Option<TurnReader>,
    /// The state returned last.
    reported: Option<CastStateReport>,
}

impl CastFollower {
    /// Follows a cast after the event `after`, and an activity file from the position in `known`.
    pub fn open(folder: Folder, after: u64, known: Option<(String, u64)>) -> Result<Self, Error> {
        Ok(Self {
            log: Follower::open(&folder.events(), From::Beginning)?,
            folder,
            state: CastState::default(),
            after,
            events: VecDeque::new(),
            known,
            begun: None,
            turn: None,
            reported: None,
        })
    }

    /// The next update, without waiting. After `None`, wait for the descriptor.
    pub fn next_update(&mut self) -> Result<Option<CastUpdate>, Error> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Some(CastUpdate::Event(event)));
            }
            if self.read_log()? {
                continue;
            }
            if let Some(turn) = &mut self.turn
                && let Some(activity) = turn.next(&self.folder)?
            {
                return Ok(Some(CastUpdate::Activity(activity)));
            }
            let Some(path) = self.begun.take() else {
                return Ok(self.changed_state().map(CastUpdate::State));
            };
            if let Some(first) = self.open_turn(path)? {
                return Ok(Some(CastUpdate::Activity(first)));
            }
        }
    }

    /// Reads a batch of events; false if there are none.
    fn read_log(&mut self) -> Result<bool, Error> {
        let records = self.log.try_next()?;
        let any = !records.is_empty();
        for record in records {
            // Skip event types that this version does not know.
            if let Ok(Some(body)) = CastEventBody::read(&record.kind, record.data.clone()) {
                let at = record.at;
                self.state.apply(&CastEvent { at, body });
            }
            self.begun = activity_begun(&record).or(self.begun.take());
            if record.seq > self.after {
                self.after = record.seq;
                self.events.push_back(CastEventRecord {
                    seq: record.seq,
                    at: record.at,
                    kind: record.kind,
                    data: record.data,
                });
            }
        }
        Ok(any)
    }

    /// Starts to read the activity of a turn. A caller that has seen nothing of it gets an empty
    /// report first.
    fn open_turn(&mut self, path: String) -> Result<Option<ActivityReport>, Error> {
        let known = self.known.take().filter(|(known, _)| *known == path);
        let at = known.map_or(0, |(_, at)| at);
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        self.log.watch_also(&self.folder.path().join(dir))?;
        let turn = TurnReader {
            path,
            file: None,
            at,
        };
        let first = (at == 0).then(|| turn.report(Vec::new()));
        self.turn = Some(turn);
        Ok(first)
    }

    /// The state, if it differs from the one returned last.
    fn changed_state(&mut self) -> Option<Box<CastStateReport>> {
        let state = &self.state;
        let now = CastStateReport {
            status: glance::standing(self.folder.path(), state.status).status(),
            at: ManifestHead::of(state, 0).at,
            visits: state.visits.clone(),
            traversals: state.traversals.clone(),
            usage: usage(state),
            conversation: state.conversation.lines.clone(),
            rework: state.rework.clone(),
            error: state.failure.clone(),
            raised: state.raised.clone(),
            started_at: state.started_at,
            updated_at: state.updated_at,
        };
        if self.reported.as_ref() == Some(&now) {
            return None;
        }
        self.reported = Some(now.clone());
        Some(Box::new(now))
    }
}

impl AsFd for CastFollower {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.log.as_fd()
    }
}

/// The activity file of the turn that begins with this event.
fn activity_begun(record: &Record) -> Option<String> {
    if record.kind != "agent_turn_start" {
        return None;
    }
    activity_of(record.data.get("artifact")?.as_str()?)
}

/// The activity file of one turn, read while it grows. A turn may have none.
#[derive(Debug)]
struct TurnReader {
    path: String,
    file: Option<File>,
    at: u64,
}

impl TurnReader {
    /// The next complete lines, without waiting.
    fn next(&mut self, folder: &Folder) -> Result<Option<ActivityReport>, Error> {
        if self.file.is_none() {
            self.file = match ArtifactRoot::open(folder.path())?.read(&self.path) {
                Ok(file) => Some(file),
                Err(ArtifactError::Missing(_)) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
        }
        let Some(file) = &self.file else {
            return Ok(None);
        };
        let mut bytes = vec![0; MAX_READ];
        let count = file.read_at(&mut bytes, self.at)?;
        bytes.truncate(count);
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
            // A line that fills the whole buffer was not written by us; skip it.
            self.at += if count == MAX_READ { count as u64 } else { 0 };
            return Ok(None);
        };
        self.at += end as u64 + 1;
        let lines = bytes[..end].split(|byte| *byte == b'\n');
        let lines = lines.filter_map(|line| serde_json::from_slice(line).ok());
        Ok(Some(self.report(lines.collect())))
    }

    fn report(&self, lines: Vec<Value>) -> ActivityReport {
        ActivityReport {
            path: self.path.clone(),
            to: self.at,
            lines,
        }
    }
}
