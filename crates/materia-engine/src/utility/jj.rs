//! The jj commands that utilities use.
//!
//! Owns how jj is called, its time limit and how its failures are reported. Utilities decide the
//! order of commands. git is never called: jj itself talks to git.

use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::text;

use super::answer::UtilityError;
use super::program;
use crate::process::{Cause, ProcessSet, find_program};

/// How long one command may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Maximum length of jj's output in an error message.
const MOST_SAID: usize = 800;

/// jj in one directory.
#[derive(Debug)]
pub(super) struct Jj<'a> {
    processes: &'a mut ProcessSet,
    cwd: &'a Path,
}

impl<'a> Jj<'a> {
    /// jj in a directory; `None` if there is no jj on `PATH`.
    pub(super) fn found(processes: &'a mut ProcessSet, cwd: &'a Path) -> Option<Self> {
        find_program("jj")
            .is_some()
            .then_some(Self { processes, cwd })
    }

    /// The root of the repository; `None` outside of one.
    pub(super) fn root(&mut self) -> Result<Option<PathBuf>, UtilityError> {
        let ended = program::ask(self.processes, &["jj", "root"], self.cwd, PATIENCE)?;
        Ok(program::printed(&ended).map(PathBuf::from))
    }

    /// Whether the working commit is empty.
    pub(super) fn is_clean(&mut self) -> Result<bool, UtilityError> {
        self.say(&["diff", "--summary"])
            .map(|changes| changes.trim().is_empty())
    }

    /// Sets a bookmark to the working commit, wherever it is now.
    pub(super) fn put_bookmark(&mut self, name: &str) -> Result<(), UtilityError> {
        let (symbol, pattern) = spelled(name);
        let ways: [&[&str]; 3] = [
            &["bookmark", "set", &symbol, "--revision", "@"],
            &["bookmark", "create", &symbol, "--revision", "@"],
            &["bookmark", "move", &pattern, "--to", "@"],
        ];
        let mut refused = None;
        for way in ways {
            match self.say(way) {
                Ok(_) => return Ok(()),
                Err(trouble) if trouble.is_failure() => refused = refused.or(Some(trouble)),
                Err(trouble) => return Err(trouble),
            }
        }
        // Report the first refusal: the later commands are for bookmarks in other states.
        refused.map_or(Ok(()), Err)
    }

    /// Runs a command that must succeed, and returns its output.
    pub(super) fn say(&mut self, words: &[&str]) -> Result<String, UtilityError> {
        let argv: Vec<&str> = std::iter::once("jj").chain(words.iter().copied()).collect();
        let ended = program::ask(self.processes, &argv, self.cwd, PATIENCE)?;
        if ended.success() {
            return Ok(String::from_utf8_lossy(&ended.stdout.bytes).into_owned());
        }
        let how = match &ended.cause {
            Cause::NotStarted(error) => error.to_string(),
            Cause::TimedOut(_) => format!("no end in {} s", PATIENCE.as_secs()),
            Cause::Finished(_) | Cause::Cancelled(_) => format!("exit code {}", ended.code()),
        };
        let said = String::from_utf8_lossy(&ended.stderr.bytes);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = if said.is_empty() {
            "it said nothing".into()
        } else {
            text::bounded(&said, MOST_SAID)
        };
        // The first words identify the command; the rest is the text of the user.
        let call = words
            .iter()
            .take(if words.first() == Some(&"bookmark") {
                3
            } else {
                2
            })
            .copied()
            .collect::<Vec<_>>();
        let message = format!(
            "{} failed ({how}): {said}",
            text::quoted(&format!("jj {}", call.join(" ")))
        );
        Err(UtilityError::failed(
            message,
            "try it by hand in the project, then run this again",
        ))
    }
}

/// A bookmark name for jj: as a symbol, and as a pattern that matches this name only. A name with
/// characters that are special to jj is quoted.
fn spelled(name: &str) -> (String, String) {
    if name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_/-.".contains(&byte))
    {
        return (name.to_owned(), name.to_owned());
    }
    let quoted = format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    (quoted.clone(), format!("exact:{quoted}"))
}
