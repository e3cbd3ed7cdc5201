//! `materia run`: runs a template in the foreground.

use clap::Args;

use super::input::Template;
use crate::view::{OutputFormat, RunView, Screen};
use crate::world::World;
use materia_engine::api::{ApiError, OutputMode, RunRequest};

/// Run a command template or a recipe and wait for it
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    materia run --template 'echo {name=world}' name=you\n  \
    materia run --template '[\"printf a\", \"cat\"]'\n  \
    materia run --template '{\"parallel\": true, \"template\": [\"cargo test\", \"cargo clippy\"]}'\n  \
    materia run --file build.json --values values.json --json\n  \
    materia run utility-git-log repo=. count=3\n\n\
    Exits with 0 when it went well or partly (a notice says so; --strict makes that 1), 1 when it failed, 2 when the \
    template or its values are wrong and nothing was started. Ctrl-C stops it politely, a second one kills it.")]
pub(super) struct Run {
    #[command(flatten)]
    template: Template,

    /// Run at most so many commands at the same time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,

    /// Exit with 1 also when only a part failed
    #[arg(long)]
    strict: bool,
}

impl Run {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let request = RunRequest {
            template: self.template.request()?,
            jobs: self.jobs.map(|jobs| jobs as usize),
            output: match format {
                OutputFormat::Human => OutputMode::Stream,
                OutputFormat::Json => OutputMode::Text,
            },
        };
        let mut view = RunView::new(world, screen, format);
        let report = world.engine().run(request, &mut view)?;
        view.report(&report);
        Ok(report.exit_code(self.strict))
    }
}
