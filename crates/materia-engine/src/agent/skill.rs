//! The directories in which agents look for skills.

use std::path::{Path, PathBuf};

use crate::home::Home;

/// The agents that a skill can be installed for.
pub const SKILLED: [&str; 3] = ["pi", "claude", "codex"];

/// The directory in which an agent looks for skills, or `None` if unknown. `variable` reads a path
/// from the environment.
pub fn skills(
    agent: &str,
    home: &Home,
    home_dir: Option<&Path>,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Option<PathBuf> {
    let own = |name: &str, usual: &str| variable(name).or_else(|| Some(home_dir?.join(usual)));
    let base = match agent {
        "pi" => home.agent().to_owned(),
        "claude" => own("CLAUDE_CONFIG_DIR", ".claude")?,
        "codex" => own("CODEX_HOME", ".codex")?,
        _ => return None,
    };
    Some(base.join("skills"))
}
