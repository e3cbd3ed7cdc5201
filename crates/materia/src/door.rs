//! Doors that stay open: what the command line asks for when it does not answer itself.
//!
//! Owns the wish, so that the door which parses words and the door which serves need not know each other.

use crate::view::Screen;
use crate::world::World;

/// How each door is opened; what comes back is the exit code.
#[derive(Debug)]
pub struct Doors {
    /// Serves an agent on stdin and stdout until it hangs up.
    pub mcp: fn(&World, &Mcp) -> u8,
}

/// How an agent is to be served.
#[derive(Debug)]
pub struct Mcp {
    /// The session that the agent's runs belong to; a fresh one where nothing is said.
    pub session: Option<String>,
    /// Who is at the other end.
    pub listener: Listener,
    /// Where answers go.
    pub screen: Screen,
}

/// Who is at the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// A client that asks, and is told nothing it did not ask for.
    Client,
    /// A host that wakes its agent: it is also told what runs say and how they end, each until it says that it heard.
    Host,
}
