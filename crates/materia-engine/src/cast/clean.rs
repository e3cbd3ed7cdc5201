//! Redacts the secrets of a cast (S3).
//!
//! Owns the set of secrets that a cast knows, and redacts them in recorded data. Data that flows
//! from one step to the next is not redacted: the state in memory has the values, the log and the
//! artifacts do not. A cast that is resumed from its log therefore continues with the redaction
//! mark instead of the value.

use std::collections::BTreeMap;
use std::ffi::OsString;

use materia_model::cast::CastEventBody;
use materia_model::loadout::Graph;
use materia_model::secret::Secrets;
use serde_json::Value;

use super::error::Error;

/// The secrets of a cast: by variable name, by the names that its materia declare, and by shape.
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

/// The event data with its secrets redacted, or `None` if it has none.
pub(super) fn cleaned(secrets: &Secrets, body: &CastEventBody) -> Result<Option<Value>, Error> {
    let bytes = serde_json::to_vec(&body.data())?;
    if !secrets.is_in(&bytes) {
        return Ok(None);
    }
    let mut data = serde_json::from_slice(&bytes)?;
    secrets.redact_value(&mut data);
    Ok(Some(data))
}
