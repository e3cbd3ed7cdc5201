//! `materia wait`: blocks until runs are over.

use std::time::Duration;

use clap::Args;
use materia_engine::run::{Root, Until};
use materia_engine::verb::wait;

use super::spawn::{run_id, session};
use crate::failure::{Failure, Kind};
use crate::view::{Screen, Voice};
use crate::world::World;

/// Wait until runs are over
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia wait run:tests\n  materia wait run:a run:b --any --timeout 60\n\n\
    Exits with 0 when all of them are done, 1 otherwise, also when the time is over first; 3 when there is no such run."
)]
pub(super) struct Wait {
    /// Their addresses: run:ID
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<String>,

    /// Stop waiting after so many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    /// Wait for the first one only
    #[arg(long)]
    any: bool,

    /// The session that asks
    #[arg(long, value_name = "S")]
    session: Option<String>,
}

impl Wait {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, Failure> {
        let root = Root::new(world.home()?.runs());
        let ids = self.runs.iter().map(|run| run_id(run)).collect::<Result<Vec<_>, _>>()?;
        let until = if self.any { Until::Any } else { Until::All };
        let caller = session(world, self.session.as_deref())?;
        let waited = wait::wait(&root, &ids, until, self.timeout, caller.as_deref(), &world.clock())?;
        screen.report(&waited, voice);
        Ok(if waited.ok { 0 } else { Kind::Failed.exit_code() })
    }
}

/// A number of seconds, also a part of one.
pub(super) fn seconds(given: &str) -> Result<Duration, String> {
    let seconds: f64 = given.parse().map_err(|_| format!("`{given}` is no number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{given}` is no number of seconds"))
}
