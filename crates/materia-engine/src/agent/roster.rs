//! Which agent plays, where its program is, and why it was chosen.
//!
//! Owns the known agents, those that a config defines, and the order of choice: the agent that the
//! role names, the cast names or the config names, else the first one found. Looks for programs and
//! starts none.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use materia_model::loadout::ConfigSettings;
use materia_model::loadout::settings::AgentProgram;
use materia_model::text;
use serde::Serialize;

use super::protocol::Protocol;
use super::session::Start;
use super::{acp, claude, codex, command, host, pi};
use crate::process::find_program;

/// A coding agent's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// Its display name.
    pub name: &'static str,
    /// The command that starts it, which is also its name in documents.
    pub command: &'static str,
    /// The arguments that make it print its version and end.
    pub version: &'static [&'static str],
    /// Its protocol; `None` for agents that need a config to be used.
    pub kind: Option<Kind>,
    /// The arguments that select that protocol.
    pub args: &'static [&'static str],
    /// The command that installs it.
    pub install: &'static str,
    /// How it enforces a scope of tools.
    pub tools: &'static str,
}

/// The protocol of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Pi's RPC mode.
    Pi,
    /// Claude Code's streamed JSON.
    Claude,
    /// Codex's app server.
    Codex,
    /// The Agent Client Protocol.
    Acp,
    /// A prompt on stdin, an answer on stdout.
    Command,
    /// The conversation of the host that started the cast.
    Host,
}

impl Kind {
    /// The word that documents use.
    pub fn as_str(self) -> &'static str {
        KINDS
            .iter()
            .find(|(_, kind)| *kind == self)
            .map_or("command", |(word, _)| word)
    }
}

const VERSION: &[&str] = &["--version"];
const ASKS: &str = "only where it asks for permission";

/// The known agents, the preferred first.
pub const KNOWN: [Program; 6] = [
    Program {
        name: "Pi",
        command: "pi",
        version: VERSION,
        kind: Some(Kind::Pi),
        args: &[],
        install: "npm install -g @earendil-works/pi-coding-agent",
        tools: "by name",
    },
    Program {
        name: "Claude Code",
        command: "claude",
        version: VERSION,
        kind: Some(Kind::Claude),
        args: &[],
        install: "npm install -g @anthropic-ai/claude-code",
        tools: "by name",
    },
    Program {
        name: "Codex",
        command: "codex",
        version: VERSION,
        kind: Some(Kind::Codex),
        args: &[],
        install: "npm install -g @openai/codex",
        tools: "by its sandbox",
    },
    Program {
        name: "Gemini CLI",
        command: "gemini",
        version: VERSION,
        kind: Some(Kind::Acp),
        args: &["--acp"],
        install: "npm install -g @google/gemini-cli",
        tools: ASKS,
    },
    Program {
        name: "OpenCode",
        command: "opencode",
        version: VERSION,
        kind: Some(Kind::Acp),
        args: &["acp"],
        install: "npm install -g opencode-ai",
        tools: ASKS,
    },
    Program {
        name: "Aider",
        command: "aider",
        version: VERSION,
        kind: None,
        args: &[],
        install: "pip install aider-chat",
        tools: "not at all",
    },
];

/// Why an agent was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceReason {
    /// The role names it.
    Role,
    /// The command line names it.
    Flag,
    /// The config names it.
    Config,
    /// It is the first one found.
    Found,
}

/// An agent that can be started.
#[derive(Debug, Clone)]
pub struct ChosenAgent {
    /// Its name in documents.
    pub name: String,
    /// Its protocol.
    pub kind: Kind,
    /// Its program.
    pub program: PathBuf,
    /// Why it was chosen.
    pub why: ChoiceReason,
    /// The model of roles that name none.
    pub model: Option<String>,
    start: Start,
    text: Option<String>,
    usage: Option<String>,
}

/// The agent is not available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MissingAgent {
    /// What is missing.
    pub message: String,
    /// What the user can do.
    pub hint: String,
}

/// The agents of this machine and of a config, and the default among them.
#[derive(Debug, Clone, Default)]
pub struct Roster {
    flag: Option<String>,
    config: Option<String>,
    defined: BTreeMap<String, AgentProgram>,
    cwd: PathBuf,
}

impl Roster {
    /// The agents that the settings define, and the one that the command line names. Relative
    /// program paths are resolved against the project.
    pub fn new(settings: &ConfigSettings, flag: Option<&str>, cwd: &Path) -> Self {
        Self {
            flag: flag.map(str::to_owned),
            config: settings.agent.clone(),
            defined: settings.agents.clone(),
            cwd: cwd.to_owned(),
        }
    }

    /// The agent names that a user can give here.
    pub fn names(&self) -> Vec<String> {
        let known = KNOWN
            .iter()
            .filter(|known| known.kind.is_some())
            .map(|known| known.command.to_owned());
        let known = known.filter(|name| !self.defined.contains_key(name));
        self.defined.keys().cloned().chain(known).collect()
    }

    /// The agent for a role that names this one, or none.
    pub fn choose(&self, role: Option<&str>) -> Result<ChosenAgent, MissingAgent> {
        let named = [
            (role, ChoiceReason::Role),
            (self.flag.as_deref(), ChoiceReason::Flag),
            (self.config.as_deref(), ChoiceReason::Config),
        ];
        if let Some((name, why)) = named.into_iter().find_map(|(name, why)| Some((name?, why))) {
            return self.named(name, why);
        }
        let found = self
            .names()
            .into_iter()
            .find_map(|name| self.named(&name, ChoiceReason::Found).ok());
        found.ok_or_else(|| MissingAgent {
            message: "no agent was found on this machine".to_owned(),
            hint: format!(
                "install one, such as `{}`; see `materia doctor`",
                KNOWN[0].install
            ),
        })
    }

