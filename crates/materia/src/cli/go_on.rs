//! `materia resume`, `continue`, `recast`, `revive` and `abort`: continuing a cast that stopped.

use clap::Args;
use materia_engine::api::{ApiError, ResumeAction, ResumeRequest};

use super::cast::AgentArgs;
use super::config::Config;
use crate::view::{CastView, OutputFormat, Screen};
use crate::world::World;

/// Go on with a cast that was killed or interrupted
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia resume 2026-01-01T00-00\n  materia resume .pi/pi-materia/2026-01-01T00-00-00-000Z"
)]
pub(super) struct Resume {
    /// Its id, the beginning of its id, or its directory; the newest that suits where nothing is
    /// said
    #[arg(value_name = "ID")]
    id: Option<String>,

    #[command(flatten)]
    config: Config,

    #[command(flatten)]
    agents: AgentArgs,
}

/// Answer a paused cast, or let it finish
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia continue 2026-01-01T00-00 \"focus on the tests\"\n  materia continue 2026-01-01T00-00\n\n\
    With words it is one more turn of the conversation; without, the agent gives its final answer."
)]
pub(super) struct Continue {
    #[command(flatten)]
    cast: Resume,

    /// What to say
    #[arg(value_name = "TEXT")]
    words: Option<String>,
}

impl Continue {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        // No id contains a space. A single argument with a space is therefore the text, for the
        // newest cast that waits for an answer.
        let (id, text) = match (self.cast.id, self.words) {
            (Some(only), None) if only.contains(char::is_whitespace) => (None, Some(only)),
            given => given,
        };
        let cast = Resume { id, ..self.cast };
        cast.run(ResumeAction::Continue(text), world, screen, format)
    }
}

impl Resume {
    pub(super) fn run(
        self,
        action: ResumeAction,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let request = ResumeRequest {
            cast: self.id,
            action,
            options: self.agents.options(self.config, false),
        };
        let mut view = CastView::new(world, screen, format);
        let report = world.engine().resume(&request, &mut view)?;
        view.report(&report);
        Ok(report.exit_code())
    }
}
