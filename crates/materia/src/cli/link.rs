//! `materia link` and `materia autocast`: cast loadouts and materia that no config combines.

use clap::Args;
use materia_engine::api::{ApiError, ErrorKind, LinkRequest};
use materia_model::picture;

use super::cast::AgentArgs;
use super::config::Config;
use crate::view::{CastView, OutputFormat, Screen, painted};
use crate::world::World;

/// Cast several loadouts and materia, one behind the other
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia link Planning-Consult Full-Auto -- \"rewrite the parser\"\n  \
    materia link materia:Cover loadout:Release materia:Narrate -- \"raise the coverage\"\n  \
    materia link --from 2026-01-01T00-00 Chain-Context Full-Auto -- \"go on with it\"\n  \
    materia link Planning-Consult Full-Auto --draw\n\n\
    Every end of one part leads into the next. Nothing is written to a config."
)]
pub(super) struct Link {
    /// Loadouts and materia: `loadout:NAME`, `materia:NAME`, or the bare name
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<String>,

    /// An earlier cast whose results the parts see as `state.previousCastContext`
    #[arg(long, value_name = "ID")]
    from: Option<String>,

    /// Only draw what would be cast
    #[arg(long)]
    draw: bool,

    /// Answer at once and let the cast run on by itself
    #[arg(long, conflicts_with = "draw")]
    detach: bool,

    #[command(flatten)]
    config: Config,

    #[command(flatten)]
    agents: AgentArgs,

    /// What should be done
    #[arg(value_name = "REQUEST", last = true)]
    request: Vec<String>,
}

/// Cast one loadout or materia by name; the active loadout stays what it is
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia autocast materia:Narrate \"tell what changed last week\"\n  \
    materia autocast Release \"prepare version 2\""
)]
pub(super) struct Autocast {
    /// `loadout:NAME`, `materia:NAME`, or the bare name
    #[arg(value_name = "TARGET")]
    target: String,

    /// What should be done
    #[arg(value_name = "REQUEST")]
    request: String,

    /// Answer at once and let the cast run on by itself
    #[arg(long)]
    detach: bool,

    #[command(flatten)]
    config: Config,

    #[command(flatten)]
    agents: AgentArgs,
}

impl Link {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let is_empty = self.request.is_empty();
        let request = LinkRequest {
            targets: self.targets,
            from: self.from,
            request: self.request.join(" "),
            options: self.agents.options(self.config, self.detach),
        };
        if self.draw {
            let graph = world.engine().link_graph(&request)?;
            match format {
                OutputFormat::Human => {
                    screen.text(&painted(&picture::text(&graph), screen.results_in_colour()));
                }
                OutputFormat::Json => screen.document(&picture::json(&graph)),
            }
            return Ok(0);
        }
        if is_empty {
            let message = "it is not said what should be done";
            return Err(ApiError::new(ErrorKind::Invalid, "usage", message)
                .hint("write it behind `--`: materia link Planning-Consult Full-Auto -- \"…\""));
        }
        cast(&request, world, screen, format)
    }
}

impl Autocast {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let request = LinkRequest {
            targets: vec![self.target],
            from: None,
            request: self.request,
            options: self.agents.options(self.config, self.detach),
        };
        cast(&request, world, screen, format)
    }
}

fn cast(
    request: &LinkRequest,
    world: &World,
    screen: Screen,
    format: OutputFormat,
) -> Result<u8, ApiError> {
    let mut view = CastView::new(world, screen, format);
    let report = world.engine().link(request, &mut view)?;
    view.report(&report);
    Ok(report.exit_code())
}
