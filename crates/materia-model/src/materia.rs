//! Materia: what a socket can hold, an agent's role or a deterministic program.
//!
//! Owns the shape of a definition, its reading from a config document and the findings about it. A
//! value of [`Materia`] has been checked. Never runs anything, never renders a prompt, and knows no
//! loadout: which socket holds it and how its output is read there is decided in `loadout`.

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
    /// How its output is read, where the definition says so.
    pub parse: Option<OutputParse>,
    /// What its output is copied to, in the order written.
    pub assign: Vec<StateAssign>,
    /// Whether it produces the list that a loop works through.
    pub generator: bool,
    /// What happens to a visit that was interrupted (C22).
    pub interrupted: InterruptedPolicy,
    /// Environment variables whose values are redacted wherever text is written (S3).
    pub secret: Vec<String>,
    pub kind: MateriaBody,
    /// The layer whose file says what it runs; relative scripts are seen from that file (C19).
    pub owner: usize,
}

impl Materia {
    /// What people see: the label, else the name.
    pub fn title(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.id)
    }

    /// The agent's role, where it is one.
    pub fn agent(&self) -> Option<&AgentRole> {
        if let MateriaBody::Agent(agent) = &self.kind {
            Some(agent)
        } else {
            None
        }
    }

    /// The program, where it is one.
    pub fn utility(&self) -> Option<&UtilityProgram> {
        if let MateriaBody::Utility(utility) = &self.kind {
            Some(utility)
        } else {
            None
        }
    }
}

/// What a materia does.
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
    /// What it is told; `{{ … }}` is filled in for each turn.
    pub prompt: String,
    pub tools: AgentTools,
    /// The model it asks for: `provider/id`, `provider:id` or `id`.
    pub model: Option<String>,
    pub thinking: Option<String>,
    /// Whether it pauses after each reply until the person continues.
    pub multi_turn: bool,
    /// The agent program that plays this role, where it is not the cast's own choice.
    pub agent: Option<String>,
    /// How long one turn may take, where that is not the default.
    pub timeout_ms: Option<u64>,
}

/// The tools that an agent may use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AgentTools {
    #[default]
    None,
    /// Those that only read.
    ReadOnly,
    Coding,
    /// Those with these names.
    Custom(Vec<String>),
}

impl AgentTools {
    /// The scope that a user writes: `none`, `readOnly`, `coding`, or names with commas between
    /// them.
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
    /// What it is given as `params`.
    pub params: Map<String, Value>,
    /// How long it may take, where that is not the default.
    pub timeout_ms: Option<u64>,
}

/// What a utility runs.
#[derive(Debug, Clone)]
pub enum UtilityCommand {
    Command(Vec<String>),
    /// A utility that ships with the program, by name and without a file ending (C18).
    Shipped(String),
    /// A command template (C20).
    Template(Box<Template>),
    /// A recipe by name or path (C20).
    Recipe(String),
}

/// How a socket's output is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputParse {
    Text,
    Json,
}

impl OutputParse {
    /// The word that documents use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

/// One copy from an output into the state of a cast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateAssign {
    /// The dotted path in the state that is written.
    pub target: String,
    /// The value path that is read, such as `$.context`.
    pub source: String,
}

/// What happens to a visit of which nobody knows whether it ended (C22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InterruptedPolicy {
    /// It runs again.
    #[default]
    Rerun,
    /// The person decides.
    Ask,
    /// The cast fails.
    Fail,
}
