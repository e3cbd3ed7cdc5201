//! `materia top`: the terminal inspector, which is a front end of its own.

use clap::Args;
use materia_engine::api::AgentChoice;

use super::cast::Player;
use crate::door;
use crate::view::{Screen, Voice};
use crate::world::World;

/// Watch runs and casts live, and steer them, in the terminal
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia top\n  materia top --session \"$HOST_SESSION\"\n  materia top --once\n\n\
    Press ? for the keys. Leaving it touches nothing that runs. Without a terminal it prints one list and ends."
)]
pub(super) struct Top {
    /// The session whose runs to show; without one, all of them
    #[arg(long, value_name = "S")]
    session: Option<String>,

    /// Print the list once
    #[arg(long)]
    once: bool,

    #[command(flatten)]
    player: Player,
}

impl Top {
    pub(super) fn wish(self, world: &World, screen: Screen, voice: Voice) -> door::Top {
        let player = self.player.named(world);
        let agents = AgentChoice {
            agent: player.agent,
            script: player.script,
        };
        door::Top {
            session: self.session,
            once: self.once,
            agents,
            screen,
            voice,
        }
    }
}
