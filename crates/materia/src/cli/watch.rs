//! `materia watch`: tells a host what its runs say and how they end, each once.

use std::time::Duration;

use clap::Args;
use materia_engine::post::News;
use materia_engine::process::Interrupts;
use materia_engine::routing::watch::{self, Listening, Over, Whose};
use materia_engine::run::Root;

use super::spawn::session;
use crate::view::{NewsView, Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// How long somebody who is interrupted may take to remember what it told.
const PATIENCE: Duration = Duration::from_secs(5);

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
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let root = Root::new(world.home()?.runs());
        let session = session(world, self.session.as_deref())?
            .map(|session| session.parse())
            .transpose()?;
        let mut view = NewsView::default();
        let within = world.within().filter(|_| self.session.is_none());
        let whose = Whose {
            session: session.as_ref(),
            within: within.as_ref(),
        };
        let tell = |news: &News| {
            match voice {
                Voice::Json => screen.document(news),
                Voice::Human => screen.text(&view.line(news, screen.results_in_colour())),
            }
            if screen.was_heard() {
                Listening::Yes
            } else {
                Listening::No
            }
        };
        let over = watch::watch(
            &root,
            whose,
            self.once,
            &Interrupts::catch_for(PATIENCE),
            &world.clock(),
            tell,
        )?;
        Ok(if over == Over::Interrupted {
            ErrorKind::Interrupted.exit_code()
        } else {
            0
        })
    }
}
