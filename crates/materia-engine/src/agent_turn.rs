//! `agent`: one turn of an agent, from the shell or a recipe, and which agents there are.
//!
//! Owns the order of a single turn, its report, and sessions that have a name: which agent has it
//! and what takes it up again. A config that a repository brings chooses no agent and defines none
//! before it is trusted (S1).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::agent::{Failure, FailureKind, TurnKind, Usage};
use materia_model::loadout::{Config, Layer, Scope, Settings};
use materia_model::materia::Tools;
use serde::{Deserialize, Serialize};

use crate::agent::{Answer, Backend, KNOWN, Memory, Missing, Players, Roster, Turn, Watch, Why};
use crate::config::Files;
use crate::home::Home;
use crate::process::Nursery;
use crate::store::{atomic, dir};
use crate::trust::project;

/// The format number of a session's document.
const FORMAT: u32 = 1;

/// What a person wants from an agent.
#[derive(Debug)]
pub struct Asked<'a> {
    /// What it is told.
    pub prompt: &'a str,
    /// What it is told besides, as a part of its instructions.
    pub system: Option<&'a str>,
    /// The tools it may use.
    pub tools: &'a Tools,
    /// The model.
    pub model: Option<&'a str>,
    /// How hard it thinks.
    pub thinking: Option<&'a str>,
    /// A session that is kept, by its directory.
    pub session: Option<PathBuf>,
    /// How long it may take.
    pub timeout: Duration,
    /// Where it works.
    pub cwd: &'a Path,
}

/// What came of a turn.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Whether there is an answer.
    pub ok: bool,
    /// `ok`, or what kind of failure it was.
    pub outcome: &'static str,
    /// The agent that was asked.
    pub agent: String,
    /// The answer.
    pub text: String,
    /// What all model calls used.
    pub usage: Usage,
    /// The same by model.
    pub models: BTreeMap<String, Usage>,
    /// What takes the conversation up again in the agent itself.
    pub session: Option<String>,
    /// Why there is no answer.
    pub error: Option<Failure>,
}

