//! Names of tools: which are allowed, and how free text is normalised (R4).
//!
//! Owns the reserved names and the normalisation. Files that users copy into the root follow the
//! same rules.

use materia_model::finding::Finding;
use materia_model::name::ToolName;
use materia_model::text;

/// Names reserved for hosts and for our own verbs.
pub const RESERVED: &[&str] = &[
    "read",
    "write",
    "edit",
    "bash",
    "find",
    "grep",
    "ls",
    "register_tool",
    "message",
    "spawn",
    "inspect",
    "receive",
    "wait",
    "cast",
];

/// The maximum length of a normalised name.
const LONGEST: usize = 64;

/// Checks a name that a file or a user gives a tool.
pub fn check(name: &str) -> Result<(), Box<Finding>> {
    if let Err(error) = name.parse::<ToolName>() {
        let hint = match normalise(name) {
            Some(better) => format!("call it `{better}`"),
            None => error.hint().to_owned(),
        };
        return Err(Box::new(
            Finding::error("invalid-name", error.to_string()).hint(hint),
        ));
    }
    if RESERVED.contains(&name) {
        let message = format!("the name {} is reserved", text::quoted(name));
        let hint = format!("call it `my_{name}`; reserved are {}", RESERVED.join(", "));
        return Err(Box::new(
            Finding::error("reserved-name", message).hint(hint),
        ));
    }
    Ok(())
}

/// Turns free text into a name: `Greet It!` becomes `greet_it`, `9lives` becomes `tool_9lives`.
/// Dashes stay.
pub fn normalise(given: &str) -> Option<String> {
    let mut name = String::new();
    for c in given.trim().to_lowercase().chars() {
        let kept = c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        match (kept, name.ends_with('_')) {
            (true, _) => name.push(c),
            (false, false) => name.push('_'),
            (false, true) => {}
        }
    }
    let name = name.trim_matches(['_', '-']);
    let name = if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("tool_{name}")
    } else {
        name.to_owned()
    };
    let end = name.floor_char_boundary(LONGEST.min(name.len()));
    let name = name[..end].trim_end_matches(['_', '-']).to_owned();
    (!name.is_empty()).then_some(name)
}
