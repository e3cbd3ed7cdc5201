//! The summary of a loadout in a list: name, id, scope and who may change it.
//!
//! Owns ids derived from scope and name, and the rule that shipped loadouts are never edited.

use super::ConfigScope;
use super::merge::MergedDefinition;

/// The summary of a loadout in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayeredLoadout<'a> {
    pub name: &'a str,
    /// Its stable id: its own, else one derived from scope and name.
    pub id: String,
    /// The highest layer that defines it.
    pub scope: ConfigScope,
    pub description: Option<&'a str>,
    pub edit: EditRight,
}

/// Who may change a loadout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditRight {
    /// Every user.
    Open,
    /// No one, until it is unlocked.
    Locked,
    /// No one: it ships with the program. Users duplicate it first.
    Shipped,
}

/// The summary of a loadout.
pub(super) fn summary<'a>(one: &MergedDefinition<'a>, scope: ConfigScope) -> LayeredLoadout<'a> {
    let edit = match scope {
        ConfigScope::Default => EditRight::Shipped,
        _ if one.text("lockState") == Some("locked") => EditRight::Locked,
        _ => EditRight::Open,
    };
    let id = one
        .text("id")
        .map_or_else(|| made_id(scope, one.name), str::to_owned);
    LayeredLoadout {
        name: one.name,
        id,
        scope,
        description: one.text("description"),
        edit,
    }
}

/// Whether a loadout has this id.
pub(super) fn has_id(one: &MergedDefinition<'_>, scope: ConfigScope, given: &str) -> bool {
    let lower = || format!("{}:{}", scope.as_str(), one.name.to_lowercase());
    one.text("id") == Some(given) || made_id(scope, one.name) == given || lower() == given
}

/// The id of a loadout without one: its scope and its name in plain letters.
fn made_id(scope: ConfigScope, name: &str) -> String {
    let plain: String = name
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    let slug = if words.is_empty() {
        "loadout".to_owned()
    } else {
        words.join("-")
    };
    format!("{}:{slug}", scope.as_str())
}
