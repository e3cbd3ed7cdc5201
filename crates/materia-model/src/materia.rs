//! Materia: what a socket can hold, an agent's role or a deterministic program.
//!
//! Owns the type of a definition, its reader and its findings. A value of [`Materia`] has been
//! checked. Never runs anything, never renders a prompt, and knows no loadout: `loadout` decides
//! which socket holds it and how its output is read there.

mod read;
mod agent;
mod utility;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::template::Template;

pub(crate) use read::{
    INVALID, LOCK_STATES, PARSE_WORDS, assign, is_kind_field, is_run_field, kind_of, parse, read,
    schema,
};

/// The levels of thinking that agents understand.
pub const THINKING: &[&str] = &["off", "minimal", "low", "medium", "high", "xhigh"];

/// A materia that was read without an error.
#[derive(Debug, Clone, Default)]
pub struct Materia {
    /// The name it is defined under.
    pub id: String,
    pub label: Option<String>,
    pub description: Option<String>,
    pub group: Option<String>,
    /// The colour a palette shows it in.
    pub color: Option<String>,
    /// Whether an editor may change it.
    pub locked: bool,
    /// How to read its output, if the definition sets it.
    pub parse: Option<OutputParse>,
    /// The assignments of its output, in the order written.
    pub assign: Vec<StateAssign>,
    /// Whether it produces the list that a loop iterates.
    pub generator: bool,
    /// The policy for an interrupted visit (C22).
    pub interrupted: InterruptedPolicy,
    /// Environment variables whose values are redacted in all written text (S3).
    pub secret: Vec<String>,
    pub kind: MateriaBody,
    /// The layer whose file defines what it runs; relative scripts resolve against that file (C19).
    pub owner: usize,
}

impl Materia {
    /// The title for users: the label, else the name.
    pub fn title(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.id)
    }

    /// The agent's role, if it is one.
    pub fn agent(&self) -> Option<&AgentRole> {
        if let MateriaBody::Agent(agent) = &self.kind {
            Some(agent)
        } else {
            None
        }
    }

    /// The program, if it is one.
    pub fn utility(&self) -> Option<&UtilityProgram> {
        if let MateriaBody::Utility(utility) = &self.kind {
            Some(utility)
        } else {
            None
        }
    }
}

/// The body of a materia.
#[derive(Debug, Clone)]
pub enum MateriaBody {
    Agent(AgentRole),
    Utility(UtilityProgram),
}

impl Default for MateriaBody {
    fn default() -> Self {
        Self::Agent(AgentRole::default())
    }
}

/// An agent's role.
#[derive(Debug, Clone, Default)]
pub struct AgentRole {
    /// Its prompt. `{{ … }}` is filled in for each turn.
    pub prompt: String,
    pub tools: AgentTools,
    /// Its model: `provider/id`, `provider:id` or `id`.
    pub model: Option<String>,
    pub thinking: Option<String>,
    /// Whether it pauses after each reply until the user continues.
    pub multi_turn: bool,
    /// The agent program for this role, if it differs from the cast's.
    pub agent: Option<String>,
    /// The timeout of one turn, if it differs from the default.
    pub timeout_ms: Option<u64>,
}

/// The tools that an agent may use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AgentTools {
    #[default]
    None,
    /// Tools that only read.
    ReadOnly,
    Coding,
    /// Tools with these names.
    Custom(Vec<String>),
}

impl AgentTools {
    /// Parses the scope that a user writes: `none`, `readOnly`, `coding`, or comma-separated names.
    pub fn parse(scope: &str) -> Self {
        match scope {
            "none" => Self::None,
            "readOnly" => Self::ReadOnly,
            "coding" => Self::Coding,
            names => {
                let names = names.split(',').map(str::trim);
                let names = names.filter(|name| !name.is_empty());
                Self::Custom(names.map(str::to_owned).collect())
            }
        }
    }
}

/// A deterministic program: JSON on stdin, its result on stdout.
#[derive(Debug, Clone)]
pub struct UtilityProgram {
    pub run: UtilityCommand,
    /// Its `params` input.
    pub params: Map<String, Value>,
    /// Its timeout, if it differs from the default.
    pub timeout_ms: Option<u64>,
}

/// What a utility runs.
#[derive(Debug, Clone)]
pub enum UtilityCommand {
    Command(Vec<String>),
    /// A utility that ships with the program, by name and without a file extension (C18).
    Shipped(String),
    /// A command template (C20).
    Template(Box<Template>),
    /// A recipe by name or path (C20).
    Recipe(String),
}

/// How to read a socket's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputParse {
    Text,
    Json,
}

impl OutputParse {
    /// The word for documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

/// One assignment from an output to the state of a cast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateAssign {
    /// The dotted path in the state to write.
    pub target: String,
    /// The value path to read, such as `$.context`.
    pub source: String,
}

/// The policy for a visit whose end is unknown (C22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InterruptedPolicy {
    /// Run it again.
    #[default]
    Rerun,
    /// Let the user decide.
    Ask,
    /// Fail the cast.
    Fail,
}
