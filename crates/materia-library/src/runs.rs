//! `run-summary` and `run-state-files`: the runs of a root, and files below their directories.

use std::fmt::Write as _;
use std::path::PathBuf;

use materia_engine::run::{self, List, RunRoot};
use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityOutput, UtilityReport};
use materia_model::text;

use crate::files;

/// The root given in the options, by default that of the context.
pub(crate) fn root(context: &StepContext<'_>, options: &StepOptions) -> RunRoot {
    options
        .path("root", context)
        .map_or_else(|| context.runs.clone(), RunRoot::new)
}

/// All runs of a root, each with its current status.
pub(crate) fn all(root: &RunRoot, context: &StepContext<'_>) -> Result<List, UtilityError> {
    run::list(root, context.clock).map_err(|error| {
        let message = format!("the runs in {} cannot be read: {error}", shown(root));
        UtilityError::failed(message, error.hint())
    })
}

fn shown(root: &RunRoot) -> String {
    text::quoted(&root.path().to_string_lossy())
}

pub(crate) fn summary(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let root = root(context, options);
    let list = all(&root, context)?;
    let mut output = String::new();
    for one in &list.runs {
        let started = one.started_at.map(|at| at.to_string()).unwrap_or_default();
        let what = one.recipe.as_deref().or(one.tool.as_deref()).unwrap_or("-");
        let code = one
            .code
            .map(|code| format!(" code={code}"))
            .unwrap_or_default();
        let _ = writeln!(
            output,
            "{} {} {what} {started}{code}",
            one.run,
            one.status.as_str()
        );
    }
    let notes = list
        .broken
        .iter()
        .map(|(run, error)| format!("run:{run} cannot be read: {error}"))
        .collect();
    if list.runs.is_empty() {
        output = format!("there are no runs in {}\n", root.path().display());
    }
    Ok(UtilityReport {
        output: UtilityOutput::Text(output),
        notes,
    })
}

pub(crate) fn state_files(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let root = root(context, options);
    let name = options.text_or("name", "run.json");
    let depth = options.number("max-depth", 2)?;
    let found: Vec<PathBuf> = if root.path().is_dir() {
        files::below(root.path(), depth.max(1), |file| file == name)?.files
    } else {
        Vec::new()
    };
    let text = found
        .iter()
        .map(|path| format!("{}\n", path.display()))
        .collect();
    Ok(UtilityReport {
        output: UtilityOutput::Text(text),
        notes: Vec::new(),
    })
}
