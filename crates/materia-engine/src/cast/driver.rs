//! The driver: decide, perform, record, until the cast stops.
//!
//! Owns the loop, and nothing that is decided in it. It stops where the cast ends, where the person
//! is waited for, and where the person interrupts; then the snapshots are written. What was
//! dispatched when the person interrupted stays dispatched in the log: the next driver finds it in
//! doubt and does what its materia says (C22).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::cast::event::{CastStart, Place};
use materia_model::cast::{Body, Effect, Event, Facts, Kernel, State};
use materia_model::loadout::graph::{Graph, Socket};
use materia_model::materia::{Kind, Run};

use super::clean;
use super::definition::Definition;
use super::error::Error;
use super::folder::Folder;
use super::input::Inputs;
use super::log::Log;
use super::order;
use super::sealed;
use crate::agent::{Activity, Backend};
use crate::clock::Clock;
use crate::library::Library;
use crate::process::{DEFAULT_GRACE, Nursery, end_carried};
use crate::store::dir;
use crate::utility;

/// Somebody who is told what happens in a cast.
pub trait Listener {
    /// A cast is about to be driven through this graph; nothing was told yet.
    fn begins(&mut self, _graph: &Graph) {}

    /// A cast that was left is taken up in this state; nothing was done yet (C22).
    fn takes_up(&mut self, _state: &State) {}

    /// So many processes of a driver that died still ran, and were ended (A6).
    fn ended(&mut self, _orphans: usize) {}

    /// Something happened, and this is the state with it.
    fn tell(&mut self, event: &Event, state: &State);

    /// An agent is seen at work in a visit. Not kept in the log, and not told again.
    fn sees(&mut self, _place: &Place, _activity: &Activity) {}
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
    pub(super) library: Option<&'a Library>,
    pub(super) agent: Option<&'a mut dyn Backend>,
    pub(super) nursery: &'a mut Nursery,
    pub(super) inputs: Inputs,
    pub(super) listener: &'a mut dyn Listener,
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
    /// Where recipes are looked for.
    pub library: Option<&'a Library>,
    /// Who plays agents.
    pub agent: Option<&'a mut dyn Backend>,
    /// What runs processes, and tells of interrupts.
    pub nursery: &'a mut Nursery,
    /// Who is told what happens.
    pub listener: &'a mut dyn Listener,
}

impl<'a> Driver<'a> {
    /// Begins a cast: checks that its sockets can be played, makes its directory and writes its
    /// beginning.
    pub fn begin(
        definition: Definition,
        casts: &Path,
        request: &str,
        hands: Hands<'a>,
    ) -> Result<Self, Error> {
        playable(&definition, &hands)?;
        let (mut folder, cast_id) = Folder::create(casts, hands.clock)?;
        folder.guard(clean::secrets(definition.graph(), hands.variables));
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
        let (log, began) = Log::begin(&folder, hands.clock, beginning, start)?;
        hands.nursery.carry(&folder.mark(&log.state().cast_id)?);
        let driver = Self::new(definition, folder, log, hands);
        driver.listener.begins(driver.kernel.graph());
        driver.listener.tell(&began, driver.log.state());
        Ok(driver)
    }

    /// Takes up a cast that was left, by the definition it began with. What a driver that died left
    /// running is ended first: the log is ours by now, so that nobody who lives started it (A6).
    pub fn open(mut folder: Folder, hands: Hands<'a>) -> Result<Self, Error> {
        let definition = Definition::reopen(&folder.read_definition()?)?;
        folder.guard(clean::secrets(definition.graph(), hands.variables));
        let log = Log::open(&folder, hands.clock)?;
        let mark = folder.mark(&log.state().cast_id)?;
        let mut driver = Self::new(definition, folder, log, hands);
        driver.listener.begins(driver.kernel.graph());
        driver.listener.takes_up(driver.log.state());
        driver.end_orphans(&mark)?;
        driver.nursery.carry(&mark);
        Ok(driver)
    }

