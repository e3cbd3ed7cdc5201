//! Naming a run by the beginning of its id, where a person types it.
//!
//! Owns the resolution. Programs inside a run, and sessions, say what they mean in full: what they
//! reach must not depend on what else is there.

use materia_engine::run::Root;
use materia_model::name::RunId;
use materia_model::text;

use crate::view::Voice;
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// How much of an id has to be said.
const SHORTEST: usize = 2;
/// How many are named when several begin alike.
const NAMED: usize = 5;

/// Words that mean something of their own where an address is typed.
const WORDS: [&str; 5] = ["coordinator", "recipes", "session", "tool", "all"];

/// An address with the whole id in it: `run:ID`, `room:ID` and `branch:ID/NAME` may say the
/// beginning of one, and an id alone means its run where people are answered. What is no such
/// address, or begins no id, stays as it is.
pub(super) fn address(
    world: &World,
    root: &Root,
    session: Option<&str>,
    given: &str,
    voice: Voice,
) -> Result<String, ApiError> {
    let Some((kind @ ("run" | "room" | "branch"), rest)) = given.split_once(':') else {
        let alone = voice == Voice::Human && !given.contains(':') && !WORDS.contains(&given);
        let id = if alone {
            whole(world, root, session, given)?
        } else {
            given.to_owned()
        };
        let is_run = alone
            && id
                .parse::<RunId>()
                .is_ok_and(|id| root.place(&id).dir().exists());
        return Ok(if is_run && is_person(world, session) {
            format!("run:{id}")
        } else {
            given.to_owned()
        });
    };
    let (id, branch) = rest
        .split_once('/')
        .map_or((rest, None), |(id, branch)| (id, Some(branch)));
    let id = whole(world, root, session, id)?;
    let branch = branch
        .map(|branch| format!("/{branch}"))
        .unwrap_or_default();
    Ok(format!("{kind}:{id}{branch}"))
}

/// The id that begins like this, where there is exactly one and a person asks.
pub(super) fn whole(
    world: &World,
    root: &Root,
    session: Option<&str>,
    given: &str,
) -> Result<String, ApiError> {
    let plain = || Ok(given.to_owned());
    let Ok(id) = given.parse::<RunId>() else {
        return plain();
    };
    if !is_person(world, session) || given.len() < SHORTEST || root.place(&id).dir().exists() {
        return plain();
    }
    let ids = root.ids().unwrap_or_default();
    let found: Vec<&str> = ids
        .iter()
        .map(RunId::as_str)
        .filter(|id| id.starts_with(given))
        .collect();
    match found.as_slice() {
        [] => plain(),
        [only] => Ok((*only).to_owned()),
        several => {
            let message = format!("{} runs begin with {}", several.len(), text::quoted(given));
            let some: Vec<String> = several
                .iter()
                .take(NAMED)
                .map(|id| format!("`run:{id}`"))
                .collect();
            let hint = format!("write more of it: {}", text::list(&some, "or"));
            Err(ApiError::new(ErrorKind::Invalid, "ambiguous", message).hint(hint))
        }
    }
}

/// Whether a person asks, rather than a program inside a run or a session.
fn is_person(world: &World, session: Option<&str>) -> bool {
    session.is_none() && world.within().is_none()
}
