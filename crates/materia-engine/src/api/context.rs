//! The handle of a front end: what the process was started with, and what follows from it.
//!
//! Owns the rules that every method shares: where the user's files are, which directory is the
//! project, where temporary files go, and which session calls. Reads no file until a method needs
//! one.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::Duration;

use materia_model::name::RunId;

use super::{ApiError, ErrorKind, session_id};
use crate::clock::Clock;
use crate::home::{Home, HomeVariables, NoHome};
use crate::library::Library;
use crate::process::{Cancellation, Interrupts};
use crate::recipe::SourceContext;
use crate::run::RunRoot;
use crate::utility::launcher;
use crate::utility::step::RecipeStep;

/// What a process was started with, as far as the engine uses it.
#[derive(Debug)]
pub struct Environment {
    /// The environment variables.
    pub variables: BTreeMap<OsString, OsString>,
    /// The working directory, which may have been deleted.
    pub cwd: io::Result<PathBuf>,
    /// The steps of recipes that come with the program.
    pub steps: &'static [RecipeStep],
}

/// Everything that can be asked for; clones share what they were made from.
#[derive(Debug, Clone)]
pub struct Engine {
    environment: Arc<Environment>,
    clock: Clock,
    caller: Caller,
    cancellation: Option<Cancellation>,
    launchers: Arc<Once>,
}

/// On whose behalf a method acts (A9).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Caller {
    /// The session; the operator has none.
    pub session: Option<String>,
    /// The run that the caller is a part of.
    pub run: Option<RunId>,
}

impl Caller {
    /// Whether it is the operator: no session, and not from inside a run.
    pub fn is_operator(&self) -> bool {
        *self == Self::default()
    }
}

impl Engine {
    /// An engine for a process that was started like this. It acts for the session and the run that
    /// the environment names.
    pub fn new(environment: Environment) -> Self {
        let text = |name| {
            let value = environment.variables.get(OsStr::new(name))?.to_str()?;
            (!value.is_empty()).then(|| value.to_owned())
        };
        let caller = Caller {
            session: text("MATERIA_SESSION"),
            run: text("MATERIA_RUN").and_then(|run| run.parse().ok()),
        };
        Self {
            clock: clock(&environment.variables),
            environment: Arc::new(environment),
            caller,
            cancellation: None,
            launchers: Arc::new(Once::new()),
        }
    }

    /// Brings the launchers in the profile up to date, once for all clones of this engine (C18).
    pub(crate) fn sync_launchers(&self, home: &Home) {
        self.launchers.call_once(|| {
            // A home that is read-only has none, and no command of ours starts one.
            let _read_only = launcher::sync(home);
        });
    }

    /// The same engine on behalf of another caller, such as one of several sessions of a server.
    #[must_use]
    pub fn on_behalf_of(&self, caller: Caller) -> Self {
        Self {
            caller,
            ..self.clone()
        }
    }

    /// The same engine, whose blocking calls return when this is cancelled. Without one, signals to
    /// the process interrupt them.
    #[must_use]
    pub fn cancelled_by(&self, cancellation: Cancellation) -> Self {
        Self {
            cancellation: Some(cancellation),
            ..self.clone()
        }
    }

    /// The same where a call may be stuck in the observer: the process ends all the same when it
    /// does not notice a signal within this time.
    pub(crate) fn interrupts_within(&self, patience: Duration) -> Interrupts {
        match &self.cancellation {
            Some(cancellation) => Interrupts::cancelled_by(cancellation.clone()),
            None => Interrupts::catch_for(patience),
        }
    }

    /// Blocks until a signal asks this process to stop, or until the call is cancelled.
    pub fn wait_for_interrupt(&self) {
        self.interrupts().wait();
    }

    /// The same engine, for a process in which this variable is not set.
    pub(crate) fn without_variable(&self, name: &str) -> Self {
        let environment = &self.environment;
        let mut variables = environment.variables.clone();
        variables.remove(OsStr::new(name));
        let cwd = environment.cwd.as_ref().map(Clone::clone);
        Self {
            environment: Arc::new(Environment {
                variables,
                cwd: cwd.map_err(|error| io::Error::new(error.kind(), error.to_string())),
                steps: environment.steps,
            }),
            ..self.clone()
        }
    }

    /// What interrupts a blocking call.
    pub(crate) fn interrupts(&self) -> Interrupts {
        match &self.cancellation {
            Some(cancellation) => Interrupts::cancelled_by(cancellation.clone()),
            None => Interrupts::catch(),
        }
    }

