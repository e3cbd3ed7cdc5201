//! `materia receive`: takes the next message of a run, and acknowledges or fails it.

use std::time::Duration;

use clap::Args;
use materia_engine::api::{ApiError, ReceiveRequest, SettleRequest};

use super::wait::seconds;
use crate::view::{OutputFormat, ReceiveView, Screen};
use crate::world::World;

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
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let engine = world.engine();
        if let Some(message) = self.ack.or(self.fail) {
            let request = SettleRequest {
                message,
                error: self.error,
                address: self.address,
                holder: self.holder,
                session: self.session,
            };
            screen.report(&engine.settle(&request)?, format);
            return Ok(0);
        }
        let request = ReceiveRequest {
            address: self.address,
            timeout: self.timeout,
            holder: self.holder,
            session: self.session,
        };
        engine.receive(&request, &mut ReceiveView::new(screen, format))?;
        Ok(0)
    }
}
