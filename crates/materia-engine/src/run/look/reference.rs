//! Naming a run by the beginning of its id, where a person types it.
//!
//! Owns the resolution. Programs inside a run, and sessions, write ids in full: what they reach must
//! not depend on what else is there. The caller decides which of the two it is.

use materia_model::name::RunId;
use materia_model::text;

use crate::run::RunRoot;

/// How much of an id has to be written.
const MIN_PREFIX: usize = 2;
/// How many ids are named when several begin alike.
const MAX_NAMED: usize = 5;

/// Words that mean something of their own where an address is typed.
const WORDS: [&str; 5] = ["coordinator", "recipes", "session", "tool", "all"];

/// Several runs begin with what was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} runs begin with {}", ids.len(), text::quoted(prefix))]
pub struct AmbiguousId {
    prefix: String,
    ids: Vec<String>,
}

impl AmbiguousId {
    /// What to write instead.
    pub fn hint(&self) -> String {
        let some = self.ids.iter().take(MAX_NAMED);
        let some: Vec<String> = some.map(|id| format!("`run:{id}`")).collect();
        format!("write more of it: {}", text::list(&some, "or"))
    }
}

/// The id that begins like this, where there is exactly one; what begins none stays as it is.
pub fn complete_id(root: &RunRoot, given: &str) -> Result<String, AmbiguousId> {
    let is_whole = |id: &RunId| root.place(id).dir().exists();
    let Ok(id) = given.parse::<RunId>() else {
        return Ok(given.to_owned());
    };
    if given.len() < MIN_PREFIX || is_whole(&id) {
        return Ok(given.to_owned());
    }
    let ids = root.ids().unwrap_or_default();
    let mut found: Vec<String> = ids
        .iter()
        .map(RunId::as_str)
        .filter(|id| id.starts_with(given))
        .map(str::to_owned)
        .collect();
    if found.len() > 1 {
        let prefix = given.to_owned();
        return Err(AmbiguousId { prefix, ids: found });
    }
    Ok(found.pop().unwrap_or_else(|| given.to_owned()))
}

/// An address with the whole id in it: `run:ID`, `room:ID` and `branch:ID/NAME` may have the
/// beginning of one, and where `bare` is set an id alone means its run. What is no such address, or
/// begins no id, stays as it is.
pub fn complete_address(root: &RunRoot, given: &str, bare: bool) -> Result<String, AmbiguousId> {
    let Some((kind @ ("run" | "room" | "branch"), rest)) = given.split_once(':') else {
        if !bare || given.contains(':') || WORDS.contains(&given) {
            return Ok(given.to_owned());
        }
        let id = complete_id(root, given)?;
        let is_run = id
            .parse::<RunId>()
            .is_ok_and(|id| root.place(&id).dir().exists());
        return Ok(if is_run {
            format!("run:{id}")
        } else {
            given.to_owned()
        });
    };
    Ok(match rest.split_once('/') {
        Some((id, branch)) => format!("{kind}:{}/{branch}", complete_id(root, id)?),
        None => format!("{kind}:{}", complete_id(root, rest)?),
    })
}