    /// The clock that every method uses.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The caller. `requested` replaces its session, even where it is empty, so that an unset
    /// variable in `--session "$X"` does not make the caller the operator.
    pub(crate) fn caller(&self, requested: Option<&str>) -> Result<Caller, ApiError> {
        let caller = Caller {
            session: requested
                .map(str::to_owned)
                .or_else(|| self.caller.session.clone()),
            run: self.caller.run.clone(),
        };
        if let Some(session) = &caller.session {
            // Directories are named after sessions.
            session_id(session)?;
        }
        Ok(caller)
    }

    /// The caller without a session of the request.
    pub(crate) fn inherited_caller(&self) -> &Caller {
        &self.caller
    }

    /// The run that the caller is a part of.
    pub(crate) fn calling_run(&self) -> Option<&RunId> {
        self.caller.run.as_ref()
    }

    /// Whether the operator calls: no session, and not from inside a run.
    pub(crate) fn is_operator(&self) -> bool {
        self.caller.is_operator()
    }

    /// The steps of recipes that come with the program.
    pub(crate) fn steps(&self) -> &'static [RecipeStep] {
        self.environment.steps
    }

    /// An environment variable that is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        let value = self.environment.variables.get(OsStr::new(name))?;
        (!value.is_empty()).then_some(value.as_os_str())
    }

    /// All environment variables.
    pub(crate) fn variables(&self) -> &BTreeMap<OsString, OsString> {
        &self.environment.variables
    }

    /// What `~` means.
    pub(crate) fn user_home(&self) -> Option<&Path> {
        self.variable("HOME").map(Path::new)
    }

    /// The user's directories.
    pub(crate) fn home(&self) -> Result<Home, NoHome> {
        let path = |name| self.variable(name).map(PathBuf::from);
        Home::locate(&HomeVariables {
            home: path("HOME"),
            materia_home: path("MATERIA_HOME"),
            agent_dir: path("PI_CODING_AGENT_DIR"),
            profile_dir: path("PI_MATERIA_PROFILE_DIR"),
            config_home: path("XDG_CONFIG_HOME"),
        })
    }

    /// The directory of all runs.
    pub(crate) fn runs(&self) -> Result<RunRoot, ApiError> {
        Ok(RunRoot::new(self.home()?.runs()))
    }

    /// Where recipes are looked for.
    pub(crate) fn library(&self) -> Result<Library, ApiError> {
        Ok(Library::new(&self.home()?, self.user_home()))
    }

    /// The working directory, or why it cannot be used.
    pub(crate) fn cwd(&self) -> Result<&Path, &io::Error> {
        self.environment.cwd.as_deref()
    }

    /// The working directory, or the root of the file system where it was deleted.
    pub(crate) fn cwd_or_root(&self) -> &Path {
        let cwd = self.environment.cwd.as_deref();
        cwd.unwrap_or_else(|_| Path::new("/"))
    }

    /// Where the names and paths of a request are looked up.
    pub(crate) fn source_context(&self) -> SourceContext<'_> {
        let home = self.home();
        SourceContext {
            library: home.map(|home| Library::new(&home, self.user_home())),
            cwd: self.cwd().ok(),
        }
    }

    /// The directory of the project.
    pub(crate) fn project(&self) -> Result<&Path, ApiError> {
        self.environment.cwd.as_deref().map_err(|error| {
            let message = format!("the working directory is gone: {error}");
            ApiError::new(ErrorKind::Invalid, "no_directory", message)
                .hint("change to a directory that exists, or name one with `-C`")
        })
    }

    /// A path that a caller named, relative to the working directory.
    pub(crate) fn path(&self, named: &Path) -> PathBuf {
        self.environment
            .cwd
            .as_ref()
            .map_or_else(|_| named.to_owned(), |cwd| cwd.join(named))
    }

    /// Where output that does not fit into memory is spooled.
    pub(crate) fn spool(&self) -> PathBuf {
        self.variable("TMPDIR")
            .map(PathBuf::from)
            .filter(|dir| dir.is_dir())
            .unwrap_or_else(|| "/tmp".into())
    }
}

/// The clock of a process with these variables. In test builds `MATERIA_TEST_CLOCK` stops it.
#[cfg_attr(
    not(feature = "testing"),
    expect(unused_variables, reason = "only test builds stop the clock")
)]
pub(super) fn clock(variables: &BTreeMap<OsString, OsString>) -> Clock {
    #[cfg(feature = "testing")]
    if let Some(moment) = variables.get(OsStr::new("MATERIA_TEST_CLOCK"))
        && let Some(Ok(moment)) = moment.to_str().map(str::parse)
    {
        return Clock::fixed(moment);
    }
    Clock::system()
}
