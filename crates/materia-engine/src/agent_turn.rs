//! `agent`: one turn of an agent, from the shell or a recipe, and the list of agents.
//!
//! Owns a single turn, its report, and named sessions: which agent a session belongs to and what
//! continues it. A config that a repository brings neither chooses nor defines an agent before it
//! is trusted (S1).

mod attach;
mod context;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::agent::{AgentFailure, AgentFailureKind, TurnKind, Usage};
use materia_model::loadout::{Config, ConfigLayer, ConfigScope, ConfigSettings};
use materia_model::materia::AgentTools;
use materia_model::text;
use serde::{Deserialize, Serialize, Serializer};

pub use attach::attach;
pub use context::add_context;

use crate::agent::{
    Activity, AgentMemory, AgentTurn, Answer, Backend, ChoiceReason, KNOWN, MissingAgent, Players,
    Roster, TurnCommand, Watch,
};
use crate::config::ConfigFiles;
use crate::home::Home;
use crate::process::ProcessSet;
use crate::store::{atomic, dir};
use crate::trust::{TrustObserver, project};

/// The format number of a session's document.
const FORMAT: u32 = 1;

/// One turn of an agent.
#[derive(Debug)]
pub struct TurnRequest<'a> {
    /// The prompt.
    pub prompt: &'a str,
    /// Text added to its instructions.
    pub system: Option<&'a str>,
    /// The tools it may use.
    pub tools: &'a AgentTools,
    /// The model.
    pub model: Option<&'a str>,
    /// How hard it thinks.
    pub thinking: Option<&'a str>,
    /// The directory of a named session.
    pub session: Option<PathBuf>,
    /// How long it may take.
    pub timeout: Duration,
    /// Its working directory.
    pub cwd: &'a Path,
}

/// A front end that follows a turn.
pub trait AgentObserver: TrustObserver {
    /// The agent did something.
    fn activity(&mut self, _activity: &Activity) {}
}

impl AgentObserver for () {}

/// Passes the activity of a turn to an observer.
struct Follower<'a>(&'a mut dyn AgentObserver);

impl Watch for Follower<'_> {
    fn see(&mut self, activity: &Activity) -> TurnCommand {
        self.0.activity(activity);
        TurnCommand::GoOn
    }
}

/// The result of a turn.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentReport {
    /// Whether there is an answer.
    pub ok: bool,
    /// Whether there is an answer, or what kind of failure it was.
    pub outcome: AgentOutcome,
    /// The agent that played the turn.
    pub agent: String,
    /// The answer.
    pub text: String,
    /// What all model calls used.
    pub usage: Usage,
    /// The same by model.
    pub models: BTreeMap<String, Usage>,
    /// The agent's own id to continue the conversation.
    pub session: Option<String>,
    /// Why there is no answer.
    pub error: Option<AgentFailure>,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentOutcome {
    /// With an answer.
    Answered,
    /// With a failure of this kind.
    Failed(AgentFailureKind),
}

impl AgentOutcome {
    /// The word for it in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "ok",
            Self::Failed(kind) => kind.as_str(),
        }
    }
}

