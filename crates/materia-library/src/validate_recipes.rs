//! `validate-recipes`: reports all errors of a recipe, or of every recipe in a directory.

use std::fmt::Write as _;
use std::path::Path;

use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityOutput, UtilityReport};

use crate::files;

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let target = options
        .path("target", context)
        .unwrap_or_else(|| context.library.root().to_owned());
    let paths = if target.is_dir() {
        let depth = if options.flag("all") { 4 } else { 1 };
        let (mut found, drafts) = (
            files::below(&target, depth, is_recipe)?.files,
            context.library.drafts(),
        );
        // Skip drafts: they were captured automatically and are not recipes yet.
        found.retain(|path| target.starts_with(&drafts) || !path.starts_with(&drafts));
        found
    } else if options.text("target").is_none() {
        Vec::new()
    } else {
        vec![target.clone()]
    };
    let (mut text, mut wrong) = (String::new(), 0);
    for path in &paths {
        let problems = problems(context, path);
        wrong += usize::from(!problems.is_empty());
        let _ = writeln!(
            text,
            "{}: {}",
            path.display(),
            if problems.is_empty() { "ok" } else { "wrong" }
        );
        problems.iter().for_each(|problem| {
            let _ = writeln!(text, "  {problem}");
        });
    }
    if paths.is_empty() {
        let _ = writeln!(text, "there are no recipes in {}", target.display());
    }
    if wrong > 0 {
        let message = format!("{wrong} of {} recipes have errors\n\n{text}", paths.len());
        return Err(UtilityError::failed(
            message,
            "`materia validate FILE` shows each place and what to write",
        ));
    }
    Ok(UtilityReport {
        output: UtilityOutput::Text(text),
        notes: Vec::new(),
    })
}

fn is_recipe(name: &str) -> bool {
    !name.starts_with('.') && [".json", ".md"].iter().any(|ending| name.ends_with(ending))
}

fn problems(context: &StepContext<'_>, path: &Path) -> Vec<String> {
    let shown = path.to_string_lossy();
    let located = match context.library.open(path, &shown) {
        Ok(located) => located,
        Err(error) => return vec![error.message],
    };
    match context.library.link(&located) {
        Ok(_) => Vec::new(),
        Err(findings) => findings
            .iter()
            .map(|finding| match &finding.place {
                Some(place) => format!("{}:{}: {}", place.line, place.column, finding.message),
                None => finding.message.clone(),
            })
            .collect(),
    }
}
