//! `materia demo`: shows a whole cast to somebody who has never seen one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use materia_engine::api::GridFormat;
use materia_engine::config::Files;
use materia_engine::demo;
use materia_engine::editor::grid;

use super::cast::{failure, foreground};
use crate::view::{CastView, Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// How long an agent of the demo pretends to think when a person watches.
const PACE: Duration = Duration::from_millis(250);

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
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let temporary = world
            .variable("TMPDIR")
            .map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        let temporary = world.path(&temporary);
        let given = self.dir.as_deref().map(|dir| world.path(dir));
        let (clock, mut nursery) = (world.clock(), foreground()?);
        let project = demo::Project::create(given.as_deref(), &temporary, &clock, &mut nursery)
            .map_err(|error| told(&error, &temporary))?;
        let mut view = CastView::new(screen, voice);
        view.hears(nursery.interrupted());
        if voice == Voice::Human {
            let drawn = grid::grid(Files::shipped().snapshot().config(), Some(demo::LOADOUT))?;
            view.opening(
                demo::REQUEST,
                demo::LOADOUT,
                &drawn.text(GridFormat::Text),
                project.root(),
            );
        }
        let pace = if self.fast || !world.terminals.stderr {
            Duration::ZERO
        } else {
            PACE
        };
        let report = project
            .play(&clock, &mut nursery, &mut view, pace)
            .map_err(|error| told(&error, &temporary))?;
        view.rest();
        screen.report(&report, voice);
        Ok(super::cast::exit_code(&report.cast))
    }
}

/// How a demo that could not be shown leaves the house.
fn told(error: &demo::Error, temporary: &Path) -> ApiError {
    let typed = |kind, code: &str| ApiError::from_error(kind, code, error);
    match error {
        demo::Error::NoGit(_) => typed(ErrorKind::Invalid, "no_git")
            .hint("install git, for example with `apt install git`, and try again"),
        demo::Error::Git { .. } => {
            typed(ErrorKind::Failed, "git").hint("see `git --version`, and try again")
        }
        demo::Error::Taken(_) => {
            typed(ErrorKind::Conflict, "taken").hint("name a directory that is not there yet")
        }
        demo::Error::Dir(_) | demo::Error::Write(_) => {
            let shown = temporary.to_string_lossy();
            typed(ErrorKind::Failed, "storage").hint(format!(
                "make room in {shown}, or name a directory with --dir"
            ))
        }
        demo::Error::Script(findings) => ApiError::from_findings(findings.clone()),
        demo::Error::Cast(error) => failure(error),
    }
}
