//! The terminal while the inspector uses it: raw mode, alternate screen, mouse capture. Restored on
//! every exit path.
//!
//! Owns setup and restoration. The `draw` module draws.

use std::io::{self, Stdout};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::app::App;
use super::draw;
use crate::view::Screen;

/// At most this many events are read before the next redraw.
const MOST: usize = 64;

/// A terminal in raw mode. Dropping it restores the terminal.
pub(super) struct Terminal {
    drawn: ratatui::Terminal<CrosstermBackend<Stdout>>,
    screen: Screen,
}

impl Terminal {
    /// Sets up the terminal.
    pub(super) fn enter(screen: Screen) -> io::Result<Self> {
        let drawn = ratatui::Terminal::new(CrosstermBackend::new(screen.canvas()))?;
        enable_raw_mode()?;
        let terminal = Self { drawn, screen };
        execute!(screen.canvas(), EnterAlternateScreen, EnableMouseCapture)?;
        Ok(terminal)
    }

    /// Redraws the screen. Only cells that changed are written.
    pub(super) fn draw(&mut self, app: &mut App) -> io::Result<()> {
        self.drawn.draw(|frame| draw::draw(frame, app)).map(drop)
    }

    /// The pending input events, without blocking.
    pub(super) fn events(&self) -> io::Result<Vec<Event>> {
        let mut events = Vec::new();
        loop {
            while events.len() < MOST && event::poll(Duration::ZERO)? {
                events.push(event::read()?);
            }
            if events.len() == MOST || !has_keys() {
                return Ok(events);
            }
            // The event source polls edge-triggered. If a key and a resize arrive together, it
            // returns only the resize and is not notified of the key again.
            tell_again()?;
            if !event::poll(Duration::ZERO)? {
                return Ok(events);
            }
        }
    }
}

/// Whether stdin has unread input.
fn has_keys() -> bool {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    poll(&mut fds, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// Makes the kernel notify the event source again. Setting the terminal's attributes does so, even
/// if they do not change.
fn tell_again() -> io::Result<()> {
    let stdin = io::stdin();
    Ok(tcsetattr(
        &stdin,
        OptionalActions::Now,
        &tcgetattr(&stdin)?,
    )?)
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _gone = execute!(
            self.screen.canvas(),
            DisableMouseCapture,
            LeaveAlternateScreen
        );
        let _gone = disable_raw_mode();
        let _gone = self.drawn.show_cursor();
    }
}
