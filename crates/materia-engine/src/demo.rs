//! `demo`: a whole cast in a new repository, played by a script, for somebody who has never seen
//! one.
//!
//! Owns the little project, the player, and the report of what to look at. The loadout is the one
//! that ships, the files and the commits are real; only the words of the agents come from a script.
//! Needs git and nothing else, and writes nothing outside of the demo's own directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::agent::{Failure, FailureKind, TurnEnd, Usage};
use materia_model::finding::{Finding, Source};
use materia_model::text;
use serde::Serialize;

use crate::agent::{Answer, Backend, Scripted, Turn, Watch};
use crate::cast::start::{self, CastReport};
use crate::cast::{Definition, Error as CastError, Hands, Listener};
use crate::clock::Clock;
use crate::config::Files;
use crate::process::{Cause, Command, Nursery};
use crate::store::atomic::{self, WriteError};
use crate::store::dir::{self, DirError};

/// What the demo asks for.
pub const REQUEST: &str = "Greet everybody who visits this project by name";
/// The loadout it shows.
pub const LOADOUT: &str = "Full-Auto";
/// What the agents say.
const SCRIPT: &str = include_str!("../assets/demo.json");
/// How long git may take for one step.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why there was no demo.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no git.
    #[error("the demo commits with git, and git cannot be started: {0}")]
    NoGit(String),
    /// Git refused.
    #[error("git refused to {action}: {said}")]
    Git {
        /// What it was asked for.
        action: &'static str,
        /// What it said.
        said: String,
    },
    /// The directory is not free.
    #[error("{} is there already", text::quoted(&.0.to_string_lossy()))]
    Taken(PathBuf),
    /// The directory fails.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// A file fails.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The script that ships is broken.
    #[error("the script of the demo is broken")]
    Script(Vec<Finding>),
    /// The cast could not be driven.
    #[error(transparent)]
    Cast(#[from] CastError),
}

/// What came of the demo.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Whether the cast is complete.
    pub ok: bool,
    /// The project that was made.
    pub directory: String,
    /// The cast.
    pub cast: CastReport,
    /// The commits, the newest first.
    pub commits: Vec<String>,
    /// What to try next.
    pub next: Vec<String>,
}

/// A project for the demo.
#[derive(Debug)]
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// Makes the project: in a directory that is given and free, else in a new one for temporary
    /// things.
    pub fn create(
        given: Option<&Path>,
        temporary: &Path,
        clock: &Clock,
        nursery: &mut Nursery,
    ) -> Result<Self, Error> {
        git(nursery, temporary, "say its version", &["--version"])?;
        let root = match given {
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
            nursery,
            &project.root,
            "make a repository",
            &["init", "--quiet"],
        )?;
        project.commit(nursery, "Begin")?;
        Ok(project)
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Plays the cast; `pace` is how long an agent pretends to think.
    pub fn play(
        &self,
        clock: &Clock,
        nursery: &mut Nursery,
        listener: &mut dyn Listener,
        pace: Duration,
    ) -> Result<Report, Error> {
        let definition = Definition::choose(&Files::shipped(), Some(LOADOUT))?;
        let scripted =
            Scripted::read(&Source::new("script.json", SCRIPT)).map_err(Error::Script)?;
        let mut player = Player {
            project: self,
            scripted,
            pace,
            builds: 0,
        };
        // Nothing of the environment can come into a scripted cast.
        let variables = BTreeMap::new();
        let hands = Hands {
            cwd: &self.root,
            library: None,
            home: None,
            variables: &variables,
            clock,
            agent: Some(&mut player),
            nursery,
            listener,
        };
        let cast = start::start(definition, REQUEST, hands)?;
        let log = git(
            nursery,
            &self.root,
            "list the commits",
            &["log", "--format=%h %s"],
        )?;
        let root = text::printable(&self.root.to_string_lossy()).into_owned();
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
        Ok(Report {
            ok: cast.ok,
            directory: root,
            cast,
            commits: log.lines().map(str::to_owned).collect(),
            next: next.to_vec(),
        })
    }

    fn write(&self, name: &str, text: &str) -> Result<(), WriteError> {
        atomic::write(&self.root.join(name), text.as_bytes())
    }

    fn commit(&self, nursery: &mut Nursery, title: &str) -> Result<(), Error> {
        git(nursery, &self.root, "stage the files", &["add", "--all"])?;
        git(
            nursery,
            &self.root,
            "commit",
            &["commit", "--quiet", "--message", title],
        )
        .map(drop)
    }
}

/// Plays the agents: their words come from the script, what they do is done.
struct Player<'a> {
    project: &'a Project,
    scripted: Scripted,
    pace: Duration,
    builds: usize,
}

impl Player<'_> {
    fn work(&mut self, turn: &Turn<'_>, nursery: &mut Nursery) -> Result<(), Error> {
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
            ("Maintain", Some("WI-1")) => self.project.commit(nursery, "Add the greeting"),
            ("Maintain", _) => self.project.commit(nursery, "Tell readers about it"),
            _ => Ok(()),
        }
    }
}

impl Backend for Player<'_> {
    fn ask(&mut self, turn: &Turn<'_>, nursery: &mut Nursery, watch: &mut dyn Watch) -> Answer {
        if !self.pace.is_zero() && nursery.rest(self.pace).is_some() {
            return Answer::Interrupted;
        }
        match self.work(turn, nursery) {
            Ok(()) => self.scripted.ask(turn, nursery, watch),
            Err(error) => {
                let failure = Failure::new(FailureKind::Config, error.to_string());
                Answer::Ended(TurnEnd::new(Err(failure), Usage::default()))
            }
        }
    }
}

/// Asks git for something, in a repository of ours and with nothing of the person's configuration.
fn git(
    nursery: &mut Nursery,
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
    command.deadline = Some(PATIENCE);
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
    let ended = nursery.run(command);
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
