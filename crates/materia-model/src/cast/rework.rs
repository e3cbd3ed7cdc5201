//! Rework: why a socket has to work again. Captured when a `not_satisfied` edge is taken, shown to
//! its target (C15).
//!
//! Owns the size limits, which entries a target sees, and when they are dropped. Lives beside the
//! state's data, so that no utility sees it. Never decides a route.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::text;

/// The maximum size of a reason, in bytes.
pub const MAX_REASON: usize = 900;

/// The maximum number of entries per target and item, and in total.
const MAX_EACH: usize = 5;
const MAX_ALL: usize = 40;

/// Why a socket has to work again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct Rework {
    /// The socket that was not satisfied.
    pub source: String,
    /// What people call its materia.
    pub source_label: String,
    /// The socket that works again.
    pub target: String,
    /// The item it is about; empty outside of lists.
    pub item: String,
    /// What people call the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_label: Option<String>,
    /// Why.
    pub reason: String,
}

/// The reason in a payload: its `context`, else an excerpt of the payload.
pub fn reason(payload: &Map<String, Value>) -> String {
    let context = payload
        .get("context")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if !context.trim().is_empty() {
        return collapsed(context);
    }
    let rest: Map<String, Value> = payload
        .iter()
        .filter(|(name, _)| *name != "satisfied")
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if rest.is_empty() {
        return "no reason was given".to_owned();
    }
    format!(
        "no context was given; its output: {}",
        collapsed(&Value::Object(rest).to_string())
    )
}

/// Collapses a text to one line of at most [`MAX_REASON`] bytes.
fn collapsed(given: &str) -> String {
    let part = &given[..given.floor_char_boundary(16 << 10)];
    let line = part.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= MAX_REASON {
        return line;
    }
    format!(
        "{}…",
        &line[..line.floor_char_boundary(MAX_REASON - '…'.len_utf8())]
    )
}

/// Stores a reason and drops the oldest of the same target and item.
pub fn capture(entries: &mut Vec<Rework>, entry: Rework) {
    let alike = |other: &Rework| other.target == entry.target && other.item == entry.item;
    if entries.iter().filter(|other| alike(other)).count() >= MAX_EACH
        && let Some(oldest) = entries.iter().position(alike)
    {
        entries.remove(oldest);
    }
    if entries.len() >= MAX_ALL {
        entries.remove(0);
    }
    entries.push(entry);
}

/// Drops the entries of a source socket once it is satisfied.
pub fn satisfied(entries: &mut Vec<Rework>, source: &str, item: &str) {
    entries
        .retain(|entry| entry.source != source || (!entry.item.is_empty() && entry.item != item));
}

/// Drops all entries about the items of a cursor that advanced or restarted.
pub fn moved(entries: &mut Vec<Rework>, cursor_key: &str) {
    let prefix = format!("{cursor_key}#");
    entries.retain(|entry| !entry.item.starts_with(&prefix));
}

/// The entries for a socket that works on an item, or on none.
pub fn for_target<'a>(entries: &'a [Rework], target: &str, item: &str) -> Vec<&'a Rework> {
    let fits = |entry: &&Rework| {
        entry.target == target && (item.is_empty() || entry.item.is_empty() || entry.item == item)
    };
    let found: Vec<&Rework> = entries.iter().filter(fits).collect();
    found[found.len().saturating_sub(MAX_EACH)..].to_vec()
}

/// One line about an entry, for a prompt.
pub fn line(entry: &Rework) -> String {
    let item = entry
        .item_label
        .as_ref()
        .map(|label| format!(", {}", text::bounded(label, 80)))
        .unwrap_or_default();
    format!(
        "- {} ({}){item}: {}",
        entry.source, entry.source_label, entry.reason
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(source: &str, target: &str, item: &str, reason: &str) -> Rework {
        Rework {
            source: source.to_owned(),
            source_label: "Check".to_owned(),
            target: target.to_owned(),
            item: item.to_owned(),
            item_label: None,
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn reasons_are_one_bounded_line() {
        let of = |value: Value| reason(value.as_object().unwrap());
        assert_eq!(
            of(json!({"satisfied": false, "context": " two\n lines "})),
            "two lines"
        );
        assert_eq!(of(json!({"satisfied": false})), "no reason was given");
        assert_eq!(
            of(json!({"satisfied": false, "log": "MARK"})),
            "no context was given; its output: {\"log\":\"MARK\"}"
        );
        let long = of(json!({"context": "é".repeat(5000)}));
        assert!(long.len() <= MAX_REASON && long.ends_with('…'));
    }

    #[test]
    fn a_target_sees_its_own_item_and_nothing_is_kept_too_long() {
        let mut entries = Vec::new();
        for index in 0..8 {
            capture(
                &mut entries,
                entry("S2", "S1", "c@S1#0:0", &format!("r{index}")),
            );
        }
        capture(&mut entries, entry("S2", "S1", "c@S1#0:1", "other item"));
        capture(&mut entries, entry("S3", "S1", "", "whole"));
        let seen: Vec<&str> = for_target(&entries, "S1", "c@S1#0:0")
            .iter()
            .map(|e| e.reason.as_str())
            .collect();
        assert_eq!(seen, ["r4", "r5", "r6", "r7", "whole"]);
        assert!(for_target(&entries, "S9", "").is_empty());
        assert_eq!(for_target(&entries, "S1", "").len(), 5);
    }

    #[test]
    fn c15_satisfied_sources_and_moved_cursors_are_forgotten() {
        let mut entries = vec![
            entry("S2", "S1", "c@S1#0:0", "a"),
            entry("S3", "S1", "", "b"),
            entry("S2", "S1", "d@S5#0:0", "c"),
        ];
        satisfied(&mut entries, "S3", "");
        assert_eq!(entries.len(), 2);
        satisfied(&mut entries, "S2", "d@S5#0:0");
        assert_eq!(entries.len(), 1);
        moved(&mut entries, "c@S1");
        assert!(entries.is_empty());
    }
}
