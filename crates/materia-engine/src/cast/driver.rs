//! The driver: decide, perform, record, until the cast stops.
//!
//! Owns the loop, and nothing that is decided in it. It stops where the cast ends, where the person is waited for,
//! and where the person interrupts; then the snapshots are written. What was dispatched when the person interrupted
//! stays dispatched in the log: the next driver finds it in doubt and does what its materia says (C22).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::cast::event::CastStart;
use materia_model::cast::{Body, Effect, Event, Facts, Kernel, State};
use materia_model::loadout::graph::Socket;
use materia_model::materia::{Kind, Run};
use serde_json::Map;

use super::clean;
use super::definition::Definition;
use super::error::Error;
use super::folder::Folder;
use super::input::Inputs;
use super::log::Log;
use super::sealed;
use crate::agent::Backend;
use crate::clock::Clock;
use crate::process::{DEFAULT_GRACE, Nursery, end_carried};
use crate::utility;

/// Somebody who is told what happens in a cast.
pub trait Listener {
    /// A cast that was left is taken up in this state; nothing was done yet (C22).
    fn takes_up(&mut self, _state: &State) {}

    /// So many processes of a driver that died still ran, and were ended (A6).
    fn ended(&mut self, _orphans: usize) {}

    /// Something happened, and this is the state with it.
    fn tell(&mut self, event: &Event, state: &State);
}

/// Nobody.
#[derive(Debug)]
pub struct Silent;

impl Listener for Silent {
    fn tell(&mut self, _: &Event, _: &State) {}
}

/// Why a driver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The cast ended.
    Ended,
    /// The person is waited for.
    Paused,
    /// The person interrupted; the cast can be resumed.
    Interrupted,
}

/// Everything that a cast is driven with.
pub struct Driver<'a> {
    pub(super) kernel: Kernel,
    pub(super) log: Log,
    pub(super) folder: Folder,
    pub(super) cwd: PathBuf,
    pub(super) home: Option<PathBuf>,
    pub(super) agent: Option<&'a mut dyn Backend>,
    pub(super) nursery: &'a mut Nursery,
    pub(super) inputs: Inputs,
    listener: &'a mut dyn Listener,
}

/// What a driver is handed besides the cast.
pub struct Hands<'a> {
    /// The project directory.
    pub cwd: &'a Path,
    /// The person's home directory: what `~` means in templates (C20).
    pub home: Option<&'a Path>,
    /// The environment, for the values in it that must not be written down (S3).
    pub variables: &'a BTreeMap<OsString, OsString>,
    /// The clock.
    pub clock: &'a Clock,
    /// Who plays agents.
    pub agent: Option<&'a mut dyn Backend>,
    /// What runs processes, and tells of interrupts.
    pub nursery: &'a mut Nursery,
    /// Who is told what happens.
    pub listener: &'a mut dyn Listener,
}

impl<'a> Driver<'a> {
    /// Begins a cast: checks that its sockets can be played, makes its directory and writes its beginning.
    pub fn begin(
        definition: Definition,
        casts: &Path,
        request: &str,
        hands: Hands<'a>,
    ) -> Result<Self, Error> {
        playable(&definition, &hands)?;
        let (mut folder, cast_id) = Folder::create(casts, hands.clock)?;
        folder.guard(clean::secrets(definition.graph(), hands.variables));
        folder.write_definition(definition.text())?;
        let mut more = Map::new();
        more.insert("configSource".to_owned(), definition.sources());
        if let Some(seal) = definition.seal() {
            more.insert(sealed::FIELD.to_owned(), seal.into());
        }
        let loadout = definition.graph().name().to_owned();
        let start = CastStart { cast_id, request: request.to_owned(), loadout, data: Map::new(), more };
        let (log, began) = Log::begin(&folder, hands.clock, start)?;
        hands.nursery.carry(&folder.mark(&log.state().cast_id)?);
        let driver = Self::new(definition, folder, log, hands);
        driver.listener.tell(&began, driver.log.state());
        Ok(driver)
    }

    /// Takes up a cast that was left, by the definition it began with. What a driver that died left running is ended
    /// first: the log is ours by now, so that nobody who lives started it (A6).
    pub fn open(mut folder: Folder, hands: Hands<'a>) -> Result<Self, Error> {
        let definition = Definition::reopen(&folder.read_definition()?)?;
        folder.guard(clean::secrets(definition.graph(), hands.variables));
        let log = Log::open(&folder, hands.clock)?;
        let mark = folder.mark(&log.state().cast_id)?;
        let mut driver = Self::new(definition, folder, log, hands);
        driver.listener.takes_up(driver.log.state());
        driver.end_orphans(&mark)?;
        driver.nursery.carry(&mark);
        Ok(driver)
    }

