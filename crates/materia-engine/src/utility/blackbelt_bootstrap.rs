//! `blackbelt-bootstrap` (Blackbelt-Bootstrap): a jj repository with an empty working commit and a
//! bookmark on it.
//!
//! Owns the order: find or create the repository, commit existing changes separately, set the
//! bookmark. A repository that is ready stays unchanged. Fails without jj; there is no fallback to
//! another version control system.
//!
//! A new repository is not colocated with git. Beside a `.git`, jj creates only colocated ones, so
//! there jj decides.

use serde_json::{Value, json};

use super::answer::{UtilityError, UtilityOutput, UtilityReport};
use super::bookmark;
use super::input::Input;
use super::jj::Jj;
use crate::process::ProcessSet;

pub(super) fn run(
    input: &Input,
    processes: &mut ProcessSet,
) -> Result<UtilityReport, UtilityError> {
    let cwd = input.directory()?;
    let name = bookmark::name(input, &cwd.to_string_lossy())?;
    let Some(mut jj) = Jj::found(processes, &cwd) else {
        let trouble = UtilityError::failed(
            "`jj` was not found on PATH",
            "install it: `cargo install jj-cli`",
        );
        let report = json!({
            "ok": false, "error": trouble.message, "available": {"jj": false}, "initialized": false,
            "newWorkingCommit": false, "root": null, "emptyHead": false,
        });
        return Err(with_state(trouble, &report));
    };
    let beside_git = cwd.join(".git").exists();
    let ready = prepare(&mut jj, &name, beside_git).map_err(|trouble| {
        if !trouble.is_failure() {
            return trouble;
        }
        let report = json!({"ok": false, "error": trouble.message});
        with_state(trouble, &report)
    })?;
    let mut notes = Vec::new();
    if ready.initialized && beside_git {
        notes.push(
            "the jj repository was made beside an existing .git, in jj's usual mode for that"
                .to_owned(),
        );
    }
    let report = json!({
        "ok": true, "root": ready.root, "available": {"jj": true}, "initialized": ready.initialized,
        "newWorkingCommit": ready.new_commit, "emptyHead": true, "bookmarkName": name,
    });
    Ok(UtilityReport {
        output: UtilityOutput::Json(json!({"state": {"blackbeltBootstrap": report}})),
        notes,
    })
}

/// A repository that is ready, and the steps that were needed.
struct Ready {
    root: String,
    initialized: bool,
    new_commit: bool,
}

fn prepare(jj: &mut Jj<'_>, name: &str, beside_git: bool) -> Result<Ready, UtilityError> {
    let found = jj.root()?;
    let initialized = found.is_none();
    if initialized {
        let init: &[&str] = if beside_git {
            &["git", "init"]
        } else {
            &["git", "init", "--config=git.colocate=false"]
        };
        jj.say(init)?;
    }
    let root = match found {
        Some(root) => root,
        None => jj.root()?.ok_or_else(|| {
            UtilityError::failed(
                "`jj git init` went well, and there is still no repository",
                "see `jj root`",
            )
        })?,
    };
    let new_commit = !jj.is_clean()?;
    if new_commit {
        jj.say(&["new"])?;
    }
    jj.put_bookmark(name)?;
    Ok(Ready {
        root: root.to_string_lossy().into_owned(),
        initialized,
        new_commit,
    })
}

fn with_state(trouble: UtilityError, report: &Value) -> UtilityError {
    UtilityError {
        result: Some(Box::new(json!({"state": {"blackbeltBootstrap": report}}))),
        ..trouble
    }
}
