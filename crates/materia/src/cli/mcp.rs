//! `materia mcp` and `materia bridge`: serve an agent on stdin and stdout.

use clap::Args;

use crate::door::{Listener, McpOptions as RetireAction};
use crate::view::Screen;

/// Serve an agent over the Model Context Protocol, on stdin and stdout
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    materia mcp\n  \
    materia mcp --session my-project      # the same runs again after a restart\n\n\
    Name this command where your agent lists its MCP servers. Every connection is a session of its own: it sees and \
    steers the runs that it started. It cannot trust a project, raise a budget or approve anything.")]
pub(super) struct Mcp {
    /// The session that the connection is; without one, a fresh one
    #[arg(long, value_name = "S")]
    session: Option<String>,
}

impl Mcp {
    pub(super) fn wish(self, listener: Listener, screen: Screen) -> RetireAction {
        RetireAction {
            session: self.session,
            listener,
            screen,
        }
    }
}
