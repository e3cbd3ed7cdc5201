//! `materia top`: the terminal inspector. Shows runs and casts live, with their output, and lets
//! the user control them.
//!
//! Owns the loop between input, changes and drawing. It wakes on terminal input, on a change that
//! the engine reports, and on a timer that updates the ages. Computes nothing.

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

/// The interval at which ages are updated and everything is listed again, even without changes.
const TICK: Duration = Duration::from_secs(1);
/// The minimum time between two lists. Changes in between are batched, so that a run with much
/// output costs no more than one with little.
const GATHER: Duration = Duration::from_millis(80);

/// Runs the inspector until the user quits. Returns the exit code.
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

/// Lists everything once, for programs and without a terminal.
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
