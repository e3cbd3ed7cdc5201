//! Why something was not posted, claimed or settled.

use std::io;
use std::path::PathBuf;

use materia_model::message::event::MessageHolder;
use materia_model::text;

use crate::run;
use crate::store::atomic::{DocumentReadError, WriteError};
use crate::store::dir::DirError;
use crate::store::journal::JournalError;

/// What went wrong at the post.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Too much waits already (A10).
    #[error("the mailbox of {to} is full: {queued} wait there")]
    Full {
        /// Whose.
        to: String,
        /// How many wait.
        queued: usize,
    },
    /// The run has more branches than anybody reads.
    #[error("{to} would be one branch too many for its run")]
    Crowded {
        /// The branch.
        to: String,
    },
    /// The run is over, so nobody will read it.
    #[error("{run} is not running: it is {status}")]
    Over {
        /// Which.
        run: String,
        /// How it ended.
        status: String,
    },
    /// The run was started anew since the sender looked.
    #[error("{run} was started anew: generation {found} is not {expected}")]
    Stale {
        /// Which.
        run: String,
        /// The generation that was meant.
        expected: String,
        /// The one that is there.
        found: String,
    },
    /// There is no such message.
    #[error("there is no message {} there that waits or is remembered", text::quoted(.0))]
    Unknown(String),
    /// Somebody else has it.
    #[error("message {} is claimed by process {}", text::quoted(id), by.pid)]
    Held {
        /// Which.
        id: String,
        /// By whom.
        by: MessageHolder,
    },
    /// It ended in another way already.
    #[error("message {} is {status} already", text::quoted(id))]
    Finished {
        /// Which.
        id: String,
        /// How.
        status: &'static str,
    },
    /// Another process tells the same observer.
    #[error("another `materia watch` of {whose} ({}) is running", pid.map_or_else(|| "its process is not known".to_owned(), |pid| format!("process {pid}")))]
    Watched {
        /// Whom.
        whose: String,
        /// Which process.
        pid: Option<u32>,
    },
    /// The time is over, and nothing came.
    #[error("no message came in time")]
    TimedOut,
    /// The person does not want to wait any more.
    #[error("interrupted before a message came; none was taken")]
    Interrupted,
    /// The system refused.
    #[error("cannot watch {}", text::quoted(&path.to_string_lossy()))]
    Io {
        /// What.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A directory.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// The marks of an observer cannot be read.
    #[error(transparent)]
    Unread(#[from] DocumentReadError),
    /// The marks of an observer cannot be written.
    #[error(transparent)]
    Unwritten(#[from] WriteError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// What a run left.
    #[error(transparent)]
    Run(#[from] run::Error),
}

impl Error {
    /// What the caller can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Full { to, .. } => {
                format!(
                    "wait until it has read some; see them with `materia inspect {to} --view mailbox`"
                )
            }
            Self::Crowded { .. } => "use fewer branches, or spawn another run".to_owned(),
            Self::Over { run, .. } => format!("start it anew with `materia spawn --as {run} …`"),
            Self::Stale { run, .. } => {
                format!("look at it with `materia inspect {run}` and send it again")
            }
            Self::Unknown(_) => {
                "look for it with `materia inspect run:ID --view mailbox`".to_owned()
            }
            Self::Held { .. } => {
                "whoever has it says what became of it, or ends; then it is free".to_owned()
            }
            Self::Finished { .. } => {
                "nothing is left to do; a repeated message can be dropped by its id".to_owned()
            }
            Self::Watched { .. } => "one process at a time is told; stop that one first".to_owned(),
            Self::TimedOut => "wait longer with --timeout, or for ever without".to_owned(),
            Self::Interrupted => {
                "what is sent meanwhile waits there for the next who asks".to_owned()
            }
            Self::Unread(_) => {
                "move that file away; what was told before is told once more".to_owned()
            }
            Self::Io { .. } | Self::Dir(_) | Self::Unwritten(_) => {
                "check that the disk has space and who may write there, and try again".to_owned()
            }
            Self::Journal(error) => error.hint(),
            Self::Run(error) => error.hint(),
        }
    }
}
