//! `validate-recipes`: says everything that is wrong with a recipe, or with all of a directory.

use std::fmt::Write as _;
use std::path::Path;

use super::super::answer::{Answer, Output, Trouble};
use super::options::Options;
use super::{Asked, files};

pub(super) fn run(asked: &mut Asked<'_>, options: &Options) -> Result<Answer, Trouble> {
    let target = options
        .path("target", asked)
        .unwrap_or_else(|| asked.library.root().to_owned());
    let paths = if target.is_dir() {
        let depth = if options.flag("all") { 4 } else { 1 };
        let (mut found, drafts) = (
            files::below(&target, depth, is_recipe)?.files,
            asked.library.drafts(),
        );
        // What was captured in passing is nobody's recipe yet.
        found.retain(|path| target.starts_with(&drafts) || !path.starts_with(&drafts));
        found
    } else if options.text("target").is_none() {
        Vec::new()
    } else {
        vec![target.clone()]
    };
    let (mut text, mut wrong) = (String::new(), 0);
    for path in &paths {
        let problems = problems(asked, path);
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
        return Err(Trouble::failed(
            message,
            "`materia validate FILE` shows each place and what to write",
        ));
    }
    Ok(Answer {
        output: Output::Text(text),
        notes: Vec::new(),
    })
}

fn is_recipe(name: &str) -> bool {
    !name.starts_with('.') && [".json", ".md"].iter().any(|ending| name.ends_with(ending))
}

fn problems(asked: &Asked<'_>, path: &Path) -> Vec<String> {
    let shown = path.to_string_lossy();
    let located = match asked.library.open(path, &shown) {
        Ok(located) => located,
        Err(error) => return vec![error.message],
    };
    match asked.library.link(&located) {
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
