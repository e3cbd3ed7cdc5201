//! `materia wait`: blocks until runs end.

use std::time::Duration;

use clap::Args;
use materia_engine::api::{ApiError, WaitRequest};

use crate::view::{OutputFormat, Screen, WaitView};
use crate::world::World;

/// Wait until runs are over
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia wait run:tests\n  materia wait run:a run:b --any --timeout 60\n\n\
    Says how they ended as soon as that is recorded, and ends itself when that is durable and nothing of them is left. \
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
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let request = WaitRequest {
            runs: self.runs,
            any: self.any,
            timeout: self.timeout,
            session: self.session,
        };
        let report = world
            .engine()
            .wait(&request, &mut WaitView::new(screen, format))?;
        Ok(report.exit_code())
    }
}

/// Parses a number of seconds, which may have a fraction.
pub(super) fn seconds(given: &str) -> Result<Duration, String> {
    let seconds: f64 = given
        .parse()
        .map_err(|_| format!("`{given}` is no number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{given}` is no number of seconds"))
}
