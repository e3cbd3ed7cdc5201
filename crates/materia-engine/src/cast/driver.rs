//! The driver: decide, perform, record, until the cast stops.
//!
//! Owns the loop, but no decision in it. The loop stops when the cast ends, when it waits for the
//! user, and when the user interrupts. Then it writes the snapshots. Work that was dispatched when
//! the user interrupted stays dispatched in the log: the next driver finds it in doubt and does
//! what its materia says (C22).

use std::path::Path;
use std::time::Duration;

use materia_model::cast::event::CastStart;
use materia_model::cast::{CastEffect, CastEventBody, CastFacts, CastState, Kernel};
use materia_model::loadout::graph::Socket;
use materia_model::materia::{MateriaBody, UtilityCommand};

use super::clean;
use super::context::CastContext;
use super::definition::Definition;
use super::error::Error;
use super::folder::Folder;
use super::input::Inputs;
use super::log::Log;
use super::order;
use super::sealed;
use crate::agent::Backend;
use crate::process::{DEFAULT_GRACE, end_carried};
use crate::store::dir;
use crate::utility;

/// Why a driver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriverStop {
    /// The cast ended.
    Ended,
    /// The cast waits for the user.
    Paused,
    /// The user interrupted; the cast can be resumed.
    Interrupted,
}

/// Drives one cast.
pub struct Driver<'a> {
    pub(super) kernel: Kernel,
    pub(super) log: Log,
    pub(super) folder: Folder,
    pub(super) inputs: Inputs,
    pub(super) context: CastContext<'a>,
}

impl<'a> Driver<'a> {
    /// Begins a cast: checks that all its sockets can be played, creates its directory and writes
    /// its first event.
    pub fn begin(
        definition: Definition,
        casts: &Path,
        request: &str,
        context: CastContext<'a>,
    ) -> Result<Self, Error> {
        playable(&definition, &context)?;
        let (mut folder, cast_id) = Folder::create(casts, context.clock)?;
        folder.guard(clean::secrets(definition.graph(), context.variables));
        let beginning = folder.write_definition(definition.text())?;
        let (mut more, data) = definition.beginning();
        more.insert("configSource".to_owned(), definition.sources());
        if let Some(seal) = definition.seal() {
            more.insert(sealed::FIELD.to_owned(), seal.into());
        }
        let loadout = definition.graph().name().to_owned();
        let start = CastStart {
            cast_id,
            request: request.to_owned(),
            loadout,
            data,
            more,
        };
        let (log, began) = Log::begin(&folder, context.clock, beginning, start)?;
        context.processes.carry(&folder.mark(&log.state().cast_id)?);
        let driver = Self::new(definition, folder, log, context);
        driver.context.observer.begin(driver.kernel.graph());
        driver.context.observer.event(&began, driver.log.state());
        Ok(driver)
    }

    /// Resumes an interrupted cast by the definition it began with. First ends the processes that a
    /// dead driver left running. We hold the lock of the log, so no living driver started them
    /// (A6).
    pub fn open(
        mut folder: Folder,
        definition: Definition,
        context: CastContext<'a>,
    ) -> Result<Self, Error> {
        folder.guard(clean::secrets(definition.graph(), context.variables));
        let log = Log::open(&folder, context.clock)?;
        let mark = folder.mark(&log.state().cast_id)?;
        let mut driver = Self::new(definition, folder, log, context);
        driver.context.observer.begin(driver.kernel.graph());
        driver.context.observer.reopen(driver.log.state());
        driver.end_orphans(&mark)?;
        driver.context.processes.carry(&mark);
        Ok(driver)
    }

    fn end_orphans(&mut self, mark: &str) -> Result<(), Error> {
        let swept = end_carried(mark, DEFAULT_GRACE);
        if swept.ended > 0 {
            self.log
                .note("orphans_ended", &serde_json::json!({"count": swept.ended}))?;
            self.context.observer.orphans_ended(swept.ended);
        }
        match swept.survivors.first() {
            None => Ok(()),
            Some(first) => Err(Error::Orphans {
                count: swept.survivors.len(),
                pid: first.pid,
            }),
        }
    }

    fn new(definition: Definition, folder: Folder, log: Log, context: CastContext<'a>) -> Self {
        let facts = CastFacts {
            cwd: context.cwd.to_string_lossy().into_owned(),
            run_dir: folder.path().to_string_lossy().into_owned(),
            state_file: None,
        };
        let (graph, settings) = definition.into_parts();
        Self {
            kernel: Kernel::new(graph, settings, facts),
            log,
            folder,
            inputs: Inputs::default(),
            context,
        }
    }

    /// The state of the cast.
    pub fn state(&self) -> &CastState {
        self.log.state()
    }

    /// The directory of the cast.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Whether the current socket can be played here. Checked before anything is recorded about it.
    pub fn ready(&self) -> Result<(), Error> {
        let graph = self.kernel.graph();
        let slot = self
            .state()
            .visit()
            .and_then(|visit| graph.find(&visit.place.socket));
        match slot.map(|slot| graph.socket(slot)) {
            Some(socket) => can_play(socket, self.context.agent.as_deref()),
            None => Ok(()),
        }
    }

