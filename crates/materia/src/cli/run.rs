//! `materia run`: runs a template in the foreground.

use std::io;
use std::path::PathBuf;

use clap::Args;
use materia_engine::execute::{self, Outcome, Request, Status};
use materia_engine::launch::run::report;
use materia_engine::process::{DEFAULT_GRACE, Nursery};
use materia_engine::recipe::prepare::Prepared;
use materia_engine::registry::{self, Launch};
use materia_engine::store::dir::Scratch;

use super::input::Template;
use crate::view::style::Role;
use crate::view::{RunView, Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

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
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let spool = spool_dir(world);
        let stages = spool.join(format!(".materia-stages-{}", world.clock().fresh_id()));
        let prepared = self.template.prepare(world, Some(&stages))?;
        // What stages leave for later ones goes when the run is over.
        let _stages = prepared
            .plan
            .keeps_stages()
            .then(|| Scratch::exactly(&stages))
            .transpose()
            .map_err(|error| {
                ApiError::from_error(ErrorKind::Failed, "not_written", &error)
                    .hint("make room in TMPDIR")
            })?;
        if let (Some((name, digest)), Ok(home)) = (&prepared.own, world.home())
            && let Err(why) =
                registry::record(&home, name, digest, Launch::Direct, world.clock().now())
        {
            screen.talk(
                Role::Warning,
                "warning",
                &format!("this launch is not counted: {why}"),
            );
        }
        let mut view = RunView::new(world, screen, voice);
        view.notice(&prepared.strange);
        let outcome = self.execute(world, &prepared, &spool, &mut view)?;
        let (status, interrupted) = (outcome.status, outcome.interrupted);
        view.summary(&outcome);
        match voice {
            Voice::Human => view.output(&outcome),
            Voice::Json => {
                let ran = report(outcome, prepared.warnings(), &spool)
                    .map_err(|error| lost_output(&error))?;
                screen.document(&ran);
            }
        }
        Ok(match (interrupted, status, self.strict) {
            (true, ..) => ErrorKind::Interrupted.exit_code(),
            (false, Status::Failed, _) | (false, Status::Degraded, true) => {
                ErrorKind::Failed.exit_code()
            }
            (false, ..) => 0,
        })
    }

    fn execute(
        &self,
        world: &World,
        prepared: &Prepared,
        spool: &std::path::Path,
        view: &mut RunView,
    ) -> Result<Outcome, ApiError> {
        let cwd = world.cwd.as_ref().map_err(|error| {
            let message = format!("the working directory cannot be used: {error}");
            ApiError::new(ErrorKind::Invalid, "no_directory", message)
                .hint("go to a directory that exists, or use -C")
        })?;
        // Read before interrupts are caught, so that a person who types it can still leave.
        let stdin = self.template.stdin(world, spool)?;
        let mut nursery = Nursery::adopting().map_err(|error| internal(&error))?;
        nursery
            .catch_interrupts()
            .map_err(|error| internal(&error))?;
        let request = Request {
            plan: &prepared.plan,
            cwd: cwd.clone(),
            stdin,
            jobs: self.jobs.map(|jobs| jobs as usize),
            grace: DEFAULT_GRACE,
            spool: spool.to_owned(),
        };
        execute::run(&request, &mut nursery, view).map_err(|error| internal(&error))
    }
}

/// Where output is spooled.
pub(super) fn spool_dir(world: &World) -> PathBuf {
    world
        .variable("TMPDIR")
        .map(PathBuf::from)
        .filter(|dir| dir.is_dir())
        .unwrap_or_else(|| "/tmp".into())
}

pub(super) fn internal(error: &io::Error) -> ApiError {
    ApiError::from_error(ErrorKind::Internal, "internal", error).hint("see `materia doctor`")
}

fn lost_output(error: &io::Error) -> ApiError {
    let message = format!("the run is over, and its output cannot be kept: {error}");
    ApiError::new(ErrorKind::Failed, "output_lost", message).hint("make room in TMPDIR")
}
