//! `materia watch`: reports the messages and ends of runs to a host, each once.

use clap::Args;
use materia_engine::api::{ApiError, WatchRequest};

use crate::view::{NewsView, OutputFormat, Screen};
use crate::world::World;

/// Tell what runs say to their coordinator and how they end, as it happens
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    materia watch --session \"$HOST_SESSION\" --json\n  \
    materia watch                # everything, from now on\n\n\
    With --json one JSON object a line. Every session has its own mark of what it was told, so a watcher that is started \
    again goes on where the last one stopped. One process at a time can watch for a session. Inside a run the mark is the \
    run's own, unless --session is given: the session's host is told all the same. Whoever interrupts it is not told anything \
    twice.")]
pub(super) struct Watch {
    /// The session whose runs to watch; without one, all of them
    #[arg(long, value_name = "S")]
    session: Option<String>,

    /// End when everything that has happened so far was told
    #[arg(long)]
    once: bool,
}

impl Watch {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let request = WatchRequest {
            session: self.session,
            once: self.once,
        };
        let mut view = NewsView::new(screen, format);
        let end = world.engine().watch(&request, &mut view)?;
        Ok(end.exit_code())
    }
}
