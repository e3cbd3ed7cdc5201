//! The answer of `inspect`, by target.
//!
//! Owns which report each view of a run and a room shows. Called by `api`.

use serde::Serialize;
use serde_json::Value;

use super::mail::{self, CommunicationReport, MailboxReport, OutboxReport};
use super::room::{
    self, ContactsReport, PreviewsReport, RoomRoster, RoomStatusReport, RoomTimeline,
};
use super::triage::TriageReport;
use super::{
    FilesReport, Inventory, LINES, RecipeStatusReport, RunStatusReport, RuntimeReport, TailReport,
    files, status, tail,
};
use crate::actor::{self, TranscriptReport};
use crate::doctor::DoctorReport;
use crate::post;
use crate::recipe::{Imports, RecipeDoctorReport, RecipeListReport, RecipeReport};
use crate::run::{Error, RunDir, RunLog};

/// The answer, by target.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[expect(missing_docs, reason = "a variant is named after its report")]
pub enum InspectReport {
    RunStatus(Box<RunStatusReport>),
    Tail(TailReport),
    Transcript(TranscriptReport),
    Outbox(OutboxReport),
    Mailbox(MailboxReport),
    Communication(CommunicationReport),
    Files(FilesReport),
    RoomStatus(RoomStatusReport),
    Timeline(RoomTimeline),
    Previews(PreviewsReport),
    Roster(RoomRoster),
    Contacts(ContactsReport),
    Inventory(Inventory),
    Runtime(RuntimeReport),
    Triage(Box<TriageReport>),
    Doctor(Box<DoctorReport>),
    Recipe(Box<RecipeReport>),
    /// The JSON Schema of a tool's arguments.
    Schema(Value),
    Recipes(RecipeStatusReport),
    RecipeList(RecipeListReport),
    RecipeImports(Imports),
    RecipeDoctor(RecipeDoctorReport),
}

impl InspectReport {
    /// A view of a run. `tail_lines` is the number of output lines, `lines` the number of entries
    /// of all other views.
    pub fn of_run(
        place: &RunDir,
        log: &RunLog,
        view: &str,
        tail_lines: Option<usize>,
        lines: usize,
    ) -> Result<Self, Error> {
        let (id, fold) = (place.id(), log.fold());
        Ok(match view {
            "tail" => Self::Tail(tail(place, &fold.run, tail_lines.unwrap_or(LINES))?),
            "transcript" => Self::Transcript(actor::transcript(place, fold, lines)),
            "messages" => Self::Outbox(mail::messages(id, &fold.mail, lines)),
            "mailbox" => Self::Mailbox(mail::mailbox(id, None, &fold.mail, lines)),
            "communication" => Self::Communication(mail::communication(&fold.mail)),
            "artifacts" => Self::Files(files(place, &fold.run, false)?),
            "files" => Self::Files(files(place, &fold.run, true)?),
            _ => Self::RunStatus(Box::new(status(place, fold))),
        })
    }

    /// A view of the room of a run.
    pub fn of_room(place: &RunDir, log: &RunLog, view: &str, lines: usize) -> Self {
        let (run, room) = (place.id(), log.fold().mail.room());
        match view {
            "messages" => Self::Timeline(room::timeline(run, room, lines)),
            "previews" => Self::Previews(room::previews(run, room, lines)),
            "roster" => Self::Roster(room::roster(run, room, lines)),
            "contacts" => Self::Contacts(room::contacts(run, room, lines)),
            _ => Self::RoomStatus(room::room_status(run, room)),
        }
    }

    /// The same report with whole messages, if it is a queue.
    pub fn with_whole_messages(self, place: &RunDir) -> Result<Self, post::Error> {
        Ok(match self {
            Self::Mailbox(queue) => Self::Mailbox(queue.whole(place)?),
            report => report,
        })
    }
}
