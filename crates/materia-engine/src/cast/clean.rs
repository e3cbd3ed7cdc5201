//! What a cast must not write down (S3).
//!
//! Owns which secrets a cast knows of, and the taking of them out of what is recorded. What flows
//! from one step to the next stays as it is: the state in memory has the values, the log and the
//! artifacts do not. A cast that is taken up from its log therefore goes on with the mark in their
//! place.

use std::collections::BTreeMap;
use std::ffi::OsString;

use materia_model::cast::CastEventBody;
use materia_model::loadout::Graph;
use materia_model::secret::Secrets;
use serde_json::Value;

use super::error::Error;

/// The secrets of a cast: by the names of variables, by the names that its materia say, and by
/// their shapes.
pub(super) fn secrets(graph: &Graph, variables: &BTreeMap<OsString, OsString>) -> Secrets {
    let named = graph
        .sockets()
        .iter()
        .flat_map(|socket| &socket.materia.secret)
        .map(String::as_str);
    let named: Vec<&str> = named.collect();
    let texts = variables
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    Secrets::new(texts, &named)
}

/// The data of an event without its secrets; nothing where it has none.
pub(super) fn cleaned(secrets: &Secrets, body: &CastEventBody) -> Result<Option<Value>, Error> {
    let bytes = serde_json::to_vec(&body.data())?;
    if !secrets.is_in(&bytes) {
        return Ok(None);
    }
    let mut data = serde_json::from_slice(&bytes)?;
    secrets.redact_value(&mut data);
    Ok(Some(data))
}
