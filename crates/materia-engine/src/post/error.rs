//! Why a message was not posted, claimed or settled.

use std::io;
use std::path::PathBuf;

use materia_model::message::event::MessageHolder;
use materia_model::text;

use crate::run;
use crate::store::atomic::{DocumentReadError, WriteError};
use crate::store::dir::DirError;
use crate::store::journal::JournalError;

/// An error of posting, claiming or settling.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The queue is full (A10).
    #[error("the mailbox of {to} is full: {queued} wait there")]
    Full {
        /// The address of the queue.
        to: String,
        /// The number of queued messages.
        queued: usize,
    },
    /// The run has reached its maximum number of branches.
    #[error("{to} would be one branch too many for its run")]
    Crowded {
        /// The branch.
        to: String,
    },
    /// The run is over, so it will not read the message.
    #[error("{run} is not running: it is {status}")]
    Over {
        /// The id of the run.
        run: String,
        /// Its final status.
        status: String,
    },
    /// The run was restarted after the sender looked at it.
    #[error("{run} was started anew: generation {found} is not {expected}")]
    Stale {
        /// The id of the run.
        run: String,
        /// The expected generation.
        expected: String,
        /// The current generation.
        found: String,
    },
    /// The message does not exist.
    #[error("there is no message {} there that waits or is remembered", text::quoted(.0))]
    Unknown(String),
    /// Another process holds the message.
    #[error("message {} is claimed by process {}", text::quoted(id), by.pid)]
    Held {
        /// The id of the message.
        id: String,
        /// The process that holds it.
        by: MessageHolder,
    },
    /// The message was settled with another outcome.
    #[error("message {} is {status} already", text::quoted(id))]
    Finished {
        /// The id of the message.
        id: String,
        /// Its status.
        status: &'static str,
    },
    /// Another process reports to the same observer.
    #[error("another `materia watch` of {whose} ({}) is running", pid.map_or_else(|| "its process is not known".to_owned(), |pid| format!("process {pid}")))]
    Watched {
        /// The observer.
        whose: String,
        /// The other process, if known.
        pid: Option<u32>,
    },
    /// The timeout expired before a message came.
    #[error("no message came in time")]
    TimedOut,
    /// The user interrupted the wait.
    #[error("interrupted before a message came; none was taken")]
    Interrupted,
    /// An I/O error.
    #[error("cannot watch {}", text::quoted(&path.to_string_lossy()))]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A directory cannot be used.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// The marks of an observer cannot be read.
    #[error(transparent)]
    Unread(#[from] DocumentReadError),
    /// The marks of an observer cannot be written.
    #[error(transparent)]
    Unwritten(#[from] WriteError),
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The files of a run cannot be read.
    #[error(transparent)]
    Run(#[from] run::Error),
}

impl Error {
    /// A hint for the caller.
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