    /// The agent of this name.
    pub fn named(&self, name: &str, why: ChoiceReason) -> Result<ChosenAgent, MissingAgent> {
        if let Some(defined) = self.defined.get(name) {
            return self.defined(name, defined, why);
        }
        if name == host::NAME {
            let (program, words) = host::program();
            let argv = std::iter::once(OsString::from(&program))
                .chain(words.map(OsString::from))
                .collect();
            let start = Start {
                name: name.to_owned(),
                argv,
                env: Vec::new(),
            };
            let (name, kind) = (name.to_owned(), Kind::Host);
            return Ok(ChosenAgent {
                name,
                kind,
                program,
                why,
                model: None,
                start,
                text: None,
                usage: None,
            });
        }
        let known = KNOWN.iter().find(|known| known.command == name);
        let Some((known, kind)) = known.and_then(|known| Some((known, known.kind?))) else {
            let names = self.names();
            let hint = match (known, text::closest(name, names.iter().map(String::as_str))) {
                (Some(_), _) => "define how it is started under `agents` in the config".to_owned(),
                (None, Some(near)) => format!("did you mean `{near}`?"),
                (None, None) => format!("there are {}", text::list(&names, "and")),
            };
            return Err(MissingAgent {
                message: format!("there is no agent {}", text::quoted(name)),
                hint,
            });
        };
        let Some(program) = find_program(known.command) else {
            let message = format!(
                "the agent {} is not installed: there is no `{name}` in PATH",
                known.name
            );
            return Err(MissingAgent {
                message,
                hint: format!("`{}`, or choose another with --agent", known.install),
            });
        };
        let argv = std::iter::once(OsString::from(&program))
            .chain(known.args.iter().map(OsString::from))
            .collect();
        let start = Start {
            name: name.to_owned(),
            argv,
            env: Vec::new(),
        };
        Ok(ChosenAgent {
            name: name.to_owned(),
            kind,
            program,
            why,
            model: None,
            start,
            text: None,
            usage: None,
        })
    }

    fn defined(
        &self,
        name: &str,
        defined: &AgentProgram,
        why: ChoiceReason,
    ) -> Result<ChosenAgent, MissingAgent> {
        let kind = match defined.kind.as_deref() {
            None => Kind::Command,
            Some(word) => kind_of(word).ok_or_else(|| MissingAgent {
                message: format!(
                    "the agent {} has a kind that does not exist: {}",
                    text::quoted(name),
                    text::quoted(word)
                ),
                hint: format!(
                    "kinds are {}",
                    text::list(&KINDS.map(|(word, _)| word), "and")
                ),
            })?,
        };
        let first = &defined.command[0];
        let program = if first.contains('/') {
            Some(self.cwd.join(first)).filter(|path| path.is_file())
        } else {
            find_program(first)
        };
        let program = program.ok_or_else(|| MissingAgent {
            message: format!(
                "the agent {} is started with `{first}`, which is not there",
                text::quoted(name)
            ),
            hint: format!("install `{first}`, or change `agents.{name}.command` in the config"),
        })?;
        let rest = defined.command[1..].iter().map(OsString::from);
        let argv = std::iter::once(OsString::from(&program))
            .chain(rest)
            .collect();
        let env = defined
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        Ok(ChosenAgent {
            name: name.to_owned(),
            kind,
            program,
            why,
            model: defined.model.clone(),
            start: Start {
                name: name.to_owned(),
                argv,
                env,
            },
            text: defined.text.clone(),
            usage: defined.usage.clone(),
        })
    }
}

const KINDS: [(&str, Kind); 6] = [
    ("pi", Kind::Pi),
    ("claude", Kind::Claude),
    ("codex", Kind::Codex),
    ("acp", Kind::Acp),
    ("command", Kind::Command),
    ("host", Kind::Host),
];

fn kind_of(word: &str) -> Option<Kind> {
    KINDS
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, kind)| *kind)
}

impl ChosenAgent {
    /// How it is started, and its protocol for one turn.
    pub(super) fn cast(&self) -> (Start, Box<dyn Protocol>) {
        let mut start = self.start.clone();
        let protocol: Box<dyn Protocol> = match self.kind {
            Kind::Pi => Box::new(pi::Pi::default()),
            Kind::Claude => Box::new(claude::Claude::default()),
            Kind::Codex => Box::new(codex::Codex::default()),
            Kind::Acp => Box::new(acp::Acp::default()),
            Kind::Host => Box::new(host::Host::default()),
            Kind::Command => {
                // Its placeholders are filled in for each turn.
                let words: Vec<String> = start
                    .argv
                    .drain(1..)
                    .map(|word| word.to_string_lossy().into_owned())
                    .collect();
                Box::new(command::Plain::new(
                    &words,
                    self.text.as_deref(),
                    self.usage.as_deref(),
                ))
            }
        };
        (start, protocol)
    }

    /// The reason of the choice, in one sentence.
    pub fn reason(&self) -> &'static str {
        match self.why {
            ChoiceReason::Role => "the role names it",
            ChoiceReason::Flag => "--agent names it",
            ChoiceReason::Config => "the config names it",
            ChoiceReason::Found => "the first one found",
        }
    }
}

#[cfg(test)]
mod tests;
