//! `materia cast`: drives a request through a loadout in the foreground.

use std::path::{Path, PathBuf};

use clap::Args;
use materia_engine::agent::{Backend, Players, Roster, Scripted};
use materia_engine::cast::start::{self, Asked, CastReport};
use materia_engine::cast::{Definition, Error, Hands};
use materia_engine::launch::spawn::{self, RunSettings, SpawnReport};
use materia_engine::process::Nursery;
use materia_engine::run::Root;
use materia_model::cast::{Code, Status};
use materia_model::finding::Source;
use materia_model::loadout::Settings;
use materia_model::name::RunId;
use materia_model::run::Origin;

use super::config::{Config, project};
use super::input::read_text;
use super::run::{internal, spool_dir};
use super::spawn::{parent, session};
use super::trust;
use crate::door;
use crate::view::{CastView, Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// Drive a request through a loadout
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    materia cast --config hello.json \"say hello\"\n  \
    materia cast --config flow.json --loadout Review \"look at the last commit\"\n  \
    materia cast --agent pi \"fix the failing test\"\n  \
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
    /// The agent that plays roles which name none
    #[arg(long, value_name = "A")]
    agent: Option<String>,

    /// A file with the replies of a scripted agent
    #[arg(long, value_name = "F", conflicts_with = "agent")]
    agent_script: Option<PathBuf>,
}

impl Cast {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let mut view = CastView::new(screen, voice);
        let report = if self.detach {
            let wanted = wanted(world, None, None)?;
            self.detached(world, &mut view, &wanted, screen, voice)?.0
        } else {
            let definition = self.definition(world, &view, screen, voice)?;
            let settings = definition.settings().clone();
            self.player
                .play(world, &settings, foreground()?, &mut view, |hands| {
                    start::start(definition, &self.request, hands)
                })?
        };
        view.report(&report);
        Ok(exit_code(&report))
    }

    /// A cast that is to be driven by a run.
    pub(super) fn for_a_run(
        request: String,
        loadout: String,
        config: Config,
        player: Player,
    ) -> Self {
        Self {
            request,
            loadout: Some(loadout),
            detach: true,
            config,
            player,
        }
    }

    /// Begins the cast and lets a run drive it (A12).
    pub(super) fn detached(
        &self,
        world: &World,
        view: &mut CastView,
        wanted: &RunSettings,
        screen: Screen,
        voice: Voice,
    ) -> Result<(CastReport, SpawnReport), ApiError> {
        let definition = self.definition(world, view, screen, voice)?;
        detach(definition, &self.request, &self.player, world, view, wanted)
    }

    fn definition(
        &self,
        world: &World,
        view: &CastView,
        screen: Screen,
        voice: Voice,
    ) -> Result<Definition, ApiError> {
        let files = self.config.files(world)?;
        let home = world.home().ok();
        let trusting = trust::settled(world, &files, screen, voice)?;
        let asked = Asked {
            loadout: self.loadout.as_deref(),
            files: &files,
            home: home.as_ref(),
            trusting,
            agent: self.player.name(),
        };
        let definition = start::choose(&asked).map_err(|error| failure(&error))?;
        view.notice(definition.strange());
        Ok(definition)
    }
}

/// Begins a cast and lets a run drive it (A12).
pub(super) fn detach(
    definition: Definition,
    request: &str,
    player: &Player,
    world: &World,
    view: &mut CastView,
    wanted: &RunSettings,
) -> Result<(CastReport, SpawnReport), ApiError> {
    let settings = definition.settings().clone();
    // A nursery that adopts orphans would take the supervisor for one.
    let report = player.play(world, &settings, Nursery::new(), view, |hands| {
        start::begin(definition, request, hands)
    })?;
    driven(report, player, world, wanted)
}

