//! Tools: lists them, and calls one in the foreground with an answer that fits an agent's context.
//!
//! Owns the bound on the answer (the end is kept; the whole output is saved to a file that the
//! answer names) and the text of failures. A tool that is `async` is spawned instead.

use std::io;
use std::path::{Path, PathBuf};

use materia_model::finding::Finding;
use materia_model::template::HostFacts;
use materia_model::text;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::clock::Clock;
use crate::execute::{
    self, Branch, Coverage, ExecutionStatus, Flow, Outcome, Request, RunObserver,
};
use crate::home::Home;
use crate::library::{Library, Located, RecipeSource};
use crate::process::{DEFAULT_GRACE, ProcessSet};
use crate::recipe::{LinkedTemplate, NotResolved};
use crate::registry::{
    self, CapturedRecipe, LaunchKind, RecipeState, Survey, ToolDefinition, call_shape, record,
    survey, tools,
};
use crate::store::dir::{self, Scratch};

/// Maximum number of output lines in an answer.
pub const MAX_ANSWER_LINES: usize = 2000;
/// Maximum number of output bytes in an answer.
pub const MAX_ANSWER_BYTES: usize = 51_200;
/// Maximum number of bytes searched for the last lines of an output.
const MAX_TAIL: usize = 1 << 20;

/// The answer to `tool list`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ToolListReport {
    /// Always true.
    pub ok: bool,
    /// The person's root.
    pub root: String,
    /// The tools, by name.
    pub tools: Vec<ToolDefinition>,
}

/// Lists the tools.
pub fn list(library: &Library) -> ToolListReport {
    listing(&survey(library))
}

/// Lists the tools of an existing survey.
pub(super) fn listing(survey: &Survey) -> ToolListReport {
    ToolListReport {
        ok: true,
        tools: tools(survey),
        root: survey.root.clone(),
    }
}

/// The answer to `tool promote` without a draft.
#[derive(Debug, Serialize)]
pub struct DraftListReport {
    /// Always true.
    pub ok: bool,
    /// Captured recipes, by name.
    pub drafts: Vec<CapturedRecipe>,
}

/// Lists the drafts.
pub fn drafts(library: &Library) -> DraftListReport {
    DraftListReport {
        ok: true,
        drafts: registry::drafts(library),
    }
}

/// Finds the user's tool of that name.
pub fn find(library: &Library, name: &str, cwd: &Path) -> Option<Located> {
    let found = library.find(name, cwd).ok();
    found.filter(|located| located.found == RecipeSource::User)
}

/// What to do about a name that is not a tool: repair it, make it a tool, correct the name, or see
/// the list.
pub fn hint_for_missing(library: &Library, name: &str) -> String {
    match registry::entry(library, name).map(|entry| entry.state) {
        Some(RecipeState::Active) => {
            return format!(
                "it is a recipe: `materia tool register {name} --from {name}` makes it a tool"
            );
        }
        Some(_) => {
            return "`materia inspect recipes --view doctor` says what is wrong with it".to_owned();
        }
        None => {}
    }
    let tools = list(library).tools;
    let close = text::closest(name, tools.iter().map(|tool| tool.name.as_str()));
    close.map_or_else(
        || {
            "`materia tool list` has them, `materia inspect recipes --view list` what could be one"
                .to_owned()
        },
        |close| format!("did you mean tool:{close}?"),
    )
}

/// A call of a tool.
#[derive(Debug)]
pub struct ToolCall<'a> {
    /// Where recipes are looked up.
    pub library: &'a Library,
    /// Where the usage ledger and outputs are stored.
    pub home: &'a Home,
    /// Its working directory.
    pub cwd: &'a Path,
    /// What `~` means.
    pub home_dir: Option<&'a Path>,
    /// Its name.
    pub name: &'a str,
    /// Its arguments.
    pub values: Map<String, Value>,
    /// Its arguments as `key=value` words; they override `values`.
    pub arguments: &'a [String],
    /// Source of time and ids.
    pub clock: &'a Clock,
}

/// The answer of a tool.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallReport {
    /// Whether it did not fail.
    pub ok: bool,
    /// Its name.
    pub tool: String,
    /// Its status.
    pub status: ExecutionStatus,
    /// Its exit code.
    pub code: i32,
    /// Its output, or the end of it with a notice.
    pub text: String,
    /// Whether `text` is only the end.
    pub truncated: bool,
    /// The file with the whole output.
    pub full_output: Option<String>,
    /// Its branches.
    pub branches: Vec<Branch>,
    /// Branch counts.
    pub coverage: Option<Coverage>,
    /// Findings from before it started.
    pub warnings: Vec<String>,
}