    fn end_orphans(&mut self, mark: &str) -> Result<(), Error> {
        let swept = end_carried(mark, DEFAULT_GRACE);
        if swept.ended > 0 {
            self.log
                .note("orphans_ended", &serde_json::json!({"count": swept.ended}))?;
            self.listener.ended(swept.ended);
        }
        match swept.survivors.first() {
            None => Ok(()),
            Some(first) => Err(Error::Orphans {
                count: swept.survivors.len(),
                pid: first.pid,
            }),
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
            library: hands.library,
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

    /// Whether what the cast stands at can be played here; asked before anything is recorded about
    /// it.
    pub fn ready(&self) -> Result<(), Error> {
        let graph = self.kernel.graph();
        let slot = self
            .state()
            .visit()
            .and_then(|visit| graph.find(&visit.place.socket));
        match slot.map(|slot| graph.socket(slot)) {
            Some(socket) => can_play(socket, self.agent.as_deref()),
            None => Ok(()),
        }
    }

    /// Drives the cast until it stops.
    pub fn drive(&mut self) -> Result<Stop, Error> {
        let stop = self.walk()?;
        self.settle()?;
        Ok(stop)
    }

    /// Makes everything durable that happened so far: somebody is about to be told.
    pub fn promise(&mut self) -> Result<(), Error> {
        self.log.promise()
    }

    /// Writes the documents that come from the log, which a driver that was killed at the very end
    /// did not.
    pub fn settle(&mut self) -> Result<(), Error> {
        self.log.settle(&self.folder)
    }

    fn walk(&mut self) -> Result<Stop, Error> {
        loop {
            if self.nursery.rest(Duration::ZERO).is_some() {
                return Ok(Stop::Interrupted);
            }
            if !self.state().status.is_end() {
                self.take_orders()?;
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

    /// Writes down what the person ordered meanwhile: before an order is gone, it is in the log.
    pub(super) fn take_orders(&mut self) -> Result<(), Error> {
        for (order, body) in order::pending(&self.folder) {
            self.record(body)?;
            dir::remove_file(&order)?;
        }
        Ok(())
    }

    /// Writes down what happened and tells it.
    pub fn record(&mut self, body: Body) -> Result<(), Error> {
        let event = self.log.record(body)?;
        self.listener.tell(&event, self.log.state());
        Ok(())
    }

    /// Writes down what happened at once, and tells it one by one.
    pub(super) fn record_all(&mut self, bodies: Vec<Body>) -> Result<(), Error> {
        let listener = &mut self.listener;
        self.log
            .record_all(bodies, |event, state| listener.tell(event, state))
    }

    fn doubt(&mut self) -> Result<bool, Error> {
        let Some(body) = self.kernel.interrupted(self.log.state()) else {
            return Err(Error::OutOfStep);
        };
        self.record(body)?;
        Ok(true)
    }
}

/// Whether everything that the sockets hold can be played here; asked before anything is started
/// (T21).
fn playable(definition: &Definition, hands: &Hands<'_>) -> Result<(), Error> {
    let agent = hands.agent.as_deref();
    let library = hands.library;
    let place = utility::template::Place {
        cwd: hands.cwd,
        home: hands.home,
        stages: None,
    };
    definition
        .graph()
        .sockets()
        .iter()
        .try_for_each(|socket| match &socket.materia.kind {
            Kind::Utility(program) => match &program.run {
                Run::Command(_) => Ok(()),
                Run::Shipped(name) if utility::find(name).is_some() => Ok(()),
                Run::Shipped(_) => Err(unavailable(
                    socket,
                    "it does not ship with this program",
                    COMMAND,
                    false,
                )),
                Run::Template(template) => {
                    let plan = utility::template::plan(
                        template,
                        &program.params,
                        place,
                        program.timeout_ms,
                    );
                    plan.map(drop).map_err(Error::Invalid)
                }
                Run::Recipe(name) => match library {
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
            Kind::Agent(_) => can_play(socket, agent),
        })
}

/// Whether somebody is there who plays a role.
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
