//! `materia top`: the terminal inspector. Runs and casts, live, with what they say and a way to
//! steer them.
//!
//! Owns the loop between keys, changes and the picture. It is woken by the terminal, by the engine
//! when a run or a cast changes, and by a clock that moves the ages. Computes nothing.

mod app;
mod rows;
mod detail;
mod deed;
mod draw;
mod keys;
mod terminal;

use std::os::fd::AsFd;
use std::time::Duration;

use materia_engine::api::{ApiError, Engine, ErrorKind, Stopwatch, TopRequest};

use crate::door::TopOptions;
use crate::view::OutputFormat;
use crate::world::World;

use app::{App, KeyEffect};
use terminal::Terminal;

/// How often ages move, and everything is listed even if nothing changed.
const TICK: Duration = Duration::from_secs(1);
/// How long changes are gathered before the next list: a run that writes much costs no more than
/// one that writes little.
const GATHER: Duration = Duration::from_millis(80);

/// Shows everything until the user leaves; returns the exit code.
pub fn run(world: &World, top: &TopOptions) -> u8 {
    let interactive = world.terminals.stdin && world.terminals.stdout;
    let shown = if interactive && !top.once && top.format == OutputFormat::Human {
        watch(world, top)
    } else {
        list(world.engine(), top).map(|()| 0)
    };
    shown.unwrap_or_else(|error| {
        top.screen.failure(&error, top.format);
        error.kind.exit_code()
    })
}

fn watch(world: &World, top: &TopOptions) -> Result<u8, ApiError> {
    let failed =
        |error: std::io::Error| ApiError::from_error(ErrorKind::Failed, "terminal", &error);
    let engine = world.engine();
    let mut watch = engine.watch_top(&request(top))?;
    let mut terminal = Terminal::enter(top.screen).map_err(failed)?;
    let mut app = App::new(top.screen.results_in_colour());
    let mut listed: Option<Stopwatch> = None;
    let mut stale = true;
    loop {
        if stale && listed.is_none_or(|listed| listed.elapsed() >= GATHER) {
            app.rows(rows::rows(&watch.list()?, engine.clock().now()));
            app.detail = detail::detail(&watch, &app);
            (listed, stale) = (Some(Stopwatch::start()), false);
        }
        terminal.draw(&mut app).map_err(failed)?;
        let timeout = if stale { GATHER } else { TICK };
        let woken = watch.wait(std::io::stdin().as_fd(), timeout);
        if woken.interrupted {
            return Ok(ErrorKind::Interrupted.exit_code());
        }
        stale |= woken.changed || listed.is_none_or(|listed| listed.elapsed() >= TICK);
        for event in terminal.events().map_err(failed)? {
            match keys::take(&mut app, &event) {
                KeyEffect::Redraw => {}
                KeyEffect::Reload => app.detail = detail::detail(&watch, &app),
                KeyEffect::Quit => return Ok(0),
                KeyEffect::Perform(action) => {
                    app.told = Some(deed::perform(world, top, &action));
                    (listed, stale) = (None, true);
                }
            }
        }
    }
}

/// Lists everything once, for programs and where there is no terminal.
fn list(engine: &Engine, top: &TopOptions) -> Result<(), ApiError> {
    let found = engine.top(&request(top))?;
    match top.format {
        OutputFormat::Json => top.screen.document(&found),
        OutputFormat::Human => {
            let rows = rows::rows(&found, engine.clock().now());
            top.screen.text(&rows::plain(&rows));
        }
    }
    Ok(())
}

fn request(top: &TopOptions) -> TopRequest {
    TopRequest {
        session: top.session.clone(),
    }
}

#[cfg(test)]
mod tests;
