//! `explain`: what a template would run.

use std::path::Path;

use materia_model::template::{self, HostFacts, Plan, TemplateArg};
use serde::{Serialize, Serializer};

use super::source::SourceError;
use super::{SourceContext, TemplateRequest};

/// What a template would run.
#[derive(Debug, Serialize)]
pub struct ExplainReport {
    /// Always true; a template that cannot be explained is an error.
    pub ok: bool,
    /// The whole expanded tree.
    #[serde(rename = "tree", serialize_with = "serialize_tree")]
    pub plan: Plan,
    /// The template's public arguments.
    pub args: Vec<TemplateArg>,
    /// Warnings and risks, one sentence each.
    pub warnings: Vec<String>,
}

fn serialize_tree<S: Serializer>(plan: &Plan, serializer: S) -> Result<S::Ok, S::Error> {
    template::explain(plan).serialize(serializer)
}

/// Expands a template. Its stdin is not opened.
pub fn explain(
    request: TemplateRequest,
    context: &SourceContext<'_>,
    user_home: Option<&Path>,
) -> Result<ExplainReport, SourceError> {
    let has_stdin = request.stdin.is_some();
    let linked = request.link(context)?;
    let facts = HostFacts {
        home: user_home.and_then(Path::to_str),
        cwd: context.cwd.and_then(Path::to_str),
        has_stdin,
        ..HostFacts::default()
    };
    let prepared = linked.prepare(facts).map_err(SourceError::Invalid)?;
    Ok(ExplainReport {
        ok: true,
        warnings: prepared.messages(),
        plan: prepared.plan,
        args: linked.template.args().to_vec(),
    })
}
