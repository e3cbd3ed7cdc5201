//! `materia inspect`: shows runs, sessions and this program.

use std::path::Path;

use clap::Args;
use materia_engine::actor;
use materia_engine::doctor;
use materia_engine::inspect::{self, Filter, Inventory, LINES, Target, mail, room, triage};
use materia_engine::process::Stream;
use materia_engine::recipe::{self, NotResolved};
use materia_engine::run::{self, Place, Root};
use materia_model::name::RunId;
use materia_model::{template, text};
use serde::Serialize;

use super::agent::roster;
use super::config::{Config, project};
use super::input::library;
use super::refer::address;
use super::spawn::session;
use super::tool::{located, near};
use crate::view::style::Role;
use crate::view::{Output, Report, Screen, Voice, told_line};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// Show runs, sessions and what they did
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    materia inspect run:tests\n  \
    materia inspect run:tests --view tail --lines 100 --follow\n  \
    materia inspect run:tests --view artifacts --json\n  \
    materia inspect run:tests --view mailbox\n  \
    materia inspect run:reviewer --view transcript      # what an agent was asked and said\n  \
    materia inspect room:tests --view messages\n  \
    materia inspect session:all --status active\n  \
    materia inspect recipes --view list\n  \
    materia inspect tool:materia --view triage\n\n\
    What is shown was looked at just now: a run whose supervisor died is ended and recorded first.")]
pub(super) struct Inspect {
    /// run:ID, room:ID, branch:ID/NAME, coordinator, session:S, session:all (which lists every run,
    /// and needs not be said), recipes, tool:NAME or tool:materia
    #[arg(
        value_name = "TARGET",
        default_value = "session:all",
        hide_default_value = true
    )]
    target: String,

    /// Which side of it: status, tail, transcript, messages, mailbox, communication, artifacts,
    /// files, previews, roster, contacts, runs, triage, doctor, list, imports, schema
    #[arg(long, value_name = "V")]
    view: Option<String>,

    /// How many lines, messages, members or runs (40; more than that also shows more than the last
    /// 64 KiB of a tail)
    #[arg(long, value_name = "N")]
    lines: Option<usize>,

    /// Only runs that stand so: all, active, terminal or a status
    #[arg(long, value_name = "S")]
    status: Option<String>,

    /// Go on showing a tail, messages or previews until the run is over; with --json one object a
    /// line
    #[arg(long)]
    follow: bool,

    /// The session that asks
    #[arg(long, value_name = "S")]
    session: Option<String>,
}

impl Inspect {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let filter = self
            .status
            .as_deref()
            .map(Filter::parse)
            .transpose()?
            .unwrap_or_default();
        let caller = session(world, self.session.as_deref())?;
        let caller = caller.as_deref();
        let root = Root::new(world.home()?.runs());
        let target = Target::parse(&address(world, &root, caller, &self.target, voice)?)?;
        let view = target.view(self.view.as_deref())?;
        if self.follow {
            target.follow(view)?;
        }
        let clock = world.clock();
        let inventory = |session| {
            let all = inspect::inventory(&root, session, caller, filter, &clock)?;
            Ok::<_, ApiError>(self.bounded(all, voice))
        };
        match target {
            Target::Run(id) => {
                return self.inspect_run(&root, &id, view, caller, world, screen, voice);
            }
            Target::Room(id) => {
                let (place, _) = inspect::open(&root, &id, caller, &clock)?;
                self.inspect_room(&place, view, world, screen, voice)?;
            }
            Target::Branch(id, branch) => {
                let (place, _) = inspect::open(&root, &id, caller, &clock)?;
                let mail = mail::read(&place)?;
                let queued = mail::mailbox(&id, Some(&branch), &mail, self.many(voice));
                report_queue(queued, &place, screen, voice)?;
            }
            Target::Coordinator => screen.report(&inventory(caller)?, voice),
            Target::Session(session) => screen.report(&inventory(Some(&session))?, voice),
            Target::AllSessions => screen.report(&inventory(None)?, voice),
            Target::Program => {
                let home = world.home()?;
                if view == "triage" {
                    let triage = triage::triage(&root, &home, &library(world)?, caller, &clock)?;
                    screen.report(&triage, voice);
                } else if view == "doctor" {
                    let (roster, choosing) = roster(&Config::default(), None, world)?;
                    let diagnosis = doctor::doctor(&home, project(world)?, &roster, &choosing)
                        .map_err(|error| {
                            ApiError::from_error(ErrorKind::Interrupted, "interrupted", &error)
                        })?;
                    screen.report(&diagnosis, voice);
                } else {
                    screen.report(&inspect::runtime(&home), voice);
                }
            }
            Target::Tool(name) => tool(world, &name, view, screen, voice)?,
            Target::Recipes if view == "doctor" => {
                screen.report(&recipe::doctor(&library(world)?, &world.home()?), voice);
            }
            Target::Recipes if view == "imports" => {
                screen.report(&recipe::imports(&library(world)?), voice);
            }
            Target::Recipes if view == "list" => {
                screen.report(&recipe::list(&library(world)?), voice);
            }
            Target::Recipes => screen.report(&inspect::recipes(&library(world)?), voice),
        }
        Ok(0)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "each is a different thing that the caller has at hand"
    )]
    fn inspect_run(
        &self,
        root: &Root,
        id: &RunId,
        view: &str,
        caller: Option<&str>,
        world: &World,
        screen: Screen,
        voice: Voice,
    ) -> Result<u8, ApiError> {
        let clock = world.clock();
        let (place, state) = inspect::open(root, id, caller, &clock)?;
        match view {
            "tail" => {
                let tail = inspect::tail(&place, &state, self.lines.unwrap_or(LINES))?;
                if !self.follow {
                    screen.report(&tail, voice);
                    return Ok(0);
                }
                let mut output = Output::new(screen, voice);
                let from = output.begin(&tail.tail);
                run::follow(&place, from, &clock, |stream: Stream, bytes| {
                    output.say(stream, bytes)
                })?;
                output.end();
            }
            "transcript" => {
                let said = actor::transcript(&place, &state, self.many(voice))
                    .map_err(run::Error::from)?;
                screen.report(&said, voice);
            }
            "messages" => {
                let read = mail::read(&place)?;
                let said = mail::messages(id, &read, self.many(voice));
                self.say(&said, &said.messages, said.incomplete, screen, voice);
                if self.follow {
                    self.follow_messages(
                        &place,
                        mail::Followed::Outbox,
                        read.seq,
                        world,
                        screen,
                        voice,
                    )?;
                }
            }
            "mailbox" => {
                let queued = mail::mailbox(id, None, &mail::read(&place)?, self.many(voice));
                report_queue(queued, &place, screen, voice)?;
            }
            "communication" => screen.report(&mail::communication(&mail::read(&place)?), voice),
            "artifacts" => screen.report(&inspect::files(&place, &state, false)?, voice),
            "files" => screen.report(&inspect::files(&place, &state, true)?, voice),
            _ => screen.report(&inspect::status(&place, &state), voice),
        }
        Ok(0)
    }
}

