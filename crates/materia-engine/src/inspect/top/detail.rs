//! One side of a run or cast, as `top` shows it.

use std::path::{Path, PathBuf};

use materia_model::message::{MailState, RoomMember};
use materia_model::name::{NameError, RunId};
use materia_model::time::Timestamp;

use super::TopContext;
use crate::cast::show::{self, CastParts, CastShowReport};
use crate::cast::{self, Folder};
use crate::inspect::{self, FilesReport, TailReport, mail, room};
use crate::post;
use crate::process::{ProcessIdentity, RunProcess, below};
use crate::run::{self, Error, RunListItem};

/// How many lines or messages are read.
const MAX_LINES: usize = 500;

/// A run or a cast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopSubject {
    /// The run with this id.
    Run(String),
    /// A cast.
    Cast {
        /// Its id.
        id: String,
        /// Its directory.
        dir: PathBuf,
        /// The process that drives it.
        driver: Option<u32>,
    },
}

/// A side of a run or cast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopSide {
    /// The end of its output.
    Tail,
    /// Its messages, or the events of a cast.
    Messages,
    /// The members and messages of its room, or the runs that drive a cast.
    Room,
    /// The files it made.
    Artifacts,
    /// Its processes.
    Processes,
}

impl TopSide {
    /// Every side.
    pub const ALL: [Self; 5] = [
        Self::Tail,
        Self::Messages,
        Self::Room,
        Self::Artifacts,
        Self::Processes,
    ];

    /// The side as it is serialized.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tail => "tail",
            Self::Messages => "messages",
            Self::Room => "room",
            Self::Artifacts => "artifacts",
            Self::Processes => "processes",
        }
    }
}

/// One side of a run or cast.
#[derive(Debug)]
pub enum TopDetail {
    /// The end of the output of a run.
    Tail(TailReport),
    /// The messages of a run.
    Messages(Vec<TopMessage>),
    /// The room of a run.
    Room {
        /// Its members.
        members: Vec<RoomMember>,
        /// Its messages.
        messages: Vec<TopMessage>,
    },
    /// The files of a run.
    Files(FilesReport),
    /// The report on a cast, with the part that belongs to the side.
    Cast(Box<CastShowReport>),
    /// The runs that drive a cast.
    Drivers(Vec<RunListItem>),
    /// The processes, parents first.
    Processes(Vec<RunProcess>),
}

/// One message, in short.
#[derive(Debug)]
pub struct TopMessage {
    /// When it was sent.
    pub at: Timestamp,
    /// Whether the run received it; false if the run sent it.
    pub received: bool,
    /// Its type.
    pub kind: String,
    /// Its sender, where it is known.
    pub from: Option<String>,
    /// Its text.
    pub text: String,
}

/// Why a side cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum TopError {
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] Error),
    /// The messages cannot be read.
    #[error(transparent)]
    Messages(#[from] post::Error),
    /// The cast cannot be read.
    #[error(transparent)]
    Cast(#[from] cast::Error),
    /// The id of the run is invalid.
    #[error(transparent)]
    Name(#[from] NameError),
}

impl TopContext {
    /// Reads one side of a run or cast.
    pub fn detail(&self, subject: &TopSubject, side: TopSide) -> Result<TopDetail, TopError> {
        match subject {
            TopSubject::Run(id) => self.run_detail(&id.parse()?, side),
            TopSubject::Cast { id, dir, driver } => self.cast_detail(id, dir, *driver, side),
        }
    }

    fn run_detail(&self, id: &RunId, side: TopSide) -> Result<TopDetail, TopError> {
        let (place, log) = inspect::open(&self.root, id, self.session.as_deref(), &self.clock)?;
        let (state, mail) = (log.state(), &log.fold().mail);
        Ok(match side {
            TopSide::Tail => TopDetail::Tail(inspect::tail(&place, state, MAX_LINES)?),
            TopSide::Messages => TopDetail::Messages(messages(id, mail)),
            TopSide::Room => {
                let said = room::timeline(id, mail.room(), MAX_LINES).messages;
                TopDetail::Room {
                    members: room::roster(id, mail.room(), MAX_LINES).members,
                    messages: said
                        .into_iter()
                        .map(|said| TopMessage {
                            at: said.received_at,
                            received: false,
                            kind: said.envelope.kind.to_string(),
                            from: said.envelope.from.as_ref().map(ToString::to_string),
                            text: said.envelope.headline(),
                        })
                        .collect(),
                }
            }
            TopSide::Artifacts => TopDetail::Files(inspect::files(&place, state, true)?),
            TopSide::Processes => TopDetail::Processes(inspect::processes(state)),
        })
    }

    fn cast_detail(
        &self,
        id: &str,
        dir: &Path,
        driver: Option<u32>,
        side: TopSide,
    ) -> Result<TopDetail, TopError> {
        let parts = CastParts {
            events: side == TopSide::Messages,
            artifacts: side == TopSide::Artifacts,
            activity: side == TopSide::Tail,
            ..CastParts::default()
        };
        Ok(match side {
            TopSide::Room => TopDetail::Drivers(self.drivers(id)?),
            TopSide::Processes => TopDetail::Processes(driver.map(processes).unwrap_or_default()),
            TopSide::Tail | TopSide::Messages | TopSide::Artifacts => {
                let shown = show::show(&Folder::open(dir)?, parts, &self.clock)?;
                TopDetail::Cast(Box::new(shown))
            }
        })
    }

    /// The runs that drive a cast.
    fn drivers(&self, cast: &str) -> Result<Vec<RunListItem>, Error> {
        let drives = |run: &RunListItem| {
            let id = run.run.parse::<RunId>().ok()?;
            let state = run::recorded(&self.root.place(&id)).ok()?;
            state.start?.cast.filter(|driven| driven.id == cast)
        };
        let mut runs = self.runs()?;
        runs.retain(|run| drives(run).is_some());
        Ok(runs)
    }
}

/// The messages that a run sent and received.
fn messages(id: &RunId, mail: &MailState) -> Vec<TopMessage> {
    let sent = mail::messages(id, mail, MAX_LINES).messages;
    let sent = sent.into_iter().map(|posted| TopMessage {
        at: posted.at,
        received: false,
        kind: posted.envelope.kind.to_string(),
        from: None,
        text: posted.envelope.headline(),
    });
    let received = mail::mailbox(id, None, mail, MAX_LINES).messages;
    let received = received.into_iter().map(|letter| {
        let entry = letter.entry;
        TopMessage {
            at: entry.queued_at,
            received: true,
            from: entry.from.map(|from| from.to_string()),
            text: format!("{} {}", entry.state.as_str(), entry.summary),
            kind: entry.kind.to_string(),
        }
    });
    sent.chain(received).collect()
}

/// A process and all its descendants.
fn processes(root: u32) -> Vec<RunProcess> {
    let root = i32::try_from(root).ok().and_then(ProcessIdentity::of);
    root.map(|root| below(&root)).unwrap_or_default()
}
