//! `materia receive`: a program takes its next message, and says what became of it.

use std::time::Duration;

use clap::Args;
use materia_engine::post::{Ending, Wait};
use materia_engine::routing::receive::{self, Asked};
use materia_engine::run::Root;
use materia_model::message::Address;

use super::spawn::session;
use super::wait::seconds;
use crate::view::{Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// Take the next message of the run we are in, waiting for it
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    message=$(materia receive --json)\n  \
    materia receive --ack m17-x7k2m9qf3a\n  \
    materia receive --fail m17-x7k2m9qf3a --error \"no such suite\"\n  \
    materia receive --address branch:tests/worker-1 --timeout 5\n\n\
    The message is claimed for the program that called this one, past `timeout` and the like: nobody else gets it until \
    that program, or one that it started, says what became of it, or it ends. A message can come twice, with the same id, when somebody died over it. Exits with 1 when the time is \
    over, 4 when the run is.")]
pub(super) struct Receive {
    /// Whose messages: run:ID or branch:RUN/NAME; inside a run, that run
    #[arg(long, value_name = "A")]
    address: Option<String>,

    /// Stop waiting after so many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    /// A message was dealt with
    #[arg(long, value_name = "ID", conflicts_with_all = ["fail", "timeout"])]
    ack: Option<String>,

    /// A message could not be dealt with
    #[arg(
        long,
        value_name = "ID",
        requires = "error",
        conflicts_with = "timeout"
    )]
    fail: Option<String>,

    /// Why it could not
    #[arg(long, value_name = "E", requires = "fail")]
    error: Option<String>,

    /// The process that deals with it, instead of the one that called
    #[arg(long, value_name = "PID")]
    holder: Option<i32>,

    /// The session that asks
    #[arg(long, value_name = "S")]
    session: Option<String>,
}

impl Receive {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let root = Root::new(world.home()?.runs());
        let session = session(world, self.session.as_deref())?;
        let (within, clock) = (world.within(), world.clock());
        let address = self.address(world)?;
        let asked = Asked {
            root: &root,
            address: &address,
            session: session.as_deref(),
            within: within.as_ref(),
            holder: self.holder,
            clock: &clock,
        };
        let ending = match (self.ack, self.fail) {
            (Some(id), _) => Some((id, Ending::Handled)),
            (None, Some(id)) => Some((id, Ending::Failed(self.error.unwrap_or_default()))),
            (None, None) => None,
        };
        if let Some((id, ending)) = ending {
            screen.report(&receive::settle(&asked, &id, &ending)?, voice);
            return Ok(0);
        }
        let received = receive::receive(&asked, self.timeout.map_or(Wait::Forever, Wait::For))?;
        screen.report(&received.report, voice);
        // Nobody heard it: it stays ours, and is free again when we are gone.
        if screen.was_heard() {
            received.handed_over()?;
        }
        Ok(0)
    }

    fn address(&self, world: &World) -> Result<Address, ApiError> {
        let inherited = || world.variable("MATERIA_ADDRESS")?.to_str();
        let Some(given) = self.address.as_deref().or_else(inherited) else {
            let failure = ApiError::new(
                ErrorKind::Invalid,
                "usage",
                "nobody says whose messages to receive",
            );
            return Err(failure.hint("give --address run:ID, or call it inside a run"));
        };
        given
            .parse()
            .map_err(|error: materia_model::message::AddressError| {
                ApiError::from_error(ErrorKind::Invalid, "invalid_address", &error)
                    .hint(error.hint())
            })
    }
}
