//! Command templates: the portable, shell-free language of execution trees.
//!
//! Owns all steps from text to [`Plan`]: words and placeholders, typed values, the tree, its
//! expansion, its explanation and its risks. Never starts anything, reads no file and no
//! environment: the caller passes home and directory as [`HostFacts`]. The executor walks the plan;
//! recipes pass their trees to [`read`].
//!
//! ```
//! use materia_model::finding::Source;
//! use materia_model::template::{self, HostFacts};
//!
//! let template = template::parse(&Source::new("--template", "echo {name=world}")).unwrap();
//! let values = serde_json::from_str(r#"{"name": "you"}"#).unwrap();
//! let plan = template::expand(&template, &values, HostFacts::default()).unwrap().plan;
//! let tree = serde_json::to_value(template::explain(&plan)).unwrap();
//! assert_eq!(tree["argv"], serde_json::json!(["echo", "you"]));
//! ```

mod origin;
pub mod value;
mod unit;
pub mod syntax;
mod node;
mod argument;
mod document;
mod scope;
mod stage;
pub mod plan;
pub mod wire;
pub mod interface;
mod fault;
mod evaluate;
mod expand;
mod explain;
mod picture;
pub mod risk;

use serde_json::{Map, Value};

use crate::finding::{Finding, Source};

pub(crate) use document::{IMPORT_NODE, NODE};
pub use document::{MAX_NODES, parse, read, read_unit};
pub use expand::{DEFAULT_CONCURRENCY, Expansion, MAX_COPIES, MAX_PLAN_NODES, expand, fill};
pub use explain::{ExplainedNode, explain};
pub use interface::{TemplateArg, add_word, schema};
pub use node::Template;
pub use plan::Plan;
pub use unit::{TemplateImport, TemplateUnit};

/// The facts about the machine that an expansion needs.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostFacts<'a> {
    /// The user's home directory, for `~`.
    pub home: Option<&'a str>,
    /// The directory that relative commands resolve against.
    pub cwd: Option<&'a str>,
    /// Whether the run itself has input.
    pub has_stdin: bool,
    /// The directory for the outputs of stages. Nothing is written there before a step of the plan
    /// ends.
    pub stages: Option<&'a str>,
    /// Values of the host, such as `run_id`. They override defaults, and the caller's values
    /// override them.
    pub host: Option<&'a Map<String, Value>>,
}

/// Names that a host sets for a detached run. They are not arguments unless a template declares
/// them.
pub const HOST_NAMES: &[&str] = &["run_id", "state_dir"];

/// Splits a text into words, for `materia split`.
pub fn split(source: &Source) -> Result<Vec<String>, Vec<Finding>> {
    let words = syntax::word::split(source.text());
    let words = words.map_err(|problem| vec![origin::TextOrigin::whole(source).error(problem)])?;
    Ok(words.into_iter().map(|word| word.text).collect())
}