    /// Drives the cast until it stops.
    pub fn drive(&mut self) -> Result<DriverStop, Error> {
        let stop = self.walk()?;
        self.settle()?;
        Ok(stop)
    }

    /// Flushes all events so far, before the caller acknowledges them.
    pub fn promise(&mut self) -> Result<(), Error> {
        self.log.promise()
    }

    /// Writes the documents that are derived from the log. A driver that was killed did not.
    pub fn settle(&mut self) -> Result<(), Error> {
        self.log.settle(&self.folder)
    }

    fn walk(&mut self) -> Result<DriverStop, Error> {
        loop {
            if self.context.processes.rest(Duration::ZERO).is_some() {
                return Ok(DriverStop::Interrupted);
            }
            if !self.state().status.is_end() {
                self.take_orders()?;
            }
            let goes_on = match self.kernel.decide(self.log.state()) {
                CastEffect::Record(body) => self.record(*body).map(|()| true)?,
                CastEffect::Ask(ask) => self.ask(&ask)?,
                CastEffect::Run(run) => self.run(&run)?,
                CastEffect::InDoubt => self.doubt()?,
                CastEffect::Wait => return Ok(DriverStop::Paused),
                CastEffect::Ended => return Ok(DriverStop::Ended),
            };
            if !goes_on {
                return Ok(DriverStop::Interrupted);
            }
        }
    }

    /// Logs the orders that the user gave meanwhile. An order is removed once it is in the log.
    pub(super) fn take_orders(&mut self) -> Result<(), Error> {
        for (order, body) in order::pending(&self.folder) {
            self.record(body)?;
            dir::remove_file(&order)?;
        }
        Ok(())
    }

    /// Logs an event and passes it to the observer.
    pub fn record(&mut self, body: CastEventBody) -> Result<(), Error> {
        let event = self.log.record(body)?;
        self.context.observer.event(&event, self.log.state());
        Ok(())
    }

    /// Logs events with one write, and passes them to the observer one by one.
    pub(super) fn record_all(&mut self, bodies: Vec<CastEventBody>) -> Result<(), Error> {
        let observer = &mut self.context.observer;
        self.log
            .record_all(bodies, |event, state| observer.event(event, state))
    }

    fn doubt(&mut self) -> Result<bool, Error> {
        let Some(body) = self.kernel.interrupted(self.log.state()) else {
            return Err(Error::OutOfStep);
        };
        self.record(body)?;
        Ok(true)
    }
}

/// Whether every socket can be played here. Checked before anything is started (T21).
fn playable(definition: &Definition, context: &CastContext<'_>) -> Result<(), Error> {
    let agent = context.agent.as_deref();
    let library = context.library.as_ref();
    let place = utility::template::TemplateContext {
        cwd: &context.cwd,
        home: context.home.as_deref(),
        stages: None,
    };
    definition
        .graph()
        .sockets()
        .iter()
        .try_for_each(|socket| match &socket.materia.kind {
            MateriaBody::Utility(program) => match &program.run {
                UtilityCommand::Command(_) => Ok(()),
                UtilityCommand::Shipped(name) if utility::find(name).is_some() => Ok(()),
                UtilityCommand::Shipped(_) => Err(unavailable(
                    socket,
                    "it does not ship with this program",
                    COMMAND,
                    false,
                )),
                UtilityCommand::Template(template) => {
                    let plan = utility::template::plan(
                        template,
                        &program.params,
                        place,
                        program.timeout_ms,
                    );
                    plan.map(drop).map_err(Error::Invalid)
                }
                UtilityCommand::Recipe(name) => match library {
                    Some(library) => {
                        let plan = utility::recipe::plan(
                            library,
                            name,
                            &program.params,
                            place,
                            program.timeout_ms,
                        );
                        plan.map(drop).map_err(Error::Invalid)
                    }
                    None => Err(unavailable(
                        socket,
                        "there is no place to look for recipes",
                        TEMPLATE,
                        false,
                    )),
                },
            },
            MateriaBody::Agent(_) => can_play(socket, agent),
        })
}

/// Whether there is an agent for a role.
fn can_play(socket: &Socket, agent: Option<&dyn Backend>) -> Result<(), Error> {
    let Some(role) = socket.materia.agent() else {
        return Ok(());
    };
    let Some(agent) = agent else {
        return Err(unavailable(socket, NO_AGENT, SCRIPT, true));
    };
    agent
        .can_play(role.agent.as_deref())
        .map_err(|missing| unavailable(socket, &missing.message, &missing.hint, true))
}

const NO_AGENT: &str = "there is no agent to play it";
const SCRIPT: &str = "play a script with --agent-script";
const TEMPLATE: &str = "write its template as the `template` of the materia";
const COMMAND: &str = "write what it runs as a `command`";

fn unavailable(socket: &Socket, why: &str, hint: &str, agent: bool) -> Error {
    let (socket, materia) = (socket.id.to_string(), socket.materia.id.clone());
    let (why, hint) = (why.to_owned(), hint.to_owned());
    Error::Unavailable {
        socket,
        materia,
        why,
        hint,
        agent,
    }
}
