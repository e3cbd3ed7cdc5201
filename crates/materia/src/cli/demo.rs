//! `materia demo`: shows a complete cast to new users.

use std::path::PathBuf;

use clap::Args;
use materia_engine::api::{ApiError, DemoRequest};

use crate::view::{CastView, OutputFormat, Screen};
use crate::world::World;

/// Watch a whole cast in a new repository: plan, build, evaluate, rework, commit
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia demo\n  materia demo --dir /tmp/visitors --fast\n\n\
    The agents' words come from a script, so that no model, account or network is needed; the files and the git \
    commits are real. Everything is in one new directory, which stays until you remove it."
)]
pub(super) struct Demo {
    /// Where to make the project, instead of a new directory for temporary files
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Do not wait between the steps
    #[arg(long)]
    fast: bool,
}

impl Demo {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let request = DemoRequest {
            directory: self.dir,
            paced: world.terminals.stderr && !self.fast,
        };
        let mut view = CastView::new(world, screen, format);
        let report = world.engine().demo(&request, &mut view)?;
        view.rest();
        screen.report(&report, format);
        Ok(report.cast.exit_code())
    }
}
