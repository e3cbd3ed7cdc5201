//! All reports on one run except its output.
//!
//! Owns the document of the browser's run page and of the terminal inspector.

use serde::Serialize;

use super::mail::{self, MailboxReport, OutboxReport};
use super::room::{self, RoomRoster, RoomTimeline};
use super::{RunStatusReport, processes, status};
use crate::process::RunProcess;
use crate::run::{RunDir, RunLog};

/// Everything about one run but what it writes, which comes live.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RunReport"))]
pub struct RunOverviewReport {
    /// How it stands.
    pub status: RunStatusReport,
    /// What it said to its coordinator.
    pub messages: OutboxReport,
    /// What was said in its room.
    pub room: RoomTimeline,
    /// Who is in its room.
    pub roster: RoomRoster,
    /// What waits for it, and what it took.
    pub mailbox: MailboxReport,
    /// Its processes, the supervisor first.
    pub processes: Vec<RunProcess>,
}

/// Collects all reports on a run, with at most `lines` entries each.
pub fn overview(place: &RunDir, log: &RunLog, lines: usize) -> RunOverviewReport {
    let (id, fold) = (place.id(), log.fold());
    RunOverviewReport {
        status: status(place, fold),
        messages: mail::messages(id, &fold.mail, lines),
        room: room::timeline(id, fold.mail.room(), lines),
        roster: room::roster(id, fold.mail.room(), lines),
        mailbox: mail::mailbox(id, None, &fold.mail, lines),
        processes: processes(&fold.run),
    }
}
