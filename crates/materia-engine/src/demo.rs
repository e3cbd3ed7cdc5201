//! `demo`: a complete cast in a new repository, played by a script, for new users.
//!
//! Owns the example project, its scripted agent, and the report with the next commands. The loadout
//! is a shipped one; the files and the commits are real. Only the texts of the agents come from a
//! script. Needs only git, and writes nothing outside of the demo's own directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::agent::{AgentFailure, AgentFailureKind, TurnOutcome, Usage};
use materia_model::finding::{Finding, Source};
use materia_model::loadout::Graph;
use materia_model::text;
use serde::Serialize;

use crate::agent::{AgentTurn, Answer, Backend, Scripted, Watch};
use crate::cast::start::{self, CastReport};
use crate::cast::{CastContext, CastObserver, Definition, Error as CastError};
use crate::clock::Clock;
use crate::config::ConfigFiles;
use crate::process::{Cause, Command, ProcessSet};
use crate::store::atomic::{self, WriteError};
use crate::store::dir::{self, DirError};

/// The request of the demo.
const REQUEST: &str = "Greet everybody who visits this project by name";
/// The loadout it shows.
const LOADOUT: &str = "Full-Auto";
/// The replies of the agents.
const SCRIPT: &str = include_str!("../assets/demo.json");
/// How long git may take for one step.
const GIT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long an agent appears to think when a user watches.
const THINKING_TIME: Duration = Duration::from_millis(250);

/// Why the demo did not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no git.
    #[error("the demo commits with git, and git cannot be started: {0}")]
    NoGit(String),
    /// A git command failed.
    #[error("git refused to {action}: {said}")]
    Git {
        /// The operation.
        action: &'static str,
        /// Its error output.
        said: String,
    },
    /// The directory exists already.
    #[error("{} is there already", text::quoted(&.0.to_string_lossy()))]
    Taken(PathBuf),
    /// The directory cannot be created.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The shipped script is invalid.
    #[error("the script of the demo is broken")]
    Script(Vec<Finding>),
    /// The cast could not be driven.
    #[error(transparent)]
    Cast(#[from] CastError),
}

/// The result of the demo.
#[derive(Debug, Serialize)]
pub struct DemoReport {
    /// Whether the cast is complete.
    pub ok: bool,
    /// The directory of the project.
    pub directory: String,
    /// The cast.
    pub cast: CastReport,
    /// The commits, the newest first.
    pub commits: Vec<String>,
    /// Commands to try next.
    pub next: Vec<String>,
}

/// The beginning of the demo.
#[derive(Debug)]
pub struct DemoOpening<'a> {
    /// The request.
    pub request: &'static str,
    /// The loadout.
    pub graph: &'a Graph,
    /// The directory of the project.
    pub directory: &'a Path,
}

/// Observes the demo.
pub trait DemoObserver: CastObserver {
    /// The project exists and the cast is about to begin.
    fn opening(&mut self, opening: &DemoOpening<'_>);
}

/// Runs a cast in a new project: in `directory`, which must not exist, else in a new directory
/// below `temporary`. `paced` makes agents appear to think.
pub fn demo(
    directory: Option<&Path>,
    temporary: &Path,
    paced: bool,
    clock: &Clock,
    processes: &mut ProcessSet,
    observer: &mut dyn DemoObserver,
) -> Result<DemoReport, Error> {
    let project = Project::create(directory, temporary, clock, processes)?;
    let definition = Definition::choose(&ConfigFiles::shipped(), Some(LOADOUT), None)?;
    observer.interrupts(processes.interrupted());
    observer.opening(&DemoOpening {
        request: REQUEST,
        graph: definition.graph(),
        directory: &project.root,
    });
    let cast = project.cast(definition, paced, clock, processes, observer)?;
    let log = git(
        processes,
        &project.root,
        "list the commits",
        &["log", "--format=%h %s"],
    )?;
    let next = [
        "materia status".to_owned(),
        "materia cast-show --artifacts".to_owned(),
        format!(
            "materia fork {} --at 6 --agent-script script.json",
            cast.cast_id
        ),
        format!("materia grid {LOADOUT}"),
        "git log --stat".to_owned(),
    ];
    Ok(DemoReport {
        ok: cast.ok,
        directory: text::printable(&project.root.to_string_lossy()).into_owned(),
        cast,
        commits: log.lines().map(str::to_owned).collect(),
        next: next.to_vec(),
    })
}

/// The example project.
struct Project {
    root: PathBuf,
}

impl Project {
    fn create(
        directory: Option<&Path>,
        temporary: &Path,
        clock: &Clock,
        processes: &mut ProcessSet,
    ) -> Result<Self, Error> {
        git(processes, temporary, "say its version", &["--version"])?;
        let root = match directory {
            Some(path) => path.to_owned(),
            None => temporary.join(format!("materia-demo-{}", clock.fresh_id())),
        };
        if !dir::create_new(&root)? {
            return Err(Error::Taken(root));
        }
        let project = Self { root };
        project.write(
            "README.md",
            "# Visitors\n\nA project that welcomes people.\n",
        )?;
        project.write("script.json", SCRIPT)?;
        git(
            processes,
            &project.root,
            "make a repository",
            &["init", "--quiet"],
        )?;
        project.commit(processes, "Begin")?;
        Ok(project)
    }

