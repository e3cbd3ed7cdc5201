//! `noop` and `echo`: the old aliases that return their input.
//!
//! Owns their outputs, which are unchanged text or JSON.

use serde_json::Value;

use super::answer::{UtilityError, UtilityOutput, UtilityReport};
use super::input::Input;
use crate::process::ProcessSet;

pub(super) fn noop(_: &Input, _: &mut ProcessSet) -> Result<UtilityReport, UtilityError> {
    Ok(UtilityReport {
        output: UtilityOutput::Text(String::new()),
        notes: Vec::new(),
    })
}

pub(super) fn echo(input: &Input, _: &mut ProcessSet) -> Result<UtilityReport, UtilityError> {
    let told = ["output", "text", "message"]
        .iter()
        .find_map(|name| input.get(&["params", name]));
    let text = match told {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    Ok(UtilityReport {
        output: UtilityOutput::Text(text),
        notes: Vec::new(),
    })
}
