//! `run-summary` and `run-state-files`: the runs of a root, and files below their directories.

use std::fmt::Write as _;
use std::path::PathBuf;

use materia_model::text;

use super::super::answer::{Answer, Output, Trouble};
use super::options::Options;
use super::{Asked, files};
use crate::run::{self, List, Root};

/// The root that is meant: ours where nothing is said.
pub(super) fn root(asked: &Asked<'_>, options: &Options) -> Root {
    options
        .path("root", asked)
        .map_or_else(|| asked.runs.clone(), Root::new)
}

/// All runs of a root, each with a status that was looked at now.
pub(super) fn all(root: &Root, asked: &Asked<'_>) -> Result<List, Trouble> {
    run::list(root, asked.clock).map_err(|error| {
        let message = format!("the runs in {} cannot be read: {error}", shown(root));
        Trouble::failed(message, error.hint())
    })
}

fn shown(root: &Root) -> String {
    text::quoted(&root.path().to_string_lossy())
}

pub(super) fn summary(asked: &mut Asked<'_>, options: &Options) -> Result<Answer, Trouble> {
    let root = root(asked, options);
    let list = all(&root, asked)?;
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
    Ok(Answer {
        output: Output::Text(output),
        notes,
    })
}

pub(super) fn state_files(asked: &mut Asked<'_>, options: &Options) -> Result<Answer, Trouble> {
    let root = root(asked, options);
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
    Ok(Answer {
        output: Output::Text(text),
        notes: Vec::new(),
    })
}
