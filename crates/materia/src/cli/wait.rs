//! `materia wait`: blocks until runs are over.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use materia_engine::inspect::wait;
use materia_engine::run::{self, Root, Until};
use materia_model::name::RunId;

use super::refer::whole;
use super::spawn::{run_id, session};
use crate::view::{Screen, Voice, WaitView};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// How many runs are followed while they are waited for.
const MOST_FOLLOWED: usize = 100;

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
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let root = Root::new(world.home()?.runs());
        let until = if self.any { Until::Any } else { Until::All };
        let caller = session(world, self.session.as_deref())?;
        let said = self
            .runs
            .iter()
            .map(|run| whole(world, &root, caller.as_deref(), bare(run)));
        let ids = said
            .map(|run| run_id(&run?))
            .collect::<Result<Vec<_>, _>>()?;
        let shown = (voice == Voice::Human)
            .then(|| looked_on(&root, &ids, world, screen))
            .flatten();
        let waited = wait::wait(
            &root,
            &ids,
            until,
            self.timeout,
            caller.as_deref(),
            &world.clock(),
        )?;
        if let Some(view) = shown {
            view.ended(waited.runs.iter().map(|run| run.status));
        }
        screen.report(&waited, voice);
        // Said first, because somebody waits for it; but when we are over, it is durable and
        // written down, and nothing of the runs is left.
        waited.leaving.see_off(&world.clock());
        Ok(if waited.ok {
            0
        } else {
            ErrorKind::Failed.exit_code()
        })
    }
}

/// Shows on a terminal what the runs write meanwhile: a thread follows each, which ends with its
/// run or with us.
fn looked_on(root: &Root, ids: &[RunId], world: &World, screen: Screen) -> Option<WaitView> {
    let view = WaitView::new(screen, ids.iter().map(RunId::as_str))?;
    for (index, id) in ids.iter().enumerate().take(MOST_FOLLOWED) {
        let (place, clock, teller) = (root.place(id), world.clock(), view.teller(index));
        let from = [place.stdout(), place.stderr()].map(|log| near_the_end(&log));
        let follow = move || {
            let _gone = run::follow(&place, from, &clock, |_, bytes| {
                teller.saw(bytes);
                true
            });
            if let Ok(state) = run::recorded(&place) {
                teller.ended(state.status);
            }
        };
        let _no_thread = std::thread::Builder::new()
            .name("follows".to_owned())
            .spawn(follow);
    }
    Some(view)
}

fn bare(given: &str) -> &str {
    given.strip_prefix("run:").unwrap_or(given)
}

/// Where to begin with a log of which only the last line is shown.
fn near_the_end(log: &Path) -> u64 {
    log.metadata()
        .map_or(0, |log| log.len().saturating_sub(4096))
}

/// A number of seconds, also a part of one.
pub(super) fn seconds(given: &str) -> Result<Duration, String> {
    let seconds: f64 = given
        .parse()
        .map_err(|_| format!("`{given}` is no number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{given}` is no number of seconds"))
}
