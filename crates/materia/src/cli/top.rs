//! `materia top`: starts the terminal inspector, which is a separate front end.

use clap::Args;

use super::cast::AgentArgs;
use crate::door;
use crate::view::{OutputFormat, Screen};

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
    agents: AgentArgs,
}

impl Top {
    pub(super) fn wish(self, screen: Screen, format: OutputFormat) -> door::TopOptions {
        door::TopOptions {
            session: self.session,
            once: self.once,
            agents: self.agents.choice(),
            screen,
            format,
        }
    }
}
