//! All code that is specific to one coding agent. Agent names appear in this module only (invariant
//! 6).
//!
//! Owns the interface to any agent ([`Backend`], [`Session`]), the known agents and the choice
//! among them ([`Roster`]), one file per protocol, and the scripted agent that needs no model. A
//! protocol does no I/O. One loop drives them all, through `process`, so that ending an agent ends
//! its tools. Never decides what an answer means: the kernel of the cast does.

mod backend;
mod lines;
mod protocol;
mod pi;
mod claude;
mod codex;
mod acp;
mod command;
mod host;
mod host_socket;
mod session;
mod roster;
mod players;
mod skill;
pub mod scripted;

pub use backend::{
    Activity, AgentMemory, AgentTurn, Answer, Backend, DEFAULT_TIMEOUT, TurnCommand, Unwatched,
    Watch,
};
pub use host_socket::{HostGuard, HostSocket};
pub use players::Players;
pub use roster::{ChoiceReason, ChosenAgent, KNOWN, Kind, MissingAgent, Program, Roster};
pub use scripted::Scripted;
pub use session::{Conclusion, Session};
pub use skill::{SKILLED, skills};

/// The version in the output of an agent: its first word that begins with a digit, after an
/// optional `v`.
pub fn version_in(printed: &str) -> Option<&str> {
    let words = printed
        .split_whitespace()
        .map(|word| word.trim_start_matches('v').trim_end_matches([',', ';']));
    words
        .filter(|word| word.len() <= 40)
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
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
