//! Doors that stay open: what the command line asks for when it does not answer itself.
//!
//! Owns the wish, so that the door which parses words and the door which serves browsers need not know each other.

use crate::view::{Screen, Voice};
use crate::world::World;

/// How each door is opened; what comes back is the exit code.
#[derive(Debug)]
pub struct Doors {
    /// Serves browsers until it is interrupted.
    pub web: fn(&World, &Web) -> u8,
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
