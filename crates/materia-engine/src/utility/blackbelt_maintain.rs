//! `blackbelt-maintain` (Blackbelt-Maintain): commits the changes of the current work item as a
//! described jj commit.
//!
//! Owns the order. The bookmark moves before the new working commit is created, so that a failure
//! in between leaves no stale bookmark. A clean working commit stays unchanged: there are no empty
//! checkpoints. A failure is an answer that is not satisfied, so that the graph can route it. An
//! interrupt and a wrong `cwd` are errors instead.

use serde_json::{Value, json};

use super::answer::{UtilityError, UtilityReport};
use super::input::Input;
use super::jj::Jj;
use crate::process::ProcessSet;

pub(super) fn run(
    input: &Input,
    processes: &mut ProcessSet,
) -> Result<UtilityReport, UtilityError> {
    let words = |path: &[&str]| {
        let text = input.get(path).and_then(Value::as_str).map(str::trim);
        text.filter(|text| !text.is_empty())
    };
    let Some(bookmark) = words(&["state", "blackbeltBootstrap", "bookmarkName"]) else {
        return Ok(verdict(
            false,
            "There is no bookmark in state.blackbeltBootstrap: run Blackbelt-Bootstrap first.",
        ));
    };
    let (satisfied, said) = match words(&["item", "title"]) {
        None => (
            false,
            "The current work item has no title to describe the checkpoint with.".to_owned(),
        ),
        Some(_) if bookmark.starts_with('-') => (
            false,
            "This is no name for a bookmark: run Blackbelt-Bootstrap again.".to_owned(),
        ),
        Some(title) => checkpoint(input, processes, bookmark, title)?,
    };
    Ok(verdict(
        satisfied,
        &format!("{said} [bookmark: {bookmark}]"),
    ))
}

fn checkpoint(
    input: &Input,
    processes: &mut ProcessSet,
    bookmark: &str,
    title: &str,
) -> Result<(bool, String), UtilityError> {
    let cwd = input.directory()?;
    let Some(mut jj) = Jj::found(processes, &cwd) else {
        let said = "`jj` was not found on PATH: install it, then run Blackbelt-Bootstrap first.";
        return Ok((false, said.to_owned()));
    };
    if jj.root()?.is_none() {
        return Ok((
            false,
            "This is no jj repository: run Blackbelt-Bootstrap first.".to_owned(),
        ));
    }
    match describe(&mut jj, bookmark, title) {
        Ok(true) => Ok((true, format!("Checkpoint: {title}"))),
        Ok(false) => Ok((
            true,
            "Nothing has changed, so there is nothing to checkpoint.".to_owned(),
        )),
        Err(trouble) if trouble.is_failure() => Ok((false, trouble.message)),
        Err(trouble) => Err(trouble),
    }
}

/// Creates the checkpoint; false if there are no changes.
fn describe(jj: &mut Jj<'_>, bookmark: &str, title: &str) -> Result<bool, UtilityError> {
    if jj.is_clean()? {
        return Ok(false);
    }
    let joined = format!("--message={title}");
    // jj would parse a title that begins with a dash as an option.
    let said = if title.starts_with('-') {
        vec!["describe", &joined]
    } else {
        vec!["describe", "-m", title]
    };
    jj.say(&said)?;
    jj.put_bookmark(bookmark)?;
    jj.say(&["new"])?;
    Ok(true)
}

fn verdict(satisfied: bool, context: &str) -> UtilityReport {
    json!({"satisfied": satisfied, "context": context}).into()
}