    fn cast(
        &self,
        definition: Definition,
        paced: bool,
        clock: &Clock,
        processes: &mut ProcessSet,
        observer: &mut dyn CastObserver,
    ) -> Result<CastReport, Error> {
        let scripted =
            Scripted::read(&Source::new("script.json", SCRIPT)).map_err(Error::Script)?;
        let agent = DemoAgent {
            project: self,
            scripted,
            thinking_time: if paced { THINKING_TIME } else { Duration::ZERO },
            builds: 0,
        };
        let context = CastContext {
            cwd: self.root.clone(),
            home: None,
            // A scripted cast cannot contain secrets of the environment.
            variables: &BTreeMap::new(),
            clock,
            library: None,
            agent: Some(Box::new(agent)),
            processes,
            observer,
        };
        Ok(start::start(definition, REQUEST, context, |_| Ok(()))?)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), WriteError> {
        atomic::write(&self.root.join(name), text.as_bytes())
    }

    fn commit(&self, processes: &mut ProcessSet, title: &str) -> Result<(), Error> {
        git(processes, &self.root, "stage the files", &["add", "--all"])?;
        git(
            processes,
            &self.root,
            "commit",
            &["commit", "--quiet", "--message", title],
        )
        .map(drop)
    }
}

/// The agents of the demo: their texts come from the script, their changes to files are real.
struct DemoAgent<'a> {
    project: &'a Project,
    scripted: Scripted,
    thinking_time: Duration,
    builds: usize,
}

impl DemoAgent<'_> {
    fn work(&mut self, turn: &AgentTurn<'_>, processes: &mut ProcessSet) -> Result<(), Error> {
        match (turn.materia, turn.item) {
            ("Build", _) => {
                self.builds += 1;
                match self.builds {
                    1 => self.project.write("greeting.txt", "Helo, {name}! Good to see you.\n")?,
                    2 => self.project.write("greeting.txt", "Hello, {name}! Good to see you.\n")?,
                    _ => self.project.write(
                        "README.md",
                        "# Visitors\n\nA project that welcomes people.\n\nWhat they are told is in `greeting.txt`.\n",
                    )?,
                }
                Ok(())
            }
            ("Maintain", Some("WI-1")) => self.project.commit(processes, "Add the greeting"),
            ("Maintain", _) => self.project.commit(processes, "Tell readers about it"),
            _ => Ok(()),
        }
    }
}

impl Backend for DemoAgent<'_> {
    fn ask(
        &mut self,
        turn: &AgentTurn<'_>,
        processes: &mut ProcessSet,
        watch: &mut dyn Watch,
    ) -> Answer {
        if !self.thinking_time.is_zero() && processes.rest(self.thinking_time).is_some() {
            return Answer::Interrupted;
        }
        match self.work(turn, processes) {
            Ok(()) => self.scripted.ask(turn, processes, watch),
            Err(error) => {
                let failure = AgentFailure::new(AgentFailureKind::Config, error.to_string());
                Answer::Ended(TurnOutcome::new(Err(failure), Usage::default()))
            }
        }
    }
}

/// Runs git in the demo's repository, without the user's configuration.
fn git(
    processes: &mut ProcessSet,
    at: &Path,
    action: &'static str,
    words: &[&str],
) -> Result<String, Error> {
    let own = [
        "git",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "user.name=materia demo",
        "-c",
        "user.email=demo@localhost",
        "-c",
        "commit.gpgSign=false",
    ];
    let mut command = Command::new(own.iter().chain(words).copied());
    command.cwd = Some(at.to_owned());
    command.deadline = Some(GIT_TIMEOUT);
    command
        .env
        .set("GIT_CONFIG_GLOBAL", "/dev/null")
        .set("GIT_CONFIG_NOSYSTEM", "1");
    for theirs in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
    ] {
        command.env.remove(theirs);
    }
    let ended = processes.run(command);
    match &ended.cause {
        Cause::NotStarted(why) => Err(Error::NoGit(why.to_string())),
        _ if ended.success() => Ok(String::from_utf8_lossy(&ended.stdout.bytes).into_owned()),
        _ => {
            let said = String::from_utf8_lossy(&ended.stderr.bytes)
                .trim()
                .to_owned();
            Err(Error::Git {
                action,
                said: text::bounded(&said, 400).into_owned(),
            })
        }
    }
}