/// Why a tool was not called.
#[derive(Debug, thiserror::Error)]
pub enum NotCalled {
    /// It cannot be used.
    #[error(transparent)]
    Recipe(#[from] NotResolved),
    /// It is a recipe outside the user's root.
    #[error("{name} is a recipe, and no tool", name = text::quoted(.0))]
    NoTool(String),
    /// Its arguments are wrong.
    #[error("invalid arguments for the tool {}", text::quoted(name))]
    Arguments {
        /// Its name.
        name: String,
        /// What is wrong.
        findings: Vec<Finding>,
        /// The expected form of a call.
        shape: String,
    },
    /// It runs detached, but this call waits.
    #[error("the tool {} runs detached", text::quoted(.0))]
    Detached(String),
    /// The system refused.
    #[error("the tool cannot be run: {0}")]
    Io(#[from] io::Error),
}

/// Calls a tool and waits for it.
pub fn call(
    call: ToolCall<'_>,
    processes: &mut ProcessSet,
    observer: &mut dyn RunObserver,
) -> Result<ToolCallReport, NotCalled> {
    let ToolCall {
        library,
        home,
        cwd,
        name,
        clock,
        ..
    } = call;
    let located = library.find(name, cwd).map_err(NotResolved::NotFound)?;
    let linked = LinkedTemplate::link(library, located, call.values, call.arguments)?;
    let Some((own_name, fingerprint)) = linked.ledger_entry() else {
        return Err(NotCalled::NoTool(name.to_owned()));
    };
    if linked
        .recipe
        .as_ref()
        .is_some_and(|recipe| recipe.document.detached)
    {
        return Err(NotCalled::Detached(name.to_owned()));
    }
    let outputs = home.outputs();
    dir::create_private(&outputs).map_err(io::Error::other)?;
    let stages = outputs.join(format!(".stages-{}", clock.fresh_id()));
    let stages_text = stages.to_string_lossy();
    let facts = HostFacts {
        home: call.home_dir.and_then(Path::to_str),
        cwd: cwd.to_str(),
        stages: Some(&stages_text),
        ..HostFacts::default()
    };
    let prepared = linked
        .prepare(facts)
        .map_err(|findings| NotCalled::Arguments {
            name: name.to_owned(),
            findings,
            shape: call_shape(name, linked.template.args()),
        })?;
    let mut warnings = prepared.messages();
    warnings.extend(record(home, own_name, &fingerprint, LaunchKind::Tool, clock.now()).err());
    let _stages = prepared
        .plan
        .keeps_stages()
        .then(|| Scratch::exactly(&stages))
        .transpose()
        .map_err(io::Error::other)?;
    let request = Request {
        plan: &prepared.plan,
        cwd: cwd.to_owned(),
        stdin: None,
        jobs: None,
        grace: DEFAULT_GRACE,
        spool: outputs.clone(),
    };
    let outcome = execute::run(&request, processes, observer)?;
    Ok(report(outcome, own_name, warnings, &outputs)?)
}

/// Builds the report of an outcome, within the bounds.
fn report(
    outcome: Outcome,
    tool: &str,
    warnings: Vec<String>,
    dir: &Path,
) -> io::Result<ToolCallReport> {
    let ok = outcome.status != ExecutionStatus::Failed;
    let (end, full) = bounded(&outcome.output, dir, tool)?;
    let text = if ok {
        end
    } else {
        failure_text(&outcome, &end)
    };
    Ok(ToolCallReport {
        ok,
        tool: tool.to_owned(),
        status: outcome.status,
        code: outcome.code,
        text,
        truncated: full.is_some(),
        full_output: full.map(|path| path.to_string_lossy().into_owned()),
        branches: outcome.branches,
        coverage: outcome.coverage,
        warnings,
    })
}

fn failure_text(outcome: &Outcome, stdout: &str) -> String {
    let mut text = format!("Exit code {}", outcome.code);
    let stderr: Vec<&str> = outcome
        .failures
        .iter()
        .map(|failure| failure.stderr.trim())
        .collect();
    let stderr = stderr.join("\n");
    if !stderr.trim().is_empty() {
        text.push_str(&format!("\n\nstderr:\n{}", stderr.trim()));
    }
    if stdout != NO_OUTPUT {
        text.push_str(&format!("\n\nstdout:\n{stdout}"));
    }
    text
}

/// The text for a tool that wrote nothing.
const NO_OUTPUT: &str = "(no output)";

/// The end of an output within the bounds, and the file with the whole output if it does not fit.
pub fn bounded(output: &Flow, dir: &Path, name: &str) -> io::Result<(String, Option<PathBuf>)> {
    let (bytes, total) = output.tail(MAX_TAIL)?;
    let all = String::from_utf8_lossy(&bytes);
    let all = all.trim_end();
    if all.is_empty() {
        return Ok((NO_OUTPUT.to_owned(), None));
    }
    let kept = last(all);
    if kept.len() == all.len() && total <= MAX_TAIL as u64 {
        return Ok((all.to_owned(), None));
    }
    let file = output.keep(dir, &format!("{name}-stdout-"))?;
    let lines = kept.lines().count();
    let notice = format!(
        "[Output truncated: {lines} lines ({}) of {}. Full output saved to: {}]",
        size(kept.len() as u64),
        size(total),
        file.display()
    );
    Ok((format!("{kept}\n\n{notice}"), Some(file)))
}

/// The last lines and bytes that fit.
fn last(text: &str) -> &str {
    let lines = text
        .rmatch_indices('\n')
        .nth(MAX_ANSWER_LINES - 1)
        .map_or(0, |(at, _)| at + 1);
    let bytes = text.ceil_char_boundary(text.len().saturating_sub(MAX_ANSWER_BYTES));
    &text[lines.max(bytes)..]
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes}B"),
        1024..1_048_576 => format!("{}.{}KB", bytes / 1024, bytes % 1024 * 10 / 1024),
        _ => format!(
            "{}.{}MB",
            bytes / 1_048_576,
            bytes % 1_048_576 * 10 / 1_048_576
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_an_output_is_kept_within_lines_and_bytes() {
        let lines = |n: usize| (0..n).map(|index| format!("{index}\n")).collect::<String>();
        assert_eq!(last(lines(3).trim_end()), "0\n1\n2");
        assert!(last(lines(2500).trim_end()).starts_with("500\n"));
        let long = "é".repeat(MAX_ANSWER_BYTES);
        assert_eq!(last(&long).len(), MAX_ANSWER_BYTES);
        assert_eq!(
            (size(5), size(1536), size(5 << 20)),
            ("5B".to_owned(), "1.5KB".to_owned(), "5.0MB".to_owned())
        );
    }
}
