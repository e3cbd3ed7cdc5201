//! The terminal while the inspector has it: raw, on its other screen, with the mouse; given back
//! however we end.
//!
//! Owns taking and giving back. Drawing is `draw`'s.

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

/// How many events are taken before the next picture.
const MOST: usize = 64;

/// A terminal that is ours.
pub(super) struct Terminal {
    drawn: ratatui::Terminal<CrosstermBackend<Stdout>>,
    screen: Screen,
}

impl Terminal {
    /// Takes the terminal.
    pub(super) fn enter(screen: Screen) -> io::Result<Self> {
        let drawn = ratatui::Terminal::new(CrosstermBackend::new(screen.canvas()))?;
        enable_raw_mode()?;
        let terminal = Self { drawn, screen };
        execute!(screen.canvas(), EnterAlternateScreen, EnableMouseCapture)?;
        Ok(terminal)
    }

    /// Draws the whole picture; what did not change is not written again.
    pub(super) fn draw(&mut self, app: &mut App) -> io::Result<()> {
        self.drawn.draw(|frame| draw::draw(frame, app)).map(drop)
    }

    /// What the person did since, without waiting.
    pub(super) fn events(&self) -> io::Result<Vec<Event>> {
        let mut events = Vec::new();
        loop {
            while events.len() < MOST && event::poll(Duration::ZERO)? {
                events.push(event::read()?);
            }
            if events.len() == MOST || !has_keys() {
                return Ok(events);
            }
            // It was told of a key and of a new size at once, forgot the key over the size, and is
            // told of a key once only.
            tell_again()?;
            if !event::poll(Duration::ZERO)? {
                return Ok(events);
            }
        }
    }
}

/// Whether there are keys that nobody has taken.
fn has_keys() -> bool {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    poll(&mut fds, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// Lets the kernel say again that there are keys: it does when a terminal is set, also to what it
/// is.
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
