//! `cast`, and everything that continues one: `link`, `fork`, `resume` and its variants.
//!
//! Owns the order: read the config once, choose the definition, require trust, then drive the cast
//! here or let a run drive it. Owns the context that casts are driven with.

use std::path::PathBuf;

use materia_model::loadout::{ConfigSettings, Graph};
use materia_model::run::{DrivenCast, RunOrigin};

use super::cast_status::CastStatusReport;
use super::spawn::{RunOptions, SpawnReport};
use super::{AgentChoice, ApiError, Engine};
use crate::cast::{self, CastContext, Definition, Folder, fork_point, link, list, start, status};
use crate::config::ConfigFiles;
use crate::launch::spawn::{self, RunSettings};
use crate::process::ProcessSet;

pub use crate::agent::Activity;
pub use crate::cast::CastObserver;
pub use crate::cast::start::{CastReport, ResumeAction};

/// What every request that drives a cast can say.
#[derive(Debug, Clone, Default)]
pub struct CastOptions {
    /// The config file on top of all others.
    pub config: Option<PathBuf>,
    /// The agents.
    pub agents: AgentChoice,
    /// Return at once and let a run drive the cast.
    pub detach: bool,
}

/// A request for a cast.
#[derive(Debug, Clone, Default)]
pub struct CastRequest {
    /// What should be done.
    pub request: String,
    /// The loadout; without one, the active loadout.
    pub loadout: Option<String>,
    /// How it is driven.
    pub options: CastOptions,
}

/// A request for a cast of several loadouts and materia, one after the other.
#[derive(Debug, Clone, Default)]
pub struct LinkRequest {
    /// The parts: `loadout:NAME`, `materia:NAME`, or the bare name.
    pub targets: Vec<String>,
    /// An earlier cast whose results the parts see.
    pub from: Option<String>,
    /// What should be done.
    pub request: String,
    /// How it is driven.
    pub options: CastOptions,
}

/// A request to continue a cast.
#[derive(Debug, Clone)]
pub struct ResumeRequest {
    /// Its id, the beginning of its id, or its directory; without one, the newest that suits.
    pub cast: Option<String>,
    /// How it is continued.
    pub action: ResumeAction,
    /// How it is driven.
    pub options: CastOptions,
}

/// A request for a new cast that begins after a finished step of another one.
#[derive(Debug, Clone, Default)]
pub struct ForkRequest {
    /// The other cast: its id, the beginning of its id, or its directory.
    pub cast: String,
    /// The step: its number, or its socket and visit.
    pub at: String,
    /// Whether the new cast is only created, and not driven.
    pub hold: bool,
    /// How it is driven.
    pub options: CastOptions,
}

/// The cast that a fork created.
#[derive(Debug)]
pub enum ForkReport {
    /// It was only created.
    Held(CastStatusReport),
    /// It was driven, or a run drives it.
    Driven(CastReport),
}

impl Engine {
    /// Starts a cast.
    pub fn cast(
        &self,
        request: &CastRequest,
        observer: &mut dyn CastObserver,
    ) -> Result<CastReport, ApiError> {
        let definition = self.choose_definition(request, observer)?;
        self.start_cast(definition, &request.request, &request.options, observer)
    }

    /// Starts a cast as a run with these options (A12).
    pub fn spawn_cast(
        &self,
        request: &CastRequest,
        run: &RunOptions,
        observer: &mut dyn CastObserver,
    ) -> Result<SpawnReport, ApiError> {
        let settings = self.run_settings(run, RunOrigin::Cast)?;
        let definition = self.choose_definition(request, observer)?;
        let agents = &request.options.agents;
        let begun = self.begin_cast(definition, &request.request, agents, observer)?;
        self.drive_by_run(&begun, agents, &settings)
    }

    /// Starts a cast of several loadouts and materia, one after the other.
    pub fn link(
        &self,
        request: &LinkRequest,
        observer: &mut dyn CastObserver,
    ) -> Result<CastReport, ApiError> {
        let files = self.config_files(request.options.config.as_deref())?;
        self.require_trust(&files, observer)?;
        let agent = request.options.agents.agent.as_deref();
        let mut definition = link::link(&files, &request.targets, agent)?;
        if let Some(from) = &request.from {
            let project = self.project()?;
            let earlier = link::earlier(project, &start::casts(project, &files), from)?;
            definition = definition.with_state("previousCastContext", earlier);
        }
        observer.warnings(definition.warnings());
        let definition = definition.sealed(self.home().ok().as_ref())?;
        self.start_cast(definition, &request.request, &request.options, observer)
    }

    /// The graph that [`Self::link`] would cast. Runs nothing.
    pub fn link_graph(&self, request: &LinkRequest) -> Result<Graph, ApiError> {
        let files = self.config_files(request.options.config.as_deref())?;
        let definition = link::link(&files, &request.targets, None)?;
        Ok(definition.graph().clone())
    }

    /// Continues a cast, or ends it.
    pub fn resume(
        &self,
        request: &ResumeRequest,
        observer: &mut dyn CastObserver,
    ) -> Result<CastReport, ApiError> {
        let ResumeRequest {
            cast,
            action,
            options,
        } = request;
        let (files, project) = (
            self.config_files(options.config.as_deref())?,
            self.project()?,
        );
        let casts = start::casts(project, &files);
        let folder = list::meant(project, &casts, cast.as_deref(), action)?;
        if *action == ResumeAction::Abort {
            cast::stop(&folder)?;
        } else {
            self.require_resumable(&folder, &files, observer)?;
        }
        self.resume_cast(folder, action, options, observer)
    }