    fn end_orphans(&mut self, mark: &str) -> Result<(), Error> {
        let swept = end_carried(mark, DEFAULT_GRACE);
        if swept.ended > 0 {
            self.log.note("orphans_ended", &serde_json::json!({"count": swept.ended}))?;
            self.listener.ended(swept.ended);
        }
        match swept.survivors.first() {
            None => Ok(()),
            Some(first) => Err(Error::Orphans { count: swept.survivors.len(), pid: first.pid }),
        }
    }

    fn new(definition: Definition, folder: Folder, log: Log, hands: Hands<'a>) -> Self {
        let facts = Facts {
            cwd: hands.cwd.to_string_lossy().into_owned(),
            run_dir: folder.path().to_string_lossy().into_owned(),
            state_file: None,
        };
        let (graph, settings) = definition.into_parts();
        Self {
            kernel: Kernel::new(graph, settings, facts),
            log,
            folder,
            cwd: hands.cwd.to_owned(),
            home: hands.home.map(Path::to_owned),
            agent: hands.agent,
            nursery: hands.nursery,
            inputs: Inputs::default(),
            listener: hands.listener,
        }
    }

    /// The state of the cast.
    pub fn state(&self) -> &State {
        self.log.state()
    }

    /// The directory of the cast.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Whether what the cast stands at can be played here; asked before anything is recorded about it.
    pub fn ready(&self) -> Result<(), Error> {
        let graph = self.kernel.graph();
        let slot = self.state().visit().and_then(|visit| graph.find(&visit.place.socket));
        match slot.map(|slot| graph.socket(slot)) {
            Some(socket) if socket.materia.agent().is_some() && self.agent.is_none() => {
                Err(unavailable(socket, NO_AGENT, SCRIPT, true))
            }
            _ => Ok(()),
        }
    }

    /// Drives the cast until it stops.
    pub fn drive(&mut self) -> Result<Stop, Error> {
        let stop = self.walk()?;
        self.settle()?;
        Ok(stop)
    }

    /// Writes the documents that come from the log, which a driver that was killed at the very end did not.
    pub fn settle(&self) -> Result<(), Error> {
        self.log.settle(&self.folder)
    }

    fn walk(&mut self) -> Result<Stop, Error> {
        loop {
            if self.nursery.rest(Duration::ZERO).is_some() {
                return Ok(Stop::Interrupted);
            }
            let goes_on = match self.kernel.decide(self.log.state()) {
                Effect::Record(body) => self.record(*body).map(|()| true)?,
                Effect::Ask(ask) => self.ask(&ask)?,
                Effect::Run(run) => self.run(&run)?,
                Effect::InDoubt => self.doubt()?,
                Effect::Wait => return Ok(Stop::Paused),
                Effect::Ended => return Ok(Stop::Ended),
            };
            if !goes_on {
                return Ok(Stop::Interrupted);
            }
        }
    }

    /// Writes down what happened and tells it.
    pub fn record(&mut self, body: Body) -> Result<(), Error> {
        let event = self.log.record(body)?;
        self.listener.tell(&event, self.log.state());
        Ok(())
    }

    fn doubt(&mut self) -> Result<bool, Error> {
        let Some(body) = self.kernel.interrupted(self.log.state()) else { return Err(Error::OutOfStep) };
        self.record(body)?;
        Ok(true)
    }
}

/// Whether everything that the sockets hold can be played here; asked before anything is started (T21).
fn playable(definition: &Definition, hands: &Hands<'_>) -> Result<(), Error> {
    definition.graph().sockets().iter().try_for_each(|socket| match &socket.materia.kind {
        Kind::Agent(_) if hands.agent.is_none() => Err(unavailable(socket, NO_AGENT, SCRIPT, true)),
        Kind::Utility(program) => match &program.run {
            Run::Command(_) => Ok(()),
            Run::Shipped(name) if utility::find(name).is_some() => Ok(()),
            Run::Shipped(_) => Err(unavailable(socket, "it does not ship with this program", COMMAND, false)),
            Run::Template(template) => {
                let Hands { cwd, home, .. } = *hands;
                let plan = utility::template::plan(template, &program.params, cwd, home, program.timeout_ms);
                plan.map(drop).map_err(Error::Invalid)
            }
            Run::Recipe(_) => Err(unavailable(socket, "casts run no recipes yet", TEMPLATE, false)),
        },
        Kind::Agent(_) => Ok(()),
    })
}

const NO_AGENT: &str = "there is no agent to play it";
const SCRIPT: &str = "play a script with --agent-script";
const TEMPLATE: &str = "write its template as the `template` of the materia";
const COMMAND: &str = "write what it runs as a `command`";

fn unavailable(socket: &Socket, why: &'static str, hint: &'static str, agent: bool) -> Error {
    let (socket, materia) = (socket.id.to_string(), socket.materia.id.clone());
    Error::Unavailable { socket, materia, why, hint, agent }
}