impl Serialize for AgentOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Why there was no turn at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such agent.
    #[error(transparent)]
    Missing(#[from] MissingAgent),
    /// The session belongs to another agent.
    #[error("the session {} belongs to the agent `{owner}`", .session.display())]
    Foreign {
        /// The session.
        session: PathBuf,
        /// Its agent.
        owner: String,
    },
    /// The directory of the session cannot be created.
    #[error("the session cannot be kept")]
    Dir(#[from] dir::DirError),
    /// The session cannot be read.
    #[error("the session cannot be read")]
    Unreadable(#[from] atomic::DocumentReadError),
    /// The session cannot be written.
    #[error("the session cannot be kept")]
    Session(#[from] atomic::WriteError),
    /// Too many files are attached.
    #[error("{count} files are attached, at most {} are", attach::MAX_FILES)]
    TooManyFiles {
        /// How many.
        count: usize,
    },
    /// A file cannot be attached.
    #[error("{} cannot be attached: {error}", text::quoted(.name))]
    Attachment {
        /// The file, as given.
        name: String,
        /// Why.
        error: std::io::Error,
    },
    /// The user interrupted it.
    #[error("interrupted; nothing was left running")]
    Interrupted,
}

/// The document of a named session.
#[derive(Debug, Serialize, Deserialize)]
struct SessionDocument {
    agent: String,
    handle: Option<String>,
}

/// The agent settings outside of a cast: the same config layers as in a cast, as far as they are
/// trusted.
#[derive(Debug)]
pub struct AgentConfig {
    /// The settings.
    pub settings: ConfigSettings,
    /// The file that names the default agent.
    pub named_in: Option<String>,
    /// The project's config, where it names agents and is not trusted.
    pub untrusted: Option<String>,
}

/// Reads the agent settings from the config files. Ignores an untrusted config of a repository
/// (S1), unless the caller trusts everything.
pub fn agent_config(
    files: &ConfigFiles,
    home: Option<&Home>,
    trusts_everything: bool,
) -> AgentConfig {
    let trusted = trusts_everything || project::require(files, home).is_ok();
    let counts = |layer: &&ConfigLayer| trusted || layer.scope != ConfigScope::Project;
    let layers: Vec<ConfigLayer> = files.layers().iter().filter(counts).cloned().collect();
    let settings = Config::load(&layers).settings().clone();
    let says = |layer: &ConfigLayer| Config::load(std::slice::from_ref(layer)).settings().clone();
    let file = |layer: &ConfigLayer| layer.document.source().name().to_owned();
    let named_in = layers
        .iter()
        .rev()
        .find(|layer| says(layer).agent.is_some())
        .map(file);
    let left_out = files
        .layers()
        .iter()
        .filter(|layer| !counts(layer))
        .find(|layer| {
            let said = says(layer);
            said.agent.is_some() || !said.agents.is_empty()
        });
    AgentConfig {
        settings,
        named_in,
        untrusted: left_out.map(file),
    }
}

/// Plays one turn.
pub fn run(
    request: &TurnRequest<'_>,
    roster: &Roster,
    processes: &mut ProcessSet,
    observer: &mut dyn AgentObserver,
) -> Result<AgentReport, Error> {
    let chosen = roster.choose(None)?;
    let kept = request
        .session
        .as_deref()
        .map(|folder| open_session(folder, &chosen.name))
        .transpose()?;
    let memory = match (&request.session, &kept) {
        (Some(folder), Some(kept)) => AgentMemory::Kept {
            folder,
            from: kept.handle.as_deref(),
        },
        _ => AgentMemory::None,
    };
    let turn = AgentTurn {
        socket: "agent",
        materia: "agent",
        item: None,
        kind: TurnKind::Work,
        prompt: request.prompt,
        system: request.system,
        tools: request.tools,
        model: request.model,
        thinking: request.thinking,
        agent: Some(&chosen.name),
        memory,
        timeout: request.timeout,
        cwd: request.cwd,
    };
    let end = match Players::new(roster.clone()).ask(&turn, processes, &mut Follower(observer)) {
        Answer::Ended(end) => end,
        Answer::Interrupted => return Err(Error::Interrupted),
    };
    let (text, error) = match end.reply {
        Ok(text) if text.trim().is_empty() => (
            text,
            Some(AgentFailure::new(
                AgentFailureKind::Empty,
                "the answer is empty",
            )),
        ),
        Ok(text) => (text, None),
        Err(failure) => (String::new(), Some(failure)),
    };
    if let (Some(folder), Some(handle)) = (&request.session, &end.session) {
        let kept = SessionDocument {
            agent: chosen.name.clone(),
            handle: Some(handle.clone()),
        };
        atomic::write_json(&folder.join("session.json"), FORMAT, &kept)?;
    }
    let failure = error.as_ref().map(|failure| failure.kind);
    Ok(AgentReport {
        ok: error.is_none(),
        outcome: failure.map_or(AgentOutcome::Answered, AgentOutcome::Failed),
        agent: chosen.name,
        text,
        usage: end.usage,
        models: end.models,
        session: end.session,
        error,
    })
}

/// The document of a session; the session is created if it does not exist.
fn open_session(folder: &Path, agent: &str) -> Result<SessionDocument, Error> {
    dir::create_private(folder)?;
    let file = folder.join("session.json");
    if !file.exists() {
        return Ok(SessionDocument {
            agent: agent.to_owned(),
            handle: None,
        });
    }
    let kept: SessionDocument = atomic::read_json(&file, FORMAT, 1 << 20)?;
    if kept.agent != agent {
        return Err(Error::Foreign {
            session: folder.to_owned(),
            owner: kept.agent,
        });
    }
    Ok(kept)
}

/// The agents of this machine.
#[derive(Debug, Serialize)]
pub struct AgentListReport {
    /// Whether one can be used.
    pub ok: bool,
    /// The default agent, and why it was chosen.
    pub chosen: Option<AgentSelection>,
    /// All of them.
    pub agents: Vec<AgentListItem>,
    /// The project's config, where it names agents and is not trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<String>,
}

/// The default agent of roles that name none.
#[derive(Debug, Clone, Serialize)]
pub struct AgentSelection {
    /// The agent.
    pub name: String,
    /// Why.
    pub why: ChoiceReason,
    /// The same as a sentence.
    pub reason: String,
    /// The config file that names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// One agent.
#[derive(Debug, Serialize)]
pub struct AgentListItem {
    /// Its name in documents.
    pub name: String,
    /// Where its program is.
    pub path: Option<String>,
    /// Its protocol.
    pub kind: Option<&'static str>,
    /// How it enforces a scope of tools.
    pub tools: &'static str,
    /// Why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// How to fix that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Looks for all agents.
pub fn list(roster: &Roster, config: &AgentConfig) -> AgentListReport {
    let listed = |name: String| {
        let known = KNOWN.iter().find(|known| known.command == name);
        let tools = known.map_or("as its kind does", |known| known.tools);
        match roster.named(&name, ChoiceReason::Found) {
            Ok(found) => AgentListItem {
                name,
                path: Some(found.program.display().to_string()),
                kind: Some(found.kind.as_str()),
                tools,
                problem: None,
                hint: None,
            },
            Err(missing) => AgentListItem {
                name,
                path: None,
                kind: None,
                tools,
                problem: Some(missing.message),
                hint: Some(missing.hint),
            },
        }
    };
    let agents: Vec<AgentListItem> = roster.names().into_iter().map(listed).collect();
    let chosen = select(roster, config).ok();
    AgentListReport {
        ok: chosen.is_some(),
        chosen,
        agents,
        untrusted: config.untrusted.clone(),
    }
}

/// The default agent of roles that name none.
pub fn select(roster: &Roster, config: &AgentConfig) -> Result<AgentSelection, MissingAgent> {
    let chosen = roster.choose(None)?;
    let file = config
        .named_in
        .clone()
        .filter(|_| chosen.why == ChoiceReason::Config);
    let reason = match &file {
        Some(file) => format!("{file} names it"),
        None => chosen.reason().to_owned(),
    };
    Ok(AgentSelection {
        reason,
        name: chosen.name,
        why: chosen.why,
        file,
    })
}
