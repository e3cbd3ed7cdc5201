//! `materia inspect`: shows runs, sessions and the state of materia itself.

use clap::Args;
use materia_engine::api::{ApiError, InspectRequest};

use crate::view::{FollowView, OutputFormat, Screen};
use crate::world::World;

/// Show runs, sessions and what they did
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    materia inspect run:tests\n  \
    materia inspect run:tests --view tail --lines 100 --follow\n  \
    materia inspect run:tests --view artifacts --json\n  \
    materia inspect run:tests --view mailbox\n  \
    materia inspect run:reviewer --view transcript      # what an agent was asked and said\n  \
    materia inspect room:tests --view messages\n  \
    materia inspect session:all --status active\n  \
    materia inspect recipes --view list\n  \
    materia inspect tool:materia --view triage\n\n\
    What is shown was looked at just now: a run whose supervisor died is ended and recorded first.")]
pub(super) struct Inspect {
    /// run:ID, room:ID, branch:ID/NAME, coordinator, session:S, session:all (which lists every run,
    /// and needs not be said), recipes, tool:NAME or tool:materia
    #[arg(
        value_name = "TARGET",
        default_value = "session:all",
        hide_default_value = true
    )]
    target: String,

    /// Which side of it: status, tail, transcript, messages, mailbox, communication, artifacts,
    /// files, previews, roster, contacts, runs, triage, doctor, list, imports, schema
    #[arg(long, value_name = "V")]
    view: Option<String>,

    /// How many lines, messages, members or runs (40; more than that also shows more than the last
    /// 64 KiB of a tail)
    #[arg(long, value_name = "N")]
    lines: Option<usize>,

    /// Only runs that stand so: all, active, terminal or a status
    #[arg(long, value_name = "S")]
    status: Option<String>,

    /// Go on showing a tail, messages or previews until the run is over; with --json one object a
    /// line
    #[arg(long)]
    follow: bool,

    /// The session that asks
    #[arg(long, value_name = "S")]
    session: Option<String>,
}

impl Inspect {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let request = InspectRequest {
            target: self.target,
            view: self.view,
            lines: self.lines,
            status: self.status,
            session: self.session,
            audience: format.audience(),
        };
        if self.follow {
            let mut view = FollowView::new(screen, format);
            world.engine().follow(&request, &mut view)?;
            view.end();
        } else {
            screen.report(&world.engine().inspect(&request)?, format);
        }
        Ok(0)
    }
}
