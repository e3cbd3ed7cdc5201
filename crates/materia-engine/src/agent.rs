//! What is specific to one coding agent. Their names appear in this room and nowhere else (invariant 6).
//!
//! Owns what a cast asks of any agent ([`Backend`]), the scripted one that needs no model, and which agent programs
//! exist and how each is asked for its version. Never decides what an answer means: the kernel of the cast does.

mod backend;
pub mod scripted;

pub use backend::{Answer, Backend, Turn};
pub use scripted::Scripted;

/// A coding agent's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// What people call it.
    pub name: &'static str,
    /// The command it is started with.
    pub command: &'static str,
    /// The arguments that make it print its version and end.
    pub version: &'static [&'static str],
}

/// The agents that are looked for, the preferred first.
pub const KNOWN: [Program; 6] = [
    Program { name: "Pi", command: "pi", version: &["--version"] },
    Program { name: "Claude Code", command: "claude", version: &["--version"] },
    Program { name: "Codex", command: "codex", version: &["--version"] },
    Program { name: "Gemini CLI", command: "gemini", version: &["--version"] },
    Program { name: "OpenCode", command: "opencode", version: &["--version"] },
    Program { name: "Aider", command: "aider", version: &["--version"] },
];

/// The version in what an agent printed: its first word that begins with a digit, after an optional `v`.
pub fn version_in(printed: &str) -> Option<&str> {
    let words =
        printed.split_whitespace().map(|word| word.trim_start_matches('v').trim_end_matches([',', ';']));
    words.filter(|word| word.len() <= 40).find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_agents_print() {
        assert_eq!(version_in("1.5.0\n"), Some("1.5.0"));
        assert_eq!(version_in("codex-cli 0.141.0"), Some("0.141.0"));
        assert_eq!(version_in("2.1.7 (Claude Code)"), Some("2.1.7"));
        assert_eq!(version_in("aider v0.86.1, ok"), Some("0.86.1"));
        assert_eq!(version_in("no version here"), None);
    }
}