    /// Makes a new cast that begins after a finished step of another one.
    pub fn fork(
        &self,
        request: &ForkRequest,
        observer: &mut dyn CastObserver,
    ) -> Result<ForkReport, ApiError> {
        let options = &request.options;
        let (files, project) = (
            self.config_files(options.config.as_deref())?,
            self.project()?,
        );
        let casts = start::casts(project, &files);
        let original = list::looked_at(project, &casts, Some(&request.cast))?;
        self.require_resumable(&original, &files, observer)?;
        let forked = fork_point::fork(&original, &casts, &request.at, self.clock())?;
        if request.hold {
            return Ok(ForkReport::Held(status::status(&forked, self.clock())?));
        }
        self.resume_cast(forked, &ResumeAction::Resume, options, observer)
            .map(ForkReport::Driven)
    }

    /// Chooses the definition of a cast. A config that a repository brings runs nothing before it is
    /// trusted.
    fn choose_definition(
        &self,
        request: &CastRequest,
        observer: &mut dyn CastObserver,
    ) -> Result<Definition, ApiError> {
        let files = self.config_files(request.options.config.as_deref())?;
        let agent = request.options.agents.agent.as_deref();
        let definition = Definition::choose(&files, request.loadout.as_deref(), agent)?;
        self.require_trust(&files, observer)?;
        observer.warnings(definition.warnings());
        Ok(definition.sealed(self.home().ok().as_ref())?)
    }

    fn start_cast(
        &self,
        definition: Definition,
        request: &str,
        options: &CastOptions,
        observer: &mut dyn CastObserver,
    ) -> Result<CastReport, ApiError> {
        if options.detach {
            let settings = self.run_settings(&RunOptions::default(), RunOrigin::Cast)?;
            let mut report = self.begin_cast(definition, request, &options.agents, observer)?;
            report.run = Some(self.drive_by_run(&report, &options.agents, &settings)?.run);
            return Ok(report);
        }
        self.drive_cast(definition, request, &options.agents, observer, |_| Ok(()))
    }

    /// Starts a cast and drives it here. `began` receives its id before anything is done.
    pub(super) fn drive_cast(
        &self,
        definition: Definition,
        request: &str,
        agents: &AgentChoice,
        observer: &mut dyn CastObserver,
        began: impl FnOnce(&str) -> Result<(), cast::Error>,
    ) -> Result<CastReport, ApiError> {
        let mut processes = ProcessSet::foreground().map_err(|error| ApiError::system(&error))?;
        let context = self.cast_context(agents, definition.settings(), &mut processes, observer)?;
        Ok(start::start(definition, request, context, began)?)
    }

    /// Starts a cast that a run will drive.
    fn begin_cast(
        &self,
        definition: Definition,
        request: &str,
        agents: &AgentChoice,
        observer: &mut dyn CastObserver,
    ) -> Result<CastReport, ApiError> {
        let mut processes = ProcessSet::new();
        let context = self.cast_context(agents, definition.settings(), &mut processes, observer)?;
        Ok(start::begin(definition, request, context)?)
    }

    /// Refuses to continue a cast that is not ours, or whose project is not trusted as it is now.
    fn require_resumable(
        &self,
        folder: &Folder,
        files: &ConfigFiles,
        observer: &mut dyn CastObserver,
    ) -> Result<(), ApiError> {
        if !self.trusts_everything() {
            cast::require_seal(folder, self.home().ok().as_ref())?;
        }
        self.require_trust(files, observer)
    }

    fn resume_cast(
        &self,
        folder: Folder,
        action: &ResumeAction,
        options: &CastOptions,
        observer: &mut dyn CastObserver,
    ) -> Result<CastReport, ApiError> {
        let definition = Definition::reopen(&folder.read_definition()?)?;
        let (agents, settings) = (&options.agents, definition.settings());
        if options.detach && *action != ResumeAction::Abort {
            let run = self.run_settings(&RunOptions::default(), RunOrigin::Cast)?;
            let mut processes = ProcessSet::new();
            let context = self.cast_context(agents, settings, &mut processes, observer)?;
            let mut report = start::prepare_resume(folder, definition, action, context)?;
            report.run = Some(self.drive_by_run(&report, agents, &run)?.run);
            return Ok(report);
        }
        let mut processes = if options.detach {
            ProcessSet::new()
        } else {
            ProcessSet::foreground().map_err(|error| ApiError::system(&error))?
        };
        let context = self.cast_context(agents, settings, &mut processes, observer)?;
        Ok(start::resume(folder, definition, action, context)?)
    }

    /// What a cast with these settings is driven with.
    fn cast_context<'a>(
        &'a self,
        agents: &AgentChoice,
        settings: &ConfigSettings,
        processes: &'a mut ProcessSet,
        observer: &'a mut dyn CastObserver,
    ) -> Result<CastContext<'a>, ApiError> {
        observer.interrupts(processes.interrupted());
        Ok(CastContext {
            cwd: self.project()?.to_owned(),
            home: self.user_home().map(Into::into),
            variables: self.variables(),
            clock: self.clock(),
            library: self.library().ok(),
            agent: Some(self.backend(agents, settings)?),
            processes,
            observer,
        })
    }

    /// Lets a run drive a cast that was begun.
    fn drive_by_run(
        &self,
        begun: &CastReport,
        agents: &AgentChoice,
        settings: &RunSettings,
    ) -> Result<SpawnReport, ApiError> {
        let cast = DrivenCast {
            id: begun.cast_id.clone(),
            dir: begun.run_dir.clone(),
            loadout: begun.loadout.clone(),
        };
        let options = self.driver_options(agents);
        Ok(spawn::spawn_cast(&self.runs()?, settings, cast, options)?)
    }
}
