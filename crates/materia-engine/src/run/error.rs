//! Errors of run operations.
//!
//! Owns the errors of this module and a hint for each.

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

/// An error of an operation on a run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The run does not exist.
    #[error("there is no run {}", text::quoted(run))]
    NotFound {
        /// The id of the run.
        run: String,
        /// A similar id.
        close: Option<String>,
    },
    /// The run was archived.
    #[error("run {} was archived to {}", text::quoted(run), text::quoted(&dir.to_string_lossy()))]
    Archived {
        /// The id of the run.
        run: String,
        /// Its directory in the archive.
        dir: PathBuf,
    },
    /// Its directory is a symbolic link, which leads out of the runs root (A8).
    #[error("{}, the directory of run {}, is a symbolic link", text::quoted(&dir.to_string_lossy()), text::quoted(run))]
    Linked {
        /// The id of the run.
        run: String,
        /// The path of the link.
        dir: PathBuf,
    },
    /// Its path exists and is not a directory.
    #[error("{}, where run {} would be, is no directory", text::quoted(&dir.to_string_lossy()), text::quoted(run))]
    InTheWay {
        /// The id of the run.
        run: String,
        /// The path.
        dir: PathBuf,
    },
    /// The id is a reserved name in the runs root.
    #[error("{} is no id of a run: the directory of all runs has something else of that name", text::quoted(.0))]
    Reserved(String),
    /// The request was for another generation (A3).
    #[error(
        "run {} is in generation {}, not in {}",
        text::quoted(run),
        text::quoted(current),
        text::quoted(asked)
    )]
    OtherGeneration {
        /// The id of the run.
        run: String,
        /// The requested generation.
        asked: String,
        /// The current generation.
        current: String,
    },
    /// An artifact cannot be copied.
    #[error(
        "the artifact {} of run {} cannot be kept",
        text::quoted(artifact),
        text::quoted(run)
    )]
    Unkept {
        /// The id of the run.
        run: String,
        /// The name of the artifact.
        artifact: String,
        /// The cause.
        source: CopyError,
    },
    /// The run belongs to another session (A9).
    #[error(
        "run:{run} reason=session_mismatch owner_session={} current_session={caller}",
        owner.as_deref().unwrap_or("none")
    )]
    SessionMismatch {
        /// The id of the run.
        run: String,
        /// The session that owns it.
        owner: Option<String>,
        /// The session of the caller.
        caller: String,
    },
    /// The run is active, so it cannot be started.
    #[error("run {} is running{}", text::quoted(run), pid.map(|pid| format!(", supervised by process {pid}")).unwrap_or_default())]
    Active {
        /// The id of the run.
        run: String,
        /// The pid of its supervisor.
        pid: Option<i32>,
    },
    /// The id is in use, and the caller requires a new run.
    #[error("there is a run {} already", text::quoted(.0))]
    Taken(String),
    /// Only a run that is over can be archived or pruned.
    #[error("run {} is {}; only runs that are over can be archived or pruned", text::quoted(run), status.as_str())]
    NotTerminal {
        /// The id of the run.
        run: String,
        /// Its status.
        status: RunStatus,
    },
    /// The supervisor failed to start.
    #[error("run {} was not started: {message}", text::quoted(run))]
    NotStarted {
        /// The id of the run.
        run: String,
        /// The cause.
        message: String,
        /// A hint for the user.
        hint: String,
    },
    /// The supervisor exited before it reported that it runs.
    #[error("the supervisor of run {} ended before it could say that it runs", text::quoted(.0))]
    NoAnswer(String),
    /// The supervisor process could not be spawned.
    #[error("the supervisor of run {} cannot be started", text::quoted(run))]
    Spawn {
        /// The id of the run.
        run: String,
        /// The cause.
        source: SpawnError,
    },
    /// The run could not be ended.
    #[error("run {} is still {} after it was told to end", text::quoted(run), status.as_str())]
    StillThere {
        /// The id of the run.
        run: String,
        /// Its status.
        status: RunStatus,
    },
    /// The user interrupted the wait.
    #[error("interrupted; {} not waited for any more", if runs.len() == 1 { "the run is" } else { "the runs are" })]
    Interrupted {
        /// The ids of the runs.
        runs: Vec<String>,
    },
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The lock cannot be taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A directory cannot be used.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// A document cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// An I/O error.
    #[error("cannot {action} {}", text::quoted(&path.to_string_lossy()))]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Error {
    /// A hint for the user.
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

    /// The message, followed by all causes.
    pub fn with_causes(&self) -> String {
        let causes = std::iter::successors(self.source(), |cause| (*cause).source());
        causes.fold(self.to_string(), |text, cause| format!("{text}: {cause}"))
    }

    /// Whether the cause is a full disk.
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
