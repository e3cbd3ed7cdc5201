//! The doors of `materia`: what people, agents and browsers talk to.
//!
//! Owns the translation between the outside and the engine: a [`World`] goes in, an exit code comes
//! out. Computes nothing of its own, and no door uses another door.
//!
//! The list below is the order of the rooms: a room may use rooms above it, never below.

pub mod world;
pub mod view;
pub mod door;
pub mod cli;
pub mod tui;
pub mod web;
pub mod mcp;

pub use world::{Terminals, World};

use door::Doors;
use materia_engine::api::{self, ApiError};
use view::Screen;

/// The doors that the command line opens and does not know; agents also come in through the
/// browsers' server.
const DOORS: Doors = Doors {
    web: |world, wish| web::run(world, wish, mcp::mount),
    mcp: mcp::run,
    turn: mcp::turn,
    top: tui::run,
};

/// Does what the world's arguments say, and tells how it went as an exit code.
pub fn run(world: World) -> u8 {
    if api::is_supervisor(&world.args) {
        return api::supervise(&world.args, world.variables);
    }
    let voice = view::Voice::of(&world);
    let outcome =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| cli::run(world, &DOORS)));
    let code = outcome.unwrap_or_else(|panic| {
        let failure = ApiError::panicked(panic.as_ref());
        Screen::plain().failure(&failure, voice);
        failure.kind.exit_code()
    });
    Screen::plain().ended(code)
}
