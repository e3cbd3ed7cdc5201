//! The front ends that keep running, as the command line starts them.
//!
//! Owns their options, so that the command line and the other front ends do not use each other.

use axum::Router;
use materia_engine::api::{AgentChoice, ApiError};

use crate::view::{OutputFormat, Screen};
use crate::world::World;

/// The function that starts each front end and returns the exit code.
#[derive(Debug)]
pub struct Doors {
    /// Serves browsers until it is interrupted.
    pub web: fn(&World, &WebOptions) -> u8,
    /// Serves an agent on stdin and stdout until it closes them.
    pub mcp: fn(&World, &McpOptions) -> u8,
    /// Shows what runs until the user quits.
    pub top: fn(&World, &TopOptions) -> u8,
    /// Relays one turn of an agent to the host of its session, and the result back.
    pub turn: fn(&World, Screen) -> u8,
}

/// Makes a front end a part of the server of another one.
pub type Mount = fn(&World) -> Result<Mounted, ApiError>;

/// A front end inside the server of another one, which authenticates its callers.
pub struct Mounted {
    /// Its routes.
    pub routes: Router,
    /// Ends what it started.
    pub end: Box<dyn FnOnce() + Send>,
}

impl std::fmt::Debug for Mounted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mounted").finish_non_exhaustive()
    }
}

/// The options of the terminal inspector.
#[derive(Debug)]
pub struct TopOptions {
    /// The session whose runs are shown; all runs without one.
    pub session: Option<String>,
    /// Whether to show everything once, and end.
    pub once: bool,
    /// The agents of casts that are continued from there.
    pub agents: AgentChoice,
    /// Where it is shown.
    pub screen: Screen,
    /// In which format.
    pub format: OutputFormat,
}

/// The options of the server for browsers.
#[derive(Debug)]
pub struct WebOptions {
    /// The port; without one, the usual one or any other that is free.
    pub port: Option<u16>,
    /// The address to listen on.
    pub host: String,
    /// Whether a browser is opened.
    pub open: bool,
    /// Where the address is shown.
    pub screen: Screen,
    /// In which format.
    pub format: OutputFormat,
}

/// The options of the server for agents.
#[derive(Debug)]
pub struct McpOptions {
    /// The session that the agent's runs belong to; a new one without it.
    pub session: Option<String>,
    /// The kind of its client.
    pub listener: Listener,
    /// Where answers go.
    pub screen: Screen,
}

/// The kind of client at the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// A client that gets responses only.
    Client,
    /// A host that wakes its agent. It also gets the messages and ends of runs, each until it
    /// acknowledges them.
    Host,
}