/// Lets a run drive a cast that was begun.
pub(super) fn driven(
    mut report: CastReport,
    player: &Player,
    world: &World,
    wanted: &RunSettings,
) -> Result<(CastReport, SpawnReport), ApiError> {
    let root = Root::new(world.home()?.runs());
    let drives = materia_model::run::Cast {
        id: report.cast_id.clone(),
        dir: report.run_dir.clone(),
        loadout: report.loadout.clone(),
    };
    let spawned = spawn::spawn_cast(&root, wanted, drives, player.words(world))?;
    report.run = Some(spawned.run.clone());
    Ok((report, spawned))
}

/// The run that drives a cast.
pub(super) fn wanted(
    world: &World,
    id: Option<RunId>,
    said: Option<&str>,
) -> Result<RunSettings, ApiError> {
    let root = Root::new(world.home()?.runs());
    Ok(RunSettings {
        id,
        origin: Origin::Cast,
        session: session(world, said)?,
        parent: parent(world, &root),
        cwd: project(world)?.to_owned(),
        spool: spool_dir(world),
        clock: world.clock(),
        ..RunSettings::default()
    })
}

impl Player {
    /// Whether somebody was named.
    pub(super) fn is_named(&self) -> bool {
        self.agent.is_some() || self.agent_script.is_some()
    }

    /// The agent that was named.
    pub(super) fn name(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// The script that was named, for another process.
    pub(super) fn script(&self, world: &World) -> Option<String> {
        self.agent_script
            .as_ref()
            .map(|file| world.path(file).to_string_lossy().into_owned())
    }

    /// Who was named, for another door.
    pub(super) fn named(&self, world: &World) -> door::Player {
        let script = self.agent_script.as_ref().map(|file| world.path(file));
        door::Player {
            agent: self.agent.clone(),
            script,
        }
    }

    /// The words by which another process gets the same player.
    pub(super) fn words(&self, world: &World) -> Vec<String> {
        self.named(world).words()
    }

    /// Drives a cast with everything that this process has for it.
    pub(super) fn play(
        &self,
        world: &World,
        settings: &Settings,
        mut nursery: Nursery,
        view: &mut CastView,
        drive: impl FnOnce(Hands<'_>) -> Result<CastReport, Error>,
    ) -> Result<CastReport, ApiError> {
        let cwd = project(world)?;
        view.hears(nursery.interrupted());
        let mut scripted = match &self.agent_script {
            None => None,
            Some(file) => {
                let source = Source::new(&file.to_string_lossy(), &read_text(world, file)?);
                Some(Scripted::read(&source).map_err(ApiError::from_findings)?)
            }
        };
        let mut players = Players::new(Roster::new(settings, self.agent.as_deref(), cwd));
        let agent: &mut dyn Backend = match &mut scripted {
            Some(scripted) => scripted,
            None => &mut players,
        };
        let library = super::input::library(world).ok();
        let hands = Hands {
            cwd,
            library: library.as_ref(),
            home: world.variable("HOME").map(Path::new),
            variables: &world.variables,
            clock: &world.clock(),
            agent: Some(agent),
            nursery: &mut nursery,
            listener: view,
        };
        drive(hands).map_err(|error| failure(&error))
    }
}

/// What runs the processes of a cast that this process drives: nothing escapes it, and Ctrl-C is an
/// event.
pub(super) fn foreground() -> Result<Nursery, ApiError> {
    let mut nursery = Nursery::adopting().map_err(|error| internal(&error))?;
    nursery
        .catch_interrupts()
        .map_err(|error| internal(&error))?;
    Ok(nursery)
}

/// The exit code that a report asks for.
pub(super) fn exit_code(report: &CastReport) -> u8 {
    if report.interrupted {
        return ErrorKind::Interrupted.exit_code();
    }
    match (report.status, report.error.as_ref().map(|error| error.code)) {
        (_, None) | (Status::Complete | Status::Paused | Status::Running, _) => 0,
        (_, Some(code)) if code.is_limit() => ErrorKind::Limit.exit_code(),
        (_, Some(Code::AgentAuth | Code::AgentUnavailable)) => ErrorKind::Agent.exit_code(),
        _ => ErrorKind::Failed.exit_code(),
    }
}

/// How an error of the engine leaves the house.
pub(super) fn failure(error: &Error) -> ApiError {
    error.into()
}
