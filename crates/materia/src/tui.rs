//! `materia top`: the terminal inspector. Runs and casts, live, with what they say and a way to
//! steer them.
//!
//! Owns the loop between keys, changes of files and the picture. Woken by the terminal, by the
//! kernel when a file of a run or a cast changes, and by a clock that moves the ages; the engine is
//! asked, nothing is computed here.

mod app;
mod rows;
mod detail;
mod deed;
mod draw;
mod keys;
mod terminal;

use std::os::fd::AsFd;
use std::time::Duration;

use materia_engine::cast::start;
use materia_engine::clock::Stopwatch;
use materia_engine::config::{Files, Places};
use materia_engine::inspect::top::{self, Vigil};
use materia_engine::process::Nursery;
use materia_engine::run::Root;
use rustix::event::{PollFd, PollFlags, Timespec};

use crate::door::Top;
use crate::view::Voice;
use crate::world::World;
use materia_engine::api::{AgentChoice, ApiError, ErrorKind};

use app::{App, Then};
use terminal::Terminal;

/// How often ages move, and what no file tells is looked at.
const TICK: Duration = Duration::from_secs(1);
/// How long changes are gathered before the next look: a run that writes much costs no more than
/// one that writes little.
const GATHER: Duration = Duration::from_millis(80);

/// Shows everything until the person has seen enough.
pub fn run(world: &World, wish: &Top) -> u8 {
    watch(world, wish).unwrap_or_else(|failure| {
        wish.screen.failure(&failure, wish.voice);
        failure.kind.exit_code()
    })
}

/// What the inspector looks at.
struct Desk<'a> {
    world: &'a World,
    root: Root,
    casts: std::path::PathBuf,
    caller: Option<String>,
    agents: &'a AgentChoice,
}

impl<'a> Desk<'a> {
    fn open(world: &'a World, wish: &'a Top) -> Result<Self, ApiError> {
        let home = world.home()?;
        let project = world.cwd.as_deref().map_err(|error| {
            ApiError::new(
                ErrorKind::Invalid,
                "no_directory",
                format!("the working directory is gone: {error}"),
            )
            .hint("change to a directory that exists, or name one with `-C`")
        })?;
        let environment = world.variable("MATERIA_CONFIG").map(std::path::Path::new);
        let files = Files::find(Places {
            home: Some(&home),
            project,
            environment,
            flag: None,
        })?;
        let casts = start::casts(project, &files);
        Ok(Self {
            world,
            root: Root::new(home.runs()),
            casts,
            caller: world.session(wish.session.as_deref()),
            agents: &wish.agents,
        })
    }

    fn place(&self) -> top::Place<'_> {
        top::Place {
            root: &self.root,
            casts: &self.casts,
            caller: self.caller.as_deref(),
        }
    }

    fn look(&self) -> Result<top::Looked, ApiError> {
        Ok(top::look(self.place(), &self.world.clock())?)
    }
}

fn watch(world: &World, wish: &Top) -> Result<u8, ApiError> {
    let desk = Desk::open(world, wish)?;
    if wish.voice == Voice::Json || wish.once || !(world.terminals.stdin && world.terminals.stdout)
    {
        return glance(&desk, wish);
    }
    let lost = |error: &std::io::Error| ApiError::from_error(ErrorKind::Failed, "terminal", error);
    let mut vigil = Vigil::new().map_err(|error| lost(&error))?;
    let mut terminal = Terminal::enter(wish.screen).map_err(|error| lost(&error))?;
    let mut app = App::new(wish.screen.results_in_colour());
    let mut nursery = Nursery::new();
    nursery.catch_interrupts().map_err(|error| lost(&error))?;
    let mut looked: Option<Stopwatch> = None;
    let mut stale = true;
    loop {
        if stale && looked.is_none_or(|looked| looked.elapsed() >= GATHER) {
            let found = desk.look()?;
            vigil.over(desk.place(), &found);
            app.rows(rows::rows(&found, &world.clock()));
            app.detail = detail::detail(&desk, &app);
            (looked, stale) = (Some(Stopwatch::start()), false);
        }
        terminal.draw(&mut app).map_err(|error| lost(&error))?;
        let patience = if stale { GATHER } else { TICK };
        stale |= waited(&vigil, patience) || looked.is_none_or(|looked| looked.elapsed() >= TICK);
        if nursery.rest(Duration::ZERO).is_some() {
            return Ok(ErrorKind::Interrupted.exit_code());
        }
        for event in terminal.events().map_err(|error| lost(&error))? {
            match keys::take(&mut app, &event) {
                Then::Nothing => {}
                Then::Look => app.detail = detail::detail(&desk, &app),
                Then::Leave => return Ok(0),
                Then::Do(deed) => {
                    app.told = Some(deed::done(&desk, &deed));
                    (looked, stale) = (None, true);
                }
            }
        }
    }
}

/// Sleeps until a key is pressed, something changes or the time is over; whether something changed.
fn waited(vigil: &Vigil, patience: Duration) -> bool {
    let stdin = std::io::stdin();
    let mut fds = [
        PollFd::new(&stdin, PollFlags::IN),
        PollFd::from_borrowed_fd(vigil.as_fd(), PollFlags::IN),
    ];
    let timeout = Timespec::try_from(patience).ok();
    // A resize interrupts the sleep; the terminal tells it.
    let _interrupted = rustix::event::poll(&mut fds, timeout.as_ref());
    vigil.stirred()
}

/// One look, for programs and where there is no terminal.
fn glance(desk: &Desk<'_>, wish: &Top) -> Result<u8, ApiError> {
    let found = desk.look()?;
    if wish.voice == Voice::Json {
        wish.screen
            .document(&serde_json::json!({"ok": true, "runs": found.runs, "casts": found.casts}));
        return Ok(0);
    }
    wish.screen
        .text(&rows::plain(&rows::rows(&found, &desk.world.clock())));
    Ok(0)
}

#[cfg(test)]
mod tests;
