//! Why something about a run was not done.
//!
//! Owns the errors of this room and the next step for each.

use std::error::Error as _;
use std::io;
use std::path::PathBuf;

use materia_model::run::RunStatus;
use materia_model::text;
use rustix::io::Errno;

use crate::process::SpawnError;
use crate::store::atomic::WriteError;
use crate::store::copy::CopyError;
use crate::store::dir::DirError;
use crate::store::journal::JournalError;
use crate::store::lock::LockError;

/// What went wrong with a run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such run.
    #[error("there is no run {}", text::quoted(run))]
    NotFound {
        /// The id.
        run: String,
        /// An id like it.
        close: Option<String>,
    },
    /// It was archived.
    #[error("run {} was archived to {}", text::quoted(run), text::quoted(&dir.to_string_lossy()))]
    Archived {
        /// The id.
        run: String,
        /// Where it is now.
        dir: PathBuf,
    },
    /// Its directory leads out of the directory of all runs (A8).
    #[error("{}, the directory of run {}, is a symbolic link", text::quoted(&dir.to_string_lossy()), text::quoted(run))]
    Linked {
        /// The id.
        run: String,
        /// Where the link is.
        dir: PathBuf,
    },
    /// Something else is where its directory would be.
    #[error("{}, where run {} would be, is no directory", text::quoted(&dir.to_string_lossy()), text::quoted(run))]
    InTheWay {
        /// The id.
        run: String,
        /// What is in the way.
        dir: PathBuf,
    },
    /// The id is the name of something else of ours.
    #[error("{} is no id of a run: the directory of all runs has something else of that name", text::quoted(.0))]
    Reserved(String),
    /// Another generation was meant (A3).
    #[error(
        "run {} is in generation {}, not in {}",
        text::quoted(run),
        text::quoted(current),
        text::quoted(asked)
    )]
    OtherGeneration {
        /// The id.
        run: String,
        /// The generation that was meant.
        asked: String,
        /// The last one.
        current: String,
    },
    /// An artifact cannot be kept.
    #[error(
        "the artifact {} of run {} cannot be kept",
        text::quoted(artifact),
        text::quoted(run)
    )]
    Unkept {
        /// The id.
        run: String,
        /// The artifact.
        artifact: String,
        /// Why.
        source: CopyError,
    },
    /// It belongs to another session (A9).
    #[error(
        "run:{run} reason=session_mismatch owner_session={} current_session={caller}",
        owner.as_deref().unwrap_or("none")
    )]
    SessionMismatch {
        /// The id.
        run: String,
        /// Who owns it.
        owner: Option<String>,
        /// Who asked.
        caller: String,
    },
    /// It runs, so it cannot be started.
    #[error("run {} is running{}", text::quoted(run), pid.map(|pid| format!(", supervised by process {pid}")).unwrap_or_default())]
    Active {
        /// The id.
        run: String,
        /// Its supervisor.
        pid: Option<i32>,
    },
    /// The id is taken, and a new one was wanted.
    #[error("there is a run {} already", text::quoted(.0))]
    Taken(String),
    /// Only a run that is over can be archived or pruned.
    #[error("run {} is {}; only runs that are over can be archived or pruned", text::quoted(run), status.as_str())]
    NotTerminal {
        /// The id.
        run: String,
        /// How it stands.
        status: RunStatus,
    },
    /// The supervisor could not begin.
    #[error("run {} was not started: {message}", text::quoted(run))]
    NotStarted {
        /// The id.
        run: String,
        /// Why.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The supervisor ended before it said anything.
    #[error("the supervisor of run {} ended before it could say that it runs", text::quoted(.0))]
    NoAnswer(String),
    /// The supervisor process could not be started.
    #[error("the supervisor of run {} cannot be started", text::quoted(run))]
    Spawn {
        /// The id.
        run: String,
        /// Why.
        source: SpawnError,
    },
    /// It could not be ended.
    #[error("run {} is still {} after it was told to end", text::quoted(run), status.as_str())]
    StillThere {
        /// The id.
        run: String,
        /// How it stands.
        status: RunStatus,
    },
    /// The person does not want to wait for them any more.
    #[error("interrupted; {} not waited for any more", if runs.len() == 1 { "the run is" } else { "the runs are" })]
    Interrupted {
        /// The ids.
        runs: Vec<String>,
    },
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The lock.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A directory.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// A document.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The system refused.
    #[error("cannot {action} {}", text::quoted(&path.to_string_lossy()))]
    Io {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// What the person can do about it.
    pub fn hint(&self) -> String {
        if self.is_out_of_descriptors() {
            return "too many files are open: raise the limit with `ulimit -n`, or do less at once"
                .to_owned();
        }
        match self {
            Self::NotFound { close: Some(close), .. } => format!("did you mean run:{close}?"),
            Self::NotFound { .. } => "list runs with `materia inspect session:all`".to_owned(),
            Self::Archived { run, .. } => format!("read it there, or start it anew with `--as run:{run}`"),
            Self::Linked { dir, .. } => {
                let (dir, to) = (dir.display(), "a run is never followed out of the directory of all runs");
                format!("remove or rename {dir}: {to}")
            }
            Self::InTheWay { dir, .. } => {
                format!("move {} away, or choose another id with --as", dir.display())
            }
            Self::Reserved(_) => "choose another id with --as".to_owned(),
            Self::OtherGeneration { run, .. } => {
                format!("nothing was changed; see what runs now with `materia inspect run:{run}`")
            }
            Self::Unkept { .. } => {
                "nothing was removed: mend that and try again, or prune it without preserve_artifacts"
                    .to_owned()
            }
            Self::SessionMismatch { owner: Some(owner), .. } => {
                format!("materia inspect session:{owner} --session {owner}")
            }
            Self::SessionMismatch { .. } => "a person owns it: ask without a session".to_owned(),
            Self::Active { run, .. } => {
                format!(
                    "stop it with `materia message run:{run} control.kill`, or choose another id with --as"
                )
            }
            Self::Taken(_) => "choose another id with --as".to_owned(),
            Self::NotTerminal { run, .. } => format!("materia message run:{run} control.kill"),
            Self::NotStarted { hint, .. } => hint.clone(),
            Self::NoAnswer(_) => "try again, and see `materia doctor` if it stays so".to_owned(),
            Self::Spawn { source, .. } => {
                source.hint().map_or_else(|| "see `materia doctor`".to_owned(), |hint| hint.to_string())
            }
            Self::StillThere { run, .. } => format!("look at it with `materia inspect run:{run}`"),
            Self::Interrupted { runs } => {
                let they = if runs.len() == 1 { "it goes" } else { "they go" };
                let runs: String = runs.iter().map(|run| format!(" run:{run}")).collect();
                format!("{they} on; wait again with `materia wait{runs}`")
            }
            Self::Journal(error) => error.hint(),
            Self::Lock(error) => error.hint().to_owned(),
            Self::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                "it is somebody else's, or its mode keeps you out: see `ls -ld` of it, or ask its owner"
                    .to_owned()
            }
            Self::Dir(_) | Self::Write(_) | Self::Io { .. } => {
                "check that the disk has space and who may write there, and try again".to_owned()
            }
        }
    }

    /// What it says, with everything that led to it.
    pub fn with_causes(&self) -> String {
        let causes = std::iter::successors(self.source(), |cause| (*cause).source());
        causes.fold(self.to_string(), |text, cause| format!("{text}: {cause}"))
    }

    /// Whether it went wrong because there is no room on the disk.
    pub(super) fn is_full_disk(&self) -> bool {
        self.system_said(|error| {
            matches!(
                error.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            )
        })
    }

    fn is_out_of_descriptors(&self) -> bool {
        let spent = [Errno::MFILE, Errno::NFILE].map(Errno::raw_os_error);
        self.system_said(|error| {
            error
                .raw_os_error()
                .is_some_and(|code| spent.contains(&code))
        })
    }

    fn system_said(&self, what: impl Fn(&io::Error) -> bool) -> bool {
        let first: &(dyn std::error::Error + 'static) = self;
        std::iter::successors(Some(first), |error| (*error).source())
            .filter_map(|error| error.downcast_ref::<io::Error>())
            .any(what)
    }

    pub(super) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}