impl Inspect {
    /// As many as fit, for people and whoever follows; programs get all of them unless they ask for
    /// less.
    fn many(&self, voice: Voice) -> usize {
        let all = voice == Voice::Json && !self.follow;
        self.lines.unwrap_or(if all { usize::MAX } else { LINES })
    }

    /// As many runs as fit, for people; programs get all of them unless they ask for less.
    fn bounded(&self, all: Inventory, voice: Voice) -> Inventory {
        match (self.lines, voice) {
            (Some(lines), _) => all.first(lines),
            (None, Voice::Human) => all.first(LINES),
            (None, Voice::Json) => all,
        }
    }

    fn inspect_room(
        &self,
        place: &Place,
        view: &str,
        world: &World,
        screen: Screen,
        voice: Voice,
    ) -> Result<(), ApiError> {
        let mail = mail::read(place)?;
        let (run, room, lines) = (place.id(), mail.room(), self.many(voice));
        let mut followed = None;
        match view {
            "messages" => {
                let said = room::timeline(run, room, lines);
                self.say(&said, &said.messages, said.incomplete, screen, voice);
                followed = Some(mail::Followed::Room);
            }
            "previews" => {
                let said = room::previews(run, room, lines);
                self.say(&said, &said.messages, said.incomplete, screen, voice);
                followed = Some(mail::Followed::Previews);
            }
            "roster" => screen.report(&room::roster(run, room, lines), voice),
            "contacts" => screen.report(&room::contacts(run, room, lines), voice),
            _ => screen.report(&room::room_status(run, room), voice),
        }
        match followed.filter(|_| self.follow) {
            Some(what) => self.follow_messages(place, what, mail.seq, world, screen, voice),
            None => Ok(()),
        }
    }

    /// Says what was said so far: a program that follows gets it as it gets the rest, a message a
    /// line.
    fn say<R: Report, M: Serialize>(
        &self,
        report: &R,
        said: &[M],
        incomplete: bool,
        screen: Screen,
        voice: Voice,
    ) {
        if !self.follow || voice == Voice::Human {
            return screen.report(report, voice);
        }
        said.iter().for_each(|message| screen.document(message));
        if incomplete {
            screen.talk(
                Role::Quiet,
                "note",
                "older messages are not shown; --lines N shows more",
            );
        }
    }

    /// Goes on showing what is said, one line or JSON object each, until the run is over.
    fn follow_messages(
        &self,
        place: &Place,
        what: mail::Followed,
        behind: u64,
        world: &World,
        screen: Screen,
        voice: Voice,
    ) -> Result<(), ApiError> {
        mail::follow(place, what, behind, &world.clock(), |told| {
            match voice {
                Voice::Json => screen.document(told),
                Voice::Human => screen.text(&told_line(told)),
            }
            screen.was_heard()
        })?;
        Ok(())
    }
}

/// A queue: in lines for people, with the whole messages for programs.
fn report_queue(
    queued: mail::MailboxReport,
    place: &Place,
    screen: Screen,
    voice: Voice,
) -> Result<(), ApiError> {
    let queued = if voice == Voice::Json {
        queued.whole(place)?
    } else {
        queued
    };
    screen.report(&queued, voice);
    Ok(())
}

/// Shows a tool of the person's: a recipe in their root.
fn tool(
    world: &World,
    name: &str,
    view: &str,
    screen: Screen,
    voice: Voice,
) -> Result<(), ApiError> {
    let library = library(world)?;
    let cwd = world.cwd.as_deref().unwrap_or(Path::new("/"));
    let Some(located) = located(world, &library, name) else {
        let message = format!("there is no tool {}", text::quoted(name));
        return Err(
            ApiError::new(ErrorKind::NotFound, "tool_not_found", message)
                .hint(near(&library, name)),
        );
    };
    if view == "schema" {
        let linked = library.link(&located).map_err(NotResolved::Invalid)?;
        screen.document(&template::schema(linked.template.args()));
    } else {
        screen.report(&recipe::show(&library, &world.home()?, name, cwd)?, voice);
    }
    Ok(())
}
