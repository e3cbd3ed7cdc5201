//! Programs that not every machine has: where `./test` installs them, and the error if one is
//! missing.
//!
//! A test that needs one is in a module with its name (`needs_agents`, `needs_jj`, `needs_mount`),
//! so that a filter can exclude it. Without the program the test fails; it never passes silently.

use std::path::{Path, PathBuf};

/// The version of jj that `./test` installs.
pub const JJ: &str = "0.45.1";

/// What the tests in `needs_agents` use; `tests/agents/install` installs it.
const AGENTS: [&str; 9] = [
    "node-22.23.3/bin/node",
    "pi-1.5.0/dist/bundle/cli.js",
    "pi-1.5.0/node_modules/jiti/package.json",
    "pi-0.73.1",
    "claude-2.1.197/claude",
    "codex-0.166.0",
    "claude-agent-acp-0.99.1",
    "inspector-2.12.0",
    "conformance-0.1.16",
];

/// The directory in which `./test` installs programs.
fn cache() -> PathBuf {
    let variable = std::env::var_os("MATERIA_TEST_CACHE").map(PathBuf::from);
    variable.unwrap_or_else(|| {
        Path::new(&std::env::var_os("HOME").expect("a home")).join(".cache/materia-test")
    })
}

/// Fails the test because a program is missing.
#[track_caller]
fn missing(what: &str, module: &str) -> ! {
    panic!(
        "{what}\n`./test` installs it, or exclude these tests with `-E 'not test(/{module}::/)'`"
    )
}

/// The directory of the agent programs and MCP clients.
#[track_caller]
pub fn agents() -> PathBuf {
    let folder = cache().join("agents");
    if let Some(path) = AGENTS.iter().find(|path| !folder.join(path).exists()) {
        let path = folder.join(path);
        missing(
            &format!(
                "the agent programs are not installed: no {}",
                path.display()
            ),
            "needs_agents",
        );
    }
    folder
}

/// The directory of the real jj.
#[track_caller]
pub fn jj() -> PathBuf {
    let folder = cache().join(format!("jj-{JJ}/bin"));
    if !folder.join("jj").exists() {
        let what = format!("jj {JJ} is not installed in {}", folder.display());
        missing(&what, "needs_jj");
    }
    folder
}

/// Fails the test because this user cannot mount a file system.
#[track_caller]
pub fn cannot_mount(error: &str) -> ! {
    panic!(
        "cannot mount a small file system, which only root may do: {}\n\
         run as root, or exclude these tests with `-E 'not test(/needs_mount::/)'`",
        error.trim()
    )
}