/// Why there was no turn at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such agent.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// The session is another agent's.
    #[error("the session {} belongs to the agent `{owner}`", .session.display())]
    Foreign {
        /// The session.
        session: PathBuf,
        /// Whose it is.
        owner: String,
    },
    /// The session cannot be kept.
    #[error("the session cannot be kept")]
    Dir(#[from] dir::DirError),
    /// The session cannot be read.
    #[error("the session cannot be read")]
    Unreadable(#[from] atomic::ReadError),
    /// The session cannot be written.
    #[error("the session cannot be kept")]
    Session(#[from] atomic::WriteError),
    /// The person interrupted it.
    #[error("interrupted; nothing was left running")]
    Interrupted,
}

/// What is kept of a named session.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    agent: String,
    handle: Option<String>,
}

/// What chooses agents outside of a cast: the same layers as in one, as far as they are trusted.
#[derive(Debug)]
pub struct Choosing {
    /// The settings that count.
    pub settings: Settings,
    /// The file that names the agent of roles which name none.
    pub named_in: Option<String>,
    /// The project's config, where it has something to say about agents and is not trusted.
    pub untrusted: Option<String>,
}

/// Looks what the config files say about agents. A config that a repository brings has no say
/// before it is trusted (S1).
pub fn choosing(files: &Files, home: Option<&Home>, trusting: bool) -> Choosing {
    let trusted = trusting || project::require(files, home).is_ok();
    let counts = |layer: &&Layer| trusted || layer.scope != Scope::Project;
    let layers: Vec<Layer> = files.layers().iter().filter(counts).cloned().collect();
    let settings = Config::load(&layers).settings().clone();
    let says = |layer: &Layer| Config::load(std::slice::from_ref(layer)).settings().clone();
    let file = |layer: &Layer| layer.document.source().name().to_owned();
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
    Choosing {
        settings,
        named_in,
        untrusted: left_out.map(file),
    }
}

/// Plays one turn.
pub fn run(
    asked: &Asked<'_>,
    roster: &Roster,
    nursery: &mut Nursery,
    watch: &mut dyn Watch,
) -> Result<Report, Error> {
    let chosen = roster.choose(None)?;
    let kept = asked
        .session
        .as_deref()
        .map(|folder| opened(folder, &chosen.name))
        .transpose()?;
    let memory = match (&asked.session, &kept) {
        (Some(folder), Some(kept)) => Memory::Kept {
            folder,
            from: kept.handle.as_deref(),
        },
        _ => Memory::None,
    };
    let turn = Turn {
        socket: "agent",
        materia: "agent",
        item: None,
        kind: TurnKind::Work,
        prompt: asked.prompt,
        system: asked.system,
        tools: asked.tools,
        model: asked.model,
        thinking: asked.thinking,
        agent: Some(&chosen.name),
        memory,
        timeout: asked.timeout,
        cwd: asked.cwd,
    };
    let end = match Players::new(roster.clone()).ask(&turn, nursery, watch) {
        Answer::Ended(end) => end,
        Answer::Interrupted => return Err(Error::Interrupted),
    };
    let (text, error) = match end.reply {
        Ok(text) if text.trim().is_empty() => (
            text,
            Some(Failure::new(FailureKind::Empty, "the answer is empty")),
        ),
        Ok(text) => (text, None),
        Err(failure) => (String::new(), Some(failure)),
    };
    if let (Some(folder), Some(handle)) = (&asked.session, &end.session) {
        let kept = Kept {
            agent: chosen.name.clone(),
            handle: Some(handle.clone()),
        };
        atomic::write_json(&folder.join("session.json"), FORMAT, &kept)?;
    }
    Ok(Report {
        ok: error.is_none(),
        outcome: error.as_ref().map_or("ok", |failure| failure.kind.as_str()),
        agent: chosen.name,
        text,
        usage: end.usage,
        models: end.models,
        session: end.session,
        error,
    })
}

/// What is known of a session; it is made when it is new.
fn opened(folder: &Path, agent: &str) -> Result<Kept, Error> {
    dir::create_private(folder)?;
    let file = folder.join("session.json");
    if !file.exists() {
        return Ok(Kept {
            agent: agent.to_owned(),
            handle: None,
        });
    }
    let kept: Kept = atomic::read_json(&file, FORMAT, 1 << 20)?;
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
pub struct List {
    /// Whether one can be used.
    pub ok: bool,
    /// The one that plays roles which name none, and why.
    pub chosen: Option<Choice>,
    /// All of them.
    pub agents: Vec<Listed>,
    /// The project's config, where it names agents and is not trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<String>,
}

/// The general choice.
#[derive(Debug, Clone, Serialize)]
pub struct Choice {
    /// The agent.
    pub name: String,
    /// Why.
    pub why: Why,
    /// The same for people.
    pub reason: String,
    /// The config file that names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// One agent.
#[derive(Debug, Serialize)]
pub struct Listed {
    /// Its name in documents.
    pub name: String,
    /// Where its program is.
    pub path: Option<String>,
    /// How it is spoken to.
    pub kind: Option<&'static str>,
    /// How it keeps to a scope of tools.
    pub tools: &'static str,
    /// Why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What to do about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Looks for all agents.
pub fn list(roster: &Roster, choosing: &Choosing) -> List {
    let listed = |name: String| {
        let known = KNOWN.iter().find(|known| known.command == name);
        let tools = known.map_or("as its kind does", |known| known.tools);
        match roster.named(&name, Why::Found) {
            Ok(found) => Listed {
                name,
                path: Some(found.program.display().to_string()),
                kind: Some(found.kind.as_str()),
                tools,
                problem: None,
                hint: None,
            },
            Err(missing) => Listed {
                name,
                path: None,
                kind: None,
                tools,
                problem: Some(missing.message),
                hint: Some(missing.hint),
            },
        }
    };
    let agents: Vec<Listed> = roster.names().into_iter().map(listed).collect();
    let chosen = chosen(roster, choosing).ok();
    List {
        ok: chosen.is_some(),
        chosen,
        agents,
        untrusted: choosing.untrusted.clone(),
    }
}

/// The agent that plays roles which name none.
pub fn chosen(roster: &Roster, choosing: &Choosing) -> Result<Choice, Missing> {
    let chosen = roster.choose(None)?;
    let file = choosing
        .named_in
        .clone()
        .filter(|_| chosen.why == Why::Config);
    let reason = match &file {
        Some(file) => format!("{file} names it"),
        None => chosen.reason().to_owned(),
    };
    Ok(Choice {
        reason,
        name: chosen.name,
        why: chosen.why,
        file,
    })
}
