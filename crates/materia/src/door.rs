//! Doors that stay open: what the command line asks for when it does not answer itself.
//!
//! Owns the wish, so that the door which parses words and the doors which serve need not know each
//! other.

use axum::Router;
use materia_engine::api::{AgentChoice, ApiError};

use crate::view::{Screen, Voice};
use crate::world::World;

/// How each door is opened; what comes back is the exit code.
#[derive(Debug)]
pub struct Doors {
    /// Serves browsers until it is interrupted.
    pub web: fn(&World, &Web) -> u8,
    /// Serves an agent on stdin and stdout until it hangs up.
    pub mcp: fn(&World, &Mcp) -> u8,
    /// Shows a person what runs until they have seen enough.
    pub top: fn(&World, &Top) -> u8,
    /// Carries one turn of an agent to the host of its session, and what comes of it back.
    pub turn: fn(&World, Screen) -> u8,
}

/// Opens a door inside the server of another one.
pub type Mount = fn(&World) -> Result<Mounted, ApiError>;

/// A door inside the server of another one, which looks at who comes in.
pub struct Mounted {
    /// What it answers.
    pub routes: Router,
    /// Ends what it has begun.
    pub end: Box<dyn FnOnce() + Send>,
}

impl std::fmt::Debug for Mounted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mounted").finish_non_exhaustive()
    }
}

/// What a person wants to look at.
#[derive(Debug)]
pub struct Top {
    /// The session whose runs are shown; all of them where nothing is said.
    pub session: Option<String>,
    /// Whether one look is enough.
    pub once: bool,
    /// The agents of casts that are continued from there.
    pub agents: AgentChoice,
    /// Where it is drawn.
    pub screen: Screen,
    /// In which voice.
    pub voice: Voice,
}

/// How a browser is to be served.
#[derive(Debug)]
pub struct Web {
    /// The port; where nothing is said, the usual one or any other that is free.
    pub port: Option<u16>,
    /// The address to listen on.
    pub host: String,
    /// Whether a browser is opened.
    pub open: bool,
    /// Who is told where to look, and how.
    pub screen: Screen,
    /// In which voice.
    pub voice: Voice,
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
    /// A host that wakes its agent: it is also told what runs say and how they end, each until it
    /// says that it heard.
    Host,
}
