//! The edits that must not be saved.
//!
//! Owns the refusals: invalid names, shipped or locked definitions, conflicts with another editor,
//! and errors in the result. Writes nothing.

use materia_model::document::JsonNode;
use materia_model::finding::Severity;
use materia_model::loadout::ConfigScope;
use serde_json::Value;

use super::check::judge;
use super::save::{SaveConflict, SaveEdit, SaveError};
use super::{EditTarget, Section, is_locked, version};
use crate::config::{ConfigFiles, ConfigSnapshot};

/// The longest name of a definition, in characters.
const MAX_NAME_CHARS: usize = 120;

/// Refuses an edit that is not allowed, whatever its content.
pub(super) fn refuse(
    before: &ConfigSnapshot<'_>,
    target: EditTarget,
    edit: &SaveEdit,
) -> Result<(), SaveError> {
    refuse_name(&edit.name)?;
    refuse_fixed(before, edit)?;
    refuse_conflict(before.files(), target, edit)
}

fn refuse_name(name: &str) -> Result<(), SaveError> {
    let bad = |why| {
        Err(SaveError::BadName {
            name: name.to_owned(),
            why,
        })
    };
    if name.trim() != name || name.is_empty() {
        return bad("it is empty or has blanks around it");
    }
    if name.chars().count() > MAX_NAME_CHARS || name.chars().any(char::is_control) {
        return bad("it is too long or has control characters in it");
    }
    Ok(())
}

/// Refuses changes of shipped or locked definitions. Unlocking alone is allowed.
fn refuse_fixed(before: &ConfigSnapshot<'_>, edit: &SaveEdit) -> Result<(), SaveError> {
    let shipped = before.files().layer(ConfigScope::Default);
    if edit.section == Section::Loadout
        && shipped.is_some_and(|layer| layer.document.own("loadouts", &edit.name).is_some())
    {
        return Err(SaveError::Shipped(edit.name.clone()));
    }
    let written = match edit.section {
        Section::Loadout => before.config().written_loadouts(),
        Section::Materia => before.config().written_materia(),
    };
    if let Some(one) = written.iter().find(|one| one.name == edit.name)
        && is_locked(&one.value)
        && edit
            .value
            .as_ref()
            .is_some_and(|value| unlocked(value) != unlocked(&one.value))
    {
        return Err(SaveError::Locked(edit.name.clone()));
    }
    Ok(())
}

/// Refuses an edit of a definition that another editor has changed since.
fn refuse_conflict(
    files: &ConfigFiles,
    target: EditTarget,
    edit: &SaveEdit,
) -> Result<(), SaveError> {
    let layer = files.layer(target.scope());
    let current = layer.and_then(|layer| version(layer, edit.section, &edit.name));
    if current == edit.base {
        return Ok(());
    }
    let value = layer.and_then(|layer| layer.document.own(edit.section.name(), &edit.name));
    let current_value = value.map(JsonNode::to_value);
    // Two editors that write the same value do not conflict.
    if current_value.is_some() && current_value == edit.value {
        return Ok(());
    }
    let conflict = SaveConflict {
        name: edit.name.clone(),
        current: current_value,
        version: current,
    };
    Err(SaveError::Conflict(Box::new(conflict)))
}

fn unlocked(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(members) = value.as_object_mut() {
        members.shift_remove("lockState");
    }
    value
}

/// Refuses edits that cause errors.
pub(super) fn refuse_broken(
    after: &ConfigSnapshot<'_>,
    edits: &[SaveEdit],
) -> Result<(), SaveError> {
    let mut broken = Vec::new();
    for edit in edits.iter().filter(|edit| edit.value.is_some()) {
        let (issues, _) = judge(after, edit.edit());
        let errors = issues
            .into_iter()
            .filter(|issue| issue.severity == Severity::Error);
        broken.extend(errors);
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(SaveError::Broken(broken))
    }
}
