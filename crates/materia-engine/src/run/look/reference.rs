//! Abbreviated run ids, for people who type them.
//!
//! Owns the resolution of a prefix. Programs inside a run, and sessions, must use full ids, so that
//! their target does not depend on other runs. The caller decides which case applies.

use materia_model::name::RunId;
use materia_model::text;

use crate::run::RunRoot;

/// The shortest prefix that is accepted.
const MIN_PREFIX: usize = 2;
/// How many ids are named if a prefix is ambiguous.
const MAX_NAMED: usize = 5;

/// Words with a meaning of their own in an address.
const WORDS: [&str; 5] = ["coordinator", "recipes", "session", "tool", "all"];

/// Several runs have ids with this prefix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} runs begin with {}", ids.len(), text::quoted(prefix))]
pub struct AmbiguousId {
    prefix: String,
    ids: Vec<String>,
}

impl AmbiguousId {
    /// A hint for the user.
    pub fn hint(&self) -> String {
        let some = self.ids.iter().take(MAX_NAMED);
        let some: Vec<String> = some.map(|id| format!("`run:{id}`")).collect();
        format!("write more of it: {}", text::list(&some, "or"))
    }
}

/// The id with this prefix, if there is exactly one. A prefix of no id is returned unchanged.
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

/// Completes the id in an address: `run:ID`, `room:ID` and `branch:ID/NAME` may contain a prefix,
/// and with `bare` an id alone means its run. Other input, and a prefix of no id, is returned
/// unchanged.
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
