//! The front ends of `materia`, for people, agents and browsers.
//!
//! Owns parsing and rendering: a [`World`] goes in, an exit code comes out. Computes nothing of its
//! own, and no front end uses another.
//!
//! The list below is the order of the modules: a module may use those above it, never those below.

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

/// The front ends that the command line starts and does not know. The server for browsers also
/// serves agents.
const DOORS: Doors = Doors {
    web: |world, wish| web::run(world, wish, mcp::mount),
    mcp: mcp::run,
    turn: mcp::turn,
    top: tui::run,
};

/// Does what the arguments say, and returns the exit code.
pub fn run(world: World) -> u8 {
    if api::is_supervisor(&world.args) {
        return api::supervise(&world.args, world.variables);
    }
    let format = view::OutputFormat::of(&world);
    let outcome =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| cli::run(world, &DOORS)));
    let code = outcome.unwrap_or_else(|panic| {
        let failure = ApiError::panicked(panic.as_ref());
        Screen::plain().failure(&failure, format);
        failure.kind.exit_code()
    });
    Screen::plain().ended(code)
}
