//! `materia cast`: drives a request through a loadout in the foreground.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use materia_engine::agent::{Backend, Scripted};
use materia_engine::cast::{Error, Hands};
use materia_engine::process::Nursery;
use materia_engine::verb::cast::{self, Asked, Report};
use materia_model::cast::{Code, Status};
use materia_model::finding::Source;

use super::config::{Config, project};
use super::input::read_text;
use super::run::internal;
use super::trust;
use crate::failure::{Failure, Kind};
use crate::view::{CastView, Screen, Voice};
use crate::world::World;

/// Drive a request through a loadout
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    materia cast --config hello.json \"say hello\"\n  \
    materia cast --config flow.json --loadout Review \"look at the last commit\"\n  \
    materia cast --config flow.json --agent-script replies.json --json \"try it without a model\"\n\n\
    Everything that happens is kept in the cast's directory, which the last line names. Exits with 0 when the cast is \
    complete or paused, 1 when it failed, 2 when the definition is wrong and nothing was started, 6 without an agent, 7 \
    at a limit. Ctrl-C stops the running step and leaves the cast resumable.")]
pub(super) struct Cast {
    /// What should be done
    #[arg(value_name = "REQUEST")]
    request: String,

    /// The loadout to use instead of the active one
    #[arg(long, value_name = "NAME")]
    loadout: Option<String>,

    /// Answer at once and let the cast run on by itself
    #[arg(long)]
    detach: bool,

    #[command(flatten)]
    config: Config,

    #[command(flatten)]
    player: Player,
}

/// Who plays the agents.
#[derive(Debug, Args)]
pub(super) struct Player {
    /// A file with the replies of a scripted agent
    #[arg(long, value_name = "F")]
    agent_script: Option<PathBuf>,
}

impl Cast {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, Failure> {
        let files = self.config.files(world)?;
        let home = world.home().ok();
        let trusting = trust::settled(world, &files, home.as_ref(), screen, voice)?;
        let asked = Asked { loadout: self.loadout.as_deref(), files: &files, home: home.as_ref(), trusting };
        let definition = cast::choose(&asked).map_err(|error| failure(&error))?;
        let mut view = CastView::new(screen, voice);
        view.notice(definition.strange());
        // A nursery that adopts orphans would take the one that is detached for one.
        let nursery = if self.detach { Nursery::new() } else { foreground()? };
        let report = self.player.play(world, nursery, &mut view, |hands| {
            if self.detach {
                return cast::start_detached(definition, &self.request, self.player.words(world), hands);
            }
            cast::start(definition, &self.request, hands)
        })?;
        view.report(&report);
        Ok(exit_code(&report))
    }
}

impl Player {
    /// The words by which another process gets the same player.
    fn words(&self, world: &World) -> Vec<OsString> {
        let script =
            self.agent_script.iter().flat_map(|file| ["--agent-script".into(), world.path(file).into()]);
        script.collect()
    }

    /// Drives a cast with everything that this process has for it.
    pub(super) fn play(
        &self,
        world: &World,
        mut nursery: Nursery,
        view: &mut CastView,
        drive: impl FnOnce(Hands<'_>) -> Result<Report, Error>,
    ) -> Result<Report, Failure> {
        let cwd = project(world)?;
        let mut scripted = match &self.agent_script {
            None => None,
            Some(file) => {
                let source = Source::new(&file.to_string_lossy(), &read_text(world, file)?);
                Some(Scripted::read(&source).map_err(Failure::from_findings)?)
            }
        };
        let hands = Hands {
            cwd,
            home: world.variable("HOME").map(Path::new),
            variables: &world.variables,
            clock: &world.clock(),
            agent: scripted.as_mut().map(|agent| agent as &mut dyn Backend),
            nursery: &mut nursery,
            listener: view,
        };
        drive(hands).map_err(|error| failure(&error))
    }
}

/// What runs the processes of a cast that this process drives: nothing escapes it, and Ctrl-C is an event.
pub(super) fn foreground() -> Result<Nursery, Failure> {
    let mut nursery = Nursery::adopting().map_err(|error| internal(&error))?;
    nursery.catch_interrupts().map_err(|error| internal(&error))?;
    Ok(nursery)
}

/// The exit code that a report asks for.
pub(super) fn exit_code(report: &Report) -> u8 {
    if report.interrupted {
        return Kind::Interrupted.exit_code();
    }
    match (report.status, report.error.as_ref().map(|error| error.code)) {
        (_, None) | (Status::Complete | Status::Paused | Status::Running, _) => 0,
        (_, Some(code)) if code.is_limit() => Kind::Limit.exit_code(),
        (_, Some(Code::AgentAuth | Code::AgentUnavailable)) => Kind::Agent.exit_code(),
        _ => Kind::Failed.exit_code(),
    }
}

/// How an error of the engine leaves the house.
pub(super) fn failure(error: &Error) -> Failure {
    error.into()
}
